/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes MCU rows one after the other for one thread: gets their samples from bits, tokens or coefficients, and makes
 * lines of them.
 */
#include "jpeg/cpu/band.h"

#include <string.h>

kst_status kst_jpeg_cpu_band_create(
    struct memory *memory, const struct jpeg_making *making, const struct jpeg_source *source, struct jpeg_band *band)
{
    *band = (struct jpeg_band){.output = making->output, .source = source};
    return kst_jpeg_cpu_rows_create(memory, making, &band->rows);
}

void kst_jpeg_cpu_band_release(struct memory *memory, struct jpeg_band *band)
{
    kst_jpeg_cpu_rows_release(memory, &band->rows);
}

void kst_jpeg_cpu_band_start(struct jpeg_band *band, uint32_t row, const struct jpeg_cursor *cursor)
{
    band->row = row;
    band->shift = NULL;
    if (cursor)
        band->cursor = *cursor;
}

void kst_jpeg_cpu_band_borrow(struct jpeg_band *band, const struct jpeg_shift *shift)
{
    band->shift = shift;
}

typedef void idct_function(const int16_t *, const uint16_t *, uint32_t, uint8_t *, ptrdiff_t);

static idct_function *find_idct(const struct jpeg_band *band, const struct jpeg_scaled *scaled)
{
    const struct jpeg_dsp *dsp = band->rows.making->dsp;
    return scaled->fast ? dsp->idct_fast : dsp->idct[scaled->block];
}

/*
 * Describes one block of the MCU: where its samples go for the first MCU of the row, and how far that place moves per
 * MCU.
 */
struct target {
    uint8_t *out; /* null: the component is not needed */
    ptrdiff_t pitch;
    size_t step;
    const uint16_t *quant;
    idct_function *idct;
};

static uint32_t find_targets(const struct jpeg_band *band, struct target target[JPEG_MCU_BLOCKS])
{
    const struct jpeg_output *output = band->output;
    const struct jpeg_scan *scan = band->source->entropy->scan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scan->component_count; i++) {
        uint32_t c = scan->component[i];
        const struct jpeg_component *component = &output->frame.component[c];
        const struct jpeg_scaled *scaled = &output->scaled[c];
        uint8_t *base = kst_jpeg_cpu_rows_at(&band->rows, c, band->row);
        for (uint32_t j = 0; j < (uint32_t)component->h * component->v; j++, count++) {
            uint32_t x = j % component->h, y = j / component->h;
            target[count] = (struct target){.pitch = band->rows.pitch[c],
                .step = (size_t)component->h * scaled->block,
                .quant = component->quant,
                .idct = find_idct(band, scaled),
                .out = scaled->needed
                           ? base + (ptrdiff_t)(y * scaled->block) * band->rows.pitch[c] + (size_t)x * scaled->block
                           : NULL};
        }
    }
    return count;
}

static void transform_mcu(
    const struct target *target, uint32_t count, uint32_t mcu, const int16_t *blocks, const uint8_t *last)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct target *t = &target[i];
        if (t->out)
            t->idct(blocks + (size_t)i * 64, t->quant, last[i], t->out + mcu * t->step, t->pitch);
    }
}

/*
 * Decode the MCU row from the stream. Entropy decoding and the inverse transform alternate every few MCUs, so that
 * coefficients never leave the first-level cache.
 */
static void fill_from_stream(struct jpeg_band *band)
{
    const struct jpeg_output *output = band->output;
    const struct jpeg_entropy *entropy = band->source->entropy;
    _Alignas(64) int16_t blocks[JPEG_RUN_BLOCKS * 64];
    uint8_t last[JPEG_RUN_BLOCKS];
    struct target target[JPEG_MCU_BLOCKS];
    uint32_t size = find_targets(band, target);
    kst_jpeg_cpu_skip_mcus(entropy, &band->cursor, output->first_mcu);
    for (uint32_t mcu = 0, count; mcu < output->mcu_count; mcu += count) {
        count = kst_jpeg_cpu_decode_mcus(entropy, &band->cursor, output->mcu_count - mcu, blocks, last);
        for (uint32_t i = 0; i < count; i++)
            transform_mcu(target, size, mcu + i, blocks + (size_t)i * size * 64, last + (size_t)i * size);
    }
    kst_jpeg_cpu_skip_mcus(entropy, &band->cursor, output->frame.mcus_w - output->first_mcu - output->mcu_count);
}

static void fill_from_ahead(struct jpeg_band *band)
{
    const struct jpeg_output *output = band->output;
    _Alignas(64) int16_t blocks[JPEG_MCU_BLOCKS * 64];
    uint8_t last[JPEG_MCU_BLOCKS];
    struct target target[JPEG_MCU_BLOCKS];
    uint32_t count = find_targets(band, target);
    uint32_t first = band->row * output->frame.mcus_w + output->first_mcu;
    for (uint32_t mcu = 0; mcu < output->mcu_count; mcu++) {
        kst_jpeg_cpu_ahead_blocks(band->source->ahead, band->shift, first + mcu, blocks, last);
        transform_mcu(target, count, mcu, blocks, last);
    }
}

/*
 * Find a bound for the zig-zag index of the last nonzero coefficient that costs little to compute: 0, 9 (the corner
 * that has a transform of its own) or 63. The words hold columns 0–3 and columns 4–7 of each row in turn.
 */
static uint32_t find_last(const int16_t *block)
{
    uint64_t word[16];
    memcpy(word, block, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t from1 = ~UINT64_C(0xFFFF), from2 = ~UINT64_C(0xFFFFFFFF), from3 = UINT64_C(0xFFFF) << 48;
#else
    const uint64_t from1 = ~UINT64_C(0) >> 16, from2 = ~UINT64_C(0) >> 32, from3 = UINT64_C(0xFFFF);
#endif
    uint64_t outside = (word[2] & from3) | (word[4] & from2) | (word[6] & from1);
    for (uint32_t i = 8; i < 16; i++)
        outside |= word[i];
    outside |= word[1] | word[3] | word[5] | word[7];
    if (outside)
        return 63;
    return (word[0] & from1) | word[2] | word[4] | word[6] ? 9 : 0;
}

static void fill_block_row(struct jpeg_band *band, uint32_t component, uint32_t y, uint8_t *out)
{
    const struct jpeg_output *output = band->output;
    const struct jpeg_source *source = band->source;
    const struct jpeg_scaled *scaled = &output->scaled[component];
    const struct jpeg_component *c = &output->frame.component[component];
    idct_function *idct = find_idct(band, scaled);
    _Alignas(64) int16_t smoothed[64];
    for (uint32_t i = 0; i < scaled->block_count; i++) {
        uint32_t x = scaled->first_block + i;
        const int16_t *block = kst_jpeg_block(source->coefficients, component, x, y);
        if (source->smoothing && x < c->blocks_w && y < c->blocks_h) { /* blocks of the padding are never visible */
            kst_jpeg_cpu_smooth_block(source->smoothing, component, x, y, smoothed);
            block = smoothed;
        }
        idct(block, c->quant, find_last(block), out + (size_t)i * scaled->block, band->rows.pitch[component]);
    }
}

static void fill_from_coefficients(struct jpeg_band *band)
{
    const struct jpeg_output *output = band->output;
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_scaled *scaled = &output->scaled[i];
        uint32_t v = output->frame.component[i].v;
        uint8_t *base = kst_jpeg_cpu_rows_at(&band->rows, i, band->row);
        for (uint32_t y = 0; scaled->needed && y < v; y++)
            fill_block_row(band, i, band->row * v + y, base + (ptrdiff_t)(y * scaled->block) * band->rows.pitch[i]);
    }
}

void kst_jpeg_cpu_band_fill(struct jpeg_band *band)
{
    if (band->shift)
        fill_from_ahead(band);
    else if (band->source->entropy)
        fill_from_stream(band);
    else
        fill_from_coefficients(band);
}

void kst_jpeg_cpu_band_step(struct jpeg_band *band, bool first)
{
    const struct jpeg_output *output = band->output;
    uint32_t row = band->row;
    kst_jpeg_cpu_band_fill(band);
    bool top = row == output->first_row;
    bool bottom = row + 1 == output->first_row + output->row_count;
    uint32_t from = row * output->mcu_lines;
    uint32_t to = (row + 1) * output->mcu_lines;
    if (first)
        from += top ? 0 : output->lag;
    else
        from -= output->lag;
    kst_jpeg_cpu_rows_emit(&band->rows, from, bottom ? to : to - output->lag);
    band->row++;
}
