/* SPDX-License-Identifier: BSD-2-Clause */
/* Code-blocks of T.814: what is encoded is decoded again, tiers agree, and gains are those of what was decoded. */
#include <stdlib.h>
#include <string.h>

#include "j2k/cpu/blocks/block_coder.h"
#include "j2k/cpu/blocks/ht_encode.h"
#include "j2k/tables/ht.h"
#include "j2k/tables/ht_encode.h"
#include "j2k/tables/ht_vlc.h"
#include "support/cpu_tiers.h"
#include "support/random.h"
#include "support/test.h"

enum { ROOM = J2K_HT_ENCODER_ROOM, CODES = 128 };

static const uint16_t decoding[2][J2K_HT_VLC_ENTRIES] = {{J2K_HT_VLC_FIRST}, {J2K_HT_VLC_NEXT}};
static const uint16_t encoding[2][J2K_HT_CODE_ENTRIES] = {{J2K_HT_CODE_FIRST}, {J2K_HT_CODE_LATER}};

static bool fits(uint32_t entry, uint32_t rho, uint32_t eps)
{
    return J2K_HT_VLC_RHO(entry) == rho && J2K_HT_VLC_OFFSET(entry) == (eps != 0) &&
           (J2K_HT_VLC_KNOWN(entry) & eps) == J2K_HT_VLC_ONE(entry);
}

/* The bits that a code takes more than it saves in MagSgn. */
static int32_t cost_of(uint32_t length, uint32_t known)
{
    return (int32_t)length - __builtin_popcount(known);
}

/* Each codeword is read as what it stands for, and none that fits costs less. */
static void codes_are_the_best(void **state)
{
    uint32_t found = 0;
    (void)state;
    for (uint32_t table = 0; table < 2; table++)
        for (uint32_t i = 0; i < J2K_HT_CODE_ENTRIES; i++) {
            uint32_t entry = encoding[table][i], context = i >> 8, rho = i >> 4 & 15, eps = i & 15;
            int32_t least = INT32_MAX;
            for (uint32_t k = 0; k < CODES && (eps & ~rho) == 0; k++) {
                uint32_t other = decoding[table][context * CODES + k];
                int32_t cost = cost_of(J2K_HT_VLC_LENGTH(other), J2K_HT_VLC_KNOWN(other));
                least = fits(other, rho, eps) && cost < least ? cost : least;
            }
            assert_int_equal(entry != 0, least != INT32_MAX);
            if (entry == 0)
                continue;
            uint32_t read = decoding[table][context * CODES + J2K_HT_CODE_WORD(entry)];
            assert_true(fits(read, rho, eps));
            assert_int_equal(J2K_HT_VLC_LENGTH(read), J2K_HT_CODE_LENGTH(entry));
            assert_int_equal(J2K_HT_VLC_KNOWN(read), J2K_HT_CODE_KNOWN(entry));
            assert_int_equal(cost_of(J2K_HT_CODE_LENGTH(entry), J2K_HT_CODE_KNOWN(entry)), least);
            found++;
        }
    assert_true(found > 1000);
}

struct fixture {
    struct j2k_block_scratch *encoder, *decoder;
    uint32_t sample[J2K_BLOCK_SAMPLES];
    uint32_t width, height, tiers;
    enum cpu_tier tier[CPU_TIERS]; /* all of the processor */
    double worth;
    struct j2k_block_outcome outcome;
    uint8_t data[ROOM];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    if (f == NULL)
        return 1;
    f->encoder = calloc(1, kst_j2k_cpu_ht.encoder_length);
    f->decoder = calloc(1, kst_j2k_cpu_ht.decoder_length);
    f->tiers = cpu_tiers(f->tier);
    *state = f;
    return f->encoder == NULL || f->decoder == NULL;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    free(f->encoder);
    free(f->decoder);
    free(f);
    return 0;
}

/* Magnitudes of up to `planes` bits, small ones more often, in patches; `planes` 0: all are 0. */
static void fill(struct fixture *f, uint32_t planes, uint32_t seed)
{
    uint32_t random = seed, quiet = 0;
    for (uint32_t i = 0; i < f->width * f->height; i++) {
        if (i % 61 == 0)
            quiet = random_next(&random) % (planes + 1);
        uint32_t length = planes > quiet ? random_next(&random) % (planes - quiet + 1) : 0;
        uint32_t magnitude = (random_next(&random) << 12 ^ random_next(&random)) & ((UINT32_C(1) << length) - 1);
        f->sample[i] = magnitude | (magnitude > 0 ? random_next(&random) << 31 : 0);
    }
}

/* A block whose planes are known before is coded to the same bytes. */
static void check_known_planes(struct fixture *f, enum cpu_tier tier, struct j2k_block_settings settings)
{
    static uint8_t bytes[1 << 17];
    const struct j2k_block_outcome before = f->outcome;
    assert_true(before.length <= sizeof bytes);
    memcpy(bytes, before.data, before.length);
    settings.planes = before.planes;
    kst_j2k_cpu_ht.encode(f->encoder, tier, &settings, &f->outcome);
    assert_int_equal(f->outcome.planes, before.planes);
    assert_int_equal(f->outcome.passes, before.passes);
    assert_int_equal(f->outcome.length, before.length);
    assert_memory_equal(f->outcome.data, bytes, before.length);
}

static void encode(struct fixture *f, enum cpu_tier tier, uint32_t plane, uint32_t refinements, uint32_t style)
{
    const struct j2k_block_settings settings = {.width = f->width,
        .height = f->height,
        .style = J2K_STYLE_HT | style,
        .plane = plane,
        .refinements = refinements,
        .worth = f->worth,
        .measure = true,
        .sum = true};
    memcpy(f->encoder->sample, f->sample, sizeof f->sample);
    memset((uint8_t *)f->encoder + sizeof f->sample, 0xA5, kst_j2k_cpu_ht.encoder_length - sizeof f->sample);
    kst_j2k_cpu_ht.encode(f->encoder, tier, &settings, &f->outcome);
    if (f->worth <= 0)
        check_known_planes(f, tier, settings);
}

/* Decode the first passes. Returns the squared error that is left, in half steps. */
static double decode(struct fixture *f, uint32_t passes, uint32_t style)
{
    const struct j2k_pass *pass = f->outcome.pass;
    const struct j2k_codeword codeword[2] = {{f->data, pass[0].length, 1},
        {f->data + pass[0].length, passes > 1 ? pass[passes - 1].length - pass[0].length : 0, passes - 1}};
    const struct j2k_coded_block block = {.width = f->width,
        .height = f->height,
        .style = J2K_STYLE_HT | style,
        .missing = f->outcome.planes - f->outcome.top,
        .planes = f->outcome.top,
        .fraction = 1,
        .codeword_count = passes > 1 ? 2 : 1,
        .codewords = codeword};
    double error = 0;
    assert_int_equal(kst_j2k_cpu_ht.decode(f->decoder, CPU_C, &block), 0);
    for (uint32_t i = 0; i < f->width * f->height; i++) {
        uint32_t magnitude = f->sample[i] & 0x7FFFFFFF, got = f->decoder->sample[i];
        double left = 2.0 * magnitude + 1 - (got & 0x7FFFFFFF);
        if ((got & 0x7FFFFFFF) != 0)
            assert_int_equal(got >> 31, f->sample[i] >> 31);
        error += magnitude > 0 ? left * left : (got & 0x7FFFFFFF) != 0;
    }
    return error;
}

/* Every prefix of the passes is decoded, and gains what the encoder says. */
static void go_there_and_back(struct fixture *f, uint32_t plane, uint32_t refinements, uint32_t style)
{
    double error = 0, gained = 0;
    for (uint32_t i = 0; i < f->width * f->height; i++) {
        double steps = 2.0 * (f->sample[i] & 0x7FFFFFFF) + 1;
        error += (f->sample[i] & 0x7FFFFFFF) > 0 ? steps * steps : 0;
    }
    encode(f, CPU_C, plane, refinements, style);
    assert_true(f->outcome.length <= ROOM);
    memcpy(f->data, f->outcome.data, f->outcome.length);
    for (uint32_t p = 0; p < f->outcome.passes; p++) {
        gained += f->outcome.pass[p].gain;
        assert_true(error - gained == decode(f, p + 1, style));
    }
    assert_true(f->outcome.left == error - gained);
    struct j2k_block_outcome first = f->outcome;
    struct j2k_pass pass[J2K_HT_SET];
    memcpy(pass, first.pass, first.passes * sizeof *pass);
    for (uint32_t t = 0; t < f->tiers; t++) {
        encode(f, f->tier[t], plane, refinements, style);
        assert_int_equal(f->outcome.passes, first.passes);
        assert_int_equal(f->outcome.length, first.length);
        assert_memory_equal(f->outcome.data, f->data, first.length);
        assert_memory_equal(f->outcome.pass, pass, first.passes * sizeof *pass);
    }
}

/* Return the bits that the encoder has written to its streams, of MEL from bytes that have been stuffed. */
static uint32_t written_bits(const struct j2k_ht_encoder *encoder)
{
    enum { SUFFIX = 4 /* the low bits of Scup */ };
    uint64_t bits = 8 * (uint64_t)(encoder->signs.at - encoder->flat_signs) + encoder->signs.count;
    bits += 8 * (uint64_t)(encoder->codes.at - encoder->flat_codes) + encoder->codes.count - SUFFIX;
    uint32_t room = 8;
    for (const uint8_t *byte = encoder->run_bytes; byte < encoder->runs.at; byte++) {
        bits += room;
        room = *byte == 0xFF ? 7 : 8;
    }
    return (uint32_t)bits + room - encoder->runs.room;
}

/*
 * Count the same bits from coefficients that have not been quantised, in rows of a band; the second time groups are
 * known of which nothing is left.
 */
static void check_count_of_reals(struct fixture *f, enum cpu_tier tier, uint32_t wanted)
{
    enum { AROUND = 3 };
    const size_t pitch = f->width + AROUND;
    const bool counts = tier == CPU_AVX2 || tier == CPU_AVX512 || tier == CPU_NEON;
    const float step = 0x1.8p-3F;
    float *band = malloc(pitch * f->height * sizeof *band), most = 0, largest = -1;
    uint32_t bits = UINT32_MAX;
    assert_non_null(band);
    for (uint32_t y = 0; y < f->height; y++)
        for (uint32_t x = 0; x < pitch; x++) {
            const uint32_t index = x < f->width ? f->sample[y * f->width + x] : 0x7FFFFF, size = index & 0x7FFFFFFF;
            const float number = ((float)size + (size < 1 << 20 ? 0x1p-3F * (float)(x % 8) : 0)) * step;
            band[y * pitch + x] = index >> 31 ? -number : number;
            most = x < f->width && number > most ? number : most;
        }
    uint16_t *bound = calloc((size_t)(f->width + 15) / 16 * ((f->height + 1) / 2), sizeof *bound);
    assert_non_null(bound);
    struct j2k_ht_reals reals = {.first = band,
        .pitch = pitch,
        .width = f->width,
        .height = f->height,
        .factor = 1 / step,
        .bound = bound,
        .next = band,
        .next_pitch = pitch};
    if (kst_j2k_cpu_ht.count_reals(f->encoder, tier, &reals, &largest, &bits)) {
        assert_true(counts && most / step < 1 << 24);
        assert_true(largest == most);
        assert_int_equal(bits, wanted);
        reals.known = true;
        bits = UINT32_MAX;
        assert_true(kst_j2k_cpu_ht.count_reals(f->encoder, tier, &reals, &largest, &bits));
        assert_true(largest == most);
        assert_int_equal(bits, wanted);
    } else {
        assert_true(!counts || most / step >= 1 << 24);
        assert_int_equal(bits, UINT32_MAX);
    }
    free(bound);
    free(band);
}

/* The bits that are counted are those that were written, whether the planes are known or not. */
static void check_count(struct fixture *f)
{
    struct j2k_block_settings settings = {.width = f->width, .height = f->height, .style = J2K_STYLE_HT};
    encode(f, CPU_C, 0, 0, 0);
    const uint32_t planes = f->outcome.planes;
    const uint32_t bits = planes > 0 ? written_bits((const struct j2k_ht_encoder *)(const void *)f->encoder) : 0;
    for (uint32_t i = 0; i < 2 * f->tiers; i++) {
        const enum cpu_tier tier = f->tier[i / 2];
        settings.planes = i % 2 == 0 ? 0 : planes;
        memset((uint8_t *)f->encoder + sizeof f->sample, 0xA5, kst_j2k_cpu_ht.encoder_length - sizeof f->sample);
        assert_int_equal(kst_j2k_cpu_ht.count(f->encoder, tier, &settings), bits);
        check_count_of_reals(f, tier, bits);
        memcpy(f->encoder->sample, f->sample, sizeof f->sample);
    }
}

/* In plane 0 nothing is lost, and the length bytes are those that were written. */
static void blocks_come_back(void **state)
{
    static const uint16_t sizes[][2] = {{1, 1}, {1, 2}, {2, 1}, {3, 5}, {4, 4}, {1, 1024}, {1024, 1}, {1023, 3},
        {5, 512}, {64, 64}, {63, 61}, {32, 128}, {1024, 4}, {4, 1024}, {17, 64}, {64, 2}, {31, 33}, {65, 40}, {130, 19},
        {193, 7}};
    static const uint8_t planes[] = {0, 1, 2, 3, 7, 8, 12, 14, 15, 16, 20, 23};
    struct fixture *f = *state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t p = 0; p < sizeof planes; p++) {
            f->width = sizes[s][0];
            f->height = sizes[s][1];
            fill(f, planes[p], (uint32_t)(100 * s + p + 1));
            go_there_and_back(f, 0, 0, 0);
            assert_true(f->outcome.left == 0);
            check_count(f);
            go_there_and_back(f, 1, 1, 0);
            go_there_and_back(f, 1, 2, 0);
            go_there_and_back(f, 2, 2, J2K_STYLE_CAUSAL);
            go_there_and_back(f, planes[p] > 5 ? 5 : 0, 2, 0);
        }
}

/* Samples of up to 31 bits, whose gains are sums of rounded squares. */
static void deep_blocks_come_back(void **state)
{
    struct fixture *f = *state;
    for (uint32_t planes = 24; planes < 30; planes++) {
        f->width = 61;
        f->height = 63;
        fill(f, planes, planes);
        encode(f, CPU_C, 0, 0, 0);
        memcpy(f->data, f->outcome.data, f->outcome.length);
        assert_true(decode(f, 1, 0) == 0);
        for (uint32_t t = 0; t < f->tiers; t++) {
            encode(f, f->tier[t], 0, 0, 0);
            assert_memory_equal(f->outcome.data, f->data, f->outcome.length);
        }
    }
}

/* Bytes and pairs of bytes that a segment must not have (T.814, 7.1): markers in it, and 0xFF at its end. */
static void segments_hold_no_markers(void **state)
{
    struct fixture *f = *state;
    f->width = f->height = 64;
    for (uint32_t seed = 1; seed <= 200; seed++) {
        fill(f, 1 + seed % 12, seed);
        encode(f, CPU_C, seed % 2, seed % 2 * 2, 0);
        uint32_t begin = 0;
        for (uint32_t p = 0; p < f->outcome.passes; p++) {
            uint32_t end = f->outcome.pass[p].length;
            for (uint32_t i = begin; i + 1 < end; i++)
                assert_false(f->outcome.data[i] == 0xFF && f->outcome.data[i + 1] > 0x8F);
            assert_true(end == 0 || f->outcome.data[end - 1] != 0xFF);
            begin = p == 0 ? end : begin;
        }
    }
}

/* Rounded blocks gain what their encoder says, too, and bytes that they save are worth more than their errors. */
static void rounding_pays(void **state)
{
    enum { PLANE = 3 };
    const double square = 1 << 2 * PLANE, bit = 0.22 * square;
    struct fixture *f = *state;
    double sum[2] = {0};
    for (uint32_t seed = 1; seed <= 60; seed++) {
        double cost[2];
        f->width = 1 + seed * 7 % 64;
        f->height = 1 + seed * 11 % 64;
        fill(f, 2 + seed % 8, seed);
        for (uint32_t i = 0; i < 2; i++) {
            f->worth = i * bit;
            go_there_and_back(f, PLANE, 0, 0);
            cost[i] = f->outcome.left / 4 + 8 * bit * f->outcome.length;
            sum[i] += cost[i];
        }
        assert_true(cost[1] <= cost[0] + 8 * bit);
        for (uint32_t plane = PLANE - 1; plane <= PLANE + 1; plane++)
            go_there_and_back(f, plane, 2, seed % 2 * J2K_STYLE_CAUSAL);
        f->worth = 0;
    }
    assert_true(sum[1] < 0.99 * sum[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes_are_the_best),
        cmocka_unit_test_setup_teardown(blocks_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(deep_blocks_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(rounding_pays, setup, teardown),
        cmocka_unit_test_setup_teardown(segments_hold_no_markers, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
