/* SPDX-License-Identifier: BSD-2-Clause */
/* The boxes of JP2 files: lengths of all kinds, what jp2h holds, and what is wrong in them. */
#include <string.h>

#include "j2k/channels.h"
#include "j2k/marker.h"
#include "j2k_made.h"
#include "support.h"

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

/* A box with one field changed: a warning or none, and channels that can be asked for whatever it says. */
struct extreme {
    const char *type;
    const uint8_t *contents;
    uint8_t length, at, bytes;
    uint32_t value;
    uint8_t warnings;
};

static const uint8_t palette_box[] = {0, 1, 2, 7, 7, 1, 2}, mapping_box[] = {0, 0, 1, 0, 0, 0, 1, 1},
                     definition_box[] = {0, 1, 0, 0, 0, 0, 0, 1}, resolution_box[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 0},
                     type_box[] = "jp2 \0\0\0\0jp2 ", long_icc[] = {2, 0, 0, 0};

#define OF(name) (name), sizeof(name)

static const struct extreme extremes[] = {
    {"ftyp", OF(type_box), 0, 4, 0, 0},
    {"ftyp", OF(type_box), 4, 4, UINT32_MAX, 0},
    {"ihdr", OF(image_header), 0, 4, 0, 0},
    {"ihdr", OF(image_header), 0, 4, UINT32_MAX, 0},
    {"ihdr", OF(image_header), 4, 4, 0, 0},
    {"ihdr", OF(image_header), 4, 4, UINT32_MAX, 0},
    {"ihdr", OF(image_header), 8, 2, 0, 0},
    {"ihdr", OF(image_header), 8, 2, 65535, 0},
    {"ihdr", OF(image_header), 10, 1, 0, 0},
    {"ihdr", OF(image_header), 10, 1, 255, 0},
    {"ihdr", OF(image_header), 11, 1, 0, 1},
    {"ihdr", OF(image_header), 11, 1, 255, 1},
    {"ihdr", OF(image_header), 12, 1, 255, 0},
    {"ihdr", OF(image_header), 13, 1, 255, 0},
    {"colr", OF(grey), 0, 1, 0, 1},
    {"colr", OF(grey), 0, 1, 4, 0},
    {"colr", OF(grey), 0, 1, 255, 0},
    {"colr", OF(grey), 1, 1, 255, 0},
    {"colr", OF(grey), 2, 1, 255, 0},
    {"colr", OF(grey), 3, 4, 0, 0},
    {"colr", OF(grey), 3, 4, UINT32_MAX, 0},
    {"colr", OF(long_icc), 0, 1, 2, 0},
    {"colr", OF(long_icc), 0, 1, 3, 0},
    {"pclr", OF(palette_box), 0, 2, 0, 1},
    {"pclr", OF(palette_box), 0, 2, 1, 0},
    {"pclr", OF(palette_box), 0, 2, 1024, 1},
    {"pclr", OF(palette_box), 0, 2, 65535, 1},
    {"pclr", OF(palette_box), 2, 1, 0, 1},
    {"pclr", OF(palette_box), 2, 1, 255, 1},
    {"pclr", OF(palette_box), 3, 1, 0, 0},
    {"pclr", OF(palette_box), 3, 1, 0x80, 0},
    {"pclr", OF(palette_box), 3, 1, 37, 1},
    {"pclr", OF(palette_box), 3, 1, 38, 1},
    {"pclr", OF(palette_box), 3, 1, 255, 1},
    {"cmap", OF(mapping_box), 0, 2, 65535, 0},
    {"cmap", OF(mapping_box), 2, 1, 255, 0},
    {"cmap", OF(mapping_box), 3, 1, 255, 0},
    {"cdef", OF(definition_box), 0, 2, 0, 1},
    {"cdef", OF(definition_box), 0, 2, 65535, 1},
    {"cdef", OF(definition_box), 2, 2, 65535, 0},
    {"cdef", OF(definition_box), 4, 2, 65535, 0},
    {"cdef", OF(definition_box), 6, 2, 65535, 0},
    {"resc", OF(resolution_box), 0, 2, 0, 0},
    {"resc", OF(resolution_box), 0, 2, 65535, 0},
    {"resc", OF(resolution_box), 2, 2, 0, 1},
    {"resc", OF(resolution_box), 2, 2, 65535, 0},
    {"resc", OF(resolution_box), 6, 2, 0, 1},
    {"resd", OF(resolution_box), 8, 1, 127, 0},
    {"resd", OF(resolution_box), 9, 1, 128, 0},
};

static void put_extreme(struct made *to, const struct extreme *extreme)
{
    uint8_t contents[64];
    memcpy(contents, extreme->contents, extreme->length);
    for (uint32_t i = 0; i < extreme->bytes; i++)
        contents[extreme->at + i] = (uint8_t)(extreme->value >> 8 * (extreme->bytes - 1U - i));
    box_bytes(to, extreme->type, contents, extreme->length);
}

static void check_extreme(const struct extreme *extreme)
{
    struct j2k_stream stream;
    struct j2k_channels channels;
    bool resolution = memcmp(extreme->type, "res", 3) == 0, top = memcmp(extreme->type, "ftyp", 4) == 0;
    static struct made inside;
    start_file();
    inside.length = 0;
    put_extreme(top ? &made : resolution ? &inside : &inner, extreme);
    if (resolution)
        box(&inner, "res ", &inside);
    if (memcmp(extreme->type, "ihdr", 4) != 0)
        box_bytes(&inner, "ihdr", image_header, sizeof image_header);
    if (memcmp(extreme->type, "pclr", 4) == 0)
        box_bytes(&inner, "cmap", mapping_box, sizeof mapping_box);
    if (memcmp(extreme->type, "cmap", 4) == 0)
        box_bytes(&inner, "pclr", palette_box, sizeof palette_box);
    box_bytes(&inner, "colr", grey, sizeof grey);
    box(&made, "jp2h", &inner);
    box(&made, "jp2c", &codestream);
    expect_open(&stream, extreme->warnings);
    kst_j2k_channels(&stream, &channels);
    for (uint32_t i = 0; i < channels.count; i++)
        assert_true(channels.channel[i].component < stream.component_count);
    release(&stream);
}

static void test_extremes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; i++)
        check_extreme(&extremes[i]);
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
        assert_true(status != KST_OK || made_report()->warnings > 0);
    }
}

static void test_limit(void **state)
{
    (void)state;
    struct j2k_stream stream;
    kst_limits limits = made_limits;
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
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_hostile_lengths),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
