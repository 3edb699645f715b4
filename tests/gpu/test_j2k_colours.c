/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Channels of JPEG 2000 that are not components as they are – through palettes, sYCC, smaller components, in another
 * order, with alpha, turned, in floating point – in every format: made by every device, and just what the CPU makes of
 * them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "device/runtime.h"
#include "run/device.h"
#include "support/gpu/colour_files.h"
#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/random.h"
#include "support/test.h"

static kst_buffer files[RECIPES];

static kst_status decode(kst_context *context, const kst_buffer *file, const kst_decode_options *options,
    kst_memory memory, kst_image *image, kst_report *report)
{
    kst_image_init(image);
    kst_report_init(report);
    image->memory = memory;
    return kst_decode(context, file->data, file->length, options, image, report);
}

static void expect_same_report(const char *what, const kst_report *wanted, const kst_report *found)
{
    if (wanted->status != found->status || wanted->warnings != found->warnings ||
        wanted->first_warning_offset != found->first_warning_offset)
        fail_msg("%s: status %d, %u warnings, not %d, %u", what, (int)found->status, (unsigned)found->warnings,
            (int)wanted->status, (unsigned)wanted->warnings);
}

static void expect_on_device(const char *what, const kst_context *context, const kst_report *report)
{
    kst_device_info info = {.size = sizeof info};
    assert_int_equal(kst_context_device(context, &info), KST_OK);
    if (report->stage_device[KST_STAGE_ENTROPY] != info.kind || report->stage_device[KST_STAGE_PIXELS] != info.kind ||
        strcmp(report->device, info.name) != 0)
        fail_msg("%s: not by %s", what, info.name);
}

/* On every GPU, into kinds of memory by turns. */
static void compare(const char *name, const kst_buffer *file, const kst_decode_options *options)
{
    static uint32_t turn;
    kst_image wanted, image;
    kst_report wanted_report, report;
    decode(cpu_context, file, options, KST_MEMORY_HOST, &wanted, &wanted_report);
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        const kst_memory memories[] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, device_memory(gpu_context[i])};
        kst_memory memory = memories[(turn + i) % 3];
        char what[160];
        snprintf(what, sizeof what, "%s, format %d, sample %d%s, reduced %u, region %u × %u + %u + %u, memory %d", name,
            (int)options->format, (int)options->sample, options->orient ? ", turned" : "", (unsigned)options->reduce,
            (unsigned)options->region.width, (unsigned)options->region.height, (unsigned)options->region.x,
            (unsigned)options->region.y, (int)memory);
        kst_status status = decode(gpu_context[i], file, options, memory, &image, &report);
        expect_same_report(what, &wanted_report, &report);
        if (status)
            continue;
        expect_on_device(what, gpu_context[i], &report);
        expect_same_image(what, gpu_context[i], &wanted, &image);
        kst_image_release(gpu_context[i], &image);
    }
    turn++;
    if (!wanted_report.status)
        kst_image_release(cpu_context, &wanted);
}

static void choose_region(const struct recipe *recipe, kst_decode_options *options)
{
    uint32_t width =
        divide_up(recipe->x + recipe->width, 1U << options->reduce) - divide_up(recipe->x, 1U << options->reduce);
    uint32_t height =
        divide_up(recipe->y + recipe->height, 1U << options->reduce) - divide_up(recipe->y, 1U << options->reduce);
    options->region.x = below(width);
    options->region.y = below(height);
    options->region.width = 1 + below(width - options->region.x);
    options->region.height = 1 + below(height - options->region.y);
}

static bool is_due(uint32_t index)
{
    return !simulated() || index >= RECIPES - SMALL_RECIPES;
}

/* Return whether a case is tried: with fewer cases one of two. */
static bool is_taken(uint32_t turn)
{
    return !fewer_cases() || simulated() || spread_below(turn, 2) == 0;
}

/* Whole ones in every format; those that a picture cannot be had in are refused. */
static void test_formats(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RECIPES; i++) {
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.alpha = 77;
        for (kst_format format = KST_FORMAT_AUTO; format <= KST_FORMAT_RAW && is_due(i); format++) {
            options.format = format;
            if (format == KST_FORMAT_RAW && recipes[i].components > PLANES) /* not for device memory */
                continue;
            if (!simulated() || format == KST_FORMAT_BGRA)
                compare(recipes[i].name, &files[i], &options);
        }
    }
}

static void test_parts(void **state)
{
    static const kst_format formats[] = {KST_FORMAT_AUTO, KST_FORMAT_PLANAR, KST_FORMAT_BGRA, KST_FORMAT_RGB};
    uint32_t turn = 0;
    (void)state;
    for (uint32_t i = 0; i < RECIPES; i++)
        for (uint32_t k = 0; k < (simulated() ? 1 : 8) && is_due(i); k++) {
            kst_decode_options options;
            if (!is_taken(turn++))
                continue;
            kst_decode_options_init(&options);
            options.format = formats[k % 4];
            options.reduce = k % 3;
            if (k != 2)
                choose_region(&recipes[i], &options);
            compare(recipes[i].name, &files[i], &options);
        }
}

/* Turned, and in floating-point samples. */
static void test_changed(void **state)
{
    static const kst_format formats[] = {KST_FORMAT_AUTO, KST_FORMAT_PLANAR, KST_FORMAT_BGRA, KST_FORMAT_BGR};
    static const float mean[4] = {123.675F, 116.28F, 103.53F, 0.1F}, scale[4] = {0.01712475F, -3.5F, 0, 1000};
    uint32_t turn = 0;
    (void)state;
    for (uint32_t i = 0; i < RECIPES; i++)
        for (uint32_t k = 0; k < (simulated() ? 1 : 8) && is_due(i); k++) {
            kst_decode_options options;
            if (!is_taken(turn++))
                continue;
            kst_decode_options_init(&options);
            options.format = formats[k % 4];
            options.orient = k % 4 != 2;
            options.sample = (kst_sample)((k + 2) % 3);
            options.alpha = 100;
            if (k > 3) {
                memcpy(options.mean, mean, sizeof mean);
                memcpy(options.scale, scale, sizeof scale);
                choose_region(&recipes[i], &options);
            }
            compare(recipes[i].name, &files[i], &options);
        }
}

/* A picture of anything; `mapping` and `order`: room for what is said of channels. */
static struct recipe choose_recipe(char *mapping, char *order)
{
    static const uint8_t spaces[] = {0, 12, 16, 17, 18};
    struct recipe r = {.name = "random", .components = 1 + below(4), .depth = 1 + below(16)};
    r.width = 4 + below(60);
    r.height = 4 + below(60);
    r.x = below(20);
    r.y = below(20);
    r.tile = below(2) ? 0 : 8 + below(40);
    r.tile_x = r.tile && r.x < r.tile ? below(r.x + 1) : r.tile ? r.x : 0;
    r.tile_y = r.tile && r.y < r.tile ? below(r.y + 1) : r.tile ? r.y : 0;
    for (uint32_t c = 1; c < r.components; c++) {
        r.dx[c] = (uint8_t)(1 + below(4));
        r.dy[c] = (uint8_t)(1 + below(4));
    }
    r.space = spaces[below(5)];
    if (below(2)) {
        r.entries = 1 + below(1024);
        r.columns = 1 + below(4);
        r.bits = below(4) ? r.depth : 1 + below(16);
        r.mapping = mapping;
        for (uint32_t i = 0; i < 4; i++, mapping += 2) {
            mapping[0] = (char)('0' + below(r.components));
            mapping[1] = (char)(below(4) ? '0' + below(r.columns) : '-');
        }
        *mapping = 0;
    }
    for (uint32_t i = 0; i < (r.entries ? 4 : r.components); i++, order++)
        *order = (char)('0' + below(5));
    *order = 0;
    return r;
}

/* Compare as many streams as KOSTKA_COUNT says; those that cannot be decoded are refused by both. */
static void test_random(void **state)
{
    const char *count = getenv("KOSTKA_COUNT");
    uint32_t most = count ? (uint32_t)strtoul(count, NULL, 10) : fewer_cases() ? 16 : 40;
    (void)state;
    for (uint32_t i = 0; i < most && !simulated(); i++) {
        char mapping[9], order[5];
        struct recipe recipe = choose_recipe(mapping, order);
        recipe.order = below(2) ? order : NULL;
        kst_buffer file = make_file(&recipe);
        kst_decode_options options;
        kst_decode_options_init(&options);
        options.format = below(2) ? KST_FORMAT_AUTO : (kst_format)below(KST_FORMAT_RAW);
        options.reduce = below(3);
        options.orient = below(2);
        options.sample = below(2) ? KST_SAMPLE_INTEGER : (kst_sample)below(3);
        if (below(2))
            choose_region(&recipe, &options);
        compare(recipe.name, &file, &options);
        free(file.data);
    }
}

static void test_tiles(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RECIPES && !simulated(); i++)
        for (uint32_t k = 0; k < 3 && recipes[i].tile; k++) {
            kst_decode_options options;
            kst_decode_options_init(&options);
            options.tile = k;
            options.reduce = k % 2;
            compare(recipes[i].name, &files[i], &options);
        }
}

/* The same damage is reported, whatever channels the format has. */
static void test_damaged(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RECIPES; i++)
        for (uint32_t k = 0; k < (fewer_cases() ? 1 : 3) && !simulated(); k++) {
            kst_buffer copy = {.data = malloc(files[i].length), .length = files[i].length};
            kst_decode_options options;
            kst_decode_options_init(&options);
            options.format = k == 1 ? KST_FORMAT_RGB : KST_FORMAT_AUTO;
            assert_non_null(copy.data);
            memcpy(copy.data, files[i].data, copy.length);
            memset(copy.data + copy.length - copy.length / (k + 2) / 2, 0xFF, 3);
            compare(recipes[i].name, &copy, &options);
            free(copy.data);
        }
}

/* Pictures that are converted and those that are not, in one batch. */
static void test_batch(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < gpu_contexts && !simulated(); k++) {
        kst_decode_item items[2 * RECIPES];
        kst_image images[2 * RECIPES];
        memset(items, 0, sizeof items);
        for (uint32_t i = 0; i < 2 * RECIPES; i++) {
            const kst_buffer *file = &files[i * 5 % RECIPES];
            kst_image_init(&images[i]);
            images[i].memory = i % 3 == 0 ? device_memory(gpu_context[k]) : KST_MEMORY_HOST;
            items[i] = (kst_decode_item){.data = file->data, .length = file->length, .image = &images[i]};
        }
        kst_decode_batch(gpu_context[k], items, 2 * RECIPES);
        for (uint32_t i = 0; i < 2 * RECIPES; i++) {
            const char *name = recipes[i * 5 % RECIPES].name;
            kst_image wanted;
            kst_report report;
            assert_int_equal(decode(cpu_context, &files[i * 5 % RECIPES], NULL, KST_MEMORY_HOST, &wanted, &report), 0);
            expect_same_report(name, &report, &items[i].report);
            expect_on_device(name, gpu_context[k], &items[i].report);
            expect_same_image(name, gpu_context[k], &wanted, &images[i]);
            kst_image_release(cpu_context, &wanted);
            kst_image_release(gpu_context[k], &images[i]);
        }
    }
}

static void compare_strips(
    kst_context *context, const char *name, const kst_buffer *file, const kst_decode_options *options)
{
    kst_image wanted, image;
    kst_report wanted_report, report;
    assert_int_equal(decode(cpu_context, file, options, KST_MEMORY_HOST, &wanted, &wanted_report), KST_OK);
    assert_int_equal(decode(context, file, options, device_memory(context), &image, &report), KST_OK);
    expect_on_device(name, context, &report);
    expect_same_image(name, context, &wanted, &image);
    kst_image_release(cpu_context, &wanted);
    kst_image_release(context, &image);
}

/* Pictures beyond the limit of memory, whose rows may be columns; and on a device whose buffers have no room for all
 * columns. */
static void test_strips(void **state)
{
    (void)state;
    static const uint32_t largest[LARGE_RECIPES] = {7 << 16, 7 << 16, 3 << 18};
    for (uint32_t k = 0; k < gpu_contexts && !simulated(); k++) {
        kst_context *context = small_context_create(gpu_context[k], 8 << 20);
        kst_context *tight = small_context_create(gpu_context[k], 0);
        for (uint32_t i = 0; i < LARGE_RECIPES; i++) {
            kst_buffer file = make_file(&large_recipes[i]);
            kst_decode_options options;
            kst_decode_options_init(&options);
            options.region = (kst_region){5, 7, large_recipes[i].width - 9, large_recipes[i].height - 17};
            if (!fewer_cases() || i == 0)
                compare_strips(context, large_recipes[i].name, &file, &options);
            options.orient = true;
            compare_strips(context, large_recipes[i].name, &file, &options);
            memset(&options.region, 0, sizeof options.region);
            options.sample = KST_SAMPLE_FLOAT16;
            compare_strips(context, large_recipes[i].name, &file, &options);
            kst_context_gpu_if_open(tight)->gpu->largest = largest[i];
            compare_strips(tight, large_recipes[i].name, &file, &options);
            free(file.data);
        }
        kst_context_destroy(&context);
        kst_context_destroy(&tight);
    }
}

static int start(void **state)
{
    int status = start_contexts(state);
    for (uint32_t i = 0; i < RECIPES; i++)
        files[i] = make_file(&recipes[i]);
    return status;
}

static int stop(void **state)
{
    for (uint32_t i = 0; i < RECIPES; i++)
        free(files[i].data);
    return stop_contexts(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_strips),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
