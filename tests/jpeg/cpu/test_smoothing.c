/* SPDX-License-Identifier: BSD-2-Clause */
/* Block smoothing of progressive pictures that lack scans against libjpeg's, after the inverse transform. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jpeg/cpu/dsp/dsp.h"
#include "jpeg/cpu/smooth.h"
#include "support/corpus.h"
#include "support/jpeg/coefficients.h"
#include "support/jpeg/libjpeg_coefficients.h"

static void compare_block(
    const char *name, const struct peer_image *peer, uint32_t component, uint32_t x, uint32_t y, const uint8_t *ours)
{
    for (uint32_t j = 0; j < 8; j++)
        for (uint32_t i = 0; i < 8; i++) {
            uint8_t theirs = peer->plane[component][(size_t)(8 * y + j) * peer->width[component] + 8 * x + i];
            if (ours[8 * j + i] != theirs)
                fail_msg("%s: component %u, block %u,%u, sample %u,%u: %u, libjpeg %u", name, component, x, y, i, j,
                    ours[8 * j + i], theirs);
        }
}

/* libjpeg's own SIMD and C differ where samples leave the range by far, as those of cut data may. */
static bool is_tame(const int16_t *block, const uint16_t *quant)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < 64; i++)
        sum += labs((long)block[i] * quant[i]);
    return sum < 2048;
}

/* Returns whether there was anything to smooth. */
static bool check(const char *name, const uint8_t *data, size_t length)
{
    struct decoded decoded;
    struct peer_image peer;
    struct jpeg_smoothing smoothing;
    struct jpeg_dsp dsp;
    kst_jpeg_cpu_dsp_init(&dsp, CPU_C);
    assert_true(peer_read_planes(data, length, &peer));
    decode_stream(machines[1].context, data, length, &decoded);
    assert_int_equal(decoded.status, KST_OK);
    const struct jpeg_plan *plan = &decoded.stream.plan;
    bool useful = kst_jpeg_cpu_smoothing_useful(plan);
    kst_jpeg_cpu_smoothing_init(&smoothing, plan, &decoded.coefficients);
    for (uint32_t i = 0; i < plan->frame.component_count; i++)
        for (uint32_t y = 0; y < plan->frame.component[i].blocks_h; y++)
            for (uint32_t x = 0; x < plan->frame.component[i].blocks_w; x++) {
                _Alignas(64) int16_t block[64];
                uint8_t samples[64];
                if (useful)
                    kst_jpeg_cpu_smooth_block(&smoothing, i, x, y, block);
                else
                    memcpy(block, kst_jpeg_block(&decoded.coefficients, i, x, y), sizeof block);
                dsp.idct[8](block, plan->frame.component[i].quant, 63, samples, 8);
                if (is_tame(block, plan->frame.component[i].quant))
                    compare_block(name, &peer, i, x, y, samples);
            }
    drop_decoded(&decoded);
    peer_image_release(&peer);
    return useful;
}

static void check_corpus_file(const char *name, bool smoothed)
{
    size_t length;
    uint8_t *data = corpus_read("jpeg/valid", name, &length);
    assert_non_null(data);
    assert_int_equal(check(name, data, length), smoothed);
    free(data);
}

static void test_corpus(void **state)
{
    (void)state;
    if (!corpus_present())
        skip("there is no corpus");
    if (corpus_is_made()) {
        check_corpus_file("not_all_scans.jpg", true);
        check_corpus_file("dc_alone.jpg", true);
        check_corpus_file("ycck_progressive.jpg", false);
        return;
    }
    check_corpus_file("partial_progressive.jpg", false);
    check_corpus_file("progressive-missing-ac.jpg", true);
    check_corpus_file("progressive-missing-dc.jpg", false);
    check_corpus_file("progressive3.jpg", false);
}

/* The first `length` bytes, ended by EOI. */
static bool check_start(const char *name, const uint8_t *data, size_t length)
{
    uint8_t *start = malloc(length + 2);
    memcpy(start, data, length);
    start[length] = 0xFF;
    start[length + 1] = 0xD9;
    bool useful = check(name, start, length + 2);
    free(start);
    return useful;
}

/* The picture after each of its scans, and after half of each. */
static uint32_t check_stages(const char *name, const uint8_t *data, size_t length)
{
    struct decoded decoded;
    decode_stream(machines[1].context, data, length, &decoded);
    assert_int_equal(decoded.status, KST_OK);
    const struct jpeg_plan *plan = &decoded.stream.plan;
    uint32_t smoothed = 0;
    for (uint32_t i = 1; i <= plan->scan_count; i++) {
        char label[300];
        const struct jpeg_scan *scan = &plan->scan[i - 1];
        const struct jpeg_segment *middle = &plan->segment[scan->first_segment + scan->segment_count / 2];
        size_t end = i < plan->scan_count ? (size_t)plan->scan[i].offset : length - 2;
        snprintf(label, sizeof label, "%s, %u scans", name, i);
        smoothed += check_start(label, data, end);
        if (middle->length < 3) /* not to cut down to nothing but half of a stuffed byte */
            continue;
        snprintf(label, sizeof label, "%s, %u scans and a half", name, i - 1);
        check_start(label, data, (size_t)(middle->offset + middle->length / 2));
    }
    drop_decoded(&decoded);
    return smoothed;
}

static const struct peer_scan one_component_last[] = {{1, 0, 0, 0, 0, 0}, {1, 1, 0, 0, 0, 1}, {1, 2, 0, 0, 0, 0},
    {1, 0, 1, 3, 0, 2}, {1, 1, 1, 63, 0, 2}, {1, 0, 4, 63, 0, 0}, {1, 1, 0, 0, 1, 0}, {1, 0, 1, 3, 2, 1}};

static void test_stages(void **state)
{
    (void)state;
    static const uint16_t size[][2] = {{1, 1}, {9, 7}, {16, 16}, {17, 33}, {24, 40}, {8, 100}, {150, 8}, {200, 150}};
    static const uint8_t sampling[][4] = {{1, 1, 1, 1}, {2, 2, 1, 1}, {2, 1, 1, 1}, {1, 2, 1, 1}, {1, 4, 1, 2}};
    uint32_t smoothed = 0;
    for (size_t i = 0; i < COUNT(size); i++)
        for (size_t j = 0; j < COUNT(sampling); j++)
            for (int turn = 0; turn < 6; turn++) {
                const uint8_t *s = sampling[j];
                struct peer_request request = {.width = size[i][0],
                    .height = size[i][1],
                    .components = 3,
                    .h = {s[0], s[2], 1},
                    .v = {s[1], s[3], 1},
                    .progressive = true,
                    .quality = turn % 3 == 0   ? 75
                               : turn % 3 == 1 ? 30
                                               : 95,
                    .restart = turn == 5 ? 2 : 0};
                char label[200];
                size_t length;
                if (turn % 2 == 1) {
                    request.script = one_component_last;
                    request.script_length = COUNT(one_component_last);
                }
                uint8_t *data = peer_encode(&request, &length);
                snprintf(label, sizeof label, "%ux%u, sampling %u%u%u%u, turn %d", request.width, request.height, s[0],
                    s[1], s[2], s[3], turn);
                smoothed += check_stages(label, data, length);
                free(data);
            }
    assert_true(smoothed > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_stages),
    };
    return cmocka_run_group_tests(tests, start_machines, stop_machines);
}
