/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds lines in pictures whose edges are chains of more points than one work-item follows: devices draw and list what
 * the CPU does. The grids by which long chains are divided have 64 and 1024 pixels; pictures are larger than both. A
 * simulated device gets one such chain, in the least picture that has room for it, and lists it: what draws lines reads
 * the same list of points, and small pictures show that.
 */
#include <stdlib.h>

#include <kostka/kostka_filter.h>

#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/gpu/placed.h"
#include "support/test.h"

enum { TALL = 1100, WIDE = 1300, ITEM_MOST = 16384 /* points up to which one work-item follows a chain */ };

/* The outline of a wall that winds through the picture is one closed chain. */
static uint8_t wind(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    enum { STEP = 16 };
    bool inside = x > 8 && y > 8 && x + 8 < width && y + 8 < height;
    bool wall = y / (STEP / 2) % 2 == 1 || (y / STEP % 2 ? x < 24 : x + 24 > width);
    return inside && wall ? 200 : 20;
}

/* Fingers from the left and the right: the border between is one chain from the upper side to the lower one. */
static uint8_t fingers(uint32_t x, uint32_t y, uint32_t width, uint32_t thick, uint32_t palm)
{
    return (y / thick % 2 ? x < palm : x + palm < width) ? 200 : 20;
}

static uint8_t comb(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    (void)height;
    return fingers(x, y, width, 8, 20);
}

/* This comb has as many points as rows allow: edges keep two rows between them, since with fewer they would be one. */
static uint8_t fine_comb(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    (void)height;
    return fingers(x, y, width, 3, 4);
}

/* Short chains beside a long one. */
static uint8_t mixed(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    if (x < width / 3)
        return x % 13 > 4 && y % 11 > 4 ? 200 : 20;
    return comb(x - width / 3, y, width - width / 3, height);
}

/* Spirals turn back in no row for long. */
static uint8_t spiral(uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    enum { STEP = 12 };
    uint32_t right = width - 1 - x, below = height - 1 - y, ring = x < y ? x : y;
    ring = right < ring ? right : ring;
    ring = below < ring ? below : ring;
    bool wall = ring / (STEP / 2) % 2 == 0;
    if (x < y && x / STEP == ring / STEP && y >= STEP && y / STEP == x / STEP + 1) /* a gap leads inwards */
        wall = ring % STEP < STEP / 2 ? y % STEP >= STEP / 2 : y % STEP < STEP / 2;
    return wall ? 200 : 20;
}

typedef uint8_t (*painter)(uint32_t x, uint32_t y, uint32_t width, uint32_t height);

static void paint(struct placed *placed, painter sample, uint32_t width, uint32_t height)
{
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_GREY;
    image.colour = KST_COLOUR_GREY;
    image.width = width;
    image.height = height;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.width = width, .height = height, .depth = 8, .pitch = (ptrdiff_t)width};
    placed_place(placed, cpu_context, &image, KST_MEMORY_HOST);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            ((uint8_t *)placed->image.plane[0].data)[(ptrdiff_t)y * placed->image.plane[0].pitch + (ptrdiff_t)x] =
                sample(x, y, width, height);
}

static kst_filter *open(kst_context *context)
{
    kst_filter *filter;
    assert_int_equal(kst_filter_open(context, "lines=20:60:1:1", &filter, NULL), KST_OK);
    return filter;
}

/* Return the greatest number of parts of a chain, as far as lists show it: lines that begin where the last one ends. */
static size_t longest_of(const kst_segments *list)
{
    size_t most = 0, steps = 0;
    for (size_t i = 0; i < list->count; i++) {
        const kst_segment *s = &list->segment[i];
        size_t dx = (size_t)llabs((int64_t)s->x1 - s->x0), dy = (size_t)llabs((int64_t)s->y1 - s->y0);
        bool joined = i > 0 && s[-1].x1 == s->x0 && s[-1].y1 == s->y0;
        steps = (joined ? steps : 0) + (dx > dy ? dx : dy);
        most = steps > most ? steps : most;
    }
    return most;
}

static void check_drawn(kst_context *context, kst_filter *filter, const kst_image *from, const kst_image *drawn)
{
    kst_image made;
    kst_image_init(&made);
    assert_int_equal(kst_filter_run(filter, from, &made, NULL), KST_OK);
    expect_same_image("lines of long chains", context, drawn, &made);
    kst_image_release(context, &made);
}

static void check_device(
    kst_context *context, const struct placed *source, const kst_image *drawn, const kst_segments *wanted)
{
    struct placed from;
    kst_filter *filter = open(context);
    kst_segments found;
    placed_place(&from, context, &source->image, device_memory(context));
    assert_int_equal(kst_image_copy(context, &source->image, &from.image), KST_OK);
    if (!simulated() || drawn->width <= 65)
        check_drawn(context, filter, &from.image, drawn);
    assert_int_equal(kst_filter_segments(filter, &from.image, &found, NULL), KST_OK);
    assert_int_equal(found.count, wanted->count);
    if (found.count > 0)
        assert_memory_equal(found.segment, wanted->segment, wanted->count * sizeof *wanted->segment);
    kst_filter_segments_release(context, &found);
    kst_filter_close(&filter);
    placed_drop(&from);
}

static void check(painter sample, uint32_t width, uint32_t height, size_t least)
{
    struct placed source;
    kst_filter *filter = open(cpu_context);
    kst_segments wanted;
    kst_image drawn;
    paint(&source, sample, width, height);
    kst_image_init(&drawn);
    assert_int_equal(kst_filter_run(filter, &source.image, &drawn, NULL), KST_OK);
    assert_int_equal(kst_filter_segments(filter, &source.image, &wanted, NULL), KST_OK);
    assert_true(longest_of(&wanted) >= least);
    for (uint32_t i = 0; i < gpu_contexts; i++)
        check_device(gpu_context[i], &source, &drawn, &wanted);
    kst_filter_segments_release(cpu_context, &wanted);
    kst_image_release(cpu_context, &drawn);
    kst_filter_close(&filter);
    placed_drop(&source);
}

static void closed(void **state)
{
    (void)state;
    if (!simulated())
        check(wind, WIDE, TALL, 100000);
}

static void from_side_to_side(void **state)
{
    (void)state;
    if (simulated())
        check(fine_comb, 230, 228, ITEM_MOST + 1);
    else
        check(comb, WIDE, TALL, 100000);
}

static void with_short_ones(void **state)
{
    (void)state;
    if (!simulated())
        check(mixed, TALL, WIDE, 60000);
}

static void turning(void **state)
{
    (void)state;
    if (!simulated()) {
        check(spiral, WIDE, TALL, 1);
        check(spiral, 70, 2100, 1);
    }
}

/* Pictures without a chain, and narrow ones, of which lists may be empty. */
static void narrow(void **state)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 3000}, {3000, 1}, {2, 65}, {64, 64}, {65, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += simulated() ? 4 : 1)
        check(wind, sizes[i][0], sizes[i][1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed), cmocka_unit_test(from_side_to_side),
        cmocka_unit_test(with_short_ones), cmocka_unit_test(turning), cmocka_unit_test(narrow)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
