/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces gl.c if GStreamer's headers for OpenGL are missing: frames are always in the system's memory. */
#include "gl.h"

GstCaps *kostka_gl_extend(GstCaps *caps)
{
    return caps;
}

gboolean kostka_gl_can(KostkaGl *gl, GstElement *element, const GstCaps *allowed, GstVideoFormat video)
{
    (void)gl, (void)element, (void)allowed, (void)video;
    return FALSE;
}

GstCaps *kostka_gl_caps(const GstVideoInfo *info)
{
    return gst_video_info_to_caps(info);
}

gboolean kostka_gl_is(const GstCaps *caps)
{
    (void)caps;
    return FALSE;
}

gboolean kostka_gl_decide(KostkaGl *gl, GstQuery *query)
{
    (void)gl, (void)query;
    return TRUE;
}

void kostka_gl_set_context(KostkaGl *gl, GstElement *element, GstContext *context)
{
    (void)gl, (void)element, (void)context;
}

gboolean kostka_gl_query(KostkaGl *gl, GstElement *element, GstQuery *query)
{
    (void)gl, (void)element, (void)query;
    return FALSE;
}

void kostka_gl_init(KostkaGl *gl)
{
    (void)gl;
}

void kostka_gl_stop(KostkaGl *gl)
{
    (void)gl;
}

void kostka_gl_clear(KostkaGl *gl)
{
    (void)gl;
}
