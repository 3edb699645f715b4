/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds a context of OpenGL for an element, and makes pools of textures that pixels are written into. */
#include <gst/gl/gl.h>

#include "gl.h"
#include "pool.h"

/* Return the caps of the formats that textures support, without a size. */
static GstCaps *texture_caps(void)
{
    static GstStaticCaps all = GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE_WITH_FEATURES(
        GST_CAPS_FEATURE_MEMORY_GL_MEMORY, GST_GL_MEMORY_VIDEO_FORMATS_STR) ", texture-target = (string) 2D");

    return gst_static_caps_get(&all);
}

GstCaps *kostka_gl_extend(GstCaps *caps)
{
    GstCaps *frames = gst_caps_copy(caps), *textures = texture_caps();

    gst_caps_set_features_simple(frames, gst_caps_features_from_string(GST_CAPS_FEATURE_MEMORY_GL_MEMORY));
    gst_caps_append(caps, gst_caps_intersect(frames, textures));
    gst_caps_unref(frames);
    gst_caps_unref(textures);
    return caps;
}

/* Make a context that shares its textures with those of the other elements. */
static GstGLContext *make_context(KostkaGl *gl, GstElement *element)
{
    GstGLDisplay *display = gl->display;
    GstGLContext *context = NULL;
    GError *error = NULL;
    gboolean added = FALSE;

    while (!added && error == NULL) {
        GST_OBJECT_LOCK(display);
        context = gst_gl_display_get_gl_context_for_thread(display, NULL);
        if (context == NULL && gst_gl_display_create_context(display, gl->other, &context, &error))
            added = gst_gl_display_add_context(display, context);
        else
            added = context != NULL;
        GST_OBJECT_UNLOCK(display);
        if (!added)
            gst_clear_object(&context);
    }
    if (error != NULL)
        GST_INFO_OBJECT(element, "no context of OpenGL: %s", error->message);
    g_clear_error(&error);
    return context;
}

/*
 * Find the display of the application or of another element, or make one, and a context for it. Whoever is asked
 * answers by calling kostka_gl_set_context() in this thread, so the lock must not be held.
 */
static gboolean find_context(KostkaGl *gl, GstElement *element)
{
    GstGLContext *found = NULL;

    if (gl->context != NULL) /* only this thread sets it */
        return TRUE;
    if (!gst_gl_ensure_element_data(element, &gl->display, &gl->other) || gl->display == NULL)
        return FALSE;
    if (!gst_gl_query_local_gl_context(element, GST_PAD_SRC, &found))
        found = make_context(gl, element);
    g_mutex_lock(&gl->lock);
    gl->context = found;
    g_mutex_unlock(&gl->lock);
    return found != NULL;
}

gboolean kostka_gl_can(KostkaGl *gl, GstElement *element, const GstCaps *allowed, GstVideoFormat video)
{
    GstCaps *one = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, gst_video_format_to_string(video),
        "texture-target", G_TYPE_STRING, "2D", NULL);
    GstCaps *all = texture_caps();

    gst_caps_set_features_simple(one, gst_caps_features_from_string(GST_CAPS_FEATURE_MEMORY_GL_MEMORY));
    gboolean can = gst_caps_can_intersect(allowed, one) && gst_caps_can_intersect(all, one);
    gst_caps_unref(one);
    gst_caps_unref(all);
    return can && find_context(gl, element);
}

GstCaps *kostka_gl_caps(const GstVideoInfo *info)
{
    GstCaps *caps = gst_video_info_to_caps(info);

    gst_caps_set_features_simple(caps, gst_caps_features_from_string(GST_CAPS_FEATURE_MEMORY_GL_MEMORY));
    gst_caps_set_simple(caps, "texture-target", G_TYPE_STRING, "2D", NULL);
    return caps;
}

gboolean kostka_gl_is(const GstCaps *caps)
{
    gboolean none = caps == NULL || gst_caps_is_any(caps) || gst_caps_is_empty(caps);
    const GstCapsFeatures *features = none ? NULL : gst_caps_get_features(caps, 0);

    return features != NULL && gst_caps_features_contains(features, GST_CAPS_FEATURE_MEMORY_GL_MEMORY);
}

/* Return whether the first pool of a query has textures. */
static gboolean has_pool(GstQuery *query)
{
    GstBufferPool *pool = NULL;

    if (gst_query_get_n_allocation_pools(query) > 0)
        gst_query_parse_nth_allocation_pool(query, 0, &pool, NULL, NULL, NULL);
    gboolean has = pool != NULL && GST_IS_GL_BUFFER_POOL(pool);
    gst_clear_object(&pool);
    return has;
}

gboolean kostka_gl_decide(KostkaGl *gl, GstQuery *query)
{
    GstCaps *caps;
    GstVideoInfo info;

    gst_query_parse_allocation(query, &caps, NULL);
    if (gl->context == NULL || !gst_video_info_from_caps(&info, caps))
        return FALSE;
    if (has_pool(query))
        return TRUE;
    GstBufferPool *pool = gst_gl_buffer_pool_new(gl->context);
    pool_offer(query, pool, (guint)info.size);
    gst_object_unref(pool);
    return TRUE;
}

void kostka_gl_set_context(KostkaGl *gl, GstElement *element, GstContext *context)
{
    g_mutex_lock(&gl->lock);
    gst_gl_handle_set_context(element, context, &gl->display, &gl->other);
    g_mutex_unlock(&gl->lock);
}

/* Answer a query with references to the current display and contexts, which stop() may release meanwhile. */
gboolean kostka_gl_query(KostkaGl *gl, GstElement *element, GstQuery *query)
{
    KostkaGl now = {.display = NULL};

    if (GST_QUERY_TYPE(query) != GST_QUERY_CONTEXT)
        return FALSE;
    g_mutex_lock(&gl->lock);
    gst_object_replace((GstObject **)&now.display, (GstObject *)gl->display);
    gst_object_replace((GstObject **)&now.context, (GstObject *)gl->context);
    gst_object_replace((GstObject **)&now.other, (GstObject *)gl->other);
    g_mutex_unlock(&gl->lock);
    gboolean answered = gst_gl_handle_context_query(element, query, now.display, now.context, now.other);
    gst_clear_object(&now.context);
    gst_clear_object(&now.other);
    gst_clear_object(&now.display);
    return answered;
}

void kostka_gl_init(KostkaGl *gl)
{
    g_mutex_init(&gl->lock);
}

/*
 * Release display and contexts without holding the lock: releasing the last reference to a context ends its thread,
 * which may need the lock.
 */
void kostka_gl_stop(KostkaGl *gl)
{
    g_mutex_lock(&gl->lock);
    GstGLContext *context = g_steal_pointer(&gl->context), *other = g_steal_pointer(&gl->other);
    GstGLDisplay *display = g_steal_pointer(&gl->display);
    g_mutex_unlock(&gl->lock);
    gst_clear_object(&context);
    gst_clear_object(&other);
    gst_clear_object(&display);
}

void kostka_gl_clear(KostkaGl *gl)
{
    kostka_gl_stop(gl);
    g_mutex_clear(&gl->lock);
}
