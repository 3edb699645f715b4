/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices that fail in the middle, memory that runs out, processes that fork: an error for all concerned, nothing lost.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/context.h"
#include "device/runtime.h"
#include "run/device.h"
#include "support/context.h"
#include "support/failing_allocator.h"
#include "support/gpu/broken_device.h"
#include "support/gpu/contexts.h"
#include "support/j2k/coded.h"
#include "support/test.h"

enum { PICTURES = 5, WIDTH = 30, HEIGHT = 22, FEW = 3 };

static kst_buffer stream[PICTURES]; /* the last is progressive */
static kst_buffer ht[PICTURES];     /* HTJ2K, in two parts, which begin at the same time */

static int start(void **state)
{
    start_contexts(state);
    for (uint32_t i = 0; i < PICTURES; i++) {
        kst_encode_options options;
        kst_encode_options_init(&options);
        options.coding = i + 1 == PICTURES ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE;
        stream[i] = encode_noise(WIDTH + i, HEIGHT, &options);
        kst_j2k_options j2k;
        kst_j2k_options_init(&j2k);
        j2k.style = KST_J2K_HT;
        options = j2k_coding(&j2k);
        ht[i] = encode_noise(WIDTH + i, HEIGHT, &options);
    }
    return 0;
}

static int stop(void **state)
{
    for (uint32_t i = 0; i < PICTURES; i++) {
        kst_buffer_release(cpu_context, &stream[i]);
        kst_buffer_release(cpu_context, &ht[i]);
    }
    return stop_contexts(state);
}

/* Return how far apart the calls are that fail: each of them does, or every third one. */
static int call_step(void)
{
    return fewer_cases() ? FEW : 1;
}

struct set {
    kst_image image[PICTURES];
    kst_decode_item item[PICTURES];
};

static void make_set(struct set *set, const kst_buffer *streams, kst_memory memory)
{
    for (uint32_t i = 0; i < PICTURES; i++) {
        kst_image_init(&set->image[i]);
        set->image[i].memory = i % 2 ? memory : KST_MEMORY_HOST;
        set->item[i] = (kst_decode_item){.data = streams[i].data, .length = streams[i].length, .image = &set->image[i]};
    }
}

/*
 * Check that each picture was decoded, or reports that the device failed and has no buffers. Returns how many failed.
 */
static uint32_t check_set(kst_context *context, struct set *set)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < PICTURES; i++) {
        const kst_report *report = &set->item[i].report;
        if (report->status) {
            assert_int_equal(report->status, KST_ERROR_DEVICE_FAILED);
            assert_non_null(strstr(report->message, "injected"));
            assert_non_null(strstr(report->message, context->device));
            assert_null(set->image[i].plane[0].data);
            failed++;
        } else {
            kst_image wanted;
            kst_image_init(&wanted);
            const kst_decode_item *item = &set->item[i];
            assert_int_equal(kst_decode(cpu_context, item->data, item->length, NULL, &wanted, NULL), KST_OK);
            expect_same_image("next to a failure", context, &wanted, &set->image[i]);
            kst_image_release(cpu_context, &wanted);
        }
        kst_image_release(context, &set->image[i]);
    }
    return failed;
}

/* Every call in turn fails once, on a context that is new each time, so that nothing is in its pool. */
static void check_device(const kst_buffer *streams)
{
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        kst_context *context = context_create(gpu_context[g]->device, 2, NULL);
        struct gpu *gpu = kst_context_gpu_if_open(context)->gpu;
        uint32_t failures = 0;
        for (int failing = 1, reached = 1; reached; failing += call_step()) {
            struct set set;
            break_device(gpu, failing);
            make_set(&set, streams, device_memory(context));
            kst_status status = kst_decode_batch(context, set.item, PICTURES);
            reached = atomic_load(&broken_device.calls) >= failing;
            mend_device(gpu);
            uint32_t failed = check_set(context, &set);
            assert_int_equal(failed == 0, !status);
            assert_true(reached || failed == 0);
            failures += failed > 0;
            assert_true(failing < 400);
        }
        assert_true(failures >= 30 / (uint32_t)call_step());
        kst_context_destroy(&context);
    }
}

static void test_device(void **state)
{
    (void)state;
    check_device(stream);
}

static void test_device_ht(void **state)
{
    (void)state;
    check_device(ht);
}

/* Encode some, with every image in plain memory; returns how many failed. Those that did not give the CPU's bytes. */
static uint32_t encode_set(kst_context *context, const kst_image *image, const kst_encode_options *options,
    const kst_buffer *wanted, uint32_t count)
{
    kst_encode_item item[PICTURES];
    uint32_t failed = 0;
    for (uint32_t i = 0; i < count; i++)
        item[i] = (kst_encode_item){.image = &image[i], .options = options};
    kst_status status = kst_encode_batch(context, item, count);
    for (uint32_t i = 0; i < count; i++) {
        failed += item[i].report.status ? 1 : 0;
        if (item[i].report.status) {
            assert_int_equal(item[i].report.status, KST_ERROR_DEVICE_FAILED);
            assert_null(item[i].output.data);
            continue;
        }
        assert_int_equal(item[i].output.length, wanted[i].length);
        assert_memory_equal(item[i].output.data, wanted[i].data, wanted[i].length);
        kst_buffer_release(context, &item[i].output);
    }
    assert_int_equal(failed == 0, !status);
    return failed;
}

/*
 * Check the same for encoding, in parts that follow each other, and with urgent queues on every device: each call in
 * turn fails, or one of `step`, and at least `least` are noticed; with fewer cases, of a third of these calls.
 */
static void check_encoding(const kst_encode_options *options, uint32_t count, int step, uint32_t least)
{
    kst_image image[PICTURES];
    kst_buffer wanted[PICTURES] = {{.data = NULL}};
    for (uint32_t i = 0; i < count; i++) {
        kst_image_init(&image[i]);
        assert_int_equal(kst_decode(cpu_context, stream[i].data, stream[i].length, NULL, &image[i], NULL), KST_OK);
        assert_int_equal(kst_encode(cpu_context, &image[i], options, &wanted[i], NULL), KST_OK);
    }
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        kst_context *context = context_create(gpu_context[g]->device, 2, NULL);
        struct gpu *gpu = kst_context_gpu_if_open(context)->gpu;
        uint32_t failures = 0;
        for (int failing = 1, reached = 1; reached; failing += step * call_step()) {
            break_device(gpu, failing);
            broken_device.backend.urges = true;
            uint32_t failed = encode_set(context, image, options, wanted, count);
            reached = atomic_load(&broken_device.calls) >= failing;
            mend_device(gpu);
            assert_true(reached || failed == 0);
            failures += failed > 0;
            assert_true(failing < 400);
        }
        assert_true(failures >= least / (uint32_t)call_step());
        kst_context_destroy(&context);
    }
    for (uint32_t i = 0; i < count; i++) {
        kst_image_release(cpu_context, &image[i]);
        kst_buffer_release(cpu_context, &wanted[i]);
    }
}

static void test_encoding(void **state)
{
    (void)state;
    check_encoding(NULL, PICTURES, 1, 15);
}

static void test_encoding_j2k(void **state)
{
    (void)state;
    kst_encode_options options = j2k_coding(NULL);
    check_encoding(&options, PICTURES, 1, 30);
}

/* HTJ2K, of which the device writes the packets, too: all that a step leaves, or at an exact rate. */
static kst_j2k_options ht_packets(bool exact_rate)
{
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.style = KST_J2K_HT;
    j2k.levels = 2; /* more levels add launches of the same kinds */
    j2k.target = exact_rate ? KST_J2K_RATIO : KST_J2K_STEP;
    j2k.value = exact_rate ? 4 : 0.5;
    return j2k;
}

static void test_encoding_ht(void **state)
{
    (void)state;
    /*
     * One picture alone has 18 failing calls by a step, and 138 at a rate; two in one part have hardly more, but take
     * long.
     */
    kst_j2k_options j2k = ht_packets(false);
    kst_encode_options options = j2k_coding(&j2k);
    check_encoding(&options, 2, 1, 10);
    j2k = ht_packets(true);
    check_encoding(&options, 1, 1, 40);
    check_encoding(&options, 2, 7, 8);
}

static kst_transcode_options to_part_1(void)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.jpeg2000.ht = KST_CHOICE_NO;
    return options;
}

/* Transcode some to Part 1; returns how many failed. Those that did not give the CPU's bytes. */
static uint32_t transcode_set(kst_context *context, const kst_buffer *wanted)
{
    const uint32_t count = fewer_cases() ? 2 : PICTURES; /* PoCL has not optimised what encodes them */
    const kst_transcode_options options = to_part_1();
    kst_transcode_item item[PICTURES];
    uint32_t failed = 0;
    for (uint32_t i = 0; i < count; i++)
        item[i] = (kst_transcode_item){.data = ht[i].data, .length = ht[i].length, .options = &options};
    kst_status status = kst_transcode_batch(context, item, count);
    for (uint32_t i = 0; i < count; i++) {
        failed += item[i].report.status ? 1 : 0;
        if (item[i].report.status) {
            assert_int_equal(item[i].report.status, KST_ERROR_DEVICE_FAILED);
            assert_null(item[i].output.data);
            continue;
        }
        assert_int_equal(item[i].output.length, wanted[i].length);
        assert_memory_equal(item[i].output.data, wanted[i].data, wanted[i].length);
        kst_buffer_release(context, &item[i].output);
    }
    assert_int_equal(failed == 0, !status);
    return failed;
}

/* The same for transcoding. */
static void test_transcoding(void **state)
{
    const kst_transcode_options options = to_part_1();
    kst_buffer wanted[PICTURES] = {{.data = NULL}};
    (void)state;
    for (uint32_t i = 0; i < PICTURES; i++)
        assert_int_equal(kst_transcode(cpu_context, ht[i].data, ht[i].length, &options, &wanted[i], NULL), KST_OK);
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        kst_context *context = context_create(gpu_context[g]->device, 2, NULL);
        struct gpu *gpu = kst_context_gpu_if_open(context)->gpu;
        uint32_t failures = 0;
        for (int failing = 1, reached = 1; reached; failing += call_step()) {
            break_device(gpu, failing);
            uint32_t failed = transcode_set(context, wanted);
            reached = atomic_load(&broken_device.calls) >= failing;
            mend_device(gpu);
            assert_true(reached || failed == 0);
            failures += failed > 0;
            assert_true(failing < 400);
        }
        assert_true(failures >= 30 / (uint32_t)call_step());
        kst_context_destroy(&context);
    }
    for (uint32_t i = 0; i < PICTURES; i++)
        kst_buffer_release(cpu_context, &wanted[i]);
}

/* Memory that the device has not: what is kept for later is released, once; then there is an error. */
static void test_no_device_memory(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        struct gpu *gpu = kst_context_gpu_if_open(gpu_context[g])->gpu;
        kst_image image;
        kst_image_init(&image);
        image.format = KST_FORMAT_RGB;
        image.width = image.height = 65535;
        image.memory = device_memory(gpu_context[g]);
        assert_int_equal(kst_image_allocate(gpu_context[g], &image), KST_ERROR_LIMIT_MEMORY);
        image.width = image.height = 1000;
        break_device(gpu, ALL_CALLS);
        assert_int_equal(kst_image_allocate(gpu_context[g], &image), KST_ERROR_DEVICE_FAILED);
        assert_null(image.plane[0].data);
        mend_device(gpu);
        break_device(gpu, 1);
        assert_int_equal(kst_image_allocate(gpu_context[g], &image), KST_OK);
        mend_device(gpu);
        kst_image_release(gpu_context[g], &image);
    }
}

/* An allocator that fails at its n-th call, for every n. */
static void check_allocator(const kst_buffer *streams, const char *device)
{
    struct failing failing = {.ever_after = false};
    kst_context *context = failing_context_on(&failing, device, 2);
    for (long n = 1, reached = 1; reached; n += call_step()) {
        struct set set;
        make_set(&set, streams, device_memory(context));
        atomic_store(&failing.calls, 0);
        atomic_store(&failing.failing, n);
        kst_status status = kst_decode_batch(context, set.item, PICTURES);
        reached = atomic_load(&failing.calls) >= n;
        atomic_store(&failing.failing, 0);
        assert_true(!status || status == KST_ERROR_MEMORY);
        assert_true(!status || reached);
        for (uint32_t i = 0; i < PICTURES; i++) {
            assert_int_equal(set.image[i].plane[0].data != NULL, !set.item[i].report.status);
            kst_image_release(context, &set.image[i]);
        }
    }
    kst_context_destroy(&context);
    assert_int_equal(atomic_load(&failing.live), 0);
}

static void test_allocator(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        check_allocator(stream, gpu_context[g]->device);
}

static void test_allocator_decoding_ht(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        check_allocator(ht, gpu_context[g]->device);
}

/* The same for encoding. Whatever fails, nothing is left. */
static void check_allocator_encoding(const char *device, const kst_image *image, const kst_encode_options *options)
{
    struct failing failing = {.ever_after = false};
    kst_context *context = failing_context_on(&failing, device, 2);
    uint32_t failures = 0;
    for (long n = 1, reached = 1; reached; n += call_step()) {
        kst_buffer found = {.data = NULL};
        atomic_store(&failing.calls, 0);
        atomic_store(&failing.failing, n);
        kst_status status = kst_encode(context, image, options, &found, NULL);
        reached = atomic_load(&failing.calls) >= n;
        atomic_store(&failing.failing, 0);
        assert_true(!status || (status == KST_ERROR_MEMORY && reached));
        assert_int_equal(found.data != NULL, !status);
        kst_buffer_release(context, &found);
        failures += status ? 1 : 0;
    }
    assert_true(failures >= 40 / (uint32_t)call_step());
    kst_context_destroy(&context);
    assert_int_equal(atomic_load(&failing.live), 0);
}

static void check_allocator_j2k(const kst_j2k_options *j2k)
{
    const kst_encode_options options = j2k_coding(j2k);
    kst_image image;
    kst_image_init(&image);
    assert_int_equal(kst_decode(cpu_context, stream[0].data, stream[0].length, NULL, &image, NULL), KST_OK);
    for (uint32_t g = 0; g < gpu_contexts; g++)
        check_allocator_encoding(gpu_context[g]->device, &image, &options);
    kst_image_release(cpu_context, &image);
}

static void test_allocator_j2k(void **state)
{
    (void)state;
    check_allocator_j2k(NULL);
}

static void test_allocator_ht(void **state)
{
    (void)state;
    for (uint32_t exact_rate = 0; exact_rate < 2; exact_rate++) {
        const kst_j2k_options j2k = ht_packets(exact_rate);
        check_allocator_j2k(&j2k);
    }
}

/* The same for transcoding, which goes on on the CPU where only the GPU's side lacks memory. */
static void check_allocator_transcoding(const char *device)
{
    const kst_transcode_options options = to_part_1();
    struct failing failing = {.ever_after = false};
    kst_context *context = failing_context_on(&failing, device, 2);
    uint32_t failures = 0;
    for (long n = 1, reached = 1; reached; n += call_step()) {
        kst_buffer found = {.data = NULL};
        atomic_store(&failing.calls, 0);
        atomic_store(&failing.failing, n);
        kst_status status = kst_transcode(context, ht[0].data, ht[0].length, &options, &found, NULL);
        reached = atomic_load(&failing.calls) >= n;
        atomic_store(&failing.failing, 0);
        assert_true(!status || (status == KST_ERROR_MEMORY && reached));
        assert_int_equal(found.data != NULL, !status);
        kst_buffer_release(context, &found);
        failures += status ? 1 : 0;
    }
    assert_true(failures >= 20 / (uint32_t)call_step());
    kst_context_destroy(&context);
    assert_int_equal(atomic_load(&failing.live), 0);
}

static void test_allocator_transcoding(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++)
        check_allocator_transcoding(gpu_context[g]->device);
}

/* Check what a child of fork() gets. */
static int decode_in_child(kst_context *context)
{
    kst_image image;
    kst_report report;
    kst_image_init(&image);
    kst_report_init(&report);
    kst_status status = kst_decode(context, stream[0].data, stream[0].length, NULL, &image, &report);
    return status == KST_ERROR_DEVICE_FAILED && strstr(report.message, "parent") ? 0 : 1;
}

static void test_fork(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_contexts; g++) {
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(decode_in_child(gpu_context[g]));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

/*
 * KOSTKA_CODERS chooses: "ht" the tests that encode or decode HTJ2K, for which PoCL compiles other kernels, "mq" the
 * rest. All run if it is not set.
 */
int main(void)
{
    const struct CMUnitTest ht_tests[] = {cmocka_unit_test(test_encoding_ht), cmocka_unit_test(test_allocator_ht),
        cmocka_unit_test(test_device_ht), cmocka_unit_test(test_allocator_decoding_ht),
        cmocka_unit_test(test_transcoding), cmocka_unit_test(test_allocator_transcoding)};
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_device), cmocka_unit_test(test_encoding),
        cmocka_unit_test(test_encoding_j2k), cmocka_unit_test(test_no_device_memory), cmocka_unit_test(test_allocator),
        cmocka_unit_test(test_allocator_j2k), cmocka_unit_test(test_fork)};
    const char *coders = getenv("KOSTKA_CODERS");
    int failed = 0;
    if (!coders || strcmp(coders, "ht") != 0)
        failed += cmocka_run_group_tests(tests, start, stop);
    if (!coders || strcmp(coders, "ht") == 0)
        failed += cmocka_run_group_tests(ht_tests, start, stop);
    return failed;
}
