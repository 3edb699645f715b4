/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes volumes for tests, encodes them, and compares what is decoded. */
#include "support/j2k/volumes.h"

#include <math.h>
#include <string.h>

#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

static uint32_t bytes_of(const kst_volume *volume)
{
    return volume->bits > 16 ? 4 : volume->bits > 8 ? 2 : 1;
}

int64_t volume_sample(const kst_volume *v, uint32_t x, uint32_t y, uint32_t z)
{
    const uint8_t *at = (const uint8_t *)v->data + z * v->slice_pitch + y * v->pitch + (size_t)x * bytes_of(v);
    int8_t byte;
    int16_t half;
    int32_t word;
    memcpy(&byte, at, 1);
    if (bytes_of(v) == 1)
        return v->is_signed ? byte : (uint8_t)byte;
    memcpy(&half, at, 2);
    if (bytes_of(v) == 2)
        return v->is_signed ? half : (uint16_t)half;
    memcpy(&word, at, 4);
    return word;
}

static void set_sample(const kst_volume *v, uint32_t x, uint32_t y, uint32_t z, int64_t value)
{
    uint8_t *at = (uint8_t *)v->data + z * v->slice_pitch + y * v->pitch + (size_t)x * bytes_of(v);
    const uint32_t word = (uint32_t)value;
    const uint16_t half = (uint16_t)value;
    const uint8_t byte = (uint8_t)value;
    memcpy(at, bytes_of(v) == 1 ? (const void *)&byte : bytes_of(v) == 2 ? (const void *)&half : &word, bytes_of(v));
}

kst_volume volume_make(uint32_t width, uint32_t height, uint32_t depth, uint8_t bits, bool is_signed)
{
    kst_volume v;
    uint32_t state = width * 31 + height * 7 + depth + bits;
    kst_volume_init(&v);
    v.width = width;
    v.height = height;
    v.depth = depth;
    v.bits = bits;
    v.is_signed = is_signed;
    assert_int_equal(kst_volume_allocate(context, &v), KST_OK);
    const double half = ldexp(1, bits - 1);
    for (uint32_t z = 0; z < depth; z++)
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                double noise = (double)random_below(&state, 1U << (bits / 4));
                double value = half * 1.1 * sin(x / 9.0 + z / 6.0) * cos(y / 11.0 + z / 9.0) + noise;
                value = fmax(-half, fmin(half - 1, floor(value)));
                set_sample(&v, x, y, z, (int64_t)(is_signed ? value : value + half));
            }
    return v;
}

kst_buffer volume_encode(kst_context *in, const kst_volume *v, const kst_volume_options *options)
{
    kst_buffer coded = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    if (kst_encode_volume(in, v, options, &coded, &report))
        fail_msg("%s", report.message);
    return coded;
}

kst_volume volume_decode(kst_context *in, const kst_buffer *coded, const kst_volume_decode_options *options)
{
    kst_volume v;
    kst_report report;
    kst_volume_init(&v);
    kst_report_init(&report);
    if (kst_decode_volume(in, coded->data, coded->length, options, &v, &report))
        fail_msg("%s", report.message);
    assert_int_equal(report.warnings, 0);
    return v;
}

double volume_difference(const kst_volume *part, const kst_volume *whole, uint32_t x0, uint32_t y0, uint32_t z0)
{
    double sum = 0;
    for (uint32_t z = 0; z < part->depth; z++)
        for (uint32_t y = 0; y < part->height; y++)
            for (uint32_t x = 0; x < part->width; x++) {
                double d = (double)(volume_sample(part, x, y, z) - volume_sample(whole, x0 + x, y0 + y, z0 + z));
                sum += d * d;
            }
    return sum;
}

void volume_expect_same(const kst_volume *a, const kst_volume *b)
{
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->bits, b->bits);
    assert_int_equal(a->is_signed, b->is_signed);
    assert_true(volume_difference(a, b, 0, 0, 0) < 0.5);
}
