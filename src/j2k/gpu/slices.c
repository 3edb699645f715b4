/* SPDX-License-Identifier: BSD-2-Clause */
/* Uploads the slices of a volume, transforms them along z, and finds out how many bits their coefficients have. */
#include "j2k/gpu/slices.h"

#include <string.h>

#include "j2k/gpu/modules.h"
#include "j2k/kernels/encode_work.h"

enum {
    ROW_ALIGNMENT = 16,   /* bytes, as of planes in the buffer of pixels */
    SAMPLE_BYTES = 32,    /* that encoding takes for a sample, slices and components included */
    MOST_PLACES = 1 << 30 /* words that offsets of components reach */
};

enum slices_buffer { HOST_WORK, HOST_SLICES, WORK, SLICES, COMPONENTS, MOST, BUFFERS };

/* Describes slices that are being transformed. */
struct slices_job {
    struct gpu_runtime *runtime;
    const struct j2k_gpu_slices *slices;
    const struct gpu_built *built;
    struct gpu_track *track;
    size_t row, pitch, words; /* bytes of a row of a slice and of a component, and words of the work */
    struct gpu_buffer buffer[BUFFERS];
};

static size_t pitch_of(const kst_volume *volume)
{
    return ((size_t)volume->width * sizeof(int32_t) + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

bool kst_j2k_gpu_slices_fit(const struct gpu_runtime *runtime, const struct j2k_gpu_slices *slices, uint64_t limit)
{
    const kst_volume *v = slices->volume;
    const uint64_t area = (uint64_t)pitch_of(v) / sizeof(int32_t) * v->height, memory = runtime->gpu->info.memory;
    if (area > MOST_PLACES / v->depth)
        return false;
    const uint64_t samples = area * v->depth, bytes = samples * SAMPLE_BYTES;
    return bytes <= limit && (memory == 0 || bytes <= memory) && samples * sizeof(int32_t) <= runtime->gpu->largest;
}

/* Return the component in whose place the rows of a slice lie, and so where they are transformed. */
static uint32_t slot_of(const struct j2k_gpu_slices *slices, uint32_t slice)
{
    uint32_t position = slice, n = 0;
    while (n < slices->wavelet->levels && position % 2 == 0) {
        position /= 2;
        n++;
    }
    return n == slices->wavelet->levels ? kst_j2k_z_component(slices->layout, n, 0, position)
                                        : kst_j2k_z_component(slices->layout, n + 1, 1, position / 2);
}

static void write_work(const struct slices_job *job)
{
    const kst_volume *v = job->slices->volume;
    uint32_t *work = (uint32_t *)(void *)job->buffer[HOST_WORK].host;
    const struct j2k_work_slices head = {.width = v->width,
        .height = v->height,
        .slices = v->depth,
        .levels = job->slices->wavelet->levels,
        .depth = v->bits,
        .is_signed = v->is_signed,
        .bytes = kst_volume_sample_bytes(v),
        .pitch = (uint32_t)(job->pitch / sizeof *work),
        .step = (uint32_t)(job->pitch / sizeof *work * v->height)};
    memcpy(work, &head, sizeof head);
    for (uint32_t z = 0; z < v->depth; z++)
        work[sizeof head / sizeof *work + z] = slot_of(job->slices, z);
}

/* Copy a slice to pinned memory, where rows have no gaps. */
static void stage_slice(void *argument, uint32_t z)
{
    const struct slices_job *job = argument;
    const kst_volume *v = job->slices->volume;
    uint8_t *to = job->buffer[HOST_SLICES].host + (size_t)z * v->height * job->row;
    const uint8_t *from = (const uint8_t *)v->data + z * v->slice_pitch;
    for (uint32_t y = 0; y < v->height; y++)
        memcpy(to + y * job->row, from + y * v->pitch, job->row);
}

static bool take_buffers(struct slices_job *job, struct gpu_error *error)
{
    const kst_volume *v = job->slices->volume;
    const size_t rows = (size_t)v->height * v->depth;
    const size_t length[BUFFERS] = {[HOST_WORK] = job->words * sizeof(uint32_t),
        [HOST_SLICES] = rows * job->row,
        [WORK] = job->words * sizeof(uint32_t),
        [SLICES] = rows * job->row,
        [COMPONENTS] = rows * job->pitch,
        [MOST] = sizeof(uint32_t)};
    for (int i = 0; i < BUFFERS; i++)
        if (!kst_gpu_pool_take(
                &job->runtime->pool, i <= HOST_SLICES ? GPU_PINNED : GPU_DEVICE, length[i], &job->buffer[i], error))
            return false;
    return true;
}

/* Queue all steps and wait for them. The result comes back to the first word of the work's pinned copy. */
static void run(struct slices_job *job)
{
    const kst_volume *v = job->slices->volume;
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    struct gpu_queue *queue = &job->track->queue;
    const uint64_t columns = (uint64_t)v->width * v->height;
    write_work(job);
    backend->copy(queue, &job->buffer[WORK], 0, &job->buffer[HOST_WORK], 0, job->words * sizeof(uint32_t));
    backend->fill(queue, &job->buffer[MOST], 0, sizeof(uint32_t), 0);
    kst_pool_run(job->runtime->threads, v->depth, stage_slice, job);
    backend->copy(
        queue, &job->buffer[SLICES], 0, &job->buffer[HOST_SLICES], 0, (size_t)v->height * v->depth * job->row);
    kst_gpu_launch_buffers(queue, job->built,
        job->slices->wavelet->reversible ? J2K_ENCODE_COLUMNS_53 : J2K_ENCODE_COLUMNS_97,
        (uint32_t)((columns + J2K_SLICES_GROUP - 1) / J2K_SLICES_GROUP), job->buffer,
        GPU_BUFFERS(WORK, SLICES, COMPONENTS, MOST));
    backend->copy(queue, &job->buffer[HOST_WORK], 0, &job->buffer[MOST], 0, sizeof(uint32_t));
    backend->finish(queue);
}

bool kst_j2k_gpu_slices_analyse(struct gpu_runtime *runtime, const struct j2k_gpu_slices *slices,
    struct gpu_buffer *components, uint32_t *most, struct gpu_error *error)
{
    struct slices_job job = {.runtime = runtime,
        .slices = slices,
        .row = (size_t)slices->volume->width * kst_volume_sample_bytes(slices->volume),
        .pitch = pitch_of(slices->volume),
        .words = sizeof(struct j2k_work_slices) / sizeof(uint32_t) + slices->volume->depth};
    *error = (struct gpu_error){.status = KST_OK};
    job.built = kst_gpu_runtime_build(runtime, &kst_j2k_gpu_encoding, error);
    job.track = job.built ? kst_gpu_track_take(runtime, error) : NULL;
    bool good = job.track && take_buffers(&job, error);
    if (good) {
        run(&job);
        *error = job.track->queue.error;
        good = !error->status;
    }
    if (good) {
        memcpy(most, job.buffer[HOST_WORK].host, sizeof *most);
        *components = job.buffer[COMPONENTS];
        job.buffer[COMPONENTS] = (struct gpu_buffer){.length = 0};
    }
    for (int i = 0; i < BUFFERS; i++)
        kst_gpu_pool_give(&runtime->pool, &job.buffer[i]);
    kst_gpu_track_give(runtime, job.track);
    return good;
}
