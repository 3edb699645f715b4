/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes the MCU rows of a sequential scan on several threads and joins them in order; also counts their symbols. */
#include "jpeg/cpu/entropy/scan_encode.h"

#include <pthread.h>
#include <string.h>

/*
 * Describes a coded row of MCUs. If the row does not start a restart interval, its first MCU depends on the row before
 * through the DC prediction. Such an MCU is deferred: it is kept as blocks and coded when the rows are joined.
 */
struct band {
    _Alignas(64) int16_t first[JPEG_MCU_BLOCKS][64];
    uint64_t first_mask[JPEG_MCU_BLOCKS];
    struct jpeg_bit_string bits; /* the MCUs after the deferred one */
    int32_t dc[JPEG_COMPONENTS]; /* DC predictions after the row */
    bool deferred;
    bool done;
};

struct chunk {
    _Alignas(64) int16_t block[JPEG_CHUNK_BLOCKS][64];
    uint64_t mask[JPEG_CHUNK_BLOCKS];
};

/* Rows are claimed in order and joined in order; `band` is a ring that holds the rows in between. */
struct scan_coding {
    const struct jpeg_scan_crew *crew;
    struct chunk *chunk; /* one per worker */
    struct band *band;
    uint32_t band_count;
    pthread_mutex_t lock;
    pthread_cond_t freed; /* signalled when a band was joined or the coding failed */
    uint32_t claimed;     /* guarded by the lock, like all members below */
    uint32_t joined;
    bool joining;
    kst_status status;
    struct jpeg_joiner joiner; /* used only by the thread that set `joining` */
    struct jpeg_bit_string first;
    int32_t dc[JPEG_COMPONENTS];
};

void kst_jpeg_cpu_scan_crew_layout(struct jpeg_scan_crew *crew, const struct jpeg_frame *frame,
    const uint8_t *component, uint32_t component_count, const uint8_t huffman[JPEG_COMPONENTS])
{
    kst_jpeg_scan_geometry(frame, component, component_count, &crew->geometry);
    crew->component_count = component_count;
    crew->more = jpeg_more_bits(frame);
    uint32_t block = 0;
    for (uint32_t i = 0; i < component_count; i++) {
        const struct jpeg_component *c = &frame->component[component[i]];
        uint32_t blocks = component_count == 1 ? 1 : (uint32_t)c->h * c->v;
        crew->destination[i] = huffman[component[i]];
        while (blocks-- > 0 && block < JPEG_MCU_BLOCKS)
            crew->component[block++] = (uint8_t)i;
    }
}

enum { WORTH_BLOCKS = 1024 }; /* blocks per thread; they take several times as long as waking a thread */

uint32_t kst_jpeg_cpu_scan_workers(const struct pool *pool, const struct jpeg_scan_geometry *geometry)
{
    uint64_t blocks = (uint64_t)geometry->mcus_w * geometry->mcus_h * geometry->mcu_blocks;
    uint64_t workers = blocks / WORTH_BLOCKS;
    if (workers > kst_pool_threads(pool))
        workers = kst_pool_threads(pool);
    if (workers > geometry->mcus_h)
        workers = geometry->mcus_h;
    return workers < 1 ? 1 : (uint32_t)workers;
}

static uint64_t row_start(const struct jpeg_scan_crew *crew, uint32_t row)
{
    return (uint64_t)row * crew->geometry.mcus_w;
}

/* Return whether an MCU is the first of a restart interval. */
static bool starts_interval(const struct jpeg_scan_crew *crew, uint64_t mcu)
{
    return mcu == 0 || (crew->restart_interval > 0 && mcu % crew->restart_interval == 0);
}

/*
 * Return the number of MCUs from `x` of a row on that are coded in one run: within the row, the restart interval and a
 * chunk.
 */
static uint32_t run_length(const struct jpeg_scan_crew *crew, uint32_t row, uint32_t x)
{
    uint32_t length = JPEG_CHUNK_BLOCKS / crew->geometry.mcu_blocks;
    if (length > crew->geometry.mcus_w - x)
        length = crew->geometry.mcus_w - x;
    if (crew->restart_interval > 0) {
        uint64_t left = crew->restart_interval - (row_start(crew, row) + x) % crew->restart_interval;
        length = length > left ? (uint32_t)left : length;
    }
    return length;
}

static void run_init(const struct jpeg_scan_crew *crew, struct jpeg_run *run)
{
    *run = (struct jpeg_run){.mcu_blocks = crew->geometry.mcu_blocks, .component = crew->component, .more = crew->more};
    memcpy(run->coder, crew->coder, sizeof run->coder);
}

static void run_blocks(struct jpeg_run *run, const int16_t *block, const uint64_t *mask, uint32_t mcus)
{
    run->block = block;
    run->mask = mask;
    run->block_count = mcus * run->mcu_blocks;
}

bool kst_jpeg_cpu_source_bring(const struct jpeg_block_source *source, uint32_t worker, uint32_t row)
{
    return !source->bring || source->bring(source->arg, worker, row);
}

void kst_jpeg_cpu_source_lock(const struct jpeg_block_source *source)
{
    if (source->order)
        pthread_mutex_lock(source->order);
}

void kst_jpeg_cpu_source_unlock(const struct jpeg_block_source *source)
{
    if (source->order)
        pthread_mutex_unlock(source->order);
}

/* Set the predictions to those after an MCU. */
static void run_skip(struct jpeg_run *run, int16_t block[][64])
{
    for (uint32_t i = 0; i < run->mcu_blocks; i++)
        run->dc[run->component[i]] = block[i][0];
}

static kst_status encode_row(
    const struct jpeg_scan_crew *crew, uint32_t worker, struct chunk *chunk, uint32_t row, struct band *band)
{
    const struct jpeg_block_source *source = &crew->source;
    struct jpeg_run run;
    run_init(crew, &run);
    kst_jpeg_cpu_bit_string_clear(&band->bits);
    if (source->start_row)
        source->start_row(source->arg, worker, row);
    band->deferred = !starts_interval(crew, row_start(crew, row));
    if (band->deferred) {
        if (!source->fill(source->arg, worker, row, 0, 1, band->first[0], band->first_mask))
            return KST_ERROR_JPEG_COEFFICIENT;
        run_skip(&run, band->first);
    }
    for (uint32_t x = band->deferred; x < crew->geometry.mcus_w;) {
        uint32_t count = run_length(crew, row, x);
        if (x > 0 && starts_interval(crew, row_start(crew, row) + x)) {
            kst_jpeg_cpu_bit_string_end_piece(&band->bits);
            memset(run.dc, 0, sizeof run.dc);
        }
        if (!source->fill(source->arg, worker, row, x, count, chunk->block[0], chunk->mask))
            return KST_ERROR_JPEG_COEFFICIENT;
        run_blocks(&run, chunk->block[0], chunk->mask, count);
        if (!kst_jpeg_cpu_bit_string_room(&band->bits, (size_t)run.block_count * JPEG_BLOCK_BYTES))
            return band->bits.status;
        crew->functions->encode(&run, &band->bits);
        if (run.out_of_range)
            return KST_ERROR_JPEG_COEFFICIENT;
        x += count;
    }
    memcpy(band->dc, run.dc, sizeof band->dc);
    return KST_OK;
}

/* Code a band's deferred MCU, now that the row before is joined. */
static kst_status join_first(struct scan_coding *coding, struct band *band)
{
    const struct jpeg_scan_crew *crew = coding->crew;
    struct jpeg_run run;
    run_init(crew, &run);
    run_blocks(&run, band->first[0], band->first_mask, 1);
    memcpy(run.dc, coding->dc, sizeof run.dc);
    kst_jpeg_cpu_bit_string_clear(&coding->first);
    if (!kst_jpeg_cpu_bit_string_room(&coding->first, (size_t)run.block_count * JPEG_BLOCK_BYTES))
        return coding->first.status;
    crew->functions->encode(&run, &coding->first);
    if (run.out_of_range)
        return KST_ERROR_JPEG_COEFFICIENT;
    kst_jpeg_cpu_join_pieces(&coding->joiner, &coding->first);
    return coding->first.status;
}

static kst_status join_row(struct scan_coding *coding, uint32_t row)
{
    struct band *band = &coding->band[row % coding->band_count];
    if (band->deferred) {
        kst_status status = join_first(coding, band);
        if (status)
            return status;
    } else if (row > 0) {
        kst_jpeg_cpu_join_restart(&coding->joiner);
    }
    kst_jpeg_cpu_join_pieces(&coding->joiner, &band->bits);
    kst_sink_settle(coding->joiner.sink);
    memcpy(coding->dc, band->dc, sizeof coding->dc);
    return band->bits.status ? band->bits.status : coding->joiner.sink->status;
}

/* Record a failure. The caller holds the lock. */
static void fail(struct scan_coding *coding, kst_status status)
{
    if (!coding->status)
        coding->status = status;
    pthread_cond_broadcast(&coding->freed);
}

/*
 * Claim the next row and wait for a free band; the caller holds the lock. Returns false when no row is left or the
 * coding failed.
 */
static bool claim_row(struct scan_coding *coding, uint32_t *row)
{
    if (coding->claimed == coding->crew->geometry.mcus_h)
        return false;
    *row = coding->claimed++;
    while (!coding->status && *row - coding->joined >= coding->band_count)
        pthread_cond_wait(&coding->freed, &coding->lock);
    return !coding->status;
}

/* Join all rows that can be joined; the caller holds the lock. If another thread is joining, it will join these too. */
static void join_done(struct scan_coding *coding)
{
    if (coding->joining)
        return;
    coding->joining = true;
    while (
        !coding->status && coding->joined < coding->claimed && coding->band[coding->joined % coding->band_count].done) {
        pthread_mutex_unlock(&coding->lock);
        kst_status status = join_row(coding, coding->joined);
        if (!kst_progress_step(coding->crew->progress, 1) && !status)
            status = KST_ERROR_CANCELLED;
        pthread_mutex_lock(&coding->lock);
        if (status)
            fail(coding, status);
        coding->band[coding->joined % coding->band_count].done = false;
        coding->joined++;
        pthread_cond_broadcast(&coding->freed);
    }
    coding->joining = false;
}

/* Claim the next row and fetch what it is made of. Returns false when no row is left or the coding failed. */
static bool take_row(struct scan_coding *coding, uint32_t worker, uint32_t *row)
{
    const struct jpeg_block_source *source = &coding->crew->source;
    kst_jpeg_cpu_source_lock(source);
    pthread_mutex_lock(&coding->lock);
    bool taken = claim_row(coding, row);
    pthread_mutex_unlock(&coding->lock);
    if (taken && !kst_jpeg_cpu_source_bring(source, worker, *row)) {
        pthread_mutex_lock(&coding->lock);
        fail(coding, KST_ERROR_ROWS);
        pthread_mutex_unlock(&coding->lock);
        taken = false;
    }
    /* Unlock only now that a failure is recorded: no row is asked for after one that failed. */
    kst_jpeg_cpu_source_unlock(source);
    return taken;
}

static void encode_worker(void *arg, uint32_t worker)
{
    struct scan_coding *coding = arg;
    uint32_t row;
    while (take_row(coding, worker, &row)) {
        struct band *band = &coding->band[row % coding->band_count];
        kst_status status = encode_row(coding->crew, worker, &coding->chunk[worker], row, band);
        pthread_mutex_lock(&coding->lock);
        if (status)
            fail(coding, status);
        band->done = true;
        join_done(coding);
        pthread_mutex_unlock(&coding->lock);
    }
}

static kst_status coding_create(struct scan_coding *coding, const struct jpeg_scan_crew *crew)
{
    kst_status status = KST_OK;
    coding->crew = crew;
    /* A worker may be two rows ahead of another one before it has to wait. */
    coding->band_count = crew->workers == 1 ? 1 : 3 * crew->workers;
    kst_jpeg_cpu_bit_string_init(&coding->first, crew->memory);
    coding->chunk = kst_memory_array(crew->memory, crew->workers, sizeof *coding->chunk, &status);
    coding->band = kst_memory_zeroed(crew->memory, coding->band_count, sizeof *coding->band, &status);
    for (uint32_t i = 0; coding->band && i < coding->band_count; i++)
        kst_jpeg_cpu_bit_string_init(&coding->band[i].bits, crew->memory);
    return status;
}

static void coding_destroy(struct scan_coding *coding)
{
    for (uint32_t i = 0; coding->band && i < coding->band_count; i++)
        kst_jpeg_cpu_bit_string_release(&coding->band[i].bits);
    kst_jpeg_cpu_bit_string_release(&coding->first);
    kst_memory_release(coding->crew->memory, coding->band);
    kst_memory_release(coding->crew->memory, coding->chunk);
}

kst_status kst_jpeg_cpu_scan_encode(const struct jpeg_scan_crew *crew, struct sink *sink)
{
    struct scan_coding coding = {.joiner = {.sink = sink}};
    kst_status status = coding_create(&coding, crew);
    if (!status) {
        pthread_mutex_init(&coding.lock, NULL);
        pthread_cond_init(&coding.freed, NULL);
        kst_pool_run(crew->pool, crew->workers, encode_worker, &coding);
        pthread_cond_destroy(&coding.freed);
        pthread_mutex_destroy(&coding.lock);
        status = coding.status;
    }
    if (!status) {
        kst_jpeg_cpu_join_end(&coding.joiner);
        status = sink->status;
    }
    coding_destroy(&coding);
    return status;
}

kst_status kst_jpeg_cpu_scan_coding_create(
    const struct jpeg_scan_crew *crew, struct sink *sink, struct scan_coding **coding)
{
    kst_status status = KST_OK;
    *coding = kst_memory_zeroed(crew->memory, 1, sizeof **coding, &status);
    if (status)
        return status;
    (*coding)->joiner.sink = sink;
    status = coding_create(*coding, crew);
    if (status) {
        kst_jpeg_cpu_scan_coding_release(*coding);
        *coding = NULL;
    }
    return status;
}

kst_status kst_jpeg_cpu_scan_coding_row(struct scan_coding *coding, uint32_t row)
{
    kst_status status = encode_row(coding->crew, 0, coding->chunk, row, coding->band);
    return status ? status : join_row(coding, row);
}

kst_status kst_jpeg_cpu_scan_coding_end(struct scan_coding *coding)
{
    kst_jpeg_cpu_join_end(&coding->joiner);
    return coding->joiner.sink->status;
}

void kst_jpeg_cpu_scan_coding_release(struct scan_coding *coding)
{
    if (!coding)
        return;
    struct memory *memory = coding->crew->memory;
    coding_destroy(coding);
    kst_memory_release(memory, coding);
}

/*
 * Holds the DC values at both ends of a row. The differences of its first MCU are counted from them once all rows are
 * done.
 */
struct row_edge {
    int16_t first[JPEG_MCU_BLOCKS]; /* DC coefficients of the first MCU's blocks */
    int32_t dc[JPEG_COMPONENTS];    /* DC predictions after the row */
};

struct tally {
    struct chunk chunk;
    struct jpeg_histogram histogram[2];
};

struct counting {
    const struct jpeg_scan_crew *crew;
    struct tally *tally; /* one per worker */
    struct row_edge *edge;
    atomic_uint_fast32_t next;
    atomic_int status;
};

static void keep_first(struct row_edge *edge, const struct chunk *chunk, uint32_t blocks)
{
    for (uint32_t i = 0; i < blocks; i++)
        edge->first[i] = chunk->block[i][0];
}

static kst_status count_row(struct counting *counting, uint32_t worker, uint32_t row)
{
    const struct jpeg_scan_crew *crew = counting->crew;
    const struct jpeg_block_source *source = &crew->source;
    struct tally *tally = &counting->tally[worker];
    struct jpeg_run run;
    run_init(crew, &run);
    for (uint32_t c = 0; c < crew->component_count; c++)
        run.histogram[c] = &tally->histogram[crew->destination[c]];
    if (source->start_row)
        source->start_row(source->arg, worker, row);
    for (uint32_t x = 0; x < crew->geometry.mcus_w;) {
        uint32_t count = run_length(crew, row, x);
        bool starts = starts_interval(crew, row_start(crew, row) + x);
        if (starts)
            memset(run.dc, 0, sizeof run.dc);
        if (!source->fill(source->arg, worker, row, x, count, tally->chunk.block[0], tally->chunk.mask))
            return KST_ERROR_JPEG_COEFFICIENT;
        if (x == 0)
            keep_first(&counting->edge[row], &tally->chunk, run.mcu_blocks);
        run_blocks(&run, tally->chunk.block[0], tally->chunk.mask, count);
        crew->functions->count(&run, x == 0 && !starts ? run.mcu_blocks : 0);
        if (run.out_of_range)
            return KST_ERROR_JPEG_COEFFICIENT;
        x += count;
    }
    memcpy(counting->edge[row].dc, run.dc, sizeof run.dc);
    return KST_OK;
}

/* Claim and fetch a row, like take_row(). */
static bool take_row_to_count(struct counting *counting, uint32_t worker, uint32_t *row)
{
    const struct jpeg_block_source *source = &counting->crew->source;
    kst_jpeg_cpu_source_lock(source);
    *row = (uint32_t)atomic_fetch_add(&counting->next, 1);
    bool taken = *row < counting->crew->geometry.mcus_h && !atomic_load(&counting->status);
    if (taken && !kst_jpeg_cpu_source_bring(source, worker, *row)) {
        atomic_store(&counting->status, KST_ERROR_ROWS);
        taken = false;
    }
    kst_jpeg_cpu_source_unlock(source);
    return taken;
}

static void count_worker(void *arg, uint32_t worker)
{
    struct counting *counting = arg;
    uint32_t row;
    while (take_row_to_count(counting, worker, &row)) {
        kst_status status = count_row(counting, worker, row);
        if (!kst_progress_step(counting->crew->progress, 1) && !status)
            status = KST_ERROR_CANCELLED;
        if (status)
            atomic_store(&counting->status, (int)status);
    }
}

/* Count the DC differences of a row's first MCU. */
static kst_status count_first(const struct jpeg_scan_crew *crew, const struct row_edge *before,
    const struct row_edge *edge, struct jpeg_histogram *sum)
{
    int32_t dc[JPEG_COMPONENTS];
    memcpy(dc, before->dc, sizeof dc);
    for (uint32_t i = 0; i < crew->geometry.mcu_blocks; i++) {
        uint32_t component = crew->component[i];
        int32_t difference = edge->first[i] - dc[component];
        dc[component] = edge->first[i];
        uint32_t magnitude = (uint32_t)(difference < 0 ? -difference : difference);
        uint32_t size = magnitude == 0 ? 0 : 32 - (uint32_t)__builtin_clz(magnitude);
        if (size > JPEG_DC_BITS + crew->more)
            return KST_ERROR_JPEG_COEFFICIENT;
        sum[crew->destination[component]].dc[size]++;
    }
    return KST_OK;
}

static void add_histogram(struct jpeg_histogram *sum, const struct jpeg_histogram *other)
{
    for (uint32_t i = 0; i < 256; i++) {
        sum->dc[i] += other->dc[i];
        sum->ac[i] += other->ac[i];
    }
}

static kst_status count_all(struct counting *counting, struct jpeg_histogram histogram[2])
{
    const struct jpeg_scan_crew *crew = counting->crew;
    kst_pool_run(crew->pool, crew->workers, count_worker, counting);
    kst_status status = (kst_status)atomic_load(&counting->status);
    memset(histogram, 0, 2 * sizeof *histogram);
    for (uint32_t i = 0; i < crew->workers; i++) {
        add_histogram(&histogram[0], &counting->tally[i].histogram[0]);
        add_histogram(&histogram[1], &counting->tally[i].histogram[1]);
    }
    for (uint32_t row = 1; !status && row < crew->geometry.mcus_h; row++) {
        if (!starts_interval(crew, row_start(crew, row)))
            status = count_first(crew, &counting->edge[row - 1], &counting->edge[row], histogram);
    }
    return status;
}

kst_status kst_jpeg_cpu_scan_count(const struct jpeg_scan_crew *crew, struct jpeg_histogram histogram[2])
{
    kst_status status = KST_OK;
    struct counting counting = {.crew = crew};
    atomic_init(&counting.next, 0);
    atomic_init(&counting.status, KST_OK);
    counting.tally = kst_memory_zeroed(crew->memory, crew->workers, sizeof *counting.tally, &status);
    counting.edge = kst_memory_array(crew->memory, crew->geometry.mcus_h, sizeof *counting.edge, &status);
    if (!status)
        status = count_all(&counting, histogram);
    kst_memory_release(crew->memory, counting.edge);
    kst_memory_release(crew->memory, counting.tally);
    return status;
}
