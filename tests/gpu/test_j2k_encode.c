/* SPDX-License-Identifier: BSD-2-Clause */
/* Every device must encode JPEG 2000 to the bytes that the CPU gives, whatever the picture, its memory and the options.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/encode_rows.h"
#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/j2k/coded.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/test.h"

static uint32_t random_state = 3;

/*
 * Most samples have only two bits that vary, so that coding takes less time. This suits tests of the parts of pictures,
 * which do not depend on what code-blocks hold.
 */
static bool calm;

/* Slopes, sharp lines, flat areas and noise over the whole range of the depth. */
static uint32_t paint(uint32_t x, uint32_t y, uint32_t seed, uint32_t max)
{
    if (calm && (x / 40 + y / 24 * 3) % 8)
        return max / 2 + (random_below(&random_state, 4) & max);
    switch ((x / 40 + y / 24 + seed) % 4) {
    case 0:
        return (x * 37 + y * 61) & max;
    case 1:
        return random_below(&random_state, max + 1);
    case 2:
        return (x ^ y) & 8 ? max : 0;
    default:
        return max / 2 + (random_below(&random_state, 4) & max);
    }
}

static void fill_plane(const kst_image *image, kst_plane *plane, uint32_t seed)
{
    uint32_t channels = kst_format_channels(image->format), max = (1U << plane->depth) - 1;
    uint32_t width = plane->width * (channels ? channels : 1), bytes = plane->depth > 8 ? 2 : 1;
    plane->pitch = (ptrdiff_t)width * (ptrdiff_t)bytes + 6;
    plane->data = malloc((size_t)plane->pitch * plane->height);
    assert_non_null(plane->data);
    for (uint32_t y = 0; y < plane->height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *to = (uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch + (size_t)x * bytes;
            uint32_t value = paint(x, y, seed, max);
            if (simulated()) /* each bit-plane takes seconds */
                value = max / 2 + (value & 3);
            if (plane->is_signed && value > max / 2)
                value |= 0xFFFF ^ max;
            to[0] = (uint8_t)value;
            if (bytes == 2)
                to[1] = (uint8_t)(value >> 8);
        }
}

static kst_image make_image(kst_format format, uint32_t width, uint32_t height, uint32_t planes, uint32_t depth)
{
    kst_image image;
    kst_image_init(&image);
    image.format = format;
    image.width = width;
    image.height = height;
    image.plane_count = planes;
    for (uint32_t p = 0; p < planes; p++) {
        uint32_t d = format == KST_FORMAT_RAW && p > 0 ? p : 1;
        image.plane[p] = (kst_plane){.width = (width + d - 1) / d,
            .height = (height + d - 1) / d,
            .depth = (uint8_t)depth,
            .is_signed = format == KST_FORMAT_RAW && depth % 2};
        fill_plane(&image, &image.plane[p], p);
    }
    return image;
}

static void free_image(kst_image *image)
{
    for (uint32_t p = 0; p < image->plane_count; p++)
        free(image->plane[p].data);
}

/* Copy it to another memory, if it can be there. */
static bool copy_image(kst_context *context, const kst_image *image, kst_memory memory, kst_image *copy)
{
    *copy = *image;
    copy->memory = memory;
    for (uint32_t p = 0; p < copy->plane_count; p++)
        copy->plane[p].data = NULL;
    if (kst_image_allocate(context, copy))
        return false;
    assert_int_equal(kst_image_copy(context, image, copy), KST_OK);
    return true;
}

static void show(const kst_image *image, const kst_j2k_options *o)
{
    print_error("format %d, %u×%u, depth %u; target %d %g, %u layers, %u levels, reversible %d, tiles %u×%u at %u,%u, "
                "image at %u,%u, blocks %u×%u, style %u, interest %u×%u\n",
        (int)image->format, image->width, image->height, image->plane[0].depth, (int)o->target, o->value, o->layers,
        o->levels, o->reversible, o->tile_width, o->tile_height, o->tile_x, o->tile_y, o->image_x, o->image_y,
        o->block_width, o->block_height, o->style, o->interest.width, o->interest.height);
}

static void compare(const kst_image *image, const kst_j2k_options *j2k, const kst_buffer *wanted, uint32_t device,
    const kst_encode_options *options)
{
    kst_buffer found = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    kst_status status = kst_encode(gpu_context[device], image, options, &found, &report);
    if (status || found.length != wanted->length || memcmp(found.data, wanted->data, found.length) != 0) {
        show(image, j2k);
        fail_msg("%s: %zu bytes, not %zu", status ? report.message : "other bytes", found.length, wanted->length);
    }
    if (report.stage_device[KST_STAGE_ENTROPY] == KST_DEVICE_NONE ||
        report.stage_device[KST_STAGE_ENTROPY] == KST_DEVICE_CPU)
        fail_msg("not on the device");
    kst_buffer_release(gpu_context[device], &found);
}

/* The picture in host, pinned and device memory, in turn if not all of them. */
static void check(const kst_image *image, const kst_j2k_options *j2k, bool everywhere)
{
    static uint32_t turn;
    kst_buffer wanted = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    kst_encode_options options = j2k_coding(j2k);
    if (kst_encode(cpu_context, image, &options, &wanted, &report)) {
        show(image, j2k);
        fail_msg("%s", report.message);
    }
    turn++;
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        const kst_memory memories[] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, device_memory(gpu_context[i])};
        for (uint32_t m = 0; m < 3; m++) {
            kst_image copy;
            if (!everywhere && turn % 3 != m)
                continue;
            if (m == 0)
                compare(image, j2k, &wanted, i, &options);
            else if (copy_image(gpu_context[i], image, memories[m], &copy)) {
                compare(&copy, j2k, &wanted, i, &options);
                kst_image_release(gpu_context[i], &copy);
            }
        }
    }
    kst_buffer_release(cpu_context, &wanted);
    if (simulated()) { /* it takes what is in a buffer that is used again for uninitialised */
        stop_contexts(NULL);
        start_contexts(NULL);
    }
}

static kst_j2k_options defaults(void)
{
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    if (simulated())
        j2k.levels = 0; /* a work-group for each of a few code-blocks takes long enough */
    return j2k;
}

static void test_formats(void **state)
{
    (void)state;
    static const struct {
        kst_format format;
        uint32_t planes, depth;
    } kinds[] = {{KST_FORMAT_GREY, 1, 8}, {KST_FORMAT_RGB, 1, 8}, {KST_FORMAT_BGR, 1, 16}, {KST_FORMAT_RGBA, 1, 8},
        {KST_FORMAT_BGRA, 1, 8}, {KST_FORMAT_CMYK, 1, 8}, {KST_FORMAT_PLANAR, 3, 12}, {KST_FORMAT_RAW, 3, 9},
        {KST_FORMAT_RAW, 4, 16}, {KST_FORMAT_GREY, 1, 1}, {KST_FORMAT_PLANAR, 1, 15}};
    for (uint32_t i = simulated() ? 1 : 0; i < (simulated() ? 2 : sizeof kinds / sizeof *kinds); i++) {
        kst_image image =
            make_image(kinds[i].format, simulated() ? 11 : 83, simulated() ? 9 : 61, kinds[i].planes, kinds[i].depth);
        kst_j2k_options j2k = defaults();
        check(&image, &j2k, !simulated() && (!fewer_cases() || (!SANITIZED && i % 3 == 0)));
        j2k.target = KST_J2K_RATIO;
        j2k.value = 9;
        check(&image, &j2k, false);
        free_image(&image);
    }
}

/* Any of what there is. */
static kst_j2k_options random_options(const kst_image *image)
{
    static const uint32_t sides[][2] = {{64, 64}, {64, 64}, {32, 32}, {16, 8}, {4, 512}, {256, 16}, {4, 4}};
    kst_j2k_options j2k = defaults();
    uint32_t side = random_below(&random_state, sizeof sides / sizeof *sides);
    j2k.target = (kst_j2k_target)random_below(&random_state, 5);
    j2k.value = j2k.target == KST_J2K_RATIO  ? 2 + random_below(&random_state, 40)
                : j2k.target == KST_J2K_PSNR ? 25 + random_below(&random_state, 25)
                : j2k.target == KST_J2K_RATE ? 0.25 * (1 + random_below(&random_state, 16))
                                             : 0.25 * (1 + random_below(&random_state, 80));
    j2k.reversible = j2k.target != KST_J2K_STEP && random_below(&random_state, 3) == 0;
    j2k.layers = random_below(&random_state, 2) ? 1 : 1 + random_below(&random_state, 5);
    j2k.levels = random_below(&random_state, 8);
    j2k.block_width = sides[side][0];
    j2k.block_height = sides[side][1];
    j2k.style = random_below(&random_state, 2) ? random_below(&random_state, 64) : 0;
    j2k.guard_bits = 1 + random_below(&random_state, 3);
    j2k.keep_components = random_below(&random_state, 4) == 0;
    j2k.codestream = random_below(&random_state, 2);
    if (random_below(&random_state, 2)) {
        j2k.image_x = random_below(&random_state, 50);
        j2k.image_y = random_below(&random_state, 50);
        j2k.tile_width = 50 + random_below(&random_state, 70);
        j2k.tile_height = 50 + random_below(&random_state, 70);
    }
    if (random_below(&random_state, 4) == 0 && j2k.target != KST_J2K_PSNR && image->plane[0].depth == 8) {
        j2k.guard_bits = 1;
        j2k.interest = (kst_region){image->width / 4, image->height / 5, image->width / 2, image->height / 2};
    }
    return j2k;
}

/* The devices need not encode what the CPU refuses. */
static bool is_possible(const kst_image *image, const kst_j2k_options *j2k)
{
    kst_buffer output = {.data = NULL};
    kst_encode_options options = j2k_coding(j2k);
    kst_status status = kst_encode(cpu_context, image, &options, &output, NULL);
    kst_buffer_release(cpu_context, &output);
    return !status;
}

/* Components in ways of their own, apart and transformed. */
static void test_components(void **state)
{
    (void)state;
    if (simulated())
        skip("the simulator takes too long");
    for (uint32_t i = 0; i < 8; i++) {
        kst_image image = make_image(KST_FORMAT_RGB, 101 + i, 97, 1, 8);
        kst_j2k_options j2k = defaults();
        kst_j2k_component own[] = {{.component = 1,
                                       .fields = KST_J2K_OWN_STYLE | KST_J2K_OWN_STEP | KST_J2K_OWN_GUARD_BITS,
                                       .style = 4,
                                       .step = 3,
                                       .guard_bits = 4},
            {.component = 2,
                .fields = KST_J2K_OWN_LEVELS | KST_J2K_OWN_BLOCKS | KST_J2K_OWN_TRANSFORM,
                .levels = i,
                .block_width = 16,
                .block_height = 32,
                .reversible = i % 4 < 2}};
        j2k.target = i % 4 == 1 ? KST_J2K_LOSSLESS : i % 4 == 2 ? KST_J2K_STEP : KST_J2K_RATIO;
        if (j2k.target == KST_J2K_LOSSLESS)
            own[1].reversible = true;
        j2k.value = i % 4 == 2 ? 2 : 9;
        j2k.component = own;
        j2k.component_count = i % 2 ? 2 : 1;
        j2k.keep_components = i % 2;
        if (i >= 4) { /* of the second tile alone */
            j2k.tile_width = j2k.tile_height = 90;
            own[i % 2].fields |= KST_J2K_OWN_TILE;
            own[i % 2].tile = 1;
        }
        check(&image, &j2k, false);
        free_image(&image);
    }
}

static void test_options(void **state)
{
    (void)state;
    const uint32_t count = fewer_cases() ? 16 : 60;
    uint32_t done = 0;
    if (simulated())
        skip("the simulator takes too long");
    for (uint32_t i = 0; i < count; i++) {
        kst_image image = make_image(i % 3 ? KST_FORMAT_RGB : KST_FORMAT_GREY, 1 + random_below(&random_state, 170),
            1 + random_below(&random_state, 140), 1, i % 4 ? 8 : 12);
        kst_j2k_options j2k = random_options(&image);
        if (is_possible(&image, &j2k)) {
            check(&image, &j2k, false);
            done++;
        }
        free_image(&image);
    }
    assert_in_range(done, count * 2 / 3, count);
}

/* Enough blocks for a sample of them to be coded first; and noise, of which one target is missed by far. */
static void test_samples(void **state)
{
    (void)state;
    if (simulated())
        skip("the simulator takes too long");
    for (uint32_t i = fewer_cases() ? 2 : 0; i < 4; i++) { /* the last two are a ratio and a PSNR, too */
        kst_image image = make_image(KST_FORMAT_RGB, 400, 300, 1, 8);
        kst_j2k_options j2k = defaults();
        j2k.block_width = j2k.block_height = 16;
        j2k.target = i % 2 ? KST_J2K_PSNR : KST_J2K_RATIO;
        j2k.value = i % 2 ? 36 : 14;
        j2k.layers = 1 + i;
        if (i == 3) {
            j2k.tile_width = j2k.tile_height = 256;
            memset(image.plane[0].data, 9, (size_t)image.plane[0].pitch * 200);
        }
        check(&image, &j2k, false);
        free_image(&image);
    }
}

/* Coefficients that have more bits than anybody would expect, and blocks for which there is not room at first. */
static void test_extremes(void **state)
{
    (void)state;
    if (simulated())
        skip("the simulator takes too long");
    for (uint32_t i = 0; i < 4; i++) {
        kst_image image = make_image(KST_FORMAT_GREY, 200, 160, 1, i % 2 ? 16 : 8);
        kst_j2k_options j2k = defaults();
        uint32_t bytes = i % 2 ? 2 : 1;
        for (uint32_t y = 0; y < 160; y++)
            for (uint32_t x = 0; x < 200 * bytes; x++)
                ((uint8_t *)image.plane[0].data)[(ptrdiff_t)y * image.plane[0].pitch + (ptrdiff_t)x] =
                    (x / bytes + y) % 2 || (i > 1 && random_below(&random_state, 2)) ? 0xFF : 0;
        j2k.guard_bits = 1;
        j2k.style = i > 1 ? 4 | 1 : 0;
        j2k.block_width = j2k.block_height = i > 1 ? 4 : 64;
        check(&image, &j2k, false);
        free_image(&image);
    }
}

/* Pictures of a batch, of both codecs, share launches; what is wrong with one of them is its own. */
static void test_batch(void **state)
{
    (void)state;
    enum { COUNT = 9 };
    static const kst_j2k_target targets[] = {KST_J2K_LOSSLESS, KST_J2K_RATIO, KST_J2K_PSNR};
    kst_image image[COUNT];
    kst_j2k_options j2k[COUNT];
    kst_encode_options options[COUNT];
    kst_buffer wanted[COUNT];
    kst_encode_item item[COUNT];
    uint32_t count = simulated() ? 2 : COUNT;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t width = simulated() ? 9 : 40 + 37 * i, height = simulated() ? 7 : 200 - 19 * i;
        image[i] = make_image(i % 3 ? KST_FORMAT_RGB : KST_FORMAT_GREY, width, height, 1, i % 4 == 3 ? 12 : 8);
        j2k[i] = defaults();
        j2k[i].target = targets[i % 3];
        j2k[i].value = i % 3 == 1 ? 12 : i == 5 ? 300 : 34; /* for 300 dB blocks are coded again and again */
        j2k[i].block_width = j2k[i].block_height = i % 2 ? 8 : 64;
        j2k[i].layers = i == 5 ? 3 : 1;
        j2k[i].style = i == 4 ? 4 : 0;
        j2k[i].levels = i == 7 ? 200 : simulated() ? 0 : 4;
        kst_encode_options_init(&options[i]);
        options[i].codec = i == 2 ? KST_CODEC_JPEG : KST_CODEC_JPEG2000;
        options[i].jpeg2000 = &j2k[i];
        wanted[i] = (kst_buffer){.data = NULL};
        kst_status status = kst_encode(cpu_context, &image[i], &options[i], &wanted[i], NULL);
        assert_int_equal(status, i == 7 ? KST_ERROR_OPTIONS : KST_OK);
    }
    for (uint32_t d = 0; d < gpu_contexts; d++) {
        for (uint32_t i = 0; i < count; i++)
            item[i] =
                (kst_encode_item){.image = &image[i], .options = &options[i], .report = {.size = sizeof(kst_report)}};
        assert_int_equal(kst_encode_batch(gpu_context[d], item, count), count > 7 ? KST_ERROR_OPTIONS : KST_OK);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(item[i].report.status, i == 7 ? KST_ERROR_OPTIONS : KST_OK);
            assert_int_equal(item[i].output.length, wanted[i].length);
            assert_memory_equal(item[i].output.data, wanted[i].data, wanted[i].length);
            assert_true(i == 7 || item[i].report.stage_device[KST_STAGE_PIXELS] != KST_DEVICE_CPU);
            kst_buffer_release(gpu_context[d], &item[i].output);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        kst_buffer_release(cpu_context, &wanted[i]);
        free_image(&image[i]);
    }
}

/* Contexts that have no room for the whole of a picture, for a while. */
static void swap_contexts(kst_context **wide, uint64_t memory)
{
    for (uint32_t d = 0; d < gpu_contexts; d++) {
        kst_context *narrow = memory > 0 ? small_context_create(gpu_context[d], memory) : wide[d];
        if (memory == 0)
            kst_context_destroy(&gpu_context[d]);
        wide[d] = gpu_context[d];
        gpu_context[d] = narrow;
    }
}

/* Small blocks and few levels, of which small windows can be made; sometimes tiles, which make windows together. */
static kst_j2k_options window_options(uint32_t turn)
{
    static const kst_j2k_target targets[] = {KST_J2K_LOSSLESS, KST_J2K_RATIO, KST_J2K_PSNR, KST_J2K_STEP};
    kst_j2k_options j2k = defaults();
    j2k.target = targets[turn / 2 % 4];
    j2k.value = j2k.target == KST_J2K_RATIO ? 12 : j2k.target == KST_J2K_PSNR ? 35 : 8;
    j2k.levels = turn % 5 == 4 ? 0 : 1 + turn % 3;
    j2k.block_width = turn % 2 ? 16 : 8;
    j2k.block_height = turn % 3 ? 16 : 8;
    j2k.layers = turn % 8 == 3 ? 2 : 1;
    if (turn % 3 == 1) {
        j2k.tile_width = turn % 2 ? 100 : 150;
        j2k.tile_height = turn % 2 ? 122 : 90;
    }
    if (turn % 4 == 2) {
        j2k.image_x = 36;
        j2k.image_y = 24;
        j2k.tile_x = 11;
    }
    if (turn % 6 == 5 || turn == 8)
        j2k.interest = (kst_region){90, 50, 100, 120};
    return j2k;
}

/* Pictures that do not fit are nevertheless encoded on the device, one excerpt after the other. */
static void test_windows(void **state)
{
    (void)state;
    static const struct {
        kst_format format;
        uint32_t planes, depth;
    } kinds[] = {{KST_FORMAT_RGB, 1, 8}, {KST_FORMAT_GREY, 1, 12}, {KST_FORMAT_RAW, 3, 9}, {KST_FORMAT_BGRA, 1, 8},
        {KST_FORMAT_PLANAR, 3, 8}};
    kst_context *wide[MOST_CONTEXTS];
    if (simulated())
        skip("the simulator takes too long");
    calm = true;
    swap_contexts(wide, 20 << 19); /* the least window of blocks of 8×16 needs 9 to 10 MB */
    for (uint32_t i = 0; i < 12; i += fewer_cases() ? 3 : 1) {
        bool one = i % 5 == 1 || i % 5 == 2; /* channel in most places */
        kst_image image =
            make_image(kinds[i % 5].format, one ? 820 : 333, one ? 401 : 310, kinds[i % 5].planes, kinds[i % 5].depth);
        kst_j2k_options j2k = window_options(i);
        if (j2k.target == KST_J2K_PSNR || kinds[i % 5].depth > 8)
            j2k.interest = (kst_region){0, 0, 0, 0};
        check(&image, &j2k, i == 3 && !SANITIZED);
        free_image(&image);
    }
    swap_contexts(wide, 0);
    calm = false;
}

/* Provide rows in any order, or each after the one before; `again` receives how often these began again. */
static kst_status encode_rows(uint32_t device, const kst_image *image, const kst_j2k_options *j2k, uint32_t most,
    kst_buffer *found, uint32_t *again)
{
    kst_report report;
    kst_report_init(&report);
    kst_encode_options options = j2k_coding(j2k);
    kst_status status =
        again ? encode_from_rows_in_order(gpu_context[device], image, most, &options, found, &report, again)
              : encode_from_rows(gpu_context[device], image, most, &options, found, &report);
    if (!status && report.stage_device[KST_STAGE_ENTROPY] <= KST_DEVICE_CPU) {
        show(image, j2k);
        fail_msg("not on the device");
    }
    return status;
}

/* Rows go to the device as windows need them; without them there is no picture. */
static void test_rows(void **state)
{
    (void)state;
    kst_context *wide[MOST_CONTEXTS];
    if (simulated())
        skip("the simulator takes too long");
    calm = true;
    for (uint32_t i = 0; i < 8; i += fewer_cases() ? 3 : 1) {
        const uint32_t width = i < 4 ? 120 : 333; /* the first four fit into one window, whatever their size */
        kst_image image = i % 4 == 3
                              ? make_image(KST_FORMAT_RAW, width, 490, 3, 10)
                              : make_image(i % 2 ? KST_FORMAT_RGB : KST_FORMAT_GREY, width, 490, 1, i % 2 ? 8 : 11);
        kst_j2k_options j2k = window_options(i);
        kst_buffer found;
        j2k.interest = (kst_region){0, 0, 0, 0};
        j2k.block_width = j2k.block_height = 16;
        j2k.levels = 1;
        kst_buffer wanted = j2k_coded(cpu_context, &image, &j2k);
        if (i >= 4)
            swap_contexts(wide, 17 << 19);
        for (uint32_t d = 0; d < gpu_contexts; d++) {
            for (uint32_t order = 0; order < 1 + (image.plane_count == 1); order++) {
                uint32_t again = 0, *counted = order ? &again : NULL;
                assert_int_equal(encode_rows(d, &image, &j2k, UINT32_MAX, &found, counted), KST_OK);
                assert_int_equal(found.length, wanted.length);
                assert_memory_equal(found.data, wanted.data, wanted.length);
                kst_buffer_release(gpu_context[d], &found);
                assert_in_range(again, 0, j2k.target == KST_J2K_LOSSLESS || j2k.target == KST_J2K_STEP ? 0 : 12);
                assert_int_equal(encode_rows(d, &image, &j2k, 200, &found, counted), KST_ERROR_ROWS);
                assert_null(found.data);
            }
        }
        if (i >= 4)
            swap_contexts(wide, 0);
        kst_buffer_release(cpu_context, &wanted);
        free_image(&image);
    }
    calm = false;
}

/* If memory does not suffice even for parts, the CPU encodes, and the report says so. */
static void test_limit(void **state)
{
    (void)state;
    kst_image image = make_image(KST_FORMAT_GREY, 600, 400, 1, 8);
    kst_buffer wanted = {.data = NULL};
    if (simulated())
        skip("the simulator takes too long");
    kst_encode_options options = j2k_coding(NULL);
    assert_int_equal(kst_encode(cpu_context, &image, &options, &wanted, NULL), KST_OK);
    for (uint32_t d = 0; d < gpu_contexts; d++) {
        const kst_memory memories[] = {KST_MEMORY_PINNED, device_memory(gpu_context[d])};
        kst_context *context = small_context_create(gpu_context[d], 5 << 20);
        for (uint32_t m = 0; m < 2; m++) {
            kst_buffer found = {.data = NULL};
            kst_image copy;
            kst_report report;
            kst_report_init(&report);
            assert_true(copy_image(context, &image, memories[m], &copy));
            if (kst_encode(context, &copy, &options, &found, &report))
                fail_msg("%s", report.message);
            assert_int_equal(report.stage_device[KST_STAGE_ENTROPY], KST_DEVICE_NONE);
            assert_int_equal(report.stage_device[KST_STAGE_PIXELS], KST_DEVICE_CPU);
            assert_int_equal(found.length, wanted.length);
            assert_memory_equal(found.data, wanted.data, wanted.length);
            kst_buffer_release(context, &found);
            kst_image_release(context, &copy);
        }
        kst_context_destroy(&context);
    }
    kst_buffer_release(cpu_context, &wanted);
    free_image(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
