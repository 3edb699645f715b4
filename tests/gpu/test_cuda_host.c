/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes pinned memory by a driver that only notes its calls: large pieces are huge pages of this process that are
 * registered, all others the driver's, and each goes back the way it came.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/cuda/cuda.h"
#include "support/test.h"

enum { HUGE_PAGE = 1 << 21, REFUSED = 801 };

static struct {
    int allocated, released, registered, unregistered, depth;
    int addresses;           /* whether the device uses the host's addresses */
    cu_result register_with; /* what registering returns, as the next ones */
    cu_result allocate_with, unregister_with;
    void *memory;
    size_t length;
} driver;

static cu_result push(cu_context context)
{
    (void)context;
    driver.depth++;
    return 0;
}

static cu_result pop(cu_context *context)
{
    *context = NULL;
    driver.depth--;
    return 0;
}

static cu_result name_error(cu_result result, const char **name)
{
    (void)result;
    *name = "refused";
    return 0;
}

static cu_result tell_attribute(int *value, int attribute, cu_device device)
{
    (void)device;
    assert_int_equal(attribute, CU_REGISTERED_ADDRESSES);
    *value = driver.addresses;
    return 0;
}

static cu_result allocate(void **memory, size_t length, unsigned flags)
{
    assert_int_equal(flags, CU_HOST_ALLOC_PORTABLE);
    *memory = driver.allocate_with ? NULL : malloc(length);
    driver.allocated++;
    return driver.allocate_with;
}

static cu_result release(void *memory)
{
    free(memory);
    driver.released++;
    return 0;
}

static cu_result note(void *memory, size_t length, unsigned flags)
{
    assert_int_equal(driver.depth, 1);
    assert_int_equal(flags, CU_REGISTER_PORTABLE_MAPPED);
    driver.registered++;
    driver.memory = memory;
    driver.length = length;
    return driver.register_with;
}

static cu_result forget(void *memory)
{
    assert_ptr_equal(memory, driver.memory);
    driver.unregistered++;
    return driver.unregister_with;
}

static struct cuda cuda;

static int setup(void **state)
{
    (void)state;
    memset(&driver, 0, sizeof driver);
    driver.addresses = 1;
    cuda = (struct cuda){.base = {.backend = &kst_gpu_cuda, .process = (long)getpid()},
        .driver = {.context_push = push,
            .context_pop = pop,
            .error_name = name_error,
            .device_attribute = tell_attribute,
            .host_allocate = allocate,
            .host_release = release,
            .host_register = note,
            .host_unregister = forget}};
    return 0;
}

/* Return whether this kernel makes pages before they are touched, as Linux does from 5.14 on. */
static bool can_populate(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool good = page != MAP_FAILED && madvise(page, 4096, 23 /* MADV_POPULATE_WRITE */) == 0;

    munmap(page, 4096);
    return good;
}

static bool has_huge_pages(void)
{
    char text[64] = "";
    FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    if (file) {
        if (!fgets(text, sizeof text, file))
            text[0] = 0;
        fclose(file);
    }
    return (strstr(text, "[madvise]") || strstr(text, "[always]")) && can_populate();
}

static void take(size_t length, struct gpu_buffer *buffer)
{
    struct gpu_error error = {.status = KST_OK};
    assert_true(kst_cuda_host_take(&cuda, length, buffer, &error));
    assert_int_equal(error.status, KST_OK);
    assert_non_null(buffer->host);
    assert_int_equal(buffer->length, length);
    assert_int_equal(buffer->place, GPU_PINNED);
    assert_int_equal(buffer->handle, (uintptr_t)buffer->host);
    assert_int_equal(driver.depth, 0);
    memset(buffer->host, 1, length);
}

static void test_large(void **state)
{
    struct gpu_buffer buffer;
    size_t length = 5 * HUGE_PAGE + 1;
    (void)state;
    if (!has_huge_pages())
        skip("this system has no transparent huge pages, or makes none before they are touched");
    take(length, &buffer);
    assert_true(buffer.registered);
    assert_int_equal(driver.registered, 1);
    assert_int_equal(driver.allocated, 0);
    assert_ptr_equal(driver.memory, buffer.host);
    assert_int_equal((uintptr_t)buffer.host % HUGE_PAGE, 0);
    assert_int_equal(driver.length, 6 * HUGE_PAGE);
    kst_cuda_host_give(&cuda, &buffer);
    assert_int_equal(driver.unregistered, 1);
    assert_int_equal(driver.released, 0);
    assert_int_equal(driver.depth, 0);
}

static void expect_of_driver(size_t length, int registered)
{
    struct gpu_buffer buffer;
    take(length, &buffer);
    assert_false(buffer.registered);
    assert_int_equal(driver.registered, registered);
    assert_int_equal(driver.allocated, 1);
    kst_cuda_host_give(&cuda, &buffer);
    assert_int_equal(driver.released, 1);
    assert_int_equal(driver.unregistered, 0);
    assert_int_equal(driver.depth, 0);
}

static void test_small(void **state)
{
    (void)state;
    expect_of_driver(HUGE_PAGE, 0);
    setup(state);
    expect_of_driver(HUGE_PAGE + HUGE_PAGE / 4, 0); /* which would waste too much of the second page */
}

/* A frame of 1080p in 4:2:0 fills most of two pages. */
static void test_frame(void **state)
{
    struct gpu_buffer buffer;
    (void)state;
    if (!has_huge_pages())
        skip("this system has no transparent huge pages, or makes none before they are touched");
    take((size_t)1920 * 1080 * 3 / 2 + 128, &buffer);
    assert_true(buffer.registered);
    assert_int_equal(driver.length, 2 * HUGE_PAGE);
    kst_cuda_host_give(&cuda, &buffer);
    assert_int_equal(driver.unregistered, 1);
}

/* A driver that cannot register, such as one in some virtual machines, makes the memory itself. */
static void test_refused(void **state)
{
    (void)state;
    driver.register_with = REFUSED;
    expect_of_driver(4 * HUGE_PAGE, has_huge_pages() ? 1 : 0);
}

static void test_other_addresses(void **state)
{
    (void)state;
    driver.addresses = 0;
    expect_of_driver(4 * HUGE_PAGE, 0);
}

static void test_no_memory(void **state)
{
    struct gpu_error error = {.status = KST_OK};
    struct gpu_buffer buffer;
    (void)state;
    driver.register_with = driver.allocate_with = CU_OUT_OF_MEMORY;
    assert_false(kst_cuda_host_take(&cuda, 4 * HUGE_PAGE, &buffer, &error));
    assert_int_not_equal(error.status, KST_OK);
    assert_null(buffer.host);
    assert_int_equal(buffer.length, 0); /* as of a buffer that no pool keeps */
    assert_int_equal(driver.depth, 0);
}

/* What the driver keeps must stay mapped: reading it would end the process otherwise. */
static void test_kept(void **state)
{
    struct gpu_buffer buffer;
    (void)state;
    if (!has_huge_pages())
        skip("this system has no transparent huge pages, or makes none before they are touched");
    take(4 * HUGE_PAGE, &buffer);
    driver.unregister_with = REFUSED;
    kst_cuda_host_give(&cuda, &buffer);
    assert_int_equal(buffer.host[HUGE_PAGE], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_large, setup),
        cmocka_unit_test_setup(test_small, setup),
        cmocka_unit_test_setup(test_frame, setup),
        cmocka_unit_test_setup(test_refused, setup),
        cmocka_unit_test_setup(test_other_addresses, setup),
        cmocka_unit_test_setup(test_no_memory, setup),
        cmocka_unit_test_setup(test_kept, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
