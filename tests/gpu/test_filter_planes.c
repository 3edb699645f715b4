/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters images that have a plane for each channel, which must give the samples that interleaved pixels do, on the CPU
 * and on every GPU: planes of odd pitches and upside down, in one allocation or in several, that are parts of a larger
 * picture, from and to planes or interleaved pixels. Images whose planes no filter takes are refused with a reason.
 */
#include <stdio.h>
#include <string.h>

#include <kostka/kostka_filter.h>

#include "device/runtime.h"
#include "run/device.h"
#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/random.h"
#include "support/test.h"

enum { PLANES_MOST = 4, MARGIN = 5, POISON = 0xA5, TEXT = 120 };

/* Holds an image, and the larger one of which it is a part; the part begins at (MARGIN, MARGIN − 2). */
struct parted {
    kst_context *context;
    kst_image whole, part;
};

static kst_image describe(kst_format format, uint32_t channels, uint32_t depth, uint32_t width, uint32_t height)
{
    kst_image image;
    kst_image_init(&image);
    image.format = format;
    image.colour = channels == 1 ? KST_COLOUR_GREY : KST_COLOUR_RGB;
    image.width = width;
    image.height = height;
    image.plane_count = format == KST_FORMAT_PLANAR ? channels : 1;
    for (uint32_t i = 0; i < image.plane_count; i++)
        image.plane[i] = (kst_plane){.width = width, .height = height, .depth = (uint8_t)depth};
    return image;
}

static uint32_t bytes_of_pixel(const kst_image *image)
{
    uint32_t channels = image->format == KST_FORMAT_PLANAR ? 1 : kst_format_channels(image->format);
    return channels * (image->plane[0].depth > 8 ? 2 : 1);
}

/* Place an image inside of a larger one, which is filled with `fill`; on the host every other image lies upside down.
 */
static void place(struct parted *parted, kst_context *context, const kst_image *like, kst_memory memory, uint8_t fill)
{
    const uint32_t pixel = bytes_of_pixel(like);
    kst_image host;
    parted->context = context;
    parted->whole = *like;
    parted->whole.memory = memory;
    parted->whole.width = like->width + 2 * MARGIN;
    parted->whole.height = like->height + MARGIN;
    for (uint32_t i = 0; i < like->plane_count; i++) {
        parted->whole.plane[i].width = parted->whole.width;
        parted->whole.plane[i].height = parted->whole.height;
    }
    assert_int_equal(kst_image_allocate(context, &parted->whole), KST_OK);
    host = parted->whole;
    host.memory = KST_MEMORY_HOST;
    host.owned = NULL;
    assert_int_equal(kst_image_allocate(context, &host), KST_OK);
    for (uint32_t i = 0; i < host.plane_count; i++)
        for (uint32_t y = 0; y < host.height; y++)
            memset((uint8_t *)host.plane[i].data + (ptrdiff_t)y * host.plane[i].pitch, fill, host.width * pixel);
    assert_int_equal(kst_image_copy(context, &host, &parted->whole), KST_OK);
    kst_image_release(context, &host);
    parted->part = *like;
    parted->part.memory = memory;
    for (uint32_t i = 0; i < like->plane_count; i++) {
        const kst_plane *plane = &parted->whole.plane[i];
        const size_t at = (size_t)(MARGIN - 2) * (size_t)plane->pitch + (size_t)MARGIN * pixel;
        parted->part.plane[i].pitch = plane->pitch;
        parted->part.plane[i].data = plane->data;
        parted->part.plane[i].offset = plane->offset + at;
        if (memory != KST_MEMORY_OPENCL)
            parted->part.plane[i].data = (uint8_t *)plane->data + at;
        if ((memory == KST_MEMORY_HOST || memory == KST_MEMORY_PINNED) && i % 2 == 1) {
            parted->part.plane[i].data =
                (uint8_t *)parted->part.plane[i].data + (ptrdiff_t)(like->height - 1) * plane->pitch;
            parted->part.plane[i].pitch = -plane->pitch;
        }
    }
}

static void drop(struct parted *parted)
{
    kst_image_release(parted->context, &parted->whole);
}

static uint8_t *sample_at(const kst_image *image, uint32_t x, uint32_t y, uint32_t channel)
{
    const kst_plane *plane = &image->plane[image->plane_count > 1 ? channel : 0];
    const uint32_t bytes = plane->depth > 8 ? 2 : 1;
    return (uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch + (size_t)x * bytes_of_pixel(image) +
           (image->plane_count > 1 ? 0 : (size_t)channel * bytes);
}

/* Copy the samples of an image in host memory to one with the same channels. */
static void copy_samples(const kst_image *from, const kst_image *to, uint32_t channels)
{
    for (uint32_t c = 0; c < channels; c++)
        for (uint32_t y = 0; y < from->height; y++)
            for (uint32_t x = 0; x < from->width; x++)
                memcpy(sample_at(to, x, y, c), sample_at(from, x, y, c), from->plane[0].depth > 8 ? 2 : 1);
}

static kst_status run(kst_context *context, const char *chain, const kst_image *from, kst_image *to, kst_report *report)
{
    kst_filter *filter;
    assert_int_equal(kst_filter_open(context, chain, &filter, NULL), KST_OK);
    kst_status status = kst_filter_run(filter, from, to, report);
    kst_filter_close(&filter);
    return status;
}

/* Holds a chain, its interleaved source and result, and what the result looks like. */
struct sample_case {
    const char *chain;
    uint32_t channels, made_channels;
    struct parted from, made;
};

static kst_format format_of(uint32_t channels)
{
    return channels == 1 ? KST_FORMAT_GREY : channels == 3 ? KST_FORMAT_RGB : KST_FORMAT_RGBA;
}

static void prepare(struct sample_case *c, uint32_t depth, uint32_t width, uint32_t height)
{
    const kst_image like = describe(format_of(c->channels), c->channels, depth, width, height);
    kst_filter *filter;
    kst_image result;
    assert_int_equal(kst_filter_open(cpu_context, c->chain, &filter, NULL), KST_OK);
    assert_int_equal(kst_filter_describe(filter, &like, &result, NULL), KST_OK);
    kst_filter_close(&filter);
    c->made_channels = kst_format_channels(result.format);
    place(&c->from, cpu_context, &like, KST_MEMORY_HOST, POISON);
    place(&c->made, cpu_context, &result, KST_MEMORY_HOST, POISON);
    for (uint32_t k = 0; k < c->channels; k++)
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                uint32_t value = (x * 9 + y * 5 + k * 40 + next_random() % 23) & 255;
                uint16_t wide = (uint16_t)(value * 257 >> (16 - depth) % 16);
                memcpy(
                    sample_at(&c->from.part, x, y, k), depth > 8 ? (void *)&wide : (void *)&value, depth > 8 ? 2 : 1);
            }
    assert_int_equal(run(cpu_context, c->chain, &c->from.part, &c->made.part, NULL), KST_OK);
}

static void forget(struct sample_case *c)
{
    drop(&c->from);
    drop(&c->made);
}

/* Return whether all bytes around the part are still poison; samples of the part are overwritten by it. */
static bool is_untouched(const struct parted *host)
{
    const uint32_t pixel = bytes_of_pixel(&host->whole);
    for (uint32_t i = 0; i < host->whole.plane_count; i++) {
        for (uint32_t y = 0; y < host->part.height; y++)
            memset((uint8_t *)host->part.plane[i].data + (ptrdiff_t)y * host->part.plane[i].pitch, POISON,
                (size_t)host->part.width * pixel);
        for (uint32_t y = 0; y < host->whole.height; y++)
            for (uint32_t k = 0; k < host->whole.width * pixel; k++)
                if (((uint8_t *)host->whole.plane[i].data + (ptrdiff_t)y * host->whole.plane[i].pitch)[k] != POISON)
                    return false;
    }
    return true;
}

/* Let the rows of a part lie upside down if those of another part do. */
static void turn_like(struct parted *parted, const struct parted *like)
{
    for (uint32_t i = 0; i < parted->part.plane_count; i++) {
        kst_plane *plane = &parted->part.plane[i];
        if ((plane->pitch < 0) == (like->part.plane[i].pitch < 0))
            continue;
        plane->data = (uint8_t *)plane->data + (ptrdiff_t)(plane->height - 1) * plane->pitch;
        plane->pitch = -plane->pitch;
    }
}

/* Compare a result on the host with that of interleaved pixels, and what lies around it with poison. */
static void expect_result(const struct sample_case *c, const struct parted *found, const char *text)
{
    const size_t bytes = c->made.part.plane[0].depth > 8 ? 2 : 1;
    for (uint32_t k = 0; k < c->made_channels; k++)
        for (uint32_t y = 0; y < found->part.height; y++)
            for (uint32_t x = 0; x < found->part.width; x++)
                if (memcmp(sample_at(&found->part, x, y, k), sample_at(&c->made.part, x, y, k), bytes) != 0)
                    fail_msg("%s: channel %u of pixel %u, %u differs", text, k, x, y);
    if (!is_untouched(found))
        fail_msg("%s: something beside the image was written", text);
}

/* Run a case from planes or interleaved pixels to planes or interleaved pixels in some memory of a context. */
static void check(const struct sample_case *c, kst_context *context, kst_memory from_memory, kst_memory to_memory,
    bool from_planes, bool to_planes)
{
    const kst_image *given = &c->from.part, *wanted = &c->made.part;
    const kst_image source = describe(from_planes ? KST_FORMAT_PLANAR : format_of(c->channels), c->channels,
        given->plane[0].depth, given->width, given->height);
    const kst_image result = describe(to_planes ? KST_FORMAT_PLANAR : format_of(c->made_channels), c->made_channels,
        wanted->plane[0].depth, wanted->width, wanted->height);
    struct parted from, to, host_from, host_to;
    kst_report report;
    char text[TEXT];
    snprintf(text, sizeof text, "%s of %u channels, %u bits, memory %d to %d, planes %d to %d", c->chain, c->channels,
        given->plane[0].depth, (int)from_memory, (int)to_memory, from_planes, to_planes);
    place(&host_from, context, &source, KST_MEMORY_HOST, POISON);
    copy_samples(given, &host_from.part, c->channels);
    place(&from, context, &source, from_memory, POISON);
    assert_int_equal(kst_image_copy(context, &host_from.part, &from.part), KST_OK);
    place(&to, context, &result, to_memory, POISON);
    kst_report_init(&report);
    if (run(context, c->chain, &from.part, &to.part, &report))
        fail_msg("%s: %s", text, report.message);
    place(&host_to, context, &result, KST_MEMORY_HOST, 0);
    assert_int_equal(kst_image_copy(context, &to.whole, &host_to.whole), KST_OK);
    turn_like(&host_to, &to);
    expect_result(c, &host_to, text);
    drop(&from);
    drop(&to);
    drop(&host_from);
    drop(&host_to);
}

static const struct {
    const char *chain;
    uint32_t channels, depth;
} cases[] = {{"bilateral=20:1", 3, 16}, {"flip", 4, 8}, {"canny=40:90", 3, 8}, {"resize=20x11,sobel", 3, 8},
    {"rgb,gaussian", 1, 12}, {"rotate=90,resize=17x", 4, 16}, {"resize=9x7", 3, 8}, {"invert", 1, 8},
    {"crop=11x5:3:2,rotate=270,sharpen", 3, 8}, {"median,equalise,depth=12", 4, 8}, {"lines=20:60:1:5", 3, 16},
    {"grey", 4, 8}};
enum { CASES = sizeof cases / sizeof *cases };

static void on_cpu(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CASES; i++) {
        struct sample_case c = {.chain = cases[i].chain, .channels = cases[i].channels};
        prepare(&c, cases[i].depth, 41, 30);
        for (uint32_t way = 1; way < 4; way++)
            check(&c, cpu_context, KST_MEMORY_HOST, KST_MEMORY_HOST, way & 1, way >> 1);
        forget(&c);
    }
}

static void on_gpus(void **state)
{
    (void)state;
    for (uint32_t i = simulated(); i < (simulated() ? 2 : CASES); i++) {
        struct sample_case c = {.chain = cases[i].chain, .channels = cases[i].channels};
        prepare(&c, cases[i].depth, simulated() ? 34 : 77, simulated() ? 3 : 50);
        for (uint32_t k = 0; k < gpu_contexts; k++) {
            const kst_memory there = device_memory(gpu_context[k]);
            for (uint32_t way = 1; way < 4; way++)
                check(&c, gpu_context[k], there, there, way & 1, way >> 1);
            check(&c, gpu_context[k], KST_MEMORY_HOST, there, true, true);
            check(&c, gpu_context[k], there, KST_MEMORY_PINNED, true, true);
        }
        forget(&c);
    }
}

/* Queue a chain for an image with planes and for one that does not fit, and wait for the stream. */
static void run_on_stream(kst_context *context, const char *chain, kst_filter_item items[2])
{
    struct gpu_runtime *gpu = kst_context_gpu_if_open(context);
    struct gpu_error error = {.status = KST_OK};
    struct gpu_track *track = kst_gpu_track_take(gpu, &error);
    const kst_stream queue = {gpu->gpu->info.kind, (void *)track->queue.handle};
    kst_filter *filter;
    assert_int_equal(kst_filter_open(context, chain, &filter, NULL), KST_OK);
    assert_int_equal(kst_filter_queue(filter, items, 2, &queue), KST_ERROR_IMAGE_SIZE);
    gpu->gpu->backend->finish(&track->queue);
    kst_filter_close(&filter);
    kst_gpu_track_give(gpu, track);
}

static void on_streams(void **state)
{
    static const char *const chains[] = {"rotate=90,invert", "resize=20x9"};
    (void)state;
    for (uint32_t i = 0; i < gpu_contexts * 2; i++) {
        kst_context *context = gpu_context[i / 2];
        struct sample_case c = {.chain = chains[i % 2], .channels = 3};
        struct parted host, from, to, found;
        prepare(&c, 8, 33, 7);
        const kst_image source = describe(KST_FORMAT_PLANAR, 3, 8, 33, 7);
        const kst_image result = describe(KST_FORMAT_PLANAR, 3, 8, c.made.part.width, c.made.part.height);
        place(&host, context, &source, KST_MEMORY_HOST, POISON);
        copy_samples(&c.from.part, &host.part, 3);
        place(&from, context, &source, device_memory(context), POISON);
        assert_int_equal(kst_image_copy(context, &host.part, &from.part), KST_OK);
        place(&to, context, &result, device_memory(context), POISON);
        kst_filter_item items[2] = {{.from = &from.part, .to = &from.part}, {.from = &from.part, .to = &to.part}};
        run_on_stream(context, c.chain, items);
        place(&found, context, &result, KST_MEMORY_HOST, 0);
        assert_int_equal(kst_image_copy(context, &to.whole, &found.whole), KST_OK);
        turn_like(&found, &to);
        expect_result(&c, &found, "on a stream");
        drop(&host);
        drop(&from);
        drop(&to);
        drop(&found);
        forget(&c);
    }
}

/* Results of planes are described as planes, and allocated so if they have no buffer. */
static void described(void **state)
{
    kst_image like = describe(KST_FORMAT_PLANAR, 3, 8, 9, 7), result;
    struct parted from;
    kst_filter *filter;
    (void)state;
    like.colour = KST_COLOUR_UNKNOWN;
    assert_int_equal(kst_filter_open(cpu_context, "rotate=90,channel=green,depth=16", &filter, NULL), KST_OK);
    assert_int_equal(kst_filter_describe(filter, &like, &result, NULL), KST_OK);
    assert_int_equal(result.format, KST_FORMAT_PLANAR);
    assert_int_equal(result.colour, KST_COLOUR_GREY);
    assert_int_equal(result.plane_count, 1);
    assert_int_equal(result.plane[0].pitch, 14);
    kst_filter_close(&filter);
    place(&from, cpu_context, &like, KST_MEMORY_HOST, 77);
    kst_image_init(&result);
    assert_int_equal(run(cpu_context, "rotate=90", &from.part, &result, NULL), KST_OK);
    assert_int_equal(result.format, KST_FORMAT_PLANAR);
    assert_int_equal(result.plane_count, 3);
    for (uint32_t c = 0; c < 3; c++)
        assert_int_equal(*sample_at(&result, 6, 8, c), 77);
    kst_image_release(cpu_context, &result);
    drop(&from);
}

/* Histograms and lists of segments are those of interleaved pixels. */
static void counted(void **state)
{
    static uint32_t counts[2][3 * 256];
    struct sample_case c = {.chain = "invert", .channels = 3};
    kst_segments found[2];
    kst_filter *filter;
    struct parted planes;
    (void)state;
    prepare(&c, 8, 61, 40);
    const kst_image like = describe(KST_FORMAT_PLANAR, 3, 8, 61, 40);
    place(&planes, cpu_context, &like, KST_MEMORY_HOST, POISON);
    copy_samples(&c.from.part, &planes.part, 3);
    assert_int_equal(kst_filter_histogram(cpu_context, &c.from.part, counts[0], 768, NULL), KST_OK);
    assert_int_equal(kst_filter_histogram(cpu_context, &planes.part, counts[1], 768, NULL), KST_OK);
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    assert_int_equal(kst_filter_open(cpu_context, "lines=10:40:1:3", &filter, NULL), KST_OK);
    assert_int_equal(kst_filter_segments(filter, &c.from.part, &found[0], NULL), KST_OK);
    assert_int_equal(kst_filter_segments(filter, &planes.part, &found[1], NULL), KST_OK);
    assert_true(found[0].count > 0);
    assert_int_equal(found[0].count, found[1].count);
    assert_memory_equal(found[0].segment, found[1].segment, found[0].count * sizeof *found[0].segment);
    for (uint32_t i = 0; i < 2; i++)
        kst_filter_segments_release(cpu_context, &found[i]);
    kst_filter_close(&filter);
    drop(&planes);
    forget(&c);
}

static void expect_refusal(const kst_image *image, kst_status status, const char *reason)
{
    kst_image to;
    kst_report report;
    kst_report_init(&report);
    kst_image_init(&to);
    assert_int_equal(run(cpu_context, "flip", image, &to, &report), status);
    assert_null(to.plane[0].data);
    if (!strstr(report.message, reason))
        fail_msg("'%s' does not say '%s'", report.message, reason);
}

static void refused(void **state)
{
    struct parted from, other;
    const kst_image like = describe(KST_FORMAT_PLANAR, 4, 8, 9, 7);
    (void)state;
    place(&from, cpu_context, &like, KST_MEMORY_HOST, 3);
    kst_image image = from.part;
    image.colour = KST_COLOUR_CMYK;
    expect_refusal(&image, KST_ERROR_IMAGE_FORMAT, "planes of grey, of RGB, or of RGB and alpha");
    image = from.part;
    image.plane_count = 2;
    expect_refusal(&image, KST_ERROR_IMAGE_FORMAT, "planes of grey, of RGB, or of RGB and alpha");
    image = from.part;
    image.plane_count = 3;
    image.format = KST_FORMAT_RAW;
    image.colour = KST_COLOUR_YCBCR;
    expect_refusal(&image, KST_ERROR_IMAGE_FORMAT, "planes of grey, of RGB, or of RGB and alpha");
    image.colour = KST_COLOUR_RGB;
    image.plane[2].width = 5;
    expect_refusal(&image, KST_ERROR_IMAGE_SIZE, "plane 2 has another");
    image.plane[2].width = 9;
    image.plane[1].depth = 7;
    expect_refusal(&image, KST_ERROR_IMAGE_DEPTH, "plane 1 has another");
    image = from.part;
    image.plane[3].data = NULL;
    expect_refusal(&image, KST_ERROR_ARGUMENT, "");
    place(&other, cpu_context, &like, KST_MEMORY_HOST, 3);
    kst_image to = other.part;
    to.plane[2] = from.part.plane[1];
    assert_int_equal(run(cpu_context, "flip", &from.part, &to, NULL), KST_ERROR_IMAGE_OVERLAP);
    assert_int_equal(run(cpu_context, "grey", &from.part, &other.part, NULL), KST_ERROR_IMAGE_SIZE);
    drop(&from);
    drop(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_cpu), cmocka_unit_test(on_gpus),
        cmocka_unit_test(on_streams), cmocka_unit_test(described), cmocka_unit_test(counted),
        cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
