/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests the names of instruction tiers and of the processor, and how many processors are counted. */
#include "core/cpu.h"

#include <sched.h>
#include <string.h>

#include "support/test.h"

static void test_tier_names(void **state)
{
    (void)state;
    static const char *const names[] = {"c", "sse2", "avx2", "avx512", "neon"};
    unsigned known = 0;
    for (int i = CPU_C; i <= CPU_NEON; i++) {
        assert_string_equal(kst_cpu_tier_name((enum cpu_tier)i), names[i]);
        enum cpu_tier tier = CPU_NEON;
        if (!kst_cpu_tier_by_name(names[i], &tier)) {
            assert_int_equal(tier, i);
            known |= 1u << i;
        }
    }
    assert_true(known & 1u << CPU_C);
    assert_true(known & 1u << kst_cpu_best());
    /* an architecture has either the x86 tiers or NEON */
    assert_false(known & 1u << CPU_SSE2 && known & 1u << CPU_NEON);
    if (kst_cpu_best() != CPU_NEON)
        assert_int_equal(known, (1u << (kst_cpu_best() + 1)) - 1);
}

/* The compiler's own checks ask the processor itself. */
static void test_features(void **state)
{
    (void)state;
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni");
    assert_int_equal(kst_cpu_best(), avx512 ? CPU_AVX512 : avx2 ? CPU_AVX2 : CPU_SSE2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(kst_cpu_deposits_slowly(), __builtin_cpu_is("znver1") || __builtin_cpu_is("znver2"));
#else
    assert_false(kst_cpu_deposits_slowly());
#endif
}

static void test_unknown_tiers(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "C", "avx", "avx5122", "sse2 ", "mmx"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        enum cpu_tier tier = CPU_C;
        assert_int_equal(kst_cpu_tier_by_name(wrong[i], &tier), KST_ERROR_CPU_TIER);
        assert_int_equal(tier, CPU_C);
    }
}

static void test_model(void **state)
{
    (void)state;
    char model[128];
    memset(model, 'x', sizeof model);
    kst_cpu_model(model);
    assert_non_null(memchr(model, '\0', sizeof model));
    assert_true(strlen(model) > 0);
}

static void test_count_follows_affinity(void **state)
{
    (void)state;
    cpu_set_t before;
    if (sched_getaffinity(0, sizeof before, &before) != 0)
        skip("processors cannot be chosen");
    uint32_t count = kst_cpu_count();
    assert_true(count >= 1 && count <= (uint32_t)CPU_COUNT(&before));
    size_t first = 0;
    while (!CPU_ISSET(first, &before))
        first++;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        skip("processors cannot be chosen");
    assert_int_equal(kst_cpu_count(), 1);
    sched_setaffinity(0, sizeof before, &before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tier_names),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_unknown_tiers),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_count_follows_affinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
