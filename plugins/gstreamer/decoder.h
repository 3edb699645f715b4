/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the decoders of both codecs share. */
#ifndef KOSTKA_GST_DECODER_H
#define KOSTKA_GST_DECODER_H

#include <gst/video/gstvideodecoder.h>

#include "engine.h"
#include "formats.h"

G_BEGIN_DECLS

#define KOSTKA_TYPE_DECODER (kostka_decoder_get_type())
G_DECLARE_DERIVABLE_TYPE(KostkaDecoder, kostka_decoder, KOSTKA, DECODER, GstVideoDecoder)

/* Holds the bytes of a frame as they are decoded. */
typedef struct KostkaCoded {
    const guint8 *data;
    gsize length;
    const guint8 *second; /* the other field of the picture, or null */
    gsize second_length;
    gboolean bottom;  /* the first field is that of the even rows: 2, 4, … */
    gboolean limited; /* samples of 8 bits have the range of BT.601, 16–235 */
} KostkaCoded;

struct _KostkaDecoderClass {
    GstVideoDecoderClass parent_class;
    kst_codec codec;
    /* Find the pictures in the bytes of a buffer, with which `coded` is initialised. */
    void (*prepare)(KostkaDecoder *decoder, KostkaCoded *coded);
    /* Return whether the three components of the open stream are red, green and blue. */
    gboolean (*is_rgb)(KostkaDecoder *decoder, kst_decoder *stream);
};

/* Return the caps of the input, which the decoder owns; null if there are none yet. */
const GstCaps *kostka_decoder_caps(KostkaDecoder *decoder);

/* Set up a class: its name, its properties, and the caps that it accepts. Takes ownership of the caps. */
void kostka_decoder_class_setup(KostkaDecoderClass *class, const char *name, const char *description, GstCaps *sink);

G_END_DECLS

#endif
