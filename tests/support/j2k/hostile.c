/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes JPEG 2000 streams that are expensive to process, and measures their cost. */
#include "support/j2k/hostile.h"

#include <string.h>
#include <time.h>

#include "support/counting_allocator.h"
#include "support/test.h"

void hostile_put16(struct bytes *bytes, uint32_t value)
{
    put(bytes, (const uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
}

void hostile_put32(struct bytes *bytes, uint32_t value)
{
    hostile_put16(bytes, value >> 16);
    hostile_put16(bytes, value & 0xFFFF);
}

static void put_size(struct bytes *b, const struct hostile_picture *p)
{
    put_marker(b, 0x4F);
    put_marker(b, 0x51);
    hostile_put16(b, 38 + 3 * p->components);
    hostile_put16(b, 0);
    hostile_put32(b, p->width);
    hostile_put32(b, p->height);
    hostile_put32(b, 0);
    hostile_put32(b, 0);
    hostile_put32(b, p->tile_width ? p->tile_width : p->width);
    hostile_put32(b, p->tile_height ? p->tile_height : p->height);
    hostile_put32(b, 0);
    hostile_put32(b, 0);
    hostile_put16(b, p->components);
    for (uint32_t i = 0; i < p->components; i++) {
        uint8_t separation = i > 0 && p->separation ? p->separation : 1;
        put(b, (const uint8_t[]){7, separation, separation}, 3);
    }
}

void hostile_put_header(struct bytes *b, const struct hostile_picture *p)
{
    uint8_t scod = (uint8_t)(p->precinct | (p->sop ? 2 : 0));
    uint8_t coding[10 + 33] = {scod, p->progression, (uint8_t)(p->layers >> 8), (uint8_t)p->layers, 0, p->levels,
        p->block, p->block, p->style, 1};
    memset(coding + 10, 0x11, 33);
    coding[10] = 0;
    uint8_t steps[98] = {p->exponent ? 2 << 5 : 7 << 5};
    memset(steps + 1, p->exponent ? p->exponent << 3 : 31 << 3, 97);
    put_size(b, p);
    put_segment(b, 0x52, coding, p->precinct ? 11U + p->levels : 10);
    put_segment(b, 0x5C, steps, 2 + 3U * p->levels);
    if (p->roi_shift)
        put_segment(b, 0x5E, (const uint8_t[]){0, 0, p->roi_shift}, 3);
}

void hostile_start_part(struct bytes *b, uint32_t tile, uint32_t length, uint8_t index, uint8_t count)
{
    put_marker(b, 0x90);
    hostile_put16(b, 10);
    hostile_put16(b, tile);
    hostile_put32(b, length);
    put(b, (const uint8_t[]){index, count}, 2);
    put_marker(b, 0x93);
}

void hostile_put_part(struct bytes *b, uint32_t tile, const void *body, size_t length)
{
    hostile_start_part(b, tile, (uint32_t)(14 + length), 0, 1);
    put(b, body, length);
}

void hostile_put_bits(struct hostile_bits *w, uint32_t value, uint32_t count)
{
    while (count-- > 0) {
        w->value = w->value << 1 | (value >> count & 1);
        if (++w->count < w->room)
            continue;
        uint8_t byte = (uint8_t)w->value;
        put(w->bytes, &byte, 1);
        w->room = byte == 0xFF ? 7 : 8;
        w->value = w->count = 0;
    }
}

void hostile_end_bits(struct hostile_bits *bits)
{
    while (bits->count > 0 || bits->room == 7)
        hostile_put_bits(bits, 0, 1);
}

uint32_t hostile_new_nodes(uint32_t x, uint32_t y, uint32_t side)
{
    uint32_t nodes = 1;
    for (uint32_t level = 1; level < 32 && side > 1U << (level - 1); level++)
        if ((x & ((1U << level) - 1)) == 0 && (y & ((1U << level) - 1)) == 0)
            nodes++;
    return nodes;
}

double hostile_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

kst_status hostile_run(kst_context *context, enum hostile_verb verb, const struct bytes *b)
{
    kst_status status = KST_OK;
    if (verb == HOSTILE_OPEN) {
        kst_decoder *decoder;
        assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
        status = kst_decoder_open(decoder, b->data, b->length);
        kst_decoder_destroy(&decoder);
    } else if (verb == HOSTILE_DECODE) {
        kst_decode_options options;
        kst_image image;
        kst_decode_options_init(&options);
        options.format = KST_FORMAT_RAW;
        kst_image_init(&image);
        status = kst_decode(context, b->data, b->length, &options, &image, NULL);
        kst_image_release(context, &image);
    } else {
        kst_transcode_options options;
        kst_buffer buffer = {0};
        kst_transcode_options_init(&options);
        status = kst_transcode(context, b->data, b->length, &options, &buffer, NULL);
        kst_buffer_release(context, &buffer);
    }
    return status;
}

struct hostile_use hostile_measure(enum hostile_verb verb, const struct bytes *b)
{
    struct counter counter = {0, 0};
    struct hostile_use use;
    kst_context_options options;
    kst_context *context;
    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = 1;
    options.allocator = (kst_allocator){counting_allocate, counting_release, &counter};
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    double start = hostile_seconds();
    use.status = hostile_run(context, verb, b);
    use.seconds = hostile_seconds() - start;
    use.most = counter.most;
    kst_context_destroy(&context);
    assert_int_equal(counter.now, 0);
    return use;
}
