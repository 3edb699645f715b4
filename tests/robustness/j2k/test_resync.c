/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes streams with damaged packet headers, with SOP in front of packets and without. With SOP, reading continues at
 * the next one, so that more of the picture survives. With KOSTKA_SHOW set, prints how much.
 */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "support/j2k/coded.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { WIDTH = 192, HEIGHT = 160, SOP = 6, PACKETS = 4000 };

static uint8_t pixels[WIDTH * HEIGHT * 3];
static uint32_t random_state = 5;

struct variant {
    const char *name;
    kst_progression progression;
    uint32_t layers, division, tile;
    bool eph;
    double gain; /* the least decibels by which the mean must be better */
};

static const struct variant variants[] = {
    {"LRCP", KST_PROGRESSION_LRCP, 3, 0, 0, false, 1},
    {"RLCP, EPH, tile-parts", KST_PROGRESSION_RLCP, 2, KST_J2K_DIVIDE_RESOLUTION, 0, true, 1},
    {"RPCL, tiles", KST_PROGRESSION_RPCL, 1, 0, 100, false, 1},
    {"PCRL, EPH", KST_PROGRESSION_PCRL, 2, 0, 0, true, 3},
    {"CPRL", KST_PROGRESSION_CPRL, 1, 0, 0, false, 1},
};

static kst_buffer encode(const struct variant *variant, bool sop)
{
    kst_image image;
    kst_j2k_options j2k;
    assert_int_equal(kst_image_wrap(&image, KST_FORMAT_RGB, WIDTH, HEIGHT, pixels, 0), KST_OK);
    kst_j2k_options_init(&j2k);
    j2k.target = KST_J2K_PSNR;
    j2k.value = 42;
    j2k.progression = variant->progression;
    j2k.layers = variant->layers;
    j2k.division = variant->division;
    j2k.tile_width = j2k.tile_height = variant->tile;
    j2k.eph = variant->eph;
    j2k.sop = sop;
    j2k.levels = 3;
    j2k.precinct_count = 1;
    j2k.precinct_width[0] = j2k.precinct_height[0] = 32;
    j2k.block_width = j2k.block_height = 16;
    j2k.codestream = true;
    return j2k_coded(context, &image, &j2k);
}

/* Find the packets' SOP. Nothing else in a clean stream looks like one. */
static uint32_t find_packets(const kst_buffer *coded, size_t at[PACKETS])
{
    uint32_t count = 0;
    for (size_t i = 0; i + SOP <= coded->length; i++)
        if (memcmp(coded->data + i, "\xFF\x91\x00\x04", 4) == 0) {
            assert_true(count < PACKETS);
            at[count++] = i;
        }
    return count;
}

static kst_image decode(const kst_buffer *coded, const kst_decode_options *options, kst_report *report)
{
    kst_image image;
    kst_image_init(&image);
    kst_report_init(report);
    assert_int_equal(kst_decode(context, coded->data, coded->length, options, &image, report), KST_OK);
    return image;
}

static double psnr(const kst_buffer *coded, const kst_image *wanted, kst_report *report)
{
    kst_comparison comparison = {.size = sizeof comparison};
    kst_image image = decode(coded, NULL, report);
    assert_int_equal(kst_compare(wanted, &image, &comparison), KST_OK);
    kst_image_release(context, &image);
    return comparison.identical ? 99 : comparison.psnr;
}

/* Damage that a reader of headers runs into: bits are wrong at the start of a packet that is not empty. */
static void damage(kst_buffer *coded, size_t header, uint32_t pattern)
{
    static const uint8_t masks[4][3] = {{0x7F, 0xFF, 0xFF}, {0x5A, 0xA5, 0x3C}, {0x00, 0x24, 0xFF}, {0x3F, 0x00, 0xC0}};
    for (uint32_t i = 0; i < 3; i++)
        coded->data[header + i] ^= masks[pattern][i];
}

static kst_buffer copy_of(const kst_buffer *from)
{
    kst_buffer copy = {.data = malloc(from->length), .length = from->length};
    assert_non_null(copy.data);
    memcpy(copy.data, from->data, from->length);
    return copy;
}

static void test_headers(void **state)
{
    (void)state;
    for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        static size_t at[PACKETS];
        kst_report report, plain_report;
        kst_buffer with = encode(&variants[v], true), without = encode(&variants[v], false);
        uint32_t packets = find_packets(&with, at), tries = 0, worse = 0, unnoticed = 0;
        double sum = 0, plain_sum = 0;
        kst_image clean = decode(&with, NULL, &report);
        assert_int_equal(report.warnings, 0);
        for (uint32_t k = 0; k < 60; k++) {
            uint32_t n = random_below(&random_state, packets - 1);
            if (at[n + 1] - at[n] < SOP + 12)
                continue;
            kst_buffer a = copy_of(&with), b = copy_of(&without);
            size_t header = at[n] + SOP, same = at[n] - (size_t)SOP * n;
            assert_memory_equal(a.data + header, b.data + same, 12);
            damage(&a, header, k % 4);
            damage(&b, same, k % 4);
            double one = psnr(&a, &clean, &report), other = psnr(&b, &clean, &plain_report);
            unnoticed += report.warnings == 0;
            sum += one;
            plain_sum += other;
            worse += one < other - 0.5;
            tries++;
            free(a.data);
            free(b.data);
        }
        if (getenv("KOSTKA_SHOW"))
            print_message("%-24s %u packets, %u damaged: %.2f dB with SOP, %.2f without, worse in %u, unnoticed %u\n",
                variants[v].name, (unsigned)packets, (unsigned)tries, sum / tries, plain_sum / tries, (unsigned)worse,
                (unsigned)unnoticed);
        assert_true(tries >= 15);
        assert_true(sum / tries > plain_sum / tries + variants[v].gain);
        assert_true(worse <= tries / 10);
        assert_true(unnoticed <= tries / 10);
        kst_image_release(context, &clean);
        kst_buffer_release(context, &with);
        kst_buffer_release(context, &without);
    }
}

/* Whole packets cut out of the stream: those behind them are as they were, and as many warnings as packets are lost. */
static void test_missing(void **state)
{
    static size_t at[PACKETS];
    const struct variant variant = {"", KST_PROGRESSION_CPRL, 1, 0, 0, true, 0};
    kst_report report;
    (void)state;
    kst_buffer whole = encode(&variant, true);
    uint32_t packets = find_packets(&whole, at);
    kst_image clean = decode(&whole, NULL, &report);
    for (uint32_t n = 3; n + 10 < packets; n += 17) {
        uint32_t cut = 1 + n % 4;
        kst_buffer short_one = copy_of(&whole);
        memmove(short_one.data + at[n], short_one.data + at[n + cut], whole.length - at[n + cut]);
        short_one.length -= at[n + cut] - at[n];
        size_t sot = 0;
        while (memcmp(short_one.data + sot, "\xFF\x90\x00\x0A", 4) != 0)
            sot++;
        uint32_t length = (uint32_t)(short_one.length - 2 - sot);
        for (uint32_t i = 0; i < 4; i++)
            short_one.data[sot + 6 + i] = (uint8_t)(length >> (24 - 8 * i));
        double left = psnr(&short_one, &clean, &report);
        assert_int_equal(report.warnings, cut);
        assert_int_equal(report.first_warning, KST_WARNING_J2K_PACKET);
        assert_true(left > 20);
        free(short_one.data);
    }
    kst_image_release(context, &clean);
    kst_buffer_release(context, &whole);
}

/* Any damage at all: nothing fails, and what is asked for as a region is the same. */
static void test_anything(void **state)
{
    (void)state;
    for (uint32_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
        kst_buffer whole = encode(&variants[v], true);
        for (uint32_t k = 0; k < 15; k++) {
            kst_report report;
            kst_decode_options options;
            kst_comparison comparison = {.size = sizeof comparison};
            kst_buffer damaged = copy_of(&whole);
            const size_t start = 200;
            for (uint32_t i = 0; i < 1 + k; i++)
                damaged.data[start + random_below(&random_state, (uint32_t)(damaged.length - start))] =
                    (uint8_t)random_below(&random_state, 256);
            kst_image image = decode(&damaged, NULL, &report);
            kst_decode_options_init(&options);
            options.region = (kst_region){0, 0, WIDTH, HEIGHT};
            kst_image again = decode(&damaged, &options, &report);
            assert_int_equal(kst_compare(&image, &again, &comparison), KST_OK);
            assert_true(comparison.identical);
            kst_image_release(context, &image);
            kst_image_release(context, &again);
            free(damaged.data);
        }
        kst_buffer_release(context, &whole);
    }
}

/* Transcoding a damaged stream gives one that decodes to the same pixels. */
static void compare_transcoded(const kst_buffer *coded)
{
    kst_buffer output = {0};
    kst_report report;
    kst_comparison comparison = {.size = sizeof comparison};
    if (kst_transcode(context, coded->data, coded->length, NULL, &output, NULL))
        return;
    kst_image before = decode(coded, NULL, &report), after = decode(&output, NULL, &report);
    assert_int_equal(kst_compare(&before, &after, &comparison), KST_OK);
    assert_true(comparison.identical);
    kst_image_release(context, &before);
    kst_image_release(context, &after);
    kst_buffer_release(context, &output);
}

/* A packet seems to reach over the next ones, the first of which has lost its SOP: bytes of these count once. */
static void test_overlap(void **state)
{
    (void)state;
    static size_t at[PACKETS];
    kst_buffer coded = encode(&variants[3], true);
    uint32_t packets = find_packets(&coded, at);
    for (uint32_t k = 0; k < 300; k++) {
        uint32_t n = random_below(&random_state, packets / 8);
        kst_buffer copy = copy_of(&coded);
        memset(copy.data + at[n + 1], 0, SOP);
        for (uint32_t i = 0; i < 3; i++)
            copy.data[at[n] + SOP + 1 + random_below(&random_state, 4)] |= (uint8_t)random_below(&random_state, 256);
        compare_transcoded(&copy);
        free(copy.data);
    }
    kst_buffer_release(context, &coded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_headers), cmocka_unit_test(test_missing),
        cmocka_unit_test(test_anything), cmocka_unit_test(test_overlap)};
    for (size_t i = 0; i < sizeof pixels; i++) {
        size_t x = i / 3 % WIDTH, y = i / 3 / WIDTH;
        pixels[i] = (uint8_t)(x + y + (x * y >> 6) + (x % 40 < 20 && y % 50 < 25 ? 60 : 0) + i % 3 * 20);
    }
    return run_with_context(1, tests, NULL, NULL);
}
