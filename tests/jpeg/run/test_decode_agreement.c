/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks that every tier and every number of threads gives the same pixels, warnings and errors for damaged streams. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/outcome.h"
#include "support/pixels.h"
#include "support/random.h"
#include "support/test.h"

#define FACTORS_420 .h = {2, 1, 1}, .v = {2, 1, 1}
static const kst_scan by_component[] = {{1, {0}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}};
static const struct recipe seeds[] = {
    {.width = 320, .height = 305, .colour = KST_COLOUR_YCBCR, FACTORS_420, .quality = 20},
    {.width = 255,
        .height = 400,
        .colour = KST_COLOUR_YCBCR,
        .h = {2, 1, 1},
        .v = {1, 1, 1},
        .quality = 10,
        .restart = {KST_RESTART_MCUS, 5}},
    {.width = 400,
        .height = 257,
        .colour = KST_COLOUR_YCBCR,
        .h = {1, 1, 1},
        .v = {2, 1, 1},
        .quality = 15,
        .restart = {KST_RESTART_ROWS, 1}},
    {.width = 300,
        .height = 300,
        .colour = KST_COLOUR_YCBCR,
        FACTORS_420,
        .quality = 30,
        .coding = KST_CODING_PROGRESSIVE},
    {.width = 300,
        .height = 300,
        .colour = KST_COLOUR_YCBCR,
        FACTORS_420,
        .quality = 30,
        .coding = KST_CODING_PROGRESSIVE,
        .restart = {KST_RESTART_MCUS, 11}},
    {.width = 300,
        .height = 300,
        .colour = KST_COLOUR_YCBCR,
        FACTORS_420,
        .quality = 30,
        .script = by_component,
        .script_length = COUNT(by_component),
        .restart = {KST_RESTART_MCUS, 30}},
    {.width = 280,
        .height = 280,
        .colour = KST_COLOUR_YCCK,
        .h = {2, 1, 1, 2},
        .v = {2, 1, 1, 2},
        .quality = 10,
        .restart = {KST_RESTART_MCUS, 170}},
    {.width = 500, .height = 420, .colour = KST_COLOUR_YCBCR, FACTORS_420, .quality = 92},
    {.width = 513, .height = 256, .colour = KST_COLOUR_GREY, .quality = 30, .restart = {KST_RESTART_MCUS, 1}},
};

static size_t find_scan(const struct stream *stream)
{
    for (size_t i = 2; i + 1 < stream->length; i++)
        if (stream->data[i] == 0xFF && stream->data[i + 1] == 0xDA)
            return i;
    return stream->length / 2;
}

/* A few bytes changed, lost or doubled, mostly in the entropy-coded data; or an end cut off. Returns the length. */
static size_t mutate(uint8_t *data, const struct stream *stream, uint32_t *random)
{
    size_t length = stream->length, header = find_scan(stream);
    memcpy(data, stream->data, length);
    for (uint32_t n = 1 + random_next(random) % 4; n > 0; n--) {
        size_t from = random_next(random) % 4 == 0 ? 2 : header;
        size_t at = from + random_next(random) % (length - from - 8);
        size_t count = 1 + random_next(random) % 7;
        switch (random_next(random) % 8) {
        case 0:
            memmove(data + at, data + at + count, length - at - count);
            length -= count;
            break;
        case 1:
            memmove(data + at + count, data + at, length - at - count);
            break;
        case 2:
            data[at] = 0xFF;
            data[at + 1] = (uint8_t)(0xD0 + random_next(random) % 10);
            break;
        case 3: /* a fill byte in front of a stuffed pair, or what comes to look like it */
            memmove(data + at + 3, data + at, length - at - 3);
            memcpy(data + at, (const uint8_t[]){0xFF, 0xFF, 0}, 3);
            break;
        case 4:
            if (length > header + 64 && random_next(random) % 4 == 0)
                length = at + 4;
            break;
        default:
            data[at] = (uint8_t)random_next(random);
        }
        if (length < header + 32)
            break;
    }
    return length;
}

static kst_decode_options random_options(const struct recipe *recipe, uint32_t *random)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    if (random_next(random) % 3 == 0)
        options.format = random_next(random) % 2 ? KST_FORMAT_RAW : KST_FORMAT_PLANAR;
    if (random_next(random) % 4 == 0)
        options.reduce = random_next(random) % 4;
    if (random_next(random) % 3 == 0 && options.reduce == 0) {
        uint32_t x = random_next(random) % recipe->width, y = random_next(random) % recipe->height;
        options.region = (kst_region){x, y, recipe->width - x, recipe->height - y};
        if (random_next(random) % 2)
            options.region.height = (options.region.height + 1) / 2;
    }
    options.strict = random_next(random) % 10 == 0;
    return options;
}

static void mutations(void **state)
{
    uint32_t random = 5, with_warnings = 0, with_errors = 0;
    (void)state;
    for (uint32_t s = 0; s < COUNT(seeds); s++) {
        struct stream stream = make_stream(&seeds[s]);
        for (uint32_t i = 0; i < (fewer_cases() ? 30 : 100); i++) {
            /* Exactly as long as its contents, so that a sanitizer sees every byte read behind them. */
            uint8_t *data = malloc(stream.length);
            assert_non_null(data);
            size_t length = mutate(data, &stream, &random);
            uint8_t *exact = malloc(length);
            assert_non_null(exact);
            memcpy(exact, data, length);
            char name[64];
            snprintf(name, sizeof name, "mutation %u of seed %u", i, s);
            kst_decode_options options = random_options(&seeds[s], &random);
            struct outcome outcome =
                decode_on_all(&contexts, name, exact, length, &options, 1 + i % 3, fewer_cases() ? 4 : 3);
            with_warnings += outcome.warnings > 0;
            with_errors += outcome.status ? 1 : 0;
            free(exact);
            free(data);
        }
        free(stream.data);
    }
    assert_true(with_warnings > (fewer_cases() ? 100 : 400));
    assert_true(with_errors > (fewer_cases() ? 5 : 20));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutations),
    };
    return cmocka_run_group_tests(tests, contexts_start, contexts_stop);
}
