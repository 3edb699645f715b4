/* SPDX-License-Identifier: BSD-2-Clause */
/* Uploads pixels to the device and transforms them there to coefficients of subbands. */
#include "j2k/gpu/encode_job.h"

#include <string.h>

#include "image/format.h"

static size_t row_length(const kst_image *image, const kst_plane *plane)
{
    return (size_t)plane->width * kst_format_samples(image->format) * kst_plane_sample_bytes(plane);
}

/* Holds rows of a plane that are being copied to pinned memory. */
struct upload_strip {
    uint8_t *to;
    const kst_plane *plane;
    size_t pitch, row;
    uint32_t rows;
    const struct j2k_gpu_encode_item *item;
    uint32_t index; /* index of the plane */
    atomic_bool *missed;
};

static void bring_row(const struct upload_strip *strip, uint32_t y)
{
    const struct j2k_gpu_encode_item *item = strip->item;
    if (!atomic_load_explicit(strip->missed, memory_order_relaxed) &&
        !item->rows->read(item->rows->user, strip->index, item->corner[strip->index].x,
            item->corner[strip->index].y + y, strip->plane->width, strip->to + y * strip->pitch))
        atomic_store(strip->missed, true);
}

static void stage_strip(void *arg, uint32_t index)
{
    const struct upload_strip *strip = arg;
    uint32_t first = index * strip->rows, left = strip->plane->height - first;
    for (uint32_t y = first; y < first + (left < strip->rows ? left : strip->rows); y++)
        if (strip->item->rows)
            bring_row(strip, y);
        else
            memcpy(strip->to + y * strip->pitch,
                (const uint8_t *)strip->plane->data + (ptrdiff_t)y * strip->plane->pitch, strip->row);
}

static void upload_plane(struct j2k_gpu_encode_job *job, uint32_t index, uint32_t p)
{
    enum { STRIP = 1 << 20 };
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    const struct j2k_gpu_encode_item *item = &job->items[index];
    const struct j2k_gpu_plane_place *place = &job->part.place[index].plane[p];
    const kst_plane *plane = kst_image_plane(item->image, p);
    size_t row = row_length(item->image, plane), at = place->at, pitch = place->pitch;
    if (row == 0 || plane->height == 0) /* an excerpt may have no samples of this component */
        return;
    if (item->source != GPU_SOURCE_STAGED) {
        struct gpu_rows there = {&job->buffer[CODING_PIXELS], at, pitch};
        kst_gpu_plane_read(job->queue, there, item->image, &item->planes, p);
        return;
    }
    struct upload_strip strip = {.to = job->buffer[CODING_HOST_PIXELS].host + at,
        .plane = plane,
        .pitch = pitch,
        .row = row,
        .rows = (uint32_t)(STRIP / row + 1),
        .item = item,
        .index = p,
        .missed = &job->missed};
    kst_pool_run(job->runtime->threads, (plane->height + strip.rows - 1) / strip.rows, stage_strip, &strip);
    backend->copy(job->queue, &job->buffer[CODING_PIXELS], at, &job->buffer[CODING_HOST_PIXELS], at,
        pitch * (plane->height - 1) + row);
}

/* Return whether the kernels read pixels from where they are. */
static bool is_there(const struct j2k_gpu_encode_item *item)
{
    return item->picture.in_place || item->components;
}

void kst_j2k_gpu_encode_upload(struct j2k_gpu_encode_job *job)
{
    kst_j2k_gpu_encode_record(job, CODING_BEFORE);
    kst_j2k_gpu_work(&job->part, job->runtime->threads, (uint32_t *)(void *)job->buffer[CODING_HOST_WORK].host);
    job->runtime->gpu->backend->copy(
        job->queue, &job->buffer[CODING_WORK], 0, &job->buffer[CODING_HOST_WORK], 0, job->part.words * 4ULL);
    for (uint32_t i = 0; i < job->count; i++)
        for (uint32_t p = 0; !is_there(&job->items[i]) && p < job->items[i].image->plane_count; p++)
            upload_plane(job, i, p);
    kst_j2k_gpu_encode_record(job, CODING_AFTER_UPLOAD);
}

static void launch_over(
    struct j2k_gpu_encode_job *job, enum j2k_gpu_encode_kernel kernel, const struct j2k_gpu_launch *over)
{
    struct gpu_argument arguments[6] = {{.buffer = &job->buffer[CODING_WORK]}};
    uint32_t count = 1;
    if (kernel >= J2K_ENCODE_TAKE_IN && kernel <= J2K_ENCODE_BEGIN_97)
        arguments[count++] = (struct gpu_argument){
            .buffer = job->items->components ? job->items->components : &job->buffer[CODING_PIXELS]};
    arguments[count++] = (struct gpu_argument){.buffer = &job->buffer[CODING_SAMPLES], .bytes = over->bytes};
    arguments[count++] = (struct gpu_argument){.value = over->list};
    arguments[count++] = (struct gpu_argument){.value = over->count};
    arguments[count++] = (struct gpu_argument){.value = over->first};
    kst_gpu_launch(job->queue, job->built, kernel, over->groups, arguments, count);
}

/* Return the encoder's kernel that reverses a decoder's kernel. */
static enum j2k_gpu_encode_kernel reverse_of(uint32_t kernel)
{
    switch (kernel) {
    case J2K_KERNEL_PUT_OUT:
        return J2K_ENCODE_TAKE_IN;
    case J2K_KERNEL_FINISH_53:
        return J2K_ENCODE_BEGIN_53;
    case J2K_KERNEL_FINISH_97:
        return J2K_ENCODE_BEGIN_97;
    case J2K_KERNEL_SYNTHESISE_53:
        return J2K_ENCODE_ANALYSE_53;
    default:
        return J2K_ENCODE_ANALYSE_97;
    }
}

/*
 * Launch the forward transform. The part lists the launches as a decoder makes them: its outputs become inputs, and its
 * levels are taken in reverse order.
 */
static void transform(struct j2k_gpu_encode_job *job)
{
    const struct j2k_gpu_part *part = &job->part;
    for (uint32_t i = part->launches; i-- > 0;)
        launch_over(job, reverse_of(part->launch[i].kernel), &part->launch[i]);
    kst_j2k_gpu_encode_record(job, CODING_AFTER_TRANSFORM);
    job->runtime->gpu->backend->flush(job->queue);
}

/*
 * Transform the parts of a batch one after the other, so that the host has work for the first part while others are
 * transformed; and transform all parts before the blocks of the first one are modelled, so that the host finishes the
 * last part in time. A part does not wait for pictures that wait for a caller's stream, since that stream may wait for
 * this part.
 */
void kst_j2k_gpu_encode_transform(struct j2k_gpu_encode_job *job)
{
    struct gpu_runtime *runtime = job->runtime;
    struct j2k_gpu_encoding_state *state = j2k_gpu_encode_state(job);
    if (job->waits) {
        transform(job);
        return;
    }
    kst_j2k_gpu_encode_hurry(job);
    pthread_mutex_lock(&runtime->lock);
    if (state->transformed)
        runtime->gpu->backend->wait(job->queue, state->transformed);
    transform(job);
    state->transformed = &job->track->event[CODING_AFTER_TRANSFORM];
    pthread_mutex_unlock(&runtime->lock);
}
