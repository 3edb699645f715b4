/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every device must decode to the bytes that the CPU does, and count the same damage. With arguments: those files on
 * every device, with the device's times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../fuzz/damage.h"
#include "core/report.h"
#include "jpeg/cpu/blocks.h"
#include "jpeg/cpu/decode.h"
#include "jpeg/gpu/decode.h"
#include "jpeg/syntax/parse.h"
#include "support/corpus.h"
#include "support/gpu/pictures.h"
#include "support/random.h"
#include "support/test.h"

enum { MOST_SHORTENED = 48 << 10 /* of longer streams of noise too many chunks would have to be completed */ };

static uint32_t decoded_count, damaged_count;

static void show_times(const struct jpeg_gpu_times *times)
{
    static const char *const names[JPEG_KERNELS] = {"map_parts", "map_groups", "follow_pictures", "place_parts",
        "chain_pictures", "write_blocks", "write_dc", "transform_blocks", "convert_tiles", "convert_pixels",
        "turn_pixels"};
    double total = times->upload + times->download;
    printf("  upload %.3f ms, download %.3f ms\n", times->upload * 1e3, times->download * 1e3);
    for (int i = 0; i < JPEG_KERNELS; i++) {
        printf("  %-16s %.4f ms\n", names[i], times->kernel[i] * 1e3);
        total += times->kernel[i];
    }
    printf("  all %.3f ms\n", total * 1e3);
}

static bool same_damage(const struct jpeg_gpu_damage *damage, const struct jpeg_plan *plan, uint64_t warnings)
{
    uint64_t lost = 0;
    for (uint32_t i = 0; i < plan->scan_count; i++)
        lost += plan->scan[i].interval_count - plan->scan[i].segment_count;
    return damage->ended + lost + damage->invalid + damage->surplus == warnings;
}

/* A picture of scans that the device does not read goes there as coefficients. */
static void add_coefficients(struct jpeg_gpu_item *item, struct jpeg_blocks *blocks)
{
    kst_report report;
    if (item->plan->single_scan || kst_jpeg_gpu_supports(item))
        return;
    kst_report_init(&report);
    const struct operation op = kst_context_operation(cpu, &memory, &report, NULL);
    assert_int_equal(kst_jpeg_cpu_blocks_decode(&op, item->plan, false, blocks), KST_OK);
    item->coefficients = (struct jpeg_gpu_coefficients){blocks, kst_jpeg_cpu_blocks_copy};
}

static void drop_coefficients(struct jpeg_gpu_item *item, struct jpeg_blocks *blocks)
{
    if (item->coefficients.source)
        kst_jpeg_cpu_blocks_release(&memory, blocks);
}

/* One device decodes a picture, if it can in such chunks, to what the CPU has decoded it to. */
static void run_item(uint32_t device, const char *name, const struct jpeg_gpu_item *item, const kst_image *wanted,
    kst_image *image, uint64_t warnings, bool timed)
{
    const struct jpeg_plan *plan = item->plan;
    struct jpeg_gpu_damage damage;
    struct jpeg_gpu_times times;
    struct gpu_error error;
    bool whole = wanted->width == plan->frame.width && wanted->height == plan->frame.height;
    if (!kst_jpeg_gpu_supports(item))
        return;
    for (int again = 0; again < (timed && !simulated() ? 5 : 1); again++) {
        poison_picture(image);
        kst_jpeg_gpu_decode(runtimes[device], item, 1, timed, &damage, &times, &error);
        expect_no_error(&error);
    }
    assert_false(damage.left);
    expect_same_picture(name, wanted, image);
    if (whole && !item->coefficients.copy && !same_damage(&damage, plan, warnings))
        fail_msg("%s: %u ended, %u invalid, %u surplus, not %u warnings", name, damage.ended, damage.invalid,
            damage.surplus, (unsigned)warnings);
    if (timed) {
        printf("%s on %s: the same\n", name, gpus[device]->info.name);
        show_times(&times);
    }
    decoded_count += item->shorter == 0;
    damaged_count += damage.ended + damage.invalid + damage.surplus > 0;
}

static void compare_plan(const char *name, const struct jpeg_plan *plan, const kst_decode_options *options, bool timed)
{
    struct jpeg_gpu_item item = {.plan = plan, .ordered = true}; /* so that noise is decoded there, too */
    struct jpeg_blocks blocks;
    kst_image wanted, image;
    uint64_t length;
    kst_jpeg_gpu_scan_data(plan, &length);
    if (kst_jpeg_output_describe(&plan->frame, options, &wanted))
        return;
    image = wanted;
    kst_jpeg_output_plan(&item.output, &plan->frame, options, &wanted);
    add_coefficients(&item, &blocks);
    if (!kst_jpeg_gpu_supports(&item)) {
        drop_coefficients(&item, &blocks);
        return;
    }
    kst_report report;
    kst_report_init(&report);
    assert_int_equal(kst_image_allocate(cpu, &wanted), KST_OK);
    assert_int_equal(kst_image_allocate(cpu, &image), KST_OK);
    const struct operation op = kst_context_operation(cpu, &memory, &report, NULL);
    assert_int_equal(kst_jpeg_cpu_decode(&op, plan, options, &wanted), KST_OK);
    kst_jpeg_output_plan(&item.output, &plan->frame, options, &image);
    for (uint32_t i = 0; i < gpu_count; i++) {
        item.shorter = simulated() && length <= MOST_SHORTENED ? next_random() % 3 : 0;
        run_item(i, name, &item, &wanted, &image, report.warnings, timed);
        item.shorter = timed || simulated() || length > MOST_SHORTENED ? 0 : 1 + next_random() % 2;
        if (item.shorter > 0)
            run_item(i, name, &item, &wanted, &image, report.warnings, false);
        item.shorter = 0;
    }
    drop_coefficients(&item, &blocks);
    kst_image_release(cpu, &wanted);
    kst_image_release(cpu, &image);
}

static void compare(const char *name, const uint8_t *data, size_t length, const kst_decode_options *options, bool timed)
{
    struct jpeg_stream stream;
    kst_report report;
    kst_limits limits = cpu->limits;
    limits.pixels = timed ? UINT64_MAX : 1 << 21;
    kst_report_init(&report);
    struct operation op = kst_context_operation(cpu, &memory, &report, NULL);
    op.limits = &limits;
    if (kst_jpeg_parse(&op, data, length, &stream))
        return;
    compare_plan(name, &stream.plan, options, timed);
    kst_jpeg_stream_release(&memory, &stream);
    renew_runtimes();
}

static void compare_formats(const char *name, const uint8_t *data, size_t length)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    /* The simulator has test_jpeg_pixels for what comes behind the coefficients. */
    for (kst_format format = KST_FORMAT_AUTO; format <= KST_FORMAT_RAW;
         format += simulated() ? KST_FORMAT_RAW + 1 : 1) {
        options.format = format;
        options.alpha = (uint8_t)next_random();
        compare(name, data, length, &options, false);
    }
}

static void compare_reduced(const char *name, const uint8_t *data, size_t length)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    if (simulated())
        return;
    for (options.reduce = 1; options.reduce <= 3; options.reduce++) {
        options.format = KST_FORMAT_AUTO + (kst_format)(next_random() % (KST_FORMAT_RAW + 1));
        compare(name, data, length, &options, false);
    }
}

static void compare_region(const char *name, const uint8_t *data, size_t length, uint32_t width, uint32_t height)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.region.x = next_random() % width;
    options.region.y = next_random() % height;
    options.region.width = 1 + next_random() % (width - options.region.x);
    options.region.height = 1 + next_random() % (height - options.region.y);
    options.format = next_random() % 2 ? KST_FORMAT_RGB : KST_FORMAT_RAW;
    compare(name, data, length, &options, false);
    if (simulated())
        return;
    options.region.x = options.region.x / 16 * 16;
    options.format = KST_FORMAT_RGB;
    compare(name, data, length, &options, false);
}

/* Something between a slope and noise; `detail` 0–255. */
static uint8_t *make_pixels(uint32_t width, uint32_t height, uint32_t channels, uint32_t detail)
{
    uint8_t *pixels = malloc((size_t)width * height * channels);
    assert_non_null(pixels);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < channels; c++)
                pixels[((size_t)y * width + x) * channels + c] =
                    (uint8_t)(x * (c + 1) + y * 2 + (detail ? next_random() % detail : 0));
    return pixels;
}

static void encode(uint32_t width, uint32_t height, kst_format format, uint32_t detail,
    const kst_encode_options *options, kst_buffer *buffer)
{
    uint8_t *pixels = make_pixels(width, height, kst_format_channels(format), detail);
    kst_image image;
    assert_int_equal(kst_image_wrap(&image, format, width, height, pixels, 0), KST_OK);
    *buffer = (kst_buffer){.data = NULL};
    assert_int_equal(kst_encode(cpu, &image, options, buffer, NULL), KST_OK);
    free(pixels);
}

static void test_matrix(void **state)
{
    (void)state;
    static const struct {
        uint8_t h[4], v[4];
    } factors[] = {{{1, 1, 1}, {1, 1, 1}}, {{2, 1, 1}, {2, 1, 1}}, {{2, 1, 1}, {1, 1, 1}}, {{1, 1, 1}, {2, 1, 1}},
        {{4, 1, 1}, {1, 1, 1}}, {{4, 1, 1}, {2, 1, 1}}, {{1, 2, 2}, {1, 2, 1}}, {{3, 1, 1}, {2, 1, 1}},
        {{2, 2, 1}, {2, 1, 2}}};
    static const uint32_t sizes[][2] = {{1, 1}, {7, 9}, {65, 33}, {130, 71}, {311, 203}};
    uint32_t turn = 0;
    for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++, turn++) {
            kst_encode_options options;
            kst_buffer buffer;
            char name[80];
            if (simulated() && (s != 1 || f != 1))
                continue;
            kst_encode_options_init(&options);
            memcpy(options.h, factors[f].h, 4);
            memcpy(options.v, factors[f].v, 4);
            options.quality = (int)(5 + next_random() % 95);
            options.coding = turn % 5 == 4       ? KST_CODING_PROGRESSIVE
                             : next_random() % 2 ? KST_CODING_OPTIMIZED
                                                 : KST_CODING_BASELINE;
            options.restart.unit = turn % 3 == 0 ? KST_RESTART_MCUS : KST_RESTART_NONE;
            options.restart.interval = 1 + next_random() % 9;
            snprintf(name, sizeof name, "factors %zu, size %zu", f, s);
            encode(sizes[s][0], sizes[s][1], KST_FORMAT_RGB, 1 + next_random() % 255, &options, &buffer);
            compare_formats(name, buffer.data, buffer.length);
            compare_reduced(name, buffer.data, buffer.length);
            compare_region(name, buffer.data, buffer.length, sizes[s][0], sizes[s][1]);
            kst_buffer_release(cpu, &buffer);
        }
}

static void test_colours(void **state)
{
    (void)state;
    static const struct {
        kst_format format;
        kst_colour colour;
    } colours[] = {{KST_FORMAT_GREY, KST_COLOUR_GREY}, {KST_FORMAT_RGB, KST_COLOUR_RGB},
        {KST_FORMAT_CMYK, KST_COLOUR_CMYK}, {KST_FORMAT_CMYK, KST_COLOUR_YCCK}};
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        for (int restart = simulated() ? i < 3 ? 2 : 1 : 0; restart < 2; restart++) {
            kst_encode_options options;
            kst_buffer buffer;
            kst_encode_options_init(&options);
            options.colour = colours[i].colour;
            options.restart.unit = restart ? KST_RESTART_ROWS : KST_RESTART_NONE;
            options.restart.interval = 1;
            encode(simulated() ? 17 : 77, simulated() ? 9 : 45, colours[i].format, 60, &options, &buffer);
            compare_formats("colours", buffer.data, buffer.length);
            kst_buffer_release(cpu, &buffer);
        }
}

/* Long enough for several groups of chunks. */
static void test_large(void **state)
{
    (void)state;
    const uint32_t width = simulated() ? 128 : 1021, height = simulated() ? 88 : 607;
    for (int restart = 0; restart < (simulated() ? 1 : 2); restart++) {
        kst_encode_options options;
        kst_decode_options decoding;
        kst_buffer buffer;
        kst_encode_options_init(&options);
        kst_decode_options_init(&decoding);
        options.quality = simulated() ? 100 : 93;
        options.restart.unit = restart ? KST_RESTART_MCUS : KST_RESTART_NONE;
        options.restart.interval = 8;
        encode(width, height, simulated() ? KST_FORMAT_GREY : KST_FORMAT_RGB, 200, &options, &buffer);
        assert_true(buffer.length > (simulated() ? 1 : 8) * WORK_CHUNK * WORK_CHUNKS + 1000);
        compare("large", buffer.data, buffer.length, &decoding, false);
        kst_buffer_release(cpu, &buffer);
    }
}

/* Pictures of all kinds at once. */
static void test_mixed(void **state)
{
    (void)state;
    enum { MOST = 9 };
    const uint32_t count = simulated() ? 3 : MOST;
    struct jpeg_stream stream[MOST];
    struct jpeg_gpu_item item[MOST];
    struct jpeg_blocks blocks[MOST];
    struct jpeg_gpu_damage damage[MOST];
    struct jpeg_gpu_times times;
    struct gpu_error error;
    kst_buffer buffer[MOST];
    kst_image wanted[MOST], image[MOST];
    for (uint32_t i = 0; i < count; i++) {
        kst_encode_options options;
        kst_decode_options decoding;
        kst_report report;
        kst_encode_options_init(&options);
        kst_decode_options_init(&decoding);
        kst_report_init(&report);
        /* Oclgrind 21.10 does not know what is written to a buffer from elsewhere than its start on, as given blocks
         * are. */
        options.coding = i % 3 == 1 && !simulated() ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
        options.subsampling = (kst_subsampling)(i % 4);
        decoding.reduce = i / 4;
        decoding.format = i == 2 ? KST_FORMAT_RAW : i == 4 ? KST_FORMAT_PLANAR : KST_FORMAT_BGRA;
        if (simulated())
            encode(9 + 9 * i, 29 - 9 * i, KST_FORMAT_RGB, 90, &options, &buffer[i]);
        else
            encode(20 + 13 * i, 90 - 9 * i, KST_FORMAT_RGB, 90, &options, &buffer[i]);
        const struct operation op = kst_context_operation(cpu, &memory, &report, NULL);
        assert_int_equal(kst_jpeg_parse(&op, buffer[i].data, buffer[i].length, &stream[i]), KST_OK);
        item[i] = (struct jpeg_gpu_item){.plan = &stream[i].plan};
        assert_int_equal(kst_jpeg_output_describe(&item[i].plan->frame, &decoding, &wanted[i]), KST_OK);
        image[i] = wanted[i];
        kst_jpeg_output_plan(&item[i].output, &item[i].plan->frame, &decoding, &image[i]);
        add_coefficients(&item[i], &blocks[i]);
        assert_int_equal(kst_image_allocate(cpu, &wanted[i]), KST_OK);
        assert_int_equal(kst_image_allocate(cpu, &image[i]), KST_OK);
        assert_int_equal(kst_jpeg_cpu_decode(&op, item[i].plan, &decoding, &wanted[i]), KST_OK);
        kst_jpeg_output_plan(&item[i].output, &item[i].plan->frame, &decoding, &image[i]);
    }
    for (uint32_t i = 0; i < gpu_count; i++) {
        kst_jpeg_gpu_decode(runtimes[i], item, count, false, damage, &times, &error);
        expect_no_error(&error);
        for (uint32_t j = 0; j < count; j++) {
            expect_same_picture("mixed", &wanted[j], &image[j]);
            poison_picture(&image[j]);
            assert_true(damage[j].ended == 0 && damage[j].invalid == 0 && damage[j].surplus == 0);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        drop_coefficients(&item[i], &blocks[i]);
        kst_jpeg_stream_release(&memory, &stream[i]);
        kst_buffer_release(cpu, &buffer[i]);
        kst_image_release(cpu, &wanted[i]);
        kst_image_release(cpu, &image[i]);
    }
    renew_runtimes();
}

/* Runs of fill bytes (T.81 B.1.1.2) as long as the kernels take, or a little longer. */
static void put_fill(uint8_t *data, size_t length)
{
    for (uint32_t runs = 1 + next_random() % 30; runs > 0 && length > 0; runs--) {
        size_t fill = 1 + next_random() % (runs > 1 ? WORK_MOST_FILL : WORK_MOST_FILL + 1);
        fill = fill < length ? fill : length - 1;
        memset(data, 0xFF, fill);
        data[fill] = 0;
        data += fill + 1;
        length -= fill + 1;
    }
}

/* Bytes changed, dropped and doubled anywhere behind the headers. */
static void mutate(uint8_t *data, size_t *length)
{
    uint32_t changes = 1 + next_random() % 4;
    size_t least = *length > 700 ? 620 : *length / 2;
    for (uint32_t i = 0; i < changes; i++) {
        size_t at = least + next_random() % (*length - least);
        if (next_random() % 5 == 0)
            put_fill(data + at, *length - at);
        else
            damage_at(data, length, at, next_random);
    }
    if (next_random() % 4 == 0)
        *length = least + next_random() % (*length - least);
}

/* Return whether the CPU makes a picture of it, and counts damage. */
static bool is_damaged(const kst_buffer *stream)
{
    kst_image image;
    kst_report report;
    kst_image_init(&image);
    kst_report_init(&report);
    kst_status status = kst_decode(cpu, stream->data, stream->length, NULL, &image, &report);
    kst_image_release(cpu, &image);
    return !status && report.warnings > 0;
}

static void check_mutation(uint32_t number, uint32_t side)
{
    kst_encode_options options;
    kst_decode_options decoding;
    kst_buffer buffer;
    char name[40];
    kst_encode_options_init(&options);
    kst_decode_options_init(&decoding);
    options.quality = (int)(20 + next_random() % 80);
    options.subsampling = (kst_subsampling)(next_random() % 4);
    options.restart.unit = next_random() % 2 ? KST_RESTART_MCUS : KST_RESTART_NONE;
    options.restart.interval = 1 + next_random() % 40;
    encode(16 + next_random() % side, 16 + next_random() % side, KST_FORMAT_RGB, 1 + next_random() % 200, &options,
        &buffer);
    mutate(buffer.data, &buffer.length);
    snprintf(name, sizeof name, "mutation %u", (unsigned)number);
    if (!simulated() || is_damaged(&buffer))
        compare(name, buffer.data, buffer.length, &decoding, false);
    kst_buffer_release(cpu, &buffer);
}

/* The simulator decodes one small picture that is damaged behind its headers. */
static void test_mutations(void **state)
{
    (void)state;
    const char *wanted = getenv("KOSTKA_TEST_MUTATIONS");
    uint32_t count = wanted ? (uint32_t)strtoul(wanted, NULL, 10) : 300;
    damaged_count = 0;
    for (uint32_t i = 0; i < count && (!simulated() || damaged_count == 0); i++)
        check_mutation(i, simulated() ? 16 : 150);
    assert_true(wanted || damaged_count > 0);
}

static void check_corpus_file(const char *name, const uint8_t *data, size_t length)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    compare(name, data, length, &options, false);
    options.format = KST_FORMAT_RAW;
    compare(name, data, length, &options, false);
}

static void test_corpus(void **state)
{
    (void)state;
    if (!corpus_present() || simulated())
        skip("there is no corpus, or the simulator takes too long");
    decoded_count = 0;
    for_each_corpus_file("jpeg/valid", check_corpus_file);
    for_each_corpus_file("jpeg/damaged", check_corpus_file);
    assert_true(decoded_count >= 40);
}

static void decode_file(const char *path)
{
    kst_decode_options options;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return;
    }
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(length + 1);
    length = fread(data, 1, length, file);
    fclose(file);
    kst_decode_options_init(&options);
    compare(path, data, length, &options, true);
    free(data);
}

static char **paths;

static void test_files(void **state)
{
    (void)state;
    for (char **path = paths; *path; path++)
        decode_file(*path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest files[] = {cmocka_unit_test(test_files)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_matrix), cmocka_unit_test(test_colours),
        cmocka_unit_test(test_large), cmocka_unit_test(test_mixed), cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_corpus)};
    paths = argv + 1;
    if (argc > 1)
        return cmocka_run_group_tests(files, open_pictures, close_pictures);
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}
