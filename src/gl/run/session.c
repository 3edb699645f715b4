/* SPDX-License-Identifier: BSD-2-Clause */
/* Begins and ends the work of a kst_context next to an OpenGL context, and each call on it. */
#include "gl/run/session.h"

#include "core/report.h"
#include "device/runtime.h"
#include "run/device.h"

static kst_status refuse(kst_report *report, kst_status status, const char *text)
{
    return kst_report_error(report, status, KST_NO_OFFSET, text ? "%s" : NULL, text);
}

static bool is_current(const kst_gl *gl)
{
    const struct gl_functions *f = &gl->functions;
    return f->current ? f->current() == gl->current : f->get_string(GL_VERSION) != NULL;
}

kst_status kst_gl_begin(kst_gl *gl, kst_report *report)
{
    const struct gl_functions *f = &gl->functions;
    if (!is_current(gl))
        return refuse(
            report, KST_ERROR_GL_CONTEXT, f->current && f->current() ? "another one is current" : "none is current");
    if (f->reset_status && f->reset_status() != GL_NO_ERROR)
        return refuse(report, KST_ERROR_GL_CONTEXT, "it was lost");
    return kst_gl_check(f, "before the call", report);
}

void kst_gl_wrap(kst_image *image, const struct gl_layout *layout, void *memory, bool flip)
{
    ptrdiff_t pitch = (ptrdiff_t)layout->pitch;
    uint8_t *last = (uint8_t *)memory + (ptrdiff_t)(layout->height - 1) * pitch;
    kst_image_wrap(image, layout->format, layout->width, layout->height, flip ? last : memory, flip ? -pitch : pitch);
}

static kst_status share(kst_gl *gl, kst_gl_sharing sharing, kst_report *report)
{
    if (sharing == KST_GL_SHARING_OFF)
        return KST_OK;
    struct gpu_runtime *gpu = kst_context_gpu(gl->context);
    gl->shares = gpu && kst_cuda_gl_open(&gl->cuda, gpu->gpu);
    if (gl->shares) {
        kst_cuda_sharing_open(&gl->sharing, &gl->cuda);
        gl->exchanges = kst_gl_exchange_try(gl);
    }
    if (gl->shares || sharing == KST_GL_SHARING_AUTO)
        return KST_OK;
    return refuse(report, KST_ERROR_GL_DEVICE,
        gpu && gpu->gpu->info.kind == KST_DEVICE_CUDA ? "OpenGL draws elsewhere than on the context's device"
                                                      : "only devices of CUDA share memory with OpenGL");
}

kst_status kst_gl_make(kst_context *context, const kst_gl_options *options, kst_gl **gl, kst_report *report)
{
    kst_status status = KST_OK;
    if (options->size != sizeof *options || options->sharing < KST_GL_SHARING_AUTO ||
        options->sharing > KST_GL_SHARING_OFF)
        return refuse(report, KST_ERROR_OPTIONS, NULL);
    if (!options->load)
        return refuse(report, KST_ERROR_ARGUMENT, "no function that finds OpenGL's");
    kst_gl *made = kst_memory_zeroed(&context->memory, 1, sizeof *made, &status);
    if (!made)
        return refuse(report, status, NULL);
    made->context = context;
    status = kst_gl_load(&made->functions, options->load, options->user, report);
    if (!status)
        status = share(made, options->sharing, report);
    if (!status && made->functions.current)
        made->current = made->functions.current();
    if (status)
        kst_memory_release(&context->memory, made);
    else
        *gl = made;
    return status;
}

static void drop(kst_gl *gl, struct gl_transfer *transfer)
{
    if (gl->shares)
        kst_cuda_gl_dismiss(&gl->cuda, &transfer->resource);
    kst_gl_staging_delete(&gl->functions, &transfer->staging);
    kst_gl_foreign_delete(&gl->functions, &transfer->foreign);
}

void kst_gl_drop(kst_gl *gl)
{
    if (is_current(gl)) {
        drop(gl, &gl->to);
        drop(gl, &gl->from);
    }
    if (gl->exchanges) {
        kst_cuda_shared_memory_end(&gl->sharing, &gl->to.memory);
        kst_cuda_shared_memory_end(&gl->sharing, &gl->from.memory);
    }
    if (gl->shares)
        kst_cuda_gl_close(&gl->cuda);
    kst_memory_release(&gl->context->memory, gl);
}
