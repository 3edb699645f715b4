/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes samples by T.81 H.1, one after the other, with a formula for each predictor. */
#include "support/jpeg/lossless.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { CATEGORIES = 17, SHORT_LENGTH = 5, UNARY = 14 };

struct writer {
    struct bytes *bytes;
    uint32_t bits, count;
    bool long_codes;
};

static uint32_t largest(const struct lossless_stream *s, int shift)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < s->components; i++)
        if ((uint32_t)(s->factors[i] >> shift & 15) > most)
            most = s->factors[i] >> shift & 15;
    return most;
}

uint32_t lossless_width(const struct lossless_stream *s, uint32_t component)
{
    uint32_t most = largest(s, 4);
    return (s->width * (s->factors[component] >> 4) + most - 1) / most;
}

uint32_t lossless_height(const struct lossless_stream *s, uint32_t component)
{
    uint32_t most = largest(s, 0);
    return (s->height * (s->factors[component] & 15) + most - 1) / most;
}

void lossless_make(struct lossless_stream *s, uint32_t seed, bool noise)
{
    for (uint32_t i = 0; i < s->components; i++) {
        uint32_t width = lossless_width(s, i), height = lossless_height(s, i);
        s->samples[i] = malloc((size_t)width * height * sizeof *s->samples[i]);
        assert_non_null(s->samples[i]);
        for (uint32_t k = 0; k < width * height; k++) {
            seed = seed * 1664525 + 1013904223;
            uint32_t smooth = (k % width + k / width) * (i + 1) + (seed >> 30);
            uint32_t value = noise ? seed >> 9 : smooth * (s->precision > 8 ? 37 : 1);
            s->samples[i][k] = (uint16_t)(value & ((1U << s->precision) - 1));
        }
    }
}

void lossless_free(struct lossless_stream *s)
{
    for (uint32_t i = 0; i < s->components; i++) {
        free(s->samples[i]);
        s->samples[i] = NULL;
    }
}

static void put_bits(struct writer *w, uint32_t value, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;) {
        w->bits = w->bits << 1 | (value >> i & 1);
        if (++w->count < 8)
            continue;
        const uint8_t byte[] = {(uint8_t)w->bits, 0};
        put(w->bytes, byte, byte[0] == 0xFF ? 2 : 1);
        w->bits = w->count = 0;
    }
}

static void end_bits(struct writer *w)
{
    while (w->count > 0)
        put_bits(w, 1, 1);
}

static void put_category(struct writer *w, uint32_t category)
{
    if (!w->long_codes)
        put_bits(w, category, SHORT_LENGTH);
    else if (category < UNARY)
        put_bits(w, (1U << (category + 1)) - 2, category + 1);
    else
        put_bits(w, ((1U << UNARY) - 1) << 2 | (category - UNARY), UNARY + 2);
}

static void put_table(struct bytes *bytes, bool long_codes)
{
    uint8_t segment[1 + 16 + CATEGORIES] = {0};
    for (uint32_t i = 1; long_codes && i <= UNARY; i++)
        segment[i] = 1;
    if (long_codes)
        segment[16] = CATEGORIES - UNARY;
    else
        segment[SHORT_LENGTH] = CATEGORIES;
    for (uint32_t i = 0; i < CATEGORIES; i++)
        segment[17 + i] = (uint8_t)i;
    put_segment(bytes, 0xC4, segment, sizeof segment);
}

/* Encode the difference of a sample and its prediction (table H.2). */
static void put_difference(struct writer *w, uint32_t difference)
{
    int32_t value = (int32_t)(int16_t)(uint16_t)difference;
    uint32_t category = 0;
    while (value < 0 ? -value >> category : value >> category)
        category++;
    put_category(w, category);
    if (category < 16)
        put_bits(w, (uint32_t)(value < 0 ? value + (1 << category) - 1 : value), category);
}

/* Return a sample after the point transform; outside of the component, that of its nearest sample. */
static int32_t sample_at(const struct lossless_stream *s, uint32_t component, uint32_t x, uint32_t y)
{
    uint32_t width = lossless_width(s, component), height = lossless_height(s, component);
    x = x < width ? x : width - 1;
    y = y < height ? y : height - 1;
    return s->samples[component][(size_t)y * width + x] >> s->shift;
}

static int32_t predict(const struct lossless_stream *s, uint32_t i, uint32_t x, uint32_t y, bool first_line)
{
    if (x == 0 && first_line)
        return 1 << (s->precision - s->shift - 1);
    if (first_line)
        return sample_at(s, i, x - 1, y);
    int32_t b = sample_at(s, i, x, y - 1);
    if (x == 0)
        return b;
    int32_t a = sample_at(s, i, x - 1, y), c = sample_at(s, i, x - 1, y - 1);
    const int32_t by[] = {0, a, b, c, a + b - c, a + ((b - c) >> 1), b + ((a - c) >> 1), (a + b) >> 1};
    return by[s->predictor];
}

static void put_sample(
    struct writer *w, const struct lossless_stream *s, uint32_t component, uint32_t x, uint32_t y, bool first_line)
{
    put_difference(w, (uint32_t)(sample_at(s, component, x, y) - predict(s, component, x, y, first_line)));
}

static void put_scan_header(const struct lossless_stream *s, uint32_t first, uint32_t count, struct bytes *bytes)
{
    uint8_t segment[1 + 2 * LOSSLESS_COMPONENTS + 3] = {(uint8_t)count};
    for (uint32_t i = 0; i < count; i++)
        segment[1 + 2 * i] = s->ids[first + i];
    segment[1 + 2 * count] = s->predictor;
    segment[3 + 2 * count] = s->shift;
    put_segment(bytes, 0xDA, segment, 4 + 2 * (size_t)count);
}

static void encode_scan(const struct lossless_stream *s, uint32_t first, uint32_t count, struct bytes *bytes)
{
    struct writer w = {.bytes = bytes, .long_codes = s->long_codes};
    bool alone = count == 1;
    uint32_t h = largest(s, 4), v = largest(s, 0);
    uint32_t mcus_w = alone ? lossless_width(s, first) : (s->width + h - 1) / h;
    uint32_t mcus_h = alone ? lossless_height(s, first) : (s->height + v - 1) / v;
    if (s->restart_rows)
        put_restart_interval(bytes, s->restart_rows * mcus_w);
    put_scan_header(s, first, count, bytes);
    for (uint32_t row = 0, intervals = 0; row < mcus_h; row++) {
        bool begins = row == 0 || (s->restart_rows && row % s->restart_rows == 0);
        if (begins && row > 0) {
            end_bits(&w);
            put_marker(bytes, (uint8_t)(0xD0 + intervals++ % 8));
        }
        for (uint32_t mcu = 0; mcu < mcus_w; mcu++)
            for (uint32_t i = first; i < first + count; i++) {
                uint32_t across = alone ? 1 : s->factors[i] >> 4, down = alone ? 1 : s->factors[i] & 15;
                for (uint32_t k = 0; k < across * down; k++)
                    put_sample(&w, s, i, mcu * across + k % across, row * down + k / across, begins && k / across == 0);
            }
    }
    end_bits(&w);
}

void lossless_encode(const struct lossless_stream *s, struct bytes *bytes)
{
    uint8_t frame[6 + 3 * LOSSLESS_COMPONENTS] = {s->precision, (uint8_t)(s->height >> 8), (uint8_t)s->height,
        (uint8_t)(s->width >> 8), (uint8_t)s->width, (uint8_t)s->components};
    for (uint32_t i = 0; i < s->components; i++) {
        frame[6 + 3 * i] = s->ids[i];
        frame[7 + 3 * i] = s->factors[i];
    }
    put_marker(bytes, 0xD8);
    put_segment(bytes, 0xC3, frame, 6 + 3 * (size_t)s->components);
    put_table(bytes, s->long_codes);
    if (s->separate)
        for (uint32_t i = 0; i < s->components; i++)
            encode_scan(s, i, 1, bytes);
    else
        encode_scan(s, 0, s->components, bytes);
    put_marker(bytes, 0xD9);
}
