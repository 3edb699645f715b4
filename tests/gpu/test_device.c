/* SPDX-License-Identifier: BSD-2-Clause */
/* The device interface, and the helpers of the kernels' language, on every device there is. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/pool.h"
#include "support/gpu/gpus.h"
#include "support/random.h"
#include "support/test.h"

extern const struct gpu_kernels kst_kernels_helpers;

enum { GROUP = 128, GROUPS = 5, ITEMS = GROUP * GROUPS, LANES = 32 };

struct bench {
    struct gpu *gpu;
    const struct gpu_backend *backend;
    struct gpu_queue queue;
    struct gpu_program program;
    struct gpu_buffer up, in, out, down;
};

static void set_up(struct bench *bench, struct gpu *gpu)
{
    struct gpu_error error = {.status = KST_OK};
    memset(bench, 0, sizeof *bench);
    bench->gpu = gpu;
    bench->backend = gpu->backend;
    bench->backend->queue_create(gpu, false, &bench->queue, &error);
    bench->backend->build(gpu, &kst_kernels_helpers, &bench->program, &error);
    bench->backend->allocate(gpu, GPU_PINNED, ITEMS * 4, &bench->up, &error);
    bench->backend->allocate(gpu, GPU_DEVICE, ITEMS * 4, &bench->in, &error);
    bench->backend->allocate(gpu, GPU_DEVICE, ITEMS * 16, &bench->out, &error);
    bench->backend->allocate(gpu, GPU_PINNED, ITEMS * 16, &bench->down, &error);
    expect_no_error(&error);
    uint32_t *values = (uint32_t *)(void *)bench->up.host;
    for (uint32_t i = 0; i < ITEMS; i++)
        values[i] = i % 7 == 0 ? next_random() % 3 : next_random();
    values[3 * GROUP + 5] = 0xFFFFFFF0;
    memset(bench->down.host, 0x55, ITEMS * 16);
    bench->backend->copy(&bench->queue, &bench->in, 0, &bench->up, 0, ITEMS * 4);
    bench->backend->fill(&bench->queue, &bench->out, 0, ITEMS * 16, 0xA5A5A5A5);
}

static void tear_down(struct bench *bench)
{
    const struct gpu_backend *backend = bench->backend;
    backend->release(bench->gpu, &bench->up);
    backend->release(bench->gpu, &bench->in);
    backend->release(bench->gpu, &bench->out);
    backend->release(bench->gpu, &bench->down);
    backend->discard(bench->gpu, &bench->program);
    backend->queue_destroy(&bench->queue);
}

/* Launch a kernel and fetch `values` words an item. */
static const uint32_t *run(
    struct bench *bench, const char *name, const struct gpu_argument *arguments, uint32_t count, uint32_t values)
{
    struct gpu_error error = {.status = KST_OK};
    struct gpu_kernel kernel;
    bench->backend->find(bench->gpu, &bench->program, name, GROUP, &kernel, &error);
    expect_no_error(&error);
    bench->backend->launch(&bench->queue, &kernel, GROUPS, arguments, count);
    bench->backend->copy(&bench->queue, &bench->down, 0, &bench->out, 0, (size_t)ITEMS * 4 * values);
    bench->backend->finish(&bench->queue);
    expect_no_error(&bench->queue.error);
    bench->backend->forget(bench->gpu, &kernel);
    return (const uint32_t *)(const void *)bench->down.host;
}

static void check_lanes(struct bench *bench)
{
    const uint32_t *in = (const uint32_t *)(const void *)bench->up.host;
    for (uint32_t shift = 0; shift < LANES; shift += 5) {
        const struct gpu_argument arguments[] = {{.buffer = &bench->in}, {.buffer = &bench->out}, {.value = shift}};
        const uint32_t *out = run(bench, "test_lanes", arguments, 3, 2);
        for (uint32_t i = 0; i < ITEMS; i++) {
            uint32_t first = i - i % LANES, ballot = 0;
            for (uint32_t lane = 0; lane < LANES; lane++)
                ballot |= (in[first + lane] & 1) << lane;
            assert_int_equal(out[2 * i], in[first + (i + shift) % LANES]);
            assert_int_equal(out[2 * i + 1], ballot);
        }
    }
}

/* A kernel reads and writes pinned buffers, in calls that are made together. Few drivers can do either. */
static void check_together(struct bench *bench)
{
    const struct gpu_backend *backend = bench->backend;
    const uint32_t *in = (const uint32_t *)(const void *)bench->up.host;
    const uint32_t *out = (const uint32_t *)(const void *)bench->down.host;
    struct gpu_error error = {.status = KST_OK};
    struct gpu_kernel kernel;
    if (!backend->maps || !backend->enter)
        return;
    backend->find(bench->gpu, &bench->program, "test_lanes", GROUP, &kernel, &error);
    expect_no_error(&error);
    memset(bench->down.host, 0, (size_t)ITEMS * 8);
    backend->enter(&bench->queue);
    backend->launch(&bench->queue, &kernel, GROUPS,
        (const struct gpu_argument[]){{.buffer = &bench->up}, {.buffer = &bench->down}, {.value = 3}}, 3);
    backend->finish_soon(&bench->queue);
    backend->leave(&bench->queue);
    expect_no_error(&bench->queue.error);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(out[(size_t)2 * i], in[i - i % LANES + (i + 3) % LANES]);
    backend->forget(bench->gpu, &kernel);
}

static void check_scan(struct bench *bench)
{
    const uint32_t *in = (const uint32_t *)(const void *)bench->up.host;
    const struct gpu_argument arguments[] = {{.buffer = &bench->in}, {.buffer = &bench->out}};
    const uint32_t *out = run(bench, "test_scan", arguments, 2, 4);
    for (uint32_t group = 0; group < GROUPS; group++) {
        uint32_t total = 0, any = 0, low = 0;
        for (uint32_t i = group * GROUP; i < (group + 1) * GROUP; i++) {
            assert_int_equal(out[4 * i], total);
            total += in[i];
            any |= in[i] > 0xFFFFFF00;
            low += in[i] & 0xFF;
        }
        for (uint32_t i = group * GROUP; i < (group + 1) * GROUP; i++) {
            assert_int_equal(out[4 * i + 1], total);
            assert_int_equal(out[4 * i + 2] != 0, any);
            assert_int_equal(out[4 * i + 3], low);
        }
    }
}

static void check_bits(struct bench *bench)
{
    const uint32_t *in = (const uint32_t *)(const void *)bench->up.host;
    struct gpu_error error = {.status = KST_OK};
    struct gpu_buffer counter = {0};
    uint32_t sum = 0, least = UINT32_MAX;
    bench->backend->allocate(bench->gpu, GPU_DEVICE, 8, &counter, &error);
    expect_no_error(&error);
    memset(bench->down.host, 0, 4);
    memset(bench->down.host + 4, 0xFF, 4);
    bench->backend->copy(&bench->queue, &counter, 0, &bench->down, 0, 8);
    const struct gpu_argument arguments[] = {{.buffer = &bench->in}, {.buffer = &bench->out}, {.buffer = &counter}};
    const uint32_t *out = run(bench, "test_bits", arguments, 3, 3);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_equal(out[3 * i], in[i] ? __builtin_clz(in[i]) : 32);
        assert_int_equal(out[3 * i + 1], __builtin_popcount(in[i]));
        assert_int_equal(out[3 * i + 2], __builtin_bswap32(in[i]));
        sum += in[i] & 3;
        least = in[i] < least ? in[i] : least;
    }
    bench->backend->copy(&bench->queue, &bench->down, 0, &counter, 0, 8);
    bench->backend->finish(&bench->queue);
    expect_no_error(&bench->queue.error);
    assert_int_equal(out[0], sum);
    assert_int_equal(out[1], least);
    bench->backend->release(bench->gpu, &counter);
}

static void test_kernels(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct bench bench;
        set_up(&bench, gpus[i]);
        check_lanes(&bench);
        check_scan(&bench);
        check_together(&bench);
        check_bits(&bench);
        tear_down(&bench);
    }
}

static void test_copies(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct bench bench;
        set_up(&bench, gpus[i]);
        const struct gpu_backend *backend = bench.backend;
        backend->copy(&bench.queue, &bench.out, 8, &bench.in, 4, 16);
        backend->copy(&bench.queue, &bench.out, 100, &bench.up, 3, 5);
        backend->copy(&bench.queue, &bench.down, 1, &bench.out, 0, 128);
        backend->finish(&bench.queue);
        expect_no_error(&bench.queue.error);
        assert_int_equal(bench.down.host[0], 0x55);
        assert_memory_equal(bench.down.host + 1 + 8, bench.up.host + 4, 16);
        assert_memory_equal(bench.down.host + 1 + 100, bench.up.host + 3, 5);
        assert_int_equal(bench.down.host[1 + 105], 0xA5);
        assert_int_equal(bench.down.host[1 + 128], 0x55);
        tear_down(&bench);
    }
}

static void test_events(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct bench bench;
        struct gpu_error error = {.status = KST_OK};
        struct gpu_event from = {0}, to = {0};
        struct gpu_queue other;
        set_up(&bench, gpus[i]);
        const struct gpu_backend *backend = bench.backend;
        backend->event_create(gpus[i], &from, &error);
        backend->event_create(gpus[i], &to, &error);
        backend->queue_create(gpus[i], false, &other, &error);
        expect_no_error(&error);
        for (int again = 0; again < 2; again++) {
            backend->record(&bench.queue, &from);
            backend->fill(&bench.queue, &bench.out, 0, ITEMS * 16, (uint32_t)again);
            backend->record(&bench.queue, &to);
            backend->wait(&other, &to);
            backend->copy(&other, &bench.down, 0, &bench.out, 0, 4);
            backend->finish(&other);
            backend->finish(&bench.queue);
            expect_no_error(&other.error);
            expect_no_error(&bench.queue.error);
            assert_int_equal(bench.down.host[0], again);
            assert_true(backend->elapsed(gpus[i], &from, &to) >= 0);
        }
        backend->queue_destroy(&other);
        backend->event_destroy(gpus[i], &from);
        backend->event_destroy(gpus[i], &to);
        tear_down(&bench);
    }
}

static void test_failures(void **state)
{
    (void)state;
    if (simulated())
        skip("the simulator takes too long");
    static const unsigned char wrong[] = "not a kernel";
    const struct gpu_kernels nonsense = {.name = "nonsense",
        .opencl = wrong,
        .opencl_end = wrong + sizeof wrong - 1,
        .cuda = wrong,
        .cuda_end = wrong + sizeof wrong - 1};
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct gpu_error error = {.status = KST_OK};
        struct gpu_program program = {0};
        assert_false(gpus[i]->backend->build(gpus[i], &nonsense, &program, &error));
        assert_int_equal(error.status, KST_ERROR_DEVICE_FAILED);
        assert_non_null(strstr(error.text, gpus[i]->info.name));

        struct bench bench;
        struct gpu_kernel kernel;
        struct gpu_error missing = {.status = KST_OK};
        set_up(&bench, gpus[i]);
        assert_false(bench.backend->find(gpus[i], &bench.program, "no_such_kernel", GROUP, &kernel, &missing));
        assert_non_null(strstr(missing.text, "no_such_kernel"));
        bench.queue.error = missing;
        bench.backend->copy(&bench.queue, &bench.down, 0, &bench.in, 0, 4);
        bench.backend->finish(&bench.queue);
        assert_int_equal(bench.down.host[0], 0x55);
        assert_string_equal(bench.queue.error.text, missing.text);
        tear_down(&bench);
    }
}

static void test_names(void **state)
{
    (void)state;
    const kst_allocator standard = {0};
    struct memory memory;
    struct gpu *gpu;
    struct gpu_error error;
    kst_memory_init(&memory, &standard, UINT64_MAX);
    assert_int_equal(kst_gpu_open(&memory, "cuda:9999", &gpu, &error), KST_ERROR_DEVICE_MISSING);
    assert_int_equal(kst_gpu_open(&memory, "opencl:9999", &gpu, &error), KST_ERROR_DEVICE_MISSING);
    assert_null(gpu);
    kst_gpu_close(&gpu);
    kst_device_info info;
    assert_false(kst_gpu_describe(9999, &info));
    for (uint32_t i = 0; i < kst_gpu_count(); i++) {
        assert_true(kst_gpu_describe(i, &info));
        assert_true(info.units > 0 && info.memory > 0 && info.model[0] && info.tier[0]);
        assert_int_equal(kst_gpu_open(&memory, info.name, &gpu, &error), KST_OK);
        assert_string_equal(gpu->info.name, info.name);
        kst_gpu_close(&gpu);
    }
    assert_int_equal(memory.used, 0);
}

static void test_pool(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++) {
        struct gpu_pool pool;
        struct gpu_error error = {.status = KST_OK};
        struct gpu_buffer a, b, c;
        assert_true(kst_gpu_pool_create(&pool, gpus[i]));
        assert_true(kst_gpu_pool_take(&pool, GPU_DEVICE, 100000, &a, &error));
        assert_true(a.length >= 100000);
        uintptr_t handle = a.handle;
        kst_gpu_pool_give(&pool, &a);
        assert_int_equal(a.length, 0);
        assert_true(kst_gpu_pool_take(&pool, GPU_PINNED, 100000, &b, &error));
        assert_non_null(b.host);
        assert_true(kst_gpu_pool_take(&pool, GPU_DEVICE, 90000, &a, &error));
        assert_true(a.handle == handle);
        assert_true(kst_gpu_pool_take(&pool, GPU_DEVICE, 90000, &c, &error));
        assert_true(c.handle != handle);
        kst_gpu_pool_give(&pool, &a);
        kst_gpu_pool_give(&pool, &b);
        kst_gpu_pool_give(&pool, &c);
        assert_int_equal(pool.count, 3);
        assert_true(kst_gpu_pool_take(&pool, GPU_DEVICE, 1000, &a, &error)); /* not one that is far too large */
        assert_int_equal(pool.count, 3);
        kst_gpu_pool_give(&pool, &a);
        kst_gpu_pool_destroy(&pool);
        expect_no_error(&error);
    }
}

static void test_fork(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct gpu_error error = {.status = KST_OK};
            struct gpu_buffer buffer;
            bool made = gpus[i]->backend->allocate(gpus[i], GPU_DEVICE, 4, &buffer, &error);
            _exit(!made && strstr(error.text, "parent") ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_copies), cmocka_unit_test(test_events), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_pool), cmocka_unit_test(test_fork)};
    return cmocka_run_group_tests(tests, open_gpus, close_gpus);
}
