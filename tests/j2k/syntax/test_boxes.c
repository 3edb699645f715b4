/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks the boxes of JP2 files: lengths of all kinds, the contents of jp2h, and errors in them. */
#include <string.h>

#include "j2k/syntax/marker.h"
#include "support/j2k/codestream.h"
#include "support/test.h"

static struct made made, inner, codestream;

static void box(struct made *to, const char *type, const struct made *contents)
{
    made_number(to, 8 + contents->length, 4);
    made_bytes(to, type, 4);
    made_bytes(to, contents->data, contents->length);
}

static void box_bytes(struct made *to, const char *type, const void *data, size_t length)
{
    made_number(to, 8 + length, 4);
    made_bytes(to, type, 4);
    made_bytes(to, data, length);
}

static void make_codestream(void)
{
    static const struct made_size size = {.image = {0, 0, 8, 8}, .tile_width = 8, .tile_height = 8, .components = 1};
    static const uint8_t empty[1];
    made_start(&codestream, &size);
    made_cod(&codestream, J2K_LRCP, 1, 0);
    made_qcd(&codestream, 0);
    made_part(&codestream, 0, 0, 1, empty, 1);
    made_end(&codestream);
}

static void start_file(void)
{
    static const uint8_t signature[] = {0x0D, 0x0A, 0x87, 0x0A}, type[] = "jp2 \0\0\0\0jp2 ";
    make_codestream();
    made.length = inner.length = 0;
    box_bytes(&made, "jP  ", signature, 4);
    box_bytes(&made, "ftyp", type, 12);
}

static const uint8_t image_header[] = {0, 0, 0, 8, 0, 0, 0, 8, 0, 1, 7, 7, 0, 0};
static const uint8_t grey[] = {1, 0, 0, 0, 0, 0, 17}, srgb[] = {1, 0, 0, 0, 0, 0, 16}, vendor[] = {4, 0, 0, 1, 2, 3},
                     icc[] = {2, 0, 0, 'i', 'c', 'c', '!'};

static void expect_open(struct j2k_stream *stream, uint64_t warnings)
{
    assert_int_equal(made_parse(&made, NULL, stream), KST_OK);
    assert_int_equal(made_report()->warnings, warnings);
    assert_true(stream->file.present);
}

static void release(struct j2k_stream *stream)
{
    kst_j2k_stream_release(&made_memory, stream);
    assert_int_equal(made_memory.used, 0);
}

static void test_header(void **state)
{
    (void)state;
    static const uint8_t palette[] = {0, 2, 3, 7, 0x87, 11, 1, 0xFF, 0x0A, 0xBC, 9, 0x80, 0x01, 0x23};
    static const uint8_t mapping[] = {0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1, 2}, definition[] = {0, 1, 0, 2, 0, 1, 0, 0};
    static const uint8_t capture[] = {0, 72, 0, 1, 0, 96, 0, 2, 3, 0xFF};
    struct j2k_stream stream;
    struct made resolution = {.length = 0};
    start_file();
    box_bytes(&inner, "ihdr", image_header, sizeof image_header);
    box_bytes(&inner, "colr", vendor, sizeof vendor); /* not known: the next counts */
    box_bytes(&inner, "colr", icc, sizeof icc);
    box_bytes(&inner, "colr", srgb, sizeof srgb);
    box_bytes(&inner, "pclr", palette, sizeof palette);
    box_bytes(&inner, "cmap", mapping, sizeof mapping);
    box_bytes(&inner, "cdef", definition, sizeof definition);
    box_bytes(&resolution, "resc", capture, sizeof capture);
    box(&inner, "res ", &resolution);
    box(&made, "jp2h", &inner);
    box_bytes(&made, "xml ", "<a/>", 4);
    box(&made, "jp2c", &codestream);
    expect_open(&stream, 0);
    const struct j2k_file *file = &stream.file;
    assert_true(file->has_header);
    assert_int_equal(file->width, 8);
    assert_int_equal(file->colour_method, J2K_COLOUR_ICC);
    assert_int_equal(file->icc_length, 4);
    assert_memory_equal(made.data + file->icc_offset, "icc!", 4);
    assert_int_equal(file->palette.entries, 2);
    assert_int_equal(kst_j2k_palette_value(made.data, &file->palette, 0, 0), 1);
    assert_int_equal(kst_j2k_palette_value(made.data, &file->palette, 0, 1), -1);
    assert_int_equal(kst_j2k_palette_value(made.data, &file->palette, 0, 2), 0xABC);
    assert_int_equal(kst_j2k_palette_value(made.data, &file->palette, 1, 1), -128);
    assert_int_equal(kst_j2k_palette_value(made.data, &file->palette, 1, 2), 0x123);
    assert_int_equal(file->mapping_count, 3);
    assert_int_equal(kst_j2k_mapping(made.data, file, 2).column, 2);
    assert_int_equal(file->definition_count, 1);
    assert_int_equal(kst_j2k_definition(made.data, file, 0).channel, 2);
    assert_int_equal(kst_j2k_definition(made.data, file, 0).type, 1);
    assert_true(file->capture.present && !file->display.present);
    assert_int_equal(file->capture.denominator[1], 2);
    assert_int_equal(file->capture.exponent[1], -1);
    assert_int_equal(file->box_count, 14);
    release(&stream);
}

/* Lengths in eight bytes, and 0 for the rest of the file; boxes in an order that is not the usual one. */
static void test_lengths(void **state)
{
    (void)state;
    struct j2k_stream stream;
    start_file();
    box_bytes(&inner, "colr", grey, sizeof grey);
    box_bytes(&inner, "ihdr", image_header, sizeof image_header);
    made_number(&made, 1, 4);
    made_bytes(&made, "jp2c", 4);
    made_number(&made, 16 + codestream.length, 8);
    made_bytes(&made, codestream.data, codestream.length);
    box(&made, "jp2h", &inner);
    expect_open(&stream, 0);
    assert_int_equal(stream.file.colour_space, J2K_COLOUR_SPACE_GREY);
    assert_int_equal(stream.end - stream.start, codestream.length);
    release(&stream);
    start_file();
    made_number(&made, 0, 4);
    made_bytes(&made, "jp2c", 4);
    made_bytes(&made, codestream.data, codestream.length);
    expect_open(&stream, 0);
    assert_int_equal(stream.end, made.length);
    release(&stream);
}

static void expect_warned(const char *type, const void *data, size_t length)
{
    struct j2k_stream stream;
    start_file();
    box_bytes(&inner, type, data, length);
    box(&made, "jp2h", &inner);
    box(&made, "jp2c", &codestream);
    expect_open(&stream, 1);
    assert_int_equal(made_report()->first_warning, KST_WARNING_J2K_BOX);
    release(&stream);
}

static void test_damaged_boxes(void **state)
{
    (void)state;
    static const uint8_t zeros[32], no_entries[] = {0, 0, 1, 7, 0}, many[] = {4, 1, 1, 7, 0}, wide[] = {0, 1, 1, 38, 0};
    static const uint8_t short_palette[] = {0, 2, 1, 7, 0}, two[] = {0, 2, 0, 0, 0, 0, 0, 0};
    expect_warned("ihdr", image_header, 13);
    expect_warned("ihdr", zeros, 14); /* compression type 0 */
    expect_warned("colr", grey, 2);
    expect_warned("colr", grey, 6);
    expect_warned("colr", icc, 3);
    expect_warned("pclr", zeros, 0);
    expect_warned("pclr", no_entries, sizeof no_entries);
    expect_warned("pclr", many, sizeof many);
    expect_warned("pclr", wide, sizeof wide);
    expect_warned("pclr", short_palette, sizeof short_palette);
    expect_warned("cmap", zeros, 0);
    expect_warned("cmap", zeros, 6);
    expect_warned("cdef", zeros, 8);
    expect_warned("cdef", two, sizeof two);
    struct made resolution = {.length = 0};
    box_bytes(&resolution, "resd", zeros, 10);
    expect_warned("res ", resolution.data, resolution.length);
}

static void test_hostile_lengths(void **state)
{
    (void)state;
    struct j2k_stream stream;
    start_file();
    assert_int_equal(made_try(&made), KST_ERROR_J2K_NO_CODESTREAM);
    static const uint32_t lengths[] = {2, 7, 0xFFFFFFFF};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        start_file();
        made_number(&made, lengths[i], 4);
        made_bytes(&made, "free", 4);
        box(&made, "jp2c", &codestream);
        assert_int_equal(made_try(&made), KST_ERROR_J2K_NO_CODESTREAM);
        assert_int_equal(made_report()->first_warning, KST_WARNING_J2K_BOX);
    }
    start_file();
    made_number(&made, 1, 4);
    made_bytes(&made, "jp2c", 4);
    made_number(&made, UINT64_MAX, 8);
    made_bytes(&made, codestream.data, codestream.length);
    expect_open(&stream, 1); /* cut off: what there is counts */
    release(&stream);
    size_t whole = made.length;
    for (made.length = 12; made.length < whole; made.length++) {
        kst_status status = made_try(&made);
        assert_true(status || made_report()->warnings > 0);
    }
}

/* A header that reaches over the codestream ends in front of it, and so does a box inside that one. */
static void test_swallowed_codestream(void **state)
{
    (void)state;
    for (uint32_t nested = 0; nested < 2; nested++) {
        struct j2k_stream stream;
        start_file();
        size_t header = made.length, outside = 8 + sizeof image_header + 8 + 8 * nested;
        made_number(&made, outside + 8 + codestream.length, 4);
        made_bytes(&made, "jp2h", 4);
        box_bytes(&made, "ihdr", image_header, sizeof image_header);
        if (nested) {
            made_number(&made, 16 + codestream.length, 4);
            made_bytes(&made, "res ", 4);
        }
        box(&made, "jp2c", &codestream);
        assert_int_equal(made.length - header, outside + 8 + codestream.length);
        expect_open(&stream, 1);
        assert_int_equal(made_report()->first_warning, KST_WARNING_J2K_BOX);
        const struct j2k_box *last = &stream.file.box[stream.file.box_count - 1];
        assert_int_equal(last->type, J2K_BOX('j', 'p', '2', 'c'));
        assert_int_equal(last->depth, 0);
        assert_int_equal(last->offset, stream.file.codestream);
        assert_int_equal(stream.end - stream.start, codestream.length);
        release(&stream);
    }
}

static void test_limit(void **state)
{
    (void)state;
    struct j2k_stream stream;
    kst_limits limits = kst_default_limits;
    start_file();
    for (uint32_t i = 0; i < 100; i++)
        box_bytes(&made, "free", NULL, 0);
    box(&made, "jp2c", &codestream);
    limits.boxes = 102;
    assert_int_equal(made_parse(&made, &limits, &stream), KST_ERROR_LIMIT_BOXES);
    limits.boxes = 103;
    assert_int_equal(made_parse(&made, &limits, &stream), KST_OK);
    release(&stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_damaged_boxes),
        cmocka_unit_test(test_hostile_lengths),
        cmocka_unit_test(test_swallowed_codestream),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
