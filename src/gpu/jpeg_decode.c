/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/jpeg_decode.h"

enum job_buffer {
    HOST_WORK, /* the first are pinned */
    HOST_STREAM,
    HOST_RESULT, /* damage, pixels, and planes where any picture is raw */
    WORK,
    STREAM,
    BYTES,  /* without stuffing */
    RANKS,  /* of every sixteenth byte of the stream among those */
    CHUNKS, /* bytes kept of each chunk */
    PARTS,
    GROUPS,
    PLACES,
    COEFFICIENTS,
    PLANES,
    PIXELS,
    DAMAGE,
    JOB_BUFFERS
};

/* Words of a part and of a group of parts, see kernels/jpeg_entropy.h. */
enum { PART_LISTS = 2 + WORK_COMPONENTS, GROUP_LISTS = 4 + WORK_COMPONENTS, PLACE_LISTS = 1 + WORK_COMPONENTS };

/* Lists of groups' states that a round of joining reads. */
enum { FIRST_LIST = 1, SECOND_LIST = 2 };

enum event { BEFORE, AFTER_UPLOAD, AFTER_KERNEL, AFTER_ALL = AFTER_KERNEL + JPEG_KERNELS };

struct job {
    struct gpu_executor *executor;
    const struct jpeg_gpu_item *items;
    uint32_t count;
    struct jpeg_gpu_size size;
    size_t damage_length, pixels_length, planes_length; /* bytes of the result */
    struct gpu_lane *lane;
    struct gpu_buffer buffer[JOB_BUFFERS];
    bool detail;
};

static bool take_buffers(struct job *job, struct gpu_error *error)
{
    const struct jpeg_gpu_size *size = &job->size;
    uint64_t part_words = size->groups[WORK_OF_PARTS] * WORK_PARTS;
    const uint64_t length[JOB_BUFFERS] = {
        [HOST_WORK] = size->words * 4,
        [HOST_STREAM] = size->stream * 16,
        [HOST_RESULT] = job->damage_length + job->pixels_length + job->planes_length,
        [WORK] = size->words * 4,
        [STREAM] = size->stream * 16,
        [BYTES] = size->stream * 16,
        [RANKS] = size->stream * 4,
        [CHUNKS] = size->groups[WORK_OF_CHUNKS] * 4,
        [PARTS] = part_words * PART_LISTS * 4,
        [GROUPS] = size->groups[WORK_OF_PARTS] * GROUP_LISTS * 4,
        [PLACES] = part_words * PLACE_LISTS * 4,
        [COEFFICIENTS] = size->blocks * 128,
        [PLANES] = size->planes * 8,
        [PIXELS] = size->pixels * 16,
        [DAMAGE] = job->damage_length,
    };
    for (int i = 0; i < JOB_BUFFERS; i++)
        if (!kst_gpu_pool_take(&job->executor->pool, i <= HOST_RESULT ? GPU_PINNED : GPU_DEVICE, (size_t)length[i],
                &job->buffer[i], error))
            return false;
    return true;
}

static void give_buffers(struct job *job)
{
    for (int i = 0; i < JOB_BUFFERS; i++)
        kst_gpu_pool_give(&job->executor->pool, &job->buffer[i]);
}

static void launch(struct job *job, enum jpeg_kernel kernel, uint64_t groups, const enum job_buffer *buffers,
    uint32_t count, uint32_t value)
{
    struct gpu_argument arguments[JOB_BUFFERS + 1];
    const struct gpu_backend *backend = job->executor->gpu->backend;
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = (struct gpu_argument){.buffer = &job->buffer[buffers[i]]};
    if (value)
        arguments[count] = (struct gpu_argument){.value = value};
    backend->launch(
        &job->lane->queue, &job->executor->kernel[kernel], (uint32_t)groups, arguments, value ? count + 1 : count);
    if (job->detail || kernel == JPEG_WRITE_BLOCKS || kernel == JPEG_CONVERT_PIXELS)
        backend->record(&job->lane->queue, &job->lane->event[AFTER_KERNEL + kernel]);
}

#define LAUNCH(kernel, groups, value, ...)                                                                             \
    launch(job, kernel, groups, (const enum job_buffer[]){__VA_ARGS__},                                                \
        sizeof((const enum job_buffer[]){__VA_ARGS__}) / sizeof(enum job_buffer), value)

static void run_entropy(struct job *job)
{
    uint64_t chunks = job->size.groups[WORK_OF_CHUNKS], parts = job->size.groups[WORK_OF_PARTS];
    LAUNCH(JPEG_COUNT_KEPT, chunks, 0, WORK, STREAM, CHUNKS, DAMAGE);
    LAUNCH(JPEG_REMOVE_STUFFING, chunks, 0, WORK, STREAM, CHUNKS, RANKS, BYTES);
    LAUNCH(JPEG_DECODE_GUESSES, parts, 0, WORK, STREAM, RANKS, BYTES, PARTS, GROUPS);
    LAUNCH(JPEG_JOIN_GROUPS, parts, FIRST_LIST, WORK, STREAM, RANKS, BYTES, PARTS, GROUPS);
    LAUNCH(JPEG_SETTLE_PICTURES, job->count, SECOND_LIST, WORK, STREAM, RANKS, BYTES, PARTS, GROUPS);
    LAUNCH(JPEG_PLACE_PARTS, parts, 0, WORK, PARTS, GROUPS, PLACES);
    LAUNCH(JPEG_CLEAR_BLOCKS, (job->size.blocks * 128 + WORK_CLEAR - 1) / WORK_CLEAR, (uint32_t)(job->size.blocks * 8),
        COEFFICIENTS);
    LAUNCH(JPEG_WRITE_BLOCKS, parts, 0, WORK, STREAM, RANKS, BYTES, PARTS, PLACES, COEFFICIENTS, DAMAGE);
}

static void run(struct job *job)
{
    const struct gpu_backend *backend = job->executor->gpu->backend;
    struct gpu_queue *queue = &job->lane->queue;
    struct gpu_buffer *buffer = job->buffer;
    backend->record(queue, &job->lane->event[BEFORE]);
    backend->copy(queue, &buffer[WORK], 0, &buffer[HOST_WORK], 0, (size_t)job->size.words * 4);
    backend->copy(queue, &buffer[STREAM], 0, &buffer[HOST_STREAM], 0, (size_t)job->size.stream * 16);
    backend->record(queue, &job->lane->event[AFTER_UPLOAD]);
    run_entropy(job);
    LAUNCH(JPEG_TRANSFORM_BLOCKS, job->size.groups[WORK_OF_BLOCKS], 0, WORK, COEFFICIENTS, PLANES);
    LAUNCH(JPEG_CONVERT_PIXELS, job->size.groups[WORK_OF_PIXELS], 0, WORK, PLANES, PIXELS);
    size_t at = job->damage_length;
    backend->copy(queue, &buffer[HOST_RESULT], 0, &buffer[DAMAGE], 0, job->damage_length);
    backend->copy(queue, &buffer[HOST_RESULT], at, &buffer[PIXELS], 0, job->pixels_length);
    backend->copy(queue, &buffer[HOST_RESULT], at + job->pixels_length, &buffer[PLANES], 0, job->planes_length);
    backend->record(queue, &job->lane->event[AFTER_ALL]);
    backend->finish(queue);
}

static void read_times(const struct job *job, struct jpeg_gpu_times *times)
{
    struct gpu *gpu = job->executor->gpu;
    const struct gpu_event *event = job->lane->event;
    const struct gpu_event *after_entropy = &event[AFTER_KERNEL + JPEG_WRITE_BLOCKS];
    const struct gpu_event *after_pixels = &event[AFTER_KERNEL + JPEG_CONVERT_PIXELS];
    double (*elapsed)(struct gpu *, const struct gpu_event *, const struct gpu_event *) = gpu->backend->elapsed;
    *times = (struct jpeg_gpu_times){.upload = elapsed(gpu, &event[BEFORE], &event[AFTER_UPLOAD]),
        .entropy = elapsed(gpu, &event[AFTER_UPLOAD], after_entropy),
        .pixels = elapsed(gpu, after_entropy, after_pixels),
        .download = elapsed(gpu, after_pixels, &event[AFTER_ALL])};
    for (int i = 0; job->detail && i < JPEG_KERNELS; i++)
        times->kernel[i] = elapsed(gpu, &event[AFTER_UPLOAD + i], &event[AFTER_KERNEL + i]);
}

static void fetch(const struct job *job, struct jpeg_gpu_damage *damage)
{
    const uint8_t *result = job->buffer[HOST_RESULT].host;
    const uint32_t *work = (const uint32_t *)(const void *)job->buffer[HOST_WORK].host;
    const uint32_t *counts = (const uint32_t *)(const void *)result;
    const uint8_t *pixels = result + job->damage_length, *planes = pixels + job->pixels_length;
    for (uint32_t i = 0; i < job->count; i++, counts += WORK_DAMAGE) {
        damage[i] = (struct jpeg_gpu_damage){.ended = counts[0], .invalid = counts[1], .surplus = counts[2]};
        kst_gpu_jpeg_fetch(&job->items[i], kst_gpu_jpeg_picture(work, i), pixels, planes);
    }
}

static void measure(struct job *job)
{
    job->size = kst_gpu_jpeg_size(job->items, job->count);
    job->damage_length = (size_t)job->count * WORK_DAMAGE * 4;
    job->pixels_length = (size_t)job->size.pixels * 16;
    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].output.conversion == JPEG_CONVERT_RAW)
            job->planes_length = (size_t)job->size.planes * 8;
}

kst_status kst_gpu_jpeg_decode(struct gpu_executor *executor, const struct jpeg_gpu_item *items, uint32_t count,
    bool detail, struct jpeg_gpu_damage *damage, struct jpeg_gpu_times *times, struct gpu_error *error)
{
    struct job job = {.executor = executor, .items = items, .count = count, .detail = detail};
    measure(&job);
    *error = (struct gpu_error){.status = KST_OK};
    job.lane = kst_gpu_lane_take(executor, error);
    if (job.lane && take_buffers(&job, error)) {
        kst_gpu_jpeg_work(
            items, count, &job.size, (uint32_t *)(void *)job.buffer[HOST_WORK].host, job.buffer[HOST_STREAM].host);
        run(&job);
        *error = job.lane->queue.error;
        if (!error->status)
            fetch(&job, damage);
        if (!error->status)
            read_times(&job, times);
    }
    give_buffers(&job);
    kst_gpu_lane_give(executor, job.lane);
    return error->status;
}
