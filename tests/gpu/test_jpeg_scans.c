/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequential pictures in several scans: decoded on the device from bits to pixels, with the CPU's pixels, warnings and
 * messages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../fuzz/damage.h"
#include "support/gpu/contexts.h"
#include "support/random.h"
#include "support/test.h"

enum { MOST_SCANS = 4, BATCH = 15 };

static bool simulated(void)
{
    return getenv("KOSTKA_TEST_SIMULATED") != NULL;
}

/* Components of each scan. */
static const char *const groupings[][5] = {
    {"0", "1", "2"}, {"0", "12"}, {"01", "2"}, {"2", "0", "1"}, {"1", "02"}, {NULL}};
static const char *const groupings_of_four[][5] = {
    {"0", "1", "2", "3"}, {"03", "12"}, {"1", "023"}, {"3", "01", "2"}, {NULL}};

static size_t make_script(const char *const *grouping, kst_scan script[MOST_SCANS])
{
    size_t count = 0;
    for (; grouping[count]; count++) {
        uint8_t components = 0;
        script[count] = (kst_scan){.se = 63};
        for (; components < sizeof script[count].component && grouping[count][components]; components++)
            script[count].component[components] = (uint8_t)(grouping[count][components] - '0');
        script[count].component_count = components;
    }
    return count;
}

/* Noise on slopes, of an Exif orientation; `grouping` null: the usual scans. */
static kst_buffer encode(
    uint32_t width, uint32_t height, kst_format format, const char *const *grouping, kst_encode_options *options)
{
    const uint8_t exif[] = {'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0,
        (uint8_t)(1 + next_random() % 8), 0, 0, 0, 0, 0, 0};
    const kst_metadata metadata = {.kind = KST_METADATA_APP, .marker = 0xE1, .data = exif, .length = sizeof exif};
    uint32_t row = width * kst_format_channels(format), detail = 1 + next_random() % 100;
    uint8_t *pixels = malloc((size_t)row * height);
    kst_scan script[MOST_SCANS];
    kst_buffer buffer = {.data = NULL};
    kst_image image;
    assert_non_null(pixels);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < row; x++)
            pixels[(size_t)y * row + x] = (uint8_t)(x + 2 * y + next_random() % detail);
    options->metadata = &metadata;
    options->metadata_count = 1;
    if (grouping) {
        options->script = script;
        options->script_length = make_script(grouping, script);
    }
    assert_int_equal(kst_image_wrap(&image, format, width, height, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(cpu_context, &image, options, &buffer, NULL), KST_OK);
    free(pixels);
    return buffer;
}

struct outcome {
    kst_image image;
    kst_report report;
};

static void decode(kst_context *context, const uint8_t *data, size_t length, const kst_decode_options *options,
    kst_memory memory, struct outcome *outcome)
{
    kst_image_init(&outcome->image);
    kst_report_init(&outcome->report);
    outcome->image.memory = memory;
    kst_decode(context, data, length, options, &outcome->image, &outcome->report);
}

static void expect_same(const char *name, kst_context *context, const struct outcome *wanted, struct outcome *found)
{
    const kst_report *a = &wanted->report, *b = &found->report;
    if (a->status != b->status || a->warnings != b->warnings || a->first_warning != b->first_warning ||
        a->first_warning_offset != b->first_warning_offset || a->offset != b->offset ||
        strcmp(a->message, b->message) != 0)
        fail_msg("%s: '%s' with %u warnings, not '%s' with %u", name, b->message, (unsigned)b->warnings, a->message,
            (unsigned)a->warnings);
    if (!a->status)
        expect_same_image(name, context, &wanted->image, &found->image);
    kst_image_release(context, &found->image);
}

/*
 * Check which device has decoded the scans. The CPU searches for damage, and after an error there is nothing to check.
 */
enum reader { ON_DEVICE, ON_CPU, ANYWHERE };

static void check_reader(const char *name, kst_context *context, const kst_report *report, enum reader reader)
{
    kst_device_info info = {.size = sizeof info};
    assert_int_equal(kst_context_device(context, &info), KST_OK);
    if (reader == ANYWHERE || report->status)
        return;
    kst_device_kind wanted = reader == ON_CPU ? KST_DEVICE_CPU : info.kind;
    if (report->stage_device[KST_STAGE_ENTROPY] != wanted || report->stage_device[KST_STAGE_PIXELS] != info.kind)
        fail_msg("%s: scans were read by %d, pixels made by %d", name, (int)report->stage_device[KST_STAGE_ENTROPY],
            (int)report->stage_device[KST_STAGE_PIXELS]);
}

static void compare(const char *name, const uint8_t *data, size_t length, const kst_decode_options *options,
    enum reader reader, kst_memory memory)
{
    struct outcome wanted, found;
    decode(cpu_context, data, length, options, KST_MEMORY_HOST, &wanted);
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        decode(gpu_context[i], data, length, options,
            memory == KST_MEMORY_CUDA ? device_memory(gpu_context[i]) : memory, &found);
        check_reader(name, gpu_context[i], &found.report, reader);
        expect_same(name, gpu_context[i], &wanted, &found);
    }
    kst_image_release(cpu_context, &wanted.image);
}

static kst_region random_region(uint32_t width, uint32_t height)
{
    kst_region region = {.x = next_random() % width, .y = next_random() % height};
    region.width = 1 + next_random() % (width - region.x);
    region.height = 1 + next_random() % (height - region.y);
    return region;
}

/* Every format, size and place that decoding knows. */
static void compare_all(
    const char *name, const kst_buffer *buffer, uint32_t width, uint32_t height, uint32_t channels, enum reader reader)
{
    static const kst_memory memories[] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, KST_MEMORY_CUDA};
    kst_decode_options options;
    kst_decode_options_init(&options);
    compare(name, buffer->data, buffer->length, &options, reader, KST_MEMORY_HOST);
    for (uint32_t turn = 0; turn < 14; turn++) {
        kst_decode_options_init(&options);
        options.format = (kst_format)(next_random() % (KST_FORMAT_RAW + 1));
        if (options.format == KST_FORMAT_CMYK && channels == 3)
            options.format = KST_FORMAT_RAW;
        options.reduce = turn % 2 ? next_random() % 4 : 0;
        if (turn % 3 == 1)
            options.region = random_region((width + (1U << options.reduce) - 1) >> options.reduce,
                (height + (1U << options.reduce) - 1) >> options.reduce);
        options.orient = options.format != KST_FORMAT_RAW && turn % 4 == 2;
        if (options.orient)
            options.region = (kst_region){0};
        compare(name, buffer->data, buffer->length, &options, reader, memories[next_random() % 3]);
    }
}

static void choose_coding(kst_encode_options *options, uint32_t turn)
{
    options->quality = (int)(20 + next_random() % 80);
    options->coding = turn % 3 == 1 ? KST_CODING_OPTIMIZED : KST_CODING_BASELINE;
    options->restart.unit = (kst_restart_unit)(turn % 4 < 3 ? turn % 4 : 0);
    options->restart.interval = 1 + next_random() % (turn % 4 == 1 ? 11 : 2);
}

/* By rows of MCUs, restart intervals differ from scan to scan; optimised tables do too. */
static void test_groupings(void **state)
{
    (void)state;
    static const uint8_t factors[][2][3] = {{{2, 1, 1}, {2, 1, 1}}, {{1, 1, 1}, {1, 1, 1}}, {{2, 1, 1}, {1, 1, 1}},
        {{4, 1, 1}, {1, 1, 1}}, {{1, 2, 2}, {1, 2, 1}}, {{3, 1, 1}, {2, 1, 1}}, {{2, 2, 1}, {2, 1, 2}},
        {{1, 2, 1}, {2, 1, 1}}};
    static const uint32_t sizes[][2] = {{1, 1}, {7, 9}, {65, 33}, {17, 50}, {130, 71}};
    uint32_t turn = 0;
    for (size_t f = 0; f < sizeof factors / sizeof factors[0]; f++)
        for (size_t g = 0; groupings[g][0]; g++, turn++) {
            const uint32_t *size = sizes[turn % (sizeof sizes / sizeof sizes[0])];
            kst_encode_options options;
            char name[80];
            kst_encode_options_init(&options);
            memcpy(options.h, factors[f][0], 3);
            memcpy(options.v, factors[f][1], 3);
            choose_coding(&options, turn);
            snprintf(
                name, sizeof name, "factors %zu, grouping %zu, %u × %u", f, g, (unsigned)size[0], (unsigned)size[1]);
            kst_buffer buffer = encode(size[0], size[1], KST_FORMAT_RGB, groupings[g], &options);
            compare_all(name, &buffer, size[0], size[1], 3, ON_DEVICE);
            kst_buffer_release(cpu_context, &buffer);
        }
}

static void test_four(void **state)
{
    (void)state;
    for (uint32_t g = 0, turn = 0; groupings_of_four[g][0]; g++)
        for (uint32_t sampled = 0; sampled < 2; sampled++, turn++) {
            kst_encode_options options;
            kst_encode_options_init(&options);
            options.colour = sampled ? KST_COLOUR_YCCK : KST_COLOUR_CMYK;
            if (sampled) {
                memcpy(options.h, (const uint8_t[4]){2, 1, 1, 2}, 4);
                memcpy(options.v, (const uint8_t[4]){1, 1, 1, 1}, 4);
            }
            choose_coding(&options, turn);
            kst_buffer buffer = encode(53, 39, KST_FORMAT_CMYK, groupings_of_four[g], &options);
            compare_all("four components", &buffer, 53, 39, 4, ON_DEVICE);
            kst_buffer_release(cpu_context, &buffer);
        }
}

/*
 * Several groups of chunks in a scan. Of noise in this quality a device may leave a scan to the CPU, because decoders
 * fall into step too rarely: 51 chunks were in order on PoCL and more than 64, which is the limit, on an H200.
 */
static void test_large(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < 3; g++) {
        kst_encode_options options;
        kst_encode_options_init(&options);
        options.quality = 96;
        kst_buffer buffer = encode(901, 607, KST_FORMAT_RGB, groupings[g], &options);
        compare_all("large", &buffer, 901, 607, 3, ANYWHERE);
        kst_buffer_release(cpu_context, &buffer);
    }
}

/* Pictures of one scan, of several and progressive ones, in one batch. */
static void test_batch(void **state)
{
    (void)state;
    const uint32_t count = simulated() ? 2 : BATCH, side = simulated() ? 9 : 110;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        kst_buffer stream[BATCH];
        kst_decode_options options[BATCH];
        struct outcome found[BATCH];
        kst_decode_item item[BATCH];
        for (uint32_t i = 0; i < count; i++) {
            kst_encode_options encoding;
            kst_encode_options_init(&encoding);
            kst_decode_options_init(&options[i]);
            choose_coding(&encoding, i);
            encoding.subsampling = (kst_subsampling)(i % 4);
            if (i % 5 == 4)
                encoding.coding = KST_CODING_PROGRESSIVE;
            options[i].reduce = i / 6;
            options[i].format = i % 4 == 3 ? KST_FORMAT_RAW : i % 4 == 2 ? KST_FORMAT_PLANAR : KST_FORMAT_AUTO;
            /* The simulator minds that whole sixteens of samples are looked at, of which not all may exist. */
            uint32_t width = simulated() ? 16 + 16 * i : 20 + 9 * i;
            bool apart = i % 5 < (simulated() ? 1 : 3); /* each scan takes the simulator seconds */
            stream[i] = encode(width, side - 7 * i, KST_FORMAT_RGB, apart ? groupings[i % 4] : NULL, &encoding);
            kst_image_init(&found[i].image);
            found[i].image.memory = i % 3 == 1 ? device_memory(gpu_context[g]) : KST_MEMORY_HOST;
            item[i] = (kst_decode_item){
                .data = stream[i].data, .length = stream[i].length, .options = &options[i], .image = &found[i].image};
        }
        assert_int_equal(kst_decode_batch(gpu_context[g], item, count), KST_OK);
        for (uint32_t i = 0; i < count; i++) {
            struct outcome wanted;
            char name[40];
            snprintf(name, sizeof name, "picture %u of a batch", (unsigned)i);
            found[i].report = item[i].report;
            decode(cpu_context, stream[i].data, stream[i].length, &options[i], KST_MEMORY_HOST, &wanted);
            check_reader(name, gpu_context[g], &found[i].report, i % 5 == 4 ? ON_CPU : ON_DEVICE);
            expect_same(name, gpu_context[g], &wanted, &found[i]);
            kst_image_release(cpu_context, &wanted.image);
            kst_buffer_release(cpu_context, &stream[i]);
        }
    }
}

/* The number-th SOS marker; the length where there is none. */
static size_t find_scan(const uint8_t *data, size_t length, uint32_t number)
{
    for (size_t at = 0; at + 1 < length; at++)
        if (data[at] == 0xFF && data[at + 1] == 0xDA && number-- == 0)
            return at;
    return length;
}

/* Bytes changed, dropped and doubled anywhere behind the first scan's header, or the file cut. */
static void mutate(uint8_t *data, size_t *length)
{
    uint32_t changes = next_random() % 5;
    size_t least = find_scan(data, *length, 0) + 10;
    for (uint32_t i = 0; i < changes; i++)
        damage_at(data, length, least + next_random() % (*length - least), next_random);
    if (changes == 0 || next_random() % 4 == 0)
        *length = least + next_random() % (*length - least);
}

static void test_damage(void **state)
{
    (void)state;
    const char *wanted = getenv("KOSTKA_TEST_MUTATIONS");
    uint32_t count = wanted ? (uint32_t)strtoul(wanted, NULL, 10) : 250;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t width = 16 + next_random() % 120, height = 16 + next_random() % 120;
        kst_encode_options options;
        kst_decode_options decoding;
        char name[40];
        kst_encode_options_init(&options);
        kst_decode_options_init(&decoding);
        choose_coding(&options, i);
        options.subsampling = (kst_subsampling)(next_random() % 4);
        kst_buffer buffer = encode(width, height, KST_FORMAT_RGB, groupings[next_random() % 5], &options);
        mutate(buffer.data, &buffer.length);
        if (next_random() % 4 == 0)
            decoding.region = random_region(width, height);
        decoding.format = next_random() % 4 ? KST_FORMAT_AUTO : KST_FORMAT_RAW;
        decoding.strict = next_random() % 8 == 0;
        snprintf(name, sizeof name, "mutation %u", (unsigned)i);
        compare(name, buffer.data, buffer.length, &decoding, ANYWHERE, KST_MEMORY_HOST);
        kst_buffer_release(cpu_context, &buffer);
    }
}

/* The file with more bytes at a place. */
static kst_buffer insert(const kst_buffer *buffer, size_t at, const uint8_t *data, size_t count)
{
    kst_buffer result = {.data = malloc(buffer->length + count), .length = buffer->length + count};
    assert_non_null(result.data);
    memcpy(result.data, buffer->data, at);
    memcpy((uint8_t *)result.data + at, data, count);
    memcpy((uint8_t *)result.data + at + count, (const uint8_t *)buffer->data + at, buffer->length - at);
    return result;
}

/* Scans that are missing, empty, sent twice, or look strange. */
static void test_odd(void **state)
{
    (void)state;
    kst_encode_options options;
    kst_decode_options decoding;
    kst_encode_options_init(&options);
    kst_decode_options_init(&decoding);
    options.subsampling = KST_SUBSAMPLING_420;
    kst_buffer whole = encode(75, 43, KST_FORMAT_RGB, groupings[0], &options);
    uint8_t *data = whole.data;
    size_t second = find_scan(data, whole.length, 1), third = find_scan(data, whole.length, 2);
    assert_true(third < whole.length);
    compare("a scan missing", data, third, &decoding, ON_DEVICE, KST_MEMORY_HOST);
    compare("two scans missing", data, second, &decoding, ON_DEVICE, KST_MEMORY_HOST);
    compare("an empty scan", data, third + 10, &decoding, ANYWHERE, KST_MEMORY_HOST);
    kst_buffer twice = insert(&whole, second, data + third, whole.length - 2 - third);
    compare("a scan sent twice", twice.data, twice.length, &decoding, ON_CPU, KST_MEMORY_HOST);
    free(twice.data);
    static const uint8_t fill[40] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    kst_buffer filled = insert(&whole, third, fill, sizeof fill);
    compare("fill bytes between scans", filled.data, filled.length, &decoding, ON_DEVICE, KST_MEMORY_HOST);
    free(filled.data);
    for (size_t i = 0; i < 3; i++) { /* the last bytes of scan headers */
        data[find_scan(data, whole.length, (uint32_t)i) + 9] = 0xFF;
        compare("a strange scan header", data, whole.length, &decoding, ON_DEVICE, KST_MEMORY_HOST);
    }
    kst_buffer_release(cpu_context, &whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_batch), cmocka_unit_test(test_groupings),
        cmocka_unit_test(test_four), cmocka_unit_test(test_large), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_odd)};
    const struct CMUnitTest few[] = {cmocka_unit_test(test_batch)};
    /* The simulator is slow, and takes what is in buffers that are used again for uninitialised. */
    if (simulated())
        return cmocka_run_group_tests(few, start_contexts, stop_contexts);
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
