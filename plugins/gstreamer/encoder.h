/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the encoders of both codecs share. */
#ifndef KOSTKA_GST_ENCODER_H
#define KOSTKA_GST_ENCODER_H

#include <gst/video/gstvideoencoder.h>

#include "engine.h"
#include "formats.h"

G_BEGIN_DECLS

#define KOSTKA_TYPE_ENCODER (kostka_encoder_get_type())
G_DECLARE_DERIVABLE_TYPE(KostkaEncoder, kostka_encoder, KOSTKA, ENCODER, GstVideoEncoder)

struct _KostkaEncoderClass {
    GstVideoEncoderClass parent_class;
    kst_codec codec;
    /* Set and get a property, from number PROPERTY_OWN on. Called with the object's lock. */
    void (*set_own)(KostkaEncoder *encoder, guint id, const GValue *value);
    void (*get_own)(KostkaEncoder *encoder, guint id, GValue *value);
    /* Make the caps of the output for such frames, from those that the elements downstream accept; null: none fit. */
    GstCaps *(*choose_caps)(KostkaEncoder *encoder, GstCaps *allowed, const GstVideoInfo *info);
    /*
     * Set the options for a frame from the properties. Called with the object's lock, so pointers in the options
     * must point to memory of the element.
     */
    void (*choose_options)(KostkaEncoder *encoder, const GstVideoInfo *info, kst_encode_options *options);
    /*
     * Return the length of the header in front of each stream, and write the header once the stream's length is
     * known. Null: there is no header.
     */
    gsize (*header)(KostkaEncoder *encoder, guint8 *bytes, gsize length);
    /* Return whether the stream ends with this frame. Null: it does not. */
    gboolean (*ends)(KostkaEncoder *encoder);
};

/* Allow a class properties from number PROPERTY_OWN on, before they are installed. */
void kostka_encoder_allow_properties(GObjectClass *objects);

/* Set up a class: its name, the caps that it makes, and the largest side of frames. Takes ownership of the caps. */
void kostka_encoder_class_setup(
    KostkaEncoderClass *class, const char *name, const char *description, GstCaps *source, gint side);

G_END_DECLS

#endif
