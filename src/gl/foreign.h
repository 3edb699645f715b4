/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes buffer objects in memory that another API has allocated (GL_EXT_memory_object_fd), and waits for OpenGL to
 * finish with them.
 */
#ifndef KOSTKA_GL_FOREIGN_H
#define KOSTKA_GL_FOREIGN_H

#include "gl/functions.h"

struct gl_foreign {
    unsigned memory, buffer; /* 0: none */
    void *fence;             /* a fence behind OpenGL's last work with the buffer; null: the work is done */
};

/* Return whether the context can make such buffers. */
bool kst_gl_has_foreign(const struct gl_functions *gl);

/*
 * Make a buffer, bound to a target, of all of the memory that a file descriptor stands for. The descriptor belongs to
 * OpenGL afterwards. On failure the result is KST_ERROR_GL_FAILED and nothing is left behind.
 */
kst_status kst_gl_foreign_make(const struct gl_functions *gl, struct gl_foreign *foreign, unsigned target, int fd,
    size_t length, kst_report *report);
void kst_gl_foreign_delete(const struct gl_functions *gl, struct gl_foreign *foreign); /* an empty one is allowed */

/*
 * kst_gl_foreign_used() notes that OpenGL was asked to work with the buffer; kst_gl_foreign_wait() waits until that
 * work is done.
 */
void kst_gl_foreign_used(const struct gl_functions *gl, struct gl_foreign *foreign);
kst_status kst_gl_foreign_wait(const struct gl_functions *gl, struct gl_foreign *foreign, kst_report *report);

#endif
