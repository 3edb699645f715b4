/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several threads write the packet headers of many code-blocks: wherever headers stand, and whatever the order of
 * packets, the bytes are those of one thread, and they are decoded without a warning.
 */
#include "support/context.h"
#include "support/j2k/coded.h"
#include "support/j2k/pictures.h"
#include "support/sanitizers.h"
#include "support/test.h"

enum { WIDTH = 190, HEIGHT = 126, THREADS = 5, VARIANTS = 12 };

/* Blocks of 4 by 4 samples: more than threads are woken for, in many precincts. */
static kst_j2k_options options_of(uint32_t variant)
{
    static const kst_progression orders[] = {
        KST_PROGRESSION_LRCP, KST_PROGRESSION_RLCP, KST_PROGRESSION_RPCL, KST_PROGRESSION_PCRL, KST_PROGRESSION_CPRL};
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.target = KST_J2K_RATIO;
    j2k.value = 4;
    j2k.levels = 2;
    j2k.layers = 1 + variant / 3 % 3;
    j2k.block_width = j2k.block_height = 4;
    j2k.progression = orders[variant % 5];
    j2k.headers = (kst_j2k_headers)(variant % 3);
    j2k.sop = variant % 2;
    j2k.eph = variant / 2 % 2;
    j2k.division = variant % 4 == 3 ? KST_J2K_DIVIDE_RESOLUTION : 0;
    if (variant % 3 != 1) {
        j2k.precinct_count = 1;
        j2k.precinct_width[0] = j2k.precinct_height[0] = 32;
    }
    if (variant % 4 >= 2) {
        j2k.tile_width = 101;
        j2k.tile_height = 70;
    }
    return j2k;
}

static void test_same(void **state)
{
    (void)state;
    kst_image image = noise_image(KST_FORMAT_RGB, WIDTH, HEIGHT, 8);
    kst_context *one = cpu_context_create(1), *several = cpu_context_create(THREADS);
    for (uint32_t i = 0; i < VARIANTS; i += THREADS_WATCHED ? 5 : 1) {
        const kst_j2k_options j2k = options_of(i);
        kst_buffer wanted = j2k_coded(one, &image, &j2k), found = j2k_coded(several, &image, &j2k);
        kst_image decoded;
        kst_report report;
        kst_image_init(&decoded);
        kst_report_init(&report);
        assert_int_equal(found.length, wanted.length);
        assert_memory_equal(found.data, wanted.data, wanted.length);
        assert_int_equal(kst_decode(one, found.data, found.length, NULL, &decoded, &report), KST_OK);
        assert_int_equal(report.warnings, 0);
        kst_image_release(one, &decoded);
        kst_buffer_release(several, &found);
        kst_buffer_release(one, &wanted);
    }
    kst_context_destroy(&several);
    kst_context_destroy(&one);
    image_free(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
