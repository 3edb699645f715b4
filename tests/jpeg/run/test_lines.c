/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of a JPEG stream that arrives little by little: the same samples as decoded as a whole, as early as their bytes
 * allow, and none from damaged data.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/context.h"
#include "support/test.h"

enum { WIDTH = 197, HEIGHT = 141, KINDS = 5, LARGE_WIDTH = 640, LARGE_HEIGHT = 480 };

static kst_context *context;
static uint8_t pixels[WIDTH * HEIGHT * 3], expected[WIDTH * HEIGHT * 3], lines_made[WIDTH * HEIGHT * 3];

static kst_buffer make(int kind)
{
    kst_image image;
    kst_buffer stream = {0};
    kst_encode_options options;
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof pixels; i++) {
        seed = seed * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(i / 7 % 200 + (seed >> 27));
    }
    kst_encode_options_init(&options);
    options.subsampling = kind == 1 ? KST_SUBSAMPLING_444 : kind == 2 ? KST_SUBSAMPLING_440 : KST_SUBSAMPLING_420;
    options.coding = kind == 3 ? KST_CODING_PROGRESSIVE : KST_CODING_OPTIMIZED;
    options.restart = (kst_restart){kind == 4 ? KST_RESTART_MCUS : KST_RESTART_NONE, 5};
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, WIDTH, HEIGHT, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(context, &image, &options, &stream, NULL), KST_OK);
    return stream;
}

static size_t headers_end(const kst_buffer *stream)
{
    size_t at = 2;
    while (stream->data[at + 1] != 0xDA)
        at += 2 + ((size_t)stream->data[at + 2] << 8 | stream->data[at + 3]);
    return at + 2 + ((size_t)stream->data[at + 2] << 8 | stream->data[at + 3]);
}

/* Feed a stream by pieces, each at another address than before; returns the status, *made the number of lines. */
static kst_status feed(const kst_buffer *stream, size_t piece, uint32_t reduce, uint32_t *made, bool *early)
{
    kst_decode_options options;
    kst_lines *lines;
    kst_image image;
    kst_status status = KST_OK;
    uint8_t *copy[2] = {malloc(stream->length), malloc(stream->length)};
    size_t length = headers_end(stream);
    kst_decode_options_init(&options);
    options.reduce = reduce;
    assert_true(copy[0] && copy[1]);
    memcpy(copy[0], stream->data, length);
    assert_int_equal(kst_lines_open(context, copy[0], length, &options, &lines), KST_OK);
    assert_int_equal(kst_lines_describe(lines, &image), KST_OK);
    *made = 0;
    *early = false;
    for (int turn = 1; !status && *made < image.height; turn ^= 1) {
        uint32_t done;
        void *rows[3];
        for (uint32_t i = 0; i < 3; i++)
            rows[i] = lines_made + (size_t)(*made + i < image.height ? *made + i : 0) * (size_t)image.plane[0].pitch;
        uint32_t count = image.height - *made < 3 ? image.height - *made : 3;
        status = kst_lines_read(lines, rows, count, &done);
        *made += done;
        *early = *early || (done > 0 && length < stream->length);
        if (status || done == count)
            continue;
        assert_true(length < stream->length); /* all bytes are there, and lines are missing */
        length = stream->length - length < piece ? stream->length : length + piece;
        memcpy(copy[turn], stream->data, length);
        memset(copy[!turn], 0xEE, length < stream->length ? length : stream->length);
        assert_int_equal(kst_lines_extend(lines, copy[turn], length, length == stream->length), KST_OK);
    }
    assert_int_equal(kst_lines_report(lines)->status, status);
    if (!status)
        assert_int_equal(kst_lines_left(lines), 0);
    kst_lines_close(&lines);
    assert_null(lines);
    free(copy[0]);
    free(copy[1]);
    return status;
}

static void decode_whole(const kst_buffer *stream, uint32_t reduce, kst_image *image)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.reduce = reduce;
    uint32_t width = (WIDTH + (1U << reduce) - 1) >> reduce, height = (HEIGHT + (1U << reduce) - 1) >> reduce;
    assert_int_equal(kst_image_wrap(image, KST_FORMAT_RGB, width, height, expected, 0), KST_OK);
    assert_int_equal(kst_decode(context, stream->data, stream->length, &options, image, NULL), KST_OK);
}

static void test_same_lines(void **state)
{
    static const size_t pieces[] = {1, 7, 100, 4096, 1 << 20};
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        kst_buffer stream = make(kind);
        for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
            kst_image image;
            uint32_t made, reduce = p == 2 ? 1 : p == 3 ? 3 : 0;
            bool early;
            if (kind == 3 && p == 0)
                continue;
            decode_whole(&stream, reduce, &image);
            assert_int_equal(feed(&stream, pieces[p], reduce, &made, &early), KST_OK);
            assert_int_equal(made, image.height);
            assert_memory_equal(lines_made, expected, (size_t)image.plane[0].pitch * image.height);
            if (p < 3)
                assert_int_equal(early, kind != 3);
        }
        kst_buffer_release(context, &stream);
    }
}

/* The lines before the damage of a stream that was cut off or changed come, and they are right. */
static void test_damage(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        kst_buffer stream = make(kind);
        size_t length = stream.length, end = headers_end(&stream);
        kst_image image;
        uint32_t made;
        bool early;
        decode_whole(&stream, 0, &image);
        for (size_t i = 1; i < 12; i++) {
            stream.length = end + (length - end) * i / 12;
            assert_true(kst_status_is_warning(feed(&stream, 300, 0, &made, &early)));
            assert_true(made < HEIGHT);
            assert_memory_equal(lines_made, expected, (size_t)image.plane[0].pitch * made);
        }
        stream.length = length;
        stream.data[end + (length - end) / 2] = 0xFF;
        stream.data[end + (length - end) / 2 + 1] = 0xD5;
        assert_true(kst_status_is_warning(feed(&stream, 300, 0, &made, &early)));
        kst_buffer_release(context, &stream);
    }
}

static void test_misuse(void **state)
{
    (void)state;
    kst_buffer stream = make(0);
    size_t end = headers_end(&stream);
    kst_decode_options options;
    kst_lines *lines;
    kst_decode_options_init(&options);
    assert_int_equal(kst_lines_open(context, stream.data, end - 1, NULL, &lines), KST_ERROR_TRUNCATED);
    assert_null(lines);
    options.region.width = options.region.height = 1;
    assert_int_equal(kst_lines_open(context, stream.data, end, &options, &lines), KST_ERROR_OPTIONS);
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_PLANAR;
    assert_int_equal(kst_lines_open(context, stream.data, end, &options, &lines), KST_ERROR_OPTIONS);
    lines = (kst_lines *)&options;
    assert_int_equal(kst_lines_open(NULL, stream.data, end, NULL, &lines), KST_ERROR_ARGUMENT);
    assert_null(lines);
    assert_int_equal(kst_lines_open(context, stream.data, stream.length, NULL, &lines), KST_OK);
    assert_int_equal(kst_lines_extend(lines, stream.data, 10, false), KST_ERROR_ARGUMENT);
    kst_lines_close(&lines);
    kst_lines_close(&lines);
    kst_buffer_release(context, &stream);
}

/* Make a picture that is worth a second thread, with a noise of its own and any restart interval. */
static kst_buffer make_large(kst_restart restart)
{
    static uint8_t large[LARGE_WIDTH * LARGE_HEIGHT * 3];
    kst_image image;
    kst_buffer stream = {0};
    kst_encode_options options;
    uint32_t seed = 7;
    for (size_t i = 0; i < sizeof large; i++) {
        seed = seed * 1664525 + 1013904223;
        large[i] = (uint8_t)(i / 1920 % 200 + (seed >> 28));
    }
    kst_encode_options_init(&options);
    options.restart = restart;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, LARGE_WIDTH, LARGE_HEIGHT, large, 0), KST_OK);
    assert_int_equal(kst_encode(context, &image, &options, &stream, NULL), KST_OK);
    return stream;
}

/*
 * Read the lines of a stream that arrives by pieces, with the threads of a context; return the status of the last
 * read. A piece that is not the last lies in memory of its own, which is released before the next one is announced, as
 * soon as fewer lines come than were asked for: no thread may look at it then. With `leave`, stop after some lines.
 */
static kst_status read_large(
    kst_context *with, const kst_buffer *stream, size_t piece, uint32_t leave, uint8_t *to, uint32_t *made)
{
    kst_lines *lines;
    kst_status status = KST_OK;
    size_t length = headers_end(stream);
    uint8_t *copy = malloc(length);
    assert_non_null(copy);
    memcpy(copy, stream->data, length);
    assert_int_equal(kst_lines_open(with, copy, length, NULL, &lines), KST_OK);
    for (*made = 0; !status && *made < LARGE_HEIGHT && *made < leave;) {
        uint32_t done;
        void *row = to + (size_t)*made * LARGE_WIDTH * 3;
        status = kst_lines_read(lines, &row, 1, &done);
        *made += done;
        if (*made % 64 == 17)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* another thread gets ahead */
        if (status || done == 1)
            continue;
        free(copy);
        length = stream->length - length < piece ? stream->length : length + piece;
        copy = malloc(length);
        assert_non_null(copy);
        memcpy(copy, stream->data, length);
        assert_int_equal(kst_lines_extend(lines, copy, length, length == stream->length), KST_OK);
    }
    if (!status && *made == LARGE_HEIGHT)
        assert_int_equal(kst_lines_left(lines), 0);
    kst_lines_close(&lines);
    free(copy);
    return status;
}

/* With several threads lines and statuses are the same: of whole streams, cut and changed ones, and if reading ends
 * early. */
static void test_threads(void **state)
{
    static const kst_restart restarts[] = {{KST_RESTART_NONE, 0}, {KST_RESTART_MCUS, 7}};
    static const size_t pieces[] = {1000, 30000, 1 << 22};
    static uint8_t alone[LARGE_WIDTH * LARGE_HEIGHT * 3], together[sizeof alone];
    kst_context *two = cpu_context_create(2);
    (void)state;
    for (size_t r = 0; r < 2; r++)
        for (size_t i = 0; i < 12; i++) {
            kst_buffer stream = make_large(restarts[r]);
            size_t whole = stream.length, half = whole / 2;
            uint32_t leave = i % 4 == 3 ? 100 : LARGE_HEIGHT, made, made_alone;
            if (i % 4 == 1)
                stream.length = whole * 2 / 3;
            if (i % 4 == 2)
                memcpy(stream.data + half, "\xFF\xD5", 2);
            memset(together, 0, sizeof together);
            memset(alone, 0, sizeof alone);
            kst_status status = read_large(context, &stream, 5000, leave, alone, &made_alone);
            assert_int_equal(read_large(two, &stream, pieces[i / 4], leave, together, &made), status);
            assert_int_equal(!status, i % 4 == 0 || i % 4 == 3);
            assert_int_equal(made, made_alone);
            assert_memory_equal(together, alone, sizeof alone);
            stream.length = whole;
            kst_buffer_release(context, &stream);
        }
    kst_context_destroy(&two);
}

static int create(void **state)
{
    (void)state;
    context = cpu_context_create(1);
    return 0;
}

static int destroy(void **state)
{
    (void)state;
    kst_context_destroy(&context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_lines),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, create, destroy);
}
