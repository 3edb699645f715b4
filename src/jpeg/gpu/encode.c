/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs an encoding job through the device, from upload to the finished files. A job encodes the pictures of one part.
 */
#include "jpeg/gpu/encode.h"

#include <string.h>

#include "device/pinned.h"
#include "image/location.h"
#include "jpeg/gpu/encode_file.h"
#include "jpeg/gpu/encode_part.h"

enum encode_buffer {
    HOST_WORK, /* the buffers up to HOST_STREAMS are pinned */
    HOST_PIXELS,
    HOST_STREAMS,
    WORK,
    PIXELS, /* pixels of the pictures that are not in device memory */
    HISTOGRAMS,
    BITS,
    LISTS,
    STREAMS,
    BUFFERS
};

/* Events of a job's track. */
enum encode_event { BEFORE, AFTER_UPLOAD, AFTER_TILES, AFTER_CODING, AFTER_ALL };

/*
 * Says where the bytes of a stream are copied to: the job's buffer or, if `direct`, the caller's buffer, behind the
 * marker segments in front of the stream.
 */
struct landing {
    bool direct;
    uint32_t expected;         /* bytes of the stream that are fetched before its length is known */
    uint8_t kept[ENCODE_HEAD]; /* direct: the caller's bytes that the stream's head overwrites for a while */
};

/* Describes a job on its way through the device. */
struct jpeg_gpu_encode_job {
    struct gpu_runtime *runtime;
    const struct gpu_built *built; /* kst_jpeg_gpu_encoding */
    const struct jpeg_gpu_encode_item *items;
    uint32_t count;
    struct jpeg_gpu_encode_size size;
    struct gpu_track *track;
    struct gpu_queue *queue; /* the queue of the track that is in use, the urgent one towards the end */
    struct gpu_buffer buffer[BUFFERS];
    struct jpeg_gpu_encode_tables *tables; /* one for each picture, then the standard ones */
    struct landing *landing;               /* one for each picture */
    uint32_t *length;                      /* lengths of the streams, one for each picture */
    uint64_t *place;                       /* places of the streams, one for each picture, if they are gathered */
    uint32_t words;                        /* words of the work that are in use */
    uint32_t density;                      /* expected bytes per 1,024 blocks, fetched before the lengths are known */
    bool gathered;                         /* the streams are downloaded together */
    uint64_t expected;                     /* bytes of gathered streams that are fetched before the lengths are known */
};

static bool is_optimised(const struct jpeg_gpu_encode_item *item)
{
    return item->encoding->coding == KST_CODING_OPTIMIZED;
}

static bool any_optimised(const struct jpeg_gpu_encode_job *job)
{
    for (uint32_t i = 0; i < job->count; i++)
        if (is_optimised(&job->items[i]))
            return true;
    return false;
}

static uint32_t *host_work(const struct jpeg_gpu_encode_job *job)
{
    return (uint32_t *)(void *)job->buffer[HOST_WORK].host;
}

static bool take(struct jpeg_gpu_encode_job *job, enum encode_buffer which, uint64_t length, struct gpu_error *error)
{
    return kst_gpu_pool_take(&job->runtime->pool, which <= HOST_STREAMS ? GPU_PINNED : GPU_DEVICE, (size_t)length,
        &job->buffer[which], error);
}

static bool take_buffers(struct jpeg_gpu_encode_job *job, struct gpu_error *error)
{
    const struct jpeg_gpu_encode_size *size = &job->size;
    const uint64_t histograms = job->count * ENCODE_CODES * 4ULL;
    const uint64_t length[BUFFERS] = {[HOST_WORK] = size->words * 4ULL,
        [HOST_PIXELS] = size->staged + 1,
        [HOST_STREAMS] = size->streams > histograms ? size->streams : histograms,
        [WORK] = size->words * 4ULL,
        [PIXELS] = size->pixels + 1,
        [HISTOGRAMS] = histograms,
        [BITS] = size->blocks * ENCODE_BLOCK_WORDS * 4,
        [LISTS] = (size->tiles * (uint64_t)ENCODE_LISTS + 2 * job->count) * 4,
        [STREAMS] = size->streams};
    for (uint32_t i = 0; i < BUFFERS; i++)
        if (!take(job, (enum encode_buffer)i, length[i], error))
            return false;
    return true;
}

static struct jpeg_gpu_encoding_state *state_of(const struct jpeg_gpu_encode_job *job)
{
    return job->built->state;
}

static void launch(struct jpeg_gpu_encode_job *job, enum jpeg_gpu_encode_kernel kernel, uint32_t groups,
    const uint32_t *buffers, uint32_t count)
{
    kst_gpu_launch_buffers(job->queue, job->built, kernel, groups, job->buffer, buffers, count);
}

static bool prepare(struct jpeg_gpu_encode_job *job, struct gpu_error *error)
{
    struct memory *memory = job->runtime->gpu->memory;
    job->size = kst_jpeg_gpu_encode_size(job->items, job->count);
    job->gathered = kst_jpeg_gpu_encode_is_gathered(job->count);
    job->tables = kst_memory_array(memory, job->count + (size_t)1, sizeof *job->tables, &error->status);
    job->length = kst_memory_array(memory, job->count, sizeof *job->length, &error->status);
    job->landing = kst_memory_zeroed(memory, job->count, sizeof *job->landing, &error->status);
    job->place = kst_memory_array(memory, job->count, sizeof *job->place, &error->status);
    if (!job->tables || !job->length || !job->landing || !job->place)
        return false;
    job->built = kst_gpu_runtime_build(job->runtime, &kst_jpeg_gpu_encoding, error);
    if (!job->built)
        return false;
    job->density = atomic_load(&state_of(job)->density);
    job->track = kst_gpu_track_take(job->runtime, error);
    if (!job->track)
        return false;
    job->queue = &job->track->queue;
    if (job->items->after)
        job->runtime->gpu->backend->wait(job->queue, job->items->after);
    return take_buffers(job, error);
}

static void release(struct jpeg_gpu_encode_job *job)
{
    struct memory *memory = job->runtime->gpu->memory;
    for (uint32_t i = 0; i < BUFFERS; i++)
        kst_gpu_pool_give(&job->runtime->pool, &job->buffer[i]);
    kst_gpu_track_give(job->runtime, job->track);
    kst_memory_release(memory, job->tables);
    kst_memory_release(memory, job->length);
    kst_memory_release(memory, job->place);
    kst_memory_release(memory, job->landing);
    kst_memory_release(memory, job);
}

static void record(struct jpeg_gpu_encode_job *job, enum encode_event event)
{
    job->runtime->gpu->backend->record(job->queue, &job->track->event[event]);
}

/*
 * Return the buffer to pass to a kernel for a picture's pixels. If the kernel finds the pixels at an address, it does
 * not use the buffer, and the job's own is passed.
 */
static const struct gpu_buffer *pixels_of(const struct jpeg_gpu_encode_job *job, uint32_t index)
{
    const struct jpeg_gpu_encode_item *item = &job->items[index];
    bool own = item->source == GPU_SOURCE_DIRECT && kst_memory_has_offsets(item->image->memory);
    return own ? &item->planes.buffer[0] : &job->buffer[PIXELS];
}

/* Launch a kernel over all tiles: in one launch or, with OpenCL, in one for each buffer that holds pictures. */
static void launch_tiles(struct jpeg_gpu_encode_job *job, enum jpeg_gpu_encode_kernel kernel,
    const enum encode_buffer *results, uint32_t count)
{
    const uint32_t *work = host_work(job), *first = work + ((const struct jpeg_encode_work *)(const void *)work)->tiles;
    struct gpu_argument arguments[BUFFERS] = {{.buffer = &job->buffer[WORK]}};
    for (uint32_t i = 0; i < count; i++)
        arguments[2 + i] = (struct gpu_argument){.buffer = &job->buffer[results[i]]};
    for (uint32_t i = 0, end; i < job->count; i = end) {
        arguments[1] = (struct gpu_argument){.buffer = pixels_of(job, i)};
        arguments[2 + count] = (struct gpu_argument){.value = first[i]};
        for (end = i + 1; end < job->count && pixels_of(job, end)->handle == arguments[1].buffer->handle;)
            end++;
        kst_gpu_launch(job->queue, job->built, kernel, first[end] - first[i], arguments, count + 3);
    }
}

static void upload(struct jpeg_gpu_encode_job *job)
{
    struct pool *threads = job->gathered ? job->runtime->threads : NULL;
    record(job, BEFORE);
    job->words = kst_jpeg_gpu_encode_work(job->items, job->count, threads, host_work(job));
    kst_jpeg_gpu_encode_upload(
        job->queue, job->items, job->count, host_work(job), &job->buffer[HOST_PIXELS], &job->buffer[PIXELS]);
}

static void upload_work(struct jpeg_gpu_encode_job *job)
{
    job->runtime->gpu->backend->copy(job->queue, &job->buffer[WORK], 0, &job->buffer[HOST_WORK], 0, job->words * 4ULL);
}

static void count_symbols(struct jpeg_gpu_encode_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    struct gpu_queue *queue = job->queue;
    size_t length = job->count * ENCODE_CODES * 4ULL;
    upload_work(job);
    memset(job->buffer[HOST_STREAMS].host, 0, length);
    backend->copy(queue, &job->buffer[HISTOGRAMS], 0, &job->buffer[HOST_STREAMS], 0, length);
    launch_tiles(job, ENCODE_COUNT_SYMBOLS, (const enum encode_buffer[]){HISTOGRAMS}, 1);
    backend->copy(queue, &job->buffer[HOST_STREAMS], 0, &job->buffer[HISTOGRAMS], 0, length);
    backend->finish(queue);
}

/* Return the Huffman tables of a picture: its own, or the standard ones. */
static struct jpeg_gpu_encode_tables *tables_of(const struct jpeg_gpu_encode_job *job, uint32_t index)
{
    return &job->tables[is_optimised(&job->items[index]) ? index : job->count];
}

/*
 * Make the optimal tables of a picture that needs them. After a failure there are no counts, and the tables do not
 * matter.
 */
static void make_own_tables(void *arg, uint32_t index)
{
    const struct jpeg_gpu_encode_job *job = arg;
    const uint32_t *histogram = (const uint32_t *)(const void *)job->buffer[HOST_STREAMS].host;
    if (!is_optimised(&job->items[index]))
        return;
    if (job->queue->error.status)
        kst_jpeg_gpu_standard_tables(&job->tables[index]);
    else
        kst_jpeg_gpu_optimal_tables(histogram + (size_t)index * ENCODE_CODES, &job->tables[index]);
}

/*
 * Make the Huffman tables. For optimised ones the device counts the symbols and the host makes tables from the counts.
 */
static void make_tables(struct jpeg_gpu_encode_job *job)
{
    uint32_t written = 0;
    kst_jpeg_gpu_standard_tables(&job->tables[job->count]);
    if (any_optimised(job)) {
        count_symbols(job);
        kst_pool_run(job->gathered ? job->runtime->threads : NULL, job->count, make_own_tables, job);
    }
    for (uint32_t i = 0; i < job->count; i++) {
        const struct jpeg_encode_picture *picture = kst_jpeg_gpu_encode_picture(host_work(job), i);
        const struct jpeg_gpu_encode_tables *tables = tables_of(job, i);
        for (uint32_t d = 0; d < 2 && picture->codes > written; d++)
            kst_jpeg_gpu_encode_codes(
                host_work(job), picture, d, &tables->table[JPEG_DC][d], &tables->table[JPEG_AC][d]);
        written = picture->codes > written ? picture->codes : written;
    }
}

static void write_streams(struct jpeg_gpu_encode_job *job)
{
    if (!job->size.summed)
        launch(job, ENCODE_PLACE_BYTES, job->count, GPU_BUFFERS(WORK, LISTS));
    if (job->gathered)
        launch(job, ENCODE_PLACE_STREAMS, 1, GPU_BUFFERS(WORK, LISTS, STREAMS));
    launch(job, ENCODE_WRITE_STREAMS, job->size.tiles, GPU_BUFFERS(WORK, BITS, LISTS, STREAMS));
}

/*
 * Continue in the urgent queue: the rest of this job goes before the tiles of the jobs queued behind it, so that the
 * bus to the host is never idle.
 */
static void hurry(struct jpeg_gpu_encode_job *job)
{
    struct gpu_track *track = job->track;
    if (!track->urgent.handle)
        return;
    record(job, AFTER_TILES);
    /* A queue that failed takes no more work, and all that follows depends on it. */
    track->urgent.error = track->queue.error;
    job->queue = &track->urgent;
    job->runtime->gpu->backend->wait(job->queue, &track->event[AFTER_TILES]);
}

static void code(struct jpeg_gpu_encode_job *job, bool in_row)
{
    upload_work(job);
    record(job, AFTER_UPLOAD);
    launch_tiles(job, ENCODE_TILES, (const enum encode_buffer[]){BITS, LISTS}, 2);
    if (in_row)
        hurry(job);
    if (!job->size.summed)
        launch(job, ENCODE_PLACE_BITS, job->count, GPU_BUFFERS(WORK, LISTS));
    launch(job, ENCODE_MEASURE_TILES, job->size.tiles, GPU_BUFFERS(WORK, BITS, LISTS));
    write_streams(job);
    record(job, AFTER_CODING);
}

static size_t stream_place(const struct jpeg_gpu_encode_job *job, uint32_t index)
{
    return kst_jpeg_gpu_encode_picture(host_work(job), index)->stream * (size_t)16;
}

static uint64_t blocks_of(const struct jpeg_gpu_encode_job *job, uint32_t index)
{
    const struct jpeg_encode_picture *picture = kst_jpeg_gpu_encode_picture(host_work(job), index);
    return (uint64_t)picture->mcus * picture->mcu_blocks;
}

/* Return the number of bytes that a stream is expected to have. */
static uint32_t expected_length(const struct jpeg_gpu_encode_job *job, uint32_t index)
{
    const struct jpeg_encode_picture *picture = kst_jpeg_gpu_encode_picture(host_work(job), index);
    uint64_t expected = blocks_of(job, index) * job->density / 1024;
    return expected < picture->capacity ? (uint32_t)expected : picture->capacity;
}

/*
 * Write the marker segments in front of the stream. If the caller's buffer is pinned, the device writes the stream
 * itself directly to it.
 */
static void start_file(struct jpeg_gpu_encode_job *job, uint32_t index)
{
    struct sink *sink = job->items[index].sink;
    struct landing *landing = &job->landing[index];
    kst_jpeg_gpu_file_start(job->items[index].encoding, tables_of(job, index), sink);
    landing->expected = expected_length(job, index);
    landing->direct = !sink->memory && !sink->status && kst_gpu_is_pinned(job->runtime, sink->data, sink->capacity);
    if (!landing->direct)
        return;
    size_t room = sink->capacity - sink->length;
    landing->expected = landing->expected < room ? landing->expected : (uint32_t)room;
    memcpy(landing->kept, sink->data + sink->length - ENCODE_HEAD, ENCODE_HEAD);
}

/* Return the address at which the head of a stream lands. */
static uint8_t *landed(const struct jpeg_gpu_encode_job *job, uint32_t index)
{
    const struct sink *sink = job->items[index].sink;
    return job->landing[index].direct ? sink->data + sink->length - ENCODE_HEAD
                                      : job->buffer[HOST_STREAMS].host + stream_place(job, index);
}

static void fetch(struct jpeg_gpu_encode_job *job, uint32_t index, size_t from, size_t to)
{
    struct gpu_buffer memory = kst_gpu_host(landed(job, index), SIZE_MAX);
    if (to > from)
        job->runtime->gpu->backend->copy(
            job->queue, &memory, from, &job->buffer[STREAMS], stream_place(job, index) + from, to - from);
}

static void fetch_gathered(struct jpeg_gpu_encode_job *job, uint64_t from, uint64_t to)
{
    if (to > from)
        job->runtime->gpu->backend->copy(job->queue, &job->buffer[HOST_STREAMS], (size_t)from, &job->buffer[STREAMS],
            (size_t)from, (size_t)(to - from));
}

/* Return the number of bytes that the list of lengths and all gathered streams are expected to have. */
static uint64_t expect_gathered(const struct jpeg_gpu_encode_job *job)
{
    uint64_t expected = (job->count + 3ULL) / 4 * 16;
    for (uint32_t i = 0; i < job->count; i++)
        expected += expected_length(job, i) + (job->density > 0 ? 8 : 0);
    return expected < job->buffer[STREAMS].used ? expected : job->buffer[STREAMS].used;
}

static void fetch_heads(struct jpeg_gpu_encode_job *job)
{
    if (job->gathered) {
        job->expected = expect_gathered(job);
        fetch_gathered(job, 0, job->expected);
    }
    for (uint32_t i = 0; i < job->count && !job->gathered; i++)
        fetch(job, i, 0, ENCODE_HEAD + (size_t)job->landing[i].expected);
    record(job, AFTER_ALL);
}

/* Read the lengths of gathered streams, and find their places. */
static bool read_gathered(struct jpeg_gpu_encode_job *job)
{
    const struct jpeg_encode_work *head = (const struct jpeg_encode_work *)(const void *)host_work(job);
    memcpy(job->length, job->buffer[HOST_STREAMS].host, job->count * sizeof *job->length);
    return kst_jpeg_gpu_encode_places(job->length, job->count, job->place) <= head->room * 16ULL;
}

/* Read the lengths of the streams. Returns true if every stream found room. */
static bool read_lengths(struct jpeg_gpu_encode_job *job)
{
    bool fit = true;
    if (job->gathered)
        return read_gathered(job);
    for (uint32_t i = 0; i < job->count; i++) {
        memcpy(&job->length[i], landed(job, i), 4);
        fit &= job->length[i] <= kst_jpeg_gpu_encode_picture(host_work(job), i)->capacity;
    }
    return fit;
}

/* Write the streams again with enough room for their lengths, which are now known. */
static bool enlarge(struct jpeg_gpu_encode_job *job, struct gpu_error *error)
{
    uint64_t length = kst_jpeg_gpu_encode_room(host_work(job), job->count, job->length);
    kst_gpu_pool_give(&job->runtime->pool, &job->buffer[HOST_STREAMS]);
    kst_gpu_pool_give(&job->runtime->pool, &job->buffer[STREAMS]);
    if (!take(job, HOST_STREAMS, length, error) || !take(job, STREAMS, length, error))
        return false;
    for (uint32_t i = 0; i < job->count; i++)
        if (job->landing[i].expected > job->length[i])
            job->landing[i].expected = job->length[i];
    upload_work(job);
    write_streams(job);
    fetch_heads(job);
    return true;
}

/* Return the number of bytes of a stream for which there is room where it lands. */
static size_t length_landed(const struct jpeg_gpu_encode_job *job, uint32_t index)
{
    const struct sink *sink = job->items[index].sink;
    size_t room = job->landing[index].direct ? sink->capacity - sink->length : SIZE_MAX;
    return job->length[index] < room ? job->length[index] : room;
}

static void note_density(struct jpeg_gpu_encode_job *job, uint64_t density)
{
    atomic_store(&state_of(job)->density, (unsigned)(density + density / 32));
}

static void fetch_rest_gathered(struct jpeg_gpu_encode_job *job)
{
    uint32_t last = job->count - 1;
    uint64_t bytes = job->length[last], blocks = blocks_of(job, last), end = job->place[last] + job->length[last];
    for (uint32_t i = 0; i < last; i++) {
        bytes += job->length[i];
        blocks += blocks_of(job, i);
    }
    note_density(job, blocks > 0 ? bytes * 1024 / blocks + 1 : 0);
    fetch_gathered(job, job->expected, end);
    if (end > job->expected)
        job->runtime->gpu->backend->finish(job->queue);
}

static void fetch_rest(struct jpeg_gpu_encode_job *job)
{
    bool complete = true;
    uint64_t density = 0;
    if (job->gathered) {
        fetch_rest_gathered(job);
        return;
    }
    for (uint32_t i = 0; i < job->count; i++) {
        uint64_t own = job->length[i] * UINT64_C(1024) / blocks_of(job, i) + 1;
        size_t fetched = job->landing[i].expected, length = length_landed(job, i);
        density = own > density ? own : density;
        complete &= fetched >= length;
        fetch(job, i, ENCODE_HEAD + fetched, ENCODE_HEAD + length);
    }
    if (!complete)
        job->runtime->gpu->backend->finish(job->queue);
    note_density(job, density);
}

static void read_times(const struct jpeg_gpu_encode_job *job, struct jpeg_gpu_encode_times *times)
{
    struct gpu *gpu = job->runtime->gpu;
    const struct gpu_event *event = job->track->event;
    double (*elapsed)(struct gpu *, const struct gpu_event *, const struct gpu_event *) = gpu->backend->elapsed;
    *times = (struct jpeg_gpu_encode_times){.upload = elapsed(gpu, &event[BEFORE], &event[AFTER_UPLOAD]),
        .coding = elapsed(gpu, &event[AFTER_UPLOAD], &event[AFTER_CODING]),
        .download = elapsed(gpu, &event[AFTER_CODING], &event[AFTER_ALL])};
}

struct jpeg_gpu_encode_job *kst_jpeg_gpu_encode_begin(struct gpu_runtime *runtime,
    const struct jpeg_gpu_encode_item *items, uint32_t count, bool in_row, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    struct jpeg_gpu_encode_job *job = kst_memory_zeroed(runtime->gpu->memory, 1, sizeof *job, &error->status);
    if (!job)
        return NULL;
    job->runtime = runtime;
    job->items = items;
    job->count = count;
    if (!prepare(job, error)) {
        release(job);
        return NULL;
    }
    upload(job);
    make_tables(job);
    code(job, in_row);
    for (uint32_t i = 0; i < count && !job->gathered; i++)
        start_file(job, i);
    fetch_heads(job);
    return job;
}

/* Wait for the job. The queue in use has waited for the first one, unless it failed before. */
static void finish(struct jpeg_gpu_encode_job *job)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    backend->finish(job->queue);
    if (job->queue->error.status && job->queue != &job->track->queue)
        backend->finish(&job->track->queue);
}

void kst_jpeg_gpu_encode_wait(
    struct jpeg_gpu_encode_job *job, struct jpeg_gpu_encode_times *times, struct gpu_error *error)
{
    const struct gpu_backend *backend = job->runtime->gpu->backend;
    const struct gpu_error *failed = &job->queue->error;
    *error = (struct gpu_error){.status = KST_OK};
    finish(job);
    if (!failed->status)
        read_times(job, times);
    if (!failed->status && !read_lengths(job) && enlarge(job, error))
        backend->finish(job->queue);
    if (!failed->status && !error->status)
        fetch_rest(job);
    if (failed->status)
        *error = *failed;
}

/* Write a file whose stream was downloaded together with others. */
static void write_gathered(struct jpeg_gpu_encode_job *job, uint32_t index)
{
    enum { MARKERS = 1024 }; /* bytes of the usual marker segments, about */
    struct sink *sink = job->items[index].sink;
    kst_sink_expect(sink, (size_t)job->length[index] + MARKERS);
    kst_jpeg_gpu_file_start(job->items[index].encoding, tables_of(job, index), sink);
    kst_sink_bytes(sink, job->buffer[HOST_STREAMS].host + job->place[index], job->length[index]);
    kst_jpeg_gpu_file_end(sink);
}

void kst_jpeg_gpu_encode_write(struct jpeg_gpu_encode_job *job, uint32_t index)
{
    if (job->gathered) {
        write_gathered(job, index);
        return;
    }
    struct sink *sink = job->items[index].sink;
    const struct landing *landing = &job->landing[index];
    const uint8_t *stream = landed(job, index) + ENCODE_HEAD;
    if (!landing->direct) {
        kst_sink_bytes(sink, stream, job->length[index]);
    } else {
        memcpy(sink->data + sink->length - ENCODE_HEAD, landing->kept, ENCODE_HEAD);
        if (kst_sink_reserve(sink, job->length[index]))
            sink->length += job->length[index];
    }
    kst_jpeg_gpu_file_end(sink);
}

void kst_jpeg_gpu_encode_end(struct jpeg_gpu_encode_job *job)
{
    release(job);
}
