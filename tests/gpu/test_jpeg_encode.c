/* SPDX-License-Identifier: BSD-2-Clause */
/* Every device must encode to the bytes that the CPU gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_device.h>

#include "jpeg/plan/encoding.h"
#include "support/gpu/gpus.h"
#include "support/random.h"
#include "support/test.h"

static kst_context *cpu, *contexts[MOST_GPUS];
static unsigned long compared;

static kst_context *make(const char *device)
{
    kst_context_options options;
    kst_context *context;
    kst_context_options_init(&options);
    options.device = device;
    options.threads = simulated() || strcmp(device, "cpu") == 0 ? 1 : 3; /* the simulator is not thread-safe */
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    return context;
}

static void open_contexts(void)
{
    for (uint32_t i = 0; i < gpu_count; i++)
        contexts[i] = make(gpus[i]->info.name);
}

static void close_contexts(void)
{
    for (uint32_t i = 0; i < gpu_count; i++)
        kst_context_destroy(&contexts[i]);
}

static int start(void **state)
{
    int result = open_gpus(state);
    cpu = make("cpu");
    open_contexts();
    return result;
}

static int stop(void **state)
{
    close_contexts();
    kst_context_destroy(&cpu);
    return close_gpus(state);
}

/* Areas that are flat, sloped, full of edges or of noise. */
static uint8_t paint(uint32_t x, uint32_t y, uint32_t c, uint32_t seed)
{
    switch ((x / 40 + y / 24 + seed) % 4) {
    case 0:
        return (uint8_t)(x * (3 + c) + y * (5 - c) / 2);
    case 1:
        return (uint8_t)next_random();
    case 2:
        return ((x ^ y) & 8) ? 250 : 5;
    default:
        return (uint8_t)(128 + c * 20 + next_random() % 4);
    }
}

struct picture {
    kst_image image;
    uint8_t *memory;
};

static void add_plane(kst_image *image, uint8_t *data, uint32_t width, uint32_t height, uint32_t pitch)
{
    image->plane[image->plane_count++] =
        (kst_plane){.data = data, .pitch = (ptrdiff_t)pitch, .width = width, .height = height};
}

/* `h` and `v`: the components' factors, which RAW planes have their sizes from. */
static void picture_make(struct picture *picture, kst_format format, uint32_t width, uint32_t height, uint32_t planes,
    const uint8_t *h, const uint8_t *v)
{
    uint32_t channels = kst_format_channels(format), hmax = 1, vmax = 1, seed = next_random() % 4;
    uint32_t samples = channels ? channels : 1, count = channels ? 1 : planes, pitch = width * samples + 5;
    kst_image_init(&picture->image);
    picture->image.format = format;
    picture->image.width = width;
    picture->image.height = height;
    picture->memory = malloc((size_t)pitch * height * count);
    assert_non_null(picture->memory);
    for (uint32_t p = 0; p < count && h; p++) {
        hmax = h[p] > hmax ? h[p] : hmax;
        vmax = v[p] > vmax ? v[p] : vmax;
    }
    for (uint32_t p = 0; p < count; p++) {
        bool raw = format == KST_FORMAT_RAW && h;
        uint8_t *data = picture->memory + (size_t)pitch * height * p;
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width * samples; x++)
                data[(size_t)y * pitch + x] = paint(x / samples, y, channels ? x % samples : p, seed);
        add_plane(&picture->image, data, raw ? (width * h[p] + hmax - 1) / hmax : width,
            raw ? (height * v[p] + vmax - 1) / vmax : height, pitch);
    }
}

static void show(const kst_image *image, const kst_encode_options *o)
{
    print_error("format %d, %u×%u, colour %d, sampling %d (%d%d %d%d %d%d), quality %d, coding %d, restart %d %u\n",
        (int)image->format, image->width, image->height, (int)o->colour, (int)o->subsampling, o->h[0], o->v[0], o->h[1],
        o->v[1], o->h[2], o->v[2], o->quality, (int)o->coding, (int)o->restart.unit, o->restart.interval);
}

static void expect_same(const kst_buffer *wanted, const kst_buffer *found)
{
    size_t at = 0;
    while (at < wanted->length && at < found->length && wanted->data[at] == found->data[at])
        at++;
    if (wanted->length != found->length || at < wanted->length)
        fail_msg("%zu bytes, not %zu; the same up to %zu", found->length, wanted->length, at);
}

static void check(const kst_image *image, const kst_encode_options *options)
{
    kst_buffer wanted = {0};
    kst_report report;
    kst_report_init(&report);
    if (kst_encode(cpu, image, options, &wanted, &report)) {
        show(image, options);
        fail_msg("%s", report.message);
    }
    for (uint32_t i = 0; i < gpu_count; i++) {
        kst_buffer found = {0};
        kst_status status = kst_encode(contexts[i], image, options, &found, &report);
        if (status || found.length != wanted.length || memcmp(found.data, wanted.data, found.length) != 0) {
            show(image, options);
            if (status)
                fail_msg("%s", report.message);
            expect_same(&wanted, &found);
        }
        if (report.stage_device[KST_STAGE_PIXELS] != gpus[i]->info.kind || report.threads != 1)
            fail_msg("not on the device alone");
        kst_buffer_release(contexts[i], &found);
        compared++;
    }
    kst_buffer_release(cpu, &wanted);
    if (simulated()) { /* it takes what is in a buffer that is used again for uninitialised */
        close_contexts();
        open_contexts();
    }
}

static kst_encode_options defaults(void)
{
    kst_encode_options options;
    kst_encode_options_init(&options);
    return options;
}

static void random_restart(kst_encode_options *options)
{
    options->restart.unit = (kst_restart_unit)(next_random() % 3);
    options->restart.interval = 1 + next_random() % (options->restart.unit == KST_RESTART_ROWS ? 2 : 70);
}

static const uint32_t sizes[][2] = {{1, 1}, {1, 37}, {41, 1}, {7, 9}, {8, 8}, {15, 17}, {16, 16}, {17, 33}, {33, 17},
    {64, 3}, {100, 75}, {129, 66}, {321, 240}};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void test_samplings(void **state)
{
    (void)state;
    if (simulated())
        skip("the simulator takes too long");
    for (uint32_t s = 0; s < SIZES; s++) {
        struct picture picture;
        picture_make(&picture, (kst_format)(KST_FORMAT_RGB + s % 4), sizes[s][0], sizes[s][1], 0, NULL, NULL);
        for (int sampling = 0; sampling <= KST_SUBSAMPLING_410; sampling++)
            for (int coding = KST_CODING_BASELINE; coding <= KST_CODING_OPTIMIZED; coding++) {
                kst_encode_options o = defaults();
                o.subsampling = (kst_subsampling)sampling;
                o.coding = (kst_coding)coding;
                check(&picture.image, &o);
                o.quality = 96;
                random_restart(&o);
                check(&picture.image, &o);
            }
        free(picture.memory);
    }
}

static void test_qualities(void **state)
{
    (void)state;
    static const int qualities[] = {1, 2, 10, 25, 50, 75, 90, 95, 99, 100};
    for (size_t i = 0; i < sizeof qualities / sizeof qualities[0]; i += simulated() ? 9 : 1) {
        struct picture picture;
        kst_encode_options o = defaults();
        picture_make(&picture, KST_FORMAT_RGB, simulated() ? 37 : 200, simulated() ? 21 : 99, 0, NULL, NULL);
        o.quality = qualities[i];
        o.wide_quantisers = i % 2 == 1;
        o.coding = simulated() && i > 0 ? KST_CODING_OPTIMIZED : KST_CODING_BASELINE;
        check(&picture.image, &o);
        o.subsampling = KST_SUBSAMPLING_444;
        o.coding = KST_CODING_OPTIMIZED;
        if (!simulated())
            check(&picture.image, &o);
        free(picture.memory);
    }
}

/* Factors, and whether they are for RAW planes alone, where they need not divide the largest. */
static const struct {
    uint8_t h[4], v[4];
    bool raw;
} factors[] = {{{1, 1, 1}, {1, 1, 1}, false}, {{2, 1, 1}, {2, 1, 1}, false}, {{2, 1, 2}, {2, 2, 1}, false},
    {{1, 2, 2}, {1, 2, 1}, false}, {{3, 1, 1}, {1, 1, 1}, false}, {{1, 3, 1}, {3, 1, 1}, false},
    {{2, 2, 1}, {3, 1, 1}, false}, {{4, 1, 1}, {1, 2, 1}, false}, {{1, 1, 1}, {4, 1, 2}, false},
    {{3, 2, 1}, {1, 2, 2}, true}, {{2, 3, 1}, {1, 1, 2}, true}, {{4, 1, 1}, {2, 1, 1}, true}};

static void test_factors(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++)
        for (uint32_t s = 3; s < SIZES; s += 3) {
            struct picture picture;
            kst_encode_options o = defaults();
            if (simulated() && (s != 6 || f % 3 != 1))
                continue;
            kst_format format = factors[f].raw ? KST_FORMAT_RAW : next_random() % 2 ? KST_FORMAT_BGRA : KST_FORMAT_RGB;
            memcpy(o.h, factors[f].h, 4);
            memcpy(o.v, factors[f].v, 4);
            o.quality = (int)(30 + next_random() % 71);
            o.coding = (kst_coding)(next_random() % 2);
            random_restart(&o);
            picture_make(&picture, format, sizes[s][0], sizes[s][1], 3, o.h, o.v);
            check(&picture.image, &o);
            free(picture.memory);
        }
}

static void test_colours(void **state)
{
    (void)state;
    static const struct {
        kst_format format;
        uint32_t planes;
        kst_colour given, coded;
    } colours[] = {{KST_FORMAT_GREY, 0, KST_COLOUR_GREY, KST_COLOUR_GREY},
        {KST_FORMAT_RGB, 0, KST_COLOUR_RGB, KST_COLOUR_GREY}, {KST_FORMAT_BGRA, 0, KST_COLOUR_RGB, KST_COLOUR_GREY},
        {KST_FORMAT_RGB, 0, KST_COLOUR_RGB, KST_COLOUR_RGB}, {KST_FORMAT_BGR, 0, KST_COLOUR_RGB, KST_COLOUR_RGB},
        {KST_FORMAT_RGBA, 0, KST_COLOUR_YCBCR, KST_COLOUR_YCBCR},
        {KST_FORMAT_CMYK, 0, KST_COLOUR_CMYK, KST_COLOUR_CMYK}, {KST_FORMAT_CMYK, 0, KST_COLOUR_CMYK, KST_COLOUR_YCCK},
        {KST_FORMAT_PLANAR, 1, KST_COLOUR_GREY, KST_COLOUR_GREY},
        {KST_FORMAT_PLANAR, 3, KST_COLOUR_RGB, KST_COLOUR_YCBCR},
        {KST_FORMAT_PLANAR, 3, KST_COLOUR_RGB, KST_COLOUR_GREY},
        {KST_FORMAT_PLANAR, 3, KST_COLOUR_YCBCR, KST_COLOUR_GREY},
        {KST_FORMAT_PLANAR, 4, KST_COLOUR_CMYK, KST_COLOUR_YCCK}, {KST_FORMAT_RAW, 3, KST_COLOUR_RGB, KST_COLOUR_RGB},
        {KST_FORMAT_RAW, 4, KST_COLOUR_YCCK, KST_COLOUR_YCCK}, {KST_FORMAT_RAW, 1, KST_COLOUR_GREY, KST_COLOUR_GREY}};
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i += simulated() ? 6 : 1)
        for (int coding = KST_CODING_BASELINE; coding <= (simulated() ? 0 : KST_CODING_OPTIMIZED); coding++) {
            struct picture picture;
            kst_encode_options o = defaults();
            for (int c = 0; c < 4 && colours[i].format == KST_FORMAT_RAW; c++)
                o.h[c] = o.v[c] = 1;
            picture_make(&picture, colours[i].format, simulated() ? 19 : 133, simulated() ? 11 : 70, colours[i].planes,
                NULL, NULL);
            picture.image.colour = colours[i].given;
            o.colour = colours[i].coded;
            o.coding = (kst_coding)coding;
            random_restart(&o);
            check(&picture.image, &o);
            free(picture.memory);
        }
}

/* Black and white squares in any order. */
static void paint_squares(const struct picture *picture, uint32_t side)
{
    const kst_plane *plane = &picture->image.plane[0];
    for (uint32_t y = 0; y < plane->height; y++)
        for (uint32_t x = 0; x < plane->width; x++) {
            uint8_t *pixel = picture->memory + (size_t)y * (size_t)plane->pitch + (size_t)x * 3;
            const uint8_t *first = pixel - (size_t)(y % side) * (size_t)plane->pitch - (size_t)(x % side) * 3;
            memset(pixel, x % side + y % side > 0 ? first[0] : next_random() % 2 ? 255 : 0, 3);
        }
}

/*
 * Noise, which takes more room than is expected; large squares, whose few low frequencies have codes so long that they
 * do not fit in place of the coefficients read; and rows upside down.
 */
static void test_noise(void **state)
{
    (void)state;
    const uint32_t width = simulated() ? 24 : 333, height = simulated() ? 16 : 222;
    for (uint32_t side = simulated() ? 4 : 1; side <= 4; side += 3) {
        struct picture picture;
        kst_encode_options o = defaults();
        picture_make(&picture, KST_FORMAT_RGB, width, height, 0, NULL, NULL);
        paint_squares(&picture, side);
        kst_plane *plane = &picture.image.plane[0];
        plane->data = picture.memory + plane->pitch * (ptrdiff_t)(height - 1);
        plane->pitch = -plane->pitch;
        o.quality = 100;
        for (int sampling = simulated() ? KST_SUBSAMPLING_444 : 0; sampling <= KST_SUBSAMPLING_444; sampling++) {
            o.subsampling = (kst_subsampling)sampling;
            check(&picture.image, &o);
            o.restart.unit = KST_RESTART_MCUS;
            o.restart.interval = 1 + next_random() % 3;
            if (!simulated())
                check(&picture.image, &o);
        }
        free(picture.memory);
    }
}

/* The CPU encodes what the kernels do not support. */
static void test_progressive(void **state)
{
    (void)state;
    struct picture picture;
    kst_encode_options o = defaults();
    o.coding = KST_CODING_PROGRESSIVE;
    picture_make(&picture, KST_FORMAT_RGB, 60, 40, 0, NULL, NULL);
    for (uint32_t i = 0; i < gpu_count; i++) {
        kst_buffer wanted = {0}, found = {0};
        kst_report report;
        kst_report_init(&report);
        assert_int_equal(kst_encode(cpu, &picture.image, &o, &wanted, NULL), KST_OK);
        assert_int_equal(kst_encode(contexts[i], &picture.image, &o, &found, &report), KST_OK);
        assert_int_equal(report.stage_device[KST_STAGE_PIXELS], KST_DEVICE_CPU);
        expect_same(&wanted, &found);
        kst_buffer_release(cpu, &wanted);
        kst_buffer_release(contexts[i], &found);
    }
    free(picture.memory);
}

/* A buffer of the caller's, large enough and too small. */
static void test_buffers(void **state)
{
    (void)state;
    struct picture picture;
    kst_buffer wanted = {0};
    static uint8_t bytes[20000];
    if (simulated())
        skip("the simulator takes too long");
    picture_make(&picture, KST_FORMAT_RGB, 60, 40, 0, NULL, NULL);
    assert_int_equal(kst_encode(cpu, &picture.image, NULL, &wanted, NULL), KST_OK);
    for (uint32_t i = 0; i < gpu_count; i++)
        for (int less = 0; less < 2; less++) {
            kst_buffer found = {.data = bytes, .capacity = wanted.length - (size_t)less};
            kst_status status = kst_encode(contexts[i], &picture.image, NULL, &found, NULL);
            assert_int_equal(status, less ? KST_ERROR_BUFFER_FULL : KST_OK);
            if (!less)
                expect_same(&wanted, &found);
        }
    kst_buffer_release(cpu, &wanted);
    free(picture.memory);
}

/* Pixels in device memory, and in pinned memory, from a place in them on; the file to pinned memory. */
static void check_placed(kst_context *context, kst_memory memory, kst_format format, kst_coding coding, uint32_t left)
{
    struct picture picture;
    kst_buffer coded = {0}, wanted = {0}, found = {.capacity = 100000};
    kst_image placed, plain;
    kst_decode_options decoding;
    kst_encode_options o = defaults();
    void *bytes;
    picture_make(&picture, KST_FORMAT_RGB, 90, 61, 0, NULL, NULL);
    assert_int_equal(kst_encode(cpu, &picture.image, &o, &coded, NULL), KST_OK);
    kst_decode_options_init(&decoding);
    decoding.format = format;
    kst_image_init(&plain);
    kst_image_init(&placed);
    placed.memory = memory;
    assert_int_equal(kst_decode(cpu, coded.data, coded.length, &decoding, &plain, NULL), KST_OK);
    assert_int_equal(kst_decode(context, coded.data, coded.length, &decoding, &placed, NULL), KST_OK);
    uint32_t channels = kst_format_channels(format) ? kst_format_channels(format) : 1;
    for (uint32_t p = 0; p < plain.plane_count && format != KST_FORMAT_RAW; p++) {
        plain.plane[p].data = (uint8_t *)plain.plane[p].data + left * channels;
        if (memory == KST_MEMORY_OPENCL)
            placed.plane[p].offset += left * channels;
        else
            placed.plane[p].data = (uint8_t *)placed.plane[p].data + left * channels;
        plain.plane[p].width = plain.width = placed.plane[p].width = placed.width = 90 - left;
    }
    o.coding = coding;
    assert_int_equal(kst_pinned_allocate(context, found.capacity, &bytes), KST_OK);
    found.data = bytes;
    assert_int_equal(kst_encode(cpu, &plain, &o, &wanted, NULL), KST_OK);
    for (int again = 0; again < 2; again++) { /* the second time the length is about what is expected */
        memset(bytes, 0xA5, found.capacity);
        assert_int_equal(kst_encode(context, &placed, &o, &found, NULL), KST_OK);
        expect_same(&wanted, &found);
    }
    found.capacity = wanted.length - 1;
    assert_int_equal(kst_encode(context, &placed, &o, &found, NULL), KST_ERROR_BUFFER_FULL);
    kst_pinned_release(context, bytes);
    kst_image_release(cpu, &plain);
    kst_image_release(context, &placed);
    kst_buffer_release(cpu, &coded);
    kst_buffer_release(cpu, &wanted);
    free(picture.memory);
}

static void test_places(void **state)
{
    (void)state;
    static const kst_format formats[] = {KST_FORMAT_RGB, KST_FORMAT_BGRA, KST_FORMAT_PLANAR, KST_FORMAT_RAW};
    if (simulated())
        skip("the simulator takes too long");
    for (uint32_t i = 0; i < gpu_count; i++)
        for (size_t f = 0; f < 4; f++)
            for (int coding = KST_CODING_BASELINE; coding <= KST_CODING_PROGRESSIVE; coding++) {
                check_placed(contexts[i], KST_MEMORY_PINNED, formats[f], (kst_coding)coding, 0);
                check_placed(contexts[i], gpus[i]->backend->memory, formats[f], (kst_coding)coding, 0);
                check_placed(contexts[i], gpus[i]->backend->memory, formats[f], (kst_coding)coding, 5);
            }
}

/* Pictures of all kinds at once. */
static void test_batch(void **state)
{
    (void)state;
    enum { COUNT = 24 };
    const uint32_t count = simulated() ? 3 : COUNT;
    struct picture pictures[COUNT];
    kst_encode_options options[COUNT];
    kst_encode_item items[COUNT];
    for (uint32_t i = 0; i < count; i++) {
        static const kst_format formats[] = {KST_FORMAT_RGB, KST_FORMAT_GREY, KST_FORMAT_BGRA, KST_FORMAT_CMYK};
        uint32_t side = simulated() ? 20 : 150;
        picture_make(&pictures[i], formats[i % 4], 1 + next_random() % side, 1 + next_random() % side, 0, NULL, NULL);
        options[i] = defaults();
        options[i].quality = (int)(1 + next_random() % 100);
        options[i].coding = (kst_coding)(next_random() % (simulated() ? 2 : 3));
        options[i].subsampling = (kst_subsampling)(next_random() % 6);
        random_restart(&options[i]);
    }
    for (uint32_t g = 0; g < gpu_count; g++) {
        for (uint32_t i = 0; i < count; i++)
            items[i] = (kst_encode_item){.image = &pictures[i].image, .options = &options[i]};
        items[1].options = NULL;
        assert_int_equal(kst_encode_batch(contexts[g], items, count), KST_OK);
        for (uint32_t i = 0; i < count; i++) {
            kst_buffer wanted = {0};
            assert_int_equal(kst_encode(cpu, items[i].image, items[i].options, &wanted, NULL), KST_OK);
            expect_same(&wanted, &items[i].output);
            kst_buffer_release(cpu, &wanted);
            kst_buffer_release(contexts[g], &items[i].output);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        free(pictures[i].memory);
}

static void report_count(void **state)
{
    (void)state;
    printf("%lu files compared\n", compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samplings), cmocka_unit_test(test_qualities),
        cmocka_unit_test(test_factors), cmocka_unit_test(test_colours), cmocka_unit_test(test_noise),
        cmocka_unit_test(test_progressive), cmocka_unit_test(test_buffers), cmocka_unit_test(test_places),
        cmocka_unit_test(test_batch), cmocka_unit_test(report_count)};
    return cmocka_run_group_tests(tests, start, stop);
}
