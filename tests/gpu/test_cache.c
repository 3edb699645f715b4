/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that compiled programs are found again on disk, and that it does no harm if they cannot be stored. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/cache.h"
#include "support/gpu/gpus.h"
#include "support/test.h"

extern const struct gpu_kernels kst_kernels_jpeg_decode;

static char folder[200];

static int start(void **state)
{
    const char *before = getenv("XDG_CACHE_HOME"); /* where PoCL has one of its own, too */
    char pocl[600];
    snprintf(pocl, sizeof pocl, "%s/pocl/kcache", before ? before : "/tmp");
    if (before)
        setenv("POCL_CACHE_DIR", pocl, 0);
    strcpy(folder, "/tmp/kostka-cache-XXXXXX");
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    unsetenv("KOSTKA_CACHE");
    return open_gpus(state);
}

/* Call `change` for each file that is kept; returns how many there are. */
static uint32_t for_each_file(void (*change)(const char *path))
{
    char path[600];
    uint32_t count = 0;
    snprintf(path, sizeof path, "%s/kostka", folder);
    DIR *open_folder = opendir(path);
    for (struct dirent *entry; open_folder && (entry = readdir(open_folder));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/kostka/%s", folder, entry->d_name);
        assert_non_null(strstr(path, ".bin"));
        if (change)
            change(path);
        count++;
    }
    if (open_folder)
        closedir(open_folder);
    return count;
}

static void remove_file(const char *path)
{
    unlink(path);
}

static int stop(void **state)
{
    for_each_file(remove_file);
    char path[600];
    snprintf(path, sizeof path, "%s/kostka", folder);
    rmdir(path);
    rmdir(folder);
    return close_gpus(state);
}

static void cut(const char *path)
{
    assert_int_equal(truncate(path, 60), 0);
}

static void damage(const char *path)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, -200, SEEK_END);
    fwrite("damaged", 1, 7, file);
    fclose(file);
}

static void empty(const char *path)
{
    assert_int_equal(truncate(path, 0), 0);
}

/* After any of these a file counts as missing. */
static void (*const changes[])(const char *path) = {remove_file, cut, damage, empty};

static bool build(struct gpu *gpu)
{
    struct gpu_error error = {.status = KST_OK};
    struct gpu_program program = {0};
    struct gpu_kernel kernel;
    assert_true(gpu->backend->build(gpu, &kst_kernels_jpeg_decode, &program, &error));
    assert_true(gpu->backend->find(gpu, &program, "transform_blocks", 256, &kernel, &error));
    gpu->backend->forget(gpu, &kernel);
    gpu->backend->discard(gpu, &program);
    return program.cached;
}

/* PoCL keeps its programs itself, and other drivers may hand out none; Oclgrind does. */
static void test_programs(void **state)
{
    (void)state;
    for (uint32_t g = 0; g < gpu_count; g++) {
        if (gpus[g]->info.kind != KST_DEVICE_OPENCL)
            continue;
        assert_false(build(gpus[g]));
        if (for_each_file(NULL) == 0) {
            assert_false(simulated());
            assert_false(build(gpus[g]));
            continue;
        }
        assert_true(build(gpus[g]));
        for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
            for_each_file(changes[i]);
            assert_false(build(gpus[g]));
            assert_true(build(gpus[g]));
        }
        for_each_file(remove_file);
    }
}

static void test_files(void **state)
{
    static uint8_t bytes[1000];
    const kst_allocator standard = {0};
    struct gpu_cache_key key;
    struct memory memory;
    size_t length;
    (void)state;
    kst_memory_init(&memory, &standard, UINT64_MAX);
    kst_gpu_cache_key_init(&key);
    kst_gpu_cache_key_add(&key, "bytes", 5);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        kst_gpu_cache_store(&key, bytes, sizeof bytes);
        uint8_t *found = kst_gpu_cache_load(&memory, &key, &length);
        assert_non_null(found);
        assert_int_equal(length, sizeof bytes);
        assert_memory_equal(found, bytes, sizeof bytes);
        kst_memory_release(&memory, found);
        for_each_file(changes[i]);
        assert_null(kst_gpu_cache_load(&memory, &key, &length));
    }
    for_each_file(remove_file);
    assert_int_equal(memory.used, 0);
}

static void test_without(void **state)
{
    static const char *const places[] = {"/dev/null", "/proc/nowhere", "relative"};
    struct gpu_cache_key key;
    const kst_allocator standard = {0};
    struct memory memory;
    size_t length;
    (void)state;
    kst_memory_init(&memory, &standard, UINT64_MAX);
    kst_gpu_cache_key_init(&key);
    kst_gpu_cache_store(&key, (const uint8_t *)"text", 4);
    assert_true(kst_gpu_cache_is_on());
    setenv("KOSTKA_CACHE", "off", 1);
    assert_false(kst_gpu_cache_is_on());
    assert_null(kst_gpu_cache_load(&memory, &key, &length));
    unsetenv("KOSTKA_CACHE");
    uint8_t *found = kst_gpu_cache_load(&memory, &key, &length);
    assert_non_null(found);
    assert_int_equal(length, 4);
    assert_memory_equal(found, "text", 4);
    kst_memory_release(&memory, found);
    kst_gpu_cache_key_add(&key, "", 1);
    assert_null(kst_gpu_cache_load(&memory, &key, &length));
    unsetenv("HOME");
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        setenv("XDG_CACHE_HOME", places[i], 1);
        kst_gpu_cache_store(&key, (const uint8_t *)"text", 4);
        assert_null(kst_gpu_cache_load(&memory, &key, &length));
    }
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_int_equal(for_each_file(NULL), 1);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs), cmocka_unit_test(test_files), cmocka_unit_test(test_without)};
    return cmocka_run_group_tests(tests, start, stop);
}
