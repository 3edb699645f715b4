/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how a decoder writes into memory of OpenGL: textures whose pixels are mapped while a frame is decoded, and
 * which GStreamer uploads when an element downstream draws them. gl.c implements this; gl_none.c does if GStreamer's
 * headers for OpenGL are missing.
 */
#ifndef KOSTKA_GST_GL_H
#define KOSTKA_GST_GL_H

#include <gst/video/video.h>

/*
 * Holds an element's display and contexts of OpenGL. The application and other elements set and request these from
 * their own threads: the lock guards the pointers, and is never held while another element is asked.
 */
typedef struct KostkaGl {
    GMutex lock;
    struct _GstGLDisplay *display;         /* null: none yet, as for the contexts */
    struct _GstGLContext *other, *context; /* the application's context, and the element's own */
} KostkaGl;

/* Add textures of the same formats to caps of frames. */
GstCaps *kostka_gl_extend(GstCaps *caps);

/* Return whether the elements downstream accept textures of a format, and there is a context for them. */
gboolean kostka_gl_can(KostkaGl *gl, GstElement *element, const GstCaps *allowed, GstVideoFormat video);

/* Make the caps of textures. */
GstCaps *kostka_gl_caps(const GstVideoInfo *info);

/* Return whether the first structure of caps is of textures. */
gboolean kostka_gl_is(const GstCaps *caps);

/* Add a pool of textures to an allocation query for textures, unless it has one. */
gboolean kostka_gl_decide(KostkaGl *gl, GstQuery *query);

/*
 * Receive a display or context that elements and the application share; and answer a query for these. The latter
 * returns whether the query is answered.
 */
void kostka_gl_set_context(KostkaGl *gl, GstElement *element, GstContext *context);
gboolean kostka_gl_query(KostkaGl *gl, GstElement *element, GstQuery *query);

/* Initialise the structure; release everything that was found; and destroy the structure. */
void kostka_gl_init(KostkaGl *gl);
void kostka_gl_stop(KostkaGl *gl);
void kostka_gl_clear(KostkaGl *gl);

#endif
