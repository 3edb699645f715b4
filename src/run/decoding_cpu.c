/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes a picture on the CPU; if the caller wants it, turns it, converts it to floating point, and copies it to a
 * device's memory.
 */
#include "core/report.h"
#include "image/allocate.h"
#include "image/format.h"
#include "image/normalise.h"
#include "image/orient.h"
#include "run/decoding.h"
#include "run/image.h"

/* Decode to integers, and turn the picture upright if its orientation is to be undone. */
static kst_status decode_integers(struct decoding *d, const kst_image *image)
{
    kst_decoder *decoder = d->decoder;
    if (d->orientation == 1)
        return d->decoder->codec->decode_on_cpu(d, image);
    kst_image turned = d->stored;
    kst_status status = kst_image_make(&decoder->memory, &turned);
    if (status)
        return status;
    status = decoder->codec->decode_on_cpu(d, &turned);
    if (!status)
        status = kst_image_orient(&turned, image, d->orientation);
    kst_image_drop(&decoder->memory, &turned);
    return status;
}

/* Describes the conversion of a picture's rows to floating-point samples. */
struct normalising {
    const kst_image *from, *to;
    struct normal normal;
    uint32_t step;
};

static void normalise_strip(void *arg, uint32_t index)
{
    const struct normalising *n = arg;
    uint32_t first = index * n->step, end = first + n->step;
    kst_image_normalise(n->from, n->to, &n->normal, first, end < n->to->height ? end : n->to->height);
}

static kst_status decode_on_cpu(struct decoding *d, const kst_image *image)
{
    enum { STRIPS = 64 };
    kst_decoder *decoder = d->decoder;
    if (kst_sample_is_integer(d->options.sample))
        return decode_integers(d, image);
    kst_image whole = d->stored;
    struct normalising normalising = {.from = &whole, .to = image, .step = image->height / STRIPS + 1};
    kst_normal_init(&normalising.normal, &d->options, kst_plane_depth(&whole.plane[0]), whole.plane[0].is_signed);
    if (kst_orientation_swaps(d->orientation))
        kst_image_swap_sides(&whole);
    kst_status status = kst_image_make(&decoder->memory, &whole);
    if (status)
        return status;
    status = decode_integers(d, &whole);
    if (!status)
        kst_pool_run(decoder->context->pool, (image->height + normalising.step - 1) / normalising.step, normalise_strip,
            &normalising);
    kst_image_drop(&decoder->memory, &whole);
    return status;
}

static kst_status upload(struct decoding *d, const kst_image *host)
{
    const struct gpu_backend *backend = d->gpu->gpu->backend;
    struct gpu_error error = {.status = KST_OK};
    double start = kst_seconds();
    struct gpu_track *track = kst_gpu_track_take(d->gpu, &error);
    if (track) {
        if (d->after)
            backend->wait(&track->queue, d->after);
        kst_gpu_image_upload(&track->queue, d->image, &d->target.image, host);
        backend->finish(&track->queue);
        error = track->queue.error;
    }
    kst_gpu_track_give(d->gpu, track);
    if (error.status)
        return kst_report_error(&d->decoder->report, error.status, KST_NO_OFFSET, "%s", error.text);
    kst_report_stage(&d->decoder->report, KST_STAGE_UPLOAD, backend->kind, start);
    return KST_OK;
}

/* Decode to pinned memory, and copy the picture to the device. */
static kst_status decode_to_device(struct decoding *d)
{
    kst_decoder *decoder = d->decoder;
    kst_image host = *d->image;
    host.memory = KST_MEMORY_PINNED;
    host.owned = NULL;
    kst_status status = kst_image_make_in(decoder->context, &decoder->memory, &host, NULL);
    if (status)
        return status;
    status = decode_on_cpu(d, &host);
    if (!status)
        status = upload(d, &host);
    kst_image_drop_in(decoder->context, &decoder->memory, &host);
    return status;
}

kst_status kst_decoding_on_cpu(struct decoding *d)
{
    return kst_memory_is_device(d->image->memory) ? decode_to_device(d) : decode_on_cpu(d, d->image);
}
