/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters images on every device, which must give the samples that the CPU does: all filters, formats and depths, from
 * and to the device's memory and the host's, at odd places and with pitches that have room, alone, together, and on the
 * caller's stream.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kostka/kostka_filter.h>

#include "device/runtime.h"
#include "run/device.h"
#include "support/gpu/contexts.h"
#include "support/gpu/filtered.h"
#include "support/gpu/placed.h"
#include "support/random.h"
#include "support/test.h"

static void check_case(const struct filtered_case *c)
{
    struct filtered p;
    if (!filtered_prepare(&p, c))
        return;
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        kst_memory device = device_memory(gpu_context[i]);
        uint32_t way = next_random() % 8;
        if (way < 6)
            filtered_check_on(gpu_context[i], &p, device, device, "in place");
        else if (way == 6)
            filtered_check_on(gpu_context[i], &p, KST_MEMORY_HOST, device, "from the host");
        else
            filtered_check_on(gpu_context[i], &p, device, KST_MEMORY_PINNED, "to the host");
    }
    filtered_forget(&p);
}

/* Tables of colours, in files that the tests write into a folder of their own. */
#define CURVES "lut=curves.cube"
#define SOLID "lut=solid.cube"
#define SOLID_TRILINEAR "lut=solid.cube:trilinear"

static const char *const chains[] = {"crop=1x1", "rotate=90", "rotate=180", "rotate=270", "flip", "flip=vertical",
    "grey", "depth=8", "depth=16", "invert", "levels=20:200:10:250", "levels=9:65535:65535:3", "threshold=100", "sobel",
    "sobel=5:length", "sobel=3:x", "sobel=5:y", "canny=40:90", "canny=20:300:l2:5", "canny=900:300:l1:7", "gaussian",
    "gaussian=0.4", "gaussian=0.1", "gaussian=9:40", "sharpen=2:0.7:3", "sharpen=2:0.1", "sharpen", "median",
    "median=2", "median=3", "median=15", "bilateral", "bilateral=900:40:12", "bilateral=8:0.5", "equalise",
    "warp=0.8:0.3:-2.5:-0.3:0.8:4.25", "warp=1:0:0:0:1:0", "warp=64:-64:4194304:63:-64:-4194304:outside=edge",
    "warp=0.8:0.3:-2:-0.3:0.8:4:weights=bicubic:outside=edge", "warp=1.1:0.2:-3:0.1:0.9:2:0.01:0.02",
    "warp=1:-0.25:3:0:1.5:-7:-0.02:0.001:40x20:bicubic:edge", "rgb", "channel=blue",
    "matrix=0.5:1.25:-0.75:-1:2:0:0.2126:0.7152:0.0722:0.1:0:-0.2", "normalise", "normalise=20:30.5", CURVES, SOLID,
    SOLID_TRILINEAR, "oil=2:1", "oil=4:20", "oil=15:3", "cartoon=4:1:1", "cartoon=levels=9:passes=2:line=4:low=20",
    "cartoon=64:0:2:30:60", "cartoon=2:3:0", "painterly=3:2:2:4", "painterly", "painterly=9:4:3:2",
    "painterly=32:1:16:0", "lines=20:60:1:5", "depth=12", "depth=10", "depth=1", "xyz", "xyz=dci:2.6:16"};
static const kst_format formats[] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_BGR, KST_FORMAT_RGBA, KST_FORMAT_BGRA};
enum { CHAINS = sizeof chains / sizeof *chains, FORMATS = sizeof formats / sizeof *formats };

/* A simulated device is slow: it gets each kernel once. */
static bool is_left_out(const char *chain)
{
    static const char *const simulated[] = {"rotate=90", "grey", "threshold=100", "sobel", "canny=40:90",
        "canny=20:300:l2:5", "gaussian=0.4", "median", "median=2", "bilateral=8:0.5", "equalise",
        "warp=1.1:0.2:-3:0.1:0.9:2:0.01:0.02", "warp=0.8:0.3:-2.5:-0.3:0.8:4.25",
        "warp=0.8:0.3:-2:-0.3:0.8:4:weights=bicubic:outside=edge", "rgb",
        "matrix=0.5:1.25:-0.75:-1:2:0:0.2126:0.7152:0.0722:0.1:0:-0.2", "normalise", CURVES, SOLID, "oil=2:1",
        "cartoon=4:1:1", "painterly=3:2:2:4", "xyz"};
    bool found = false;
    for (size_t i = 0; i < sizeof simulated / sizeof *simulated; i++)
        found |= strcmp(chain, simulated[i]) == 0;
    return filtered_is_simulated() && !found;
}

static void test_odd_sizes(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 40}, {300, 1}, {2, 33}, {33, 2}, {32, 32}, {31, 65}, {131, 70}};
    static const uint32_t depths[] = {8, 8, 8, 8, 16, 12, 5, 1};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    (void)state;
    for (uint32_t k = 0; k < CHAINS; k++)
        for (uint32_t s = 0; s < SIZES; s++) {
            if (is_left_out(chains[k]) || (filtered_is_simulated() ? s != 4 : fewer_cases() && (s + k) % 2))
                continue;
            const struct filtered_case c = {
                chains[k], formats[next_random() % FORMATS], depths[next_random() % 8], sizes[s][0], sizes[s][1]};
            check_case(&c);
        }
}

/* Filters that have kernels of their own for more than 8 bits, with all formats. */
static void test_more_bits(void **state)
{
    static const char *const some[] = {"bilateral=8:0.5", "sobel", "sobel=5:length", "bilateral=250:40:12",
        "bilateral=1:3", "sobel=3:y", "median=2", "median=3"};
    static const uint32_t depths[] = {16, 9, 12};
    (void)state;
    for (uint32_t k = 0; k < (filtered_is_simulated() ? 2 : sizeof some / sizeof *some); k++)
        for (uint32_t f = 0; f < (filtered_is_simulated() ? 1 : FORMATS); f++) {
            const struct filtered_case c = {some[k], filtered_is_simulated() ? KST_FORMAT_RGBA : formats[f],
                depths[(k + f) % 3], filtered_is_simulated() ? 33 : 67, filtered_is_simulated() ? 2 : 45};
            check_case(&c);
        }
}

/* Several tiles above each other, of filters whose tiles have more rows than others. */
static void test_high(void **state)
{
    static const char *const some[] = {"warp=0.99:0.02:1:-0.02:0.99:3", "median=3", "gaussian=2"};
    (void)state;
    for (uint32_t k = 0; k < sizeof some / sizeof *some && !filtered_is_simulated(); k++)
        for (uint32_t f = fewer_cases() ? k : 0; f < FORMATS; f += fewer_cases() ? 2 : 1) {
            const struct filtered_case c = {some[k], formats[f], 8, 67, 270};
            check_case(&c);
        }
}

static void test_chains(void **state)
{
    static const char *const long_chains[] = {"rotate=90,flip,grey,invert,canny=50:150,rotate=270",
        "sobel,levels=10:100,depth=16,depth=8,threshold=30", "resize=40x30,canny=50:150",
        "rotate=180,resize=50x,flip,resize=20x20,grey", "invert,resize=10x10",
        "equalise,gaussian=2,bilateral=20,median,sharpen", "rotate=90,lines=20:60,flip", "grey,canny=40:90:l2",
        "flip,grey,canny=20:80,invert", "invert,flip,grey,canny=20:80", "grey,canny=20:80,flip,invert",
        "grey,canny=300:900:l1:5"};
    (void)state;
    for (size_t i = 0; i < sizeof long_chains / sizeof *long_chains && !(filtered_is_simulated() && i > 0); i++)
        for (uint32_t f = fewer_cases() ? (uint32_t)i % 2 : 0; f < FORMATS; f += filtered_is_simulated() ? FORMATS
                                                                                 : fewer_cases()         ? 2
                                                                                                         : 1) {
            const struct filtered_case c = {
                long_chains[i], formats[f], 8, filtered_is_simulated() ? 17 : 153, filtered_is_simulated() ? 9 : 41};
            check_case(&c);
        }
}

/* A chain of weak pixels that winds through the whole image, with one strong pixel at its end. */
static uint8_t wind(const struct filtered_case *c, uint32_t x, uint32_t y)
{
    enum { STEP = 8 };
    bool wall = y % STEP == 0 && (y / STEP % 2 ? x > 4 : x + 4 < c->width);
    return wall ? 120 : y + STEP > c->height && x < 6 ? 255 : 100;
}

/* Blocks that lie apart, whose outlines are closed. */
static uint8_t lay_blocks(const struct filtered_case *c, uint32_t x, uint32_t y)
{
    (void)c;
    return x % 13 > 4 && y % 11 > 4 ? 200 : 20;
}

static void check_picture(
    const struct filtered_case *c, uint8_t (*sample)(const struct filtered_case *c, uint32_t x, uint32_t y))
{
    struct filtered p;
    assert_true(filtered_prepare(&p, c));
    for (uint32_t y = 0; y < c->height; y++)
        for (uint32_t x = 0; x < c->width; x++)
            ((uint8_t *)p.from.image.plane[0].data)[(ptrdiff_t)y * p.from.image.plane[0].pitch + x] = sample(c, x, y);
    assert_int_equal(filtered_run(cpu_context, c->chain, &p.from.image, &p.wanted.image, NULL), KST_OK);
    for (uint32_t i = 0; i < gpu_contexts; i++)
        filtered_check_on(gpu_context[i], &p, device_memory(gpu_context[i]), device_memory(gpu_context[i]), "drawn");
    filtered_forget(&p);
}

static void test_long_edge(void **state)
{
    const struct filtered_case c = {
        "canny=20:120:l1", KST_FORMAT_GREY, 8, filtered_is_simulated() ? 34 : 200, filtered_is_simulated() ? 34 : 100};
    (void)state;
    check_picture(&c, wind);
}

/* Chains that are open, among them ones of more points than are split at once, and closed. */
static void test_lines(void **state)
{
    const struct filtered_case winding = {
        "lines=20:30:1:1", KST_FORMAT_GREY, 8, filtered_is_simulated() ? 34 : 2300, filtered_is_simulated() ? 12 : 24};
    const struct filtered_case blocks = {
        "lines=20:60:0.5:2", KST_FORMAT_GREY, 8, filtered_is_simulated() ? 35 : 140, filtered_is_simulated() ? 23 : 90};
    (void)state;
    check_picture(&winding, wind);
    check_picture(&blocks, lay_blocks);
}

enum { BATCH = 6 };

/* A batch in device memory: results of a third of the images cannot be made, and disturb nobody. */
struct batch {
    struct filtered p[BATCH];
    struct placed from[BATCH], to[BATCH];
    kst_filter_item item[BATCH];
};

static void make_batch(struct batch *batch, const char *chain)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        const uint32_t most = filtered_is_simulated() ? 8 : 60;
        const struct filtered_case c = {
            chain, formats[next_random() % FORMATS], 8, 1 + next_random() % most, 1 + next_random() % most};
        assert_true(filtered_prepare(&batch->p[i], &c));
    }
}

static void place_batch(struct batch *batch, kst_context *context)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        placed_place(&batch->from[i], context, &batch->p[i].from.image, device_memory(context));
        placed_place(&batch->to[i], context, &batch->p[i].described, device_memory(context));
        assert_int_equal(kst_image_copy(context, &batch->p[i].from.image, &batch->from[i].image), KST_OK);
        batch->item[i] = (kst_filter_item){.from = &batch->from[i].image, .to = &batch->to[i].image};
        batch->to[i].image.width += i % 3 == 1;
    }
}

static void check_batch(struct batch *batch, kst_context *context, const char *how)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        assert_int_equal(batch->item[i].report.status, i % 3 == 1 ? KST_ERROR_IMAGE_SIZE : KST_OK);
        batch->to[i].image.width -= i % 3 == 1;
        if (i % 3 != 1)
            filtered_check(context, &batch->p[i], &batch->to[i], how);
        placed_drop(&batch->from[i]);
        placed_drop(&batch->to[i]);
    }
}

static void run_batch(struct batch *batch, kst_context *context, const char *chain, const kst_stream *stream)
{
    kst_filter *filter;
    assert_int_equal(kst_filter_open(context, chain, &filter, NULL), KST_OK);
    kst_status status =
        stream ? kst_filter_queue(filter, batch->item, BATCH, stream) : kst_filter_batch(filter, batch->item, BATCH);
    assert_int_equal(status, KST_ERROR_IMAGE_SIZE);
    kst_filter_close(&filter);
}

/* On the caller's stream, work is done when the stream has passed it. */
static void check_stream(struct batch *batch, kst_context *context, const char *chain)
{
    struct gpu_runtime *gpu = kst_context_gpu_if_open(context);
    struct gpu_error error = {.status = KST_OK};
    struct gpu_track *track = kst_gpu_track_take(gpu, &error);
    const kst_stream queue = {gpu->gpu->info.kind, (void *)track->queue.handle};
    place_batch(batch, context);
    run_batch(batch, context, chain, &queue);
    gpu->gpu->backend->finish(&track->queue);
    kst_gpu_track_give(gpu, track);
    check_batch(batch, context, "on a stream");
}

static void test_batch(void **state)
{
    static const char *const some[] = {
        "rotate=90,sobel", "canny=30:90", "levels=9:99,resize=20x20,flip", "lines=20:60:1:3", "depth=16,lines=30:60"};
    static struct batch batch;
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof *some && !(filtered_is_simulated() && i != 1); i++) {
        make_batch(&batch, some[i]);
        for (uint32_t k = 0; k < gpu_contexts; k++) {
            place_batch(&batch, gpu_context[k]);
            run_batch(&batch, gpu_context[k], some[i], NULL);
            check_batch(&batch, gpu_context[k], "in a batch");
            check_stream(&batch, gpu_context[k], some[i]);
        }
        for (uint32_t k = 0; k < BATCH; k++)
            filtered_forget(&batch.p[k]);
    }
}

/* The report says what did the work, and an image without a buffer gets one in the memory that is asked for. */
static void test_report(void **state)
{
    const struct filtered_case c = {"canny=50:150", KST_FORMAT_RGB, 8, 60, 40};
    struct filtered p;
    (void)state;
    assert_true(filtered_prepare(&p, &c));
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        kst_device_info info = {.size = sizeof info};
        kst_report report;
        kst_image to;
        kst_report_init(&report);
        kst_image_init(&to);
        to.memory = device_memory(gpu_context[k]);
        assert_int_equal(kst_context_device(gpu_context[k], &info), KST_OK);
        assert_int_equal(filtered_run(gpu_context[k], c.chain, &p.from.image, &to, &report), KST_OK);
        assert_int_equal(report.stage_device[KST_STAGE_PIXELS], info.kind);
        expect_same_image("made", gpu_context[k], &p.wanted.image, &to);
        kst_image_release(gpu_context[k], &to);
    }
    filtered_forget(&p);
}

/* Images of another device, that end too early, that overlap, or on which a stream would have to wait. */
static void check_refusals(kst_context *context, const struct filtered *p)
{
    struct gpu_runtime *gpu = kst_context_gpu_if_open(context);
    struct gpu_error error = {.status = KST_OK};
    struct gpu_track *track = kst_gpu_track_take(gpu, &error);
    const kst_stream queue = {gpu->gpu->info.kind, (void *)track->queue.handle}, wrong = {KST_DEVICE_CPU, NULL};
    kst_filter *filter;
    struct placed from, to;
    placed_place(&from, context, &p->from.image, device_memory(context));
    placed_place(&to, context, &p->described, device_memory(context));
    assert_int_equal(filtered_run(cpu_context, p->c.chain, &from.image, &to.image, NULL), KST_ERROR_IMAGE_MEMORY);
    assert_int_equal(filtered_run(context, "invert", &from.image, &from.image, NULL), KST_ERROR_IMAGE_OVERLAP);
    kst_image other = to.image;
    other.plane[0].pitch = (ptrdiff_t)placed_row_bytes(&to.image) - 1;
    assert_int_equal(filtered_run(context, p->c.chain, &from.image, &other, NULL), KST_ERROR_IMAGE_PITCH);
    assert_int_equal(kst_filter_open(context, p->c.chain, &filter, NULL), KST_OK);
    kst_filter_item item = {.from = &p->from.image, .to = &to.image};
    assert_int_equal(kst_filter_queue(filter, &item, 1, &queue), KST_ERROR_IMAGE_MEMORY);
    assert_int_equal(kst_filter_queue(filter, &item, 1, &wrong), KST_ERROR_DEVICE_STREAM);
    assert_int_equal(kst_filter_queue(filter, &item, 1, NULL), KST_ERROR_ARGUMENT);
    kst_filter_close(&filter);
    placed_check("after refusals", &to);
    placed_drop(&from);
    placed_drop(&to);
    kst_gpu_track_give(gpu, track);
}

/* Lines are listed of an image in device memory as of one on the host. */
static void test_segments(void **state)
{
    const struct filtered_case c = {
        "rotate=90,lines=30:90:1:4", KST_FORMAT_RGB, 8, filtered_is_simulated() ? 23 : 150, 40};
    struct filtered p;
    kst_filter *filter;
    kst_segments wanted, found;
    (void)state;
    assert_true(filtered_prepare(&p, &c));
    assert_int_equal(kst_filter_open(cpu_context, c.chain, &filter, NULL), KST_OK);
    assert_int_equal(kst_filter_segments(filter, &p.from.image, &wanted, NULL), KST_OK);
    kst_filter_close(&filter);
    assert_true(wanted.count > 0);
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        struct placed from;
        placed_place(&from, gpu_context[i], &p.from.image, device_memory(gpu_context[i]));
        assert_int_equal(kst_image_copy(gpu_context[i], &p.from.image, &from.image), KST_OK);
        assert_int_equal(kst_filter_open(gpu_context[i], c.chain, &filter, NULL), KST_OK);
        assert_int_equal(kst_filter_segments(filter, &from.image, &found, NULL), KST_OK);
        assert_int_equal(found.count, wanted.count);
        assert_memory_equal(found.segment, wanted.segment, wanted.count * sizeof *wanted.segment);
        kst_filter_segments_release(gpu_context[i], &found);
        kst_filter_close(&filter);
        placed_drop(&from);
    }
    kst_filter_segments_release(cpu_context, &wanted);
    filtered_forget(&p);
}

/* What kernels of `lines` need between them counts as memory of the operation. */
static void check_limits(kst_context *context, const struct filtered *p)
{
    kst_context *small = small_context_create(context, (uint64_t)p->c.width * p->c.height * 22);
    struct placed from;
    kst_image to;
    placed_place(&from, small, &p->from.image, device_memory(small));
    assert_int_equal(kst_image_copy(small, &p->from.image, &from.image), KST_OK);
    kst_image_init(&to);
    to.memory = device_memory(small);
    assert_int_equal(filtered_run(small, "lines", &from.image, &to, NULL), KST_ERROR_LIMIT_MEMORY);
    assert_null(to.plane[0].data);
    assert_int_equal(filtered_run(small, p->c.chain, &from.image, &to, NULL), KST_OK);
    kst_image_release(small, &to);
    placed_drop(&from);
    kst_context_destroy(&small);
}

static void test_refusals(void **state)
{
    const struct filtered_case c = {"invert", KST_FORMAT_RGB, 8, 60, 40};
    struct filtered p;
    (void)state;
    assert_true(filtered_prepare(&p, &c));
    for (uint32_t k = 0; k < gpu_contexts; k++)
        check_refusals(gpu_context[k], &p);
    filtered_forget(&p);
}

static void test_limits(void **state)
{
    const struct filtered_case c = {"invert", KST_FORMAT_GREY, 8, 512, filtered_is_simulated() ? 40 : 300};
    struct filtered p;
    (void)state;
    assert_true(filtered_prepare(&p, &c));
    for (uint32_t k = 0; k < gpu_contexts; k++)
        check_limits(gpu_context[k], &p);
    filtered_forget(&p);
}

/* Histograms are those of the CPU, of images anywhere. */
static void test_histogram(void **state)
{
    static uint32_t counts[2][4 << 16];
    (void)state;
    for (uint32_t i = 0; i < (filtered_is_simulated() ? 1 : FORMATS); i++) {
        const uint32_t depth = i % 3 == 0 ? 8 : i % 3 == 1 ? 16 : 5;
        const struct filtered_case c = {
            "invert", formats[i], depth, filtered_is_simulated() ? 33 : 131, filtered_is_simulated() ? 3 : 71};
        size_t room = (size_t)kst_format_channels(c.format) << depth;
        struct filtered p;
        assert_true(filtered_prepare(&p, &c));
        assert_int_equal(kst_filter_histogram(cpu_context, &p.from.image, counts[0], room, NULL), KST_OK);
        for (uint32_t k = 0; k < gpu_contexts; k++) {
            struct placed from;
            kst_report report;
            kst_report_init(&report);
            placed_place(&from, gpu_context[k], &p.from.image, device_memory(gpu_context[k]));
            assert_int_equal(kst_image_copy(gpu_context[k], &p.from.image, &from.image), KST_OK);
            assert_int_equal(kst_filter_histogram(gpu_context[k], &from.image, counts[1], room, &report), KST_OK);
            assert_memory_equal(counts[0], counts[1], room * sizeof **counts);
            assert_int_equal(
                report.stage_device[KST_STAGE_PIXELS], kst_context_gpu_if_open(gpu_context[k])->gpu->info.kind);
            placed_drop(&from);
        }
        filtered_forget(&p);
    }
}

static char folder[] = "/tmp/kostka-filters-XXXXXX";

static void write_table(const char *name, const char *size, uint32_t points)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fprintf(file, "%s\nDOMAIN_MAX 0.9 1 1.1\n", size);
    for (uint32_t i = 0; i < 3 * points; i++)
        fprintf(file, "0.%04u%c", (unsigned)(next_random() % 10000), i % 3 == 2 ? '\n' : ' ');
    assert_int_equal(fclose(file), 0);
}

static int start(void **state)
{
    if (!mkdtemp(folder) || chdir(folder))
        return -1;
    write_table("curves.cube", "LUT_1D_SIZE 9", 9);
    write_table("solid.cube", "LUT_3D_SIZE 5", 125);
    return start_contexts(state);
}

static int stop(void **state)
{
    unlink("curves.cube");
    unlink("solid.cube");
    rmdir(folder);
    return stop_contexts(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_odd_sizes), cmocka_unit_test(test_more_bits),
        cmocka_unit_test(test_high), cmocka_unit_test(test_chains), cmocka_unit_test(test_long_edge),
        cmocka_unit_test(test_lines), cmocka_unit_test(test_batch), cmocka_unit_test(test_report),
        cmocka_unit_test(test_segments), cmocka_unit_test(test_refusals), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_histogram)};
    return cmocka_run_group_tests(tests, start, stop);
}
