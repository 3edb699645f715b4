/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/j2k_encode.h"

#include <stdatomic.h>
#include <string.h>

#include "gpu/j2k_encode_list.h"
#include "image/format.h"

enum coding_buffer {
    HOST_WORK, /* the first are pinned */
    HOST_PIXELS,
    WORK,
    PIXELS,
    SAMPLES,
    BUFFERS
};

/* Of one list, given back when it is done, but for what was fetched. */
enum list_buffer { HOST_LIST, HOST_RESULTS, LIST, DECISIONS, PASSES, ORDER, DATA, RESULTS, COLLECTED, LIST_BUFFERS };

_Static_assert(sizeof(struct j2k_gpu_gains) == J2K_GAIN_WORDS * 4, "as the kernels tell them");

enum { DECISIONS_AHEAD = 64 /* bytes behind the last that are loaded, but not looked at */ };

enum event { BEFORE, AFTER_UPLOAD, AFTER_TRANSFORM, BEFORE_BLOCKS, HANDED_OVER, AFTER_BLOCKS, AFTER_DOWNLOAD };

/* What was fetched of a list: outcomes point into it. */
struct fetched {
    struct fetched *next;
    struct gpu_buffer buffer;
};

struct j2k_coding_job {
    struct gpu_executor *executor;
    const struct j2k_encode_item *items;
    uint32_t count;
    struct j2k_gpu_item *picture; /* the items', in a row */
    struct j2k_batch batch;
    struct gpu_lane *lane;
    struct gpu_queue *queue; /* of the lane, at present */
    struct gpu_buffer buffer[BUFFERS];
    struct fetched *fetched;
    atomic_bool missed; /* rows did not come */
    bool timed;         /* upload and transform */
    bool uncoded;       /* as executor->uncoded counts */
    struct j2k_encode_times times;
};

bool kst_gpu_j2k_encodes(const kst_image *image)
{
    bool upwards = false;
    for (uint32_t i = 0; i < image->plane_count; i++) {
        ptrdiff_t pitch = kst_image_plane(image, i)->pitch;
        if (pitch > INT32_MAX || pitch < -INT32_MAX)
            return false;
        upwards = upwards || pitch < 0;
    }
    return !upwards || (image->memory != KST_MEMORY_OPENCL && image->memory != KST_MEMORY_OPENCL_IMAGE);
}

/* Samples with their bands, blocks' states and data, pixels, and what is fetched. */
uint64_t kst_gpu_j2k_encode_memory(const struct j2k_plan *plan)
{
    uint64_t samples = 0, data = 0;
    for (uint32_t i = 0; i < plan->tile_component_count; i++)
        samples += j2k_gpu_area(plan->tile_component[i].rect);
    for (uint32_t b = 0; b < plan->block_count; b++)
        data += kst_gpu_j2k_block_room(plan, &plan->block[b], false) + 2 * sizeof(struct coded_block);
    return 24 * samples + 2 * data;
}

static bool take(struct gpu_executor *executor, enum gpu_place place, uint64_t length, struct gpu_buffer *buffer,
    struct gpu_error *error)
{
    return kst_gpu_pool_take(&executor->pool, place, (size_t)length, buffer, error);
}

static bool any_staged(const struct j2k_coding_job *job)
{
    for (uint32_t i = 0; i < job->count; i++)
        if (job->items[i].source == ENCODE_STAGED)
            return true;
    return false;
}

static bool take_buffers(struct j2k_coding_job *job, struct gpu_error *error)
{
    const struct j2k_batch *batch = &job->batch;
    const uint64_t length[BUFFERS] = {[HOST_WORK] = batch->words * 4ULL,
        [HOST_PIXELS] = any_staged(job) ? batch->pixels : 1,
        [WORK] = batch->words * 4ULL,
        [PIXELS] = batch->pixels + 1,
        [SAMPLES] = batch->samples * 4};
    for (uint32_t i = 0; i < BUFFERS; i++)
        if (!take(job->executor, i <= HOST_PIXELS ? GPU_PINNED : GPU_DEVICE, length[i], &job->buffer[i], error))
            return false;
    return true;
}

static void record(struct j2k_coding_job *job, enum event event)
{
    job->executor->gpu->backend->record(job->queue, &job->lane->event[event]);
}

/* Go on in another queue of the lane, behind what is in the one at present. */
static void change_to(struct j2k_coding_job *job, struct gpu_queue *queue)
{
    if (!queue->handle || job->queue == queue)
        return;
    record(job, HANDED_OVER);
    queue->error = job->queue->error; /* one that failed takes no more work, and what follows needs all of it */
    job->queue = queue;
    job->executor->gpu->backend->wait(queue, &job->lane->event[HANDED_OVER]);
}

/*
 * What has few work-groups, or what the host waits for, goes before the large kernels of other jobs, which would not
 * leave it room; and back to the ordinary queue.
 */
static void hurry(struct j2k_coding_job *job)
{
    change_to(job, &job->lane->urgent);
}

static void calm_down(struct j2k_coding_job *job)
{
    change_to(job, &job->lane->queue);
}

/* Wait for all that was begun: what is in a queue waits for what was in the other one, unless it failed. */
static void finish(struct j2k_coding_job *job)
{
    const struct gpu_backend *backend = job->executor->gpu->backend;
    struct gpu_lane *lane = job->lane;
    backend->finish(job->queue);
    if (job->queue->error.status && lane->urgent.handle)
        backend->finish(job->queue == &lane->urgent ? &lane->queue : &lane->urgent);
}

static size_t row_length(const kst_image *image, const kst_plane *plane)
{
    return (size_t)plane->width * kst_format_samples(image->format) * kst_plane_sample_bytes(plane);
}

/* Rows of a plane on their way to pinned memory. */
struct strip {
    uint8_t *to;
    const kst_plane *plane;
    size_t pitch, row;
    uint32_t rows;
    const struct j2k_encode_item *item;
    uint32_t index; /* of the plane */
    atomic_bool *missed;
};

static void bring_row(const struct strip *strip, uint32_t y)
{
    const struct j2k_encode_item *item = strip->item;
    if (!atomic_load_explicit(strip->missed, memory_order_relaxed) &&
        !item->rows->read(item->rows->user, strip->index, item->corner[strip->index].x,
            item->corner[strip->index].y + y, strip->plane->width, strip->to + y * strip->pitch))
        atomic_store(strip->missed, true);
}

static void stage_strip(void *arg, uint32_t index)
{
    const struct strip *strip = arg;
    uint32_t first = index * strip->rows, left = strip->plane->height - first;
    for (uint32_t y = first; y < first + (left < strip->rows ? left : strip->rows); y++)
        if (strip->item->rows)
            bring_row(strip, y);
        else
            memcpy(strip->to + y * strip->pitch,
                (const uint8_t *)strip->plane->data + (ptrdiff_t)y * strip->plane->pitch, strip->row);
}

static void upload_plane(struct j2k_coding_job *job, uint32_t index, uint32_t p)
{
    enum { STRIP = 1 << 20 };
    const struct gpu_backend *backend = job->executor->gpu->backend;
    const struct j2k_encode_item *item = &job->items[index];
    const struct j2k_plane_place *place = &job->batch.place[index].plane[p];
    const kst_plane *plane = kst_image_plane(item->image, p);
    size_t row = row_length(item->image, plane), at = place->at, pitch = place->pitch;
    if (row == 0 || plane->height == 0) /* a window of others */
        return;
    if (item->source != ENCODE_STAGED) {
        struct gpu_rows there = {&job->buffer[PIXELS], at, pitch};
        kst_gpu_plane_read(job->queue, there, item->image, &item->planes, p);
        return;
    }
    struct strip strip = {.to = job->buffer[HOST_PIXELS].host + at,
        .plane = plane,
        .pitch = pitch,
        .row = row,
        .rows = (uint32_t)(STRIP / row + 1),
        .item = item,
        .index = p,
        .missed = &job->missed};
    kst_pool_run(job->executor->threads, (plane->height + strip.rows - 1) / strip.rows, stage_strip, &strip);
    backend->copy(
        job->queue, &job->buffer[PIXELS], at, &job->buffer[HOST_PIXELS], at, pitch * (plane->height - 1) + row);
}

static void upload(struct j2k_coding_job *job)
{
    record(job, BEFORE);
    kst_gpu_j2k_work(&job->batch, job->executor->threads, (uint32_t *)(void *)job->buffer[HOST_WORK].host);
    job->executor->gpu->backend->copy(
        job->queue, &job->buffer[WORK], 0, &job->buffer[HOST_WORK], 0, job->batch.words * 4ULL);
    for (uint32_t i = 0; i < job->count; i++)
        for (uint32_t p = 0; !job->items[i].picture.in_place && p < job->items[i].image->plane_count; p++)
            upload_plane(job, i, p);
    record(job, AFTER_UPLOAD);
}

static void launch_over(struct j2k_coding_job *job, enum j2k_encode_kernel kernel, const struct j2k_launch *over)
{
    struct gpu_argument arguments[6] = {{.buffer = &job->buffer[WORK]}};
    uint32_t count = 1;
    if (kernel == J2K_ENCODE_TAKE_IN)
        arguments[count++] = (struct gpu_argument){.buffer = &job->buffer[PIXELS]};
    arguments[count++] = (struct gpu_argument){.buffer = &job->buffer[SAMPLES], .bytes = over->bytes};
    arguments[count++] = (struct gpu_argument){.value = over->list};
    arguments[count++] = (struct gpu_argument){.value = over->count};
    arguments[count++] = (struct gpu_argument){.value = over->first};
    job->executor->gpu->backend->launch(job->queue, &job->executor->j2k_encode[kernel], over->groups, arguments, count);
}

/* The batch's launches are a decoder's: what they put out is taken in, and levels go the other way. */
static void transform(struct j2k_coding_job *job)
{
    const struct j2k_batch *batch = &job->batch;
    for (uint32_t i = batch->launches; i-- > 0;) {
        uint32_t kernel = batch->launch[i].kernel;
        launch_over(job,
            kernel == J2K_KERNEL_PUT_OUT         ? J2K_ENCODE_TAKE_IN
            : kernel == J2K_KERNEL_SYNTHESISE_53 ? J2K_ENCODE_ANALYSE_53
                                                 : J2K_ENCODE_ANALYSE_97,
            &batch->launch[i]);
    }
    record(job, AFTER_TRANSFORM);
    job->executor->gpu->backend->flush(job->queue);
}

/*
 * Parts of a batch one after the other, so that the host has something to do for the first while others are
 * transformed; and before blocks of the first are modelled, so that the host is done with the last in time. Not behind
 * pictures that wait for a caller's stream, which may wait for these.
 */
static void transform_in_turn(struct j2k_coding_job *job, bool waits)
{
    struct gpu_executor *executor = job->executor;
    if (waits || !executor->gpu->backend->urges) {
        transform(job);
        return;
    }
    hurry(job);
    pthread_mutex_lock(&executor->lock);
    if (executor->transformed)
        executor->gpu->backend->wait(job->queue, executor->transformed);
    transform(job);
    executor->transformed = &job->lane->event[AFTER_TRANSFORM];
    pthread_mutex_unlock(&executor->lock);
}

/* The job's blocks are still to be coded, or no longer. Returns whether those of others are. */
static bool count_uncoded(struct j2k_coding_job *job, bool uncoded)
{
    struct gpu_executor *executor = job->executor;
    pthread_mutex_lock(&executor->lock);
    executor->uncoded += (uint32_t)uncoded - (uint32_t)job->uncoded;
    job->uncoded = uncoded;
    bool others = executor->uncoded > (uint32_t)uncoded;
    pthread_mutex_unlock(&executor->lock);
    return others;
}

static bool prepare(struct j2k_coding_job *job, const struct gpu_event *after, struct gpu_error *error)
{
    struct gpu_executor *executor = job->executor;
    struct memory *memory = executor->gpu->memory;
    if (!kst_gpu_executor_encodes_j2k(executor, error))
        return false;
    job->picture = kst_memory_array(memory, job->count, sizeof *job->picture, &error->status);
    if (!job->picture)
        return false;
    for (uint32_t i = 0; i < job->count; i++)
        job->picture[i] = job->items[i].picture;
    if (!kst_gpu_j2k_batch_geometry(&job->batch, memory, job->picture, job->count)) {
        error->status = KST_ERROR_MEMORY;
        return false;
    }
    job->lane = kst_gpu_lane_take(executor, error);
    if (!job->lane)
        return false;
    job->queue = &job->lane->queue;
    if (after)
        executor->gpu->backend->wait(job->queue, after);
    return take_buffers(job, error);
}

struct j2k_coding_job *kst_gpu_j2k_encode_begin(struct gpu_executor *executor, const struct j2k_encode_item *items,
    uint32_t count, const struct gpu_event *after, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    struct j2k_coding_job *job = kst_memory_zeroed(executor->gpu->memory, 1, sizeof *job, &error->status);
    if (!job)
        return NULL;
    job->executor = executor;
    job->items = items;
    job->count = count;
    atomic_init(&job->missed, false);
    count_uncoded(job, true);
    if (prepare(job, after, error)) {
        upload(job);
        transform_in_turn(job, after != NULL);
        if (!atomic_load(&job->missed))
            return job;
        error->status = KST_ERROR_ROWS;
    }
    kst_gpu_j2k_encode_end(job);
    return NULL;
}

void kst_gpu_j2k_encode_end(struct j2k_coding_job *job)
{
    if (!job)
        return;
    struct gpu_executor *executor = job->executor;
    struct memory *memory = executor->gpu->memory;
    count_uncoded(job, false);
    if (job->lane)
        finish(job);
    while (job->fetched) {
        struct fetched *next = job->fetched->next;
        kst_gpu_pool_give(&executor->pool, &job->fetched->buffer);
        kst_memory_release(memory, job->fetched);
        job->fetched = next;
    }
    for (uint32_t i = 0; i < BUFFERS; i++)
        kst_gpu_pool_give(&executor->pool, &job->buffer[i]);
    kst_gpu_lane_give(executor, job->lane);
    if (job->batch.memory)
        kst_gpu_j2k_batch_release(&job->batch);
    kst_memory_release(memory, job->picture);
    kst_memory_release(memory, job);
}

/* A list on its way. */
struct run {
    struct j2k_coding_job *job;
    const struct j2k_list *list;
    struct gpu_buffer buffer[LIST_BUFFERS];
    struct fetched *fetched;
};

static size_t results_length(const struct j2k_list *list)
{
    return J2K_LIST_HEAD * 4 + list->blocks * sizeof(struct coded_result);
}

/* What stays until the job's end. */
static bool take_fetched(struct run *run, uint64_t length, struct gpu_error *error)
{
    struct j2k_coding_job *job = run->job;
    run->fetched = kst_memory_zeroed(job->executor->gpu->memory, 1, sizeof *run->fetched, &error->status);
    if (!run->fetched)
        return false;
    run->fetched->next = job->fetched;
    job->fetched = run->fetched;
    return take(job->executor, GPU_PINNED, length, &run->fetched->buffer, error);
}

static bool take_list(struct run *run, struct gpu_error *error)
{
    const struct j2k_list *list = run->list;
    const uint64_t passes = (uint64_t)list->blocks * J2K_CODED_PASSES;
    const uint64_t length[LIST_BUFFERS] = {[HOST_LIST] = list->words * 4ULL,
        [HOST_RESULTS] = results_length(list),
        [LIST] = list->words * 4ULL,
        [DECISIONS] = list->units * J2K_DECISION_UNIT + DECISIONS_AHEAD,
        [PASSES] = passes * J2K_PASS_WORDS * 4,
        [ORDER] = list->blocks * 4ULL,
        [DATA] = list->data,
        [RESULTS] = results_length(list),
        [COLLECTED] = list->data + passes * J2K_PASS_RESULT * 4};
    for (uint32_t i = 0; i < LIST_BUFFERS; i++)
        if (!take(run->job->executor, i <= HOST_RESULTS ? GPU_PINNED : GPU_DEVICE, length[i], &run->buffer[i], error))
            return false;
    return true;
}

static void launch_list(
    struct run *run, enum j2k_encode_kernel kernel, uint32_t groups, const enum list_buffer *buffers, uint32_t count)
{
    const struct gpu_executor *executor = run->job->executor;
    struct gpu_argument arguments[LIST_BUFFERS];
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = (struct gpu_argument){.buffer = &run->buffer[buffers[i]]};
    executor->gpu->backend->launch(run->job->queue, &executor->j2k_encode[kernel], groups, arguments, count);
}

#define LAUNCH(kernel, groups, ...)                                                                                    \
    launch_list(run, kernel, groups, (const enum list_buffer[]){__VA_ARGS__},                                          \
        sizeof((const enum list_buffer[]){__VA_ARGS__}) / sizeof(enum list_buffer))

static void bring_list(const struct run *run)
{
    const struct gpu_executor *executor = run->job->executor;
    kst_gpu_j2k_list_write(run->list, executor->threads, (uint32_t *)(void *)run->buffer[HOST_LIST].host);
    executor->gpu->backend->copy(
        run->job->queue, &run->buffer[LIST], 0, &run->buffer[HOST_LIST], 0, run->list->words * 4ULL);
}

static void model(struct run *run)
{
    const struct gpu_executor *executor = run->job->executor;
    struct gpu_queue *queue = run->job->queue;
    const struct gpu_argument arguments[] = {{.buffer = &run->buffer[LIST]},
        {.buffer = &run->job->buffer[SAMPLES], .bytes = run->list->samples * sizeof(uint32_t)},
        {.buffer = &run->buffer[DECISIONS]}, {.buffer = &run->buffer[PASSES]}, {.buffer = &run->buffer[RESULTS]}};
    executor->gpu->backend->fill(queue, &run->buffer[RESULTS], 0, J2K_LIST_HEAD * 4, 0);
    executor->gpu->backend->launch(queue, &executor->j2k_encode[J2K_ENCODE_MODEL], run->list->blocks, arguments,
        sizeof arguments / sizeof arguments[0]);
}

static void code(struct run *run)
{
    struct j2k_coding_job *job = run->job;
    const struct gpu_backend *backend = job->executor->gpu->backend;
    const struct j2k_list *list = run->list;
    const uint32_t rows = J2K_CODE_GROUP / J2K_CODE_LANES;
    calm_down(job);
    record(job, BEFORE_BLOCKS);
    bring_list(run);
    model(run);
    hurry(job);
    LAUNCH(J2K_ENCODE_ORDER, 1, LIST, RESULTS, ORDER);
    LAUNCH(J2K_ENCODE_CODE, (list->rows + rows - 1) / rows, LIST, ORDER, DECISIONS, PASSES, DATA, RESULTS);
    LAUNCH(J2K_ENCODE_PLACE, 1, LIST, RESULTS);
    LAUNCH(J2K_ENCODE_COLLECT, list->blocks, LIST, RESULTS, PASSES, DATA, COLLECTED);
    backend->copy(job->queue, &run->buffer[HOST_RESULTS], 0, &run->buffer[RESULTS], 0, results_length(list));
    record(job, AFTER_BLOCKS);
    backend->finish(job->queue);
}

/* All that was collected; how many words that is, is known now. */
static bool fetch(struct run *run, struct gpu_error *error)
{
    struct j2k_coding_job *job = run->job;
    const struct gpu_backend *backend = job->executor->gpu->backend;
    uint64_t length = *(const uint32_t *)(const void *)run->buffer[HOST_RESULTS].host * 4ULL;
    if (!take_fetched(run, length, error))
        return false;
    if (length > 0)
        backend->copy(job->queue, &run->fetched->buffer, 0, &run->buffer[COLLECTED], 0, (size_t)length);
    record(job, AFTER_DOWNLOAD);
    backend->finish(job->queue);
    *error = job->queue->error;
    return error->status == KST_OK;
}

static void add_times(struct j2k_coding_job *job)
{
    struct gpu *gpu = job->executor->gpu;
    const struct gpu_event *event = job->lane->event;
    if (!job->timed) {
        job->times.upload += gpu->backend->elapsed(gpu, &event[BEFORE], &event[AFTER_UPLOAD]);
        job->times.transform += gpu->backend->elapsed(gpu, &event[AFTER_UPLOAD], &event[AFTER_TRANSFORM]);
    }
    job->timed = true;
    job->times.blocks += gpu->backend->elapsed(gpu, &event[BEFORE_BLOCKS], &event[AFTER_BLOCKS]);
    job->times.download += gpu->backend->elapsed(gpu, &event[AFTER_BLOCKS], &event[AFTER_DOWNLOAD]);
}

static const struct coded_result *results_of(const struct run *run)
{
    const uint32_t *results = (const uint32_t *)(const void *)run->buffer[HOST_RESULTS].host;
    return (const struct coded_result *)(const void *)(results + J2K_LIST_HEAD);
}

struct reading {
    const struct run *run;
    struct j2k_block_outcome *outcomes;
    atomic_bool missing; /* there are blocks that found no room */
};

enum { READ_TOGETHER = 4096 };

static void read_slice(void *arg, uint32_t index)
{
    struct reading *reading = arg;
    const struct run *run = reading->run;
    const struct j2k_list *list = run->list;
    const uint32_t *collected = (const uint32_t *)(const void *)run->fetched->buffer.host;
    uint32_t first = index * READ_TOGETHER, left = list->blocks - first;
    for (uint32_t i = first; i < first + (left < READ_TOGETHER ? left : READ_TOGETHER); i++) {
        const struct coded_result *result = &results_of(run)[i];
        if (result->length == J2K_NO_ROOM) {
            atomic_store_explicit(&reading->missing, true, memory_order_relaxed);
            continue;
        }
        const uint32_t *pass = collected + result->at;
        reading->outcomes[list->chosen[i]] = (struct j2k_block_outcome){.planes = result->planes,
            .passes = result->passes,
            .length = result->length,
            .pass = pass,
            .data = (const uint8_t *)(const void *)(pass + J2K_PASS_RESULT * (size_t)result->passes),
            .error = (uint64_t)result->error_high << 32 | result->error_low,
            .left = (uint64_t)result->left_high << 32 | result->left_low};
    }
}

/* `again` gets the orders of blocks that found no room; returns how many. */
static uint32_t read_outcomes(const struct run *run, struct j2k_block_outcome *outcomes, uint32_t *again)
{
    struct reading reading = {.run = run, .outcomes = outcomes};
    uint32_t blocks = run->list->blocks, missing = 0;
    atomic_init(&reading.missing, false);
    kst_pool_run(run->job->executor->threads, (blocks + READ_TOGETHER - 1) / READ_TOGETHER, read_slice, &reading);
    for (uint32_t i = 0; i < blocks && atomic_load(&reading.missing); i++)
        if (results_of(run)[i].length == J2K_NO_ROOM)
            again[missing++] = run->list->chosen[i];
    return missing;
}

static bool run_list(struct j2k_coding_job *job, const struct j2k_list *list, struct j2k_block_outcome *outcomes,
    uint32_t *again, uint32_t *missing, struct gpu_error *error)
{
    struct run run = {.job = job, .list = list};
    bool done = take_list(&run, error);
    if (done) {
        code(&run);
        *error = job->queue->error;
        done = error->status == KST_OK && fetch(&run, error);
    }
    if (done) {
        add_times(job);
        *missing = read_outcomes(&run, outcomes, again);
    }
    for (uint32_t i = 0; i < LIST_BUFFERS; i++)
        kst_gpu_pool_give(&job->executor->pool, &run.buffer[i]);
    return done;
}

static bool take_measured(struct run *run, struct gpu_error *error)
{
    struct gpu_executor *executor = run->job->executor;
    uint64_t length = run->list->words * 4ULL, found = run->list->blocks * (uint64_t)sizeof(struct measured_block);
    return take(executor, GPU_PINNED, length, &run->buffer[HOST_LIST], error) &&
           take(executor, GPU_DEVICE, length, &run->buffer[LIST], error) &&
           take(executor, GPU_DEVICE, found, &run->buffer[RESULTS], error) && take_fetched(run, found, error);
}

static void measure(struct run *run)
{
    struct j2k_coding_job *job = run->job;
    const struct gpu_backend *backend = job->executor->gpu->backend;
    const struct gpu_argument arguments[] = {{.buffer = &run->buffer[LIST]},
        {.buffer = &job->buffer[SAMPLES], .bytes = run->list->samples * sizeof(uint32_t)},
        {.buffer = &run->buffer[RESULTS]}};
    hurry(job);
    record(job, BEFORE_BLOCKS);
    bring_list(run);
    backend->launch(job->queue, &job->executor->j2k_encode[J2K_ENCODE_MEASURE], run->list->blocks, arguments, 3);
    record(job, AFTER_BLOCKS);
    backend->copy(job->queue, &run->fetched->buffer, 0, &run->buffer[RESULTS], 0,
        run->list->blocks * sizeof(struct measured_block));
    record(job, AFTER_DOWNLOAD);
    backend->finish(job->queue);
}

static void read_measured(const struct run *run, struct j2k_block_gains *found)
{
    const struct measured_block *from = (const struct measured_block *)(const void *)run->fetched->buffer.host;
    for (uint32_t i = 0; i < run->list->blocks; i++, from++)
        found[i] = (struct j2k_block_gains){.planes = from->planes,
            .error = (uint64_t)from->error_high << 32 | from->error_low,
            .plane = (const struct j2k_gpu_gains *)(const void *)from->gains};
}

static bool measure_list(
    struct j2k_coding_job *job, const struct j2k_list *list, struct j2k_block_gains *found, struct gpu_error *error)
{
    struct run run = {.job = job, .list = list};
    bool done = take_measured(&run, error);
    if (done) {
        measure(&run);
        *error = job->queue->error;
        done = error->status == KST_OK;
    }
    if (done) {
        add_times(job);
        read_measured(&run, found);
    }
    for (uint32_t i = 0; i < LIST_BUFFERS; i++)
        kst_gpu_pool_give(&job->executor->pool, &run.buffer[i]);
    return done;
}

/* What it takes to put lists together. */
struct rooms {
    uint32_t *place, *chosen, *again;
};

static bool take_rooms(struct rooms *rooms, struct memory *memory, uint32_t count, struct gpu_error *error)
{
    rooms->place = kst_memory_array(memory, count, sizeof *rooms->place, &error->status);
    rooms->chosen = kst_memory_array(memory, count, sizeof *rooms->chosen, &error->status);
    rooms->again = kst_memory_array(memory, count, sizeof *rooms->again, &error->status);
    return error->status == KST_OK;
}

static void release_rooms(struct rooms *rooms, struct memory *memory)
{
    kst_memory_release(memory, rooms->place);
    kst_memory_release(memory, rooms->chosen);
    kst_memory_release(memory, rooms->again);
}

/* Lists after lists; returns how many found no room, which are then the ones chosen. */
static uint32_t run_chosen(struct j2k_coding_job *job, struct j2k_list *list, struct rooms *rooms, uint32_t count,
    struct j2k_block_outcome *outcomes, struct gpu_error *error)
{
    uint32_t missing = 0;
    for (uint32_t done = 0, more; done < count && !error->status; done += list->blocks, missing += more) {
        more = 0;
        kst_gpu_j2k_list(list, rooms->chosen + done, count - done, job->executor->gpu->info.units);
        run_list(job, list, outcomes, rooms->again + missing, &more, error);
    }
    memcpy(rooms->chosen, rooms->again, missing * sizeof *rooms->chosen);
    return missing;
}

bool kst_gpu_j2k_measure_blocks(struct j2k_coding_job *job, const struct j2k_block_order *orders, uint32_t count,
    struct j2k_block_gains *found, struct gpu_error *error)
{
    struct memory *memory = job->executor->gpu->memory;
    struct rooms rooms = {.place = NULL};
    *error = (struct gpu_error){.status = KST_OK};
    if (take_rooms(&rooms, memory, count, error)) {
        struct j2k_list list = {.batch = &job->batch, .items = job->items, .orders = orders, .place = rooms.place};
        for (uint32_t i = 0; i < count; i++)
            rooms.chosen[i] = i;
        for (uint32_t done = 0; done < count && !error->status; done += list.blocks) {
            kst_gpu_j2k_list(&list, rooms.chosen + done, count - done, job->executor->gpu->info.units);
            measure_list(job, &list, found + done, error);
        }
    }
    release_rooms(&rooms, memory);
    return error->status == KST_OK;
}

bool kst_gpu_j2k_encode_blocks(struct j2k_coding_job *job, const struct j2k_block_order *orders, uint32_t count,
    struct j2k_block_outcome *outcomes, struct gpu_error *error)
{
    struct memory *memory = job->executor->gpu->memory;
    struct rooms rooms = {.place = NULL};
    *error = (struct gpu_error){.status = KST_OK};
    if (count == 0)
        return true;
    if (take_rooms(&rooms, memory, count, error)) {
        struct j2k_list list = {.batch = &job->batch, .items = job->items, .orders = orders, .place = rooms.place};
        list.shared = count_uncoded(job, false);
        for (uint32_t i = 0; i < count; i++)
            rooms.chosen[i] = i;
        uint32_t missing = run_chosen(job, &list, &rooms, count, outcomes, error);
        list.ample = true;
        if (missing > 0 && !error->status && run_chosen(job, &list, &rooms, missing, outcomes, error) > 0)
            kst_gpu_fail(error, job->executor->gpu, "coding of blocks", "no room");
    }
    release_rooms(&rooms, memory);
    return error->status == KST_OK;
}

struct j2k_encode_times kst_gpu_j2k_encode_times(const struct j2k_coding_job *job)
{
    return job->times;
}
