/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resizes images on every device, which must give the samples that the CPU does: all formats and depths, from and to
 * the device's memory and the host's, alone and together, at odd places and with pitches that have room.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/runtime.h"
#include "run/device.h"
#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/random.h"
#include "support/test.h"

enum { PITCHES = 3, MOST_LEAD = 7, POISON = 0xA5 };

/* An image in any memory: a part of a larger block of bytes, which is full of poison. */
struct placed {
    kst_context *context;
    kst_image block, image;
};

static size_t row_of(const kst_image *image, uint32_t index)
{
    uint32_t channels = kst_format_channels(image->format);
    const kst_plane *plane = &image->plane[index];
    size_t bytes = plane->sample == KST_SAMPLE_FLOAT32                       ? 4
                   : plane->sample == KST_SAMPLE_FLOAT16 || plane->depth > 8 ? 2
                                                                             : 1;
    return (size_t)plane->width * (channels ? channels : 1) * bytes;
}

static size_t sample_of(const kst_image *image)
{
    return row_of(image, 0) / image->width /
           (kst_format_channels(image->format) ? kst_format_channels(image->format) : 1);
}

/* A block of bytes on the host or the device, full of poison. */
static void make_block(struct placed *placed, kst_memory memory, uint32_t length)
{
    kst_image host;
    uint8_t *bytes = malloc(length);
    assert_non_null(bytes);
    memset(bytes, POISON, length);
    assert_int_equal(kst_image_wrap(&host, KST_FORMAT_GREY, length, 1, bytes, 0), KST_OK);
    placed->block = host;
    placed->block.memory = memory;
    placed->block.plane[0].data = NULL;
    assert_int_equal(kst_image_allocate(placed->context, &placed->block), KST_OK);
    assert_int_equal(kst_image_copy(placed->context, &host, &placed->block), KST_OK);
    free(bytes);
}

/* Place an image that is described: planes behind each other, at places and pitches by chance. */
static void place(struct placed *placed, kst_context *context, const kst_image *like, kst_memory memory)
{
    size_t unit = sample_of(like), at[4], length = 16 * unit;
    placed->context = context;
    placed->image = *like;
    placed->image.memory = memory;
    for (uint32_t i = 0; i < like->plane_count; i++) {
        at[i] = length + next_random() % (MOST_LEAD + 1) * unit;
        placed->image.plane[i].pitch = (ptrdiff_t)(row_of(like, i) + next_random() % PITCHES * unit);
        length = at[i] + (size_t)placed->image.plane[i].pitch * like->plane[i].height;
    }
    make_block(placed, memory, (uint32_t)(length + 16));
    for (uint32_t i = 0; i < like->plane_count; i++) {
        kst_plane *plane = &placed->image.plane[i];
        plane->data = placed->block.plane[0].data;
        plane->offset = placed->block.plane[0].offset + at[i];
        if (memory != KST_MEMORY_OPENCL)
            plane->data = (uint8_t *)placed->block.plane[0].data + at[i];
    }
}

static void drop(struct placed *placed)
{
    kst_image_release(placed->context, &placed->block);
}

/* Everything outside of the image must be as it was. */
static void check_poison(const char *what, const struct placed *placed)
{
    uint32_t length = placed->block.width;
    uint8_t *bytes = malloc(length);
    kst_image host;
    assert_non_null(bytes);
    assert_int_equal(kst_image_wrap(&host, KST_FORMAT_GREY, length, 1, bytes, 0), KST_OK);
    assert_int_equal(kst_image_copy(placed->context, &placed->block, &host), KST_OK);
    for (uint32_t i = 0; i < placed->image.plane_count; i++) {
        const kst_plane *plane = &placed->image.plane[i], *block = &placed->block.plane[0];
        size_t at = placed->image.memory == KST_MEMORY_OPENCL
                        ? plane->offset - block->offset
                        : (size_t)((uint8_t *)plane->data - (uint8_t *)block->data);
        for (uint32_t y = 0; y < plane->height; y++)
            memset(bytes + at + (size_t)plane->pitch * y, POISON, row_of(&placed->image, i));
    }
    for (uint32_t i = 0; i < length; i++)
        if (bytes[i] != POISON)
            fail_msg("%s: byte %u of %u around the image was written", what, (unsigned)i, (unsigned)length);
    free(bytes);
}

/* One way to resize. */
struct test_case {
    kst_format format;
    uint32_t depth, width, height;
    kst_resize_options options;
};

static void describe(const struct test_case *c, kst_image *image)
{
    kst_image_init(image);
    image->format = c->format;
    image->width = c->width;
    image->height = c->height;
    image->plane_count = c->format == KST_FORMAT_PLANAR ? 3 : 1;
    for (uint32_t i = 0; i < image->plane_count; i++)
        image->plane[i] = (kst_plane){.width = c->width, .height = c->height, .depth = (uint8_t)c->depth};
    if (c->format == KST_FORMAT_PLANAR || c->format == KST_FORMAT_RAW)
        image->colour = KST_COLOUR_UNKNOWN;
}

/* Noise, of which much is as small or as great as can be. */
static void fill(const kst_image *image, uint32_t depth)
{
    uint32_t greatest = (1U << depth) - 1;
    for (uint32_t i = 0; i < image->plane_count; i++)
        for (uint32_t y = 0; y < image->height; y++)
            for (size_t x = 0; x < row_of(image, i) / (depth > 8 ? 2 : 1); x++) {
                uint8_t *row = (uint8_t *)image->plane[i].data + (ptrdiff_t)y * image->plane[i].pitch;
                uint32_t kind = next_random() >> 28, value = kind < 4   ? 0
                                                             : kind < 8 ? greatest
                                                                        : next_random() & greatest;
                if (depth > 8)
                    ((uint16_t *)(void *)row)[x] = (uint16_t)value;
                else
                    row[x] = (uint8_t)value;
            }
}

static void name_case(const struct test_case *c, const char *how, char text[160])
{
    const kst_resize_options *o = &c->options;
    snprintf(text, 160, "%s: format %d, depth %u, %ux%u to %ux%u, filter %d, order %d, mirror %d, to %d, sample %d",
        how, (int)c->format, c->depth, c->width, c->height, o->width, o->height, (int)o->filter, (int)o->order,
        o->mirror, (int)o->format, (int)o->sample);
}

/* A source, and what the CPU makes of it. */
struct prepared {
    struct test_case c;
    struct placed from, wanted;
    kst_image described;
};

static void prepare(struct prepared *p, const struct test_case *c)
{
    kst_image image;
    p->c = *c;
    describe(c, &image);
    place(&p->from, cpu_context, &image, KST_MEMORY_HOST);
    fill(&p->from.image, c->depth);
    assert_int_equal(kst_resize_describe(&image, &c->options, &p->described), KST_OK);
    place(&p->wanted, cpu_context, &p->described, KST_MEMORY_HOST);
    assert_int_equal(kst_resize(cpu_context, &p->from.image, &c->options, &p->wanted.image), KST_OK);
    check_poison("the CPU", &p->wanted);
}

static void forget(struct prepared *p)
{
    drop(&p->from);
    drop(&p->wanted);
}

static void check_result(kst_context *context, const struct prepared *p, const struct placed *to, const char *how)
{
    char text[160];
    name_case(&p->c, how, text);
    expect_same_image(text, context, &p->wanted.image, &to->image);
    check_poison(text, to);
}

static void check_on(
    kst_context *context, const struct prepared *p, kst_memory from_memory, kst_memory to_memory, const char *how)
{
    struct placed from, to;
    place(&from, context, &p->from.image, from_memory);
    place(&to, context, &p->described, to_memory);
    assert_int_equal(kst_image_copy(context, &p->from.image, &from.image), KST_OK);
    kst_status status = kst_resize(context, &from.image, &p->c.options, &to.image);
    if (status)
        fail_msg("%s: %s", how, kst_status_name(status));
    check_result(context, p, &to, how);
    drop(&from);
    drop(&to);
}

static void check_case(const struct test_case *c)
{
    struct prepared p;
    prepare(&p, c);
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        kst_memory device = device_memory(gpu_context[i]);
        uint32_t way = simulated() ? next_random() % 3 : 3;
        if (way == 0 || way == 3)
            check_on(gpu_context[i], &p, device, device, "in place");
        if (way == 1 || way == 3)
            check_on(gpu_context[i], &p, KST_MEMORY_HOST, device, "from the host");
        if (way == 2 || way == 3)
            check_on(gpu_context[i], &p, device, KST_MEMORY_PINNED, "to the host");
    }
    forget(&p);
}

static struct test_case case_of(kst_format format, uint32_t depth, uint32_t width, uint32_t height, uint32_t to_width,
    uint32_t to_height, kst_resize_filter filter)
{
    struct test_case c = {.format = format, .depth = depth, .width = width, .height = height};
    kst_resize_options_init(&c.options);
    c.options.width = to_width;
    c.options.height = to_height;
    c.options.filter = filter;
    return c;
}

static const kst_format formats[] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_BGR, KST_FORMAT_RGBA, KST_FORMAT_BGRA,
    KST_FORMAT_CMYK, KST_FORMAT_PLANAR};

static void test_odd_sizes(void **state)
{
    static const uint32_t sizes[][4] = {{1, 1, 1, 1}, {1, 1, 40, 3}, {300, 1, 3, 1}, {1, 300, 1, 3}, {900, 2, 1, 5},
        {2, 900, 5, 1}, {5, 5, 5, 5}, {5, 5, 5, 9}, {5, 5, 9, 5}, {131, 17, 80, 8}, {17, 40, 33, 7}, {264, 48, 70, 15},
        {9, 9, 164, 64}, {40, 90, 30, 5}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            if (simulated() && (i + 3 * f) % 12 != 1)
                continue;
            struct test_case c = case_of(formats[f], 8, sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3],
                (kst_resize_filter)(next_random() % 5));
            check_case(&c);
            c.options.mirror = true;
            c.options.order = KST_RESIZE_ORDER_HORIZONTAL;
            c.options.filter = KST_RESIZE_LANCZOS;
            check_case(&c);
        }
}

static uint32_t random_side(uint32_t most)
{
    uint32_t bound = next_random() % 2 ? most : 9;
    return 1 + next_random() % bound;
}

static double random_edge(double low, double high)
{
    double edge = low + (high - low) * (double)(next_random() >> 16) / 65536;
    return next_random() % 3 == 0 ? (double)(uint32_t)edge : edge;
}

static void random_range(uint32_t size, double *begin, double *end)
{
    *begin = random_edge(0, size * 0.9);
    *end = random_edge(*begin, size);
    if (*end <= *begin)
        *end = size;
}

static struct test_case random_case(uint32_t most)
{
    static const uint32_t depths[] = {8, 8, 8, 8, 1, 5, 9, 12, 16};
    struct test_case c = case_of(formats[next_random() % 7], depths[next_random() % 9], random_side(most),
        random_side(most), random_side(most), random_side(most), (kst_resize_filter)(next_random() % 5));
    if (next_random() % 2) {
        random_range(c.width, &c.options.box.left, &c.options.box.right);
        random_range(c.height, &c.options.box.top, &c.options.box.bottom);
    }
    c.options.fit = next_random() % 4 == 0 ? KST_RESIZE_COVER : KST_RESIZE_EXACT;
    c.options.mirror = next_random() % 4 == 0;
    c.options.order = (kst_resize_order)(next_random() % 2);
    c.options.format = next_random() % 3 == 0 ? KST_FORMAT_PLANAR : KST_FORMAT_AUTO;
    c.options.sample = next_random() % 3 == 0 ? (kst_sample)(next_random() % 3) : KST_SAMPLE_INTEGER;
    for (int i = 0; i < 4 && next_random() % 2; i++) {
        c.options.mean[i] = (float)(next_random() % 4096) / 16;
        c.options.scale[i] = (float)(1 + next_random() % 4096) / 2048;
    }
    return c;
}

static void test_at_random(void **state)
{
    (void)state;
    for (int i = 0; i < (simulated() ? 16 : 400); i++) {
        struct test_case c = random_case(simulated() ? 30 : 150);
        check_case(&c);
    }
}

/* Windows that do not fit a group's memory, and rows of many groups. */
static void test_large(void **state)
{
    static const uint32_t sizes[][4] = {
        {6000, 9, 70, 4}, {1023, 767, 511, 383}, {40000, 2, 1, 1}, {3, 5000, 2, 40}, {640, 480, 1281, 967}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !simulated(); i++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f += 2) {
            struct test_case c = case_of(
                formats[f], f == 4 ? 16 : 8, sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3], KST_RESIZE_LANCZOS);
            check_case(&c);
        }
}

enum { BATCH = 24 };

/* Images of all kinds at once; a third of them cannot be resized, and disturb nobody. */
static void test_batch(void **state)
{
    struct prepared p[BATCH];
    struct placed from[BATCH], to[BATCH];
    kst_resize_item item[BATCH];
    (void)state;
    for (uint32_t i = 0; i < BATCH; i++) {
        const struct test_case c = random_case(simulated() ? 14 : 90);
        prepare(&p[i], &c);
    }
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        kst_context *context = gpu_context[k];
        kst_memory device = device_memory(context);
        uint32_t first_bad = BATCH;
        for (uint32_t i = 0; i < BATCH; i++) {
            place(&from[i], context, &p[i].from.image, next_random() % 3 ? device : KST_MEMORY_HOST);
            place(&to[i], context, &p[i].described, next_random() % 3 ? device : KST_MEMORY_HOST);
            assert_int_equal(kst_image_copy(context, &p[i].from.image, &from[i].image), KST_OK);
            item[i] = (kst_resize_item){.from = &from[i].image, .options = &p[i].c.options, .to = &to[i].image};
            if (i % 3 == 1) {
                to[i].image.width++;
                first_bad = first_bad < i ? first_bad : i;
            }
        }
        assert_int_equal(kst_resize_batch(context, item, BATCH), KST_ERROR_IMAGE_SIZE);
        for (uint32_t i = 0; i < BATCH; i++) {
            assert_int_equal(item[i].report.status, i % 3 == 1 ? KST_ERROR_IMAGE_SIZE : KST_OK);
            if (i % 3 != 1)
                check_result(context, &p[i], &to[i], "in a batch");
            else
                to[i].image.width--;
            drop(&from[i]);
            drop(&to[i]);
        }
    }
    for (uint32_t i = 0; i < BATCH; i++)
        forget(&p[i]);
}

/* The report says what did the work, and an image without buffers gets them in the memory that is asked for. */
static void test_report(void **state)
{
    const struct test_case c = case_of(KST_FORMAT_RGB, 8, 60, 40, 30, 20, KST_RESIZE_BOX);
    struct prepared p;
    (void)state;
    prepare(&p, &c);
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        kst_device_info info = {.size = sizeof info};
        kst_image to;
        kst_image_init(&to);
        to.memory = device_memory(gpu_context[k]);
        kst_resize_item item = {.from = &p.from.image, .options = &c.options, .to = &to};
        assert_int_equal(kst_context_device(gpu_context[k], &info), KST_OK);
        assert_int_equal(kst_resize_batch(gpu_context[k], &item, 1), KST_OK);
        assert_int_equal(item.report.stage_device[KST_STAGE_RESIZE], info.kind);
        assert_int_equal(to.memory, device_memory(gpu_context[k]));
        expect_same_image("made", gpu_context[k], &p.wanted.image, &to);
        kst_image_release(gpu_context[k], &to);
        assert_int_equal(kst_resize(gpu_context[k], &p.from.image, &c.options, &p.wanted.image), KST_OK);
    }
    forget(&p);
}

/* An image that work in the stream has still to make is resized as that leaves it. */
static void check_after(kst_context *context)
{
    enum { FILLS = 100, SIDE = 64 };
    const struct test_case c = case_of(KST_FORMAT_GREY, 8, SIDE, SIDE, 20, 10, KST_RESIZE_BILINEAR);
    struct gpu_runtime *gpu = kst_context_gpu_if_open(context);
    struct gpu_error error = {.status = KST_OK};
    struct gpu_track *track = kst_gpu_track_take(gpu, &error);
    const kst_stream queue = {gpu->gpu->info.kind, (void *)track->queue.handle}, wrong = {KST_DEVICE_CPU, NULL};
    uint8_t found[20 * 10];
    kst_image from, to, host;
    describe(&c, &from);
    from.memory = device_memory(context);
    assert_int_equal(kst_image_allocate(context, &from), KST_OK);
    kst_image_init(&to);
    to.memory = from.memory;
    kst_resize_item item = {.from = &from, .options = &c.options, .to = &to};
    for (uint32_t i = 1; i <= FILLS; i++)
        gpu->gpu->backend->fill(&track->queue, from.owned, 0, (size_t)from.plane[0].pitch * SIDE, i * 0x01010101U);
    assert_int_equal(kst_resize_batch_after(context, &item, 1, &queue), KST_OK);
    assert_int_equal(kst_image_wrap(&host, KST_FORMAT_GREY, 20, 10, found, 0), KST_OK);
    assert_int_equal(kst_image_copy(context, &to, &host), KST_OK);
    for (size_t i = 0; i < sizeof found; i++)
        assert_int_equal(found[i], FILLS);
    assert_int_equal(kst_resize_batch_after(context, &item, 1, NULL), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_resize_batch_after(context, &item, 1, &wrong), KST_ERROR_DEVICE_STREAM);
    assert_int_equal(kst_resize_batch_after(cpu_context, &item, 1, &queue), KST_ERROR_DEVICE_STREAM);
    gpu->gpu->backend->finish(&track->queue);
    kst_gpu_track_give(gpu, track);
    kst_image_release(context, &from);
    kst_image_release(context, &to);
}

static void test_after(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < gpu_contexts; k++)
        check_after(gpu_context[k]);
}

static void expect_refusal(
    kst_context *context, const kst_image *from, const kst_resize_options *options, kst_image *to, kst_status status)
{
    kst_resize_item item = {.from = from, .options = options, .to = to};
    assert_int_equal(kst_resize(context, from, options, to), status);
    assert_int_equal(kst_resize_batch(context, &item, 1), status);
    assert_int_equal(item.report.status, status);
}

/* Images of another device, that end too early, or that overlap. */
static void check_places(kst_context *context)
{
    const struct test_case c = case_of(KST_FORMAT_RGB, 8, 60, 40, 60, 40, KST_RESIZE_BOX);
    struct placed from, to;
    kst_image image;
    describe(&c, &image);
    place(&from, context, &image, device_memory(context));
    place(&to, context, &image, device_memory(context));
    expect_refusal(cpu_context, &from.image, &c.options, &to.image, KST_ERROR_IMAGE_MEMORY);
    expect_refusal(context, &from.image, &c.options, &from.image, KST_ERROR_IMAGE_OVERLAP);
    kst_image other = to.image;
    other.width = other.plane[0].width = 59;
    expect_refusal(context, &from.image, &c.options, &other, KST_ERROR_IMAGE_SIZE);
    other = to.image;
    other.plane[0].pitch = 60 * 3 - 1;
    expect_refusal(context, &from.image, &c.options, &other, KST_ERROR_IMAGE_PITCH);
    if (from.image.memory == KST_MEMORY_OPENCL) {
        other = from.image;
        other.plane[0].offset = from.block.plane[0].offset + from.block.width;
        expect_refusal(context, &other, &c.options, &to.image, KST_ERROR_IMAGE_BUFFER);
    }
    check_poison("after refusals", &to);
    drop(&from);
    drop(&to);
}

/* Between the passes there would be far more pixels than in either image. */
static void check_limits(kst_context *context)
{
    struct test_case c = case_of(KST_FORMAT_RGB, 8, 2, 2000, 2000, 2, KST_RESIZE_LANCZOS);
    kst_context *small = small_context_create(context, 1 << 20);
    struct placed from;
    kst_image image, to;
    c.options.order = KST_RESIZE_ORDER_HORIZONTAL;
    describe(&c, &image);
    place(&from, small, &image, device_memory(small));
    kst_image_init(&to);
    to.memory = device_memory(small);
    expect_refusal(small, &from.image, &c.options, &to, KST_ERROR_LIMIT_MEMORY);
    assert_null(to.plane[0].data);
    c.options.width = c.options.height = INT32_MAX;
    expect_refusal(small, &from.image, &c.options, &to, KST_ERROR_LIMIT_PIXELS);
    c.options.mean[1] = 1e30F;
    c.options.sample = KST_SAMPLE_FLOAT32;
    c.options.width = c.options.height = 1;
    expect_refusal(small, &from.image, &c.options, &to, KST_ERROR_OPTIONS);
    c.options.format = KST_FORMAT_GREY;
    expect_refusal(small, &from.image, &c.options, &to, KST_ERROR_IMAGE_FORMAT);
    c.options.sample = (kst_sample)17;
    expect_refusal(small, &from.image, &c.options, &to, KST_ERROR_OPTIONS);
    drop(&from);
    kst_context_destroy(&small);
}

static void test_refusals(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < gpu_contexts; k++) {
        check_places(gpu_context[k]);
        check_limits(gpu_context[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_odd_sizes), cmocka_unit_test(test_at_random),
        cmocka_unit_test(test_large), cmocka_unit_test(test_batch), cmocka_unit_test(test_report),
        cmocka_unit_test(test_after), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
