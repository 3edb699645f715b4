/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every device must decode JPEG 2000 to the samples that the CPU does, and count the same damage: the conformance
 * streams whole, in parts and damaged, and made code-blocks of all styles. With arguments: those files on every device,
 * a number of copies of each at once (KOSTKA_TEST_COPIES), with the device's times; of sizes of bundles so many from
 * the largest on (KOSTKA_TEST_LANES).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../codec/j2k_corpus.h"
#include "../stages/j2k_model.h"
#include "core/context.h"
#include "core/cpu.h"
#include "core/report.h"
#include "cpu/j2k_decode.h"
#include "gpu/j2k_decode.h"
#include "gpus.h"
#include "j2k/build.h"
#include "j2k/geometry.h"
#include "random.h"
#include "support.h"

enum { COMPONENTS_MAX = 4, COPIES_MAX = 64, GUARD = 16 };

static struct memory memory;
static struct pool *threads;
static struct gpu_executor *executors[MOST_GPUS];
static uint32_t compared, damaged;

/* Planes of a picture's components, as they are, with a guard behind each row. */
struct picture {
    kst_image image;
    struct j2k_target target[COMPONENTS_MAX];
    uint8_t *room[COMPONENTS_MAX];
};

static size_t plane_length(const kst_plane *plane)
{
    return (size_t)plane->pitch * plane->height;
}

static void make_picture(const struct j2k_plan *plan, struct picture *picture)
{
    *picture = (struct picture){.image = {.size = sizeof picture->image, .format = KST_FORMAT_RAW}};
    kst_image *image = &picture->image;
    image->plane_count = plan->component_count < COMPONENTS_MAX ? plan->component_count : COMPONENTS_MAX;
    for (uint32_t c = 0; c < image->plane_count; c++) {
        const struct j2k_component *component = &plan->component[c];
        struct j2k_rect area = component->area;
        uint8_t bytes = component->depth > 16 ? 4 : component->depth > 8 ? 2 : 1;
        kst_plane *plane = &image->plane[c];
        *plane = (kst_plane){.width = area.x1 - area.x0, .height = area.y1 - area.y0, .depth = component->depth};
        plane->pitch = (ptrdiff_t)plane->width * bytes + GUARD;
        picture->room[c] = malloc(plane_length(plane) + 1);
        assert_non_null(picture->room[c]);
        memset(picture->room[c], 0xA5, plane_length(plane));
        plane->data = picture->room[c];
        picture->target[c] = (struct j2k_target){.data = plane->data, .pitch = plane->pitch, .step = 1, .bytes = bytes};
    }
}

static void free_picture(struct picture *picture)
{
    for (uint32_t c = 0; c < picture->image.plane_count; c++)
        free(picture->room[c]);
}

static bool is_testable(const struct j2k_plan *plan)
{
    if (plan->component_count > COMPONENTS_MAX)
        return false;
    for (uint32_t c = 0; c < plan->component_count; c++)
        if (!plan->component[c].wanted || j2k_is_empty(plan->component[c].area))
            return false;
    return true;
}

static struct j2k_gpu_item item_of(const struct j2k_plan *plan, const struct picture *picture)
{
    struct j2k_gpu_item item = {
        .plan = plan, .output = picture->image, .channels = picture->image.plane_count, .sink = JPEG_SINK_HOST};
    for (uint32_t c = 0; c < item.channels; c++)
        item.channel[c].component = c;
    return item;
}

static void expect_same(const char *name, const char *device, const struct picture *wanted, const struct picture *found)
{
    for (uint32_t c = 0; c < wanted->image.plane_count; c++) {
        const kst_plane *plane = &wanted->image.plane[c];
        if (memcmp(plane->data, found->image.plane[c].data, plane_length(plane)) == 0)
            continue;
        const uint8_t *a = plane->data, *b = found->image.plane[c].data;
        size_t at = 0, count = 0;
        for (size_t i = plane_length(plane); i-- > 0;)
            if (a[i] != b[i]) {
                at = i;
                count++;
            }
        fail_msg("%s on %s: component %u differs in %zu bytes, first at row %zu, byte %zu: %u, not %u", name, device, c,
            count, at / (size_t)plane->pitch, at % (size_t)plane->pitch, b[at], a[at]);
    }
}

static void show_times(uint32_t copies, const struct j2k_gpu_order *order, const struct j2k_gpu_times *times)
{
    static const char *const names[J2K_STEPS] = {"upload", "gather", "blocks", "store", "levels", "output", "download"};
    double sum = 0;
    printf("  %2u pictures, %2u lanes, %2d planes at once:", copies, order->lanes, (int)order->flights);
    for (int i = 0; i < J2K_STEPS; i++) {
        printf(" %s %.3f", names[i], times->step[i] * 1e3);
        sum += i == J2K_STEP_UPLOAD || i == J2K_STEP_DOWNLOAD ? 0 : times->step[i];
    }
    printf("; ms; kernels %.3f ms, %.0f pictures/s\n", sum * 1e3, copies / sum);
}

static void open_executor(uint32_t device)
{
    struct gpu_error error = {.status = KST_OK};
    if (kst_gpu_executor_create(&memory, gpus[device]->info.name, &executors[device], &error) != KST_OK)
        fail_msg("%s", error.text);
}

/* The simulator takes what is in a buffer that is used again for uninitialised. */
static void forget_buffers(uint32_t device)
{
    if (!simulated())
        return;
    kst_gpu_executor_destroy(&executors[device]);
    open_executor(device);
}

/* `copies` of a plan at once on a device. */
static void run_device(uint32_t device, const char *name, const struct j2k_plan *plan, const struct picture *wanted,
    const kst_report *report, uint32_t copies, const struct j2k_gpu_order *order, bool timed)
{
    struct j2k_gpu_item items[COPIES_MAX];
    struct picture found[COPIES_MAX];
    struct j2k_gpu_damage damage[COPIES_MAX];
    struct j2k_gpu_times times, best;
    struct gpu_error error;
    for (uint32_t i = 0; i < copies; i++) {
        make_picture(plan, &found[i]);
        items[i] = item_of(plan, &found[i]);
        kst_gpu_j2k_route(executors[device], &items[i]);
    }
    for (int again = 0; again < (timed && !simulated() ? 4 : 1); again++) {
        struct j2k_job *job = kst_gpu_j2k_begin(executors[device], items, copies, order, &error);
        if (job)
            kst_gpu_j2k_end(job, damage, &times, &error);
        expect_no_error(&error);
        for (int i = 0; i < J2K_STEPS; i++)
            best.step[i] = again == 0 || times.step[i] < best.step[i] ? times.step[i] : best.step[i];
    }
    for (uint32_t i = 0; i < copies; i++) {
        expect_same(name, gpus[device]->info.name, wanted, &found[i]);
        if (damage[i].blocks != report->warnings)
            fail_msg("%s on %s: %u damaged blocks, not %u", name, gpus[device]->info.name, damage[i].blocks,
                (unsigned)report->warnings);
        if (damage[i].blocks > 0 && damage[i].offset != UINT32_MAX)
            assert_int_equal(damage[i].offset, report->first_warning_offset);
        free_picture(&found[i]);
    }
    compared += copies;
    forget_buffers(device);
    if (timed)
        show_times(copies, order, &best);
}

/* Blocks of a bundle, and planes of a block at once: all there are, to be timed. */
static void run_timed(uint32_t device, const char *name, const struct j2k_plan *plan, const struct picture *wanted,
    const kst_report *report, uint32_t copies)
{
    const char *most = getenv("KOSTKA_TEST_LANES");
    uint32_t kinds = most ? (uint32_t)strtoul(most, NULL, 10) : UINT32_MAX;
    printf("%s on %s\n", name, gpus[device]->info.name);
    for (uint32_t flights = 0; flights <= 8; flights = flights ? 2 * flights : 1)
        for (uint32_t lanes = J2K_BUNDLE / (flights ? flights : 1), k = 0; lanes > 0 && k < kinds; lanes /= 2, k++) {
            struct j2k_gpu_order order = {.lanes = lanes, .flights = flights ? flights : J2K_NO_FLIGHTS};
            run_device(device, name, plan, wanted, report, copies, &order, true);
        }
}

/* The damage that building met is another matter. `forced`: planes of all blocks at once, whether it pays or not. */
static void compare_plan(const char *name, const struct j2k_plan *plan, uint32_t copies, bool forced, bool timed)
{
    struct picture wanted;
    kst_report report;
    if (!is_testable(plan))
        return;
    kst_report_init(&report);
    make_picture(plan, &wanted);
    assert_int_equal(
        kst_j2k_cpu_decode(&memory, threads, plan, wanted.target, kst_cpu_best(), false, NULL, &report), KST_OK);
    damaged += report.warnings > 0;
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct j2k_gpu_order order = {.lanes = 0};
        if (timed)
            run_timed(i, name, plan, &wanted, &report, copies);
        else
            run_device(i, name, plan, &wanted, &report, copies, &order, false);
        for (order.flights = 1; forced && order.flights <= (simulated() ? 1 : 4); order.flights *= 4)
            run_device(i, name, plan, &wanted, &report, copies, &order, false);
    }
    free_picture(&wanted);
}

static bool compare_filter(
    const char *name, const uint8_t *data, size_t length, const struct j2k_filter *filter, uint32_t copies, bool timed)
{
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    kst_report_init(&report);
    if (kst_j2k_parse(&memory, &kst_default_limits, data, length, &stream, &report) != KST_OK)
        return false;
    bool built = kst_j2k_plan_build(&memory, &kst_default_limits, &stream, filter, &plan, &report) == KST_OK;
    if (built) {
        compare_plan(name, &plan, copies, false, timed);
        kst_j2k_plan_release(&memory, &plan);
    }
    kst_j2k_stream_release(&memory, &stream);
    return built;
}

static const char *const streams[] = {"p0_01.j2k", "p0_02.j2k", "p0_03.j2k", "p0_04.j2k", "p0_06.j2k", "p0_09.j2k",
    "p0_10.j2k", "p0_12.j2k", "p0_14.j2k", "p0_15.j2k", "p1_01.j2k", "p1_03.j2k", "p1_05.j2k", "p1_07.j2k",
    "a1_mono.j2c", "a3_mono.j2c", "b1_mono.j2c", "d1_colr.j2c", "e1_colr.j2c", "f1_mono.j2c", "g1_colr.j2c",
    "g2_colr.j2c", "file1.jp2", "file6.jp2"};

enum { STREAMS = sizeof streams / sizeof streams[0] };

/* What the simulator can do in some seconds. */
static bool is_for_simulator(const char *name)
{
    return strcmp(name, "p0_12.j2k") == 0 || strcmp(name, "p1_07.j2k") == 0;
}

static uint8_t *load(const char *name, size_t *length)
{
    uint8_t *data = j2k_corpus_present() ? j2k_corpus_read("streams", name, length) : NULL;
    if (!data)
        skip();
    return data;
}

static void test_whole(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < STREAMS; i++) {
        size_t length;
        if (simulated() && !is_for_simulator(streams[i]))
            continue;
        uint8_t *data = load(streams[i], &length);
        struct j2k_filter filter = {.tile = J2K_ALL_TILES};
        assert_true(compare_filter(streams[i], data, length, &filter, 1, false));
        filter.reduce = 1;
        compare_filter(streams[i], data, length, &filter, 2, false);
        filter.layers = 1;
        filter.reduce = 0;
        compare_filter(streams[i], data, length, &filter, 1, false);
        free(data);
    }
}

static uint32_t random_state = 7;

static void test_regions(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < STREAMS; i++) {
        size_t length;
        if (simulated() && !is_for_simulator(streams[i]))
            continue;
        uint8_t *data = load(streams[i], &length);
        for (uint32_t k = 0; k < 3; k++) {
            struct j2k_filter filter = {.tile = J2K_ALL_TILES, .reduce = (uint8_t)(k % 2)};
            filter.region.x0 = random_below(&random_state, 300);
            filter.region.y0 = random_below(&random_state, 200);
            filter.region.x1 = filter.region.x0 + 1 + random_below(&random_state, 100);
            filter.region.y1 = filter.region.y0 + 1 + random_below(&random_state, 100);
            compare_filter(streams[i], data, length, &filter, 1, false);
        }
        free(data);
    }
}

/* Bytes changed, runs of ones, ends cut off. */
static void damage_bytes(uint8_t *data, size_t *length)
{
    size_t at = *length / 8 + random_below(&random_state, (uint32_t)(*length - *length / 8));
    switch (random_below(&random_state, 4)) {
    case 0:
        *length = at;
        break;
    case 1:
        memset(data + at, 0xFF, at + 6 < *length ? 6 : *length - at);
        break;
    default:
        for (uint32_t k = 0; k < 1 + random_below(&random_state, 8); k++)
            data[at + random_below(&random_state, (uint32_t)(*length - at))] ^=
                (uint8_t)(1u << random_below(&random_state, 8));
    }
}

static void test_damaged(void **state)
{
    (void)state;
    damaged = 0;
    for (uint32_t i = 0; i < STREAMS; i++) {
        size_t whole, length;
        bool large = strncmp(streams[i], "file", 4) == 0 || strcmp(streams[i], "p1_03.j2k") == 0;
        if (large || (simulated() && !is_for_simulator(streams[i])))
            continue;
        uint8_t *data = load(streams[i], &whole), *copy = malloc(whole);
        for (uint32_t k = 0; k < (simulated() ? 1 : 6); k++) {
            char name[64];
            struct j2k_filter filter = {.tile = J2K_ALL_TILES};
            memcpy(copy, data, whole);
            length = whole;
            damage_bytes(copy, &length);
            snprintf(name, sizeof name, "%s, damage %u", streams[i], (unsigned)k);
            compare_filter(name, copy, length, &filter, 1, false);
        }
        free(copy);
        free(data);
    }
    printf("%u streams with damaged blocks\n", (unsigned)damaged);
    assert_true(simulated() || damaged > 0);
}

/* A component that is one band, as coded, of blocks side by side; all that a plan holds of it. */
struct made {
    struct j2k_plan plan;
    struct j2k_component component;
    struct j2k_tile tile;
    struct j2k_tile_component tile_component;
    struct j2k_resolution resolution;
    struct j2k_band band;
    struct j2k_block block[8];
    struct j2k_segment segment[8 * MODEL_SEGMENTS];
    struct j2k_piece piece[2 * 8 * MODEL_SEGMENTS];
    uint8_t data[1 << 18];
};

static struct model model;

static void fill_model(uint32_t width, uint32_t height, uint32_t planes)
{
    model.width = width;
    model.height = height;
    model.planes = planes;
    for (uint32_t i = 0; i < width * height; i++) {
        uint32_t bits = random_below(&random_state, planes + 1);
        model.magnitude[i] = random_below(&random_state, 4) == 0 ? random_below(&random_state, 1u << 20) >> (20 - bits)
                                                                 : random_below(&random_state, 2);
        model.negative[i] = (uint8_t)random_below(&random_state, 2);
    }
}

/* A segment's bytes in two pieces, which are next to each other. */
static void add_segment(struct made *made, const struct j2k_codeword *codeword, bool raw)
{
    struct j2k_plan *plan = &made->plan;
    struct j2k_segment *segment = &made->segment[plan->segment_count++];
    uint32_t first = codeword->length / 3;
    *segment = (struct j2k_segment){
        .first_piece = plan->piece_count, .length = codeword->length, .passes = (uint8_t)codeword->passes, .raw = raw};
    assert_true(plan->length + codeword->length <= sizeof made->data);
    for (uint32_t at = 0, part; at < codeword->length; at += part) {
        part = at == 0 && first > 0 ? first : codeword->length - at;
        made->piece[plan->piece_count++] = (struct j2k_piece){.offset = plan->length + at, .length = part};
        segment->piece_count++;
    }
    if (codeword->length > 0)
        memcpy(made->data + plan->length, codeword->data, codeword->length);
    plan->length += codeword->length;
}

static void add_block(struct made *made, uint32_t x, uint32_t passes, uint32_t style)
{
    struct j2k_plan *plan = &made->plan;
    struct j2k_block *block = &made->block[plan->block_count++];
    model.style = style;
    model_encode(&model, passes);
    *block = (struct j2k_block){.x = x,
        .width = (uint16_t)model.width,
        .height = (uint16_t)model.height,
        .first_segment = plan->segment_count,
        .planes = (uint8_t)model.planes,
        .passes = (uint16_t)passes};
    uint32_t pass = 0;
    for (uint32_t s = 0; s < model.segment_count; s++) {
        bool raw = (style & J2K_STYLE_BYPASS) != 0 && pass >= 10 && pass % 3 != 0;
        add_segment(made, &model.segment[s], raw);
        block->length += model.segment[s].length;
        pass += model.segment[s].passes;
    }
    block->segment_count = (uint16_t)(plan->segment_count - block->first_segment);
}

static void finish_plan(
    struct made *made, uint32_t width, uint32_t height, uint32_t planes, uint32_t style, bool reversible)
{
    struct j2k_plan *plan = &made->plan;
    struct j2k_rect rect = {0, 0, width, height};
    made->component =
        (struct j2k_component){.depth = 15, .is_signed = true, .dx = 1, .dy = 1, .wanted = true, .area = rect};
    made->tile = (struct j2k_tile){.rect = rect, .layers = 1};
    made->tile_component = (struct j2k_tile_component){.rect = rect,
        .area = rect,
        .resolution_count = 1,
        .reversible = reversible,
        .style = (uint8_t)style,
        .block_width = 6,
        .block_height = 6};
    made->resolution = (struct j2k_resolution){.rect = rect, .computed = rect, .valid = rect, .band_count = 1};
    made->band.rect = made->band.window = rect;
    made->band.planes = made->band.magnitude = (uint8_t)planes;
    made->band.step = reversible ? 1.0F : 0.3F;
    made->band.block_count = plan->block_count;
    plan->data = made->data;
    plan->component = &made->component;
    plan->tile = &made->tile;
    plan->tile_component = &made->tile_component;
    plan->resolution = &made->resolution;
    plan->band = &made->band;
    plan->block = made->block;
    plan->segment = made->segment;
    plan->piece = made->piece;
    plan->component_count = plan->tile_count = plan->tile_component_count = plan->resolution_count = 1;
    plan->band_count = 1;
    plan->image = rect;
}

/* Blocks of several shapes and so many planes with all or some of their passes, in a style; `spoilt`: damaged. */
static struct made *make_blocks(uint32_t style, uint32_t planes, uint32_t orientation, bool reversible, bool spoilt)
{
    static const uint32_t shapes[][2] = {{64, 64}, {12, 23}, {5, 30}, {40, 3}, {1, 1}, {200, 12}, {17, 9}};
    struct made *made = calloc(1, sizeof *made);
    uint32_t x = 0, count = simulated() ? 2 : 7;
    assert_non_null(made);
    made->band.orientation = (uint8_t)orientation;
    model.orientation = orientation;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *shape = shapes[simulated() ? 1 + 3 * i : i];
        fill_model(shape[0], shape[1], planes);
        add_block(made, x, i % 2 ? 1 + random_below(&random_state, 3 * planes - 2) : 3 * planes - 2, style);
        x += shape[0];
    }
    for (uint32_t k = 0; spoilt && k < 3 && made->plan.length > 0; k++)
        made->data[random_below(&random_state, (uint32_t)made->plan.length)] ^=
            (uint8_t)(1 + random_below(&random_state, 255));
    finish_plan(made, x, 64, planes, style, reversible);
    return made;
}

static void compare_style(uint32_t style, uint32_t planes, uint32_t orientation, bool reversible, bool spoilt)
{
    struct made *made = make_blocks(style, planes, orientation, reversible, spoilt);
    char name[64];
    snprintf(
        name, sizeof name, "style %u, %u planes, band %u%s", style, planes, orientation, spoilt ? ", damaged" : "");
    compare_plan(name, &made->plan, 1, true, false);
    free(made);
}

/* Samples of a region of interest above `shift` planes of the others. */
static void fill_region(uint32_t width, uint32_t height, uint32_t planes, uint32_t shift)
{
    model.width = width;
    model.height = height;
    model.planes = planes + shift;
    for (uint32_t i = 0; i < width * height; i++) {
        uint64_t bits = (uint64_t)random_below(&random_state, 1U << 20) << 20 ^ random_below(&random_state, 1U << 20);
        uint32_t most = random_below(&random_state, 3) ? shift : planes;
        uint64_t magnitude = bits & ((UINT64_C(1) << random_below(&random_state, most + 1)) - 1);
        model.magnitude[i] = most == planes ? magnitude << shift : magnitude;
        model.negative[i] = (uint8_t)random_below(&random_state, 2);
    }
}

static void compare_region(uint32_t planes, uint32_t shift, uint32_t orientation)
{
    char name[64];
    struct made *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->band.orientation = (uint8_t)orientation;
    model.orientation = orientation;
    for (uint32_t i = 0; i < (simulated() ? 1 : 3); i++) {
        uint32_t all = 3 * (planes + shift) - 2;
        fill_region(12, 23, planes, shift);
        add_block(made, 12 * i, i == 1 ? 1 + random_below(&random_state, all) : all, 0);
    }
    finish_plan(made, simulated() ? 12 : 36, 23, planes + shift, 0, false);
    made->tile_component.roi_shift = (uint8_t)shift;
    made->band.step = 0x1p-2F; /* so that what is left of the lowest planes can be seen */
    made->component.depth = 31;
    snprintf(name, sizeof name, "%u planes in a region, %u outside", planes, shift);
    compare_plan(name, &made->plan, 1, true, false);
    free(made);
}

/* Regions of interest with room for all planes, and with planes left out, of which the region may have no others. */
static void test_interest(void **state)
{
    static const uint32_t planes[][2] = {{8, 9}, {3, 30}, {5, 31}, {3, 33}, {6, 37}, {36, 28}, {32, 32}};
    (void)state;
    for (size_t i = simulated() ? 3 : 0; i < (simulated() ? 4 : sizeof planes / sizeof *planes); i++)
        compare_region(planes[i][0], planes[i][1], (uint32_t)i % 4);
}

enum { MIXED = 3 };

static void run_mixed(uint32_t device, struct made *made[MIXED], const struct picture wanted[MIXED])
{
    struct picture found[MIXED];
    struct j2k_gpu_item items[MIXED];
    struct j2k_gpu_damage damage[MIXED];
    const struct j2k_gpu_order order = {.lanes = 0};
    struct j2k_gpu_times times;
    struct gpu_error error;
    for (uint32_t i = 0; i < MIXED; i++) {
        make_picture(&made[i]->plan, &found[i]);
        items[i] = item_of(&made[i]->plan, &found[i]);
        kst_gpu_j2k_route(executors[device], &items[i]);
    }
    struct j2k_job *job = kst_gpu_j2k_begin(executors[device], items, MIXED, &order, &error);
    if (job)
        kst_gpu_j2k_end(job, damage, &times, &error);
    expect_no_error(&error);
    for (uint32_t i = 0; i < MIXED; i++) {
        expect_same("mixed", gpus[device]->info.name, &wanted[i], &found[i]);
        free_picture(&found[i]);
    }
    compared += MIXED;
    forget_buffers(device);
}

/* Pictures of one batch whose blocks are decoded in different ways. */
static void test_mixed(void **state)
{
    static const uint32_t styles[MIXED] = {J2K_STYLE_RESET | J2K_STYLE_TERMALL, 0, J2K_STYLE_TERMALL};
    struct made *made[MIXED];
    struct picture wanted[MIXED];
    (void)state;
    for (uint32_t i = 0; i < MIXED; i++) {
        kst_report report;
        kst_report_init(&report);
        made[i] = make_blocks(styles[i], 4 + random_below(&random_state, 9), i, true, false);
        make_picture(&made[i]->plan, &wanted[i]);
        assert_int_equal(kst_j2k_cpu_decode(
                             &memory, threads, &made[i]->plan, wanted[i].target, kst_cpu_best(), false, NULL, &report),
            KST_OK);
    }
    for (uint32_t i = 0; i < gpu_count; i++)
        run_mixed(i, made, wanted);
    for (uint32_t i = 0; i < MIXED; i++) {
        free_picture(&wanted[i]);
        free(made[i]);
    }
}

static void test_styles(void **state)
{
    (void)state;
    damaged = 0;
    for (uint32_t style = 0; style < 64; style += simulated() ? 63 : 1) {
        compare_style(style, 4 + random_below(&random_state, 9), style % 4, style % 3 == 0, false);
        compare_style(style, 4 + random_below(&random_state, 9), (style + 1) % 4, style % 3 == 1, true);
    }
    assert_true(damaged > 0);
}

/* The most planes that samples of 16 bits have room for, that bits are turned into bytes of, and more. */
static void test_planes(void **state)
{
    static const uint32_t planes[] = {15, 16, 17, 20};
    (void)state;
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
        compare_style(0, planes[i], (uint32_t)i % 4, true, false);
        compare_style(0, planes[i], (uint32_t)i % 4, false, false);
    }
}

static int open_executors(void **state)
{
    open_gpus(state);
    kst_memory_init(&memory, &(kst_allocator){NULL, NULL, NULL}, kst_default_limits.memory);
    assert_int_equal(kst_pool_create(&memory, 2, &threads), KST_OK);
    for (uint32_t i = 0; i < gpu_count; i++)
        open_executor(i);
    return 0;
}

static int close_executors(void **state)
{
    for (uint32_t i = 0; i < gpu_count; i++)
        kst_gpu_executor_destroy(&executors[i]);
    kst_pool_destroy(&threads);
    printf("%u pictures compared\n", (unsigned)compared);
    return memory.used == 0 ? close_gpus(state) : -1;
}

static char **files;

static void test_files(void **state)
{
    (void)state;
    const char *copies = getenv("KOSTKA_TEST_COPIES");
    uint32_t count = copies ? (uint32_t)strtoul(copies, NULL, 10) : 1;
    for (char **file = files; *file; file++) {
        FILE *stream = fopen(*file, "rb");
        assert_non_null(stream);
        fseek(stream, 0, SEEK_END);
        size_t length = (size_t)ftell(stream);
        rewind(stream);
        uint8_t *data = malloc(length);
        assert_non_null(data);
        assert_int_equal(fread(data, 1, length, stream), length);
        fclose(stream);
        struct j2k_filter filter = {.tile = J2K_ALL_TILES};
        assert_true(compare_filter(*file, data, length, &filter, count < COPIES_MAX ? count : COPIES_MAX, true));
        free(data);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_styles),
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_interest),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_damaged),
    };
    const struct CMUnitTest timed[] = {cmocka_unit_test(test_files)};
    files = argv + 1;
    return argc > 1 ? cmocka_run_group_tests(timed, open_executors, close_executors)
                    : cmocka_run_group_tests(tests, open_executors, close_executors);
}
