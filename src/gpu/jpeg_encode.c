/* SPDX-License-Identifier: BSD-2-Clause */
#include "gpu/jpeg_encode.h"

#include <string.h>

#include "gpu/jpeg_encode_batch.h"
#include "gpu/jpeg_encode_file.h"

enum encode_buffer {
    HOST_WORK, /* the first are pinned */
    HOST_PIXELS,
    HOST_STREAMS,
    WORK,
    PIXELS, /* of the pictures that are not on the device */
    HISTOGRAMS,
    BITS,
    LISTS,
    STREAMS,
    BUFFERS
};

/* Events of a batch's lane. */
enum encode_event { BEFORE, AFTER_UPLOAD, AFTER_KERNEL, AFTER_ALL = AFTER_KERNEL + ENCODE_KERNELS };

/* A batch on its way through the device. */
struct batch {
    struct gpu_executor *executor;
    const struct jpeg_encode_item *items;
    uint32_t count;
    bool detail;
    struct encode_size size;
    struct gpu_lane *lane;
    struct gpu_buffer buffer[BUFFERS];
    struct encode_tables *tables; /* one a picture */
    uint32_t *length;             /* of the streams, one a picture */
    uint32_t density;             /* bytes of 1,024 blocks that are fetched before the lengths are known */
};

static bool is_optimised(const struct jpeg_encode_item *item)
{
    return item->encoding->coding == KST_CODING_OPTIMIZED;
}

static bool any_optimised(const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++)
        if (is_optimised(&batch->items[i]))
            return true;
    return false;
}

static uint32_t *host_work(const struct batch *batch)
{
    return (uint32_t *)(void *)batch->buffer[HOST_WORK].host;
}

static bool take(struct batch *batch, enum encode_buffer which, uint64_t length, struct gpu_error *error)
{
    return kst_gpu_pool_take(&batch->executor->pool, which <= HOST_STREAMS ? GPU_PINNED : GPU_DEVICE, (size_t)length,
        &batch->buffer[which], error);
}

static bool take_buffers(struct batch *batch, struct gpu_error *error)
{
    const struct encode_size *size = &batch->size;
    const uint64_t histograms = batch->count * ENCODE_CODES * 4ULL;
    const uint64_t length[BUFFERS] = {[HOST_WORK] = size->words * 4ULL,
        [HOST_PIXELS] = size->pixels + 1,
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

static bool prepare(struct batch *batch, struct gpu_error *error)
{
    struct memory *memory = batch->executor->gpu->memory;
    batch->size = kst_gpu_encode_size(batch->items, batch->count);
    batch->density = atomic_load(&batch->executor->density);
    batch->tables = kst_memory_array(memory, batch->count, sizeof *batch->tables, &error->status);
    batch->length = kst_memory_array(memory, batch->count, sizeof *batch->length, &error->status);
    if (!batch->tables || !batch->length || !kst_gpu_executor_encodes(batch->executor, error))
        return false;
    batch->lane = kst_gpu_lane_take(batch->executor, error);
    return batch->lane && take_buffers(batch, error);
}

static void release(struct batch *batch)
{
    struct memory *memory = batch->executor->gpu->memory;
    for (uint32_t i = 0; i < BUFFERS; i++)
        kst_gpu_pool_give(&batch->executor->pool, &batch->buffer[i]);
    kst_gpu_lane_give(batch->executor, batch->lane);
    kst_memory_release(memory, batch->tables);
    kst_memory_release(memory, batch->length);
}

static void launch(struct batch *batch, enum encode_kernel kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count)
{
    const struct gpu_backend *backend = batch->executor->gpu->backend;
    backend->launch(&batch->lane->queue, &batch->executor->encode[kernel], groups, arguments, count);
    if (batch->detail || kernel == ENCODE_WRITE_STREAMS)
        backend->record(&batch->lane->queue, &batch->lane->event[AFTER_KERNEL + kernel]);
}

#define BUFFER(which)                                                                                                  \
    {                                                                                                                  \
        .buffer = &batch->buffer[which]                                                                                \
    }
#define LAUNCH(kernel, groups, ...)                                                                                    \
    launch(batch, kernel, groups, (const struct gpu_argument[]){__VA_ARGS__},                                          \
        sizeof((const struct gpu_argument[]){__VA_ARGS__}) / sizeof(struct gpu_argument))

static void upload(struct batch *batch)
{
    const struct gpu_backend *backend = batch->executor->gpu->backend;
    struct gpu_queue *queue = &batch->lane->queue;
    backend->record(queue, &batch->lane->event[BEFORE]);
    kst_gpu_encode_work(batch->items, batch->count, host_work(batch));
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct encode_picture *picture = kst_gpu_encode_picture(host_work(batch), i);
        kst_gpu_encode_pixels(&batch->items[i], picture, batch->buffer[HOST_PIXELS].host);
    }
    backend->copy(queue, &batch->buffer[PIXELS], 0, &batch->buffer[HOST_PIXELS], 0, (size_t)batch->size.pixels);
}

static void upload_work(struct batch *batch)
{
    batch->executor->gpu->backend->copy(
        &batch->lane->queue, &batch->buffer[WORK], 0, &batch->buffer[HOST_WORK], 0, batch->size.words * 4ULL);
}

/* Optimised tables: the symbols are counted, and the host makes tables of the counts. */
static void make_tables(struct batch *batch)
{
    const struct gpu_backend *backend = batch->executor->gpu->backend;
    struct gpu_queue *queue = &batch->lane->queue;
    size_t length = batch->count * ENCODE_CODES * 4ULL;
    const uint32_t *histogram = (const uint32_t *)(const void *)batch->buffer[HOST_STREAMS].host;
    bool optimised = any_optimised(batch);
    if (optimised) {
        upload_work(batch);
        backend->fill(queue, &batch->buffer[HISTOGRAMS], 0, length, 0);
        LAUNCH(ENCODE_COUNT_SYMBOLS, batch->size.tiles, BUFFER(WORK), BUFFER(PIXELS), BUFFER(HISTOGRAMS), {.value = 0});
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

static void write_streams(struct batch *batch)
{
    LAUNCH(ENCODE_PLACE_BYTES, batch->count, BUFFER(WORK), BUFFER(LISTS), BUFFER(STREAMS));
    LAUNCH(ENCODE_WRITE_STREAMS, batch->size.tiles, BUFFER(WORK), BUFFER(BITS), BUFFER(LISTS), BUFFER(STREAMS));
}

static void code(struct batch *batch)
{
    upload_work(batch);
    batch->executor->gpu->backend->record(&batch->lane->queue, &batch->lane->event[AFTER_UPLOAD]);
    LAUNCH(ENCODE_TILES, batch->size.tiles, BUFFER(WORK), BUFFER(PIXELS), BUFFER(BITS), BUFFER(LISTS), {.value = 0});
    LAUNCH(ENCODE_PLACE_BITS, batch->count, BUFFER(WORK), BUFFER(LISTS));
    LAUNCH(ENCODE_MEASURE_TILES, batch->size.tiles, BUFFER(WORK), BUFFER(BITS), BUFFER(LISTS));
    write_streams(batch);
}

static size_t stream_place(const struct batch *batch, uint32_t index)
{
    return kst_gpu_encode_picture(host_work(batch), index)->stream * (size_t)16;
}

/* Bytes of a stream that are likely to be all of it. */
static uint32_t expected_length(const struct batch *batch, uint32_t index)
{
    const struct encode_picture *picture = kst_gpu_encode_picture(host_work(batch), index);
    uint64_t blocks = (uint64_t)picture->mcus * picture->mcu_blocks;
    uint64_t expected = blocks * batch->density / 1024;
    return expected < picture->capacity ? (uint32_t)expected : picture->capacity;
}

static void fetch(struct batch *batch, uint32_t index, size_t from, size_t to)
{
    size_t place = stream_place(batch, index);
    if (to > from)
        batch->executor->gpu->backend->copy(&batch->lane->queue, &batch->buffer[HOST_STREAMS], place + from,
            &batch->buffer[STREAMS], place + from, to - from);
}

static void fetch_heads(struct batch *batch)
{
    const struct gpu_backend *backend = batch->executor->gpu->backend;
    for (uint32_t i = 0; i < batch->count; i++)
        fetch(batch, i, 0, ENCODE_HEAD + expected_length(batch, i));
    backend->record(&batch->lane->queue, &batch->lane->event[AFTER_ALL]);
    backend->finish(&batch->lane->queue);
}

/* True where every stream has found room. */
static bool read_lengths(struct batch *batch)
{
    bool fit = true;
    for (uint32_t i = 0; i < batch->count; i++) {
        memcpy(&batch->length[i], batch->buffer[HOST_STREAMS].host + stream_place(batch, i), 4);
        fit &= batch->length[i] <= kst_gpu_encode_picture(host_work(batch), i)->capacity;
    }
    return fit;
}

/* Once more with room enough, which the lengths tell. */
static bool enlarge(struct batch *batch, struct gpu_error *error)
{
    uint64_t length = kst_gpu_encode_room(host_work(batch), batch->count, batch->length);
    kst_gpu_pool_give(&batch->executor->pool, &batch->buffer[HOST_STREAMS]);
    kst_gpu_pool_give(&batch->executor->pool, &batch->buffer[STREAMS]);
    if (!take(batch, HOST_STREAMS, length, error) || !take(batch, STREAMS, length, error))
        return false;
    upload_work(batch);
    write_streams(batch);
    fetch_heads(batch);
    return batch->lane->queue.error.status == KST_OK;
}

static void fetch_rest(struct batch *batch)
{
    bool complete = true;
    uint64_t density = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct encode_picture *picture = kst_gpu_encode_picture(host_work(batch), i);
        uint32_t expected = expected_length(batch, i);
        uint64_t own = batch->length[i] * UINT64_C(1024) / ((uint64_t)picture->mcus * picture->mcu_blocks) + 1;
        density = own > density ? own : density;
        complete &= expected >= batch->length[i];
        fetch(batch, i, ENCODE_HEAD + expected, ENCODE_HEAD + batch->length[i]);
    }
    if (!complete)
        batch->executor->gpu->backend->finish(&batch->lane->queue);
    atomic_store(&batch->executor->density, (unsigned)(density + density / 32));
}

static void write_files(struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        struct sink *sink = batch->items[i].sink;
        kst_gpu_encode_start(batch->items[i].encoding, &batch->tables[i], sink);
        kst_sink_bytes(sink, batch->buffer[HOST_STREAMS].host + stream_place(batch, i) + ENCODE_HEAD, batch->length[i]);
        kst_gpu_encode_end(sink);
    }
}

static void read_times(const struct batch *batch, struct jpeg_encode_times *times)
{
    struct gpu *gpu = batch->executor->gpu;
    const struct gpu_event *event = batch->lane->event;
    const struct gpu_event *coded = &event[AFTER_KERNEL + ENCODE_WRITE_STREAMS];
    double (*elapsed)(struct gpu *, const struct gpu_event *, const struct gpu_event *) = gpu->backend->elapsed;
    times->upload += elapsed(gpu, &event[BEFORE], &event[AFTER_UPLOAD]);
    times->coding += elapsed(gpu, &event[AFTER_UPLOAD], coded);
    times->download += elapsed(gpu, coded, &event[AFTER_ALL]);
    for (int i = ENCODE_TILES; batch->detail && i < ENCODE_KERNELS; i++)
        times->kernel[i] +=
            elapsed(gpu, &event[i == ENCODE_TILES ? AFTER_UPLOAD : AFTER_KERNEL + i - 1], &event[AFTER_KERNEL + i]);
}

static void run(struct batch *batch, struct jpeg_encode_times *times, struct gpu_error *error)
{
    upload(batch);
    make_tables(batch);
    code(batch);
    fetch_heads(batch);
    struct gpu_error *failed = &batch->lane->queue.error;
    if (!failed->status)
        read_times(batch, times);
    if (!failed->status && !read_lengths(batch))
        enlarge(batch, error);
    if (!failed->status && !error->status)
        fetch_rest(batch);
    if (failed->status)
        *error = *failed;
    if (!error->status)
        write_files(batch);
}

static void encode_batch(struct gpu_executor *executor, const struct jpeg_encode_item *items, uint32_t count,
    bool detail, struct jpeg_encode_times *times, struct gpu_error *error)
{
    struct batch batch = {.executor = executor, .items = items, .count = count, .detail = detail};
    if (prepare(&batch, error))
        run(&batch, times, error);
    release(&batch);
}

kst_status kst_gpu_jpeg_encode(struct gpu_executor *executor, const struct jpeg_encode_item *items, uint32_t count,
    bool detail, struct jpeg_encode_times *times, struct gpu_error *error)
{
    *error = (struct gpu_error){.status = KST_OK};
    *times = (struct jpeg_encode_times){.upload = 0};
    for (uint32_t done = 0, some; done < count && !error->status; done += some) {
        some = kst_gpu_jpeg_encode_share(items + done, count - done);
        encode_batch(executor, items + done, some, detail, times, error);
    }
    return error->status;
}
