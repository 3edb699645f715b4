/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that axes are found again by their keys, which of them are kept, and that threads may take them at once. */
#include "resize/gpu/axis.h"

#include <string.h>

#include "core/pool.h"
#include "support/random.h"
#include "support/test.h"

enum { KEPT = 64 };

struct cache {
    struct resize_gpu_axes axes;
    struct memory memory;
};

static void begin(struct cache *cache)
{
    kst_memory_init(&cache->memory, NULL, UINT64_MAX);
    kst_resize_gpu_axes_begin(&cache->axes);
}

static void end(struct cache *cache)
{
    kst_resize_gpu_axes_end(&cache->axes, &cache->memory);
    assert_int_equal(atomic_load(&cache->memory.used), 0);
}

/* Keys of different numbers differ in one member or more. */
static struct resize_gpu_axis_key key_of(uint32_t number)
{
    uint32_t halves = number / 16 % 4, quarters = number / 320;
    return (struct resize_gpu_axis_key){.axis = {.size = 40 + number / 64 % 5,
                                            .count = 8 + number / 4 % 4,
                                            .begin = halves * 0.5,
                                            .end = 30 + quarters * 0.25},
        .filter = KST_RESIZE_BILINEAR,
        .wide = number % 2 == 1,
        .down = number / 2 % 2 == 1};
}

static struct resize_gpu_axis *take(struct cache *cache, uint32_t number)
{
    const struct resize_gpu_axis_key key = key_of(number);
    struct resize_gpu_axis *axis = NULL;
    assert_int_equal(kst_resize_gpu_axis_take(&cache->axes, &cache->memory, &cache->memory, &key, &axis), KST_OK);
    assert_int_equal(axis->key.axis.size, key.axis.size);
    assert_int_equal(axis->key.axis.count, key.axis.count);
    assert_true(axis->key.axis.begin == key.axis.begin && axis->key.axis.end == key.axis.end);
    assert_true(axis->key.wide == key.wide && axis->key.down == key.down && axis->length > 0);
    return axis;
}

static void test_found_again(void **state)
{
    enum { NUMBERS = 1000 };
    static struct resize_gpu_axis *axis[NUMBERS];
    struct cache cache;
    (void)state;
    begin(&cache);
    for (uint32_t i = 0; i < NUMBERS; i++)
        axis[i] = take(&cache, i);
    for (uint32_t i = NUMBERS; i-- > 0;) {
        assert_true(take(&cache, i) == axis[i]);
        for (uint32_t j = 1; j <= 3 && i + j < NUMBERS; j++)
            assert_true(axis[i] != axis[i + j]);
        assert_int_equal(axis[i]->uses, 2);
    }
    kst_resize_gpu_axes_trim(&cache.axes, &cache.memory); /* all are in use */
    for (uint32_t i = 0; i < NUMBERS; i++) {
        assert_true(take(&cache, i) == axis[i]);
        for (uint32_t j = 0; j < 3; j++)
            kst_resize_gpu_axis_give(&cache.axes, axis[i]);
    }
    assert_int_equal(cache.axes.unused, NUMBERS);
    end(&cache);
}

/* Trimming keeps the 64 axes that were used last, of those that nobody uses; an old axis that is used again is among
 * them. */
static void test_trim(void **state)
{
    struct cache cache;
    (void)state;
    begin(&cache);
    struct resize_gpu_axis *held = take(&cache, 0), *first = take(&cache, 1);
    kst_resize_gpu_axis_give(&cache.axes, first);
    for (uint32_t i = 2; i < 200; i++) {
        kst_resize_gpu_axis_give(&cache.axes, take(&cache, i));
        if (i == 150) /* use the axis again that was given back first */
            kst_resize_gpu_axis_give(&cache.axes, take(&cache, 1));
    }
    uint64_t before = atomic_load(&cache.memory.used);
    kst_resize_gpu_axes_trim(&cache.axes, &cache.memory);
    assert_int_equal(cache.axes.unused, KEPT);
    assert_true(atomic_load(&cache.memory.used) < before);
    assert_true(take(&cache, 0) == held);
    assert_true(take(&cache, 1) == first); /* 49 axes are newer, and 64 are kept */
    assert_int_equal(cache.axes.unused, KEPT - 1);
    uint64_t kept = atomic_load(&cache.memory.used);
    for (uint32_t i = 199; i > 199 - (KEPT - 1); i--)
        take(&cache, i);
    assert_int_equal(atomic_load(&cache.memory.used), kept); /* none was made again */
    assert_int_equal(cache.axes.unused, 0);
    take(&cache, 199 - (KEPT - 1));
    assert_true(atomic_load(&cache.memory.used) > kept);
    end(&cache);
}

/* Trimming counts words, too: it releases some of eight axes that are long. */
static void test_words(void **state)
{
    struct cache cache;
    struct resize_gpu_axis *axis = NULL;
    (void)state;
    begin(&cache);
    for (uint32_t i = 0; i < 8; i++) {
        struct resize_gpu_axis_key key = key_of(0);
        key.axis = (struct resize_axis){.size = 1 << 20, .count = 1 << 18, .begin = i, .end = 1 << 20};
        assert_int_equal(kst_resize_gpu_axis_take(&cache.axes, &cache.memory, &cache.memory, &key, &axis), KST_OK);
        kst_resize_gpu_axis_give(&cache.axes, axis);
    }
    uint64_t words = cache.axes.unused_words;
    assert_int_equal(words, 8 * (uint64_t)axis->length);
    assert_true(words > 1 << 23);
    kst_resize_gpu_axes_trim(&cache.axes, &cache.memory);
    assert_true(cache.axes.unused_words <= 1 << 23 && cache.axes.unused_words + axis->length > 1 << 23);
    assert_true(cache.axes.unused_words == cache.axes.unused * (uint64_t)axis->length);
    end(&cache);
}

static void use(void *argument, uint32_t index)
{
    struct cache *cache = argument;
    struct resize_gpu_axis *axis[4];
    for (uint32_t i = 0; i < 4; i++)
        axis[i] = take(cache, spread_below(4 * index + i, 300));
    for (uint32_t i = 0; i < 4; i++)
        kst_resize_gpu_axis_give(&cache->axes, axis[i]);
    if (index % 50 == 0)
        kst_resize_gpu_axes_trim(&cache->axes, &cache->memory);
}

/* Two threads may make the same axis at once. Later ones find either of the two, and neither is lost. */
static void test_threads(void **state)
{
    struct cache cache;
    struct pool *pool;
    (void)state;
    begin(&cache);
    assert_int_equal(kst_pool_create(&cache.memory, 4, &pool), KST_OK);
    kst_pool_run(pool, 3000, use, &cache);
    kst_pool_destroy(&pool);
    kst_resize_gpu_axes_trim(&cache.axes, &cache.memory);
    assert_int_equal(cache.axes.unused, KEPT);
    end(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_again),
        cmocka_unit_test(test_trim),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
