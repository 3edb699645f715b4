/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the devices' kernels from coefficients to pixels with plain C, on coefficients that no encoder would make,
 * several pictures at a time. Raw output shows the transforms by themselves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/orient.h"
#include "jpeg/cpu/blocks.h"
#include "jpeg/cpu/crew.h"
#include "jpeg/gpu/decode.h"
#include "support/gpu/pictures.h"
#include "support/random.h"
#include "support/test.h"

/* Pictures of a batch. */
enum { MOST = 8 };

struct picture {
    struct jpeg_scan scan; /* without data: plans have at least one */
    struct jpeg_plan plan;
    struct jpeg_blocks blocks;
    struct jpeg_gpu_item item;
    kst_decode_options options;
    kst_image wanted, image;
    char name[160];
};

static const struct sampling {
    uint8_t count, h[4], v[4];
} samplings[] = {{1, {1}, {1}}, {1, {2}, {3}}, {3, {1, 1, 1}, {1, 1, 1}}, {3, {2, 1, 1}, {2, 1, 1}},
    {3, {2, 1, 1}, {1, 1, 1}}, {3, {1, 1, 1}, {2, 1, 1}}, {3, {4, 1, 1}, {1, 1, 1}}, {3, {4, 1, 1}, {2, 1, 1}},
    {3, {1, 1, 1}, {4, 1, 1}}, {3, {3, 1, 1}, {1, 1, 1}}, {3, {3, 1, 2}, {2, 3, 1}}, {3, {1, 2, 2}, {1, 2, 1}},
    {3, {2, 2, 1}, {2, 1, 2}}, {4, {1, 1, 1, 1}, {1, 1, 1, 1}}, {4, {2, 1, 1, 2}, {2, 1, 1, 2}},
    {4, {4, 3, 2, 1}, {1, 2, 3, 4}}, {2, {1, 2}, {1, 1}}};

static uint32_t below(uint32_t n)
{
    return next_random() % n;
}

static kst_colour random_colour(uint32_t components)
{
    if (components == 1)
        return KST_COLOUR_GREY;
    if (components == 3)
        return below(4) ? KST_COLOUR_YCBCR : KST_COLOUR_RGB;
    if (components == 4)
        return below(2) ? KST_COLOUR_YCCK : KST_COLOUR_CMYK;
    return KST_COLOUR_UNKNOWN;
}

static void make_frame(const struct sampling *sampling, uint32_t width, uint32_t height, struct jpeg_frame *frame)
{
    bool wild = below(4) == 0;
    *frame = (struct jpeg_frame){.width = width, .height = height, .component_count = sampling->count};
    frame->colour = random_colour(sampling->count);
    for (uint32_t i = 0; i < sampling->count; i++) {
        frame->component[i].h = sampling->h[i];
        frame->component[i].v = sampling->v[i];
        for (uint32_t j = 0; j < 64; j++)
            frame->component[i].quant[j] = (uint16_t)(wild ? next_random() : 1 + below(20));
    }
    kst_jpeg_frame_geometry(frame);
}

/* Like a photograph's, like noise, anything that fits. */
static int16_t make_coefficient(uint32_t kind, uint32_t index)
{
    if (kind == 2)
        return (int16_t)next_random();
    int32_t range = index == 0 ? 400 : kind == 1 ? 200 : below(8) ? 0 : 12;
    return (int16_t)((int32_t)below(2 * (uint32_t)range + 1) - range);
}

static void make_blocks(struct picture *p)
{
    const struct jpeg_frame *frame = &p->plan.frame;
    uint32_t kind = below(3);
    p->blocks.smoothed = false;
    assert_int_equal(kst_jpeg_coefficients_create(&memory, frame, &p->blocks.coefficients), KST_OK);
    for (uint32_t i = 0; i < frame->component_count; i++) {
        size_t count = (size_t)frame->component[i].padded_w * frame->component[i].padded_h * 64;
        for (size_t j = 0; j < count; j++)
            p->blocks.coefficients.blocks[i][j] = make_coefficient(kind, j % 64);
    }
}

static void choose_region(struct picture *p, uint32_t reduce)
{
    uint32_t width = ((p->plan.frame.width - 1) >> reduce) + 1, height = ((p->plan.frame.height - 1) >> reduce) + 1;
    kst_region *region = &p->options.region;
    if (below(2))
        return;
    region->x = below(width) & (below(2) ? ~15U : ~0U);
    region->y = below(height);
    region->width = 1 + below(width - region->x);
    region->height = 1 + below(height - region->y);
}

/* Compute the result in plain C. */
static void decode_in_c(struct picture *p)
{
    struct jpeg_output output;
    struct jpeg_dsp dsp;
    struct jpeg_source source = {.plan = &p->plan, .coefficients = &p->blocks.coefficients};
    const struct operation op = kst_context_operation(cpu, &memory, NULL, NULL);
    struct jpeg_crew crew = {
        .op = &op, .output = &output, .making = {.output = &output, .dsp = &dsp}, .source = &source};
    kst_jpeg_output_plan(&output, &p->plan.frame, &p->options, &p->wanted);
    kst_jpeg_cpu_dsp_init(&dsp, CPU_C);
    assert_int_equal(kst_jpeg_cpu_crew_create(&crew, 1, 0), KST_OK);
    kst_jpeg_cpu_crew_alone(&crew);
    kst_jpeg_cpu_crew_release(&crew);
}

/* The same picture upright, if its orientation is another than 1. Its sides are exchanged, and the image's. */
static void turn_in_c(struct picture *p)
{
    kst_image stored = p->wanted;
    uint32_t channels = kst_format_channels(stored.format);
    if (p->item.orientation == 1)
        return;
    for (uint32_t i = 0; i < stored.plane_count && kst_orientation_swaps(p->item.orientation); i++) {
        p->image.width = p->image.plane[i].width = stored.height;
        p->image.height = p->image.plane[i].height = stored.width;
        p->image.plane[i].pitch = (ptrdiff_t)stored.height * (ptrdiff_t)(channels ? channels : 1);
    }
    p->wanted = p->image;
    assert_int_equal(kst_image_allocate(cpu, &p->wanted), KST_OK);
    assert_int_equal(kst_image_orient(&stored, &p->wanted, p->item.orientation), KST_OK);
    kst_image_release(cpu, &stored);
}

/* A picture to a format, size and orientation by chance; false where it cannot have that format. */
static bool make_picture(struct picture *p, size_t sampling, uint32_t width, uint32_t height, uint32_t reduce)
{
    memset(p, 0, sizeof *p);
    p->plan.scan = &p->scan;
    p->plan.scan_count = 1;
    make_frame(&samplings[sampling], width, height, &p->plan.frame);
    kst_decode_options_init(&p->options);
    p->options.format = (kst_format)below(KST_FORMAT_RAW + 1);
    p->options.alpha = (uint8_t)next_random();
    p->options.reduce = reduce;
    choose_region(p, reduce);
    if (kst_jpeg_output_describe(&p->plan.frame, &p->options, &p->wanted))
        return false;
    const kst_region *r = &p->options.region;
    bool turned = p->options.format != KST_FORMAT_RAW && below(2);
    p->item = (struct jpeg_gpu_item){.plan = &p->plan,
        .orientation = turned ? 1 + (int)below(8) : 1,
        .coefficients = {&p->blocks, kst_jpeg_cpu_blocks_copy}};
    snprintf(p->name, sizeof p->name,
        "sampling %zu, %ux%u, reduced %u, format %d, colour %d, region %u %u %u %u, orientation %d", sampling, width,
        height, reduce, (int)p->options.format, (int)p->plan.frame.colour, r->x, r->y, r->width, r->height,
        p->item.orientation);
    p->image = p->wanted;
    assert_int_equal(kst_image_allocate(cpu, &p->wanted), KST_OK);
    make_blocks(p);
    poison_picture(&p->wanted);
    decode_in_c(p);
    turn_in_c(p);
    assert_int_equal(kst_image_allocate(cpu, &p->image), KST_OK);
    kst_jpeg_output_plan(&p->item.output, &p->plan.frame, &p->options, &p->image);
    assert_true(kst_jpeg_gpu_supports(&p->item));
    return true;
}

static void compare_batch(struct picture *picture, uint32_t count)
{
    struct jpeg_gpu_item items[MOST];
    struct jpeg_gpu_damage damage[MOST];
    struct jpeg_gpu_times times;
    struct gpu_error error;
    for (uint32_t i = 0; i < gpu_count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            items[j] = picture[j].item;
            poison_picture(&picture[j].image);
        }
        kst_jpeg_gpu_decode(runtimes[i], items, count, false, damage, &times, &error);
        expect_no_error(&error);
        for (uint32_t j = 0; j < count; j++)
            expect_same_picture(picture[j].name, &picture[j].wanted, &picture[j].image);
    }
    for (uint32_t j = 0; j < count; j++) {
        kst_jpeg_cpu_blocks_release(&memory, &picture[j].blocks);
        kst_image_release(cpu, &picture[j].wanted);
        kst_image_release(cpu, &picture[j].image);
    }
    renew_runtimes();
}

static void test_matrix(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {1, 37}, {41, 1}, {2, 2}, {5, 4}, {8, 8}, {16, 17}, {31, 33}, {65, 24},
        {130, 71}, {259, 35}, {523, 18}};
    static struct picture picture[MOST];
    const size_t size_count = simulated() ? 8 : sizeof sizes / sizeof sizes[0];
    uint32_t count = 0;
    for (uint32_t turn = 0; turn < (simulated() ? 1U : 3U); turn++)
        for (size_t s = 0; s < sizeof samplings / sizeof samplings[0]; s++)
            for (size_t i = 0; i < (simulated() ? 1 : size_count); i++)
                for (uint32_t reduce = 0; reduce <= 3; reduce++) {
                    size_t size = simulated() ? (s + 3 * reduce) % size_count : i;
                    if (make_picture(&picture[count], s, sizes[size][0], sizes[size][1], reduce))
                        count++;
                    if (count == MOST) {
                        compare_batch(picture, count);
                        count = 0;
                    }
                }
    compare_batch(picture, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_matrix)};
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}
