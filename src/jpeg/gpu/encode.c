/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a batch of pictures to encode through the device, from upload to the finished files. */
#include "jpeg/gpu/encode.h"

#include <string.h>

#include "device/pinned.h"
#include "jpeg/gpu/encode_batch.h"
#include "jpeg/gpu/encode_file.h"

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

/* Events of a batch's lane. */
enum encode_event { BEFORE, AFTER_UPLOAD, AFTER_TILES, AFTER_CODING, AFTER_ALL };

/*
 * Where the bytes of a stream are copied to: the batch's buffer or, if `direct`, the caller's buffer, behind the marker
 * segments in front of the stream.
 */
struct landing {
    bool direct;
    uint32_t expected;         /* bytes of the stream that are fetched before its length is known */
    uint8_t kept[ENCODE_HEAD]; /* direct: bytes of the caller's that the stream's head overwrites for a while */
};

/* A batch on its way through the device. */
struct encode_batch {
    struct gpu_executor *executor;
    const struct gpu_built *built; /* kst_jpeg_gpu_encoding */
    const struct jpeg_encode_item *items;
    uint32_t count;
    struct encode_size size;
    struct gpu_lane *lane;
    struct gpu_queue *queue; /* the queue of the lane that is in use, the urgent one towards the end */
    struct gpu_buffer buffer[BUFFERS];
    struct encode_tables *tables; /* one for each picture */
    struct landing *landing;      /* one for each picture */
    uint32_t *length;             /* lengths of the streams, one for each picture */
    uint32_t density;             /* expected bytes per 1,024 blocks, fetched before the lengths are known */
};

static bool is_optimised(const struct jpeg_encode_item *item)
{
    return item->encoding->coding == KST_CODING_OPTIMIZED;
}

static bool any_optimised(const struct encode_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++)
        if (is_optimised(&batch->items[i]))
            return true;
    return false;
}

static uint32_t *host_work(const struct encode_batch *batch)
{
    return (uint32_t *)(void *)batch->buffer[HOST_WORK].host;
}

static bool take(struct encode_batch *batch, enum encode_buffer which, uint64_t length, struct gpu_error *error)
{
    return kst_gpu_pool_take(&batch->executor->pool, which <= HOST_STREAMS ? GPU_PINNED : GPU_DEVICE, (size_t)length,
        &batch->buffer[which], error);
}

static bool take_buffers(struct encode_batch *batch, struct gpu_error *error)
{
    const struct encode_size *size = &batch->size;
    const uint64_t histograms = batch->count * ENCODE_CODES * 4ULL;
    const uint64_t length[BUFFERS] = {[HOST_WORK] = size->words * 4ULL,
        [HOST_PIXELS] = size->staged + 1,
        [HOST_STREAMS] = size->streams > histograms ? size->streams : histograms,
        [WORK] = size->words * 4ULL,
        [PIXELS] = size->pixels + 1,
        [HISTOGRAMS] = histograms,
        [BITS] = size->blocks * ENCODE_BLOCK_WORDS * 4,
        [LISTS] = size->tiles * ENCODE_LISTS * 4ULL,
        [STREAMS] = size->streams};
    for (uint32_t i = 0; i < BUFFERS; i++)
        if (!take(batch, (enum encode_buffer)i, length[i], error))
            return false;
    return true;
}

static struct jpeg_gpu_encoding_state *state_of(const struct encode_batch *batch)
{
    return batch->built->state;
}

static void launch(
    struct encode_batch *batch, enum encode_kernel kernel, uint32_t groups, const uint32_t *buffers, uint32_t count)
{
    kst_gpu_launch_buffers(batch->queue, batch->built, kernel, groups, batch->buffer, buffers, count);
}

static bool prepare(struct encode_batch *batch, struct gpu_error *error)
{
    struct memory *memory = batch->executor->gpu->memory;
    batch->size = kst_gpu_encode_size(batch->items, batch->count);
    batch->tables = kst_memory_array(memory, batch->count, sizeof *batch->tables, &error->status);
    batch->length = kst_memory_array(memory, batch->count, sizeof *batch->length, &error->status);
    batch->landing = kst_memory_zeroed(memory, batch->count, sizeof *batch->landing, &error->status);
    if (!batch->tables || !batch->length || !batch->landing)
        return false;
    batch->built = kst_gpu_executor_build(batch->executor, &kst_jpeg_gpu_encoding, error);
    if (!batch->built)
        return false;
    batch->density = atomic_load(&state_of(batch)->density);
    batch->lane = kst_gpu_lane_take(batch->executor, error);
    if (!batch->lane)
        return false;
    batch->queue = &batch->lane->queue;
    if (batch->items->after)
        batch->executor->gpu->backend->wait(batch->queue, batch->items->after);
    return take_buffers(batch, error);
}

static void release(struct encode_batch *batch)
{
    struct memory *memory = batch->executor->gpu->memory;
    for (uint32_t i = 0; i < BUFFERS; i++)
        kst_gpu_pool_give(&batch->executor->pool, &batch->buffer[i]);
    kst_gpu_lane_give(batch->executor, batch->lane);
    kst_memory_release(memory, batch->tables);
    kst_memory_release(memory, batch->length);
    kst_memory_release(memory, batch->landing);
    kst_memory_release(memory, batch);
}

static void record(struct encode_batch *batch, enum encode_event event)
{
    batch->executor->gpu->backend->record(batch->queue, &batch->lane->event[event]);
}

/*
 * The buffer that holds a picture's pixels, as far as a launch's argument is concerned; for pixels at an address the
 * batch's own buffer.
 */
static const struct gpu_buffer *pixels_of(const struct encode_batch *batch, uint32_t index)
{
    const struct jpeg_encode_item *item = &batch->items[index];
    bool own = item->source == GPU_SOURCE_DIRECT && item->image->memory == KST_MEMORY_OPENCL;
    return own ? &item->planes.buffer[0] : &batch->buffer[PIXELS];
}

/* Launch a kernel over all tiles: in one launch or, with OpenCL, in one for each buffer that holds pictures. */
static void launch_tiles(
    struct encode_batch *batch, enum encode_kernel kernel, const enum encode_buffer *results, uint32_t count)
{
    const uint32_t *work = host_work(batch), *first = work + ((const struct encode_work *)(const void *)work)->tiles;
    struct gpu_argument arguments[BUFFERS] = {{.buffer = &batch->buffer[WORK]}};
    for (uint32_t i = 0; i < count; i++)
        arguments[2 + i] = (struct gpu_argument){.buffer = &batch->buffer[results[i]]};
    for (uint32_t i = 0, end; i < batch->count; i = end) {
        arguments[1] = (struct gpu_argument){.buffer = pixels_of(batch, i)};
        arguments[2 + count] = (struct gpu_argument){.value = first[i]};
        for (end = i + 1; end < batch->count && pixels_of(batch, end)->handle == arguments[1].buffer->handle;)
            end++;
        kst_gpu_launch(batch->queue, batch->built, kernel, first[end] - first[i], arguments, count + 3);
    }
}

static void upload(struct encode_batch *batch)
{
    record(batch, BEFORE);
    kst_gpu_encode_work(batch->items, batch->count, host_work(batch));
    kst_gpu_encode_upload(batch->queue, batch->items, batch->count, host_work(batch), &batch->buffer[HOST_PIXELS],
        &batch->buffer[PIXELS]);
}

static void upload_work(struct encode_batch *batch)
{
    batch->executor->gpu->backend->copy(
        batch->queue, &batch->buffer[WORK], 0, &batch->buffer[HOST_WORK], 0, batch->size.words * 4ULL);
}

/*
 * Make the Huffman tables. For optimised ones the device counts the symbols and the host makes tables from the counts.
 */
static void make_tables(struct encode_batch *batch)
{
    const struct gpu_backend *backend = batch->executor->gpu->backend;
    struct gpu_queue *queue = batch->queue;
    size_t length = batch->count * ENCODE_CODES * 4ULL;
    const uint32_t *histogram = (const uint32_t *)(const void *)batch->buffer[HOST_STREAMS].host;
    bool optimised = any_optimised(batch);
    if (optimised) {
        upload_work(batch);
        memset(batch->buffer[HOST_STREAMS].host, 0, length);
        backend->copy(queue, &batch->buffer[HISTOGRAMS], 0, &batch->buffer[HOST_STREAMS], 0, length);
        launch_tiles(batch, ENCODE_COUNT_SYMBOLS, (const enum encode_buffer[]){HISTOGRAMS}, 1);
        backend->copy(queue, &batch->buffer[HOST_STREAMS], 0, &batch->buffer[HISTOGRAMS], 0, length);
        backend->finish(queue);
    }
    for (uint32_t i = 0; i < batch->count; i++, histogram += ENCODE_CODES) {
        if (is_optimised(&batch->items[i]) && queue->error.status == KST_OK)
            kst_gpu_encode_optimal_tables(histogram, &batch->tables[i]);
        else
            kst_gpu_encode_standard_tables(&batch->tables[i]);
        const struct encode_picture *picture = kst_gpu_encode_picture(host_work(batch), i);
        for (uint32_t d = 0; d < 2; d++)
            kst_gpu_encode_codes(
                host_work(batch), picture, d, &batch->tables[i].table[JPEG_DC][d], &batch->tables[i].table[JPEG_AC][d]);
    }
}

static void write_streams(struct encode_batch *batch)
{
    if (!batch->size.summed)
        launch(batch, ENCODE_PLACE_BYTES, batch->count, GPU_BUFFERS(WORK, LISTS));
    launch(batch, ENCODE_WRITE_STREAMS, batch->size.tiles, GPU_BUFFERS(WORK, BITS, LISTS, STREAMS));
}

/*
 * Continue in the urgent queue: the rest of this batch goes before the tiles of the batches behind it, so that the bus
 * to the host is never idle.
 */
static void hurry(struct encode_batch *batch)
{
    struct gpu_lane *lane = batch->lane;
    if (!lane->urgent.handle)
        return;
    record(batch, AFTER_TILES);
    /* A queue that failed takes no more work, and all that follows depends on it. */
    lane->urgent.error = lane->queue.error;
    batch->queue = &lane->urgent;
    batch->executor->gpu->backend->wait(batch->queue, &lane->event[AFTER_TILES]);
}

static void code(struct encode_batch *batch, bool in_row)
{
    upload_work(batch);
    record(batch, AFTER_UPLOAD);
    launch_tiles(batch, ENCODE_TILES, (const enum encode_buffer[]){BITS, LISTS}, 2);
    if (in_row)
        hurry(batch);
    if (!batch->size.summed)
        launch(batch, ENCODE_PLACE_BITS, batch->count, GPU_BUFFERS(WORK, LISTS));
    launch(batch, ENCODE_MEASURE_TILES, batch->size.tiles, GPU_BUFFERS(WORK, BITS, LISTS));
    write_streams(batch);
    record(batch, AFTER_CODING);
}

static size_t stream_place(const struct encode_batch *batch, uint32_t index)
{
    return kst_gpu_encode_picture(host_work(batch), index)->stream * (size_t)16;
}

/* The number of bytes that are likely to be all of a stream. */
static uint32_t expected_length(const struct encode_batch *batch, uint32_t index)
{
    const struct encode_picture *picture = kst_gpu_encode_picture(host_work(batch), index);
    uint64_t blocks = (uint64_t)picture->mcus * picture->mcu_blocks;
    uint64_t expected = blocks * batch->density / 1024;
    return expected < picture->capacity ? (uint32_t)expected : picture->capacity;
}

/*
 * Write the marker segments in front of the stream. A pinned buffer of the caller's receives the stream itself directly
 * from the device.
 */
static void start_file(struct encode_batch *batch, uint32_t index)
{
    struct sink *sink = batch->items[index].sink;
    struct landing *landing = &batch->landing[index];
    kst_gpu_encode_start(batch->items[index].encoding, &batch->tables[index], sink);
    landing->expected = expected_length(batch, index);
    landing->direct =
        !sink->memory && sink->status == KST_OK && kst_gpu_is_pinned(batch->executor, sink->data, sink->capacity);
    if (!landing->direct)
        return;
    size_t room = sink->capacity - sink->length;
    landing->expected = landing->expected < room ? landing->expected : (uint32_t)room;
    memcpy(landing->kept, sink->data + sink->length - ENCODE_HEAD, ENCODE_HEAD);
}

/* The address at which the head of a stream lands. */
static uint8_t *landed(const struct encode_batch *batch, uint32_t index)
{
    const struct sink *sink = batch->items[index].sink;
    return batch->landing[index].direct ? sink->data + sink->length - ENCODE_HEAD
                                        : batch->buffer[HOST_STREAMS].host + stream_place(batch, index);
}

static void fetch(struct encode_batch *batch, uint32_t index, size_t from, size_t to)
{
    struct gpu_buffer memory = kst_gpu_host(landed(batch, index), SIZE_MAX);
    if (to > from)
        batch->executor->gpu->backend->copy(
            batch->queue, &memory, from, &batch->buffer[STREAMS], stream_place(batch, index) + from, to - from);
}

static void fetch_heads(struct encode_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++)
        fetch(batch, i, 0, ENCODE_HEAD + (size_t)batch->landing[i].expected);
    record(batch, AFTER_ALL);
}

/* Read the lengths of the streams. True if every stream found room. */
static bool read_lengths(struct encode_batch *batch)
{
    bool fit = true;
    for (uint32_t i = 0; i < batch->count; i++) {
        memcpy(&batch->length[i], landed(batch, i), 4);
        fit &= batch->length[i] <= kst_gpu_encode_picture(host_work(batch), i)->capacity;
    }
    return fit;
}

/* Write the streams again with enough room for their lengths, which are now known. */
static bool enlarge(struct encode_batch *batch, struct gpu_error *error)
{
    uint64_t length = kst_gpu_encode_room(host_work(batch), batch->count, batch->length);
    kst_gpu_pool_give(&batch->executor->pool, &batch->buffer[HOST_STREAMS]);
    kst_gpu_pool_give(&batch->executor->pool, &batch->buffer[STREAMS]);
    if (!take(batch, HOST_STREAMS, length, error) || !take(batch, STREAMS, length, error))
        return false;
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->landing[i].expected > batch->length[i])
            batch->landing[i].expected = batch->length[i];
    upload_work(batch);
    write_streams(batch);
    fetch_heads(batch);
    return true;
}

/* The bytes of a stream for which there is room where it lands. */
static size_t length_landed(const struct encode_batch *batch, uint32_t index)
{
    const struct sink *sink = batch->items[index].sink;
    size_t room = batch->landing[index].direct ? sink->capacity - sink->length : SIZE_MAX;
    return batch->length[index] < room ? batch->length[index] : room;
}

static void fetch_rest(struct encode_batch *batch)
{
    bool complete = true;
    uint64_t density = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct encode_picture *picture = kst_gpu_encode_picture(host_work(batch), i);
        uint64_t own = batch->length[i] * UINT64_C(1024) / ((uint64_t)picture->mcus * picture->mcu_blocks) + 1;
        size_t fetched = batch->landing[i].expected, length = length_landed(batch, i);
        density = own > density ? own : density;
        complete &= fetched >= length;
        fetch(batch, i, ENCODE_HEAD + fetched, ENCODE_HEAD + length);
    }
    if (!complete)
        batch->executor->gpu->backend->finish(batch->queue);
    atomic_store(&state_of(batch)->density, (unsigned)(density + density / 32));
}

static void read_times(const struct encode_batch *batch, struct jpeg_encode_times *times)
{
    struct gpu *gpu = batch->executor->gpu;
    const struct gpu_event *event = batch->lane->event;
    double (*elapsed)(struct gpu *, const struct gpu_event *, const struct gpu_event *) = gpu->backend->elapsed;
    *times = (struct jpeg_encode_times){.upload = elapsed(gpu, &event[BEFORE], &event[AFTER_UPLOAD]),
        .coding = elapsed(gpu, &event[AFTER_UPLOAD], &event[AFTER_CODING]),
        .download = elapsed(gpu, &event[AFTER_CODING], &event[AFTER_ALL])};
}

struct encode_batch *kst_gpu_jpeg_encode_begin(struct gpu_executor *executor, const struct jpeg_encode_item *items,
    uint32_t count, bool in_row, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    struct encode_batch *batch = kst_memory_zeroed(executor->gpu->memory, 1, sizeof *batch, &error->status);
    if (!batch)
        return NULL;
    batch->executor = executor;
    batch->items = items;
    batch->count = count;
    if (!prepare(batch, error)) {
        release(batch);
        return NULL;
    }
    upload(batch);
    make_tables(batch);
    code(batch, in_row);
    for (uint32_t i = 0; i < count; i++)
        start_file(batch, i);
    fetch_heads(batch);
    return batch;
}

/* The queue in use has waited for the first one, except if it failed before. */
static void finish(struct encode_batch *batch)
{
    const struct gpu_backend *backend = batch->executor->gpu->backend;
    backend->finish(batch->queue);
    if (batch->queue->error.status && batch->queue != &batch->lane->queue)
        backend->finish(&batch->lane->queue);
}

void kst_gpu_jpeg_encode_wait(struct encode_batch *batch, struct jpeg_encode_times *times, struct gpu_error *error)
{
    const struct gpu_backend *backend = batch->executor->gpu->backend;
    const struct gpu_error *failed = &batch->queue->error;
    *error = (struct gpu_error){.status = KST_OK};
    finish(batch);
    if (!failed->status)
        read_times(batch, times);
    if (!failed->status && !read_lengths(batch) && enlarge(batch, error))
        backend->finish(batch->queue);
    if (!failed->status && !error->status)
        fetch_rest(batch);
    if (failed->status)
        *error = *failed;
}

void kst_gpu_jpeg_encode_write(struct encode_batch *batch, uint32_t index)
{
    struct sink *sink = batch->items[index].sink;
    const struct landing *landing = &batch->landing[index];
    const uint8_t *stream = landed(batch, index) + ENCODE_HEAD;
    if (!landing->direct) {
        kst_sink_bytes(sink, stream, batch->length[index]);
    } else {
        memcpy(sink->data + sink->length - ENCODE_HEAD, landing->kept, ENCODE_HEAD);
        if (kst_sink_reserve(sink, batch->length[index]))
            sink->length += batch->length[index];
    }
    kst_gpu_encode_end(sink);
}

void kst_gpu_jpeg_encode_end(struct encode_batch *batch)
{
    release(batch);
}
