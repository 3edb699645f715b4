/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how a decoder writes into memory of OpenGL's: textures whose pixels are mapped while they are decoded, and
 * uploaded by GStreamer when an element behind draws them. gl.c implements it, and gl_none.c where GStreamer's headers
 * for OpenGL are missing.
 */
#ifndef KOSTKA_GST_GL_H
#define KOSTKA_GST_GL_H

#include <gst/video/video.h>

/*
 * Holds what an element knows of OpenGL. The application and other elements give it displays and contexts, and ask for
 * them, from their own threads: the lock guards the pointers, and is never held while another element is asked.
 */
typedef struct KostkaGl {
    GMutex lock;
    struct _GstGLDisplay *display;         /* null: none yet, as for the others */
    struct _GstGLContext *other, *context; /* the application's, and the element's own */
} KostkaGl;

/* Add textures of the same formats to the caps of frames. */
GstCaps *kostka_gl_extend(GstCaps *caps);

/* Return whether the elements behind take textures of a format, and a context for them is there. */
gboolean kostka_gl_can(KostkaGl *gl, GstElement *element, const GstCaps *allowed, GstVideoFormat video);

/* Make the caps of textures. */
GstCaps *kostka_gl_caps(const GstVideoInfo *info);

/* Return whether caps are those of textures in the first place. */
gboolean kostka_gl_is(const GstCaps *caps);

/* Give the query of an allocation, whose caps are those of textures, a pool of them unless it has one. */
gboolean kostka_gl_decide(KostkaGl *gl, GstQuery *query);

/* Take and give what elements and the application share. The latter returns whether the query is answered. */
void kostka_gl_set_context(KostkaGl *gl, GstElement *element, GstContext *context);
gboolean kostka_gl_query(KostkaGl *gl, GstElement *element, GstQuery *query);

/* Begin with nothing, forget all that was found, and end. */
void kostka_gl_init(KostkaGl *gl);
void kostka_gl_stop(KostkaGl *gl);
void kostka_gl_clear(KostkaGl *gl);

#endif
