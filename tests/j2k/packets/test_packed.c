/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet headers in PPM and PPT, and components that transcoding drops: what is left decodes to what it was. */
#include <string.h>

#include <kostka/kostka.h>

#include "support/j2k/coded.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { SIDE = 240, PLANES = 4 };

static uint8_t samples[PLANES][SIDE * SIDE];

static int setup(void **state)
{
    uint32_t random = 1;
    (void)state;
    for (uint32_t p = 0; p < PLANES; p++)
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            random = random * 1664525 + 1013904223;
            samples[p][i] = (uint8_t)((i % SIDE) * (p + 1) / 3 + (random >> 27));
        }
    return 0;
}

static kst_buffer encode(const kst_j2k_options *j2k, kst_colour colour, uint32_t planes)
{
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.colour = colour;
    image.width = image.height = SIDE;
    image.plane_count = planes;
    for (uint32_t p = 0; p < planes; p++)
        image.plane[p] = (kst_plane){.data = samples[p], .pitch = SIDE, .width = SIDE, .height = SIDE, .depth = 8};
    return j2k_coded(context, &image, j2k);
}

static kst_buffer transcode(const kst_buffer *source, const kst_transcode_options *options)
{
    kst_buffer output = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    if (kst_transcode(context, source->data, source->length, options, &output, &report))
        fail_msg("%s", report.message);
    assert_int_equal(report.warnings, 0);
    return output;
}

/* A lossless stream holds these planes. */
static void expect_planes(const kst_buffer *stream, const uint32_t *plane, uint32_t count)
{
    kst_decode_options options;
    kst_image image;
    kst_report report;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    options.strict = true;
    kst_image_init(&image);
    kst_report_init(&report);
    if (kst_decode(context, stream->data, stream->length, &options, &image, &report))
        fail_msg("%s", report.message);
    assert_int_equal(image.plane_count, count);
    for (uint32_t p = 0; p < count; p++)
        for (uint32_t y = 0; y < SIDE; y++)
            assert_memory_equal((const uint8_t *)image.plane[p].data + (ptrdiff_t)y * image.plane[p].pitch,
                samples[plane[p]] + (size_t)y * SIDE, SIDE);
    kst_image_release(context, &image);
}

static void expect_same(const kst_buffer *a, const kst_buffer *b)
{
    assert_int_equal(a->length, b->length);
    assert_memory_equal(a->data, b->data, a->length);
}

static uint32_t count_elements(const kst_buffer *stream, const char *name)
{
    kst_decoder *decoder;
    kst_element element = {.size = sizeof element};
    uint32_t count = 0;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, stream->data, stream->length), KST_OK);
    while (kst_decoder_next_element(decoder, &element))
        count += strcmp(element.name, name) == 0;
    kst_decoder_destroy(&decoder);
    return count;
}

static kst_j2k_options variant(uint32_t number)
{
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.codestream = true;
    j2k.layers = number % 3 + 1;
    j2k.sop = number & 1;
    j2k.eph = number & 2;
    j2k.packet_lengths = number & 4;
    j2k.tile_part_lengths = number & 1;
    if (number & 2)
        j2k.tile_width = j2k.tile_height = 100;
    if (number & 4)
        j2k.division = KST_J2K_DIVIDE_RESOLUTION;
    if (number == 7) { /* so many blocks that their headers take several marker segments */
        j2k.block_width = j2k.block_height = 4;
        j2k.tile_width = j2k.tile_height = 0;
        j2k.division = 0;
        j2k.layers = 25;
        j2k.style = KST_J2K_TERMALL;
    }
    return j2k;
}

static void packed(void **state)
{
    static const char *const names[] = {"", "PPT", "PPM"};
    static const uint32_t planes[] = {0, 1, 2};
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        kst_j2k_options j2k = variant(i);
        kst_buffer whole = encode(&j2k, KST_COLOUR_RGB, 3);
        for (uint32_t where = 1; where < 3; where++) {
            kst_transcode_options options;
            kst_transcode_options_init(&options);
            j2k.headers = (kst_j2k_headers)where;
            kst_buffer stream = encode(&j2k, KST_COLOUR_RGB, 3);
            assert_true(count_elements(&stream, names[where]) >= 1);
            assert_int_equal(count_elements(&stream, names[3 - where]), 0);
            expect_planes(&stream, planes, 3);
            if (i == 7)
                assert_true(count_elements(&stream, names[where]) >= 2);
            options.jpeg2000.division = j2k.division;
            kst_buffer plain = transcode(&whole, &options), same = transcode(&stream, &options);
            if (j2k.layers == 1) /* what packing takes counts in the layers' bytes */
                expect_same(&same, &plain);
            options.jpeg2000.headers = (kst_j2k_headers)where;
            kst_buffer again = transcode(&plain, &options);
            expect_planes(&again, planes, 3);
            options.jpeg2000.headers = KST_J2K_HEADERS_INLINE;
            kst_buffer back = transcode(&again, &options);
            expect_same(&back, &plain);
            kst_buffer_release(context, &plain);
            kst_buffer_release(context, &same);
            kst_buffer_release(context, &again);
            kst_buffer_release(context, &back);
            kst_buffer_release(context, &stream);
        }
        kst_buffer_release(context, &whole);
    }
}

/* The bytes of packing count in the rate. */
static void packed_rates(void **state)
{
    (void)state;
    for (uint32_t where = 1; where < 3; where++) {
        kst_j2k_options j2k = variant(7);
        j2k.headers = (kst_j2k_headers)where;
        j2k.target = KST_J2K_RATE;
        j2k.value = 2;
        j2k.layers = 1;
        kst_buffer stream = encode(&j2k, KST_COLOUR_RGB, 3);
        assert_true(stream.length <= SIDE * SIDE / 4 && stream.length > SIDE * SIDE / 4 * 97 / 100);
        kst_buffer_release(context, &stream);
    }
}

static kst_info info_of(const kst_buffer *stream)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, stream->data, stream->length), KST_OK);
    kst_info info = *kst_decoder_info(decoder);
    kst_decoder_destroy(&decoder);
    return info;
}

static void dropped(void **state)
{
    static const uint32_t lists[][3] = {{1}, {0, 3}, {1, 2, 3}, {0, 1, 2}, {3}};
    static const uint32_t counts[] = {1, 2, 3, 3, 1};
    const kst_j2k_change changes[] = {{KST_PROGRESSION_RLCP, 0, 2, 1, 3, 1}, {KST_PROGRESSION_CPRL, 0, 0, 0, 0, 0}};
    (void)state;
    for (uint32_t i = 0; i < 10; i++) {
        kst_transcode_options options;
        kst_j2k_options j2k = variant(i / 5 * 3);
        kst_transcode_options_init(&options);
        j2k.codestream = i < 5;
        j2k.change = i < 5 ? NULL : changes;
        j2k.change_count = i < 5 ? 0 : 2;
        kst_buffer stream = encode(&j2k, KST_COLOUR_UNKNOWN, 4);
        options.jpeg2000.components = lists[i % 5];
        options.jpeg2000.component_count = counts[i % 5];
        kst_buffer kept = transcode(&stream, &options);
        expect_planes(&kept, lists[i % 5], counts[i % 5]);
        kst_buffer_release(context, &kept);
        kst_buffer_release(context, &stream);
    }
}

static void refuse(const kst_buffer *stream, const uint32_t *list, uint32_t count, const char *why)
{
    kst_transcode_options options;
    kst_buffer output = {.data = NULL};
    kst_report report;
    kst_transcode_options_init(&options);
    options.jpeg2000.components = list;
    options.jpeg2000.component_count = count;
    kst_report_init(&report);
    assert_int_equal(
        kst_transcode(context, stream->data, stream->length, &options, &output, &report), KST_ERROR_OPTIONS);
    if (!strstr(report.message, why))
        fail_msg("'%s' is not '%s'", report.message, why);
    assert_null(output.data);
}

/* Colours: all are kept, some are lost, and what is mixed cannot go. */
static void colours(void **state)
{
    static const uint32_t rgb[] = {0, 1, 2}, green[] = {1}, beyond[] = {0, 4}, back[] = {2, 1};
    kst_transcode_options options;
    kst_j2k_options j2k;
    kst_info info;
    (void)state;
    kst_j2k_options_init(&j2k);
    kst_transcode_options_init(&options);
    kst_buffer mixed = encode(&j2k, KST_COLOUR_RGB, 3);
    refuse(&mixed, green, 1, "coded together");
    refuse(&mixed, beyond, 2, "4 is not one of 3");
    refuse(&mixed, back, 2, "does not ascend");
    refuse(&mixed, rgb, 0, "no component");
    refuse(&mixed, NULL, 2, "components to keep");
    options.jpeg2000.components = rgb;
    options.jpeg2000.component_count = 3;
    kst_buffer same = transcode(&mixed, &options);
    expect_planes(&same, rgb, 3);
    info = info_of(&same);
    assert_int_equal(info.colour, KST_COLOUR_RGB);
    j2k.keep_components = true;
    kst_buffer apart = encode(&j2k, KST_COLOUR_RGB, 3);
    options.jpeg2000.components = green;
    options.jpeg2000.component_count = 1;
    kst_buffer grey = transcode(&apart, &options);
    expect_planes(&grey, green, 1);
    info = info_of(&grey);
    assert_int_equal(info.colour, KST_COLOUR_GREY);
    assert_int_equal(info.component_count, 1);
    assert_int_equal(count_elements(&grey, "colr"), 1);
    kst_buffer_release(context, &grey);
    kst_buffer_release(context, &apart);
    kst_buffer_release(context, &same);
    kst_buffer_release(context, &mixed);
}

static void alpha(void **state)
{
    static const uint32_t rgb[] = {0, 1, 2};
    kst_transcode_options options;
    kst_image image;
    (void)state;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGBA, SIDE / 2, SIDE / 2, samples[0], 0), KST_OK);
    kst_buffer stream = j2k_coded(context, &image, NULL);
    assert_true(info_of(&stream).alpha);
    kst_transcode_options_init(&options);
    options.jpeg2000.components = rgb;
    options.jpeg2000.component_count = 3;
    kst_buffer opaque = transcode(&stream, &options);
    kst_info info = info_of(&opaque);
    assert_false(info.alpha);
    assert_int_equal(info.colour, KST_COLOUR_RGB);
    assert_int_equal(info.component_count, 3);
    assert_int_equal(count_elements(&opaque, "cdef"), 1);
    kst_buffer_release(context, &opaque);
    kst_buffer_release(context, &stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed),
        cmocka_unit_test(packed_rates),
        cmocka_unit_test(dropped),
        cmocka_unit_test(colours),
        cmocka_unit_test(alpha),
    };
    return run_with_context(2, tests, setup, NULL);
}
