/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out which instruction tiers the processor has, and what it calls itself. */
#include "core/cpu.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static const char *const tier_names[] = {
    [CPU_C] = "c",
    [CPU_SSE2] = "sse2",
    [CPU_AVX2] = "avx2",
    [CPU_AVX512] = "avx512",
    [CPU_NEON] = "neon",
};

#if defined(__x86_64__)
static bool has_lzcnt(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

enum cpu_tier kst_cpu_best(void)
{
    /* These checks include that the operating system saves the registers of the extension. */
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
        !has_lzcnt())
        return CPU_SSE2;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vbmi") || !__builtin_cpu_supports("avx512vnni"))
        return CPU_AVX2;
    return CPU_AVX512;
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

/* The processor's own name for itself: 48 bytes from the CPUID leaves 0x80000002 to 0x80000004. */
static bool brand_string(char brand[49])
{
#if defined(__x86_64__)
    unsigned words[12];
    for (unsigned i = 0; i < 3; i++)
        if (!__get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2], &words[4 * i + 3]))
            return false;
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
