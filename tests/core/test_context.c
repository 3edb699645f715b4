/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests contexts: options, the environment, devices, allocations that fail, and the log. */
#include "core/context.h"

#include <stdlib.h>
#include <string.h>

#include "core/device.h"
#include "support/sanitizers.h"
#include "support/test.h"

static int clear_environment(void **state)
{
    (void)state;
    unsetenv("KOSTKA_THREADS");
    unsetenv("KOSTKA_CPU");
    unsetenv("KOSTKA_DEVICE");
    return 0;
}

static kst_status try_create(const kst_context_options *options)
{
    kst_context *context = (kst_context *)(uintptr_t)1;
    kst_status status = kst_context_create(options, &context);
    if (!status)
        assert_non_null(context);
    else
        assert_null(context);
    kst_context_destroy(&context);
    assert_null(context);
    return status;
}

static void test_defaults(void **state)
{
    (void)state;
    kst_context *context;
    assert_int_equal(kst_context_create(NULL, &context), KST_OK);
    assert_int_equal(context->tier, kst_cpu_best());
    assert_int_equal(kst_pool_threads(context->pool), kst_cpu_count());
    assert_true(context->limits.pixels == UINT64_C(1) << 29);
    assert_true(context->limits.memory == UINT64_C(4) << 30);
    assert_true(context->limits.metadata == UINT64_C(64) << 20);
    assert_int_equal(context->limits.scans, 500);
    assert_int_equal(context->limits.markers, 10000);
    kst_context_destroy(&context);
    kst_context_destroy(&context);
    kst_context_destroy(NULL);
    assert_int_equal(kst_context_create(NULL, NULL), KST_ERROR_ARGUMENT);
}

static void test_options(void **state)
{
    (void)state;
    kst_context_options options;
    kst_context_options_init(&options);
    options.threads = 3;
    options.cpu = "c";
    options.limits.scans = 7;
    options.limits.pixels = UINT64_MAX;
    kst_context *context;
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    assert_int_equal(context->tier, CPU_C);
    assert_int_equal(kst_pool_threads(context->pool), 3);
    assert_int_equal(context->limits.scans, 7);
    assert_true(context->limits.pixels == UINT64_MAX);
    kst_context_destroy(&context);

    options.size = 0;
    assert_int_equal(try_create(&options), KST_ERROR_OPTIONS);
    options.size = sizeof options + 8;
    assert_int_equal(try_create(&options), KST_ERROR_OPTIONS);
    options.size = sizeof options;
    options.threads = 1000000;
    assert_int_equal(try_create(&options), KST_ERROR_OPTIONS);
    options.threads = 1;
    options.cpu = "z80";
    assert_int_equal(try_create(&options), KST_ERROR_CPU_TIER);
}

static void test_devices(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        kst_device_kind kind;
        kst_status status;
    } cases[] = {
        {"auto", KST_DEVICE_CPU, KST_OK},
        {"cpu", KST_DEVICE_CPU, KST_OK},
        {"cuda:9999", KST_DEVICE_CUDA, KST_ERROR_DEVICE_MISSING},
        {"opencl:9999", KST_DEVICE_OPENCL, KST_ERROR_DEVICE_MISSING},
        {"", KST_DEVICE_NONE, KST_ERROR_DEVICE_NAME},
        {"CPU", KST_DEVICE_NONE, KST_ERROR_DEVICE_NAME},
        {"cpu:0", KST_DEVICE_NONE, KST_ERROR_DEVICE_NAME},
        {"cuda:", KST_DEVICE_NONE, KST_ERROR_DEVICE_NAME},
        {"cuda:x", KST_DEVICE_NONE, KST_ERROR_DEVICE_NAME},
        {"cuda:1x", KST_DEVICE_NONE, KST_ERROR_DEVICE_NAME},
        {"cuda:99999", KST_DEVICE_NONE, KST_ERROR_DEVICE_NAME},
        {"cuda1", KST_DEVICE_NONE, KST_ERROR_DEVICE_NAME},
        {"openclx", KST_DEVICE_NONE, KST_ERROR_DEVICE_NAME},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kst_device_kind kind;
        kst_status status = cases[i].kind == KST_DEVICE_NONE ? KST_ERROR_DEVICE_NAME : KST_OK;
        assert_int_equal(kst_device_kind_by_name(cases[i].name, &kind), status);
        assert_int_equal(kind, cases[i].kind);
        kst_context_options options;
        kst_context_options_init(&options);
        options.threads = 1;
        options.device = cases[i].name;
        assert_int_equal(try_create(&options), cases[i].status);
    }
    kst_device_kind kind;
    assert_int_equal(kst_device_kind_by_name("cuda", &kind), KST_OK);
    assert_int_equal(kind, KST_DEVICE_CUDA);
    assert_int_equal(kst_device_kind_by_name("opencl", &kind), KST_OK);
    assert_int_equal(kind, KST_DEVICE_OPENCL);
}

/* Whatever GPUs this machine has. */
static void test_listed_devices(void **state)
{
    (void)state;
    /* ThreadSanitizer, under which a driver compiles for minutes, watches GPUs in gpu_jobs and its like. */
    for (uint32_t i = 0; i < (THREADS_WATCHED ? 1 : kst_device_count()); i++) {
        kst_device_info info = {.size = sizeof info}, found = {.size = sizeof found};
        assert_int_equal(kst_device_get(i, &info), KST_OK);
        assert_int_equal(info.kind == KST_DEVICE_CPU, i == 0);
        kst_context_options options;
        kst_context_options_init(&options);
        options.threads = 1;
        options.device = info.name;
        kst_context *context;
        assert_int_equal(kst_context_create(&options, &context), KST_OK);
        assert_int_equal(kst_context_device(context, &found), KST_OK);
        assert_string_equal(found.name, info.name);
        assert_int_equal(found.size, sizeof found);
        kst_context_destroy(&context);
    }
}

static void test_device_info(void **state)
{
    (void)state;
    kst_device_info info = {.size = sizeof info};
    assert_true(kst_device_count() >= 1);
    assert_int_equal(kst_device_get(0, &info), KST_OK);
    assert_int_equal(info.kind, KST_DEVICE_CPU);
    assert_string_equal(info.name, "cpu");
    assert_string_equal(info.tier, kst_cpu_tier_name(kst_cpu_best()));
    assert_int_equal(info.units, kst_cpu_count());
    assert_int_equal(info.size, sizeof info);
    assert_int_equal(kst_device_get(9999, &info), KST_ERROR_DEVICE_MISSING);
    assert_int_equal(kst_device_get(0, NULL), KST_ERROR_ARGUMENT);

    kst_context_options options;
    kst_context_options_init(&options);
    options.threads = 1;
    options.cpu = "c";
    kst_context *context;
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    assert_int_equal(kst_context_device(context, &info), KST_OK);
    assert_string_equal(info.tier, "c");
    assert_int_equal(kst_context_device(NULL, &info), KST_ERROR_ARGUMENT);
    info.size = 3;
    assert_int_equal(kst_context_device(context, &info), KST_ERROR_ARGUMENT);
    assert_int_equal(kst_device_get(0, &info), KST_ERROR_ARGUMENT);
    kst_context_destroy(&context);
}

static void test_environment(void **state)
{
    (void)state;
    kst_context *context;
    setenv("KOSTKA_THREADS", "2", 1);
    setenv("KOSTKA_CPU", "c", 1);
    setenv("KOSTKA_DEVICE", "cpu", 1);
    assert_int_equal(kst_context_create(NULL, &context), KST_OK);
    assert_int_equal(kst_pool_threads(context->pool), 2);
    assert_int_equal(context->tier, CPU_C);
    kst_context_destroy(&context);

    kst_context_options options;
    kst_context_options_init(&options);
    options.threads = 3;
    options.cpu = kst_cpu_tier_name(kst_cpu_best());
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    assert_int_equal(kst_pool_threads(context->pool), 3);
    assert_int_equal(context->tier, kst_cpu_best());
    kst_context_destroy(&context);

    static const char *const wrong[] = {"0", "-1", " 2", "2x", "1025", "99999999999999999999", "x"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        setenv("KOSTKA_THREADS", wrong[i], 1);
        assert_int_equal(try_create(NULL), KST_ERROR_OPTIONS);
    }
    setenv("KOSTKA_THREADS", "", 1);
    assert_int_equal(try_create(NULL), KST_OK);
    setenv("KOSTKA_CPU", "abacus", 1);
    assert_int_equal(try_create(NULL), KST_ERROR_CPU_TIER);
    setenv("KOSTKA_CPU", "", 1);
    setenv("KOSTKA_DEVICE", "cuda:3333", 1);
    assert_int_equal(try_create(NULL), KST_ERROR_DEVICE_MISSING);
    setenv("KOSTKA_DEVICE", "abacus", 1);
    assert_int_equal(try_create(NULL), KST_ERROR_DEVICE_NAME);
}

struct allocations {
    int left; /* allocations until they fail */
    int alive;
};

static void *limited_allocate(void *user, size_t length)
{
    struct allocations *allocations = user;
    if (allocations->left-- <= 0)
        return NULL;
    allocations->alive++;
    return malloc(length);
}

static void limited_release(void *user, void *memory)
{
    struct allocations *allocations = user;
    allocations->alive--;
    free(memory);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    struct allocations allocations = {0};
    kst_context_options options;
    kst_context_options_init(&options);
    options.threads = 2;
    options.allocator = (kst_allocator){limited_allocate, limited_release, &allocations};
    kst_status status = KST_ERROR_MEMORY;
    for (int count = 0; status == KST_ERROR_MEMORY; count++) {
        allocations.left = count;
        status = try_create(&options);
        assert_int_equal(allocations.alive, 0);
        assert_true(count < 100);
    }
    assert_int_equal(status, KST_OK);
    options.allocator.release = NULL;
    assert_int_equal(try_create(&options), KST_ERROR_OPTIONS);
}

struct lines {
    int count;
    kst_log_level level;
    char line[600];
};

static void keep_line(void *user, kst_log_level level, const char *line)
{
    struct lines *lines = user;
    lines->count++;
    lines->level = level;
    strncpy(lines->line, line, sizeof lines->line - 1);
}

static void test_log(void **state)
{
    (void)state;
    struct lines lines = {0};
    kst_context_options options;
    kst_context_options_init(&options);
    options.threads = 1;
    options.log = (kst_log){keep_line, &lines, KST_LOG_WARNING};
    kst_context *context;
    assert_int_equal(kst_context_create(&options, &context), KST_OK);
    assert_int_equal(lines.count, 0);
    kst_context_log(context, KST_LOG_INFO, "no");
    assert_int_equal(lines.count, 0);
    kst_context_log(context, KST_LOG_ERROR, "%d%s", 4, "2");
    assert_int_equal(lines.count, 1);
    assert_int_equal(lines.level, KST_LOG_ERROR);
    assert_string_equal(lines.line, "42");
    char longest[2000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    kst_context_log(context, KST_LOG_WARNING, "%s", longest);
    assert_int_equal(lines.count, 2);
    kst_context_destroy(&context);
}

static void test_buffer_release(void **state)
{
    (void)state;
    kst_context *context;
    assert_int_equal(kst_context_create(NULL, &context), KST_OK);
    uint8_t mine[4] = {1};
    kst_buffer buffer = {.data = mine, .length = 4, .capacity = 4};
    kst_buffer_release(context, &buffer);
    assert_null(buffer.data);
    kst_buffer_release(context, &buffer);
    buffer.data = kst_memory_array(&context->memory, 10, 1, NULL);
    buffer.owned = true;
    uint64_t used = context->memory.used;
    kst_buffer_release(context, &buffer);
    assert_true(context->memory.used < used);
    assert_false(buffer.owned);
    kst_buffer_release(context, NULL);
    kst_context_destroy(&context);
}

static void test_version(void **state)
{
    (void)state;
    assert_int_equal(kst_version(), KST_VERSION_NUMBER);
    assert_string_equal(kst_version_string(), KST_VERSION_STRING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_defaults, clear_environment),
        cmocka_unit_test_setup(test_options, clear_environment),
        cmocka_unit_test_setup(test_devices, clear_environment),
        cmocka_unit_test_setup(test_listed_devices, clear_environment),
        cmocka_unit_test_setup(test_device_info, clear_environment),
        cmocka_unit_test_setup(test_environment, clear_environment),
        cmocka_unit_test_setup(test_allocation_failures, clear_environment),
        cmocka_unit_test_setup(test_log, clear_environment),
        cmocka_unit_test_setup(test_buffer_release, clear_environment),
        cmocka_unit_test_setup(test_version, clear_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
