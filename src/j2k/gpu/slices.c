/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uploads the slices of volumes to a device, unless they are already there, transforms them along z, and finds out how
 * many bits their coefficients have. The volumes of a list take one upload, and one launch for each buffer that they
 * lie in.
 */
#include "j2k/gpu/slices.h"

#include <string.h>

#include "device/float_bits.h"
#include "device/pinned.h"
#include "image/location.h"
#include "j2k/gpu/modules.h"
#include "j2k/kernels/encode_work.h"

enum {
    ALIGNMENT = 16,       /* bytes, for the planes in the buffer of pixels, and for staged slices */
    SAMPLE_BYTES = 32,    /* bytes that encoding takes for a sample, including slices and components */
    MOST_PLACES = 1 << 30 /* words of components that offsets can reach */
};

enum slices_buffer { HOST_WORK, HOST_SLICES, HOST_FOUND, WORK, SLICES, COMPONENTS, FOUND, BUFFERS };

#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

_Static_assert(sizeof(struct j2k_work_slices) == 96 && sizeof(struct j2k_work_found_slices) == 16, "as in the kernels");

/* Describes volumes that are being transformed. */
struct slices_job {
    struct gpu_runtime *runtime;
    struct j2k_gpu_slices *slices;
    uint32_t count;
    const struct gpu_built *built;
    struct gpu_track *track;
    size_t *staged;                     /* where each volume lies in the upload; its rows have no gaps */
    bool *pinned;                       /* the volume is copied from the caller's memory */
    size_t slices_bytes, words;         /* bytes of the upload, and words of the work */
    size_t staging, components;         /* bytes of the staged volumes, which come first, and of all components */
    uint32_t *first_slice, slice_count; /* staged slices: the first of each volume, and the number of all */
    struct gpu_buffer buffer[BUFFERS];
};

static size_t round_up(size_t length)
{
    return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t pitch_of(const kst_volume *volume)
{
    return round_up((size_t)volume->width * sizeof(int32_t));
}

static size_t row_of(const kst_volume *volume)
{
    return (size_t)volume->width * kst_volume_sample_bytes(volume);
}

static size_t bytes_of(const kst_volume *volume)
{
    return row_of(volume) * volume->height * volume->depth;
}

uint64_t kst_j2k_gpu_slices_memory(const kst_volume *v)
{
    const uint64_t area = (uint64_t)pitch_of(v) / sizeof(int32_t) * v->height;
    return area > MOST_PLACES / v->depth ? UINT64_MAX : area * v->depth * SAMPLE_BYTES;
}

bool kst_j2k_gpu_slices_fit(const struct gpu_runtime *runtime, uint64_t bytes, uint64_t limit)
{
    const uint64_t memory = runtime->gpu->info.memory, words = bytes / SAMPLE_BYTES;
    return bytes <= limit && (memory == 0 || bytes <= memory) && words <= MOST_PLACES &&
           words * sizeof(int32_t) <= runtime->gpu->largest;
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

static bool is_there(const struct j2k_gpu_slices *slices)
{
    return kst_memory_is_device(slices->volume->memory);
}

/* Place all volumes: in the upload, with the staged volumes first, and in the components. */
static void place(struct slices_job *job)
{
    job->words = 0;
    for (uint32_t i = 0; i < job->count; i++) {
        struct j2k_gpu_slices *s = &job->slices[i];
        const kst_volume *v = s->volume;
        const bool whole = v->pitch == row_of(v) && v->slice_pitch == v->pitch * v->height;
        s->at = job->components;
        job->components += pitch_of(v) * v->height * v->depth;
        job->words += WORDS(struct j2k_work_slices) + 1 + v->depth;
        job->pinned[i] = whole && !is_there(s) && kst_gpu_is_pinned(job->runtime, v->data, bytes_of(v));
        job->first_slice[i] = job->slice_count;
        if (is_there(s) || job->pinned[i])
            continue;
        job->staged[i] = job->staging;
        job->staging += round_up(bytes_of(v));
        job->slice_count += v->depth;
    }
    job->slices_bytes = job->staging;
    for (uint32_t i = 0; i < job->count; i++)
        if (job->pinned[i]) {
            job->staged[i] = job->slices_bytes;
            job->slices_bytes += round_up(bytes_of(job->slices[i].volume));
        }
}

static void put_pair(uint32_t to[2], uint64_t value)
{
    to[0] = (uint32_t)value;
    to[1] = (uint32_t)(value >> 32);
}

static struct j2k_work_slices describe(const struct slices_job *job, uint32_t index, uint32_t slot)
{
    const struct j2k_gpu_slices *s = &job->slices[index];
    const kst_volume *v = s->volume;
    const size_t pitch = pitch_of(v) / sizeof(uint32_t);
    struct j2k_work_slices to = {.width = v->width,
        .height = v->height,
        .slices = v->depth,
        .levels = s->wavelet->levels,
        .depth = v->bits,
        .is_signed = v->is_signed,
        .bytes = kst_volume_sample_bytes(v),
        .absolute = is_there(s) && kst_memory_has_addresses(v->memory),
        .row = (uint32_t)(is_there(s) ? v->pitch : row_of(v)),
        .to = (uint32_t)(s->at / sizeof(uint32_t)),
        .pitch = (uint32_t)pitch,
        .step = (uint32_t)(pitch * v->height),
        .slot = slot,
        .found = index * WORDS(struct j2k_work_found_slices),
        .numbers = v->sample != KST_SAMPLE_INTEGER,
        .add = gpu_float_bits(s->add),
        .inverse = gpu_float_bits(1 / s->scale),
        .scale = gpu_float_bits(s->scale),
        .error = gpu_float_bits(s->error)};
    put_pair(to.slice, is_there(s) ? v->slice_pitch : row_of(v) * v->height);
    put_pair(to.from, !is_there(s)  ? job->staged[index]
                      : to.absolute ? s->image.buffer[0].handle + s->image.offset[0]
                                    : s->image.offset[0]);
    return to;
}

/* Write the records, and behind the list of first work-groups the slots. */
static void write_work(const struct slices_job *job)
{
    uint32_t *work = (uint32_t *)(void *)job->buffer[HOST_WORK].host;
    struct j2k_work_slices *record = (struct j2k_work_slices *)(void *)work;
    uint32_t at = job->count * (WORDS(struct j2k_work_slices) + 1);
    for (uint32_t i = 0; i < job->count; i++) {
        const uint32_t depth = job->slices[i].volume->depth;
        record[i] = describe(job, i, at);
        for (uint32_t z = 0; z < depth; z++)
            work[at++] = slot_of(&job->slices[i], z);
    }
}

/* Copy a slice to pinned memory, without gaps between rows. */
static void stage_slice(void *argument, uint32_t index)
{
    const struct slices_job *job = argument;
    uint32_t low = 0, high = job->count;
    while (high - low > 1) { /* the last volume that begins there or before; those that are not staged have no slices */
        const uint32_t middle = low + (high - low) / 2;
        *(job->first_slice[middle] <= index ? &low : &high) = middle;
    }
    const kst_volume *v = job->slices[low].volume;
    const size_t row = row_of(v), z = index - job->first_slice[low];
    uint8_t *to = job->buffer[HOST_SLICES].host + job->staged[low] + z * v->height * row;
    const uint8_t *from = (const uint8_t *)v->data + z * v->slice_pitch;
    for (uint32_t y = 0; y < v->height; y++)
        memcpy(to + y * row, from + y * v->pitch, row);
}

static bool take_buffers(struct slices_job *job, struct gpu_error *error)
{
    const size_t found = job->count * sizeof(struct j2k_work_found_slices);
    const size_t length[BUFFERS] = {[HOST_WORK] = job->words * sizeof(uint32_t),
        [HOST_SLICES] = job->staging > 0 ? job->staging : 1,
        [HOST_FOUND] = found,
        [WORK] = job->words * sizeof(uint32_t),
        [SLICES] = job->slices_bytes > 0 ? job->slices_bytes : ALIGNMENT,
        [COMPONENTS] = job->components,
        [FOUND] = found};
    for (int i = 0; i < BUFFERS; i++)
        if (!kst_gpu_pool_take(
                &job->runtime->pool, i <= HOST_FOUND ? GPU_PINNED : GPU_DEVICE, length[i], &job->buffer[i], error))
            return false;
    return true;
}

/* Upload slices that are not on the device. */
static void bring_slices(const struct slices_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    struct gpu_queue *queue = &job->track->queue;
    kst_pool_run(job->runtime->threads, job->slice_count, stage_slice, (void *)job);
    if (job->staging > 0)
        backend->copy(queue, &job->buffer[SLICES], 0, &job->buffer[HOST_SLICES], 0, job->staging);
    for (uint32_t i = 0; i < job->count; i++)
        if (job->pinned[i]) {
            const struct gpu_buffer from = kst_gpu_host(job->slices[i].volume->data, SIZE_MAX);
            backend->copy(queue, &job->buffer[SLICES], job->staged[i], &from, 0, bytes_of(job->slices[i].volume));
        }
}

/* Return the buffer that a volume's samples are read from. */
static const struct gpu_buffer *source_of(const struct slices_job *job, uint32_t index)
{
    const struct j2k_gpu_slices *s = &job->slices[index];
    return is_there(s) && !kst_memory_has_addresses(s->volume->memory) ? &s->image.buffer[0] : &job->buffer[SLICES];
}

static uint32_t groups_of(const struct slices_job *job, uint32_t index)
{
    const kst_volume *v = job->slices[index].volume;
    return (uint32_t)(((uint64_t)v->width * v->height + J2K_SLICES_GROUP - 1) / J2K_SLICES_GROUP);
}

/* Return whether a volume is in the same launch as the volume before it. */
static bool joins(const struct slices_job *job, uint32_t index)
{
    return index > 0 && source_of(job, index)->handle == source_of(job, index - 1)->handle;
}

/* Write the index of each volume's first work-group in its launch. */
static void write_groups(const struct slices_job *job)
{
    uint32_t *list = (uint32_t *)(void *)job->buffer[HOST_WORK].host + job->count * WORDS(struct j2k_work_slices);
    for (uint32_t i = 0; i < job->count; i++)
        list[i] = joins(job, i) ? list[i - 1] + groups_of(job, i - 1) : 0;
}

/*
 * Launch the kernel for the volumes from `first` on that lie in the same buffer. Returns the index of the first volume
 * behind them.
 */
static uint32_t launch(const struct slices_job *job, uint32_t first)
{
    uint64_t bytes = 0;
    uint32_t end = first, groups = 0;
    for (; end < job->count && (end == first || joins(job, end)); end++) {
        groups += groups_of(job, end);
        bytes += bytes_of(job->slices[end].volume);
    }
    const struct gpu_argument arguments[] = {{.buffer = &job->buffer[WORK]},
        {.buffer = source_of(job, first), .bytes = bytes}, {.buffer = &job->buffer[COMPONENTS]},
        {.buffer = &job->buffer[FOUND]}, {.value = job->count * WORDS(struct j2k_work_slices) + first},
        {.value = end - first}, {.value = first * WORDS(struct j2k_work_slices)}};
    kst_gpu_launch(&job->track->queue, job->built,
        job->slices->wavelet->reversible ? J2K_ENCODE_COLUMNS_53 : J2K_ENCODE_COLUMNS_97, groups, arguments, 7);
    return end;
}

/* Queue all steps, and wait for them. */
static void run(const struct slices_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    struct gpu_queue *queue = &job->track->queue;
    const size_t found = job->count * sizeof(struct j2k_work_found_slices);
    write_work(job);
    write_groups(job);
    backend->copy(queue, &job->buffer[WORK], 0, &job->buffer[HOST_WORK], 0, job->words * sizeof(uint32_t));
    backend->fill(queue, &job->buffer[FOUND], 0, found, 0);
    bring_slices(job);
    for (uint32_t i = 0; i < job->count;)
        i = launch(job, i);
    backend->copy(queue, &job->buffer[HOST_FOUND], 0, &job->buffer[FOUND], 0, found);
    backend->finish(queue);
}

static uint64_t sample_of(uint32_t word)
{
    return word == 0 ? J2K_NO_SAMPLE : ~word;
}

static void read_found(const struct slices_job *job)
{
    const struct j2k_work_found_slices *found =
        (const struct j2k_work_found_slices *)(const void *)job->buffer[HOST_FOUND].host;
    for (uint32_t i = 0; i < job->count; i++) {
        job->slices[i].most = found[i].most;
        job->slices[i].infinite = sample_of(found[i].infinite);
        job->slices[i].too_far = sample_of(found[i].too_far);
    }
}

static bool take_lists(struct slices_job *job, struct gpu_error *error)
{
    struct memory *memory = job->runtime->gpu->memory;
    job->staged = kst_memory_zeroed(memory, job->count, sizeof *job->staged, &error->status);
    job->pinned = kst_memory_zeroed(memory, job->count, sizeof *job->pinned, &error->status);
    job->first_slice = kst_memory_zeroed(memory, job->count, sizeof *job->first_slice, &error->status);
    return !error->status;
}

bool kst_j2k_gpu_slices_analyse(struct gpu_runtime *runtime, struct j2k_gpu_slices *slices, uint32_t count,
    struct gpu_buffer *components, struct gpu_error *error)
{
    struct slices_job job = {.runtime = runtime, .slices = slices, .count = count};
    struct memory *memory = runtime->gpu->memory;
    *error = (struct gpu_error){.status = KST_OK};
    bool good = take_lists(&job, error);
    if (good)
        place(&job);
    job.built = good ? kst_gpu_runtime_build(runtime, &kst_j2k_gpu_encoding, error) : NULL;
    job.track = job.built ? kst_gpu_track_take(runtime, error) : NULL;
    good = job.track && take_buffers(&job, error);
    if (good) {
        run(&job);
        *error = job.track->queue.error;
        good = !error->status;
    }
    if (good) {
        read_found(&job);
        *components = job.buffer[COMPONENTS];
        job.buffer[COMPONENTS] = (struct gpu_buffer){.length = 0};
    }
    for (int i = 0; i < BUFFERS; i++)
        kst_gpu_pool_give(&runtime->pool, &job.buffer[i]);
    kst_gpu_track_give(runtime, job.track);
    kst_memory_release(memory, job.staged);
    kst_memory_release(memory, job.pinned);
    kst_memory_release(memory, job.first_slice);
    return good;
}
