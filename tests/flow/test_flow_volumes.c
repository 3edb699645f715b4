/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Volumes in flows, on the CPU, on each GPU, and on both: the results are those of single calls, even if a device
 * fails; and those that the CPU works on at once stay within the limit on memory.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/device.h"
#include "flow/flow.h"
#include "run/device.h"
#include "support/context.h"
#include "support/gpu/broken_device.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/test.h"

enum { KINDS = 3, LARGE = KINDS, LARGE_SAMPLES = 32 * 64 * 64, MOST_SAMPLES = 24 * 33 * 41, NAMES = 16 };
enum { MANY = THREADS_WATCHED ? 10 : 18 };

/* Holds volumes of three sizes and depths and a large one, their streams, and how an item ends that is no stream. */
static struct {
    kst_context *context; /* of the CPU */
    kst_volume volume[KINDS + 1];
    kst_buffer stream[KINDS + 1];
    kst_status bad;
    kst_volume_options options;
} set;

/* The devices of each flow: the CPU, each GPU, and each GPU with the CPU. */
static char names[NAMES][32];
static uint32_t name_count;

static void make_volume(uint32_t kind)
{
    kst_volume *v = &set.volume[kind];
    uint32_t seed = kind + 1;
    kst_volume_init(v);
    v->width = kind == LARGE ? 64 : kind == 0 ? 41 : 32;
    v->height = kind == LARGE ? 64 : kind == 1 ? 33 : 24;
    v->depth = 8 + 8 * kind;
    v->bits = kind == 1 ? 8 : 12;
    assert_int_equal(kst_volume_allocate(set.context, v), KST_OK);
    for (uint32_t z = 0; z < v->depth; z++)
        for (uint32_t y = 0; y < v->height; y++)
            for (uint32_t x = 0; x < v->width; x++) {
                const uint32_t value = (z * 5 + y * 3 + x + random_below(&seed, 20)) % (1U << v->bits);
                uint8_t *at = (uint8_t *)v->data + z * v->slice_pitch + y * v->pitch + x * (v->bits > 8 ? 2 : 1);
                const uint16_t wide = (uint16_t)value;
                if (v->bits > 8)
                    memcpy(at, &wide, sizeof wide);
                else
                    *at = (uint8_t)value;
            }
    assert_int_equal(kst_encode_volume(set.context, v, &set.options, &set.stream[kind], NULL), KST_OK);
}

static void name_devices(void)
{
    kst_device_info info = {.size = sizeof info};
    snprintf(names[name_count++], sizeof *names, "cpu");
    for (uint32_t i = 1; !kst_device_get(i, &info) && name_count + 2 <= NAMES; i++) {
        snprintf(names[name_count++], sizeof *names, "%s", info.name);
        snprintf(names[name_count++], sizeof *names, "%s,cpu", info.name);
    }
}

static int start(void **state)
{
    (void)state;
    set.context = cpu_context_create(2);
    kst_volume_options_init(&set.options);
    set.options.jpeg2000.levels = 2;
    for (uint32_t i = 0; i <= LARGE; i++)
        make_volume(i);
    kst_volume none;
    kst_volume_init(&none);
    set.bad = kst_decode_volume(set.context, "no stream", 9, NULL, &none, NULL);
    assert_int_not_equal(set.bad, KST_OK);
    name_devices();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    for (uint32_t i = 0; i <= LARGE; i++) {
        kst_buffer_release(set.context, &set.stream[i]);
        kst_volume_release(set.context, &set.volume[i]);
    }
    kst_context_destroy(&set.context);
    return 0;
}

/* Describes a flow of volumes by turns. Every `bad`-th stream is none. */
struct run {
    kst_flow_options options;
    kst_volume_decode_options decode;
    kst_memory memory;
    uint32_t items, bad, brought;
    atomic_uint put, wrong, failed;
    bool own;                                /* decoded into buffers of the source */
    bool large;                              /* all are the large one */
    kst_flow *_Atomic flow;                  /* to break its device, */
    uint32_t after;                          /* after so many items; 0: never */
    uint8_t samples[MANY][2 * MOST_SAMPLES]; /* own */
};
static struct run run;

static uint64_t kind_of(uint64_t index)
{
    return run.large ? LARGE : index % KINDS;
}

static bool is_bad(uint64_t index)
{
    return run.bad > 0 && index % run.bad == run.bad - 1;
}

/* Watch the first device of the flow, which no thread uses before the source has brought an item. */
static void watch_first(void)
{
    kst_flow *flow;
    while (!(flow = run.flow))
        sched_yield();
    watch_device(kst_context_gpu_if_open(flow->lane[0].context)->gpu);
}

static bool next(void *user, kst_flow_item *item)
{
    const uint32_t i = run.brought;
    const uint64_t kind = kind_of(i);
    (void)user;
    if (i == run.items)
        return false;
    if (run.after > 0 && i == 0)
        watch_first();
    if (run.after > 0 && i == run.after)
        fail_calls(ALL_CALLS);
    run.brought++;
    if (run.options.work == KST_FLOW_ENCODE_VOLUME) {
        item->volume = set.volume[kind];
        item->encode_volume = &set.options;
        return true;
    }
    item->data = is_bad(i) ? "no stream" : (const void *)set.stream[kind].data;
    item->length = is_bad(i) ? 9 : set.stream[kind].length;
    item->decode_volume = &run.decode;
    item->volume.memory = run.memory;
    if (run.own) {
        item->volume = set.volume[kind];
        item->volume.data = run.samples[i];
    }
    return true;
}

/* Return a copy of a volume in host memory, which the caller releases with the set's context. */
static kst_volume to_host(const kst_flow_item *item)
{
    const kst_volume *v = &item->volume;
    kst_volume host = *v;
    host.memory = KST_MEMORY_HOST;
    host.owned = host.data = NULL;
    assert_int_equal(kst_volume_allocate(set.context, &host), KST_OK);
    if (v->memory == KST_MEMORY_HOST) {
        for (uint32_t z = 0; z < v->depth; z++)
            memcpy(
                (uint8_t *)host.data + z * host.slice_pitch, (uint8_t *)v->data + z * v->slice_pitch, host.slice_pitch);
        return host;
    }
    for (uint32_t z = 0; z < v->depth; z++) {
        kst_image from, to;
        kst_image_init(&from);
        from = (kst_image){.size = sizeof from,
            .format = KST_FORMAT_RAW,
            .memory = v->memory,
            .width = v->width,
            .height = v->height,
            .plane_count = 1};
        from.plane[0] =
            (kst_plane){.data = v->memory == KST_MEMORY_OPENCL ? v->data : (uint8_t *)v->data + z * v->slice_pitch,
                .pitch = (ptrdiff_t)v->pitch,
                .width = v->width,
                .height = v->height,
                .depth = v->bits,
                .offset = v->offset + z * v->slice_pitch};
        to = from;
        to.memory = KST_MEMORY_HOST;
        to.plane[0].data = (uint8_t *)host.data + z * host.slice_pitch;
        to.plane[0].pitch = (ptrdiff_t)host.pitch;
        to.plane[0].offset = 0;
        assert_int_equal(kst_image_copy(item->context, &from, &to), KST_OK);
    }
    return host;
}

static bool is_decoded(const kst_flow_item *item)
{
    const kst_volume *wanted = &set.volume[kind_of(item->index)];
    if (is_bad(item->index))
        return item->report.status == set.bad;
    if (item->report.status || item->volume.depth != wanted->depth || item->volume.bits != wanted->bits)
        return false;
    kst_volume host = to_host(item);
    const bool same = memcmp(host.data, wanted->data, wanted->slice_pitch * wanted->depth) == 0;
    kst_volume_release(set.context, &host);
    return same;
}

static bool is_encoded(const kst_flow_item *item)
{
    const kst_buffer *wanted = &set.stream[kind_of(item->index)];
    return !item->report.status && item->output.length == wanted->length &&
           memcmp(item->output.data, wanted->data, wanted->length) == 0;
}

static void check(const kst_flow_item *item)
{
    run.put++;
    if (item->report.status == KST_ERROR_DEVICE_FAILED)
        run.failed++;
    else
        run.wrong += !(run.options.work == KST_FLOW_ENCODE_VOLUME ? is_encoded(item) : is_decoded(item));
}

static void run_init(kst_flow_work work, const char *devices)
{
    memset(&run, 0, sizeof run);
    run.items = MANY;
    kst_volume_decode_options_init(&run.decode);
    kst_flow_options_init(&run.options);
    run.options.work = work;
    run.options.devices = devices;
    run.options.threads = 3;
    run.options.next = next;
}

/* Run a flow. Returns how many items another device took over. */
static uint64_t run_flow(void)
{
    kst_flow_counts counts = {.size = sizeof counts};
    kst_flow_item item;
    kst_flow *flow;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_OK);
    run.flow = flow;
    while (kst_flow_take(flow, &item)) {
        check(&item);
        kst_flow_release(flow, &item);
    }
    assert_int_equal(kst_flow_count(flow, &counts), KST_OK);
    fail_calls(NO_CALLS);
    kst_flow_end(&flow);
    assert_int_equal(run.put, run.items);
    assert_int_equal(run.wrong, 0);
    return counts.moved;
}

/* All devices make the same: into memory of the flow and of the source, in order and not, with bad streams among them.
 */
static void test_works(void **state)
{
    (void)state;
    for (uint32_t d = 0; d < name_count; d++)
        for (uint32_t i = 0; i < 4; i++) {
            run_init(i % 2 ? KST_FLOW_ENCODE_VOLUME : KST_FLOW_DECODE_VOLUME, names[d]);
            run.own = run.options.in_order = i >= 2;
            run.bad = i == 2 ? 5 : 0;
            run.options.most = 8;
            assert_int_equal(run_flow(), 0);
            assert_int_equal(run.failed, 0);
        }
}

/* Volumes are made in the memory of a device, to which the CPU beside it leaves them. */
static void test_device_memory(void **state)
{
    kst_device_info info = {.size = sizeof info};
    (void)state;
    for (uint32_t d = 1; d < name_count; d++) {
        assert_int_equal(kst_device_get((d + 1) / 2, &info), KST_OK);
        run_init(KST_FLOW_DECODE_VOLUME, names[d]);
        run.memory = info.kind == KST_DEVICE_CUDA ? KST_MEMORY_CUDA : KST_MEMORY_OPENCL;
        assert_int_equal(run_flow(), 0);
        assert_int_equal(run.failed, 0);
    }
}

/* A device that fails hands its volumes to the CPU; without the CPU, they end with errors. */
static void test_failing_device(void **state)
{
    (void)state;
    for (uint32_t d = 1; d < name_count; d++)
        for (uint32_t i = 0; i < 2; i++) {
            const bool beside = strchr(names[d], ',') != NULL;
            run_init(i ? KST_FLOW_ENCODE_VOLUME : KST_FLOW_DECODE_VOLUME, names[d]);
            run.after = 5;
            run.options.most = 4;
            const uint64_t moved = run_flow();
            if (beside ? moved == 0 || run.failed > 0 : run.failed == 0)
                fail_msg("%s: %u moved, %u failed", names[d], (unsigned)moved, run.failed);
        }
}

/* Counts the volumes that are decoded at the same time. */
static struct {
    atomic_uint now, most;
} at_once;

static bool count_one(void *user, double done)
{
    (void)user;
    if (done > 0 && done < 1)
        return true;
    const uint32_t now = done < 1 ? atomic_fetch_add(&at_once.now, 1) + 1 : 0;
    if (done == 1)
        atomic_fetch_sub(&at_once.now, 1);
    if (now > at_once.most)
        at_once.most = now;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* others begin now, if they may */
    return true;
}

/* Under a limit on memory that two volumes exceed, the CPU decodes one at a time; otherwise several. */
static void test_memory(void **state)
{
    const kst_progress progress = {.size = sizeof progress, .told = count_one};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        at_once.now = at_once.most = 0;
        run_init(KST_FLOW_DECODE_VOLUME, "cpu");
        run.decode.progress = &progress;
        run.large = true;
        run.options.limits.memory = i ? 0 : LARGE_SAMPLES * 8 * 3 / 2; /* a volume takes 8 bytes for each sample */
        run_flow();
        if (i ? at_once.most < 2 : at_once.most != 1)
            fail_msg("%u volumes at once", at_once.most);
    }
}

/* What has no meaning is refused: a flow of volumes that resizes, and an item that is resized. */
static bool next_resized(void *user, kst_flow_item *item)
{
    const bool more = next(user, item);
    item->resize = user;
    return more;
}

static void test_resize(void **state)
{
    kst_resize_options resize;
    kst_flow_item item;
    kst_flow *flow;
    (void)state;
    kst_resize_options_init(&resize);
    run_init(KST_FLOW_DECODE_VOLUME, "cpu");
    run.items = 1;
    run.options.resize = &resize;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_ERROR_OPTIONS);
    run.options.resize = NULL;
    run.options.next = next_resized;
    run.options.user = &resize;
    assert_int_equal(kst_flow_start(&run.options, &flow), KST_OK);
    assert_true(kst_flow_take(flow, &item));
    assert_int_equal(item.report.status, KST_ERROR_OPTIONS);
    kst_flow_release(flow, &item);
    assert_int_equal(kst_flow_end(&flow), KST_ERROR_OPTIONS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_works),
        cmocka_unit_test(test_device_memory),
        cmocka_unit_test(test_failing_device),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_resize),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
