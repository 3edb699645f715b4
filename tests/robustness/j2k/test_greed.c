/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks small JPEG 2000 streams that ask for as much as the default limits allow, and for more: each ends in a bounded
 * time with bounded memory, whether it is opened, decoded or transcoded. With KOSTKA_SHOW set, what each takes is told.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/j2k/coded.h"
#include "support/j2k/hostile.h"
#include "support/jpeg/streams.h"
#include "support/machines.h"
#include "support/test.h"

/* The result of each verb, and the most seconds of one thread and megabytes that it may take. */
static void expect(const char *name, const struct bytes *b, const kst_status expected[3], double most, size_t megabytes)
{
    static const char *const verbs[] = {"open", "decode", "transcode"};
    for (uint32_t v = HOSTILE_OPEN; v <= HOSTILE_TRANSCODE; v++) {
        struct hostile_use use = hostile_measure((enum hostile_verb)v, b);
        if (getenv("KOSTKA_SHOW"))
            print_message("%-24s %9zu bytes  %-9s %-24s %6.2f s %6zu MB\n", name, b->length, verbs[v],
                kst_status_name(use.status), use.seconds, use.most >> 20);
        if (use.status != expected[v])
            fail_msg("%s, %s: %s", name, verbs[v], kst_status_name(use.status));
        if (use.seconds > most * (SANITIZED ? 10 : 1) || use.most >> 20 > megabytes)
            fail_msg("%s, %s: %.2f seconds, %zu MB", name, verbs[v], use.seconds, use.most >> 20);
    }
}

#define ALL(status)                                                                                                    \
    (const kst_status[])                                                                                               \
    {                                                                                                                  \
        status, status, status                                                                                         \
    }
#define EACH(opened, decoded, transcoded)                                                                              \
    (const kst_status[])                                                                                               \
    {                                                                                                                  \
        opened, decoded, transcoded                                                                                    \
    }

static void simple(
    const char *name, struct hostile_picture p, const kst_status expected[3], double most, size_t megabytes)
{
    static const uint8_t body[4];
    struct bytes b = {0};
    hostile_put_header(&b, &p);
    hostile_put_part(&b, 0, body, sizeof body);
    put_marker(&b, 0xD9);
    expect(name, &b, expected, most, megabytes);
    bytes_free(&b);
}

static void everything(void **state)
{
    (void)state;
    simple("all there can be",
        (struct hostile_picture){.width = 255,
            .height = 257,
            .tile_width = 1,
            .tile_height = 1,
            .components = 16384,
            .levels = 32,
            .precinct = 1,
            .layers = 65535},
        ALL(KST_ERROR_LIMIT_WORK), 0.5, 64);
    simple("components, levels",
        (struct hostile_picture){.width = 64, .height = 64, .components = 16384, .levels = 32, .layers = 65535},
        EACH(KST_OK, KST_ERROR_LIMIT_PRECINCTS, KST_ERROR_LIMIT_PRECINCTS), 4, 400);
    simple("layers, precincts",
        (struct hostile_picture){.width = 400,
            .height = 400,
            .components = 1,
            .levels = 5,
            .precinct = 1,
            .layers = 65535,
            .progression = 2},
        EACH(KST_OK, KST_OK, KST_ERROR_LIMIT_PRECINCTS), 2, 256);
}

static void samples(void **state)
{
    const uint32_t part = SANITIZED ? 16 : 1;
    (void)state;
    simple("2^27 samples",
        (struct hostile_picture){
            .width = 1 << 14, .height = (1 << 13) / part, .components = 1, .levels = 5, .layers = 1, .block = 4},
        ALL(KST_OK), 3, 400);
    simple("more",
        (struct hostile_picture){.width = 1 << 14, .height = (1 << 13) + (1 << 11), .components = 1, .layers = 1},
        ALL(KST_ERROR_LIMIT_WORK), 0.1, 1);
    simple("one column",
        (struct hostile_picture){
            .width = 1, .height = (1 << 21) / part, .components = 1, .levels = 5, .layers = 1, .block = 4},
        ALL(KST_OK), 3, 400);
    simple("one row",
        (struct hostile_picture){
            .width = (1 << 21) / part, .height = 1, .components = 1, .levels = 5, .layers = 1, .block = 4},
        ALL(KST_OK), 3, 400);
    simple("a longer one",
        (struct hostile_picture){
            .width = (1 << 21) + (1 << 18), .height = 1, .components = 1, .levels = 5, .layers = 1},
        ALL(KST_ERROR_LIMIT_WORK), 0.1, 1);
    simple("blocks of 4x4",
        (struct hostile_picture){.width = 4096, .height = 2048 / part, .components = 1, .levels = 0, .layers = 1},
        ALL(KST_OK), 3, 400);
    simple("more of them",
        (struct hostile_picture){.width = 8192, .height = 8192, .components = 1, .levels = 0, .layers = 1},
        EACH(KST_OK, KST_OK, KST_ERROR_LIMIT_BLOCKS), 3, 400);
}

/* Smaller components are few samples, and many once they are as large as the first; all of it is not asked for. */
static void enlarged(void **state)
{
    static const uint8_t body[4];
    struct bytes b = {0};
    const struct hostile_picture p = {
        .width = 11000, .height = 11000, .components = 3, .levels = 5, .layers = 1, .block = 4, .separation = 255};
    (void)state;
    hostile_put_header(&b, &p);
    hostile_put_part(&b, 0, body, sizeof body);
    put_marker(&b, 0xD9);
    kst_context *context = context_create("cpu", 1, NULL);
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    kst_image_init(&image);
    assert_int_equal(kst_decode(context, b.data, b.length, &options, &image, NULL), KST_ERROR_LIMIT_WORK);
    options.format = KST_FORMAT_GREY;
    options.region = (kst_region){0, 0, 11000, 64};
    assert_int_equal(kst_decode(context, b.data, b.length, &options, &image, NULL), KST_ERROR_J2K_COLOUR);
    options.format = KST_FORMAT_AUTO;
    assert_int_equal(kst_decode(context, b.data, b.length, &options, &image, NULL), KST_OK);
    assert_int_equal(image.format, KST_FORMAT_RGB);
    kst_image_release(context, &image);
    kst_context_destroy(&context);
    bytes_free(&b);
}

/* Blocks of 164 coding passes and not a byte. */
static void put_empty_passes(struct bytes *body, uint32_t side)
{
    struct hostile_bits w = {.bytes = body, .room = 8};
    hostile_put_bits(&w, 1, 1);
    for (uint32_t y = 0; y < side; y++) {
        for (uint32_t x = 0; x < side; x++) {
            uint32_t nodes = hostile_new_nodes(x, y, side);
            hostile_put_bits(&w, (1U << nodes) - 1, nodes); /* included */
            hostile_put_bits(&w, (1U << nodes) - 1, nodes); /* no missing planes */
            hostile_put_bits(&w, 0xFFFF, 16);
            hostile_put_bits(&w, 0, 11);
        }
    }
    hostile_put_bits(&w, 0, 7);
}

static void passes(void **state)
{
    (void)state;
    for (uint32_t bits = 3; bits <= 4; bits++) {
        uint32_t side = 1U << bits;
        struct bytes b = {0}, body = {0};
        const struct hostile_picture p = {
            .width = 64 * side, .height = 64 * side, .components = 1, .block = 4, .layers = 1, .roi_shift = 37};
        put_empty_passes(&body, side);
        hostile_put_header(&b, &p);
        hostile_put_part(&b, 0, body.data, body.length);
        put_marker(&b, 0xD9);
        bool fine = bits == 3;
        expect(fine ? "passes without bytes" : "more of them", &b,
            EACH(KST_OK, fine ? KST_OK : KST_ERROR_LIMIT_WORK, KST_OK), 2, 64);
        bytes_free(&b);
        bytes_free(&body);
    }
}

/* 32 progressions of which the first brings all packets. */
static void progressions(void **state)
{
    struct bytes b = {0}, changes = {0};
    const struct hostile_picture p = {
        .width = 360, .height = 360, .components = 1, .levels = 1, .precinct = 1, .layers = 2};
    (void)state;
    for (uint32_t i = 0; i < 32; i++)
        put(&changes, (const uint8_t[]){0, 0, 0, i == 31 ? 2 : 1, 2, 0, 0}, 7);
    hostile_put_header(&b, &p);
    put_segment(&b, 0x5F, changes.data, changes.length);
    size_t length = SANITIZED ? 30000 : 350000;
    uint8_t *body = calloc(length, 1);
    hostile_put_part(&b, 0, body, length);
    put_marker(&b, 0xD9);
    expect("progressions", &b, ALL(KST_OK), 3, 300);
    free(body);
    bytes_free(&b);
    bytes_free(&changes);
}

/* 1,024 of them with more layers, and nothing allowed for the stream's bytes: turns that bring no packet come to an
 * end. */
static void turns(void **state)
{
    struct bytes b = {0}, changes = {0};
    const struct hostile_picture p = {
        .width = 360, .height = 360, .components = 1, .levels = 1, .precinct = 1, .layers = 4};
    (void)state;
    if (SANITIZED)
        return; /* takes long there, and all but the number of turns is above */
    for (uint32_t i = 0; i < 1024; i++)
        put(&changes, (const uint8_t[]){0, 0, 0, 4, 2, 0, 0}, 7);
    hostile_put_header(&b, &p);
    put_segment(&b, 0x5F, changes.data, changes.length);
    uint8_t *body = calloc(350000, 1);
    hostile_put_part(&b, 0, body, 350000);
    put_marker(&b, 0xD9);
    kst_context *context = context_create("cpu", 1, &(kst_limits){.work = 1});
    double start = hostile_seconds();
    assert_int_equal(hostile_run(context, HOSTILE_OPEN, &b), KST_OK);
    assert_int_equal(hostile_run(context, HOSTILE_DECODE, &b), KST_ERROR_LIMIT_WORK);
    assert_true(hostile_seconds() - start < 6);
    kst_context_destroy(&context);
    free(body);
    bytes_free(&b);
    bytes_free(&changes);
}

/* The number of code-blocks that are decoded, or all where they are encoded or transcoded. */
static void blocks(void **state)
{
    static uint8_t pixels[64 * 64];
    kst_j2k_options j2k;
    kst_image image;
    kst_buffer coded = {0}, made = {0};
    (void)state;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i >> 3);
    kst_j2k_options_init(&j2k);
    kst_encode_options encoding = j2k_coding(&j2k);
    j2k.levels = 1;
    j2k.block_width = j2k.block_height = 16;
    for (uint32_t limit = 16; limit >= 15; limit--) { /* there are 16 */
        kst_context *context = context_create("cpu", 0, &(kst_limits){.blocks = limit});
        kst_status wanted = limit == 16 ? KST_OK : KST_ERROR_LIMIT_BLOCKS;
        assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, 64, 64, pixels, 0), KST_OK);
        kst_buffer *output = limit == 16 ? &coded : &made;
        assert_int_equal(kst_encode(context, &image, &encoding, output, NULL), wanted);
        struct bytes b = {.data = coded.data, .length = coded.length};
        assert_int_equal(hostile_run(context, HOSTILE_OPEN, &b), KST_OK);
        assert_int_equal(hostile_run(context, HOSTILE_DECODE, &b), wanted);
        assert_int_equal(hostile_run(context, HOSTILE_TRANSCODE, &b), wanted);
        kst_decode_options part;
        kst_decode_options_init(&part);
        part.region = (kst_region){3, 3, 8, 8};
        kst_image_init(&image);
        assert_int_equal(kst_decode(context, coded.data, coded.length, &part, &image, NULL), KST_OK);
        kst_image_release(context, &image);
        if (limit == 15)
            kst_buffer_release(context, &coded);
        kst_context_destroy(&context);
    }
}

/* Parameters of 16,384 components in each of many tiles. */
static void parameters(void **state)
{
    struct bytes b = {0};
    const struct hostile_picture p = {
        .width = 64, .height = 64, .tile_width = 2, .tile_height = 2, .components = 16384, .layers = 1};
    (void)state;
    hostile_put_header(&b, &p);
    for (uint32_t t = 0; t < 1024; t++) {
        put_marker(&b, 0x90);
        hostile_put16(&b, 10);
        hostile_put16(&b, t);
        hostile_put32(&b, 20);
        put(&b, (const uint8_t[]){0, 1}, 2);
        put_segment(&b, 0x5C, (const uint8_t[]){0, 8}, 2);
        put_marker(&b, 0x93);
    }
    put_marker(&b, 0xD9);
    expect("parameters", &b, EACH(KST_OK, KST_ERROR_LIMIT_PRECINCTS, KST_ERROR_LIMIT_PRECINCTS), 2, 600);
    bytes_free(&b);
}

/* A tile-part that says next to nothing for each of many tiles of 33 resolutions. */
static void put_tiles(struct bytes *b, uint32_t columns, uint32_t rows)
{
    const struct hostile_picture p = {.width = columns,
        .height = rows,
        .tile_width = 1,
        .tile_height = 1,
        .components = 1,
        .levels = 32,
        .layers = 1};
    hostile_put_header(b, &p);
    for (uint32_t t = 0; t < columns * rows; t++)
        hostile_put_part(b, t, "\x80\x00", 2);
    put_marker(b, 0xD9);
}

static void tiles(void **state)
{
    struct bytes some = {0}, all = {0};
    (void)state;
    put_tiles(&some, 128, SANITIZED ? 8 : 15);
    expect("tiles", &some, ALL(KST_OK), 2, 300);
    put_tiles(&all, 255, 257);
    expect("all tiles", &all, EACH(KST_OK, KST_ERROR_LIMIT_PRECINCTS, KST_ERROR_LIMIT_PRECINCTS), 3, 700);
    bytes_free(&some);
    bytes_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),
        cmocka_unit_test(samples),
        cmocka_unit_test(enlarged),
        cmocka_unit_test(passes),
        cmocka_unit_test(progressions),
        cmocka_unit_test(turns),
        cmocka_unit_test(blocks),
        cmocka_unit_test(parameters),
        cmocka_unit_test(tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
