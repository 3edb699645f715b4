/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves pixels through CUDA memory in which a buffer object of OpenGL lies. The host waits for one API before the other
 * one begins.
 */
#include "core/report.h"
#include "gl/run/session.h"

/* Replace a transfer's memory by memory of at least `length` bytes. The buffer in the old memory is deleted with it. */
static kst_status renew(kst_gl *gl, struct gl_transfer *transfer, unsigned target, size_t length, kst_report *report)
{
    struct gpu_error error = {.status = KST_OK};
    struct cuda_shared_memory memory;
    int fd;
    kst_gl_foreign_delete(&gl->functions, &transfer->foreign);
    kst_cuda_shared_memory_end(&gl->sharing, &transfer->memory);
    if (!kst_cuda_shared_memory_make(&gl->sharing, length, &memory, &fd, &error))
        return kst_report_error(report, error.status, KST_NO_OFFSET, "%s", error.text);
    kst_status status = kst_gl_foreign_make(&gl->functions, &transfer->foreign, target, fd, memory.length, report);
    if (status)
        kst_cuda_shared_memory_end(&gl->sharing, &memory);
    else
        transfer->memory = memory;
    return status;
}

kst_status kst_gl_exchange_bind(
    kst_gl *gl, struct gl_transfer *transfer, unsigned target, size_t length, kst_report *report)
{
    kst_status status = kst_gl_foreign_wait(&gl->functions, &transfer->foreign, report);
    if (status)
        return status;
    if (!transfer->memory.pointer || transfer->memory.length < length)
        return renew(gl, transfer, target, length, report);
    gl->functions.bind_buffer(target, transfer->foreign.buffer);
    return KST_OK;
}

bool kst_gl_exchange_try(kst_gl *gl)
{
    struct gl_state state;
    kst_report ignored;
    kst_report_init(&ignored);
    if (!gl->sharing.gl || !kst_gl_has_foreign(&gl->functions))
        return false;
    kst_gl_enter(&gl->functions, &state);
    bool taken = !kst_gl_exchange_bind(gl, &gl->to, GL_PIXEL_UNPACK_BUFFER, 1, &ignored);
    kst_gl_leave(&gl->functions, &state);
    kst_gl_clear_errors(&gl->functions);
    return taken;
}

void kst_gl_exchange_image(const struct gl_transfer *transfer, const struct gl_layout *layout, kst_image *image)
{
    struct gl_layout own = *layout;
    own.offset = 0;
    kst_gl_wrap(image, &own, (void *)(uintptr_t)transfer->memory.pointer, false);
    image->memory = KST_MEMORY_CUDA;
}

bool kst_gl_exchange_suits(const struct gl_layout *layout)
{
    return layout->pitch == (size_t)layout->width * kst_format_channels(layout->format);
}
