/* SPDX-License-Identifier: BSD-2-Clause */
/* Flows on GPUs, and on GPUs beside the CPU: the results are those of the CPU alone, even if a device fails. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow/flow.h"
#include "run/device.h"
#include "support/flow_run.h"
#include "support/gpu/broken_device.h"
#include "support/gpu/contexts.h"
#include "support/test.h"

static struct flow_set set;

static int start(void **state)
{
    start_contexts(state);
    flow_set_make(&set);
    return 0;
}

static int stop(void **state)
{
    flow_set_release(&set);
    return stop_contexts(state);
}

/* The names of a GPU, alone or with the CPU beside it. */
static const char *devices_of(uint32_t g, bool beside)
{
    static char names[64];
    snprintf(names, sizeof names, "%s%s", gpu_context[g]->device, beside ? ",cpu" : "");
    return names;
}

static void test_works(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (uint32_t i = 0; i < 4; i++) {
            struct flow_run run;
            flow_run_init(&run, &set, i & 1 ? KST_FLOW_CONVERT : KST_FLOW_DECODE, 70);
            run.options.devices = devices_of(g, i > 0);
            run.options.in_order = run.damaged = i & 2;
            kst_status status = flow_run(&run);
            assert_int_equal(!status, i < 2);
            assert_int_equal(run.brought, 70);
        }
}

/* Streams become JPEG 2000 by way of the device's memory. */
static void test_convert(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        struct flow_run run;
        kst_encode_options encode;
        kst_encode_options_init(&encode);
        encode.codec = KST_CODEC_JPEG2000;
        flow_run_init(&run, &set, KST_FLOW_CONVERT, 20);
        run.options.encode = &encode;
        run.options.devices = devices_of(g, false);
        assert_int_equal(flow_run(&run), KST_OK);
    }
}

/* The set's streams of JPEG 2000 by turns. */
static bool next_j2k(void *user, kst_flow_item *item)
{
    struct flow_run *run = user;
    const kst_buffer *stream = &set.stream[run->brought % 6 * 3 + 2];
    item->user = (void *)(uintptr_t)stream;
    item->data = stream->data;
    item->length = stream->length;
    return run->brought++ < run->items;
}

/* A sink that counts what GPUs have coded again. */
static struct {
    bool (*put)(void *user, kst_flow_item *item);
    atomic_uint by_gpu;
} recoded;

static bool put_recoded(void *user, kst_flow_item *item)
{
    recoded.by_gpu += item->report.stage_device[KST_STAGE_ENTROPY] > KST_DEVICE_CPU;
    return recoded.put(user, item);
}

/* Streams become HTJ2K on a GPU, alone and with the CPU beside it. A GPU that would have nothing to do is refused. */
static void test_transcode(void **state)
{
    kst_transcode_options there;
    kst_flow *flow;
    (void)state;
    kst_transcode_options_init(&there);
    there.jpeg2000.ht = KST_CHOICE_YES;
    for (uint32_t i = 0; i < 2 * gpu_contexts; i++) {
        struct flow_run run;
        flow_run_init(&run, &set, KST_FLOW_TRANSCODE, 40);
        run.options.devices = devices_of(i / 2, i & 1);
        assert_int_equal(kst_flow_start(&run.options, &flow), KST_ERROR_OPTIONS);
        run.options.transcode = &there;
        run.options.next = next_j2k;
        recoded.put = run.options.put;
        recoded.by_gpu = 0;
        run.options.put = put_recoded;
        assert_int_equal(kst_flow_start(&run.options, &flow), KST_OK);
        assert_int_equal(kst_flow_end(&flow), KST_OK);
        assert_int_equal(run.put, 40);
        assert_int_equal(run.wrong, 0);
        assert_true(i & 1 ? recoded.by_gpu > 0 : recoded.by_gpu == 40);
    }
}

/* A sink that sees to it that the device resized. */
static struct {
    bool (*put)(void *user, kst_flow_item *item);
    kst_device_kind kind;
} resized;

static bool put_resized(void *user, kst_flow_item *item)
{
    assert_int_equal(item->report.stage_device[KST_STAGE_RESIZE], resized.kind);
    return resized.put(user, item);
}

/* Resized on the way by the device. */
static void test_resize(void **state)
{
    kst_resize_options resize;
    (void)state;
    kst_resize_options_init(&resize);
    resize.width = 40;
    for (uint32_t i = 0; i < 2 * gpu_contexts; i++) {
        struct flow_run run;
        flow_run_init(&run, &set, i & 1 ? KST_FLOW_CONVERT : KST_FLOW_DECODE, 30);
        resize.height = i & 1 ? 24 : 0; /* some are cut first */
        resize.fit = i & 1 ? KST_RESIZE_COVER : KST_RESIZE_EXACT;
        run.options.resize = &resize;
        run.options.devices = devices_of(i / 2, false);
        resized.put = run.options.put;
        resized.kind = kst_context_gpu_if_open(gpu_context[i / 2])->gpu->info.kind;
        run.options.put = put_resized;
        assert_int_equal(flow_run(&run), KST_OK);
    }
}

static bool no_next(void *user, kst_flow_item *item)
{
    (void)user, (void)item;
    return false;
}

/* "all" stands for GPUs of one kind and the CPU, and not for a processor that OpenCL drives. */
static void test_all(void **state)
{
    kst_device_info info = {.size = sizeof info};
    kst_device_kind kind = KST_DEVICE_NONE;
    kst_flow_options options;
    kst_flow *flow;
    uint32_t gpus = 0, lanes = 0;
    (void)state;
    for (uint32_t i = 0; !kst_device_get(i, &info); i++) {
        assert_false(info.gpu && info.kind == KST_DEVICE_CPU);
        kind = kind == KST_DEVICE_NONE && info.gpu ? info.kind : kind;
        gpus += info.gpu && info.kind == kind;
    }
    kst_flow_options_init(&options);
    options.devices = "all";
    options.next = no_next;
    assert_int_equal(kst_flow_start(&options, &flow), KST_OK);
    for (; kst_flow_context(flow, lanes); lanes++) {
        assert_int_equal(kst_context_device(kst_flow_context(flow, lanes), &info), KST_OK);
        assert_int_equal(info.gpu, lanes < gpus);
    }
    assert_int_equal(lanes, gpus + 1);
    assert_int_equal(kst_flow_end(&flow), KST_OK);
}

/* A source whose images are to lie in the device's memory. */
static struct {
    bool (*next)(void *user, kst_flow_item *item);
    kst_memory memory;
} on_device;

static bool next_on_device(void *user, kst_flow_item *item)
{
    item->image.memory = on_device.memory;
    return on_device.next(user, item);
}

static void test_device_memory(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        struct flow_run run;
        flow_run_init(&run, &set, KST_FLOW_DECODE, 50);
        on_device.next = run.options.next;
        on_device.memory = device_memory(gpu_context[g]);
        run.options.next = next_on_device;
        run.options.devices = devices_of(g, true); /* the CPU must leave them alone */
        assert_int_equal(flow_run(&run), KST_OK);
    }
}

/* A source that breaks the flow's first device after some items. */
struct breaking {
    kst_flow *_Atomic flow;
    bool (*next)(void *user, kst_flow_item *item);
    uint32_t items, after;
};
static struct breaking breaking;

static bool next_and_break(void *user, kst_flow_item *item)
{
    kst_flow *flow;
    while (!(flow = breaking.flow))
        sched_yield();
    if (breaking.items == 0) /* no thread uses the device yet */
        watch_device(kst_context_gpu_if_open(flow->lane[0].context)->gpu);
    if (breaking.items++ == breaking.after)
        fail_calls(ALL_CALLS);
    return breaking.next(user, item);
}

/* Run a flow whose GPU fails. Returns how many items another device took over. */
static uint64_t run_breaking(struct flow_run *run, uint32_t after)
{
    kst_flow_counts counts = {.size = sizeof counts};
    kst_flow_item item;
    kst_flow *flow;
    breaking = (struct breaking){.next = run->options.next, .after = after};
    run->options.next = next_and_break;
    run->options.put = NULL;
    assert_int_equal(kst_flow_start(&run->options, &flow), KST_OK);
    breaking.flow = flow;
    for (; kst_flow_take(flow, &item); run->put++) {
        if (item.report.status != KST_ERROR_DEVICE_FAILED)
            flow_run_check(run, &item);
        else
            run->failed++;
        kst_flow_release(flow, &item);
    }
    assert_int_equal(kst_flow_count(flow, &counts), KST_OK);
    fail_calls(NO_CALLS);
    kst_flow_end(&flow);
    assert_int_equal(run->put, 300);
    assert_int_equal(run->wrong, 0);
    return counts.moved;
}

static void test_failing_device(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        for (uint32_t i = 0; i < 3; i++) {
            struct flow_run run;
            flow_run_init(&run, &set, i == 1 ? KST_FLOW_CONVERT : KST_FLOW_DECODE, 300);
            run.options.most = 16;
            run.options.in_order = i == 2;
            run.options.devices = devices_of(g, true);
            assert_true(run_breaking(&run, 40 * i) > 0);
            assert_int_equal(run.failed, 0);
        }
}

/* If there is no other device, each item that is left has an error. */
static void test_failing_alone(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        struct flow_run run;
        flow_run_init(&run, &set, KST_FLOW_DECODE, 300);
        run.options.most = 16;
        run.options.devices = devices_of(g, false);
        assert_int_equal(run_breaking(&run, 100), 0);
        assert_true(run.failed > 50);
    }
}

/*
 * KOSTKA_CODERS chooses: "ht" the test that encodes HTJ2K, for which PoCL compiles other kernels, "mq" the rest. All
 * run without it.
 */
int main(void)
{
    const struct CMUnitTest coder[] = {cmocka_unit_test(test_transcode)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_works),
        cmocka_unit_test(test_convert),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_device_memory),
        cmocka_unit_test(test_failing_device),
        cmocka_unit_test(test_failing_alone),
    };
    const char *coders = getenv("KOSTKA_CODERS");
    int failed = 0;
    if (!coders || strcmp(coders, "ht") != 0)
        failed += cmocka_run_group_tests(tests, start, stop);
    if (!coders || strcmp(coders, "ht") == 0)
        failed += cmocka_run_group_tests(coder, start, stop);
    return failed;
}
