/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes OpenGL buffer objects from memory that CUDA has allocated, and waits for OpenGL's work on them. */
#include "gl/foreign.h"

#include <string.h>
#include <unistd.h>

#include "core/report.h"

enum {
    HANDLE_OPAQUE_FD = 0x9586,
    FENCE_COMPLETE = 0x9117,
    FLUSH_BIT = 1,
    ALREADY_SIGNALED = 0x911A,
    SIGNALED = 0x911C
};

/* The time to wait for OpenGL, in nanoseconds: longer than any picture takes. */
#define PATIENCE UINT64_C(60000000000)

/* Return whether the extension is listed: loaders may return a function for every name. */
bool kst_gl_has_foreign(const struct gl_functions *gl)
{
    int count = 0;
    bool listed = false;
    gl->get(GL_NUM_EXTENSIONS, &count);
    for (int i = 0; i < count && !listed; i++) {
        const char *name = (const char *)gl->get_string_at(GL_EXTENSIONS, (unsigned)i);
        listed = name && strcmp(name, "GL_EXT_memory_object_fd") == 0;
    }
    kst_gl_clear_errors(gl);
    return listed && gl->memories_make && gl->memories_delete && gl->memory_import && gl->memory_to_buffer;
}

void kst_gl_foreign_delete(const struct gl_functions *gl, struct gl_foreign *foreign)
{
    if (foreign->fence)
        gl->fence_delete(foreign->fence);
    if (foreign->buffer)
        gl->buffers_delete(1, &foreign->buffer);
    if (foreign->memory)
        gl->memories_delete(1, &foreign->memory);
    *foreign = (struct gl_foreign){.memory = 0};
}

kst_status kst_gl_foreign_make(const struct gl_functions *gl, struct gl_foreign *foreign, unsigned target, int fd,
    size_t length, kst_report *report)
{
    *foreign = (struct gl_foreign){.memory = 0};
    gl->memories_make(1, &foreign->memory);
    gl->memory_import(foreign->memory, length, HANDLE_OPAQUE_FD, fd);
    kst_status status = kst_gl_check(gl, "glImportMemoryFdEXT", report);
    if (status) { /* OpenGL has not taken the descriptor, so it must be closed here */
        close(fd);
    } else {
        gl->buffers_make(1, &foreign->buffer);
        gl->bind_buffer(target, foreign->buffer);
        gl->memory_to_buffer(target, (intptr_t)length, foreign->memory, 0);
        status = kst_gl_check(gl, "glBufferStorageMemEXT", report);
    }
    if (status)
        kst_gl_foreign_delete(gl, foreign);
    return status;
}

void kst_gl_foreign_used(const struct gl_functions *gl, struct gl_foreign *foreign)
{
    if (foreign->fence)
        gl->fence_delete(foreign->fence);
    foreign->fence = gl->fence_make(FENCE_COMPLETE, 0);
}

kst_status kst_gl_foreign_wait(const struct gl_functions *gl, struct gl_foreign *foreign, kst_report *report)
{
    if (!foreign->fence)
        return KST_OK;
    unsigned result = gl->fence_wait(foreign->fence, FLUSH_BIT, PATIENCE);
    gl->fence_delete(foreign->fence);
    foreign->fence = NULL;
    kst_status status = kst_gl_check(gl, "glClientWaitSync", report);
    if (!status && result != ALREADY_SIGNALED && result != SIGNALED)
        return kst_report_error(report, KST_ERROR_GL_FAILED, KST_NO_OFFSET, "glClientWaitSync: OpenGL does not finish");
    return status;
}
