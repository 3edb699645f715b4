/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements Annex D of T.800, coefficient by coefficient. */
#include <string.h>

#include "support/j2k/model.h"

/* Encode or decode one decision. */
static uint32_t code(struct model *model, uint32_t context, uint32_t bit)
{
    if (!model->encoding)
        return model_mq_decode(&model->mq, context);
    model_mq_encode(&model->mq, context, bit);
    return bit;
}

static void raw_put_byte(struct model *model)
{
    *model->raw_next++ = (uint8_t)model->raw_byte;
    model->raw_bits = model->raw_byte == 0xFF ? 7 : 8;
    model->raw_byte = 0;
}

static void raw_get_byte(struct model *model)
{
    bool after = model->raw_byte == 0xFF;
    model->raw_bits = 8;
    if (model->raw_next == model->raw_end || (after && *model->raw_next > 0x8F)) {
        model->raw_end = model->raw_next;
        model->raw_byte = 0xFF;
        return;
    }
    model->raw_byte = *model->raw_next++;
    model->raw_bits = after ? 7 : 8;
}

/*
 * Encode or decode a raw bit (D.6). raw_bits counts the free bits of raw_byte while encoding, and its unread bits while
 * decoding.
 */
static uint32_t raw(struct model *model, uint32_t bit)
{
    if (model->encoding) {
        model->raw_byte |= bit << --model->raw_bits;
        if (model->raw_bits == 0)
            raw_put_byte(model);
        return bit;
    }
    if (model->raw_bits == 0)
        raw_get_byte(model);
    return model->raw_byte >> --model->raw_bits & 1;
}

static uint8_t *raw_flush(struct model *model, const uint8_t *first)
{
    bool after = model->raw_next > first && model->raw_next[-1] == 0xFF;
    if (model->raw_bits < (after ? 7 : 8) || after) {
        for (uint32_t bit = 0; model->raw_bits > 0; bit ^= 1)
            model->raw_byte |= bit << --model->raw_bits;
        *model->raw_next++ = (uint8_t)model->raw_byte;
    }
    return model->raw_next;
}

/* Return whether the neighbour is significant: 0 outside of the block and, if vertically causal, below the stripe. */
static int32_t near(const struct model *model, uint32_t x, uint32_t y, int32_t dx, int32_t dy)
{
    uint32_t nx = x + (uint32_t)dx, ny = y + (uint32_t)dy;
    if (nx >= model->width || ny >= model->height)
        return 0;
    if ((model->style & J2K_STYLE_CAUSAL) != 0 && dy > 0 && y % 4 == 3)
        return 0;
    return model->significant[ny * model->width + nx];
}

static int32_t near_sign(const struct model *model, uint32_t x, uint32_t y, int32_t dx, int32_t dy)
{
    if (!near(model, x, y, dx, dy))
        return 0;
    return model->negative[(y + (uint32_t)dy) * model->width + x + (uint32_t)dx] ? -1 : 1;
}

/* Table D.1 */
static uint32_t zero_context(const struct model *model, uint32_t x, uint32_t y)
{
    int32_t h = near(model, x, y, -1, 0) + near(model, x, y, 1, 0);
    int32_t v = near(model, x, y, 0, -1) + near(model, x, y, 0, 1);
    int32_t d =
        near(model, x, y, -1, -1) + near(model, x, y, 1, -1) + near(model, x, y, -1, 1) + near(model, x, y, 1, 1);
    if (model->orientation == J2K_HH) {
        if (d >= 3)
            return 8;
        if (d == 2)
            return h + v >= 1 ? 7 : 6;
        if (d == 1)
            return h + v >= 2 ? 5 : h + v == 1 ? 4 : 3;
        return h + v >= 2 ? 2 : h + v == 1 ? 1 : 0;
    }
    if (model->orientation == J2K_HL) {
        int32_t swap = h;
        h = v;
        v = swap;
    }
    if (h == 2)
        return 8;
    if (h == 1)
        return v >= 1 ? 7 : d >= 1 ? 6 : 5;
    if (v == 2)
        return 4;
    if (v == 1)
        return 3;
    return d >= 2 ? 2 : d == 1 ? 1 : 0;
}

static int32_t clamp(int32_t x)
{
    return x > 1 ? 1 : x < -1 ? -1 : x;
}

/* Tables D.2 and D.3 */
static void code_sign(struct model *model, uint32_t x, uint32_t y)
{
    static const uint8_t contexts[3][3] = {{13, 12, 11}, {10, 9, 10}, {11, 12, 13}};
    int32_t h = clamp(near_sign(model, x, y, -1, 0) + near_sign(model, x, y, 1, 0));
    int32_t v = clamp(near_sign(model, x, y, 0, -1) + near_sign(model, x, y, 0, 1));
    uint32_t flip = h < 0 || (h == 0 && v < 0);
    uint8_t *negative = &model->negative[y * model->width + x];
    *negative = (uint8_t)(code(model, contexts[h + 1][v + 1], *negative ^ flip) ^ flip);
}

static uint32_t bit_of(const struct model *model, uint32_t i, uint32_t plane)
{
    return (uint32_t)(model->magnitude[i] >> plane & 1);
}

static void set_bit(struct model *model, uint32_t i, uint32_t plane, uint32_t bit)
{
    if (!model->encoding) {
        model->magnitude[i] |= (uint64_t)bit << plane;
        model->plane[i] = (uint8_t)plane;
    }
}

static void become_significant(struct model *model, uint32_t x, uint32_t y, uint32_t plane, bool is_raw)
{
    uint32_t i = y * model->width + x;
    if (is_raw)
        model->negative[i] = (uint8_t)raw(model, model->negative[i]);
    else
        code_sign(model, x, y);
    model->significant[i] = 1;
    set_bit(model, i, plane, 1);
}

static void significance(struct model *model, uint32_t x, uint32_t y, uint32_t plane, bool is_raw)
{
    uint32_t i = y * model->width + x, context = zero_context(model, x, y), bit = bit_of(model, i, plane);
    if (model->significant[i] || context == 0)
        return;
    model->visited[i] = 1;
    bit = is_raw ? raw(model, bit) : code(model, context, bit);
    if (bit)
        become_significant(model, x, y, plane, is_raw);
}

static void refinement(struct model *model, uint32_t x, uint32_t y, uint32_t plane, bool is_raw)
{
    uint32_t i = y * model->width + x, bit = bit_of(model, i, plane);
    if (!model->significant[i] || model->visited[i])
        return;
    uint32_t context = model->refined[i] ? 16 : zero_context(model, x, y) != 0 ? 15 : 14;
    bit = is_raw ? raw(model, bit) : code(model, context, bit);
    set_bit(model, i, plane, bit);
    model->refined[i] = 1;
}

/*
 * Code the run-length decision of a column (D.3.4). Returns the number of rows that it covers; the row behind them is
 * known to be significant.
 */
static uint32_t run(struct model *model, uint32_t x, uint32_t y, uint32_t plane)
{
    uint32_t length = 0;
    if (y + 4 > model->height)
        return 0;
    for (uint32_t r = 0; r < 4; r++) {
        uint32_t i = (y + r) * model->width + x;
        if (model->significant[i] || model->visited[i] || zero_context(model, x, y + r) != 0)
            return 0;
    }
    while (length < 4 && !bit_of(model, (y + length) * model->width + x, plane))
        length++;
    if (!code(model, 17, length < 4))
        return 4;
    uint32_t high = code(model, 18, length >> 1 & 1), low = code(model, 18, length & 1);
    length = high << 1 | low;
    become_significant(model, x, y + length, plane, false);
    return length + 1;
}

static void cleanup(struct model *model, uint32_t x, uint32_t y, uint32_t plane)
{
    uint32_t i = y * model->width + x;
    if (model->significant[i] || model->visited[i])
        return;
    if (code(model, zero_context(model, x, y), bit_of(model, i, plane)))
        become_significant(model, x, y, plane, false);
}

static bool is_raw_pass(const struct model *model, uint32_t pass)
{
    return (model->style & J2K_STYLE_BYPASS) != 0 && pass >= 10 && pass % 3 != 0;
}

static void code_symbol(struct model *model)
{
    for (uint32_t i = 0; i < 4; i++)
        if (code(model, 18, 0xA >> (3 - i) & 1) != (0xA >> (3 - i) & 1))
            model->wrong_symbol = true;
}

static void code_pass(struct model *model, uint32_t pass)
{
    uint32_t plane = model->planes - 1 - (pass + 2) / 3;
    bool is_raw = is_raw_pass(model, pass);
    for (uint32_t top = 0; top < model->height; top += 4)
        for (uint32_t x = 0; x < model->width; x++) {
            uint32_t y = top, end = top + 4 < model->height ? top + 4 : model->height;
            if (pass % 3 == 0)
                y += run(model, x, y, plane);
            for (; y < end; y++)
                if (pass % 3 == 1)
                    significance(model, x, y, plane, is_raw);
                else if (pass % 3 == 2)
                    refinement(model, x, y, plane, is_raw);
                else
                    cleanup(model, x, y, plane);
        }
    if (pass % 3 == 0) {
        memset(model->visited, 0, sizeof model->visited);
        if ((model->style & J2K_STYLE_SYMBOLS) != 0)
            code_symbol(model);
    }
    if ((model->style & J2K_STYLE_RESET) != 0)
        model_mq_reset(&model->mq);
}

static void start(struct model *model)
{
    memset(model->significant, 0, sizeof model->significant);
    memset(model->visited, 0, sizeof model->visited);
    memset(model->refined, 0, sizeof model->refined);
    model->wrong_symbol = false;
    model_mq_reset(&model->mq);
}

/* Table D.9 */
static bool ends_segment(const struct model *model, uint32_t pass)
{
    if ((model->style & J2K_STYLE_TERMALL) != 0)
        return true;
    return (model->style & J2K_STYLE_BYPASS) != 0 && pass >= 9 && pass % 3 != 1;
}

void model_encode(struct model *model, uint32_t passes)
{
    uint8_t *data = model->room + 1;
    bool predictable = (model->style & J2K_STYLE_PREDICTABLE) != 0, begin = true;
    model->encoding = true;
    model->segment_count = 0;
    start(model);
    for (uint32_t pass = 0; pass < passes; pass++) {
        struct j2k_codeword *segment = &model->segment[model->segment_count];
        bool is_raw = is_raw_pass(model, pass);
        if (begin) {
            *segment = (struct j2k_codeword){.data = data};
            model_mq_start_encoding(&model->mq, data);
            model->raw_next = data;
            model->raw_byte = 0;
            model->raw_bits = 8;
        }
        code_pass(model, pass);
        segment->passes++;
        begin = ends_segment(model, pass) || pass + 1 == passes;
        if (!begin)
            continue;
        uint8_t *end = is_raw        ? raw_flush(model, data)
                       : predictable ? model_mq_flush_predictably(&model->mq)
                                     : model_mq_flush(&model->mq);
        segment->length = (uint32_t)(end - data);
        model->segment_count++;
        data = end + 2; /* leave room for the byte in front of the next segment */
    }
}

void model_decode(struct model *model, const struct j2k_codeword *segments, uint32_t count)
{
    uint32_t pass = 0;
    model->encoding = false;
    memset(model->magnitude, 0, sizeof model->magnitude);
    memset(model->negative, 0, sizeof model->negative);
    start(model);
    for (uint32_t s = 0; s < count; s++) {
        model_mq_start_decoding(&model->mq, segments[s].data, segments[s].length);
        model->raw_next = (uint8_t *)segments[s].data;
        model->raw_end = segments[s].data + segments[s].length;
        model->raw_byte = model->raw_bits = 0;
        for (uint32_t i = 0; i < segments[s].passes; i++)
            code_pass(model, pass++);
    }
}
