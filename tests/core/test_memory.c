/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the memory of a context: alignment, growth, limits and allocations that fail. */
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

/* Counts what is alive; fails from call `fail_at` on; gives memory that is barely aligned and full of rubbish. */
struct counting {
    int calls;
    int alive;
    int fail_at;
};

static void *counting_allocate(void *user, size_t length)
{
    struct counting *counting = user;
    if (counting->calls++ >= counting->fail_at)
        return NULL;
    uint8_t *raw = malloc(length + 16);
    assert_non_null(raw);
    memset(raw, 0xA5, length + 16);
    counting->alive++;
    return raw + 8;
}

static void counting_release(void *user, void *memory)
{
    struct counting *counting = user;
    assert_non_null(memory);
    counting->alive--;
    free((uint8_t *)memory - 8);
}

static kst_allocator allocator_of(struct counting *counting)
{
    return (kst_allocator){counting_allocate, counting_release, counting};
}

static void test_alignment_and_contents(void **state)
{
    (void)state;
    struct counting counting = {.fail_at = 1000};
    kst_allocator allocator = allocator_of(&counting);
    for (int custom = 0; custom < 2; custom++) {
        struct memory memory;
        kst_memory_init(&memory, custom ? &allocator : NULL, UINT64_MAX);
        for (size_t length = 0; length < 200; length += 7) {
            kst_status status = KST_OK;
            uint8_t *a = kst_memory_array(&memory, length, 1, &status);
            uint8_t *z = kst_memory_zeroed(&memory, 1, length, NULL);
            assert_non_null(a);
            assert_non_null(z);
            assert_int_equal((uintptr_t)a % 64, 0);
            assert_int_equal((uintptr_t)z % 64, 0);
            memset(a, 1, length);
            for (size_t i = 0; i < length; i++)
                assert_int_equal(z[i], 0);
            kst_memory_release(&memory, a);
            kst_memory_release(&memory, z);
        }
        assert_int_equal(memory.used, 0);
    }
    assert_int_equal(counting.alive, 0);
}

static void test_limit(void **state)
{
    (void)state;
    struct memory memory;
    kst_memory_init(&memory, NULL, 10000);
    kst_status status = KST_OK;
    void *a = kst_memory_array(&memory, 9000, 1, &status);
    assert_non_null(a);
    assert_null(kst_memory_array(&memory, 2000, 1, &status));
    assert_int_equal(status, KST_ERROR_LIMIT_MEMORY);
    assert_null(kst_memory_grow(&memory, a, 9000, 9500, &status));
    kst_memory_release(&memory, a);
    a = kst_memory_array(&memory, 9000, 1, &status);
    assert_non_null(a);
    kst_memory_release(&memory, a);
    assert_null(kst_memory_array(&memory, 10000, 1, &status));
    assert_int_equal(memory.used, 0);
}

static void test_overflow(void **state)
{
    (void)state;
    struct memory memory;
    kst_memory_init(&memory, NULL, UINT64_MAX);
    static const size_t sizes[][2] = {
        {SIZE_MAX, 2}, {SIZE_MAX / 2, 3}, {SIZE_MAX, 1}, {SIZE_MAX - 70, 1}, {SIZE_MAX / 2, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        kst_status status = KST_OK;
        assert_null(kst_memory_array(&memory, sizes[i][0], sizes[i][1], &status));
        assert_int_equal(status, KST_ERROR_LIMIT_MEMORY);
        assert_null(kst_memory_zeroed(&memory, sizes[i][0], sizes[i][1], NULL));
    }
    assert_int_equal(memory.used, 0);
}

static void test_failing_allocator(void **state)
{
    (void)state;
    struct counting counting = {.fail_at = 1};
    kst_allocator allocator = allocator_of(&counting);
    struct memory memory;
    kst_memory_init(&memory, &allocator, UINT64_MAX);
    kst_status status = KST_OK;
    uint8_t *a = kst_memory_array(&memory, 100, 1, &status);
    assert_non_null(a);
    a[99] = 7;
    uint64_t used = memory.used;
    assert_null(kst_memory_grow(&memory, a, 100, 200, &status));
    assert_int_equal(status, KST_ERROR_MEMORY);
    assert_int_equal(memory.used, used);
    assert_int_equal(a[99], 7);
    kst_memory_release(&memory, a);
    kst_memory_release(&memory, NULL);
    assert_int_equal(memory.used, 0);
    assert_int_equal(counting.alive, 0);
}

static void test_grow(void **state)
{
    (void)state;
    struct memory memory;
    kst_memory_init(&memory, NULL, UINT64_MAX);
    kst_status status = KST_OK;
    uint8_t *a = kst_memory_grow(&memory, NULL, 0, 10, &status);
    assert_non_null(a);
    memcpy(a, "0123456789", 10);
    a = kst_memory_grow(&memory, a, 10, 5000, &status);
    assert_non_null(a);
    assert_memory_equal(a, "0123456789", 10);
    assert_int_equal((uintptr_t)a % 64, 0);
    memset(a, 0, 5000);
    kst_memory_release(&memory, a);
    assert_int_equal(memory.used, 0);
}

/* Blocks in use and idle ones together stay within the limit, and a block of the same length comes back. */
static void test_idle_within_limit(void **state)
{
    (void)state;
    enum { BLOCK = 2 << 20, LIMIT = 7 << 20 };
    struct idle_blocks idle;
    struct memory memory;
    void *block[3];
    kst_idle_init(&idle, UINT64_C(64) << 20);
    kst_memory_init(&memory, NULL, LIMIT);
    memory.idle = &idle;
    for (int i = 0; i < 3; i++)
        block[i] = kst_memory_array(&memory, BLOCK, 1, NULL);
    for (int i = 0; i < 3; i++) {
        assert_non_null(block[i]);
        kst_memory_release(&memory, block[i]);
        assert_true(idle.large.held + memory.used <= LIMIT);
    }
    assert_int_equal(idle.large.count, 3);
    void *again = kst_memory_array(&memory, BLOCK, 1, NULL);
    assert_non_null(again);
    assert_int_equal(idle.large.count, 2);
    void *other = kst_memory_array(&memory, BLOCK * 2, 1, NULL);
    assert_non_null(other);
    assert_true(idle.large.held + memory.used <= LIMIT);
    kst_memory_release(&memory, other);
    kst_memory_release(&memory, again);
    assert_true(idle.large.held + memory.used <= LIMIT);
    kst_idle_destroy(&idle);
}

/* Blocks are cut from a slab as long as it has room; it counts as a whole, and the thread gets it again. */
static void test_slab(void **state)
{
    (void)state;
    struct idle_blocks idle;
    struct memory memory;
    kst_idle_init(&idle, UINT64_C(64) << 20);
    kst_memory_init(&memory, NULL, UINT64_C(64) << 20);
    memory.idle = &idle;
    kst_memory_slab_begin(&memory);
    const uint8_t *slab = memory.slab;
    assert_non_null(slab);
    assert_int_equal(memory.used, IDLE_SLAB);
    uint8_t *a = kst_memory_array(&memory, 1000, 1, NULL), *b = kst_memory_array(&memory, IDLE_SLAB / 2, 1, NULL);
    memset(a, 1, 1000);
    memset(b, 1, IDLE_SLAB / 2);
    assert_true((uintptr_t)b % 64 == 0 && b > a && b < slab + IDLE_SLAB);
    assert_int_equal(memory.used, IDLE_SLAB);
    uint8_t *c = kst_memory_array(&memory, IDLE_SLAB / 2, 1, NULL); /* there is no room for it */
    assert_non_null(c);
    assert_true(memory.used > IDLE_SLAB + IDLE_SLAB / 2);
    kst_memory_release(&memory, c);
    kst_memory_release(&memory, b); /* the last block, which is cut again */
    c = kst_memory_zeroed(&memory, IDLE_SLAB / 2, 1, NULL);
    assert_ptr_equal(c, b);
    assert_true(c[0] == 0 && c[IDLE_SLAB / 2 - 1] == 0);
    kst_memory_release(&memory, a);
    kst_memory_release(&memory, c);
    kst_memory_slab_end(&memory);
    assert_int_equal(memory.used, 0);
    kst_memory_slab_begin(&memory);
    assert_ptr_equal(memory.slab, slab);
    kst_memory_slab_end(&memory);
    kst_memory_init(&memory, NULL, 1 << 20); /* too little for a slab */
    memory.idle = &idle;
    kst_memory_slab_begin(&memory);
    assert_null(memory.slab);
    kst_idle_destroy(&idle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alignment_and_contents),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_failing_allocator),
        cmocka_unit_test(test_grow),
        cmocka_unit_test(test_idle_within_limit),
        cmocka_unit_test(test_slab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
