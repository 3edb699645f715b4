/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffer objects in memory that others have allocated (GL_EXT_memory_object_fd), and waiting for OpenGL. */
#ifndef KOSTKA_GL_FOREIGN_H
#define KOSTKA_GL_FOREIGN_H

#include "gl/functions.h"

struct gl_foreign {
    unsigned memory, buffer; /* 0: none */
    void *fence;             /* behind OpenGL's last work with it; null: that is done */
};

/* Whether the context can have any. */
bool kst_gl_has_foreign(const struct gl_functions *gl);

/*
 * A buffer, bound to a target, of all of the memory that a file descriptor stands for, which is OpenGL's afterwards.
 * KST_ERROR_GL_FAILED, and nothing is left.
 */
kst_status kst_gl_foreign_make(const struct gl_functions *gl, struct gl_foreign *foreign, unsigned target, int fd,
    size_t length, kst_report *report);
void kst_gl_foreign_delete(const struct gl_functions *gl, struct gl_foreign *foreign); /* none allowed */

/* Note that OpenGL was told to work with it; and wait until that is done. */
void kst_gl_foreign_used(const struct gl_functions *gl, struct gl_foreign *foreign);
kst_status kst_gl_foreign_wait(const struct gl_functions *gl, struct gl_foreign *foreign, kst_report *report);

#endif
