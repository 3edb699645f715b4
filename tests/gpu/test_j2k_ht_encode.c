/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures with code-blocks of T.814: every device must encode them to the bytes that the CPU gives, itself or, where
 * it has no kernels for what is asked, through the CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/j2k/coded.h"
#include "support/j2k/pictures.h"
#include "support/random.h"
#include "support/test.h"

static uint32_t random_state = 7;

static uint32_t below(uint32_t n)
{
    return random_below(&random_state, n);
}

static kst_j2k_options ht_options(double step)
{
    kst_j2k_options options;
    kst_j2k_options_init(&options);
    options.target = step > 0 ? KST_J2K_STEP : KST_J2K_LOSSLESS;
    options.value = step;
    options.style = KST_J2K_HT;
    options.levels = simulated() ? 1 : options.levels;
    return options;
}

static bool is_on_device(const kst_report *report)
{
    return report->stage_device[KST_STAGE_ENTROPY] != KST_DEVICE_NONE &&
           report->stage_device[KST_STAGE_ENTROPY] != KST_DEVICE_CPU;
}

static void compare(
    const char *name, const kst_image *image, const kst_j2k_options *j2k, const kst_buffer *wanted, bool on_device)
{
    const kst_encode_options options = j2k_coding(j2k);
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        kst_buffer found = {.data = NULL};
        kst_report report;
        kst_report_init(&report);
        kst_status status = kst_encode(gpu_context[i], image, &options, &found, &report);
        if (status || found.length != wanted->length || memcmp(found.data, wanted->data, found.length) != 0)
            fail_msg("%s, %u×%u: %s; %zu bytes, not %zu", name, image->width, image->height,
                status ? report.message : "other bytes", found.length, wanted->length);
        assert_int_equal(is_on_device(&report), on_device);
        kst_buffer_release(gpu_context[i], &found);
    }
}

static void check(const char *name, const kst_image *image, const kst_j2k_options *j2k, bool on_device)
{
    kst_buffer wanted = j2k_coded(cpu_context, image, j2k);
    compare(name, image, j2k, &wanted, on_device);
    kst_buffer_release(cpu_context, &wanted);
    if (simulated()) { /* it takes what is in a buffer that is used again for uninitialised */
        stop_contexts(NULL);
        start_contexts(NULL);
    }
}

/* The lowest bits of samples of `from` bits. */
static void lower_depth(kst_image *image, uint32_t depth)
{
    for (uint32_t p = 0; p < image->plane_count; p++) {
        kst_plane *plane = &image->plane[p];
        const uint32_t bytes = plane->depth > 8 ? 2 : 1, now = depth > 8 ? 2 : 1;
        assert_int_equal(bytes, now);
        for (uint32_t y = 0; y < plane->height; y++)
            for (uint32_t x = 0; x < plane->width; x++) {
                uint8_t *to = (uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch + (size_t)x * bytes;
                to[bytes - 1] &= (uint8_t)((1U << (depth - 8 * (bytes - 1))) - 1);
            }
        plane->depth = (uint8_t)depth;
    }
}

static void test_sizes(void **state)
{
    static const uint16_t sizes[][2] = {{1, 1}, {1, 90}, {131, 1}, {2, 3}, {63, 65}, {257, 129}};
    (void)state;
    for (uint32_t i = 0; i < (simulated() ? 1 : sizeof sizes / sizeof *sizes); i++) {
        kst_image image = noise_image(KST_FORMAT_RGB, sizes[i][0], sizes[i][1], 8);
        kst_j2k_options options = ht_options(0);
        check("lossless", &image, &options, true);
        options = ht_options(0.03);
        check("9/7", &image, &options, true);
        image_free(&image);
    }
}

/* Pictures whose last level ends a strip of columns, or nearly, at all parities of its corner. */
static void test_strips(void **state)
{
    static const uint16_t widths[] = {1, 119, 120, 121, 124, 125, 128, 129, 240, 244, 245, 249};
    enum { WIDTHS = sizeof widths / sizeof *widths, PARITIES = 4 };
    (void)state;
    for (uint32_t i = 0; i < WIDTHS * PARITIES && !simulated(); i += fewer_cases() ? 3 : 1) {
        kst_image image = noise_image(KST_FORMAT_RGB, widths[i / PARITIES], i % 5 ? 1 + below(140) : 1, 8);
        kst_j2k_options options = ht_options(below(2) ? 0.4 : 0);
        options.levels = 1;
        options.image_x = i % 2;
        options.image_y = i / 2 % 2;
        options.keep_components = below(4) == 0;
        check("strips", &image, &options, true);
        image_free(&image);
    }
}

static void test_depths(void **state)
{
    (void)state;
    for (uint32_t depth = simulated() ? 12 : 1; depth <= (simulated() ? 12 : 16); depth++) {
        kst_image image = noise_image(KST_FORMAT_GREY, simulated() ? 9 : 70, simulated() ? 7 : 45, depth > 8 ? 16 : 8);
        lower_depth(&image, depth);
        kst_j2k_options options = ht_options(depth % 2 ? 0 : 0.3);
        check("depth", &image, &options, true);
        image_free(&image);
    }
}

/* All kinds of code-blocks, levels, tiles and origins, and components with styles of their own. */
static void test_options(void **state)
{
    static const uint32_t sides[][2] = {{64, 64}, {32, 32}, {16, 8}, {4, 512}, {1024, 4}, {4, 4}, {128, 32}};
    (void)state;
    for (uint32_t i = 0; i < (fewer_cases() ? 14 : 21) && !simulated(); i++) {
        kst_image image = noise_image(i % 3 ? KST_FORMAT_RGB : KST_FORMAT_GREY, 1 + below(200), 1 + below(130), 8);
        kst_j2k_options options = ht_options(i % 2 ? 0 : (1 + below(40)) / 8.0);
        kst_j2k_component own = {.component = 1, .fields = KST_J2K_OWN_STYLE, .style = KST_J2K_TERMALL};
        options.levels = below(7);
        options.block_width = sides[i % 7][0];
        options.block_height = sides[i % 7][1];
        options.style |= i % 4 == 3 ? KST_J2K_CAUSAL : 0U;
        options.tile_width = options.tile_height = i % 3 == 1 ? 40 + below(70) : 0;
        options.image_x = i % 3 == 1 ? below(50) : 0;
        options.codestream = i % 5 == 0;
        options.component = &own;
        options.component_count = i % 6 == 4;
        if (i % 7 == 5)
            options.interest = (kst_region){.x = image.width / 4,
                .y = image.height / 3,
                .width = 1 + image.width / 2,
                .height = 1 + image.height / 2};
        check("options", &image, &options, true);
        image_free(&image);
    }
}

/*
 * All orders of packets and precincts of several sizes, of which the device writes the packets; and what it leaves to
 * the host: markers around headers, their lengths, headers that are elsewhere, and several tile-parts.
 */
static void test_packets(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 14 && !simulated(); i++) {
        kst_image image = noise_image(i % 3 ? KST_FORMAT_RGB : KST_FORMAT_GREY, 40 + below(170), 30 + below(130), 8);
        kst_j2k_options options = ht_options(i % 2 ? 0 : (1 + below(40)) / 4.0);
        options.block_width = options.block_height = i % 4 == 3 ? 8 : 32;
        options.progression = (kst_progression)(i % 5);
        options.precinct_count = i % 3 ? 2 : 0;
        options.precinct_width[0] = options.precinct_height[0] = 128;
        options.precinct_width[1] = options.precinct_height[1] = 64;
        options.tile_part_lengths = i % 4 < 2;
        options.sop = i == 7 || i == 13;
        options.eph = i == 8 || i == 13;
        options.packet_lengths = i == 9;
        options.headers = i == 10 ? KST_J2K_HEADERS_PPM : i == 11 ? KST_J2K_HEADERS_PPT : KST_J2K_HEADERS_INLINE;
        options.division = i == 12 ? KST_J2K_DIVIDE_RESOLUTION : 0;
        if (i % 4 == 2) {
            options.target = KST_J2K_RATIO;
            options.value = 6;
        }
        check("packets", &image, &options, true);
        image_free(&image);
    }
}

/* Samples of the largest numbers, whose blocks do not find room at first. */
static void test_extremes(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 && !simulated(); i++) {
        kst_image image = noise_image(KST_FORMAT_GREY, 200, 160, 16);
        kst_j2k_options options = ht_options(i ? 0.02 : 0);
        image.plane[0].depth = 16;
        for (uint32_t y = 0; y < 160; y++)
            for (uint32_t x = 0; x < 400; x++)
                ((uint8_t *)image.plane[0].data)[(ptrdiff_t)y * image.plane[0].pitch + (ptrdiff_t)x] =
                    (x / 2 + y) % 2 ? 0xFF : 0;
        options.guard_bits = 1;
        check("extremes", &image, &options, true);
        image_free(&image);
    }
}

/* The CPU encodes what no kernel exists for. */
static void test_others(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RGB, 90, 70, 8);
    kst_j2k_options options = ht_options(2);
    options.passes = 3;
    if (!simulated())
        check("three passes", &image, &options, false);
    options = ht_options(0);
    options.target = KST_J2K_RATIO;
    options.value = 5;
    options.reversible = true;
    if (!simulated())
        check("planes of a reversible transform", &image, &options, false);
    image_free(&image);
}

/* Targets that the quantiser's step meets; and those that no step meets, or layers, for which blocks are measured. */
static void test_targets(void **state)
{
    static const struct {
        kst_j2k_target target;
        double value;
        uint32_t layers;
    } targets[] = {{KST_J2K_RATIO, 12, 1}, {KST_J2K_RATE, 1.5, 3}, {KST_J2K_PSNR, 35, 1}, {KST_J2K_PSNR, 30, 2},
        {KST_J2K_RATIO, 150, 1}};
    (void)state;
    for (uint32_t i = 0; i < sizeof targets / sizeof *targets && !simulated(); i++) {
        kst_image image = noise_image(i % 2 ? KST_FORMAT_GREY : KST_FORMAT_RGB, 150, 110, 8);
        kst_j2k_options options = ht_options(0);
        options.target = targets[i].target;
        options.value = targets[i].value;
        options.layers = targets[i].layers;
        check("target", &image, &options, true);
        image_free(&image);
    }
}

enum { BATCH = 6 };

/* Encode pictures as a batch on every device; each must have the bytes that the CPU gives it. */
static void check_batch(kst_image *image, const kst_j2k_options *j2k)
{
    kst_encode_options options[BATCH];
    kst_buffer wanted[BATCH];
    kst_encode_item item[BATCH];
    const uint32_t count = simulated() ? 1 : BATCH;
    for (uint32_t i = 0; i < count; i++) {
        options[i] = j2k_coding(&j2k[i]);
        wanted[i] = j2k_coded(cpu_context, &image[i], &j2k[i]);
    }
    for (uint32_t d = 0; d < gpu_contexts && !simulated(); d++) {
        for (uint32_t i = 0; i < count; i++)
            item[i] =
                (kst_encode_item){.image = &image[i], .options = &options[i], .report = {.size = sizeof(kst_report)}};
        assert_int_equal(kst_encode_batch(gpu_context[d], item, count), KST_OK);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(item[i].output.length, wanted[i].length);
            assert_memory_equal(item[i].output.data, wanted[i].data, wanted[i].length);
            assert_true(is_on_device(&item[i].report));
            assert_true(item[i].report.stage_seconds[KST_STAGE_ENTROPY] > 0);
            kst_buffer_release(gpu_context[d], &item[i].output);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        kst_buffer_release(cpu_context, &wanted[i]);
}

/* Pictures of a batch, with code-blocks of one kind or the other. */
static void test_batch(void **state)
{
    kst_image image[BATCH];
    kst_j2k_options j2k[BATCH];
    (void)state;
    for (uint32_t i = 0; i < BATCH; i++) {
        image[i] = noise_image(i % 2 ? KST_FORMAT_GREY : KST_FORMAT_RGB, 20 + 37 * i, 140 - 19 * i, 8);
        j2k[i] = ht_options(i % 3 ? 0.5 * i : 0);
        j2k[i].style = i == 3 ? 0 : KST_J2K_HT;
    }
    check_batch(image, j2k);
    for (uint32_t i = 0; i < BATCH; i++)
        image_free(&image[i]);
}

/*
 * Pictures of a batch with targets, whose bytes are counted: all of them; every second one beside others that are coded
 * at once; all but one with a PSNR, one of them with layers.
 */
static void test_batch_targets(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 3 && !simulated(); round++) {
        kst_image image[BATCH];
        kst_j2k_options j2k[BATCH];
        for (uint32_t i = 0; i < BATCH; i++) {
            image[i] = noise_image(i % 2 ? KST_FORMAT_GREY : KST_FORMAT_RGB, 200 - 17 * i, 60 + 21 * i, 8);
            j2k[i] = ht_options(round == 1 && i % 2 ? 1.5 : 0);
            if (round == 1 && i % 2)
                continue;
            j2k[i].target = round == 2 && i == 4 ? KST_J2K_PSNR : KST_J2K_RATIO;
            j2k[i].value = round == 2 && i == 4 ? 33 : 4 + 6.0 * i;
            j2k[i].layers = round == 2 && i == 3 ? 2 : 1;
        }
        check_batch(image, j2k);
        for (uint32_t i = 0; i < BATCH; i++)
            image_free(&image[i]);
    }
}

/* A picture that does not fit is encoded one excerpt after the other. */
static void test_excerpts(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RGB, 500, 400, 8);
    kst_j2k_options options = ht_options(0);
    options.levels = 2;
    options.block_width = options.block_height = 16;
    kst_buffer wanted = j2k_coded(cpu_context, &image, &options);
    for (uint32_t d = 0; d < gpu_contexts && !simulated(); d++) {
        const kst_encode_options encode = j2k_coding(&options);
        kst_context *small = small_context_create(gpu_context[d], 17 << 19);
        kst_buffer found = {.data = NULL};
        kst_report report;
        kst_report_init(&report);
        assert_int_equal(kst_encode(small, &image, &encode, &found, &report), KST_OK);
        assert_int_equal(found.length, wanted.length);
        assert_memory_equal(found.data, wanted.data, wanted.length);
        assert_true(is_on_device(&report));
        kst_buffer_release(small, &found);
        kst_context_destroy(&small);
    }
    kst_buffer_release(cpu_context, &wanted);
    image_free(&image);
}

/* Encode into a caller's buffer, which must hold the wanted bytes, and beside them what it held before. */
static void check_buffer(
    uint32_t device, const kst_image *image, const kst_encode_options *options, const kst_buffer *wanted, uint8_t *room)
{
    for (size_t lacking = 0; lacking < 2; lacking++) {
        kst_buffer found = {.data = room + 3, .capacity = wanted->length - lacking};
        memset(room, 0xA5, wanted->length + 6);
        kst_status status = kst_encode(gpu_context[device], image, options, &found, NULL);
        assert_int_equal(status, lacking ? KST_ERROR_BUFFER_FULL : KST_OK);
        for (size_t i = 0; i < 3; i++)
            assert_true(room[i] == 0xA5 && room[3 + found.capacity + i] == 0xA5);
        if (lacking)
            continue;
        assert_int_equal(found.length, wanted->length);
        assert_memory_equal(found.data, wanted->data, wanted->length);
    }
}

/* The device writes into pinned memory itself; into other memory the host copies. */
static void test_buffers(void **state)
{
    (void)state;
    const kst_j2k_options j2k = ht_options(0);
    const kst_encode_options options = j2k_coding(&j2k);
    kst_image image = noise_image(KST_FORMAT_RGB, simulated() ? 20 : 301, simulated() ? 18 : 222, 8);
    kst_buffer wanted = j2k_coded(cpu_context, &image, &j2k);
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        void *pinned = NULL, *plain = malloc(wanted.length + 6);
        assert_non_null(plain);
        assert_int_equal(kst_pinned_allocate(gpu_context[i], wanted.length + 6, &pinned), KST_OK);
        check_buffer(i, &image, &options, &wanted, plain);
        check_buffer(i, &image, &options, &wanted, pinned);
        kst_pinned_release(gpu_context[i], pinned);
        free(plain);
    }
    kst_buffer_release(cpu_context, &wanted);
    image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_strips),
        cmocka_unit_test(test_depths),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_packets),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_batch_targets),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_excerpts),
    };
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
