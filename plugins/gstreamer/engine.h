/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what all elements share: their context, the properties for it, and how failures are posted. */
#ifndef KOSTKA_GST_ENGINE_H
#define KOSTKA_GST_ENGINE_H

#include <gst/gst.h>
#include <kostka/kostka.h>

GST_DEBUG_CATEGORY_EXTERN(kostka_debug);

/* Holds an element's context, and the properties for it, which the object's lock guards. */
typedef struct KostkaEngine {
    gchar *device; /* null: KOSTKA_DEVICE, or "auto" */
    guint threads; /* 0: KOSTKA_THREADS, or one for each processor */
    kst_context *context;
} KostkaEngine;

/* Properties below this number are the engine's. */
enum { PROPERTY_DEVICE = 1, PROPERTY_THREADS = 2, PROPERTY_OWN = 3 };

/* Add the properties to an element's class. The one for threads has the name that the element's peers use. */
void engine_install_properties(GObjectClass *objects, const char *threads);

/* Set or get a property. Returns FALSE if it is not one of the engine's. */
gboolean engine_set(KostkaEngine *engine, GObject *object, guint id, const GValue *value);
gboolean engine_get(KostkaEngine *engine, GObject *object, guint id, GValue *value);

/* Name an element's class, and add pads that are always present, with caps that it takes ownership of. */
void engine_describe(GstElementClass *elements, const char *name, const char *kind, const char *description,
    GstCaps *sink, GstCaps *source);

/* Make the context. On failure posts an error that says what can be done, and returns FALSE. */
gboolean engine_start(KostkaEngine *engine, GstElement *element);
void engine_stop(KostkaEngine *engine);

/*
 * Return whether a picture cannot be decoded because of its own bytes, and not because of memory, a device or a
 * setting. That includes components or fields that do not fit together.
 */
gboolean engine_is_damage(kst_status status);

/* Post an error about a failure other than damage. */
void engine_post(GstElement *element, const kst_report *report, kst_status status);

/* Return a report's message, or the status's name if it has none. */
const char *engine_message(const kst_report *report, kst_status status);

#endif
