/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what all elements share: the context that they work in, the properties for it, and how failures are posted.
 */
#ifndef KOSTKA_GST_ENGINE_H
#define KOSTKA_GST_ENGINE_H

#include <gst/gst.h>
#include <kostka/kostka.h>

GST_DEBUG_CATEGORY_EXTERN(kostka_debug);

/* Describes an element's context, and what its properties say about it. The object's lock guards the properties. */
typedef struct KostkaEngine {
    gchar *device; /* null: KOSTKA_DEVICE, or "auto" */
    guint threads; /* 0: KOSTKA_THREADS, or one for each processor */
    kst_context *context;
} KostkaEngine;

/* Properties below this number are the engine's. */
enum { PROPERTY_DEVICE = 1, PROPERTY_THREADS = 2, PROPERTY_OWN = 3 };

/* Add the properties to an element's class; the one for threads has the name that the element's peers give it. */
void engine_install_properties(GObjectClass *objects, const char *threads);

/* Set or get a property. Returns FALSE if it is none of the engine's. */
gboolean engine_set(KostkaEngine *engine, GObject *object, guint id, const GValue *value);
gboolean engine_get(KostkaEngine *engine, GObject *object, guint id, GValue *value);

/* Name an element's class, and give it pads that are always there, of caps that are taken over. */
void engine_describe(GstElementClass *elements, const char *name, const char *kind, const char *description,
    GstCaps *sink, GstCaps *source);

/* Make the context. Returns FALSE after an error is posted that says what can be done. */
gboolean engine_start(KostkaEngine *engine, GstElement *element);
void engine_stop(KostkaEngine *engine);

/*
 * Return whether a picture's own bytes are why it cannot be decoded, and not memory, a device or a setting. Components
 * or fields that do not fit together are among that.
 */
gboolean engine_is_damage(kst_status status);

/* Post an error about an operation that failed for another reason than damage. */
void engine_post(GstElement *element, const kst_report *report, kst_status status);

/* Return a report's message, or the status's name if it has none. */
const char *engine_message(const kst_report *report, kst_status status);

#endif
