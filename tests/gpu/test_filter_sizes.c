/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters long and large images on every device, which must give the samples that the CPU does. Every filter gets an
 * image of 9000 pixels in one direction; with KOSTKA_LARGE=1 every filter gets one of 9000 × 5000, or half of that on a
 * side where the CPU would take minutes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/gpu/contexts.h"
#include "support/gpu/filtered.h"
#include "support/test.h"

enum { LONG = 9000, HIGH = 5000 };

/* Holds a chain that takes grey or RGB, of 8 bits unless `depth` says more. */
struct large {
    const char *chain;
    kst_format format;
    uint32_t depth;
    bool heavy; /* takes the CPU long */
};

static const struct large chains[] = {{"crop=8990x4990:3:5", KST_FORMAT_RGB, 8, false},
    {"resize=4501x2503:exact:lanczos", KST_FORMAT_RGB, 8, false}, {"rotate=90", KST_FORMAT_RGB, 8, false},
    {"flip", KST_FORMAT_RGBA, 16, false}, {"grey", KST_FORMAT_BGR, 8, false}, {"depth=12", KST_FORMAT_RGB, 16, false},
    {"invert", KST_FORMAT_GREY, 16, false}, {"levels=20:200", KST_FORMAT_RGB, 8, false},
    {"threshold=90", KST_FORMAT_GREY, 8, false}, {"equalise", KST_FORMAT_RGB, 8, false},
    {"gaussian=1.5", KST_FORMAT_RGB, 8, false}, {"gaussian=2", KST_FORMAT_GREY, 16, false},
    {"median=1", KST_FORMAT_RGB, 8, false}, {"median=5", KST_FORMAT_GREY, 8, true},
    {"bilateral=30:2:3", KST_FORMAT_RGB, 8, true}, {"bilateral=30:2:3", KST_FORMAT_RGB, 16, true},
    {"sharpen", KST_FORMAT_RGB, 8, false}, {"sobel", KST_FORMAT_RGB, 8, false}, {"sobel=5", KST_FORMAT_GREY, 16, false},
    {"canny=40:90", KST_FORMAT_RGB, 8, false}, {"canny=20:300:l2", KST_FORMAT_GREY, 8, false},
    {"warp=0.9:0.3:-200:-0.3:0.9:900", KST_FORMAT_RGB, 8, false}, {"rgb", KST_FORMAT_GREY, 8, false},
    {"channel=green", KST_FORMAT_RGB, 8, false},
    {"matrix=0.5:1.25:-0.75:-1:2:0:0.2126:0.7152:0.0722", KST_FORMAT_RGB, 8, false},
    {"normalise", KST_FORMAT_RGB, 8, false}, {"xyz=p3:2.6:12", KST_FORMAT_RGB, 16, true},
    {"oil=3:8", KST_FORMAT_RGB, 8, true}, {"cartoon", KST_FORMAT_RGB, 8, true},
    {"painterly=4:2:4", KST_FORMAT_RGB, 8, true}, {"lines=20:60:1:5", KST_FORMAT_GREY, 8, true}};
enum { CHAINS = sizeof chains / sizeof *chains };

static void check(const struct large *large, uint32_t width, uint32_t height)
{
    const struct filtered_case c = {large->chain, large->format, large->depth, width, height};
    struct filtered p;
    if (!filtered_prepare(&p, &c))
        return;
    for (uint32_t i = 0; i < gpu_contexts; i++) {
        const kst_memory there = device_memory(gpu_context[i]);
        filtered_check_on(gpu_context[i], &p, there, there, "large");
    }
    filtered_forget(&p);
}

/*
 * Long rows and long columns, with fewer cases one of these of each chain, by turns. Parts that lie outside such images
 * are refused, which is no failure.
 */
static void long_images(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHAINS; i++) {
        if (!fewer_cases() || i % 2 == 0)
            check(&chains[i], LONG, 3);
        if (!fewer_cases() || i % 2 == 1)
            check(&chains[i], 2, LONG);
    }
}

static void large_images(void **state)
{
    (void)state;
    if (!getenv("KOSTKA_LARGE"))
        return;
    for (size_t i = 0; i < CHAINS; i++) {
        const uint32_t part = chains[i].heavy ? 2 : 1;
        printf("%s\n", chains[i].chain);
        fflush(stdout);
        check(&chains[i], LONG / part + (part > 1), HIGH / part + (part > 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(long_images), cmocka_unit_test(large_images)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
