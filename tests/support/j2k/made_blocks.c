/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes codestreams from given code-blocks, with packet headers as T.800 B.10 and T.814 B have them. */
#include "support/j2k/made_blocks.h"

#include <string.h>

#include "j2k/syntax/marker.h"
#include "support/test.h"

enum { SSIZ = 42, /* where the depth of the first component is */ LBLOCK = 3, PLACES = MADE_BLOCKS * MADE_RUNS };

static struct {
    const struct made_run *run;
    size_t place;
} placed[PLACES];
static uint32_t places;

static void put(struct made_bits *to, uint32_t value, uint32_t count)
{
    while (count-- > 0)
        made_put_bits(to, value >> count & 1 ? "1" : "0");
}

/* Write the number of passes (Table B.4). */
static void put_passes(struct made_bits *to, uint32_t passes)
{
    if (passes < 3)
        put(to, passes == 1 ? 0 : 2, passes);
    else if (passes < 6)
        put(to, 12 + passes - 3, 4);
    else if (passes < 37)
        put(to, 0x1E0 + passes - 6, 9);
    else
        put(to, 0xFF80 + passes - 37, 16);
}

/* Write that a block is included for the first time, and how many planes it lacks: with two blocks, in trees of two
 * levels. */
static void put_first(struct made_bits *to, const struct made_band *band, uint32_t index)
{
    if (band->blocks > 1 && index == 0)
        put(to, 1, 1);
    put(to, 1, 1);
    for (uint32_t i = 0; i < band->missing && index == 0; i++)
        put(to, 0, 1);
    if (index == 0)
        put(to, 1, 1);
    if (band->blocks > 1)
        put(to, 1, 1);
}

static uint32_t bits_of(const struct made_run *run, uint32_t lblock)
{
    return lblock + 31 - (uint32_t)__builtin_clz(run->passes);
}

/* Return whether a length fits. In mixed bands a first length of T.814 has four bits or more, of which the first is 0.
 */
static bool fits(
    const struct made_band *band, const struct made_block *block, const struct made_run *run, uint32_t lblock)
{
    const bool marked = (band->style & J2K_STYLE_MIXED) != 0 && block->coder == J2K_HT;
    return run->length >> (bits_of(run, lblock) - (marked ? 1 : 0)) == 0 && !(marked && lblock == LBLOCK);
}

static void put_block(
    struct made_bits *to, const struct made_band *band, uint32_t index, uint32_t layer, uint32_t lblock[MADE_BLOCKS])
{
    const struct made_block *block = &band->block[index];
    uint32_t passes = 0;
    for (uint32_t i = 0; i < block->runs; i++)
        passes += block->run[i].layer == layer ? block->run[i].passes : 0;
    if (layer == 0)
        put_first(to, band, index);
    else
        put(to, passes > 0, 1);
    if (passes == 0)
        return;
    put_passes(to, passes);
    for (uint32_t i = 0; i < block->runs; i++)
        for (; block->run[i].layer == layer && !fits(band, block, &block->run[i], lblock[index]); lblock[index]++)
            put(to, 1, 1);
    put(to, 0, 1);
    for (uint32_t i = 0; i < block->runs; i++)
        if (block->run[i].layer == layer)
            put(to, block->run[i].length, bits_of(&block->run[i], lblock[index]));
}

static void put_packet(struct made *body, const struct made_band *band, uint32_t layer, uint32_t lblock[MADE_BLOCKS])
{
    struct made_bits bits = {.length = 0};
    put(&bits, 1, 1);
    for (uint32_t b = 0; b < band->blocks; b++)
        put_block(&bits, band, b, layer, lblock);
    made_bytes(body, bits.byte, bits.length);
    if (bits.byte[bits.length - 1] == 0xFF)
        made_zeros(body, 1);
    for (uint32_t b = 0; b < band->blocks; b++)
        for (uint32_t i = 0; i < band->block[b].runs; i++) {
            const struct made_run *run = &band->block[b].run[i];
            if (run->layer != layer)
                continue;
            placed[places].run = run;
            placed[places++].place = body->length;
            made_bytes(body, run->data, run->length);
        }
}

/* Return the exponent of a block side, less 2, as COD has it. */
static uint8_t side_of(uint32_t samples)
{
    uint8_t side = 0;
    while (4U << side < samples)
        side++;
    return side;
}

static void put_headers(struct made *made, const struct made_band *band)
{
    uint32_t width = 0;
    for (uint32_t b = 0; b < band->blocks; b++)
        width += band->block[b].width;
    const struct made_size size = {
        .image = {0, 0, width, band->height}, .tile_width = width, .tile_height = band->height, .components = 1};
    const uint8_t cod[] = {0, J2K_LRCP, (uint8_t)(band->layers >> 8), (uint8_t)band->layers, 0, 0,
        side_of(band->block[0].width), side_of(band->height), (uint8_t)band->style, 1};
    const uint8_t qcd[] = {1 << 5, (uint8_t)(band->planes << 3)}, rgn[] = {0, 0, (uint8_t)band->roi_shift};
    const uint8_t cap[] = {0, 2, 0, 0, (uint8_t)(band->ccap >> 8), (uint8_t)band->ccap};
    made_start(made, &size);
    made->data[SSIZ] = (uint8_t)(0x80 | (band->planes < 31 ? band->planes : 30));
    if (band->ccap != MADE_CCAP_NONE) {
        made->data[6] = 0x40;
        made_segment(made, J2K_CAP, cap, sizeof cap);
    }
    made_segment(made, J2K_COD, cod, sizeof cod);
    made_segment(made, J2K_QCD, qcd, sizeof qcd);
    if (band->roi_shift > 0)
        made_segment(made, J2K_RGN, rgn, sizeof rgn);
}

void made_blocks_write(struct made *made, const struct made_band *band)
{
    static struct made body;
    enum { PART_HEADER = 14 };
    uint32_t lblock[MADE_BLOCKS] = {LBLOCK, LBLOCK};
    body.length = 0;
    places = 0;
    for (uint32_t layer = 0; layer < band->layers; layer++)
        put_packet(&body, band, layer, lblock);
    put_headers(made, band);
    for (uint32_t i = 0; i < places; i++)
        placed[i].place += made->length + PART_HEADER;
    made_part(made, 0, 0, 1, body.data, body.length);
    made_end(made);
}

size_t made_blocks_place(const struct made_run *run)
{
    for (uint32_t i = 0; i < places; i++)
        if (placed[i].run == run)
            return placed[i].place;
    fail_msg("a run that was not written");
    return 0;
}
