/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every device must decode JPEG 2000 to the samples that the CPU does, and count the same damage: the conformance
 * streams whole, in parts and damaged. With arguments: those files on every device, a number of copies of each at once
 * (KOSTKA_TEST_COPIES), with the device's times (see compare_timed()).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "support/gpu/gpus.h"
#include "support/gpu/j2k_compare.h"
#include "support/j2k/corpus.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/test.h"

static uint32_t random_state = 7;

static const char *const streams[] = {"p0_01.j2k", "p0_02.j2k", "p0_03.j2k", "p0_04.j2k", "p0_06.j2k", "p0_09.j2k",
    "p0_10.j2k", "p0_12.j2k", "p0_14.j2k", "p0_15.j2k", "p1_01.j2k", "p1_03.j2k", "p1_05.j2k", "p1_07.j2k",
    "a1_mono.j2c", "a3_mono.j2c", "b1_mono.j2c", "d1_colr.j2c", "e1_colr.j2c", "f1_mono.j2c", "g1_colr.j2c",
    "g2_colr.j2c", "file1.jp2", "file6.jp2"};

enum { STREAMS = sizeof streams / sizeof streams[0] };

/* The sizes that the simulator can decode in some seconds. */
static bool is_for_simulator(const char *name)
{
    return strcmp(name, "p0_12.j2k") == 0 || strcmp(name, "p1_07.j2k") == 0;
}

/* Three streams hold two thirds of all bytes. */
static bool is_large(const char *name)
{
    return strncmp(name, "file", 4) == 0 || strcmp(name, "p1_03.j2k") == 0;
}

static uint8_t *load(const char *name, size_t *length)
{
    uint8_t *data = j2k_corpus_present() ? j2k_corpus_read("streams", name, length) : NULL;
    if (!data)
        skip("there is no corpus");
    return data;
}

static void test_whole(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < STREAMS; i++) {
        size_t length;
        bool large = is_large(streams[i]);
        if ((simulated() && !is_for_simulator(streams[i])) || (SANITIZED && large))
            continue;
        uint8_t *data = load(streams[i], &length);
        struct j2k_filter filter = {.layers = 0};
        assert_true(compare_stream(streams[i], data, length, &filter, 1, false));
        filter.reduce = 1;
        if (!large || !fewer_cases())
            compare_stream(streams[i], data, length, &filter, large ? 1 : 2, false);
        filter.layers = 1;
        filter.reduce = 0;
        /*
         * A device sees a stream without its later layers as code-blocks with fewer bytes. The files have one layer, so
         * that nothing is left out of them.
         */
        if (!simulated() && strncmp(streams[i], "file", 4) != 0 && (!fewer_cases() || i % 2))
            compare_stream(streams[i], data, length, &filter, 1, false);
        free(data);
    }
}

static void test_regions(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < STREAMS; i++) {
        size_t length;
        if (simulated() && !is_for_simulator(streams[i]))
            continue;
        uint8_t *data = load(streams[i], &length);
        for (uint32_t k = 0; k < (simulated() || fewer_cases() ? 1 : 3); k++) {
            struct j2k_filter filter = {.reduce = (uint8_t)((fewer_cases() ? i : k) % 2)};
            filter.region.x0 = random_below(&random_state, 300);
            filter.region.y0 = random_below(&random_state, 200);
            filter.region.x1 = filter.region.x0 + 1 + random_below(&random_state, 100);
            filter.region.y1 = filter.region.y0 + 1 + random_below(&random_state, 100);
            compare_stream(streams[i], data, length, &filter, 1, false);
        }
        free(data);
    }
}

/* Bytes changed, runs of ones, ends cut off. */
static void damage_bytes(uint8_t *data, size_t *length)
{
    size_t at = *length / 8 + random_below(&random_state, (uint32_t)(*length - *length / 8));
    switch (random_below(&random_state, 4)) {
    case 0:
        *length = at;
        break;
    case 1:
        memset(data + at, 0xFF, at + 6 < *length ? 6 : *length - at);
        break;
    default:
        for (uint32_t k = 0; k < 1 + random_below(&random_state, 8); k++)
            data[at + random_below(&random_state, (uint32_t)(*length - at))] ^=
                (uint8_t)(1u << random_below(&random_state, 8));
    }
}

static void test_damaged(void **state)
{
    (void)state;
    damaged_plans = 0;
    for (uint32_t i = 0; i < STREAMS; i++) {
        size_t whole, length;
        if (is_large(streams[i]) || (simulated() && !is_for_simulator(streams[i])))
            continue;
        uint8_t *data = load(streams[i], &whole), *copy = malloc(whole);
        const bool few = fewer_cases() || whole > 100000;
        for (uint32_t k = 0; k < (simulated() ? 1 : few ? 2 : 6); k++) {
            char name[64];
            struct j2k_filter filter = {.layers = 0};
            memcpy(copy, data, whole);
            length = whole;
            damage_bytes(copy, &length);
            snprintf(name, sizeof name, "%s, damage %u", streams[i], (unsigned)k);
            compare_stream(name, copy, length, &filter, 1, false);
        }
        free(copy);
        free(data);
    }
    printf("%u streams with damaged blocks\n", (unsigned)damaged_plans);
    assert_true(simulated() || damaged_plans > 0);
}

static char **files;

static void test_files(void **state)
{
    (void)state;
    const char *copies = getenv("KOSTKA_TEST_COPIES");
    uint32_t count = copies ? (uint32_t)strtoul(copies, NULL, 10) : 1;
    for (char **file = files; *file; file++) {
        FILE *stream = fopen(*file, "rb");
        assert_non_null(stream);
        fseek(stream, 0, SEEK_END);
        size_t length = (size_t)ftell(stream);
        rewind(stream);
        uint8_t *data = malloc(length);
        assert_non_null(data);
        assert_int_equal(fread(data, 1, length, stream), length);
        fclose(stream);
        struct j2k_filter filter = {.layers = 0};
        assert_true(compare_stream(*file, data, length, &filter, count < COPIES_MAX ? count : COPIES_MAX, true));
        free(data);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_damaged),
    };
    const struct CMUnitTest timed[] = {cmocka_unit_test(test_files)};
    files = argv + 1;
    return argc > 1 ? cmocka_run_group_tests(timed, open_comparison, close_comparison)
                    : cmocka_run_group_tests(tests, open_comparison, close_comparison);
}
