/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks files with more than one picture: what follows the first is kept, turned and cut alike. */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_writer.h>

#include "support/context.h"
#include "support/jpeg/photograph.h"
#include "support/shared_context.h"
#include "support/test.h"

/* Indices point to pictures from SOI to EOI, and what they do not say is as it was. */
static void check_indices(const struct photograph *s, const kst_buffer *out)
{
    struct album_entry entry[ROOM], before[ROOM];
    size_t lengths[ROOM], first = album_picture_length(out->data, out->length);
    size_t count = album_index(out->data, out->length, entry, ROOM);
    assert_true(first > 0);
    assert_int_equal(count, s->album.mpf ? 3 : 0);
    assert_int_equal(album_index(s->file.data, s->file.length, before, ROOM), count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(entry[i].attribute, before[i].attribute);
        assert_int_equal(
            entry[i].length, album_picture_length(out->data + entry[i].offset, out->length - entry[i].offset));
    }
    count = album_lengths(out->data, out->length, lengths, ROOM);
    assert_int_equal(count, s->album.xmp ? 4 : 0);
    if (count == 0)
        return;
    assert_int_equal(lengths[0], s->album.first_length ? first : 0);
    size_t at = first;
    for (size_t i = 1; i < 3; at += lengths[i++])
        assert_int_equal(lengths[i], album_picture_length(out->data + at, out->length - at));
    assert_int_equal(lengths[3], VIDEO);
    assert_int_equal(at + 9 + VIDEO, out->length);
    assert_memory_equal(out->data + at + 9, s->video.data, VIDEO);
}

static kst_image decode(const struct contents *jpeg, kst_format format)
{
    kst_image image;
    kst_decode_options options;
    kst_image_init(&image);
    kst_decode_options_init(&options);
    options.format = format;
    assert_int_equal(kst_decode(context, jpeg->data, jpeg->length, &options, &image, NULL), KST_OK);
    return image;
}

static void check_pixels(const struct contents *one, const struct contents *two)
{
    kst_image a = decode(one, KST_FORMAT_RAW), b = decode(two, KST_FORMAT_RAW);
    assert_int_equal(a.plane_count, b.plane_count);
    for (uint32_t i = 0; i < a.plane_count; i++) {
        assert_int_equal(a.plane[i].width, b.plane[i].width);
        assert_int_equal(a.plane[i].height, b.plane[i].height);
        for (uint32_t y = 0; y < a.plane[i].height; y++)
            assert_memory_equal((uint8_t *)a.plane[i].data + (ptrdiff_t)y * a.plane[i].pitch,
                (uint8_t *)b.plane[i].data + (ptrdiff_t)y * b.plane[i].pitch, a.plane[i].width);
    }
    kst_image_release(context, &a);
    kst_image_release(context, &b);
}

/* Recoding leaves what follows byte for byte; and through a writer it is the same file. */
static bool append(void *user, uint64_t offset, const void *data, size_t length)
{
    struct contents *to = user;
    uint8_t *grown = realloc(to->data, to->length + length);
    assert_non_null(grown);
    assert_int_equal(offset, to->length);
    memcpy(grown + to->length, data, length);
    *to = (struct contents){grown, to->length + length};
    return true;
}

static void test_recode(void **state)
{
    (void)state;
    for (size_t n = 0; n < ALBUM_ARRANGEMENTS; n++)
        for (int coding = 0; coding < 3; coding++) {
            struct photograph s;
            struct contents written = {NULL, 0};
            uint64_t length;
            kst_transcode_options options;
            const kst_writer writer = {.size = sizeof writer, .write = append, .user = &written, .in_order = true};
            kst_transcode_options_init(&options);
            options.coding = (kst_coding)coding;
            photograph_make(&s, 160, 96, album_arrangements[n]);
            kst_buffer out = photograph_transcode(&s.file, &options, 0),
                       alone = photograph_transcode(&s.first, &options, 0);
            check_indices(&s, &out);
            const struct contents parts[] = {album_part_of(&out, 0), album_part_of(&out, 1), album_part_of(&out, 2)};
            check_pixels(&parts[0], &s.first);
            contents_check_same(&parts[1], &s.preview);
            contents_check_same(&parts[2], &s.map);
            /* Only the first picture's segments differ from what they would be in a file of its own. */
            size_t tail = alone.length - 200;
            assert_memory_equal(parts[0].data + parts[0].length - tail, alone.data + 200, tail);
            assert_int_equal(
                kst_transcode_to(context, s.file.data, s.file.length, &options, &writer, &length, NULL), KST_OK);
            assert_int_equal(written.length, out.length);
            assert_memory_equal(written.data, out.data, out.length);
            free(written.data);
            kst_buffer_release(context, &out);
            kst_buffer_release(context, &alone);
            photograph_free(&s);
        }
}

/* If whole MCUs can follow, each part is the same as when it is turned by itself. */
static void test_turn(void **state)
{
    (void)state;
    for (size_t n = 0; n < ALBUM_ARRANGEMENTS; n++)
        for (int transform = 1; transform < 8; transform++) {
            struct photograph s;
            kst_transcode_options options;
            kst_transcode_options_init(&options);
            options.transform = (kst_transform)transform;
            options.edge = (kst_edge)(n % 3);
            photograph_make(&s, 192, 128, album_arrangements[n]);
            kst_buffer out = photograph_transcode(&s.file, &options, 0);
            kst_buffer preview = photograph_transcode(&s.preview, &options, 0),
                       map = photograph_transcode(&s.map, &options, 0);
            check_indices(&s, &out);
            const struct contents parts[] = {album_part_of(&out, 0), album_part_of(&out, 1), album_part_of(&out, 2)};
            contents_check_same(&parts[1], &(struct contents){preview.data, preview.length});
            contents_check_same(&parts[2], &(struct contents){map.data, map.length});
            kst_buffer_release(context, &out);
            kst_buffer_release(context, &preview);
            kst_buffer_release(context, &map);
            photograph_free(&s);
        }
}

/* The sample of a turned and cut plane that comes from (x, y) of the source. */
static void turn_back(kst_transform transform, uint32_t width, uint32_t height, uint32_t *x, uint32_t *y)
{
    static const bool swaps[] = {false, false, false, false, true, true, true, true};
    static const bool columns[] = {false, true, true, false, false, true, true, false};
    static const bool rows[] = {false, false, true, true, false, false, true, true};
    uint32_t u = *x, v = *y;
    if (columns[transform])
        u = (swaps[transform] ? height : width) - 1 - u;
    if (rows[transform])
        v = (swaps[transform] ? width : height) - 1 - v;
    *x = swaps[transform] ? v : u;
    *y = swaps[transform] ? u : v;
}

/* Compare a grey picture with what it came from, turned, from `left`, `top` on; the greatest difference allowed. */
static void check_turned(const struct contents *made, const struct contents *from, kst_transform transform,
    uint32_t left, uint32_t top, int allowed)
{
    kst_image a = decode(made, KST_FORMAT_RAW), b = decode(from, KST_FORMAT_RAW);
    for (uint32_t y = 0; y < a.height; y++)
        for (uint32_t x = 0; x < a.width; x++) {
            uint32_t u = x + left, v = y + top;
            turn_back(transform, b.width, b.height, &u, &v);
            assert_true(u < b.width && v < b.height);
            int one = ((uint8_t *)a.plane[0].data)[(ptrdiff_t)y * a.plane[0].pitch + x];
            int two = ((uint8_t *)b.plane[0].data)[(ptrdiff_t)v * b.plane[0].pitch + u];
            assert_in_range(abs(one - two), 0, allowed);
        }
    kst_image_release(context, &a);
    kst_image_release(context, &b);
}

/*
 * A gain map of 44×28 has partial MCUs, which the photograph of 176×112 has not: it is encoded again, with every sample
 * in its place, and with its own tables. With KST_EDGE_PERFECT that is an error.
 */
static void test_recoded(void **state)
{
    (void)state;
    for (int transform = 1; transform < 8; transform++) {
        struct photograph s;
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.transform = (kst_transform)transform;
        photograph_make(&s, 176, 112, album_arrangements[4]);
        const bool mirrors = transform != KST_TRANSFORM_TRANSPOSE;
        /* The preview, 88×56 with MCUs of 16×16, is not perfect either. */
        kst_buffer out = photograph_transcode(&s.file, &options, mirrors ? 2 : 0), back = {.data = NULL};
        check_indices(&s, &out);
        const struct contents parts[] = {album_part_of(&out, 0), album_part_of(&out, 1), album_part_of(&out, 2)};
        check_turned(&parts[2], &s.map, options.transform, 0, 0, mirrors ? 60 : 2);
        kst_decoder *decoder;
        assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
        assert_int_equal(kst_decoder_open(decoder, parts[2].data, parts[2].length), KST_OK);
        assert_int_equal(kst_decoder_info(decoder)->quality, 75);
        kst_decoder_destroy(&decoder);
        options.edge = KST_EDGE_PERFECT;
        assert_int_equal(kst_transcode(context, s.file.data, s.file.length, &options, &back, NULL),
            mirrors ? KST_ERROR_JPEG_NOT_PERFECT : KST_OK);
        kst_buffer_release(context, &back);
        options.edge = KST_EDGE_KEEP;
        options.strict = true;
        assert_int_equal(kst_transcode(context, s.file.data, s.file.length, &options, &back, NULL),
            mirrors ? KST_WARNING_JPEG_RECODED : KST_OK);
        kst_buffer_release(context, &back);
        kst_buffer_release(context, &out);
        photograph_free(&s);
    }
}

/* The mean of the differences between a recoded picture and its source, each sample in its place: a shift shows. */
static void test_registration(void **state)
{
    (void)state;
    struct photograph s;
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.transform = KST_TRANSFORM_ROTATE_90;
    photograph_make(&s, 176, 112, album_arrangements[0]);
    contents_free(&s.map);
    contents_free(&s.file);
    /* One bright column and row, which nothing else looks like. */
    uint8_t pixels[28][44];
    kst_image image;
    kst_encode_options encode;
    kst_buffer coded = {.data = NULL};
    for (uint32_t y = 0; y < 28; y++)
        for (uint32_t x = 0; x < 44; x++)
            pixels[y][x] = x == 5 || y == 3 ? 250 : 20;
    kst_encode_options_init(&encode);
    encode.quality = 98;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_GREY, 44, 28, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(context, &image, &encode, &coded, NULL), KST_OK);
    s.map = (struct contents){coded.data, coded.length};
    s.album.part[1].bytes = s.map;
    s.file = album_make(&s.album);
    kst_buffer out = photograph_transcode(&s.file, &options, 2);
    const struct contents map = album_part_of(&out, 2);
    check_turned(&map, &s.map, KST_TRANSFORM_ROTATE_90, 0, 0, 12);
    kst_buffer_release(context, &out);
    kst_buffer_release(context, &coded);
    s.map = (struct contents){NULL, 0};
    photograph_free(&s);
}

/* A cut of the first picture takes the same part of all; where MCUs do not fit, samples are cut. */
static void test_crop(void **state)
{
    static const struct {
        uint32_t x, y, width, height; /* asked for */
        uint32_t left, top, map_width, map_height;
        uint64_t warnings;
    } cases[] = {
        {32, 32, 64, 64, 8, 8, 16, 16, 0}, {40, 33, 64, 64, 8, 8, 18, 16, 0}, /* grows to 72×65 at 32+32 */
        {16, 0, 64, 64, 4, 0, 16, 16, 2},  /* x is at no border of an MCU of the preview, nor of the map */
        {0, 0, 192, 128, 0, 0, 48, 32, 0}, /* all of it */
        {191, 127, 1, 1, 44, 28, 4, 4, 2}, /* 176+112, 16×16 */
    };
    (void)state;
    for (int transform = 0; transform < 8; transform += 5)
        for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
            struct photograph s;
            kst_transcode_options options;
            kst_transcode_options_init(&options);
            options.transform = (kst_transform)transform;
            options.crop = (kst_region){cases[n].x, cases[n].y, cases[n].width, cases[n].height};
            photograph_make(&s, transform ? 128 : 192, transform ? 192 : 128, album_arrangements[5]);
            kst_buffer out = photograph_transcode(&s.file, &options, cases[n].warnings);
            check_indices(&s, &out);
            const struct contents map = album_part_of(&out, 2);
            kst_image cut = decode(&map, KST_FORMAT_RAW);
            assert_int_equal(cut.width, cases[n].map_width);
            assert_int_equal(cut.height, cases[n].map_height);
            kst_image_release(context, &cut);
            check_turned(&map, &s.map, options.transform, cases[n].left, cases[n].top, cases[n].warnings ? 60 : 2);
            kst_buffer_release(context, &out);
            photograph_free(&s);
        }
}

static void test_grey(void **state)
{
    struct photograph s;
    kst_transcode_options options;
    (void)state;
    kst_transcode_options_init(&options);
    options.grey = true;
    photograph_make(&s, 160, 96, album_arrangements[0]);
    kst_buffer out = photograph_transcode(&s.file, &options, 0);
    check_indices(&s, &out);
    for (size_t i = 0; i < 3; i++) {
        const struct contents part = album_part_of(&out, i);
        kst_image image = decode(&part, KST_FORMAT_AUTO);
        assert_int_equal(image.format, KST_FORMAT_GREY);
        kst_image_release(context, &image);
    }
    kst_buffer_release(context, &out);
    photograph_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recode), cmocka_unit_test(test_turn),
        cmocka_unit_test(test_recoded), cmocka_unit_test(test_registration), cmocka_unit_test(test_crop),
        cmocka_unit_test(test_grey)};
    return run_with_context(2, tests, NULL, NULL);
}
