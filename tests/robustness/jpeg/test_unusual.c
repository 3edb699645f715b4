/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams that are odd or a little damaged, of which libjpeg makes something: the same is made of them here. */
#include <stdlib.h>
#include <string.h>

#include "support/bytes.h"
#include "support/context.h"
#include "support/jpeg/libjpeg_decode.h"
#include "support/outcome.h"
#include "support/pixels.h"
#include "support/test.h"

#define FACTORS .colour = KST_COLOUR_YCBCR, .h = {2, 1, 1}, .v = {2, 1, 1}
static const struct recipe plain = {.width = 121, .height = 75, FACTORS};
static const struct recipe restarts = {.width = 250, .height = 100, FACTORS, .restart = {KST_RESTART_MCUS, 4}};

/* The same on all machines, whether it is an error or not. */
static struct outcome any_outcome_of(const char *name, const struct bytes *b)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    return decode_on_all(&contexts, name, b->data, b->length, &options, 1, 1);
}

static struct outcome outcome_of(const char *name, const struct bytes *b, kst_image *image)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    struct outcome outcome = any_outcome_of(name, b);
    if (outcome.status)
        fail_msg("%s: %s", name, outcome.message);
    if (image)
        *image = decode_image(contexts.context[0], &(struct stream){b->data, b->length}, &options);
    return outcome;
}

static bool equals(const kst_image *image, const struct libjpeg_picture *picture)
{
    size_t row = (size_t)picture->width * picture->channels;
    if (image->width != picture->width || image->height != picture->height || pixel_bytes(image) != picture->channels)
        return false;
    for (uint32_t y = 0; y < picture->height; y++)
        if (memcmp(image_at(image, 0, 0, y), picture->pixels + y * row, row) != 0)
            return false;
    return true;
}

/* Decoded as libjpeg does, with this warning first (KST_OK: none), wherever libjpeg warns too. */
static void like_libjpeg(const char *name, const struct bytes *b, kst_status warning)
{
    struct libjpeg_picture expected;
    kst_image image;
    struct outcome outcome = outcome_of(name, b, &image);
    if (outcome.first_warning != warning)
        fail_msg("%s: %s", name, kst_status_name(outcome.first_warning));
    if (!libjpeg_decode(b->data, b->length, KST_FORMAT_AUTO, 0, &expected))
        fail_msg("%s: libjpeg refuses", name);
    if (!equals(&image, &expected))
        fail_msg("%s: not as libjpeg does", name);
    if (!warning)
        assert_int_equal(expected.warnings, 0);
    libjpeg_picture_release(&expected);
    kst_image_release(contexts.context[0], &image);
}

/*
 * Warned of as libjpeg does, and like its picture but for the MCUs of an interval without data: what libjpeg makes of
 * the first of those depends on what came before.
 */
static void much_like_libjpeg(const char *name, const struct bytes *b)
{
    struct libjpeg_picture expected;
    kst_image image;
    struct outcome outcome = outcome_of(name, b, &image);
    uint32_t differing = 0;
    assert_true(libjpeg_decode(b->data, b->length, KST_FORMAT_AUTO, 0, &expected));
    assert_true(outcome.warnings > 0 && expected.warnings > 0);
    for (uint32_t y = 0; y < expected.height; y++)
        for (uint32_t x = 0; x < expected.width; x++)
            differing +=
                memcmp(image_at(&image, 0, x, y), expected.pixels + ((size_t)y * expected.width + x) * 3, 3) != 0;
    if (differing > 3 * 18 * 18)
        fail_msg("%s: %u pixels are not as libjpeg's", name, differing);
    libjpeg_picture_release(&expected);
    kst_image_release(contexts.context[0], &image);
}

/* Offset of a marker's 0xFF among the segments in front of the first scan's data. */
static size_t find_segment(const struct stream *stream, uint8_t marker)
{
    size_t at = 2;
    while (at + 4 < stream->length && stream->data[at + 1] != marker) {
        assert_int_equal(stream->data[at], 0xFF);
        assert_int_not_equal(stream->data[at + 1], 0xDA);
        at += 2 + ((size_t)stream->data[at + 2] << 8 | stream->data[at + 3]);
    }
    return at;
}

static size_t segment_length(const struct stream *stream, size_t at)
{
    return 2 + ((size_t)stream->data[at + 2] << 8 | stream->data[at + 3]);
}

static size_t data_start(const struct stream *stream)
{
    size_t at = find_segment(stream, 0xDA);
    return at + segment_length(stream, at);
}

/* The stream with `insert` in the place of the `removed` bytes at `at`. */
static struct bytes with(const struct stream *stream, size_t at, size_t removed, const void *insert, size_t length)
{
    struct bytes b = {0};
    put(&b, stream->data, at);
    if (length > 0)
        put(&b, insert, length);
    put(&b, stream->data + at + removed, stream->length - at - removed);
    return b;
}

static void around_the_picture(void **state)
{
    struct stream s = make_stream(&plain);
    struct bytes b = with(&s, s.length - 2, 2, NULL, 0);
    (void)state;
    like_libjpeg("no EOI", &b, KST_WARNING_JPEG_NO_EOI);
    bytes_free(&b);
    b = with(&s, s.length, 0, "whatever \xFF\xD8 comes", 17);
    like_libjpeg("bytes behind EOI", &b, KST_OK);
    bytes_free(&b);
    b = with(&s, s.length - 2, 0, "\xFF\xFF\xFF\xFF", 4);
    like_libjpeg("fill bytes before EOI", &b, KST_OK);
    bytes_free(&b);
    free(s.data);
}

/* SOI comes first, or behind a few fill bytes (B.1.1.2); a stream inside another file is not looked for. */
static void before_the_picture(void **state)
{
    enum { FILL_MAX = 16 };
    static const char *const before[] = {"x", "garbage", "\xD8", "\xFF\x01", "\n\xFF\xFF", "RIFF....WEBPVP8 "};
    uint8_t fill[FILL_MAX + 2];
    struct stream s = make_stream(&plain);
    uint64_t pixels = 0;
    (void)state;
    memset(fill, 0xFF, sizeof fill);
    for (size_t count = 0; count <= FILL_MAX + 2; count++) {
        struct bytes b = with(&s, 0, 0, fill, count);
        struct outcome outcome = any_outcome_of("fill bytes before SOI", &b);
        assert_int_equal(outcome.status, count <= FILL_MAX ? KST_OK : KST_ERROR_JPEG_SOI);
        assert_int_equal(outcome.warnings, 0);
        pixels = count == 0 ? outcome.pixels : pixels;
        assert_true(outcome.pixels == pixels || count > FILL_MAX);
        bytes_free(&b);
    }
    for (size_t i = 0; i < COUNT(before); i++) {
        struct bytes b = with(&s, 0, 0, before[i], strlen(before[i]));
        struct outcome outcome = any_outcome_of("garbage before SOI", &b);
        assert_int_equal(outcome.status, KST_ERROR_JPEG_SOI);
        assert_int_equal(outcome.offset, 0);
        bytes_free(&b);
    }
    free(s.data);
}

/*
 * Bytes behind a scan's last block. libjpeg says nothing of those that it has read ahead, seven at most; whether it has
 * depends on where it stands, and on how it gets the data. From eight on it always warns.
 */
static void surplus_bytes(void **state)
{
    static const struct recipe recipes[] = {{.width = 121, .height = 75, FACTORS},
        {.width = 250, .height = 100, FACTORS, .restart = {KST_RESTART_MCUS, 4}},
        {.width = 64, .height = 40, FACTORS, .coding = KST_CODING_PROGRESSIVE}, {.width = 33, .height = 47}};
    const uint8_t surplus[] = {0x5A, 0xFF, 0x00, 0x31, 0x42, 0xFF, 0x00, 0x53, 0x64, 0x75, 0x06, 0x17};
    const uint32_t lengths[] = {1, 3, 4, 5, 7, 8, 9, 10, 11, 12};
    uint32_t silent = 0;
    (void)state;
    for (uint32_t i = 0; i < COUNT(recipes); i++) {
        struct stream s = make_stream(&recipes[i]);
        for (uint32_t j = 0; j < COUNT(lengths); j++) {
            struct bytes b = with(&s, s.length - 2, 0, surplus, lengths[j]);
            struct libjpeg_picture expected;
            kst_image image;
            struct outcome outcome = outcome_of("bytes behind the last block", &b, &image);
            assert_true(libjpeg_decode(b.data, b.length, KST_FORMAT_AUTO, 0, &expected));
            assert_true(equals(&image, &expected));
            assert_int_equal(outcome.first_warning, j + 1 > 7 ? KST_WARNING_JPEG_GARBAGE : KST_OK);
            assert_true(expected.warnings > 0 || j + 1 <= 7);
            silent += expected.warnings == 0;
            libjpeg_picture_release(&expected);
            kst_image_release(contexts.context[0], &image);
            bytes_free(&b);
        }
        free(s.data);
    }
    assert_true(silent > 0);
}

static void between_segments(void **state)
{
    static const uint8_t markers[] = {0xDB, 0xC0, 0xC4, 0xDA};
    struct stream s = make_stream(&plain);
    (void)state;
    for (uint32_t i = 0; i < COUNT(markers); i++) {
        size_t at = find_segment(&s, markers[i]);
        struct bytes b = with(&s, at, 0, "\xFF\xFF\xFF", 3);
        like_libjpeg("fill bytes", &b, KST_OK);
        bytes_free(&b);
        b = with(&s, at, 0, "garb", 4);
        like_libjpeg("garbage between segments", &b, KST_WARNING_JPEG_GARBAGE);
        bytes_free(&b);
        b = with(&s, at, 0, "\xFF\x01", 2);
        like_libjpeg("TEM", &b, KST_OK);
        bytes_free(&b);
        b = with(&s, at, 0, "\xFF\xFE\x00\x02", 4);
        like_libjpeg("an empty comment", &b, KST_OK);
        bytes_free(&b);
    }
    free(s.data);
}

static void number_of_lines(void **state)
{
    struct stream s = make_stream(&plain);
    size_t frame = find_segment(&s, 0xC0);
    struct libjpeg_picture expected;
    kst_image image;
    (void)state;
    assert_true(libjpeg_decode(s.data, s.length, KST_FORMAT_AUTO, 0, &expected));
    s.data[frame + 5] = 0;
    s.data[frame + 6] = 0;
    struct bytes b = with(&s, s.length - 2, 0, (const uint8_t[]){0xFF, 0xDC, 0, 4, 0, 75}, 6);
    outcome_of("DNL", &b, &image);
    assert_true(equals(&image, &expected));
    kst_image_release(contexts.context[0], &image);
    bytes_free(&b);

    kst_image_init(&image);
    assert_int_equal(kst_decode(contexts.context[0], s.data, s.length, NULL, &image, NULL), KST_ERROR_JPEG_DIMENSIONS);
    libjpeg_picture_release(&expected);
    free(s.data);
}

/* Frames of Motion JPEG leave out the Huffman tables of Annex K. */
static void no_huffman_tables(void **state)
{
    struct stream s = make_stream(&plain);
    struct libjpeg_picture expected;
    kst_image image;
    (void)state;
    assert_true(libjpeg_decode(s.data, s.length, KST_FORMAT_AUTO, 0, &expected));
    for (uint32_t i = 0; i < 4; i++) {
        size_t at = find_segment(&s, 0xC4);
        size_t length = segment_length(&s, at);
        memmove(s.data + at, s.data + at + length, s.length - at - length);
        s.length -= length;
    }
    struct bytes b = with(&s, 0, 0, NULL, 0);
    assert_int_equal(outcome_of("no DHT", &b, &image).warnings, 0);
    assert_true(equals(&image, &expected));
    kst_image_release(contexts.context[0], &image);
    libjpeg_picture_release(&expected);
    bytes_free(&b);
    free(s.data);
}

/* Tables of 16 bits with the values of those of 8. */
static void wide_quantisers(void **state)
{
    struct stream s = make_stream(&plain);
    size_t at = find_segment(&s, 0xDB);
    (void)state;
    for (uint32_t i = 0; i < 2; i++, at += segment_length(&s, at)) {
        assert_int_equal(s.data[at + 1], 0xDB);
        uint8_t wide[129];
        wide[0] = (uint8_t)(s.data[at + 4] | 0x10);
        for (uint32_t k = 0; k < 64; k++) {
            wide[1 + 2 * k] = 0;
            wide[2 + 2 * k] = s.data[at + 5 + k];
        }
        struct bytes segment = {0};
        put_segment(&segment, 0xDB, wide, sizeof wide);
        struct bytes b = with(&s, at, segment_length(&s, at), segment.data, segment.length);
        like_libjpeg("a wide table", &b, KST_OK);
        bytes_free(&segment);
        bytes_free(&b);
    }
    free(s.data);
}

/* Values of more than 8 bits take part in the arithmetic. */
static void large_quantisers(void **state)
{
    struct stream s = make_stream(&plain);
    size_t at = find_segment(&s, 0xDB);
    uint8_t wide[129] = {0x10};
    (void)state;
    for (uint32_t k = 0; k < 64; k++) {
        wide[1 + 2 * k] = (uint8_t)(k % 3);
        wide[2 + 2 * k] = (uint8_t)(3 * k + 1);
    }
    struct bytes segment = {0};
    put_segment(&segment, 0xDB, wide, sizeof wide);
    struct bytes b = with(&s, at, segment_length(&s, at), segment.data, segment.length);
    outcome_of("large quantisers", &b, NULL); /* saturates, where libjpeg's own variants differ */
    bytes_free(&segment);
    bytes_free(&b);
    free(s.data);
}

/* Fill bytes in front of a stuffed zero and of a restart marker. */
static void fill_in_data(void **state)
{
    struct stream s = make_stream(&restarts);
    size_t from = data_start(&s);
    uint32_t stuffed = 0, markers = 0;
    (void)state;
    for (size_t at = from; at + 2 < s.length; at++) {
        if (s.data[at] != 0xFF)
            continue;
        bool marker = s.data[at + 1] != 0;
        if ((marker ? markers++ : stuffed++) % 7 != 3)
            continue;
        struct bytes b = with(&s, at, 0, "\xFF\xFF", 2);
        like_libjpeg("fill bytes in the data", &b, KST_OK);
        bytes_free(&b);
    }
    assert_true(stuffed > 7 && markers > 7);
    free(s.data);
}

/* Offset of the n-th restart marker. */
static size_t find_restart(const struct stream *stream, uint32_t n)
{
    for (size_t at = data_start(stream); at + 2 < stream->length; at++)
        if (stream->data[at] == 0xFF && (stream->data[at + 1] & 0xF8) == 0xD0 && n-- == 0)
            return at;
    fail_msg("too few restart markers");
    return 0;
}

static void restart_markers(void **state)
{
    struct stream s = make_stream(&restarts);
    (void)state;
    for (uint32_t n = 0; n < 20; n += 3) {
        size_t at = find_restart(&s, n), next = find_restart(&s, n + 1), after = find_restart(&s, n + 2);
        struct bytes b = with(&s, at, 0, s.data + at, 2);
        much_like_libjpeg("a restart marker twice", &b);
        bytes_free(&b);
        b = with(&s, at, next - at, NULL, 0);
        much_like_libjpeg("an interval lost", &b);
        bytes_free(&b);
        b = with(&s, at, after - at, NULL, 0);
        much_like_libjpeg("two intervals lost", &b);
        bytes_free(&b);
        b = with(&s, next, 0, s.data + at, next - at);
        much_like_libjpeg("an interval twice", &b);
        bytes_free(&b);
        for (uint8_t number = 0; number < 8; number++) {
            uint8_t marker[2] = {0xFF, (uint8_t)(0xD0 + number)};
            if (marker[1] == s.data[at + 1])
                continue;
            b = with(&s, at, 2, marker, 2);
            much_like_libjpeg("another number", &b);
            bytes_free(&b);
        }
        b = with(&s, next, 0, "\xFF\xD0\xFF\xD1\xFF\xD2", 6);
        much_like_libjpeg("some in a row", &b);
        bytes_free(&b);
    }
    free(s.data);
}

/* A restart marker gone: the data of two intervals are one. */
static void missing_restart_markers(void **state)
{
    struct stream s = make_stream(&restarts);
    (void)state;
    for (uint32_t n = 0; n < 20; n++) {
        struct bytes b = with(&s, find_restart(&s, n), 2, NULL, 0);
        much_like_libjpeg("a restart marker missing", &b);
        bytes_free(&b);
    }
    free(s.data);
}

/* Two components are in no colour space: they come as they are. */
static void two_components(void **state)
{
    struct bytes b = {0};
    kst_image image;
    (void)state;
    put_start(&b);
    put_frame(&b, 0xC0, 20, 20, 2, (const uint8_t[]){0x22, 0x11});
    put_scan(&b, 0, 2, 0, 63, 0, 0);
    put_zeros(&b, 80);
    put_marker(&b, 0xD9);
    outcome_of("two components", &b, &image);
    assert_int_equal(image.format, KST_FORMAT_PLANAR);
    assert_int_equal(image.plane_count, 2);
    assert_int_equal(image.plane[1].width, 20);
    kst_image_release(contexts.context[0], &image);
    bytes_free(&b);
}

static kst_colour colour_of(const struct stream *stream)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(contexts.context[0], &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, stream->data, stream->length), KST_OK);
    kst_colour colour = kst_decoder_info(decoder)->colour;
    kst_decoder_destroy(&decoder);
    return colour;
}

/* Check which header decides about colour: JFIF, then Adobe's, then the components' ids. */
static void colour_spaces(void **state)
{
    static const uint8_t jfif[] = {'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0};
    static const struct {
        int adobe; /* transform; −1: no marker */
        bool jfif;
        const char *ids;
        kst_colour colour;
    } cases[] = {
        {-1, false, "\1\2\3", KST_COLOUR_YCBCR},
        {-1, false, "RGB", KST_COLOUR_RGB},
        {-1, true, "RGB", KST_COLOUR_YCBCR},
        {0, false, "\1\2\3", KST_COLOUR_RGB},
        {1, false, "RGB", KST_COLOUR_YCBCR},
        {0, true, "\1\2\3", KST_COLOUR_YCBCR},
        {7, false, "\1\2\3", KST_COLOUR_YCBCR},
        {-1, false, "\1\2\3\4", KST_COLOUR_CMYK},
        {0, false, "\1\2\3\4", KST_COLOUR_CMYK},
        {2, false, "\1\2\3\4", KST_COLOUR_YCCK},
        {2, true, "\1\2\3\4", KST_COLOUR_YCCK},
        {2, true, "\1", KST_COLOUR_GREY},
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        uint8_t adobe[] = {'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, (uint8_t)cases[i].adobe};
        uint32_t count = (uint32_t)strlen(cases[i].ids);
        struct bytes b = {0};
        struct libjpeg_picture peer;
        kst_image image;
        put_start(&b);
        if (cases[i].jfif)
            put_segment(&b, 0xE0, jfif, sizeof jfif);
        if (cases[i].adobe >= 0)
            put_segment(&b, 0xEE, adobe, sizeof adobe);
        size_t frame = b.length;
        put_frame(&b, 0xC0, 16, 8, count, NULL);
        size_t scan = b.length;
        put_scan(&b, 0, count, 0, 63, 0, 0);
        for (uint32_t c = 0; c < count; c++) {
            b.data[frame + 10 + 3 * c] = (uint8_t)cases[i].ids[c];
            b.data[scan + 5 + 2 * c] = (uint8_t)cases[i].ids[c];
        }
        put(&b, "\xE5\x1B\x79\x41\x6F\x80\x33\x50\x7A\x00\x13\x15\x58\x2A\x52\x09\x27", 17);
        put_marker(&b, 0xD9);
        if (colour_of(&(struct stream){b.data, b.length}) != cases[i].colour)
            fail_msg("case %u", i);
        outcome_of("colour", &b, &image);
        assert_true(libjpeg_decode(b.data, b.length, KST_FORMAT_AUTO, 0, &peer));
        assert_int_equal(peer.channels, pixel_bytes(&image));
        libjpeg_picture_release(&peer);
        kst_image_release(contexts.context[0], &image);
        bytes_free(&b);
    }
}

/* Make files whose middle or end was never written, for which a file system gives zeros. */
static void holes(void **state)
{
    static const struct recipe photograph = {.width = 640, .height = 480, FACTORS};
    static const uint8_t zeros[1 << 16];
    struct stream s = make_stream(&photograph);
    size_t start = data_start(&s), middle = start + (s.length - start) / 2;
    struct bytes b = with(&s, middle, 512, zeros, 512);
    (void)state;
    like_libjpeg("a hole in the data", &b, KST_WARNING_JPEG_GARBAGE);
    bytes_free(&b);
    b = with(&s, middle, s.length - middle, zeros, sizeof zeros);
    like_libjpeg("a hole to the end", &b, KST_WARNING_JPEG_GARBAGE);
    bytes_free(&b);
    free(s.data);
}

/* Data behind the last MCU take no memory, however many threads decode. */
static void long_data(void **state)
{
    static const struct recipe photograph = {.width = 640, .height = 480, FACTORS};
    kst_context *context = context_create("cpu", 2, &(kst_limits){.memory = 16 << 20});
    struct stream s = make_stream(&photograph);
    size_t length = s.length + (32 << 20);
    uint8_t *data = calloc(length, 1);
    kst_image image;
    (void)state;
    assert_non_null(data);
    memcpy(data, s.data, s.length - 2);
    kst_image_init(&image);
    assert_int_equal(kst_decode(context, data, length, NULL, &image, NULL), KST_OK);
    kst_image_release(context, &image);
    kst_context_destroy(&context);
    free(data);
    free(s.data);
}

/* A region whose data are lost above it is no undamaged region. */
static void lost_regions(void **state)
{
    const struct recipe recipes[] = {
        {.width = 400, .height = 400, FACTORS},
        {.width = 400, .height = 400, FACTORS, .restart = {KST_RESTART_MCUS, 7}},
        {.width = 400, .height = 400, FACTORS, .restart = {KST_RESTART_MCUS, 300}},
    };
    (void)state;
    for (uint32_t i = 0; i < COUNT(recipes); i++) {
        struct stream s = make_stream(&recipes[i]);
        size_t length = s.length / 3;
        s.data[length - 2] = 0xFF;
        s.data[length - 1] = 0xD9;
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.region = (kst_region){100, 300, 200, 64};
        struct outcome outcome = decode_on_all(&contexts, "a lost region", s.data, length, &options, 1, 1);
        assert_int_equal(outcome.status, KST_OK);
        assert_int_equal(outcome.first_warning, KST_WARNING_JPEG_DATA_END);
        options.strict = true;
        outcome = decode_on_all(&contexts, "a lost region", s.data, length, &options, 1, 1);
        assert_int_equal(outcome.status, KST_WARNING_JPEG_DATA_END);
        options.region.y = 0;
        outcome = decode_on_all(&contexts, "a region that is there", s.data, length, &options, 1, 1);
        assert_int_equal(outcome.status, KST_OK);
        free(s.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_the_picture),
        cmocka_unit_test(around_the_picture),
        cmocka_unit_test(surplus_bytes),
        cmocka_unit_test(between_segments),
        cmocka_unit_test(number_of_lines),
        cmocka_unit_test(no_huffman_tables),
        cmocka_unit_test(wide_quantisers),
        cmocka_unit_test(large_quantisers),
        cmocka_unit_test(fill_in_data),
        cmocka_unit_test(restart_markers),
        cmocka_unit_test(missing_restart_markers),
        cmocka_unit_test(two_components),
        cmocka_unit_test(colour_spaces),
        cmocka_unit_test(holes),
        cmocka_unit_test(long_data),
        cmocka_unit_test(lost_regions),
    };
    return cmocka_run_group_tests(tests, contexts_start, contexts_stop);
}
