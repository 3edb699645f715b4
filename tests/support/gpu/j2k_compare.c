/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes plans on all devices, and compares samples and damage with the CPU's. */
#include "support/gpu/j2k_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "core/report.h"
#include "j2k/cpu/decode.h"
#include "j2k/cpu/host_blocks.h"
#include "j2k/gpu/decode.h"
#include "j2k/syntax/geometry.h"
#include "support/gpu/pictures.h"
#include "support/test.h"

enum { COMPONENTS_MAX = 4, GUARD = 16 };

static struct memory host;
static struct pool *threads;
static uint32_t compared;
uint32_t damaged_plans;

/* Holds planes of a picture's components, without conversion, with a guard behind each row. */
struct picture {
    kst_image image;
    struct j2k_target target[COMPONENTS_MAX];
    uint8_t *room[COMPONENTS_MAX];
};

/* Holds the CPU's result for a plan. */
struct wanted {
    const struct j2k_plan *plan;
    struct picture picture;
    kst_report report;
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
        picture->target[c] =
            (struct j2k_target){.data = plane->data, .pitch = plane->pitch, .stride = 1, .bytes = bytes};
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
        .plan = plan, .output = picture->image, .channels = picture->image.plane_count, .delivery = GPU_DELIVERY_HOST};
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
    static const char *const names[J2K_STAGES] = {
        "upload", "gather", "blocks", "store", "levels", "output", "download"};
    double sum = 0;
    printf("  %2u pictures, %2u lanes, %2d planes at once:", copies, order->lanes, (int)order->flights);
    for (int i = 0; i < J2K_STAGES; i++) {
        printf(" %s %.3f", names[i], times->stage[i] * 1e3);
        sum += i == J2K_STAGE_UPLOAD || i == J2K_STAGE_DOWNLOAD ? 0 : times->stage[i];
    }
    printf("; ms; kernels %.3f ms, %.0f pictures/s\n", sum * 1e3, copies / sum);
}

static void decode_there(const struct j2k_plan *plan, struct wanted *wanted)
{
    wanted->plan = plan;
    kst_report_init(&wanted->report);
    make_picture(plan, &wanted->picture);
    const struct operation op = {.memory = &host, .pool = threads, .tier = kst_cpu_best(), .report = &wanted->report};
    assert_int_equal(kst_j2k_cpu_decode(&op, plan, wanted->picture.target, false), KST_OK);
    damaged_plans += wanted->report.warnings > 0;
}

static void expect_damage(
    const char *name, const char *device, const kst_report *report, const struct j2k_gpu_damage *damage)
{
    if (damage->blocks != report->warnings)
        fail_msg("%s on %s: %u damaged blocks, not %u", name, device, damage->blocks, (unsigned)report->warnings);
    if (damage->blocks > 0 && damage->offset != UINT32_MAX)
        assert_int_equal(damage->offset, report->first_warning_offset);
}

/* Decode a batch on a device, `times_over` times, and note the best time of each stage. */
static void run_batch(uint32_t device, const char *name, const struct wanted *const wanted[], uint32_t count,
    const struct j2k_gpu_order *order, int times_over, struct j2k_gpu_times *best)
{
    struct j2k_gpu_item items[COPIES_MAX];
    struct picture found[COPIES_MAX];
    struct j2k_gpu_damage damage[COPIES_MAX];
    struct j2k_gpu_times times;
    struct gpu_error error;
    runtimes[device]->threads = threads;
    for (uint32_t i = 0; i < count; i++) {
        make_picture(wanted[i]->plan, &found[i]);
        items[i] = item_of(wanted[i]->plan, &found[i]);
        kst_j2k_gpu_route(runtimes[device], &items[i]);
    }
    for (int again = 0; again < times_over; again++) {
        struct j2k_gpu_job *job = kst_j2k_gpu_begin(runtimes[device], items, count, order, &error);
        if (job)
            kst_j2k_gpu_end(job, damage, &times, &error);
        expect_no_error(&error);
        for (int i = 0; i < J2K_STAGES; i++)
            best->stage[i] = again == 0 || times.stage[i] < best->stage[i] ? times.stage[i] : best->stage[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        expect_same(name, gpus[device]->info.name, &wanted[i]->picture, &found[i]);
        expect_damage(name, gpus[device]->info.name, &wanted[i]->report, &damage[i]);
        free_picture(&found[i]);
    }
    compared += count;
    renew_runtimes();
}

/* Let the host's threads decode code-blocks at the same time: first all that have bytes, then only the longest. */
static void run_host_blocks(uint32_t device, const char *name, const struct wanted *const wanted[], uint32_t count)
{
    struct j2k_gpu_order order = {
        .decode_host_blocks = kst_j2k_cpu_decode_host_blocks, .tier = kst_cpu_best(), .host_bytes = 1};
    struct j2k_gpu_times times;
    uint32_t longest = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < wanted[i]->plan->block_count; k++)
            if (wanted[i]->plan->block[k].length > longest)
                longest = (uint32_t)wanted[i]->plan->block[k].length;
    run_batch(device, name, wanted, count, &order, 1, &times);
    order.host_bytes = longest / 2 + 1;
    if (!simulated())
        run_batch(device, name, wanted, count, &order, 1, &times);
}

void compare_plan(const char *name, const struct j2k_plan *plan, uint32_t copies, bool forced)
{
    struct wanted wanted;
    const struct wanted *each[COPIES_MAX];
    struct j2k_gpu_times times;
    if (!is_testable(plan))
        return;
    decode_there(plan, &wanted);
    for (uint32_t i = 0; i < copies; i++)
        each[i] = &wanted;
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct j2k_gpu_order order = {.lanes = 0};
        run_batch(i, name, each, copies, &order, 1, &times);
        run_host_blocks(i, name, each, copies);
        for (order.flights = 1; forced && order.flights <= (simulated() ? 1 : 4); order.flights *= 4)
            run_batch(i, name, each, copies, &order, 1, &times);
    }
    free_picture(&wanted.picture);
}

void compare_batch(const char *name, const struct j2k_plan *const plans[], uint32_t count)
{
    struct wanted wanted[COPIES_MAX];
    const struct wanted *each[COPIES_MAX];
    const struct j2k_gpu_order order = {.lanes = 0};
    struct j2k_gpu_times times;
    for (uint32_t i = 0; i < count; i++) {
        decode_there(plans[i], &wanted[i]);
        each[i] = &wanted[i];
    }
    for (uint32_t i = 0; i < gpu_count; i++) {
        run_batch(i, name, each, count, &order, 1, &times);
        run_host_blocks(i, name, each, count);
    }
    for (uint32_t i = 0; i < count; i++)
        free_picture(&wanted[i].picture);
}

static void run_timed(uint32_t device, const char *name, const struct wanted *const wanted[], uint32_t copies)
{
    const char *most = getenv("KOSTKA_TEST_LANES");
    uint32_t kinds = most ? (uint32_t)strtoul(most, NULL, 10) : UINT32_MAX;
    printf("%s on %s\n", name, gpus[device]->info.name);
    for (uint32_t flights = 0; flights <= 8; flights = flights ? 2 * flights : 1)
        for (uint32_t lanes = J2K_BUNDLE / (flights ? flights : 1), k = 0; lanes > 0 && k < kinds; lanes /= 2, k++) {
            struct j2k_gpu_order order = {.lanes = lanes, .flights = flights ? flights : J2K_NO_FLIGHTS};
            struct j2k_gpu_times best;
            run_batch(device, name, wanted, copies, &order, simulated() ? 1 : 4, &best);
            show_times(copies, &order, &best);
        }
}

void compare_timed(const char *name, const struct j2k_plan *plan, uint32_t copies)
{
    struct wanted wanted;
    const struct wanted *each[COPIES_MAX];
    if (!is_testable(plan))
        return;
    decode_there(plan, &wanted);
    for (uint32_t i = 0; i < copies; i++)
        each[i] = &wanted;
    for (uint32_t i = 0; i < gpu_count; i++)
        run_timed(i, name, each, copies);
    free_picture(&wanted.picture);
}

bool compare_stream(
    const char *name, const uint8_t *data, size_t length, const struct j2k_filter *filter, uint32_t copies, bool timed)
{
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    kst_report_init(&report);
    const struct operation op = {.memory = &host, .limits = &kst_default_limits, .report = &report};
    if (kst_j2k_parse(&op, data, length, &stream))
        return false;
    bool built = !kst_j2k_plan_build(&op, &stream, filter, &plan);
    if (built) {
        if (timed)
            compare_timed(name, &plan, copies);
        else
            compare_plan(name, &plan, copies, false);
        kst_j2k_plan_release(&host, &plan);
    }
    kst_j2k_stream_release(&host, &stream);
    return built;
}

int open_comparison(void **state)
{
    kst_memory_init(&host, &(kst_allocator){NULL, NULL, NULL}, kst_default_limits.memory);
    assert_int_equal(kst_pool_create(&host, 2, &threads), KST_OK);
    return open_pictures(state);
}

int close_comparison(void **state)
{
    kst_pool_destroy(&threads);
    printf("%u pictures compared\n", (unsigned)compared);
    return host.used == 0 ? close_pictures(state) : -1;
}
