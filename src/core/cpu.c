/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out which instruction tiers the processor has, and what it calls itself. */
#include "core/cpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__has_include) && !defined(KOSTKA_OLD_GLIBC)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

static const char *const tier_names[] = {
    [CPU_C] = "c",
    [CPU_SSE2] = "sse2",
    [CPU_AVX2] = "avx2",
    [CPU_AVX512] = "avx512",
    [CPU_NEON] = "neon",
};

/*
 * Each check includes that the operating system saves the registers of the extension. glibc 2.33 and later report what
 * they found when the process began. Querying the processor again takes 0.1 ms in a virtual machine, which handles each
 * CPUID for it: a tenth of the time that a small picture takes.
 */
#if defined(CPU_FEATURE_ACTIVE)
/*
 * This does the same as CPU_FEATURE_ACTIVE() of glibc 2.36, except for its shift of 1 by 31 places, which is undefined.
 */
static bool is_active(unsigned feature)
{
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(feature / 128);
    return (leaf->active_array[feature % 128 / 32] >> feature % 32 & 1) != 0;
}

static bool has_avx2(void)
{
    return is_active(x86_cpu_AVX2) && is_active(x86_cpu_BMI1) && is_active(x86_cpu_BMI2) && is_active(x86_cpu_LZCNT);
}

static bool has_avx512(void)
{
    return is_active(x86_cpu_AVX512F) && is_active(x86_cpu_AVX512BW) && is_active(x86_cpu_AVX512VL) &&
           is_active(x86_cpu_AVX512DQ) && is_active(x86_cpu_AVX512_VBMI) && is_active(x86_cpu_AVX512_VNNI);
}
#elif defined(__x86_64__)
static bool has_lzcnt(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

static bool has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           has_lzcnt();
}

static bool has_avx512(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni");
}
#endif

#if defined(__x86_64__)
enum cpu_tier kst_cpu_best(void)
{
    if (!has_avx2())
        return CPU_SSE2;
    return has_avx512() ? CPU_AVX512 : CPU_AVX2;
}

static bool has_tier(enum cpu_tier tier)
{
    return tier <= kst_cpu_best();
}
#elif defined(__aarch64__)
enum cpu_tier kst_cpu_best(void)
{
    return CPU_NEON;
}

static bool has_tier(enum cpu_tier tier)
{
    return tier == CPU_C || tier == CPU_NEON;
}
#else
enum cpu_tier kst_cpu_best(void)
{
    return CPU_C;
}

static bool has_tier(enum cpu_tier tier)
{
    return tier == CPU_C;
}
#endif

kst_status kst_cpu_tier_by_name(const char *name, enum cpu_tier *tier)
{
    for (int i = CPU_C; i <= CPU_NEON; i++) {
        if (strcmp(name, tier_names[i]) == 0 && has_tier((enum cpu_tier)i)) {
            *tier = (enum cpu_tier)i;
            return KST_OK;
        }
    }
    return KST_ERROR_CPU_TIER;
}

const char *kst_cpu_tier_name(enum cpu_tier tier)
{
    return tier_names[tier];
}

/* Return whether the processor is of AMD's family 17h. */
static bool is_early_zen(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    if (!__get_cpuid(0, &a, &b, &c, &d) || c != signature_AMD_ecx || !__get_cpuid(1, &a, &b, &c, &d))
        return false;
    return ((a >> 8) & 15) + ((a >> 20) & 255) == 0x17;
#else
    return false;
#endif
}

bool kst_cpu_deposits_slowly(void)
{
    static _Atomic(signed char) known; /* 0: not yet; -1: no */
    signed char answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        answer = is_early_zen() ? 1 : -1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer > 0;
}

/* Get the processor's own name for itself: 48 bytes from the CPUID leaves 0x80000002 to 0x80000004. */
static bool brand_string(char brand[49])
{
#if defined(__x86_64__)
    unsigned words[12];
    /* Each CPUID takes a virtual machine some 10 us, so the highest leaf is queried only once. */
    if ((unsigned)__get_cpuid_max(0x80000000, NULL) < 0x80000004)
        return false;
    for (unsigned i = 0; i < 3; i++)
        __cpuid(0x80000002 + i, words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
    memcpy(brand, words, 48);
    brand[48] = '\0';
    return true;
#else
    (void)brand;
    return false;
#endif
}

void kst_cpu_model(char model[128])
{
    char brand[49];
    struct utsname system;
    if (brand_string(brand))
        snprintf(model, 128, "%s", brand + strspn(brand, " "));
    else
        snprintf(model, 128, "%s", uname(&system) == 0 ? system.machine : "unknown");
}
