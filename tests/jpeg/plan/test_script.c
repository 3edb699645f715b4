/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests scripts of scans: the standard ones, broken ones, and scans with large MCUs. */
#include <string.h>

#include "jpeg/plan/script.h"
#include "support/test.h"

static struct jpeg_frame frame_of(uint8_t components, kst_colour colour, uint8_t factor)
{
    struct jpeg_frame frame = {.width = 100, .height = 100, .component_count = components, .colour = colour};
    for (uint8_t c = 0; c < components; c++)
        frame.component[c].h = frame.component[c].v = factor;
    kst_jpeg_frame_geometry(&frame);
    return frame;
}

static void standard_scripts(void **state)
{
    (void)state;
    static const struct {
        uint8_t components;
        kst_colour colour;
        size_t length;
    } known[] = {{1, KST_COLOUR_GREY, 6}, {3, KST_COLOUR_YCBCR, 10}, {3, KST_COLOUR_RGB, 14}, {4, KST_COLOUR_CMYK, 18},
        {4, KST_COLOUR_YCCK, 18}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct jpeg_frame frame = frame_of(known[i].components, known[i].colour, 1);
        kst_scan script[JPEG_SCRIPT_MAX];
        size_t scan;
        size_t length = kst_jpeg_progressive_script(known[i].colour, known[i].components, script);
        assert_int_equal(length, known[i].length);
        assert_int_equal(kst_jpeg_script_check(&frame, true, script, length, &scan), KST_OK);
        assert_int_equal(kst_jpeg_script_check(&frame, true, script, length - 1, &scan), KST_ERROR_JPEG_SCRIPT);
        assert_int_equal(scan, length - 1);
        assert_int_equal(kst_jpeg_script_check(&frame, false, script, length, &scan), KST_ERROR_JPEG_SCRIPT);
        assert_int_equal(kst_jpeg_sequential_script(known[i].components, script), 1);
        assert_int_equal(kst_jpeg_script_check(&frame, false, script, 1, &scan), KST_OK);
        assert_int_equal(kst_jpeg_script_check(&frame, true, script, 1, &scan), KST_ERROR_JPEG_SCRIPT);
    }
}

/* Each of these breaks one rule in the scan that is named. */
static void broken_scripts(void **state)
{
    (void)state;
    static const struct {
        size_t length, scan;
        kst_scan script[4];
    } broken[] = {
        {1, 0, {{0, {0}, 0, 0, 0, 0}}},                                   /* no component */
        {1, 0, {{5, {0, 1, 2, 3}, 0, 0, 0, 0}}},                          /* five */
        {1, 0, {{1, {3}, 0, 0, 0, 0}}},                                   /* one that is not there */
        {1, 0, {{2, {1, 0}, 0, 0, 0, 0}}},                                /* not ascending */
        {1, 0, {{2, {1, 1}, 0, 0, 0, 0}}},                                /* twice */
        {1, 0, {{1, {0}, 0, 5, 0, 0}}},                                   /* DC and AC together */
        {1, 0, {{1, {0}, 1, 63, 0, 0}}},                                  /* AC before DC */
        {2, 1, {{3, {0, 1, 2}, 0, 0, 0, 0}, {2, {0, 1}, 1, 63, 0, 0}}},   /* AC interleaved */
        {2, 1, {{3, {0, 1, 2}, 0, 0, 0, 0}, {1, {0}, 5, 4, 0, 0}}},       /* se below ss */
        {2, 1, {{3, {0, 1, 2}, 0, 0, 0, 0}, {1, {0}, 1, 64, 0, 0}}},      /* se above 63 */
        {1, 0, {{3, {0, 1, 2}, 0, 0, 0, 14}}},                            /* al above 13 */
        {1, 0, {{3, {0, 1, 2}, 0, 0, 2, 1}}},                             /* refinement first */
        {2, 1, {{3, {0, 1, 2}, 0, 0, 0, 2}, {3, {0, 1, 2}, 0, 0, 2, 0}}}, /* two bits at once */
        {2, 1, {{3, {0, 1, 2}, 0, 0, 0, 0}, {3, {0, 1, 2}, 0, 0, 0, 0}}}, /* sent twice */
        {2, 1, {{3, {0, 1, 2}, 0, 0, 0, 2}, {3, {0, 1, 2}, 0, 0, 1, 0}}}, /* not the next bit */
        {0, 0, {{0, {0}, 0, 0, 0, 0}}},                                   /* empty */
    };
    struct jpeg_frame frame = frame_of(3, KST_COLOUR_YCBCR, 1);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        size_t scan = 99;
        assert_int_equal(
            kst_jpeg_script_check(&frame, true, broken[i].script, broken[i].length, &scan), KST_ERROR_JPEG_SCRIPT);
        assert_int_equal(scan, broken[i].scan);
    }
}

static void large_mcus(void **state)
{
    (void)state;
    struct jpeg_frame frame = frame_of(3, KST_COLOUR_YCBCR, 2);
    size_t scan;
    const kst_scan together[] = {{3, {0, 1, 2}, 0, 63, 0, 0}};
    const kst_scan apart[] = {{2, {0, 1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    assert_int_equal(kst_jpeg_script_check(&frame, false, together, 1, &scan), KST_ERROR_JPEG_SAMPLING);
    assert_int_equal(kst_jpeg_script_check(&frame, false, apart, 2, &scan), KST_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_scripts), cmocka_unit_test(broken_scripts), cmocka_unit_test(large_mcus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
