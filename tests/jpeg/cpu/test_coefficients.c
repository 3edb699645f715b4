/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares coefficients of every kind of stream with libjpeg's, on one thread and several, in plain C and in the best
 * tier.
 */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/corpus.h"
#include "support/jpeg/coefficients.h"
#include "support/jpeg/libjpeg_coefficients.h"

/* The message says which coefficient differs, not only that one does. */
static void complain(const char *name, uint32_t component, uint32_t y, const int16_t *ours, const int16_t *peers)
{
    size_t i = 0;
    while (ours[i] == peers[i])
        i++;
    fail_msg("%s: component %u, block %u,%u, coefficient %u: %d, libjpeg %d", name, component, (uint32_t)(i / 64), y,
        (uint32_t)(i % 64), ours[i], peers[i]);
}

static void assert_equal_planes(const char *name, const struct jpeg_component *c, uint32_t component, uint32_t stride,
    const int16_t *ours, uint32_t peer_stride, const int16_t *peers)
{
    for (uint32_t y = 0; y < c->padded_h; y++) {
        const int16_t *a = ours + (size_t)y * stride * 64, *b = peers + (size_t)y * peer_stride * 64;
        if (memcmp(a, b, (size_t)c->padded_w * 64 * sizeof *a) != 0)
            complain(name, component, y, a, b);
    }
}

static void check_against_peer(const char *name, const uint8_t *data, size_t length)
{
    struct peer_coefficients peer;
    assert_true(peer_read_coefficients(data, length, &peer));
    for (size_t i = 0; i < machine_count; i++) {
        struct decoded decoded;
        decode_stream(machines[i].context, data, length, &decoded);
        if (decoded.status)
            fail_msg("%s: %s", name, decoded.report.message);
        for (uint32_t c = 0; c < decoded.stream.plan.frame.component_count; c++) {
            const struct jpeg_component *component = &decoded.stream.plan.frame.component[c];
            assert_int_equal(peer.blocks_w[c], component->padded_w);
            assert_int_equal(peer.blocks_h[c], component->padded_h);
            assert_equal_planes(name, component, c, decoded.coefficients.stride[c], decoded.coefficients.blocks[c],
                peer.blocks_w[c], peer.blocks[c]);
        }
        if (peer.warnings == 0 && decoded.report.warnings != 0)
            fail_msg("%s: a warning that libjpeg does not give: %s", name, decoded.report.message);
        drop_decoded(&decoded);
    }
    peer_release(&peer);
}

static bool is_supported(kst_status status)
{
    return status != KST_ERROR_JPEG_LOSSLESS && status != KST_ERROR_JPEG_ARITHMETIC &&
           status != KST_ERROR_JPEG_PRECISION;
}

static void check_valid(const char *name, const uint8_t *data, size_t length)
{
    struct decoded decoded;
    decode_stream(machines[0].context, data, length, &decoded);
    bool supported = is_supported(decoded.status);
    drop_decoded(&decoded);
    if (supported)
        check_against_peer(name, data, length);
}

static void test_corpus(void **state)
{
    (void)state;
    if (!corpus_present())
        skip("there is no corpus");
    assert_true(for_each_corpus_file("jpeg/valid", check_valid) > 40);
}

/* The result for damaged files is our own choice, but it must be the same on every machine. */
static void check_damaged(const char *name, const uint8_t *data, size_t length)
{
    struct decoded first;
    decode_stream(machines[0].context, data, length, &first);
    for (size_t i = 1; i < machine_count; i++) {
        struct decoded other;
        decode_stream(machines[i].context, data, length, &other);
        assert_int_equal(other.status, first.status);
        assert_int_equal(other.report.warnings, first.report.warnings);
        assert_int_equal(other.report.first_warning_offset, first.report.first_warning_offset);
        assert_string_equal(other.report.message, first.report.message);
        for (uint32_t c = 0; !first.status && c < first.stream.plan.frame.component_count; c++) {
            const struct jpeg_component *component = &first.stream.plan.frame.component[c];
            assert_equal_planes(name, component, c, first.coefficients.stride[c], first.coefficients.blocks[c],
                other.coefficients.stride[c], other.coefficients.blocks[c]);
        }
        drop_decoded(&other);
    }
    drop_decoded(&first);
}

static void test_damaged_corpus(void **state)
{
    (void)state;
    if (!corpus_present())
        skip("there is no corpus");
    assert_true(for_each_corpus_file("jpeg/damaged", check_damaged) > 100);
}

static const struct peer_scan one_by_one[] = {{1, 0, 0, 63, 0, 0}, {1, 1, 0, 63, 0, 0}, {1, 2, 0, 63, 0, 0}};
static const struct peer_scan two_and_one[] = {{1, 2, 0, 63, 0, 0}, {2, 0, 0, 63, 0, 0}};
static const struct peer_scan spectral[] = {{0, 0, 0, 0, 0, 0}, {1, 0, 1, 2, 0, 0}, {1, 1, 1, 63, 0, 0},
    {1, 0, 3, 63, 0, 0}, {1, 2, 1, 31, 0, 0}, {1, 2, 32, 63, 0, 0}};
static const struct peer_scan many_bits[] = {{0, 0, 0, 0, 0, 3}, {1, 0, 1, 63, 0, 4}, {1, 1, 1, 63, 0, 2},
    {0, 0, 0, 0, 3, 2}, {1, 2, 1, 63, 0, 3}, {1, 0, 1, 63, 4, 3}, {0, 0, 0, 0, 2, 1}, {1, 0, 1, 63, 3, 2},
    {1, 2, 1, 63, 3, 2}, {1, 2, 1, 63, 2, 1}, {1, 1, 1, 63, 2, 1}, {1, 0, 1, 63, 2, 1}, {1, 0, 1, 63, 1, 0},
    {1, 1, 1, 63, 1, 0}, {1, 2, 1, 63, 1, 0}, {0, 0, 0, 0, 1, 0}};
static const struct peer_scan split_refinement[] = {{1, 0, 0, 0, 0, 1}, {2, 1, 0, 0, 0, 1}, {1, 0, 1, 9, 0, 1},
    {1, 0, 10, 63, 0, 2}, {1, 0, 1, 3, 1, 0}, {1, 0, 10, 40, 2, 1}, {1, 0, 41, 63, 2, 1}, {1, 0, 4, 9, 1, 0},
    {1, 0, 10, 63, 1, 0}, {2, 1, 0, 0, 1, 0}, {1, 0, 0, 0, 1, 0}, {1, 1, 1, 63, 0, 0}, {1, 2, 1, 63, 0, 0}};

static const struct {
    const char *name;
    bool progressive;
    const struct peer_scan *scans;
    int count;
} script[] = {
    {"interleaved", false, NULL, 0},
    {"one by one", false, one_by_one, COUNT(one_by_one)},
    {"two and one", false, two_and_one, COUNT(two_and_one)},
    {"progressive", true, NULL, 0},
    {"spectral", true, spectral, COUNT(spectral)},
    {"many bits", true, many_bits, COUNT(many_bits)},
    {"split refinement", true, split_refinement, COUNT(split_refinement)},
};

static const uint16_t size[][2] = {{1, 1}, {7, 9}, {16, 16}, {17, 33}, {8, 70}, {131, 2}, {200, 150}};
static const uint8_t sampling[][6] = {{1, 1, 1, 1, 1, 1}, {2, 1, 1, 1, 1, 1}, {2, 2, 1, 1, 1, 1}, {1, 2, 1, 1, 1, 1},
    {4, 1, 1, 1, 1, 1}, {2, 2, 2, 1, 1, 2}, {1, 1, 2, 2, 1, 1}, {3, 1, 1, 1, 1, 1}};
static const int restart[] = {0, 1, 3, -1, -2};
static const int quality[] = {75, 98, 20};

static void check_request(const struct peer_request *request, const char *name)
{
    char label[200];
    size_t length;
    uint8_t *data = peer_encode(request, &length);
    snprintf(label, sizeof label, "%s, %ux%u, %d components %u%u%u%u, restart %d, quality %d", name, request->width,
        request->height, request->components, request->h[0], request->v[0], request->h[1], request->v[1],
        request->restart, request->quality);
    check_against_peer(label, data, length);
    free(data);
}

static void test_scripts(void **state)
{
    (void)state;
    uint32_t turn = 0;
    for (size_t s = 0; s < COUNT(script); s++)
        for (size_t i = 0; i < COUNT(size); i++)
            for (size_t j = 0; j < COUNT(sampling); j++)
                for (size_t r = 0; r < COUNT(restart); r++) {
                    struct peer_request request = {.width = size[i][0],
                        .height = size[i][1],
                        .components = 3,
                        .progressive = script[s].progressive,
                        .script = script[s].scans,
                        .script_length = script[s].count,
                        .restart = restart[r],
                        .quality = quality[turn % COUNT(quality)],
                        .optimize = turn % 2 != 0};
                    turn++;
                    for (int c = 0; c < 3; c++) {
                        request.h[c] = sampling[j][2 * c];
                        request.v[c] = sampling[j][2 * c + 1];
                    }
                    check_request(&request, script[s].name);
                }
}

static void test_other_colours(void **state)
{
    (void)state;
    for (int components = 1; components <= 4; components += 3)
        for (int progressive = 0; progressive < 2; progressive++)
            for (size_t i = 0; i < COUNT(size); i++)
                for (int factor = 1; factor <= 2; factor++) {
                    struct peer_request request = {.width = size[i][0],
                        .height = size[i][1],
                        .components = components,
                        .progressive = progressive,
                        .quality = 85,
                        .h = {(uint8_t)factor, 1, 1, (uint8_t)factor},
                        .v = {(uint8_t)factor, 1, 1, (uint8_t)factor}};
                    check_request(&request, "other colours");
                }
}

static void test_large(void **state)
{
    (void)state;
    for (size_t s = 0; s < COUNT(script); s++) {
        struct peer_request request = {.width = 1500,
            .height = 1100,
            .components = 3,
            .h = {2, 1, 1},
            .v = {2, 1, 1},
            .progressive = script[s].progressive,
            .script = script[s].scans,
            .script_length = script[s].count,
            .quality = 92,
            .optimize = true};
        check_request(&request, script[s].name);
    }
}

/* Large enough to be shared by threads, with every kind of damage that leaves the markers as they are, or does not. */
static void damage(uint8_t *data, size_t *length, uint32_t turn)
{
    uint32_t seed = turn * 7919 + 1;
    for (uint32_t i = 0; i < 1 + turn % 7 * 5; i++) {
        seed = seed * 1664525 + 1013904223;
        size_t at = 700 + (seed >> 4) % (*length - 700);
        seed = seed * 1664525 + 1013904223;
        data[at] = (uint8_t)(turn % 3 == 0 ? data[at] ^ 1U << (seed >> 29) : seed >> 24);
    }
    if (turn % 4 == 3)
        *length -= seed % (*length / 2);
}

/* If no restart interval is lost, damage is handled as by libjpeg. Returns whether libjpeg gives anything at all. */
static bool check_damaged_peer(const char *name, const uint8_t *data, size_t length)
{
    struct decoded decoded;
    struct peer_coefficients peer;
    if (!peer_read_coefficients(data, length, &peer))
        return false;
    decode_stream(machines[1].context, data, length, &decoded);
    assert_int_equal(decoded.status, KST_OK);
    if (peer.warnings > 0 && decoded.report.warnings == 0)
        fail_msg("%s: libjpeg warns", name);
    for (uint32_t c = 0; c < decoded.stream.plan.frame.component_count; c++)
        assert_equal_planes(name, &decoded.stream.plan.frame.component[c], c, decoded.coefficients.stride[c],
            decoded.coefficients.blocks[c], peer.blocks_w[c], peer.blocks[c]);
    drop_decoded(&decoded);
    peer_release(&peer);
    return true;
}

static void test_damaged_large(void **state)
{
    (void)state;
    uint32_t compared = 0;
    for (uint32_t turn = 0; turn < 8 * COUNT(script); turn++) {
        size_t s = turn % COUNT(script);
        struct peer_request request = {.width = 900,
            .height = 600,
            .components = 3,
            .h = {2, 1, 1},
            .v = {2, 1, 1},
            .progressive = script[s].progressive,
            .script = script[s].scans,
            .script_length = script[s].count,
            .quality = 90,
            .restart = turn % 5 == 0 ? 40 : 0};
        size_t length;
        char label[100];
        uint8_t *data = peer_encode(&request, &length);
        damage(data, &length, turn);
        snprintf(label, sizeof label, "%s, turn %u", script[s].name, turn);
        check_damaged(label, data, length);
        compared += request.restart == 0 && check_damaged_peer(label, data, length);
        free(data);
    }
    assert_true(compared > 30);
}

static uint8_t *put(uint8_t *at, const void *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

/* Scans that hold next to nothing of a huge picture must cost next to nothing. */
static void test_empty_scans(void **state)
{
    (void)state;
    enum { SCANS = 400 };
    static const uint8_t head[] = {0xFF, 0xD8, 0xFF, 0xDD, 0, 4, 0, 1, /* a restart interval of one block */
        0xFF, 0xC2, 0, 11, 8, 0x20, 0, 0x20, 0, 1, 1, 0x11, 0,         /* 8192 × 8192, grey */
        0xFF, 0xC4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xE0, /* AC: code 0 is EOB14 */
        0xFF, 0xC4, 0, 20, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xDB, 0, 67, 0};
    static const uint8_t dc[] = {0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 1, 0};
    static const uint8_t refine[] = {0xFF, 0xDA, 0, 8, 1, 1, 0, 1, 63, 0x21, 0};
    uint8_t *data = malloc(sizeof head + 64 + SCANS * sizeof refine + 100);
    uint8_t *end = put(data, head, sizeof head);
    memset(end, 1, 64);
    end = put(end + 64, dc, sizeof dc);
    for (int i = 0; i < SCANS; i++)
        end = put(end, refine, sizeof refine);
    end = put(end, "\xFF\xD9", 2);
    for (size_t i = 0; i < machine_count; i++) {
        struct decoded decoded;
        clock_t start = clock();
        decode_stream(machines[i].context, data, (size_t)(end - data), &decoded);
        assert_int_equal(decoded.status, KST_OK);
        /* Each scan has lost every interval. */
        assert_true(decoded.report.warnings > (uint64_t)SCANS * 1024 * 1024);
        assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
        drop_decoded(&decoded);
    }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_damaged_corpus),
        cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_other_colours),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_damaged_large),
        cmocka_unit_test(test_empty_scans),
    };
    return cmocka_run_group_tests(tests, start_machines, stop_machines);
}
