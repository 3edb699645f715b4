/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks lists of what is in a file with more than one picture: parts are left out or taken alone, indices are updated,
 * and wrong ones, damage and failures end in a result or an error.
 */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_writer.h>

#include "support/context.h"
#include "support/failing_allocator.h"
#include "support/jpeg/photograph.h"
#include "support/jpeg/recipe.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

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
        for (size_t n = 0; n < ALBUM_ARRANGEMENTS; n++) {
            struct photograph s;
            kst_transcode_options options;
            kst_transcode_options_init(&options);
            options.strip = (kst_strip)strip;
            options.others = strip ? KST_OTHERS_KEEP : KST_OTHERS_DROP;
            photograph_make(&s, 160, 96, album_arrangements[n]);
            kst_buffer out = photograph_transcode(&s.file, &options, 0);
            assert_int_equal(out.length, album_picture_length(out.data, out.length));
            assert_false(holds(&out, "MPF"));
            assert_false(holds(&out, "Directory"));
            assert_true(holds(&out, "hdrgm:Version") == (strip == 0 && album_arrangements[n].xmp));
            kst_buffer_release(context, &out);
            photograph_free(&s);
        }
}

static void test_list(void **state)
{
    (void)state;
    for (size_t n = 0; n < ALBUM_ARRANGEMENTS; n++) {
        struct photograph s;
        kst_decoder *decoder;
        kst_other other = {.size = sizeof other};
        const bool mpf = album_arrangements[n].mpf, xmp = album_arrangements[n].xmp;
        photograph_make(&s, 160, 96, album_arrangements[n]);
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
        photograph_free(&s);
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
            struct photograph s;
            kst_transcode_options options;
            kst_buffer back = {.data = NULL};
            kst_transcode_options_init(&options);
            options.transform = turned ? KST_TRANSFORM_ROTATE_180 : KST_TRANSFORM_NONE;
            photograph_make(&s, 192, 128, album_arrangements[1]);
            memcpy(entries_of(&s.file) + 16 + 8, wrong[n], 4);
            kst_buffer out = photograph_transcode(&s.file, &options, 1);
            /* Pictures that follow one another are found without an index. */
            const struct contents preview = album_part_of(&out, 1), map = album_part_of(&out, 2);
            kst_buffer alone = photograph_transcode(&s.preview, &options, 0);
            if (turned)
                contents_check_same(&preview, &(struct contents){alone.data, alone.length});
            else
                contents_check_same(&preview, &s.preview);
            assert_true(map.length > 0);
            assert_memory_equal(entries_of(&(struct contents){out.data, out.length}) + 16 + 8, wrong[n], 4);
            options.strict = true;
            assert_int_equal(
                kst_transcode(context, s.file.data, s.file.length, &options, &back, NULL), KST_WARNING_JPEG_INDEX);
            kst_buffer_release(context, &alone);
            kst_buffer_release(context, &out);
            photograph_free(&s);
        }
}

/* A header with as many entries as a segment holds, all of one place; and a thousand pictures. */
static void test_many(void **state)
{
    enum { ENTRIES = 4000, PICTURES = 1000 };
    (void)state;
    struct contents small = album_picture(8, 8, KST_FORMAT_GREY, KST_SUBSAMPLING_444);
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
    kst_buffer out = photograph_transcode(&file, &options, 0), turned = photograph_transcode(&small, &options, 0),
               none = {.data = NULL};
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
    uint32_t random = 1;
    (void)state;
    for (int mpf = 0; mpf < 2; mpf++) {
        const struct recipe recipe = {.width = 96,
            .height = 64,
            .format = KST_FORMAT_RGB,
            .subsampling = KST_SUBSAMPLING_420,
            .coding = KST_CODING_PROGRESSIVE};
        struct photograph s;
        photograph_make(&s, 96, 64, album_arrangements[6]);
        contents_free(&s.first);
        contents_free(&s.file);
        s.first = recipe_make(context, &recipe, &random);
        s.album.first = s.first;
        s.album.mpf = mpf;
        s.file = album_make(&s.album);
        size_t scan = 0, table;
        while (memcmp(s.file.data + scan, "\xFF\xDA", 2) != 0)
            scan++;
        for (table = scan; memcmp(s.file.data + table, "\xFF\xC4", 2) != 0;)
            table++;
        s.file.data[table + 2] = s.file.data[table + 3] = 0; /* a length that no segment has */
        kst_buffer out = photograph_transcode(&s.file, NULL, 1);
        const struct contents first = album_part_of(&out, 0);
        if (mpf) {
            const struct contents parts[] = {album_part_of(&out, 1), album_part_of(&out, 2)};
            contents_check_same(&parts[0], &s.preview);
            contents_check_same(&parts[1], &s.map);
            assert_int_equal(out.length, first.length + s.preview.length + s.map.length + 9 + VIDEO);
        } else {
            assert_int_equal(out.length, first.length);
        }
        kst_buffer_release(context, &out);
        photograph_free(&s);
    }
}

/* Damage anywhere gives a status, and the same one twice. */
static void test_damage(void **state)
{
    struct photograph s;
    uint32_t random = 7;
    (void)state;
    for (int n = 0; n < 400; n++) {
        kst_transcode_options options;
        kst_buffer out = {.data = NULL}, again = {.data = NULL};
        kst_transcode_options_init(&options);
        options.transform = (kst_transform)random_below(&random, 8);
        if (n % 3 == 0)
            options.crop = (kst_region){random_below(&random, 60), random_below(&random, 40), 30, 20};
        photograph_make(&s, 100, 76, album_arrangements[n % ALBUM_ARRANGEMENTS]);
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
        photograph_free(&s);
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
    struct photograph s;
    (void)state;
    photograph_make(&s, 176, 112, album_arrangements[4]);
    struct failing_transcode work = {.data = s.file.data, .length = s.file.length};
    kst_transcode_options_init(&work.options);
    assert_true(failing_check(failing_transcode, &work, 1) > 10);
    work.options.transform = KST_TRANSFORM_ROTATE_90;
    assert_true(failing_check(failing_transcode, &work, 1) > 20);
    work.options.transform = KST_TRANSFORM_NONE;
    work.options.others = KST_OTHERS_DROP;
    assert_true(failing_check(failing_transcode, &work, 1) > 5);
    assert_true(failing_check(list, &s.file, 1) > 5);
    photograph_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drop), cmocka_unit_test(test_list),
        cmocka_unit_test(test_wrong_index), cmocka_unit_test(test_many), cmocka_unit_test(test_damaged_first),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_allocations)};
    return run_with_context(2, tests, NULL, NULL);
}
