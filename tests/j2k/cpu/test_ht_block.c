/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder of T.814's code-blocks, in all tiers, against a bit-by-bit model, which also makes the blocks. */
#include <stdlib.h>
#include <string.h>

#include "j2k/cpu/blocks/ht_decode.h"
#include "support/cpu_tiers.h"
#include "support/j2k/model_ht.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/test.h"

enum { SEGMENTS = 8 };

struct fixture {
    struct model_ht source, model;
    struct j2k_codeword segment[SEGMENTS];
    uint8_t bytes[SEGMENTS][MODEL_HT_BYTES];
    uint32_t segments, roi_shift;
    int32_t fraction;
    uint32_t tiers;
    enum cpu_tier tier[CPU_TIERS]; /* all of the processor */
    struct j2k_block_scratch *scratch;
};

static uint32_t random_state = 1;

static uint32_t below(uint32_t limit)
{
    return random_below(&random_state, limit);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->scratch = malloc(kst_j2k_cpu_ht.decoder_length);
    assert_non_null(f->scratch);
    f->tiers = cpu_tiers(f->tier);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    free(f->scratch);
    free(f);
    return 0;
}

/* Magnitudes of up to `planes` bits, in patches of sizes of their own, many of them 0. */
static void fill(struct model_ht *model, uint32_t planes)
{
    memset(model->sample, 0, sizeof model->sample);
    for (uint32_t y = 0, length = 0; y < model->height; y++)
        for (uint32_t x = 0; x < model->width; x++) {
            struct model_ht_sample *sample = model_ht_at(model, (int32_t)x, (int32_t)y);
            if (x % 13 == 0)
                length = below(3) == 0 ? 0 : below(planes + 1);
            uint64_t bits = (uint64_t)random_next(&random_state) << 32 ^ random_next(&random_state);
            uint32_t own = below(length + 1);
            sample->magnitude = bits & ((UINT64_C(1) << own) - 1);
            sample->negative = (uint8_t)(bits >> 63);
        }
}

static void add_segment(struct fixture *f, uint32_t passes, uint32_t length)
{
    f->segment[f->segments] = (struct j2k_codeword){f->bytes[f->segments], length, passes};
    f->segments++;
}

/* A set of a cleanup pass on a plane, behind passes that only count planes, and of refinement passes. */
static void add_set(struct fixture *f, uint32_t plane, uint32_t placeholders, uint32_t passes)
{
    add_segment(f, placeholders + 1, model_ht_encode(&f->source, plane, f->bytes[f->segments]));
    if (passes > 1)
        add_segment(f, passes - 1, model_ht_encode_refinement(&f->source, plane, passes, f->bytes[f->segments]));
}

static void describe(struct fixture *f, uint32_t width, uint32_t height, uint32_t missing, uint32_t planes)
{
    f->source.width = f->model.width = width;
    f->source.height = f->model.height = height;
    f->source.missing = f->model.missing = missing;
    f->source.planes = f->model.planes = planes;
    f->source.causal = f->model.causal = below(2);
    f->segments = 0;
    f->roi_shift = 0;
    f->fraction = (int32_t)(missing + planes < 31 ? below(2) : 31 - missing - planes);
}

static struct j2k_coded_block block_of(const struct fixture *f)
{
    return (struct j2k_coded_block){.width = f->model.width,
        .height = f->model.height,
        .style = J2K_STYLE_HT | (f->model.causal ? J2K_STYLE_CAUSAL : 0U),
        .missing = f->model.missing,
        .planes = f->model.planes,
        .roi_shift = f->roi_shift,
        .fraction = f->fraction,
        .codeword_count = f->segments,
        .codewords = f->segment};
}

/* Half a step of the lowest plane, and the fraction; for a region of interest only planes from the shift on count. */
static uint32_t expected(const struct fixture *f, const struct model_ht_sample *sample)
{
    uint64_t magnitude = sample->magnitude;
    uint32_t plane = sample->plane;
    if (magnitude == 0 || f->model.damaged)
        return 0;
    if (f->roi_shift > 0 && magnitude >> f->roi_shift) {
        magnitude >>= f->roi_shift;
        plane = plane > f->roi_shift ? plane - f->roi_shift : 0;
    }
    uint64_t twice = magnitude << 1 | UINT64_C(1) << plane;
    return (uint32_t)(twice >> (1 - f->fraction)) | (uint32_t)sample->negative << 31;
}

static void compare_tier(struct fixture *f, enum cpu_tier tier)
{
    struct j2k_coded_block block = block_of(f);
    memset(f->scratch, 0xA5, kst_j2k_cpu_ht.decoder_length);
    assert_int_equal(kst_j2k_cpu_ht.decode(f->scratch, tier, &block), f->model.damaged ? J2K_BLOCK_HT : 0);
    for (uint32_t i = 0; i < f->model.width * f->model.height; i++) {
        const struct model_ht_sample *sample =
            model_ht_at(&f->model, (int32_t)(i % f->model.width), (int32_t)(i / f->model.width));
        if (f->scratch->sample[i] != expected(f, sample))
            fail_msg("%u x %u, %s: sample %u is %#x, not %#x", f->model.width, f->model.height, kst_cpu_tier_name(tier),
                i, f->scratch->sample[i], expected(f, sample));
    }
}

/* Every tier finds what the model finds. */
static void compare(struct fixture *f)
{
    model_ht_decode(&f->model, f->segment, f->segments);
    for (uint32_t t = 0; t < f->tiers; t++)
        compare_tier(f, f->tier[t]);
}

static void assert_found(struct fixture *f, uint32_t plane, uint32_t passes)
{
    assert_false(f->model.damaged);
    for (uint32_t y = 0; y < f->model.height; y++)
        for (uint32_t x = 0; x < f->model.width; x++) {
            const struct model_ht_sample source = *model_ht_at(&f->source, (int32_t)x, (int32_t)y),
                                         found = *model_ht_at(&f->model, (int32_t)x, (int32_t)y);
            bool refined = passes > 2 || (passes > 1 && !found.significant);
            uint32_t lowest = plane - (refined && found.magnitude > 0 ? 1 : 0);
            if (found.magnitude > 0 || passes == 1 || passes > 2)
                assert_true(found.magnitude >> lowest == source.magnitude >> lowest || found.magnitude == 0);
            assert_true(found.magnitude == 0 || found.negative == source.negative);
            assert_true(found.magnitude > 0 || source.magnitude >> plane == 0);
        }
}

static void round_trip(struct fixture *f, uint32_t width, uint32_t height)
{
    uint32_t planes = 1 + below(31), missing = below(32 - planes);
    describe(f, width, height, missing, planes);
    uint32_t above = below(planes), plane = planes - 1 - above, passes = plane > 0 ? 1 + below(3) : 1;
    fill(&f->source, plane + below(missing + above + 2));
    add_set(f, plane, 3 * above, passes);
    compare(f);
    assert_found(f, plane, passes);
}

static const uint16_t sizes[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 2}, {4, 4}, {5, 9}, {6, 6}, {7, 7}, {8, 3},
    {16, 7}, {13, 16}, {17, 5}, {33, 31}, {40, 12}, {47, 6}, {64, 64}, {63, 61}, {1024, 4}, {1023, 3}, {4, 1024},
    {3, 1023}, {1, 1024}};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void all_sizes(void **state)
{
    for (uint32_t i = 0; i < SIZES; i++)
        for (uint32_t n = 0; n < (sizes[i][0] * sizes[i][1] > 1000 ? 12 : 60); n++)
            round_trip(*state, sizes[i][0], sizes[i][1]);
}

/* Magnitudes that need just so many bits, nearly all of them, so that numbers of each length begin at each bit. */
static void every_length(void **state)
{
    struct fixture *f = *state;
    for (uint32_t planes = 1; planes <= 31; planes++)
        for (uint32_t n = 0; n < 16; n++) {
            describe(f, 1 + below(40), 1 + below(40), 0, planes);
            memset(f->source.sample, 0, sizeof f->source.sample);
            for (uint32_t y = 0; y < f->source.height; y++)
                for (uint32_t x = 0; x < f->source.width; x++) {
                    struct model_ht_sample *sample = model_ht_at(&f->source, (int32_t)x, (int32_t)y);
                    const uint32_t bits = random_next(&random_state) << 16 ^ random_next(&random_state);
                    const uint32_t top = below(16) == 0 ? 0 : UINT32_C(1) << (planes - 1);
                    sample->magnitude = (bits & ((UINT32_C(1) << planes) - 1)) | top;
                    sample->negative = (uint8_t)below(2);
                }
            add_set(f, 0, 3 * (planes - 1), 1);
            compare(f);
            assert_found(f, 0, 1);
        }
}

/* Few samples among empty rows, of which MEL says at once that they are empty. */
static void sparse(void **state)
{
    struct fixture *f = *state;
    for (uint32_t n = 0; n < 300; n++) {
        describe(f, 1 + below(64), 1 + below(64), 0, 12);
        memset(f->source.sample, 0, sizeof f->source.sample);
        for (uint32_t k = below(6); k > 0; k--) {
            const uint32_t x = below(f->source.width), y = below(f->source.height);
            struct model_ht_sample *sample = model_ht_at(&f->source, (int32_t)x, (int32_t)y);
            sample->magnitude = below(1U << below(13));
            sample->negative = (uint8_t)below(2);
        }
        add_set(f, 0, 33, 1);
        compare(f);
        assert_found(f, 0, 1);
    }
}

/* More planes than words of 32 bits have, and regions of interest. */
static void deep(void **state)
{
    struct fixture *f = *state;
    for (uint32_t n = 0; n < 200; n++) {
        uint32_t planes = 1 + below(31), shift = n % 2 ? 1 + below(planes) : 0, missing = 31 - planes + below(8);
        describe(f, 1 + below(20), 1 + below(20), missing, planes);
        f->roi_shift = shift;
        uint32_t all = missing + planes, inside = all - shift, most = inside > shift ? inside : shift;
        f->fraction = 31 - (int32_t)most < 1 ? 31 - (int32_t)most : (int32_t)below(2);
        uint32_t plane = below(planes), passes = plane > 0 ? 1 + below(3) : 1;
        fill(&f->source, plane + (all - plane < 30 ? all - plane : 30));
        add_set(f, plane, 3 * (planes - 1 - plane), passes);
        compare(f);
        assert_found(f, plane, passes);
    }
}

/* Later sets replace earlier ones if their cleanup pass has bytes; passes without any in front are none. */
static void sets(void **state)
{
    struct fixture *f = *state;
    for (uint32_t n = 0; n < 100; n++) {
        describe(f, 1 + below(20), 1 + below(20), 2, 9);
        fill(&f->source, 11);
        add_set(f, 7, 3, n % 4 == 0 ? 1 : 3);
        if (f->segments == 1)
            add_segment(f, 2, 0); /* all bits are 0, but a plane is added */
        add_set(f, 6, 0, 3);
        add_segment(f, 1, 0);
        add_segment(f, 2, 0);
        compare(f);
        assert_found(f, 6, 3);
        f->segment[2].length = f->segment[3].length = 0;
        compare(f);
        f->segments = 2;
        f->segment[0].length = 0;
        compare(f);
        for (uint32_t i = 0; i < f->model.width * f->model.height; i++)
            assert_int_equal(f->scratch->sample[i], 0);
    }
}

static uint32_t damaged_found;

/* Whatever the bytes are, all find the same, or the same damage. */
static void damage(void **state)
{
    struct fixture *f = *state;
    const uint32_t rounds = THREADS_WATCHED ? 200 : 4000;
    for (uint32_t n = 0; n < rounds; n++) {
        const uint16_t *size = sizes[n % SIZES];
        uint32_t planes = 1 + below(14), above = below(planes), plane = planes - 1 - above;
        describe(f, size[0] < 64 ? size[0] : 64, size[1] < 64 ? size[1] : 64, below(20), planes);
        f->roi_shift = below(8) == 0 ? below(planes + 1) : 0;
        fill(&f->source, planes + below(4));
        add_set(f, plane, 3 * above, plane > 0 ? 1 + below(3) : 1);
        struct j2k_codeword *segment = &f->segment[below(f->segments)];
        uint8_t *bytes = f->bytes[segment - f->segment];
        for (uint32_t k = below(4); k > 0 && segment->length > 0; k--)
            bytes[below(4) ? below(segment->length) : segment->length - 1] ^= (uint8_t)(1 + below(255));
        if (below(4) == 0)
            segment->length = below(segment->length + 1);
        compare(f);
        damaged_found += f->model.damaged;
    }
    assert_in_range(damaged_found, rounds / 8, rounds - rounds / 8);
}

/* Bytes of chance only: long runs of FF, and few different values, let stuffing happen. */
static void noise(void **state)
{
    struct fixture *f = *state;
    for (uint32_t n = 0; n < 2000; n++) {
        uint32_t planes = 2 + below(20), length = 2 + below(n % 3 ? 60 : 3000), suffix = 2 + below(length - 1);
        describe(f, 1 + below(64), 1 + below(64), below(10), planes);
        f->fraction = 0;
        suffix = suffix > 4079 ? 4079 : suffix;
        add_segment(f, 1, length);
        add_segment(f, 1 + below(2), below(200));
        for (uint32_t i = 0; i < length + 200; i++) {
            uint8_t *byte = i < length ? &f->bytes[0][i] : &f->bytes[1][i - length];
            *byte = (uint8_t)(n % 2 ? random_next(&random_state) >> 24 : below(2) ? 0xFF : 0x7F + below(18));
        }
        f->bytes[0][length - 1] = (uint8_t)(suffix >> 4);
        f->bytes[0][length - 2] = (uint8_t)((f->bytes[0][length - 2] & 0xF0) | (suffix & 15));
        compare(f);
    }
}

/* Lengths that cannot be (7.1.1). */
static void lengths(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t length, suffix, refinement;
        bool damaged;
    } cases[] = {{1, 0, 0, true}, {2, 2, 0, false}, {2, 1, 0, true}, {2, 0, 0, true}, {2, 3, 0, true},
        {100, 100, 0, false}, {100, 101, 0, true}, {5000, 4079, 0, false}, {5000, 4080, 0, true}, {65534, 2, 0, false},
        {65535, 2, 0, true}, {70000, 2, 0, true}, {100, 4, 2046, false}, {100, 4, 2047, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        describe(f, 8, 8, 0, 8);
        uint32_t length = cases[i].length;
        memset(f->bytes, 0xFF, sizeof f->bytes); /* MEL says that no sample is significant */
        f->bytes[0][length - 1] = (uint8_t)(cases[i].suffix >> 4);
        if (length > 1)
            f->bytes[0][length - 2] = (uint8_t)(0xF0 | (cases[i].suffix & 15));
        add_segment(f, 1, length);
        add_segment(f, 2, cases[i].refinement);
        compare(f);
        assert_int_equal(f->model.damaged, cases[i].damaged);
    }
}

static void too_deep(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t missing, planes, shift;
        int32_t fraction;
        uint32_t met;
    } cases[] = {{0, 31, 0, 0, 0}, {0, 31, 0, 1, J2K_BLOCK_DEPTH}, {1, 31, 0, 0, J2K_BLOCK_DEPTH}, {1, 31, 0, -1, 0},
        {31, 31, 31, 0, 0}, {31, 32, 31, 0, J2K_BLOCK_DEPTH}, {32, 31, 32, -1, J2K_BLOCK_DEPTH}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        describe(f, 4, 4, cases[i].missing, cases[i].planes);
        f->roi_shift = cases[i].shift;
        f->fraction = cases[i].fraction;
        fill(&f->source, 20);
        add_set(f, cases[i].planes - 1, 0, 1);
        struct j2k_coded_block block = block_of(f);
        assert_int_equal(kst_j2k_cpu_ht.decode(f->scratch, CPU_C, &block), cases[i].met);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_sizes), cmocka_unit_test(every_length),
        cmocka_unit_test(sparse), cmocka_unit_test(deep), cmocka_unit_test(sets), cmocka_unit_test(damage),
        cmocka_unit_test(noise), cmocka_unit_test(lengths), cmocka_unit_test(too_deep)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
