/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills blocks for the scan coders: reads them from coefficients, or samples and transforms the rows of a picture. */
#include "jpeg/cpu/encode_source.h"

/* Fill a block of the padding to whole MCUs: the DC coefficient of the block before and no AC costs the fewest bits. */
static inline void pad_block(int16_t *block, uint64_t *mask)
{
    block[0] = block[-64];
    *mask = 0;
}

/* Return whether all AC coefficients lie in ±`most`. */
static bool ac_in_range(const int16_t *block, uint32_t most)
{
    uint16_t beyond = 0;
    for (uint32_t i = 1; i < 64; i++)
        beyond |= (uint16_t)((uint16_t)(block[i] + (int32_t)most) > 2 * most);
    return beyond == 0;
}

static bool fill_component(const struct jpeg_coefficient_source *source, uint32_t component, bool single, uint32_t row,
    uint32_t x, int16_t **block, uint64_t **mask)
{
    const struct jpeg_component *c = &source->frame->component[component];
    const uint32_t h = single ? 1 : c->h, v = single ? 1 : c->v, first = source->first_row * c->v;
    const uint32_t most = (1U << (JPEG_AC_BITS + jpeg_more_bits(source->frame))) - 1;
    bool good = true;
    for (uint32_t j = 0; j < v; j++) {
        for (uint32_t i = 0; i < h; i++, *block += 64, ++*mask) {
            uint32_t bx = x * h + i, by = row * v + j;
            if (bx >= c->blocks_w || by >= c->blocks_h) {
                pad_block(*block, *mask);
                continue;
            }
            const int16_t *from = kst_jpeg_block(source->coefficients, component, bx, by - first);
            good &= source->trusted || ac_in_range(from, most);
            **mask = source->dsp->zigzag(from, *block);
        }
    }
    return good;
}

bool kst_jpeg_cpu_coefficient_fill(const struct jpeg_coefficient_source *source, uint32_t row, uint32_t x,
    uint32_t count, int16_t *block, uint64_t *mask)
{
    const kst_scan *scan = source->scan;
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < scan->component_count; c++)
            good &= fill_component(source, scan->component[c], scan->component_count == 1, row, x + i, &block, &mask);
    }
    return good;
}

static bool fill_coefficients(
    void *arg, uint32_t worker, uint32_t row, uint32_t x, uint32_t count, int16_t *block, uint64_t *mask)
{
    (void)worker;
    return kst_jpeg_cpu_coefficient_fill(arg, row, x, count, block, mask);
}

struct jpeg_block_source kst_jpeg_cpu_coefficient_source(struct jpeg_coefficient_source *source)
{
    return (struct jpeg_block_source){.arg = source, .fill = fill_coefficients};
}

static void init_quantizer(struct jpeg_picture_source *source, uint32_t component)
{
    const struct jpeg_frame *frame = source->sampler->frame;
    for (uint32_t c = 0; c < component; c++) {
        if (frame->component[c].tq == frame->component[component].tq) {
            source->quantizer[component] = source->quantizer[c];
            return;
        }
    }
    if (source->sampler->fast)
        kst_jpeg_cpu_quantizer_init_fast(&source->quantizer[component], frame->component[component].quant);
    else
        kst_jpeg_cpu_quantizer_init(&source->quantizer[component], frame->component[component].quant);
}

kst_status kst_jpeg_cpu_picture_source_create(struct memory *memory, const struct jpeg_sampler *sampler,
    uint32_t workers, const struct jpeg_coefficients *coefficients, struct jpeg_picture_source *source)
{
    kst_status status = KST_OK;
    *source = (struct jpeg_picture_source){
        .sampler = sampler, .coefficients = coefficients, .memory = memory, .workers = workers};
    pthread_mutex_init(&source->order, NULL);
    atomic_init(&source->sum, 0);
    source->rows = kst_memory_zeroed(memory, workers, sizeof *source->rows, &status);
    for (uint32_t i = 0; !status && i < workers; i++)
        status = kst_jpeg_cpu_sample_rows_create(memory, sampler, &source->rows[i]);
    if (status) {
        kst_jpeg_cpu_picture_source_release(source);
        return status;
    }
    for (uint32_t c = 0; c < sampler->frame->component_count; c++)
        init_quantizer(source, c);
    return KST_OK;
}

void kst_jpeg_cpu_picture_source_release(struct jpeg_picture_source *source)
{
    for (uint32_t i = 0; source->rows && i < source->workers; i++)
        kst_jpeg_cpu_sample_rows_release(source->memory, &source->rows[i]);
    kst_memory_release(source->memory, source->rows);
    source->rows = NULL;
    pthread_mutex_destroy(&source->order);
}

static bool bring_picture_row(void *arg, uint32_t worker, uint32_t row)
{
    struct jpeg_picture_source *source = arg;
    const struct jpeg_sample_rows *rows = &source->rows[worker];
    if (!kst_jpeg_cpu_sample_rows_bring(source->sampler, row, &source->rows[worker]))
        return false;
    if (source->summed)
        atomic_fetch_add(&source->sum, kst_jpeg_cpu_sample_rows_sum(source->sampler, row, rows));
    return true;
}

static void start_picture_row(void *arg, uint32_t worker, uint32_t row)
{
    struct jpeg_picture_source *source = arg;
    kst_jpeg_cpu_sample_rows_fill(source->sampler, row, &source->rows[worker]);
}

/*
 * Transform 8×8 samples of a component into zig-zag order. `keep`: the block that also receives them in raster order,
 * or null.
 */
static uint64_t fill_block(
    const struct jpeg_picture_source *source, uint32_t component, const uint8_t *in, int16_t *keep, int16_t *block)
{
    const struct jpeg_dsp *dsp = source->sampler->dsp;
    const struct jpeg_quantizer *quantizer = &source->quantizer[component];
    ptrdiff_t pitch = (ptrdiff_t)source->rows->pitch[component];
    _Alignas(64) int16_t scratch[64];
    if (!keep && dsp->fdct_zigzag && !source->sampler->fast)
        return dsp->fdct_zigzag(in, pitch, quantizer, block);
    int16_t *raster = keep ? keep : scratch;
    (source->sampler->fast ? dsp->fdct_fast : dsp->fdct)(in, pitch, quantizer, raster);
    return dsp->zigzag(raster, block);
}

static void fill_mcu(const struct jpeg_picture_source *source, uint32_t worker, uint32_t row, uint32_t x,
    int16_t **block, uint64_t **mask)
{
    const struct jpeg_sampler *sampler = source->sampler;
    const struct jpeg_sample_rows *rows = &source->rows[worker];
    for (uint32_t c = 0; c < sampler->frame->component_count; c++) {
        const struct jpeg_component *component = &sampler->frame->component[c];
        for (uint32_t j = 0; j < sampler->v[c]; j++) {
            for (uint32_t i = 0; i < sampler->h[c]; i++, *block += 64, ++*mask) {
                uint32_t bx = x * sampler->h[c] + i, by = row * sampler->v[c] + j;
                if (bx >= component->blocks_w || by >= component->blocks_h) {
                    pad_block(*block, *mask);
                    continue;
                }
                const uint8_t *in = rows->row[c] + 8 * (j * rows->pitch[c] + bx);
                int16_t *keep = source->coefficients ? kst_jpeg_block(source->coefficients, c, bx, by) : NULL;
                **mask = fill_block(source, c, in, keep, *block);
            }
        }
    }
}

static bool fill_picture(
    void *arg, uint32_t worker, uint32_t row, uint32_t x, uint32_t count, int16_t *block, uint64_t *mask)
{
    for (uint32_t i = 0; i < count; i++)
        fill_mcu(arg, worker, row, x + i, &block, &mask);
    return true;
}

struct jpeg_block_source kst_jpeg_cpu_picture_source(struct jpeg_picture_source *source)
{
    const kst_rows *rows = source->sampler->rows;
    return (struct jpeg_block_source){.arg = source,
        .bring = rows ? bring_picture_row : NULL,
        .order = rows && rows->in_order ? &source->order : NULL,
        .start_row = start_picture_row,
        .fill = fill_picture};
}

struct transform {
    struct jpeg_picture_source *source;
    struct jpeg_block_source blocks; /* the source's callbacks, which fetch rows in order */
    struct progress *progress;
    atomic_uint_fast32_t next;
    atomic_int status;
};

/* Transform MCU row `row` of the picture to MCU row `to` of the coefficients. */
static void transform_row(const struct jpeg_picture_source *source, uint32_t worker, uint32_t row, uint32_t to)
{
    const struct jpeg_sampler *sampler = source->sampler;
    const struct jpeg_sample_rows *rows = &source->rows[worker];
    void (*fdct)(const uint8_t *, ptrdiff_t, const struct jpeg_quantizer *, int16_t *) =
        sampler->fast ? sampler->dsp->fdct_fast : sampler->dsp->fdct;
    for (uint32_t c = 0; c < sampler->frame->component_count; c++) {
        const struct jpeg_component *component = &sampler->frame->component[c];
        for (uint32_t j = 0; j < sampler->v[c] && row * sampler->v[c] + j < component->blocks_h; j++) {
            const uint8_t *in = rows->row[c] + 8 * j * rows->pitch[c];
            for (uint32_t x = 0; x < component->blocks_w; x++)
                fdct(in + 8 * (size_t)x, (ptrdiff_t)rows->pitch[c], &source->quantizer[c],
                    kst_jpeg_block(source->coefficients, c, x, to * sampler->v[c] + j));
        }
    }
}

bool kst_jpeg_cpu_picture_transform_row(struct jpeg_picture_source *source, uint32_t row)
{
    if (source->sampler->rows && !bring_picture_row(source, 0, row))
        return false;
    start_picture_row(source, 0, row);
    transform_row(source, 0, row, 0);
    return true;
}

/* Claim the next MCU row and fetch the picture's rows for it. Returns false when no row is left or a fetch failed. */
static bool take_row(struct transform *transform, uint32_t worker, uint32_t *row)
{
    kst_jpeg_cpu_source_lock(&transform->blocks);
    *row = (uint32_t)atomic_fetch_add(&transform->next, 1);
    bool taken = *row < kst_jpeg_cpu_sampler_rows(transform->source->sampler) && !atomic_load(&transform->status);
    if (taken && !kst_jpeg_cpu_source_bring(&transform->blocks, worker, *row)) {
        atomic_store(&transform->status, KST_ERROR_ROWS);
        taken = false;
    }
    kst_jpeg_cpu_source_unlock(&transform->blocks);
    return taken;
}

static void transform_worker(void *arg, uint32_t worker)
{
    struct transform *transform = arg;
    uint32_t row;
    while (take_row(transform, worker, &row)) {
        start_picture_row(transform->source, worker, row);
        transform_row(transform->source, worker, row, row);
        if (!kst_progress_step(transform->progress, 1))
            atomic_store(&transform->status, KST_ERROR_CANCELLED);
    }
}

kst_status kst_jpeg_cpu_picture_transform(
    struct jpeg_picture_source *source, struct pool *pool, struct progress *progress)
{
    struct transform transform = {
        .source = source, .blocks = kst_jpeg_cpu_picture_source(source), .progress = progress};
    atomic_init(&transform.next, 0);
    atomic_init(&transform.status, KST_OK);
    kst_pool_run(pool, source->workers, transform_worker, &transform);
    return (kst_status)atomic_load(&transform.status);
}
