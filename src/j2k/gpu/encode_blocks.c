/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures or codes the code-blocks of transformed pictures, list by list, and reads the results. */
#include "j2k/gpu/encode_job.h"

#include <string.h>

#include "j2k/gpu/encode_list.h"

/* The buffers of one list. They are released when the list is done, except for what was downloaded. */
enum list_buffer { HOST_LIST, HOST_RESULTS, LIST, DECISIONS, PASSES, ORDER, DATA, RESULTS, COLLECTED, LIST_BUFFERS };

_Static_assert(sizeof(struct j2k_gpu_gains) == J2K_GAIN_WORDS * 4, "as the kernels tell them");

enum { DECISIONS_AHEAD = 64 /* bytes behind the last decision that kernels load but do not use */ };

/* Holds a list of blocks that is being processed. */
struct list_run {
    struct j2k_gpu_encode_job *job;
    const struct j2k_gpu_list *list;
    struct gpu_buffer buffer[LIST_BUFFERS];
    struct j2k_gpu_fetched *fetched;
};

static bool take(struct list_run *run, enum list_buffer which, uint64_t length, struct gpu_error *error)
{
    enum gpu_place place = which <= HOST_RESULTS ? GPU_PINNED : GPU_DEVICE;
    return kst_gpu_pool_take(&run->job->runtime->pool, place, (size_t)length, &run->buffer[which], error);
}

static void give_back(struct list_run *run)
{
    for (uint32_t i = 0; i < LIST_BUFFERS; i++)
        kst_gpu_pool_give(&run->job->runtime->pool, &run->buffer[i]);
}

static size_t results_length(const struct j2k_gpu_list *list)
{
    return J2K_LIST_HEAD * 4 + list->blocks * sizeof(struct j2k_work_coded_result);
}

/* Take pinned memory for what is downloaded; it is kept until the job ends. `whole` holds the other members' values. */
static bool take_fetched(
    struct list_run *run, const struct j2k_gpu_fetched *whole, uint64_t length, struct gpu_error *error)
{
    struct j2k_gpu_encode_job *job = run->job;
    struct memory *memory = job->runtime->gpu->memory;
    struct j2k_gpu_fetched *fetched = kst_memory_zeroed(memory, 1, sizeof *fetched, &error->status);
    if (!fetched)
        return false;
    *fetched = *whole;
    fetched->next = atomic_load(&job->fetched);
    if (!kst_gpu_pool_take(&job->runtime->pool, GPU_PINNED, (size_t)length, &fetched->buffer, error)) {
        kst_memory_release(memory, fetched);
        return false;
    }
    run->buffer[COLLECTED] = (struct gpu_buffer){.length = 0}; /* if there was such a buffer, `fetched` owns it now */
    run->fetched = fetched;
    atomic_store(&job->fetched, fetched);
    return true;
}

static bool take_list(struct list_run *run, struct gpu_error *error)
{
    const struct j2k_gpu_list *list = run->list;
    const uint64_t passes = (uint64_t)list->blocks * list->coder->most_passes;
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
        if (!take(run, i, length[i], error))
            return false;
    return true;
}

static void launch(
    struct list_run *run, enum j2k_gpu_encode_kernel kernel, uint32_t groups, const uint32_t *buffers, uint32_t count)
{
    kst_gpu_launch_buffers(run->job->queue, run->job->built, kernel, groups, run->buffer, buffers, count);
}

static void bring_list(const struct list_run *run)
{
    const struct gpu_runtime *runtime = run->job->runtime;
    kst_j2k_gpu_list_write(run->list, runtime->threads, (uint32_t *)(void *)run->buffer[HOST_LIST].host);
    runtime->gpu->backend->copy(
        run->job->queue, &run->buffer[LIST], 0, &run->buffer[HOST_LIST], 0, run->list->words * 4ULL);
}

/* Launch a kernel that reads samples and fills a buffer with decisions or with blocks' data. */
static void take_samples(struct list_run *run, enum j2k_gpu_encode_kernel kernel, enum list_buffer filled)
{
    const struct gpu_runtime *runtime = run->job->runtime;
    struct gpu_queue *queue = run->job->queue;
    const struct gpu_argument arguments[] = {{.buffer = &run->buffer[LIST]},
        {.buffer = &run->job->buffer[CODING_SAMPLES], .bytes = run->list->samples * sizeof(uint32_t)},
        {.buffer = &run->buffer[filled]}, {.buffer = &run->buffer[PASSES]}, {.buffer = &run->buffer[RESULTS]}};
    runtime->gpu->backend->fill(queue, &run->buffer[RESULTS], 0, J2K_LIST_HEAD * 4, 0);
    kst_gpu_launch(
        queue, run->job->built, kernel, run->list->blocks, arguments, sizeof arguments / sizeof arguments[0]);
}

static void model(struct list_run *run)
{
    take_samples(run, run->list->coder->model, DECISIONS);
}

static void put_in_order(struct list_run *run)
{
    launch(run, run->list->coder->order, 1, GPU_BUFFERS(LIST, RESULTS, ORDER));
}

/*
 * Launch the model of a list. Without urgent queues it waits for the model of the previous list, so that its many
 * work-groups do not go ahead of the few that code the previous list's blocks. It does not wait behind pictures that
 * wait for a caller's stream.
 */
static void model_in_turn(struct list_run *run)
{
    struct j2k_gpu_encode_job *job = run->job;
    struct gpu_runtime *runtime = job->runtime;
    struct j2k_gpu_encoding_state *state = j2k_gpu_encode_state(job);
    const struct gpu_backend *backend = runtime->gpu->backend;
    if (job->waits || backend->urges) {
        model(run);
        kst_j2k_gpu_encode_hurry(job);
        put_in_order(run);
        return;
    }
    pthread_mutex_lock(&runtime->lock);
    if (state->modelled)
        backend->wait(job->queue, state->modelled);
    model(run);
    put_in_order(run);
    kst_j2k_gpu_encode_record(job, CODING_MODELLED);
    state->modelled = &job->track->event[CODING_MODELLED];
    pthread_mutex_unlock(&runtime->lock);
}

static void code_decisions(struct list_run *run)
{
    const struct j2k_gpu_list *list = run->list;
    const uint32_t rows = J2K_CODE_GROUP / J2K_CODE_LANES;
    model_in_turn(run);
    launch(run, list->coder->code, (list->rows + rows - 1) / rows,
        GPU_BUFFERS(LIST, ORDER, DECISIONS, PASSES, DATA, RESULTS));
}

/* Code the refinement passes of blocks whose cleanup passes have been coded. */
static void refine_samples(struct list_run *run)
{
    const struct gpu_argument arguments[] = {{.buffer = &run->buffer[LIST]},
        {.buffer = &run->job->buffer[CODING_SAMPLES], .bytes = run->list->samples * sizeof(uint32_t)},
        {.buffer = &run->buffer[DATA]}, {.buffer = &run->buffer[RESULTS]}};
    kst_gpu_launch(run->job->queue, run->job->built, J2K_ENCODE_REFINE_HT, run->list->blocks, arguments,
        sizeof arguments / sizeof arguments[0]);
}

static void code_samples(struct list_run *run)
{
    take_samples(run, run->list->coder->code, DATA);
    if (run->list->refined)
        refine_samples(run);
    kst_j2k_gpu_encode_hurry(run->job);
}

/* Add the times of upload and transform, once. */
void kst_j2k_gpu_encode_add_first_times(struct j2k_gpu_encode_job *job)
{
    struct gpu *gpu = job->runtime->gpu;
    const struct gpu_event *event = job->track->event;
    if (job->timed || job->queue->error.status)
        return;
    job->timed = true;
    job->times.upload += gpu->backend->elapsed(gpu, &event[CODING_BEFORE], &event[CODING_AFTER_UPLOAD]);
    job->times.transform += gpu->backend->elapsed(gpu, &event[CODING_AFTER_UPLOAD], &event[CODING_AFTER_TRANSFORM]);
}

void kst_j2k_gpu_encode_add_times(struct j2k_gpu_encode_job *job)
{
    struct gpu *gpu = job->runtime->gpu;
    const struct gpu_event *event = job->track->event;
    kst_j2k_gpu_encode_add_first_times(job);
    job->times.blocks += gpu->backend->elapsed(gpu, &event[CODING_BEFORE_BLOCKS], &event[CODING_AFTER_BLOCKS]);
    job->times.download += gpu->backend->elapsed(gpu, &event[CODING_AFTER_BLOCKS], &event[CODING_AFTER_DOWNLOAD]);
}

static void code(struct list_run *run)
{
    struct j2k_gpu_encode_job *job = run->job;
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    const struct j2k_gpu_list *list = run->list;
    kst_j2k_gpu_encode_calm_down(job);
    kst_j2k_gpu_encode_record(job, CODING_BEFORE_BLOCKS);
    bring_list(run);
    (list->coder->at_once ? code_samples : code_decisions)(run);
    launch(run, J2K_ENCODE_COLLECT, list->blocks, GPU_BUFFERS(LIST, RESULTS, PASSES, DATA, COLLECTED));
    backend->copy(job->queue, &run->buffer[HOST_RESULTS], 0, &run->buffer[RESULTS], 0, results_length(list));
    kst_j2k_gpu_encode_record(job, CODING_AFTER_BLOCKS);
    if (list->plain)
        kst_j2k_gpu_encode_record(job, CODING_AFTER_DOWNLOAD);
    backend->finish(job->queue);
    kst_j2k_gpu_encode_add_first_times(job);
}

/* Return the number of bytes that were collected: of all passes, or of all blocks' data. */
static size_t collected_length(const struct list_run *run, uint32_t which)
{
    const uint32_t *head = (const uint32_t *)(const void *)run->buffer[HOST_RESULTS].host;
    return head[which] * sizeof(uint32_t);
}

/* Return the number of bytes of passes. A plain list has a record for each block, which the host writes. */
static size_t passes_length(const struct list_run *run)
{
    return run->list->plain ? run->list->blocks * sizeof(uint32_t) * J2K_PASS_RESULT
                            : collected_length(run, J2K_COLLECTED_PASSES);
}

/* Download passes. The bytes of blocks stay where they were collected, until it is known what is done with them. */
static bool fetch(struct list_run *run, struct gpu_error *error)
{
    struct j2k_gpu_encode_job *job = run->job;
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    const size_t passes = passes_length(run);
    const struct j2k_gpu_fetched whole = {.collected = run->buffer[COLLECTED],
        .to = passes,
        .from = run->list->blocks * sizeof(uint32_t) * run->list->coder->most_passes * J2K_PASS_RESULT,
        .length = collected_length(run, J2K_COLLECTED_DATA)};
    if (!take_fetched(run, &whole, (uint64_t)passes + whole.length, error))
        return false;
    if (!run->list->plain) {
        if (passes > 0)
            backend->copy(job->queue, &run->fetched->buffer, 0, &run->fetched->collected, 0, passes);
        kst_j2k_gpu_encode_record(job, CODING_AFTER_DOWNLOAD);
        backend->finish(job->queue);
    }
    *error = job->queue->error;
    if (!error->status)
        kst_j2k_gpu_encode_add_times(job);
    return !error->status;
}

bool kst_j2k_gpu_encode_arrive(struct j2k_gpu_encode_job *job, struct gpu_error *error)
{
    struct gpu *gpu = job->runtime->gpu;
    kst_j2k_gpu_encode_record(job, CODING_AFTER_BLOCKS);
    for (struct j2k_gpu_fetched *f = atomic_load(&job->fetched); f; f = f->next) {
        if (f->length > 0 && !f->arrived)
            gpu->backend->copy(job->queue, &f->buffer, f->to, &f->collected, f->from, f->length);
        f->arrived = true;
    }
    kst_j2k_gpu_encode_record(job, CODING_AFTER_DOWNLOAD);
    gpu->backend->finish(job->queue);
    *error = job->queue->error;
    if (!error->status)
        job->times.download += gpu->backend->elapsed(
            gpu, &job->track->event[CODING_AFTER_BLOCKS], &job->track->event[CODING_AFTER_DOWNLOAD]);
    return !error->status;
}

static const struct j2k_work_coded_result *results_of(const struct list_run *run)
{
    const uint32_t *results = (const uint32_t *)(const void *)run->buffer[HOST_RESULTS].host;
    return (const struct j2k_work_coded_result *)(const void *)(results + J2K_LIST_HEAD);
}

struct results_reading {
    const struct list_run *run;
    struct j2k_gpu_block_outcome *outcomes;
    atomic_bool missing; /* some blocks found no room */
};

enum { READ_TOGETHER = 4096 };

static void read_slice(void *arg, uint32_t index)
{
    struct results_reading *reading = arg;
    const struct list_run *run = reading->run;
    const struct j2k_gpu_list *list = run->list;
    const uint8_t *data = run->fetched->buffer.host + run->fetched->to;
    uint32_t *passes = (uint32_t *)(void *)run->fetched->buffer.host;
    uint32_t first = index * READ_TOGETHER, left = list->blocks - first;
    for (uint32_t i = first; i < first + (left < READ_TOGETHER ? left : READ_TOGETHER); i++) {
        const struct j2k_work_coded_result *result = &results_of(run)[i];
        if (result->length == J2K_NO_ROOM) {
            atomic_store_explicit(&reading->missing, true, memory_order_relaxed);
            continue;
        }
        uint32_t *pass = passes + (list->plain ? J2K_PASS_RESULT * i : result->at);
        if (list->plain)
            memcpy(pass, (uint32_t[J2K_PASS_RESULT]){result->length}, J2K_PASS_RESULT * sizeof *pass);
        const uint32_t refinements =
            list->coder->at_once && result->passes > 0 ? list->orders[list->chosen[i]].refinements : 0;
        reading->outcomes[list->chosen[i]] = (struct j2k_gpu_block_outcome){.planes = result->planes,
            .passes = result->passes + refinements,
            .end = {refinements > 0 ? result->first : 0, refinements > 0 ? result->second : 0},
            .length = result->length,
            .pass = pass,
            .ht = list->coder->at_once,
            .data = data + sizeof(uint32_t) * result->data,
            .error = (uint64_t)result->error_high << 32 | result->error_low,
            .left = (uint64_t)result->left_high << 32 | result->left_low};
    }
}

/*
 * Read the outcomes of a list. `again` receives the orders of blocks that found no room; the function returns their
 * number.
 */
static uint32_t read_outcomes(const struct list_run *run, struct j2k_gpu_block_outcome *outcomes, uint32_t *again)
{
    struct results_reading reading = {.run = run, .outcomes = outcomes};
    uint32_t blocks = run->list->blocks, missing = 0;
    atomic_init(&reading.missing, false);
    kst_pool_run(run->job->runtime->threads, (blocks + READ_TOGETHER - 1) / READ_TOGETHER, read_slice, &reading);
    for (uint32_t i = 0; i < blocks && atomic_load(&reading.missing); i++)
        if (results_of(run)[i].length == J2K_NO_ROOM)
            again[missing++] = run->list->chosen[i];
    return missing;
}

static bool run_list(struct j2k_gpu_encode_job *job, const struct j2k_gpu_list *list,
    struct j2k_gpu_block_outcome *outcomes, uint32_t *again, uint32_t *missing, struct gpu_error *error)
{
    struct list_run run = {.job = job, .list = list};
    bool done = take_list(&run, error);
    if (done) {
        code(&run);
        *error = job->queue->error;
        done = !error->status && fetch(&run, error);
    }
    if (done)
        *missing = read_outcomes(&run, outcomes, again);
    else
        kst_j2k_gpu_encode_finish(job);
    give_back(&run);
    return done;
}

static bool take_measured(struct list_run *run, struct gpu_error *error)
{
    const struct j2k_gpu_fetched whole = {.arrived = true};
    uint64_t length = run->list->words * 4ULL,
             found = run->list->blocks * (uint64_t)sizeof(struct j2k_work_measured_block);
    return take(run, HOST_LIST, length, error) && take(run, LIST, length, error) && take(run, RESULTS, found, error) &&
           take_fetched(run, &whole, found, error);
}

static void measure(struct list_run *run)
{
    struct j2k_gpu_encode_job *job = run->job;
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    const struct gpu_argument arguments[] = {{.buffer = &run->buffer[LIST]},
        {.buffer = &job->buffer[CODING_SAMPLES], .bytes = run->list->samples * sizeof(uint32_t)},
        {.buffer = &run->buffer[RESULTS]}};
    kst_j2k_gpu_encode_hurry(job);
    kst_j2k_gpu_encode_record(job, CODING_BEFORE_BLOCKS);
    bring_list(run);
    kst_gpu_launch(job->queue, job->built, run->list->coder->measure, run->list->blocks, arguments, 3);
    kst_j2k_gpu_encode_record(job, CODING_AFTER_BLOCKS);
    backend->copy(job->queue, &run->fetched->buffer, 0, &run->buffer[RESULTS], 0,
        run->list->blocks * sizeof(struct j2k_work_measured_block));
    kst_j2k_gpu_encode_record(job, CODING_AFTER_DOWNLOAD);
    backend->finish(job->queue);
}

static void read_measured(const struct list_run *run, struct j2k_gpu_block_gains *found)
{
    const struct j2k_work_measured_block *from =
        (const struct j2k_work_measured_block *)(const void *)run->fetched->buffer.host;
    for (uint32_t i = 0; i < run->list->blocks; i++, from++)
        found[i] = (struct j2k_gpu_block_gains){.planes = from->planes,
            .error = (uint64_t)from->error_high << 32 | from->error_low,
            .plane = (const struct j2k_gpu_gains *)(const void *)from->gains};
}

static bool measure_list(struct j2k_gpu_encode_job *job, const struct j2k_gpu_list *list,
    struct j2k_gpu_block_gains *found, struct gpu_error *error)
{
    struct list_run run = {.job = job, .list = list};
    bool done = take_measured(&run, error);
    if (done) {
        measure(&run);
        *error = job->queue->error;
        done = !error->status;
    }
    if (done) {
        kst_j2k_gpu_encode_add_times(job);
        read_measured(&run, found);
    } else {
        kst_j2k_gpu_encode_finish(job);
    }
    give_back(&run);
    return done;
}

/* Holds the arrays from which lists are made. */
struct list_arrays {
    uint32_t *place, *chosen, *again;
};

static bool take_rooms(struct list_arrays *rooms, struct memory *memory, uint32_t count, struct gpu_error *error)
{
    rooms->place = kst_memory_array(memory, count, sizeof *rooms->place, &error->status);
    rooms->chosen = kst_memory_array(memory, count, sizeof *rooms->chosen, &error->status);
    rooms->again = kst_memory_array(memory, count, sizeof *rooms->again, &error->status);
    return !error->status;
}

static void release_rooms(struct list_arrays *rooms, struct memory *memory)
{
    kst_memory_release(memory, rooms->place);
    kst_memory_release(memory, rooms->chosen);
    kst_memory_release(memory, rooms->again);
}

/* Code the chosen blocks list by list. Returns how many blocks found no room, and makes these the chosen ones. */
static uint32_t run_chosen(struct j2k_gpu_encode_job *job, struct j2k_gpu_list *list, struct list_arrays *rooms,
    uint32_t count, struct j2k_gpu_block_outcome *outcomes, struct gpu_error *error)
{
    uint32_t missing = 0;
    for (uint32_t done = 0, more; done < count && !error->status; done += list->blocks, missing += more) {
        more = 0;
        kst_j2k_gpu_list(list, rooms->chosen + done, count - done, job->runtime->gpu->info.units);
        run_list(job, list, outcomes, rooms->again + missing, &more, error);
    }
    memcpy(rooms->chosen, rooms->again, missing * sizeof *rooms->chosen);
    return missing;
}

bool kst_j2k_gpu_measure_blocks(struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders,
    uint32_t count, struct j2k_gpu_block_gains *found, struct gpu_error *error)
{
    struct memory *memory = job->runtime->gpu->memory;
    struct list_arrays rooms = {.place = NULL};
    *error = (struct gpu_error){.status = KST_OK};
    if (take_rooms(&rooms, memory, count, error)) {
        struct j2k_gpu_list list = {.part = &job->part, .items = job->items, .orders = orders, .place = rooms.place};
        for (uint32_t i = 0; i < count; i++)
            rooms.chosen[i] = i;
        for (uint32_t done = 0; done < count && !error->status; done += list.blocks) {
            kst_j2k_gpu_list(&list, rooms.chosen + done, count - done, job->runtime->gpu->info.units);
            measure_list(job, &list, found + done, error);
        }
    }
    release_rooms(&rooms, memory);
    return !error->status;
}

static bool is_unmeasured(
    const struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (job->items[orders[i].item].measured)
            return false;
    return true;
}

bool kst_j2k_gpu_encode_blocks(struct j2k_gpu_encode_job *job, const struct j2k_gpu_block_order *orders, uint32_t count,
    struct j2k_gpu_block_outcome *outcomes, struct gpu_error *error)
{
    struct memory *memory = job->runtime->gpu->memory;
    struct list_arrays rooms = {.place = NULL};
    *error = (struct gpu_error){.status = KST_OK};
    if (count == 0)
        return true;
    if (take_rooms(&rooms, memory, count, error)) {
        struct j2k_gpu_list list = {.part = &job->part, .items = job->items, .orders = orders, .place = rooms.place};
        list.shared = kst_j2k_gpu_encode_uncoded(job, false);
        list.unmeasured = is_unmeasured(job, orders, count);
        for (uint32_t i = 0; i < count; i++)
            rooms.chosen[i] = i;
        uint32_t missing = run_chosen(job, &list, &rooms, count, outcomes, error);
        list.ample = true;
        if (missing > 0 && !error->status && run_chosen(job, &list, &rooms, missing, outcomes, error) > 0)
            kst_gpu_fail(error, job->runtime->gpu, "coding of blocks", "no room");
    }
    release_rooms(&rooms, memory);
    return !error->status;
}
