/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks files with more than one picture: what follows the first is kept, turned and cut alike, and indices are
 * updated.
 */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_writer.h>

#include "support/context.h"
#include "support/failing_allocator.h"
#include "support/jpeg/album.h"
#include "support/jpeg/recipe.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { VIDEO = 777, PREVIEW_TYPE = 0x010002, GAIN_MAP_TYPE = 0x050000, ROOM = 32 };

static uint32_t random_state = 1;

static struct contents make_picture(uint32_t width, uint32_t height, kst_format format, kst_subsampling subsampling)
{
    const struct recipe recipe = {
        .width = width, .height = height, .format = format, .subsampling = subsampling, .coding = KST_CODING_OPTIMIZED};
    return recipe_make(context, &recipe, &random_state);
}

/* A photograph of 4:2:0 with a preview, a gain map of a quarter of its size, and a video. */
struct sample {
    struct contents first, preview, map, video, file;
    struct album album;
};

static void make_sample(struct sample *s, uint32_t width, uint32_t height, struct album like)
{
    s->first = make_picture(width, height, KST_FORMAT_RGB, KST_SUBSAMPLING_420);
    s->preview = make_picture(width / 2, height / 2, KST_FORMAT_RGB, KST_SUBSAMPLING_420);
    s->map = make_picture(width / 4, height / 4, KST_FORMAT_GREY, KST_SUBSAMPLING_444);
    s->video = (struct contents){.data = malloc(VIDEO), .length = VIDEO};
    for (size_t i = 0; i < VIDEO; i++)
        s->video.data[i] = (uint8_t)random_next(&random_state);
    s->album = like;
    s->album.first = s->first;
    s->album.count = 3;
    s->album.part[0] = (struct album_part){
        .bytes = s->preview, .attribute = PREVIEW_TYPE, .indexed = true, .semantic = "Preview", .mime = "image/jpeg"};
    s->album.part[1] = (struct album_part){
        .bytes = s->map, .attribute = GAIN_MAP_TYPE, .indexed = true, .semantic = "GainMap", .mime = "image/jpeg"};
    s->album.part[2] = (struct album_part){.bytes = s->video, .semantic = "MotionPhoto", .mime = "video/mp4", .gap = 9};
    s->file = album_make(&s->album);
}

static void free_sample(struct sample *s)
{
    contents_free(&s->first);
    contents_free(&s->preview);
    contents_free(&s->map);
    contents_free(&s->video);
    contents_free(&s->file);
}

static kst_buffer transcode(const struct contents *file, const kst_transcode_options *options, uint64_t warnings)
{
    kst_buffer output = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    kst_status status = kst_transcode(context, file->data, file->length, options, &output, &report);
    if (status || report.warnings != warnings)
        print_error("%s, %u warnings\n", report.message, (unsigned)report.warnings);
    assert_int_equal(status, KST_OK);
    assert_int_equal(report.warnings, warnings);
    return output;
}

/* Indices point to pictures from SOI to EOI, and what they do not say is as it was. */
static void check_indices(const struct sample *s, const kst_buffer *out)
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

/* Part i, 0 being the first picture, of a file whose pictures follow each other. */
static struct contents part_of(const kst_buffer *file, size_t index)
{
    size_t at = 0;
    for (size_t i = 0; i < index; i++)
        at += album_picture_length(file->data + at, file->length - at);
    return (struct contents){
        .data = file->data + at, .length = album_picture_length(file->data + at, file->length - at)};
}

static void check_same(const struct contents *one, const struct contents *two)
{
    assert_int_equal(one->length, two->length);
    assert_memory_equal(one->data, two->data, one->length);
}

static const struct album arrangements[] = {
    {.mpf = true},
    {.mpf = true, .big_endian = true},
    {.xmp = true},
    {.xmp = true, .elements = true, .first_length = true},
    {.mpf = true, .xmp = true, .first_length = true},
    {.mpf = true, .big_endian = true, .xmp = true, .elements = true},
    {.mpf = false},
};
enum { ARRANGEMENTS = sizeof arrangements / sizeof arrangements[0] };

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
    for (size_t n = 0; n < ARRANGEMENTS; n++)
        for (int coding = 0; coding < 3; coding++) {
            struct sample s;
            struct contents written = {NULL, 0};
            uint64_t length;
            kst_transcode_options options;
            const kst_writer writer = {.size = sizeof writer, .write = append, .user = &written, .in_order = true};
            kst_transcode_options_init(&options);
            options.coding = (kst_coding)coding;
            make_sample(&s, 160, 96, arrangements[n]);
            kst_buffer out = transcode(&s.file, &options, 0), alone = transcode(&s.first, &options, 0);
            check_indices(&s, &out);
            const struct contents parts[] = {part_of(&out, 0), part_of(&out, 1), part_of(&out, 2)};
            check_pixels(&parts[0], &s.first);
            check_same(&parts[1], &s.preview);
            check_same(&parts[2], &s.map);
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
            free_sample(&s);
        }
}

/* If whole MCUs can follow, each part is the same as when it is turned by itself. */
static void test_turn(void **state)
{
    (void)state;
    for (size_t n = 0; n < ARRANGEMENTS; n++)
        for (int transform = 1; transform < 8; transform++) {
            struct sample s;
            kst_transcode_options options;
            kst_transcode_options_init(&options);
            options.transform = (kst_transform)transform;
            options.edge = (kst_edge)(n % 3);
            make_sample(&s, 192, 128, arrangements[n]);
            kst_buffer out = transcode(&s.file, &options, 0);
            kst_buffer preview = transcode(&s.preview, &options, 0), map = transcode(&s.map, &options, 0);
            check_indices(&s, &out);
            const struct contents parts[] = {part_of(&out, 0), part_of(&out, 1), part_of(&out, 2)};
            check_same(&parts[1], &(struct contents){preview.data, preview.length});
            check_same(&parts[2], &(struct contents){map.data, map.length});
            kst_buffer_release(context, &out);
            kst_buffer_release(context, &preview);
            kst_buffer_release(context, &map);
            free_sample(&s);
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
        struct sample s;
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.transform = (kst_transform)transform;
        make_sample(&s, 176, 112, arrangements[4]);
        const bool mirrors = transform != KST_TRANSFORM_TRANSPOSE;
        /* The preview, 88×56 with MCUs of 16×16, is not perfect either. */
        kst_buffer out = transcode(&s.file, &options, mirrors ? 2 : 0), back = {.data = NULL};
        check_indices(&s, &out);
        const struct contents parts[] = {part_of(&out, 0), part_of(&out, 1), part_of(&out, 2)};
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
        free_sample(&s);
    }
}

/* The mean of the differences between a recoded picture and its source, each sample in its place: a shift shows. */
static void test_registration(void **state)
{
    (void)state;
    struct sample s;
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.transform = KST_TRANSFORM_ROTATE_90;
    make_sample(&s, 176, 112, arrangements[0]);
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
    kst_buffer out = transcode(&s.file, &options, 2);
    const struct contents map = part_of(&out, 2);
    check_turned(&map, &s.map, KST_TRANSFORM_ROTATE_90, 0, 0, 12);
    kst_buffer_release(context, &out);
    kst_buffer_release(context, &coded);
    s.map = (struct contents){NULL, 0};
    free_sample(&s);
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
            struct sample s;
            kst_transcode_options options;
            kst_transcode_options_init(&options);
            options.transform = (kst_transform)transform;
            options.crop = (kst_region){cases[n].x, cases[n].y, cases[n].width, cases[n].height};
            make_sample(&s, transform ? 128 : 192, transform ? 192 : 128, arrangements[5]);
            kst_buffer out = transcode(&s.file, &options, cases[n].warnings);
            check_indices(&s, &out);
            const struct contents map = part_of(&out, 2);
            kst_image cut = decode(&map, KST_FORMAT_RAW);
            assert_int_equal(cut.width, cases[n].map_width);
            assert_int_equal(cut.height, cases[n].map_height);
            kst_image_release(context, &cut);
            check_turned(&map, &s.map, options.transform, cases[n].left, cases[n].top, cases[n].warnings ? 60 : 2);
            kst_buffer_release(context, &out);
            free_sample(&s);
        }
}

static void test_grey(void **state)
{
    struct sample s;
    kst_transcode_options options;
    (void)state;
    kst_transcode_options_init(&options);
    options.grey = true;
    make_sample(&s, 160, 96, arrangements[0]);
    kst_buffer out = transcode(&s.file, &options, 0);
    check_indices(&s, &out);
    for (size_t i = 0; i < 3; i++) {
        const struct contents part = part_of(&out, i);
        kst_image image = decode(&part, KST_FORMAT_AUTO);
        assert_int_equal(image.format, KST_FORMAT_GREY);
        kst_image_release(context, &image);
    }
    kst_buffer_release(context, &out);
    free_sample(&s);
}

static bool holds(const kst_buffer *buffer, const char *text)
{
    for (size_t i = 0; i + strlen(text) <= buffer->length; i++)
        if (memcmp(buffer->data + i, text, strlen(text)) == 0)
            return true;
    return false;
}

/* After dropping, nothing refers to what was dropped. */
static void test_drop(void **state)
{
    (void)state;
    for (int strip = 0; strip < 3; strip++)
        for (size_t n = 0; n < ARRANGEMENTS; n++) {
            struct sample s;
            kst_transcode_options options;
            kst_transcode_options_init(&options);
            options.strip = (kst_strip)strip;
            options.others = strip ? KST_OTHERS_KEEP : KST_OTHERS_DROP;
            make_sample(&s, 160, 96, arrangements[n]);
            kst_buffer out = transcode(&s.file, &options, 0);
            assert_int_equal(out.length, album_picture_length(out.data, out.length));
            assert_false(holds(&out, "MPF"));
            assert_false(holds(&out, "Directory"));
            assert_true(holds(&out, "hdrgm:Version") == (strip == 0 && arrangements[n].xmp));
            kst_buffer_release(context, &out);
            free_sample(&s);
        }
}

static void test_list(void **state)
{
    (void)state;
    for (size_t n = 0; n < ARRANGEMENTS; n++) {
        struct sample s;
        kst_decoder *decoder;
        kst_other other = {.size = sizeof other};
        const bool mpf = arrangements[n].mpf, xmp = arrangements[n].xmp;
        make_sample(&s, 160, 96, arrangements[n]);
        assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
        assert_false(kst_decoder_other(decoder, 0, &other));
        assert_int_equal(kst_decoder_open(decoder, s.file.data, s.file.length), KST_OK);
        size_t first = album_picture_length(s.file.data, s.file.length);
        assert_true(kst_decoder_other(decoder, 0, &other));
        assert_true(other.picture);
        assert_int_equal(other.offset, first);
        assert_int_equal(other.length, s.preview.length);
        assert_int_equal(other.width, 80);
        assert_int_equal(other.height, 48);
        assert_int_equal(other.components, 3);
        assert_int_equal(other.role, mpf ? KST_ROLE_PREVIEW : KST_ROLE_UNKNOWN);
        assert_int_equal(other.indexed, mpf);
        assert_int_equal(other.mp_attribute, mpf ? PREVIEW_TYPE : 0);
        assert_true(kst_decoder_other(decoder, 1, &other));
        assert_int_equal(other.offset, first + s.preview.length);
        assert_int_equal(other.width, 40);
        assert_int_equal(other.components, 1);
        assert_int_equal(other.role, mpf || xmp ? KST_ROLE_GAIN_MAP : KST_ROLE_UNKNOWN);
        /* Without a directory nothing says where the video begins. */
        assert_true(kst_decoder_other(decoder, 2, &other));
        assert_false(other.picture);
        assert_int_equal(other.length, xmp ? 9 : 9 + VIDEO);
        assert_int_equal(kst_decoder_other(decoder, 3, &other), xmp);
        if (xmp) {
            assert_int_equal(other.role, KST_ROLE_VIDEO);
            assert_int_equal(other.length, VIDEO);
            assert_int_equal(other.offset + VIDEO, s.file.length);
        }
        assert_false(kst_decoder_other(decoder, 4, &other));
        assert_int_equal(kst_decoder_report(decoder)->warnings, 0);
        kst_decoder_destroy(&decoder);
        free_sample(&s);
    }
}

/* Return where the entries of a file's index are. */
static uint8_t *entries_of(const struct contents *file)
{
    for (size_t i = 0; i + 4 < file->length; i++)
        if (memcmp(file->data + i, "MPF", 4) == 0)
            return file->data + i + 4 + 50;
    fail();
    return NULL;
}

/* Offsets that point to nothing, into pictures, to one another's place: counted, and left as they are. */
static void test_wrong_index(void **state)
{
    static const uint8_t wrong[][4] = {
        {0xFF, 0xFF, 0xFF, 0xFF}, {0x7F, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 3, 0}, {0, 0, 0, 70}};
    (void)state;
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++)
        for (int turned = 0; turned < 2; turned++) {
            struct sample s;
            kst_transcode_options options;
            kst_buffer back = {.data = NULL};
            kst_transcode_options_init(&options);
            options.transform = turned ? KST_TRANSFORM_ROTATE_180 : KST_TRANSFORM_NONE;
            make_sample(&s, 192, 128, arrangements[1]);
            memcpy(entries_of(&s.file) + 16 + 8, wrong[n], 4);
            kst_buffer out = transcode(&s.file, &options, 1);
            /* Pictures that follow one another are found without an index. */
            const struct contents preview = part_of(&out, 1), map = part_of(&out, 2);
            kst_buffer alone = transcode(&s.preview, &options, 0);
            if (turned)
                check_same(&preview, &(struct contents){alone.data, alone.length});
            else
                check_same(&preview, &s.preview);
            assert_true(map.length > 0);
            assert_memory_equal(entries_of(&(struct contents){out.data, out.length}) + 16 + 8, wrong[n], 4);
            options.strict = true;
            assert_int_equal(
                kst_transcode(context, s.file.data, s.file.length, &options, &back, NULL), KST_WARNING_JPEG_INDEX);
            kst_buffer_release(context, &alone);
            kst_buffer_release(context, &out);
            free_sample(&s);
        }
}

/* A header with as many entries as a segment holds, all of one place; and a thousand pictures. */
static void test_many(void **state)
{
    enum { ENTRIES = 4000, PICTURES = 1000 };
    (void)state;
    struct contents small = make_picture(8, 8, KST_FORMAT_GREY, KST_SUBSAMPLING_444);
    size_t header = 4 + (size_t)(small.data[4] << 8 | small.data[5]);
    size_t segment = 4 + 4 + 50 + 16 * ENTRIES, length = small.length * (PICTURES + 1) + segment;
    struct contents file = {.data = calloc(length, 1), .length = length};
    assert_non_null(file.data);
    memcpy(file.data, small.data, header);
    uint8_t *mpf = file.data + header;
    memcpy(mpf, "\xFF\xE2\0\0MPF\0MM\0\x2A\0\0\0\x08\0\1\xB0\2\0\7\0\0\0\0\0\0\0\x32", 30);
    mpf[2] = (uint8_t)((segment - 2) >> 8);
    mpf[3] = (uint8_t)(segment - 2);
    mpf[4 + 4 + 14] = 0;
    mpf[4 + 4 + 15] = 0;
    mpf[4 + 4 + 16] = (uint8_t)(16 * ENTRIES >> 8);
    mpf[4 + 4 + 17] = (uint8_t)(16 * ENTRIES & 255);
    size_t end = small.length + segment;
    memcpy(mpf + segment, small.data + header, small.length - header);
    for (size_t i = 0; i < ENTRIES; i++) {
        size_t offset = end + (i % 2 ? small.length * 3 : 0) - (header + 8);
        for (int b = 0; b < 4; b++)
            mpf[4 + 4 + 50 + 16 * i + 8 + (size_t)b] = (uint8_t)(offset >> 8 * (3 - b));
    }
    for (size_t i = 0; i < PICTURES; i++)
        memcpy(file.data + end + i * small.length, small.data, small.length);
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.transform = KST_TRANSFORM_FLIP_H;
    kst_buffer out = transcode(&file, &options, 0), turned = transcode(&small, &options, 0), none = {.data = NULL};
    assert_true(out.length > PICTURES * turned.length);
    assert_memory_equal(out.data + out.length - turned.length, turned.data, turned.length);
    kst_buffer_release(context, &out);
    kst_buffer_release(context, &turned);
    /* Limits are for all of them together. */
    kst_context *few = context_create("cpu", 1, &(kst_limits){.pixels = 64 * PICTURES});
    assert_int_equal(kst_transcode(few, file.data, file.length, &options, &none, NULL), KST_ERROR_LIMIT_PIXELS);
    kst_context_destroy(&few);
    few = context_create("cpu", 1, &(kst_limits){.markers = 2 * PICTURES});
    assert_int_equal(kst_transcode(few, file.data, file.length, &options, &none, NULL), KST_ERROR_LIMIT_MARKERS);
    options.others = KST_OTHERS_DROP;
    assert_int_equal(kst_transcode(few, file.data, file.length, &options, &none, NULL), KST_OK);
    kst_buffer_release(few, &none);
    kst_context_destroy(&few);
    contents_free(&file);
    contents_free(&small);
}

/*
 * If the first picture is damaged between scans, what follows is the rest of that picture and no part of the file, up
 * to a picture to which an index points.
 */
static void test_damaged_first(void **state)
{
    (void)state;
    for (int mpf = 0; mpf < 2; mpf++) {
        const struct recipe recipe = {.width = 96,
            .height = 64,
            .format = KST_FORMAT_RGB,
            .subsampling = KST_SUBSAMPLING_420,
            .coding = KST_CODING_PROGRESSIVE};
        struct sample s;
        make_sample(&s, 96, 64, arrangements[6]);
        contents_free(&s.first);
        contents_free(&s.file);
        s.first = recipe_make(context, &recipe, &random_state);
        s.album.first = s.first;
        s.album.mpf = mpf;
        s.file = album_make(&s.album);
        size_t scan = 0, table;
        while (memcmp(s.file.data + scan, "\xFF\xDA", 2) != 0)
            scan++;
        for (table = scan; memcmp(s.file.data + table, "\xFF\xC4", 2) != 0;)
            table++;
        s.file.data[table + 2] = s.file.data[table + 3] = 0; /* a length that no segment has */
        kst_buffer out = transcode(&s.file, NULL, 1);
        const struct contents first = part_of(&out, 0);
        if (mpf) {
            const struct contents parts[] = {part_of(&out, 1), part_of(&out, 2)};
            check_same(&parts[0], &s.preview);
            check_same(&parts[1], &s.map);
            assert_int_equal(out.length, first.length + s.preview.length + s.map.length + 9 + VIDEO);
        } else {
            assert_int_equal(out.length, first.length);
        }
        kst_buffer_release(context, &out);
        free_sample(&s);
    }
}

/* Damage anywhere gives a status, and the same one twice. */
static void test_damage(void **state)
{
    struct sample s;
    uint32_t random = 7;
    (void)state;
    for (int n = 0; n < 400; n++) {
        kst_transcode_options options;
        kst_buffer out = {.data = NULL}, again = {.data = NULL};
        kst_transcode_options_init(&options);
        options.transform = (kst_transform)random_below(&random, 8);
        if (n % 3 == 0)
            options.crop = (kst_region){random_below(&random, 60), random_below(&random, 40), 30, 20};
        make_sample(&s, 100, 76, arrangements[n % ARRANGEMENTS]);
        size_t header = album_picture_length(s.file.data, s.file.length) - s.first.length + 20;
        for (int i = 0; i < 1 + n % 4; i++) {
            size_t range = n % 2 && header > 30 ? header : s.file.length;
            s.file.data[20 + random_below(&random, (uint32_t)range - 20)] ^= (uint8_t)(1U << random_below(&random, 8));
        }
        if (n % 10 == 0)
            s.file.length -= random_below(&random, (uint32_t)s.file.length / 2);
        kst_status status = kst_transcode(context, s.file.data, s.file.length, &options, &out, NULL);
        assert_int_equal(kst_transcode(context, s.file.data, s.file.length, &options, &again, NULL), status);
        assert_int_equal(out.length, again.length);
        kst_buffer_release(context, &out);
        kst_buffer_release(context, &again);
        free_sample(&s);
    }
}

static kst_status list(kst_context *on, const void *argument)
{
    const struct contents *file = argument;
    kst_decoder *decoder;
    kst_other other = {.size = sizeof other};
    kst_status status = kst_decoder_create(on, &decoder);
    if (!status)
        status = kst_decoder_open(decoder, file->data, file->length);
    if (!status && !kst_decoder_other(decoder, 0, &other))
        status = kst_decoder_report(decoder)->status;
    kst_decoder_destroy(&decoder);
    return status;
}

/*
 * Failing allocations leave nothing behind, wherever they are: for pictures that follow without loss, and for those
 * that are encoded again.
 */
static void test_allocations(void **state)
{
    struct sample s;
    (void)state;
    make_sample(&s, 176, 112, arrangements[4]);
    struct failing_transcode work = {.data = s.file.data, .length = s.file.length};
    kst_transcode_options_init(&work.options);
    assert_true(failing_check(failing_transcode, &work, 1) > 10);
    work.options.transform = KST_TRANSFORM_ROTATE_90;
    assert_true(failing_check(failing_transcode, &work, 1) > 20);
    work.options.transform = KST_TRANSFORM_NONE;
    work.options.others = KST_OTHERS_DROP;
    assert_true(failing_check(failing_transcode, &work, 1) > 5);
    assert_true(failing_check(list, &s.file, 1) > 5);
    free_sample(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recode), cmocka_unit_test(test_turn),
        cmocka_unit_test(test_recoded), cmocka_unit_test(test_registration), cmocka_unit_test(test_crop),
        cmocka_unit_test(test_grey), cmocka_unit_test(test_drop), cmocka_unit_test(test_list),
        cmocka_unit_test(test_wrong_index), cmocka_unit_test(test_many), cmocka_unit_test(test_damaged_first),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_allocations)};
    return run_with_context(2, tests, NULL, NULL);
}
