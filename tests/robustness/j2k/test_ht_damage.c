/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes a stream of code-blocks of T.814 that are put together bit by bit, whole and damaged. A damaged block becomes
 * 0 and is counted, the other one stays as it is, strict decoding fails, and all is the same on every tier and number
 * of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "j2k/syntax/marker.h"
#include "support/j2k/codestream.h"
#include "support/j2k/model_ht.h"
#include "support/random.h"
#include "support/test.h"

enum { SIDE = 64, BLOCKS = 2, WIDTH = BLOCKS * SIDE, HALF = 128, PLANES = 9, MACHINES = 3 };

static kst_context *machine[MACHINES];
static uint8_t pixels[SIDE][WIDTH];
static struct model_ht model;
static struct made made;
static size_t at[BLOCKS], length[BLOCKS]; /* where the blocks' bytes are */
static uint32_t random_state = 3;

static void make_block(uint32_t index, uint8_t *bytes)
{
    model.width = model.height = SIDE;
    memset(model.sample, 0, sizeof model.sample);
    for (int32_t y = 0; y < SIDE; y++)
        for (int32_t x = 0; x < SIDE; x++) {
            int32_t value = pixels[y][(int32_t)index * SIDE + x] - HALF;
            *model_ht_at(&model, x, y) =
                (struct model_ht_sample){.magnitude = (uint64_t)abs(value), .negative = value < 0};
        }
    length[index] = model_ht_encode(&model, 0, bytes);
}

/* Lblock becomes 16; the passes are one. */
static void put_length(struct made_bits *bits, size_t value)
{
    char text[40] = "0 11111 11111 111 0 ";
    size_t end = strlen(text);
    for (uint32_t i = 16; i-- > 0;)
        text[end++] = value >> i & 1 ? '1' : '0';
    text[end] = 0;
    made_put_bits(bits, text);
}

/* One packet: both blocks are included, and eight planes are above their first pass's. */
static int make_stream(void **state)
{
    static const struct made_size size = {
        .image = {0, 0, WIDTH, SIDE}, .tile_width = WIDTH, .tile_height = SIDE, .components = 1};
    static const uint8_t cod[] = {0, J2K_LRCP, 0, 1, 0, 0, 4, 4, J2K_STYLE_HT, 1}, cap[] = {0, 2, 0, 0, 0, 0};
    static uint8_t body[1 << 16], bytes[BLOCKS][MODEL_HT_BYTES];
    struct made_bits bits = {.length = 0};
    (void)state;
    for (uint32_t i = 0; i < SIDE * WIDTH; i++)
        pixels[i / WIDTH][i % WIDTH] =
            (uint8_t)(i % WIDTH + i / WIDTH / 2 + random_below(&random_state, i / WIDTH < 20 ? 2 : 40));
    make_block(0, bytes[0]);
    make_block(1, bytes[1]);
    made_put_bits(&bits, "1 1 1 000000001 1");
    put_length(&bits, length[0]);
    made_put_bits(&bits, "1 1");
    put_length(&bits, length[1]);
    memcpy(body, bits.byte, bits.length);
    memcpy(body + bits.length, bytes[0], length[0]);
    memcpy(body + bits.length + length[0], bytes[1], length[1]);
    made_start(&made, &size);
    made_segment(&made, J2K_CAP, cap, sizeof cap);
    made_segment(&made, J2K_COD, cod, sizeof cod);
    made_qcd(&made, 0);
    made_part(&made, 0, 0, 1, body, bits.length + length[0] + length[1]);
    at[0] = made.length - length[0] - length[1];
    at[1] = made.length - length[1];
    made_end(&made);
    for (uint32_t i = 0; i < MACHINES; i++) {
        kst_context_options options;
        kst_context_options_init(&options);
        options.device = "cpu";
        options.threads = i == 2 ? 3 : 1;
        options.cpu = i == 0 ? "c" : NULL;
        if (kst_context_create(&options, &machine[i]))
            return 1;
    }
    return 0;
}

static int stop(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MACHINES; i++)
        kst_context_destroy(&machine[i]);
    return 0;
}

static uint8_t found[MACHINES][SIDE][WIDTH];
static kst_report report[MACHINES];

static kst_status decode_on(uint32_t index, bool strict)
{
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    kst_report_init(&report[index]);
    options.strict = strict;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, WIDTH, SIDE, found[index], 0), KST_OK);
    return kst_decode(machine[index], made.data, made.length, &options, &image, &report[index]);
}

static void decode(void)
{
    for (uint32_t i = 0; i < MACHINES; i++) {
        assert_int_equal(decode_on(i, false), KST_OK);
        assert_int_equal(report[i].warnings, report[0].warnings);
        assert_int_equal(report[i].first_warning, report[0].first_warning);
        assert_int_equal(report[i].first_warning_offset, report[0].first_warning_offset);
        assert_memory_equal(found[i], found[0], sizeof found[0]);
    }
}

static void whole(void **state)
{
    (void)state;
    decode();
    assert_int_equal(report[0].warnings, 0);
    assert_memory_equal(found[0], pixels, sizeof pixels);
}

static void assert_zero(uint32_t block)
{
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            assert_int_equal(found[0][y][x], x / SIDE == block ? HALF : pixels[y][x]);
}

/* Scup that cannot be: one byte, and more than there are. */
static void lengths(void **state)
{
    (void)state;
    for (uint32_t block = 0; block < BLOCKS; block++)
        for (uint32_t i = 0; i < 2; i++) {
            uint8_t *end = made.data + at[block] + length[block], kept[2] = {end[-2], end[-1]};
            end[-1] = i ? 0xFF : 0;
            end[-2] = (uint8_t)((end[-2] & 0xF0) | (i ? 15 : 1));
            decode();
            assert_int_equal(report[0].warnings, 1);
            assert_int_equal(report[0].first_warning, KST_WARNING_J2K_DATA);
            assert_int_equal(report[0].first_warning_offset, at[block]);
            assert_zero(block);
            assert_int_equal(decode_on(1, true), KST_WARNING_J2K_DATA);
            end[-2] = kept[0];
            end[-1] = kept[1];
        }
}

/* Any byte: what decoding notices it counts, and then the whole block is 0. The other one is as it was. */
static void bytes(void **state)
{
    uint32_t noticed = 0;
    (void)state;
    for (uint32_t n = 0; n < 100; n++) {
        uint32_t block = n % BLOCKS, place = random_below(&random_state, (uint32_t)length[block]);
        uint8_t *byte = made.data + at[block] + place, kept = *byte;
        *byte ^= (uint8_t)(1 + random_below(&random_state, 255));
        decode();
        assert_in_range(report[0].warnings, 0, 1);
        if (report[0].warnings > 0)
            assert_zero(block);
        for (uint32_t y = 0; y < SIDE; y++)
            assert_memory_equal(found[0][y] + (1 - block) * SIDE, pixels[y] + (1 - block) * SIDE, SIDE);
        noticed += (uint32_t)report[0].warnings;
        *byte = kept;
    }
    assert_in_range(noticed, 10, 90);
    whole(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole), cmocka_unit_test(lengths), cmocka_unit_test(bytes)};
    return cmocka_run_group_tests(tests, make_stream, stop);
}
