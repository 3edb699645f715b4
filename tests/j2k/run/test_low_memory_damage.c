/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes damaged pictures of JPEG 2000 with less memory than the whole needs, and checks that pixels and reports are
 * the same as for the whole: callers must not notice that each part is decoded by itself.
 */
#include <stdio.h>
#include <string.h>

#include <kostka/kostka.h>

#include "support/j2k/coded.h"
#include "support/j2k/pictures.h"
#include "support/sanitizers.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { THREADS = 3 };

struct damage {
    const char *name;
    void (*make)(kst_buffer *stream);
};

/* Bytes all over the packets, headers among them. */
static void damage_packets(kst_buffer *stream)
{
    for (size_t i = stream->length / 8; i < stream->length; i += 50)
        ((uint8_t *)stream->data)[i] ^= 0x55;
}

/* Here and there. */
static void damage_sparsely(kst_buffer *stream)
{
    for (size_t i = stream->length / 4; i + 2 < stream->length; i += stream->length / 60)
        ((uint8_t *)stream->data)[i] ^= 0x55;
}

/* Damage what lies behind most of them, so that something is left. */
static void damage_late(kst_buffer *stream)
{
    for (size_t i = stream->length / 4 * 3; i < stream->length; i += 50)
        ((uint8_t *)stream->data)[i] ^= 0x55;
}

static void damage_blocks(kst_buffer *stream)
{
    for (size_t i = stream->length / 2; i + 2000 < stream->length; i += 20011)
        ((uint8_t *)stream->data)[i] ^= 0x10;
}

static void cut_off(kst_buffer *stream)
{
    stream->length = stream->length * 2 / 3;
}

/* All tiles but the second. */
static void damage_tiles(kst_buffer *stream)
{
    for (uint32_t i = 0; j2k_tile_part(stream, i); i++)
        if (i != 1)
            j2k_damage_header(stream, i);
}

/* The first tile said to be the second, of which there are two then (A.4.2). */
static void take_tile(kst_buffer *stream)
{
    enum { ISOT_LOW = 5 };
    uint8_t *first = j2k_tile_part(stream, 0);
    assert_non_null(first);
    first[ISOT_LOW] = 1;
}

/* The result of decoding a stream. */
struct outcome {
    kst_status status;
    kst_image image;
    kst_report report;
};

static struct outcome decode(
    kst_context *with, const kst_buffer *stream, const kst_decode_options *options, const kst_image *like)
{
    struct outcome outcome;
    kst_report_init(&outcome.report);
    image_like(&outcome.image, like);
    outcome.status = kst_decode(with, stream->data, stream->length, options, &outcome.image, &outcome.report);
    return outcome;
}

static void compare(const char *what, uint64_t memory, const struct outcome *wanted, const struct outcome *found)
{
    if (wanted->status != found->status || wanted->report.warnings != found->report.warnings ||
        wanted->report.first_warning != found->report.first_warning ||
        wanted->report.first_warning_offset != found->report.first_warning_offset)
        fail_msg("%s: %u %s, %u warnings; with %u bytes %u %s, %u warnings", what, (unsigned)wanted->status,
            wanted->report.message, (unsigned)wanted->report.warnings, (unsigned)memory, (unsigned)found->status,
            found->report.message, (unsigned)found->report.warnings);
    if (!wanted->status)
        expect_same_samples(what, &wanted->image, &found->image);
}

/* Decode with this memory, which is little, and compare. Of strict decoding of damaged data the status is the same. */
static void check_memory(const char *what, const kst_buffer *stream, const kst_decode_options *options, uint64_t memory,
    const kst_image *like, const struct outcome *wanted)
{
    kst_context *small = limited_context(THREADS, memory);
    struct outcome found = decode(small, stream, options, like);
    if (!options->strict || wanted->report.first_warning != KST_WARNING_J2K_DATA)
        compare(what, memory, wanted, &found);
    else
        assert_int_equal(found.status, wanted->status);
    image_free(&found.image);
    kst_context_destroy(&small);
}

/* Decode with the least memory and with four times as much, and strictly with twice as much. */
static void check_stream(const char *what, const kst_buffer *stream, const kst_decode_options *options, uint64_t least)
{
    kst_decode_options with = *options;
    struct outcome wanted;
    kst_image_init(&wanted.image);
    kst_report_init(&wanted.report);
    wanted.status = kst_decode(context, stream->data, stream->length, &with, &wanted.image, &wanted.report);
    assert_int_equal(wanted.status, KST_OK);
    assert_true(wanted.report.warnings > 0);
    check_memory(what, stream, &with, least, &wanted.image, &wanted);
    check_memory(what, stream, &with, 4 * least, &wanted.image, &wanted);
    with.strict = true;
    struct outcome strict = decode(context, stream, &with, &wanted.image);
    assert_true(strict.report.warnings > 0);
    check_memory(what, stream, &with, 2 * least, &wanted.image, &strict);
    image_free(&strict.image);
    kst_image_release(context, &wanted.image);
}

static void check(
    const struct coded_shape *shape, const kst_j2k_options *j2k, const struct damage *damage, uint64_t least)
{
    char what[100];
    kst_image image = noise_image(shape->format, shape->width, shape->height, shape->depth);
    kst_buffer stream = j2k_coded(context, &image, j2k);
    kst_decode_options options;
    snprintf(what, sizeof what, "%s, %s", shape->name, damage->name);
    kst_decode_options_init(&options);
    options.format = image.format;
    damage->make(&stream);
    check_stream(what, &stream, &options, least);
    if (image.format != KST_FORMAT_RAW)
        options.format = KST_FORMAT_RGBA;
    check_stream(what, &stream, &options, least);
    options.region = (kst_region){77, 5, image.width - 100, image.height - 9};
    check_stream(what, &stream, &options, least);
    kst_buffer_release(context, &stream);
    image_free(&image);
}

/* Packets and code-blocks, of which those along borders are needed on both sides. */
static void test_data(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {"packets", damage_packets}, {"code-blocks", damage_blocks}, {"cut off", cut_off}};
    static const struct coded_shape shapes[] = {
        {"lossless", KST_FORMAT_RGB, 1500, 200, 8, 0, KST_J2K_LOSSLESS, 0},
        {"lossy", KST_FORMAT_RGB, 1500, 200, 8, 0, KST_J2K_RATIO, 6},
        {"tiles", KST_FORMAT_RGB, 1500, 200, 8, 600, KST_J2K_RATIO, 6},
        {"components", KST_FORMAT_RAW, 1501, 301, 12, 0, KST_J2K_RATIO, 6},
        {"high", KST_FORMAT_RGB, 150, 1500, 8, 0, KST_J2K_LOSSLESS, 0},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
            if (fewer_cases() ? (i + k) % 3 != 0 : (i + k) % 3 == 1) /* each shape with two kinds of damage */
                continue;
            kst_j2k_options j2k = shape_options(&shapes[i]);
            j2k.style = KST_J2K_SYMBOLS;
            j2k.image_x = j2k.image_y = 3;
            j2k.block_width = j2k.block_height = 32;
            check(&shapes[i], &j2k, &damages[k], 600000);
        }
}

/* The data about many small code-blocks in many layers need more memory than there is. */
static void test_plans(void **state)
{
    (void)state;
    static const struct damage damages[] = {{"tiles' headers", damage_tiles}, {"cut off", cut_off}};
    static const struct coded_shape shape = {
        "many code-blocks", KST_FORMAT_RGB, 1500, 200, 8, 200, KST_J2K_LOSSLESS, 0};
    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
        kst_j2k_options j2k = shape_options(&shape);
        j2k.block_width = j2k.block_height = 8;
        j2k.layers = 4;
        check(&shape, &j2k, &damages[k], 700000);
    }
}

/* The whole reads all packets, whatever PLT says; and so parts do of what is damaged. What is dropped does not count.
 */
static void test_precincts(void **state)
{
    (void)state;
    static const struct damage damages[] = {{"late packets", damage_late}, {"packets, with PLT", damage_sparsely}};
    static const struct coded_shape shape = {"precincts", KST_FORMAT_GREY, 600, 420, 8, 0, KST_J2K_LOSSLESS, 0};
    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
        kst_j2k_options j2k = shape_options(&shape);
        j2k.packet_lengths = k > 0;
        j2k.precinct_count = 1;
        j2k.precinct_width[0] = j2k.precinct_height[0] = k > 0 ? 128 : 64;
        j2k.style = k > 0 ? KST_J2K_SYMBOLS : 0;
        j2k.block_width = j2k.block_height = 8;
        j2k.layers = k > 0 ? 6 : 4;
        check(&shape, &j2k, &damages[k], k > 0 ? 500000 : 400000);
    }
}

/* Parts have tiles none of which can be decoded, where the picture has others. */
static void test_tiles(void **state)
{
    (void)state;
    static const struct damage damages[] = {{"tiles' headers", damage_tiles}, {"a tile missing", take_tile}};
    static const struct coded_shape shape = {"tiles", KST_FORMAT_RGB, 1500, 200, 8, 300, KST_J2K_RATIO, 6};
    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
        const kst_j2k_options j2k = shape_options(&shape);
        check(&shape, &j2k, &damages[k], 600000);
    }
}

/* A region of such a tile is what the whole has there, as long as there is a whole. */
static void test_region(void **state)
{
    (void)state;
    enum { SIDE = 64, WIDTH = 40, HEIGHT = 30, GREY = 128 };
    kst_image image = noise_image(KST_FORMAT_GREY, 3 * SIDE, SIDE, 8), part;
    kst_j2k_options j2k;
    kst_decode_options options;
    kst_report report;
    kst_j2k_options_init(&j2k);
    j2k.tile_width = j2k.tile_height = SIDE;
    kst_buffer stream = j2k_coded(context, &image, &j2k);
    damage_tiles(&stream);
    kst_decode_options_init(&options);
    options.region = (kst_region){3, 5, WIDTH, HEIGHT};
    kst_image_init(&part);
    kst_report_init(&report);
    assert_int_equal(kst_decode(context, stream.data, stream.length, &options, &part, &report), KST_OK);
    assert_int_equal(report.first_warning, KST_WARNING_J2K_TILE_HEADER);
    assert_int_equal(report.warnings, 1);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            assert_int_equal(((const uint8_t *)part.plane[0].data)[y * (size_t)part.plane[0].pitch + x], GREY);
    kst_image_release(context, &part);
    options.region = (kst_region){0, 0, 0, 0};
    kst_image_init(&part);
    j2k_damage_header(&stream, 1);
    assert_int_not_equal(kst_decode(context, stream.data, stream.length, &options, &part, &report), KST_OK);
    kst_buffer_release(context, &stream);
    image_free(&image);
}

/* In a picture so small that not all tiles have samples, only the tiles with samples count. */
static void test_reduced(void **state)
{
    (void)state;
    enum { SIDE = 8, LEVELS = 5 };
    kst_image image = noise_image(KST_FORMAT_GREY, 10 * SIDE, SIDE, 8), small;
    kst_j2k_options j2k;
    kst_decode_options options;
    kst_j2k_options_init(&j2k);
    j2k.tile_width = j2k.tile_height = SIDE;
    j2k.levels = LEVELS;
    kst_buffer stream = j2k_coded(context, &image, &j2k);
    for (uint32_t i = 0; j2k_tile_part(&stream, i); i++)
        j2k_damage_header(&stream, i);
    kst_decode_options_init(&options);
    for (options.reduce = 0; options.reduce <= LEVELS; options.reduce++) {
        kst_image_init(&small);
        assert_int_equal(kst_decode(context, stream.data, stream.length, &options, &small, NULL), KST_ERROR_J2K_LENGTH);
    }
    kst_buffer_release(context, &stream);
    image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_data), cmocka_unit_test(test_plans),
        cmocka_unit_test(test_precincts), cmocka_unit_test(test_tiles), cmocka_unit_test(test_region),
        cmocka_unit_test(test_reduced)};
    return run_with_context(THREADS, tests, NULL, NULL);
}
