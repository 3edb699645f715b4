/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding of the conformance streams against their references, within what T.803 allows: stream, peak error, mean
 * squared error and what is allowed of both are printed. Parts of pictures are compared with the whole, and numbers of
 * threads with each other. With the name of a device as its argument, or "gpus" for all there are, it holds these to
 * the tables instead. Where the streams are not those of T.803 but made, references are what OpenJPEG decodes them to,
 * and the table lies beside them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/report.h"
#include "j2k/cpu/decode.h"
#include "j2k/packets/build.h"
#include "j2k/syntax/geometry.h"
#include "support/context.h"
#include "support/corpus.h"
#include "support/j2k/corpus.h"
#include "support/j2k/reference.h"
#include "support/j2k/tolerances.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/test.h"

enum { COMPONENTS_MAX = 4 };

static struct memory memory;
static struct pool *one, *three;
static kst_context *device;  /* that decodes, by the public interface; null: the CPU's executor */
static kst_device_kind used; /* for entropy decoding, the last time */

/* Samples of each component. */
struct decoded {
    int32_t *sample[COMPONENTS_MAX];
    struct j2k_rect area[COMPONENTS_MAX];
    uint32_t components;
    uint8_t depth;
};

static void free_decoded(struct decoded *decoded)
{
    for (uint32_t c = 0; c < decoded->components; c++)
        free(decoded->sample[c]);
}

static size_t width_of(struct j2k_rect rect)
{
    return rect.x1 - rect.x0;
}

static size_t area_of(struct j2k_rect rect)
{
    return width_of(rect) * (rect.y1 - rect.y0);
}

static void run_plan(const struct j2k_plan *plan, struct pool *pool, struct decoded *decoded, kst_report *report)
{
    struct j2k_target target[COMPONENTS_MAX] = {{0}};
    assert_true(plan->component_count <= COMPONENTS_MAX);
    *decoded = (struct decoded){.components = plan->component_count, .depth = plan->component[0].depth};
    for (uint32_t c = 0; c < plan->component_count; c++) {
        struct j2k_rect area = plan->component[c].area;
        decoded->area[c] = area;
        decoded->sample[c] = calloc(area_of(area) + 1, sizeof(int32_t));
        assert_non_null(decoded->sample[c]);
        target[c] = (struct j2k_target){.data = decoded->sample[c],
            .pitch = (ptrdiff_t)(width_of(area) * sizeof(int32_t)),
            .stride = 1,
            .bytes = 4};
    }
    const struct operation op = {.memory = &memory, .pool = pool, .tier = kst_cpu_best(), .report = report};
    assert_int_equal(kst_j2k_cpu_decode(&op, plan, target, false), KST_OK);
}

static uint32_t number_at(const uint8_t *data, uint32_t bytes)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        value = value << 8 | data[i];
    return value;
}

/* Have all COD of a codestream say that components were not transformed (A.6.1). */
static void forget_transform(uint8_t *data, size_t length)
{
    enum { COD = 0x52, SOT = 0x90, SOD = 0x93, EOC = 0xD9, TRANSFORM = 8, LENGTH_OF_PART = 6 };
    size_t part = 0, behind = 0;
    for (size_t at = 2; at + 12 < length && data[at + 1] != EOC;) {
        if (data[at + 1] == SOD) {
            at = behind;
            continue;
        }
        if (data[at + 1] == SOT) {
            part = at;
            behind = part + number_at(data + part + LENGTH_OF_PART, 4);
            behind = behind > part ? behind : length;
        }
        if (data[at + 1] == COD)
            data[at + TRANSFORM] = 0;
        at += 2 + number_at(data + at + 2, 2);
    }
}

static int32_t sample_of(const kst_plane *plane, size_t x, size_t y)
{
    const uint8_t *row = (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch;
    int16_t wide;
    if (plane->depth <= 8)
        return plane->is_signed ? (int8_t)row[x] : row[x];
    memcpy(&wide, row + 2 * x, sizeof wide);
    return plane->is_signed ? wide : (uint16_t)wide;
}

static void take_planes(const kst_image *image, struct decoded *decoded)
{
    *decoded = (struct decoded){.components = image->plane_count, .depth = image->plane[0].depth};
    for (uint32_t c = 0; c < image->plane_count; c++) {
        const kst_plane *plane = &image->plane[c];
        decoded->area[c] = (struct j2k_rect){0, 0, plane->width, plane->height};
        decoded->sample[c] = malloc(((size_t)plane->width * plane->height + 1) * sizeof(int32_t));
        assert_non_null(decoded->sample[c]);
        for (uint32_t y = 0; y < plane->height; y++)
            for (uint32_t x = 0; x < plane->width; x++)
                decoded->sample[c][(size_t)y * plane->width + x] = sample_of(plane, x, y);
    }
}

static void decode_on_device(uint8_t *data, size_t length, uint8_t reduce, bool class_0_only, struct decoded *decoded)
{
    kst_decode_options options;
    kst_image image;
    kst_report report;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    options.reduce = reduce;
    if (class_0_only)
        forget_transform(data, length);
    kst_image_init(&image);
    kst_report_init(&report);
    if (kst_decode(device, data, length, &options, &image, &report))
        fail_msg("%s", report.message);
    assert_int_equal(report.warnings, 0);
    used = report.stage_device[KST_STAGE_ENTROPY];
    assert_in_range(image.plane_count, 1, COMPONENTS_MAX);
    take_planes(&image, decoded);
    kst_image_release(device, &image);
}

static void decode(
    const char *name, const struct j2k_filter *filter, bool class_0_only, struct pool *pool, struct decoded *decoded)
{
    size_t length;
    uint8_t *data = j2k_corpus_read("streams", name, &length);
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    assert_non_null(data);
    if (device) {
        decode_on_device(data, length, filter->reduce, class_0_only, decoded);
        free(data);
        return;
    }
    kst_report_init(&report);
    const struct operation op = {.memory = &memory, .limits = &kst_default_limits, .report = &report};
    assert_int_equal(kst_j2k_parse(&op, data, length, &stream), KST_OK);
    assert_int_equal(kst_j2k_plan_build(&op, &stream, filter, &plan), KST_OK);
    for (uint32_t t = 0; t < plan.tile_count && class_0_only; t++)
        plan.tile[t].transform = J2K_TRANSFORM_NONE;
    run_plan(&plan, pool, decoded, &report);
    assert_int_equal(report.warnings, 0);
    kst_j2k_plan_release(&memory, &plan);
    kst_j2k_stream_release(&memory, &stream);
    assert_int_equal(memory.used, 0);
    free(data);
}

struct error {
    uint32_t peak;
    double sum;
    size_t samples;
};

/* References of class 0 hold no more than 128 × 128 samples, the upper left ones, and those of 12 bits the upper 8. */
static void add_errors(const struct decoded *decoded, uint32_t component, const struct j2k_reference *reference,
    uint32_t channel, bool class_0_only, struct error *error)
{
    struct j2k_rect area = decoded->area[component];
    uint32_t shift = class_0_only && decoded->depth > 8 ? decoded->depth - 8U : 0;
    uint32_t width = area.x1 - area.x0, height = area.y1 - area.y0;
    assert_int_equal(reference->width, class_0_only && width > 128 ? 128 : width);
    assert_int_equal(reference->height, class_0_only && height > 128 ? 128 : height);
    for (uint32_t y = 0; y < reference->height; y++) {
        for (uint32_t x = 0; x < reference->width; x++) {
            size_t at = (size_t)y * reference->width + x;
            int32_t expected = j2k_reference_at(reference, at * reference->channels + channel);
            int32_t found = decoded->sample[component][(size_t)y * width + x] >> shift;
            uint32_t difference = (uint32_t)abs(found - expected);
            error->peak = difference > error->peak ? difference : error->peak;
            error->sum += (double)difference * difference;
            error->samples++;
        }
    }
}

/* A row of docs/conformance.md. */
static void tell_row(const struct j2k_tolerance *tolerance, const struct error *error)
{
    char number[16];
    snprintf(number, sizeof number, "%d", tolerance->component);
    const char *component = tolerance->component == J2K_CLASS_0_COMPONENT ? "0, not transformed"
                            : tolerance->component == J2K_ALL_COMPONENTS  ? "all"
                                                                          : number;
    const char *folder = strrchr(tolerance->stream, '/');
    printf("| %s | %u | %s | %u | %u | %.4f | %.3f |%s\n", folder ? folder + 1 : tolerance->stream, tolerance->reduce,
        component, (unsigned)error->peak, (unsigned)tolerance->peak, error->sum / (double)error->samples,
        tolerance->mse,
        !device                 ? ""
        : used > KST_DEVICE_CPU ? " device |"
                                : " cpu |");
}

static bool tell(const struct j2k_tolerance *tolerance, const struct error *error)
{
    double mse = error->sum / (double)error->samples;
    bool fine = error->peak <= tolerance->peak && mse <= tolerance->mse;
    if (getenv("KOSTKA_TABLE"))
        tell_row(tolerance, error);
    printf("%-12s %-14s peak %3u of %3u, MSE %9.4f of %9.3f%s\n", tolerance->stream, tolerance->reference,
        (unsigned)error->peak, (unsigned)tolerance->peak, mse, tolerance->mse, fine ? "" : "  TOO FAR");
    return fine;
}

static void decode_for(const struct j2k_tolerance *tolerance, struct decoded *decoded)
{
    struct j2k_filter filter = {.reduce = tolerance->reduce};
    decode(tolerance->stream, &filter, tolerance->component == J2K_CLASS_0_COMPONENT, one, decoded);
}

static bool check_decoded(const struct j2k_tolerance *tolerance, const struct decoded *decoded)
{
    struct j2k_reference reference;
    struct error error = {0};
    j2k_reference_read(tolerance->reference, &reference);
    if (tolerance->component == J2K_ALL_COMPONENTS)
        assert_int_equal(decoded->components, reference.channels);
    for (uint32_t c = 0; c < reference.channels; c++)
        add_errors(decoded, tolerance->component > 0 ? (uint32_t)tolerance->component : c, &reference, c,
            tolerance->component == J2K_CLASS_0_COMPONENT, &error);
    free(reference.file);
    return tell(tolerance, &error);
}

static bool check(const struct j2k_tolerance *tolerance)
{
    struct decoded decoded;
    decode_for(tolerance, &decoded);
    bool fine = check_decoded(tolerance, &decoded);
    free_decoded(&decoded);
    return fine;
}

static void check_all(const struct j2k_tolerance *tolerance, size_t count)
{
    bool fine = true;
    for (size_t i = 0; i < count; i++)
        fine = check(&tolerance[i]) && fine;
    assert_true(fine);
}

static void test_class_1(void **state)
{
    (void)state;
    check_all(j2k_class_1, J2K_CLASS_1);
}

static void test_class_0(void **state)
{
    (void)state;
    check_all(j2k_class_0, J2K_CLASS_0);
}

static void test_lossless(void **state)
{
    (void)state;
    check_all(j2k_lossless, J2K_LOSSLESS);
}

/*
 * "p0_01.j2k c1p0_01_0.pgx 0 0 0 0": stream, reference, component, reduction, peak error, mean squared error. Rows of
 * the components of a picture follow each other, 0 first.
 */
static void test_made(void **state)
{
    (void)state;
    size_t length, rows = 0;
    bool fine = true;
    struct decoded decoded = {.components = 0};
    char *text = (char *)j2k_corpus_read("references", "table", &length), *rest;
    assert_non_null(text);
    text[length - 1] = 0; /* for the last line feed */
    for (char *row = strtok_r(text, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest), rows++) {
        struct j2k_tolerance tolerance = j2k_tolerance_of(row);
        if (tolerance.component == 0) {
            free_decoded(&decoded);
            decode_for(&tolerance, &decoded);
        }
        assert_in_range(tolerance.component, 0, decoded.components - 1);
        fine = check_decoded(&tolerance, &decoded) && fine;
    }
    free_decoded(&decoded);
    assert_true(fine && rows > 200);
    free(text);
}

static const char *tab_of(char **row)
{
    const char *word = strtok_r(NULL, "\t", row);
    assert_non_null(word);
    return word;
}

/*
 * Check the streams of T.814. The table beside them has stream, component, reduction, reference, peak error and mean
 * squared error; paths are made relative to the folders of the other streams.
 */
static void test_ht(void **state)
{
    (void)state;
    size_t length, rows = 0;
    bool fine = true;
    char *text = (char *)j2k_corpus_read("ht", "tolerances.tsv", &length), *rest = NULL;
    assert_non_null(text);
    text[length - 1] = 0; /* for the last line feed */
    strtok_r(text, "\n", &rest);
    for (char *row = strtok_r(NULL, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest), rows++) {
        char stream[128], reference[128], *words;
        snprintf(stream, sizeof stream, "../ht/streams/%s", strtok_r(row, "\t", &words));
        struct j2k_tolerance tolerance = {.stream = stream, .reference = reference};
        tolerance.component = (int)strtol(tab_of(&words), NULL, 10);
        tolerance.reduce = (uint8_t)strtoul(tab_of(&words), NULL, 10);
        snprintf(reference, sizeof reference, "../ht/%s", tab_of(&words));
        tolerance.peak = (uint32_t)strtoul(tab_of(&words), NULL, 10);
        tolerance.mse = strtod(tab_of(&words), NULL);
        fine = check(&tolerance) && fine;
    }
    assert_true(fine && rows > 100);
    free(text);
}

static uint32_t random_state = 5;

/* A part of component `c` is the same as in the whole picture. */
static void compare_part(const struct decoded *whole, const struct decoded *part, uint32_t c)
{
    struct j2k_rect area = part->area[c], all = whole->area[c];
    for (uint32_t y = area.y0; y < area.y1; y++)
        for (uint32_t x = area.x0; x < area.x1; x++)
            assert_int_equal(part->sample[c][(y - area.y0) * width_of(area) + (x - area.x0)],
                whole->sample[c][(y - all.y0) * width_of(all) + (x - all.x0)]);
}

static const char *const part_streams[] = {
    "p0_04.j2k", "p0_06.j2k", "p0_10.j2k", "p1_01.j2k", "p1_03.j2k", "p1_05.j2k", "p1_07.j2k", "e1_colr.j2c"};

static const char *const ht_part_streams[] = {"../ht/streams/ds0_ht_04_b12.j2k", "../ht/streams/ds0_hm_06_b18.j2k",
    "../ht/streams/ds0_ht_10_b11.j2k", "../ht/streams/ds1_ht_05_b11.j2k",
    "../ht/streams/sigprop_refinement_overlap.j2k"};

static void compare_regions(const char *stream, uint8_t reduce)
{
    struct j2k_filter filter = {.reduce = reduce};
    struct decoded whole, part;
    decode(stream, &filter, false, three, &whole);
    struct j2k_rect image = whole.area[0];
    for (uint32_t k = 0; k < 6; k++) {
        filter.region.x0 = image.x0 + random_below(&random_state, image.x1 - image.x0);
        filter.region.y0 = image.y0 + random_below(&random_state, image.y1 - image.y0);
        filter.region.x1 = filter.region.x0 + 1 + random_below(&random_state, 40);
        filter.region.y1 = filter.region.y0 + 1 + random_below(&random_state, 40);
        decode(stream, &filter, false, one, &part);
        for (uint32_t c = 0; c < part.components; c++)
            compare_part(&whole, &part, c);
        free_decoded(&part);
    }
    free_decoded(&whole);
}

static void compare_threads(const char *stream)
{
    struct j2k_filter filter = {.layers = 0};
    struct decoded a, b;
    decode(stream, &filter, false, one, &a);
    decode(stream, &filter, false, three, &b);
    for (uint32_t c = 0; c < a.components; c++)
        assert_memory_equal(a.sample[c], b.sample[c], area_of(a.area[c]) * sizeof(int32_t));
    free_decoded(&a);
    free_decoded(&b);
}

static void test_regions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof part_streams / sizeof part_streams[0]; i++)
        for (uint8_t reduce = 0; reduce < 2; reduce++)
            compare_regions(part_streams[i], reduce);
}

static void test_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof part_streams / sizeof part_streams[0]; i++)
        compare_threads(part_streams[i]);
}

static void test_ht_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ht_part_streams / sizeof ht_part_streams[0]; i++) {
        compare_regions(ht_part_streams[i], 0);
        compare_regions(ht_part_streams[i], 1);
        compare_threads(ht_part_streams[i]);
    }
}

static const struct CMUnitTest table[] = {
    cmocka_unit_test(test_class_1),
    cmocka_unit_test(test_class_0),
    cmocka_unit_test(test_lossless),
    cmocka_unit_test(test_ht),
};
static const struct CMUnitTest made[] = {cmocka_unit_test(test_made)};
static const struct CMUnitTest parts[] = {cmocka_unit_test(test_regions), cmocka_unit_test(test_threads)};
static const struct CMUnitTest ht_parts[] = {cmocka_unit_test(test_ht_parts)};

static int run_table(void)
{
    return corpus_is_made() ? cmocka_run_group_tests(made, NULL, NULL) : cmocka_run_group_tests(table, NULL, NULL);
}

static int run_device(const char *name)
{
    device = context_create(name, 3, NULL);
    printf("%s\n", name);
    int failed = run_table();
    kst_context_destroy(&device);
    return failed;
}

static int run_gpus(void)
{
    int failed = 0;
    size_t count = kst_device_count();
    for (uint32_t i = 1; i < count; i++) {
        kst_device_info info = {.size = sizeof info};
        failed += kst_device_get(i, &info) || run_device(info.name) != 0;
    }
    return count < 2 ? skip_all("there is no GPU") : failed;
}

int main(int argc, char **argv)
{
    if (!j2k_corpus_present())
        return skip_all("there is no corpus");
    if (argc > 1)
        return strcmp(argv[1], "gpus") == 0 ? run_gpus() : run_device(argv[1]);
    struct memory pools;
    kst_memory_init(&pools, &(kst_allocator){NULL, NULL, NULL}, UINT64_MAX);
    kst_memory_init(&memory, &(kst_allocator){NULL, NULL, NULL}, kst_default_limits.memory);
    /* nothing is to be seen in one thread where they are watched */
    if (kst_pool_create(&pools, THREADS_WATCHED ? 2 : 1, &one) || kst_pool_create(&pools, 3, &three))
        return 1;
    int failed = run_table() + cmocka_run_group_tests(parts, NULL, NULL);
    failed += corpus_is_made() ? 0 : cmocka_run_group_tests(ht_parts, NULL, NULL);
    kst_pool_destroy(&one);
    kst_pool_destroy(&three);
    return failed;
}
