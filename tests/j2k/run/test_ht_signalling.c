/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole codestreams with all that T.814 can signal of a code-block and encoders do not write: several sets, passes in
 * front of them and refinement passes in layers of their own, both coders side by side, regions of interest, and
 * lengths that cannot be. Every tier finds what the model finds, and transcoding keeps it.
 */
#include <kostka/kostka.h>

#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/cpu_tiers.h"
#include "support/gpu/contexts.h"
#include "support/j2k/made_sets.h"
#include "support/random.h"
#include "support/test.h"

enum { MOST_SAMPLES = MADE_BLOCKS * J2K_BLOCK_SAMPLES, HT = J2K_STYLE_HT, MIXED = J2K_STYLE_HT | J2K_STYLE_MIXED };

static struct made made;
static struct made_band band;
static struct model_ht source[MADE_BLOCKS], found;
static struct model other;
static kst_context *context[CPU_TIERS + MOST_CONTEXTS];
static uint32_t contexts, random_state = 3;

static uint32_t below(uint32_t limit)
{
    return random_below(&random_state, limit);
}

static int setup(void **state)
{
    enum cpu_tier tier[CPU_TIERS];
    (void)state;
    contexts = cpu_tiers(tier);
    for (uint32_t t = 0; t < contexts; t++) {
        kst_context_options options;
        kst_context_options_init(&options);
        options.device = "cpu";
        options.threads = 1;
        options.cpu = kst_cpu_tier_name(tier[t]);
        assert_int_equal(kst_context_create(&options, &context[t]), KST_OK);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (uint32_t t = 0; t < contexts; t++)
        kst_context_destroy(&context[t]);
    return 0;
}

static int setup_gpus(void **state)
{
    start_contexts(state);
    contexts = gpu_contexts;
    memcpy(context, gpu_context, sizeof gpu_context);
    return 0;
}

/* Start a band without blocks. */
static void start(uint32_t height, uint32_t planes, uint32_t missing, uint32_t style, uint32_t roi_shift)
{
    made_sets_forget();
    band = (struct made_band){.height = height,
        .layers = 3 + below(3),
        .planes = planes,
        .missing = missing,
        .style = style,
        .roi_shift = roi_shift};
}

/* Return the bit-planes of a block from its first pass's plane on. */
static uint32_t planes_of_blocks(void)
{
    return band.planes + band.roi_shift - band.missing;
}

static void describe(struct model_ht *model, uint32_t index)
{
    model->width = band.block[index].width;
    model->height = band.height;
    model->missing = band.missing;
    model->planes = planes_of_blocks();
    model->causal = (band.style & J2K_STYLE_CAUSAL) != 0;
}

static void add_sets(uint32_t width, uint32_t bits, const struct made_sets *sets)
{
    struct made_block *block = &band.block[band.blocks];
    *block = (struct made_block){.width = width, .coder = J2K_HT};
    describe(&source[band.blocks], band.blocks);
    made_sets_fill(&source[band.blocks], bits, &random_state);
    made_sets_add(block, &source[band.blocks], sets, band.layers, &random_state);
    band.blocks++;
}

static void add_codeword(uint32_t width)
{
    band.block[band.blocks] = (struct made_block){.width = width, .coder = J2K_EBCOT};
    memset(&other, 0, sizeof other);
    other.width = width;
    other.height = band.height;
    other.style = band.style & J2K_STYLES;
    other.planes = planes_of_blocks();
    made_codeword_add(&band.block[band.blocks++], &other, 3 * other.planes - 2, &random_state);
}

/* Undo the shift of a region of interest (T.800 H.1), and add half a step of the lowest plane that was decoded. */
static int32_t value_of(uint64_t magnitude, uint32_t plane, bool negative)
{
    if (magnitude >> band.roi_shift && band.roi_shift > 0) {
        magnitude >>= band.roi_shift;
        plane = plane > band.roi_shift ? plane - band.roi_shift : 0;
    }
    magnitude |= magnitude > 0 ? (UINT64_C(1) << plane) >> 1 : 0;
    const int64_t most = (INT64_C(1) << (band.planes < 31 ? band.planes : 30)) - 1;
    const int64_t value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return (int32_t)(value > most ? most : value < -most - 1 ? -most - 1 : value);
}

/* Find what a block's first layers hold. Returns whether the block is damaged. */
static bool expect_block(uint32_t index, uint32_t layers, int32_t *to, uint32_t pitch)
{
    const struct made_block *block = &band.block[index];
    struct j2k_codeword segment[MADE_RUNS];
    const bool ht = block->coder == J2K_HT;
    if (ht) {
        describe(&found, index);
        model_ht_decode(&found, segment, made_sets_segments(block, layers, segment));
    }
    for (uint32_t i = 0; i < block->width * band.height; i++) {
        const uint32_t x = i % block->width, y = i / block->width;
        const struct model_ht_sample *sample = ht ? model_ht_at(&found, (int32_t)x, (int32_t)y) : NULL;
        to[y * pitch + x] = ht && found.damaged ? 0
                            : ht                ? value_of(sample->magnitude, sample->plane, sample->negative)
                                                : value_of(other.magnitude[i], 0, other.negative[i]);
    }
    return ht && found.damaged;
}

static uint32_t width_of_band(void)
{
    return band.block[0].width + (band.blocks > 1 ? band.block[1].width : 0);
}

struct expectation {
    int32_t sample[MOST_SAMPLES];
    uint32_t damaged;
    uint64_t offset;
};

/* Return the place of a block's first byte. */
static uint64_t place_of(const struct made_block *block)
{
    uint32_t first = 0;
    while (block->run[first].length == 0)
        first++;
    return made_blocks_place(&block->run[first]);
}

static void expect(uint32_t layers, struct expectation *e)
{
    uint32_t x = 0;
    e->damaged = 0;
    e->offset = UINT64_MAX;
    for (uint32_t b = 0; b < band.blocks; x += band.block[b++].width) {
        if (!expect_block(b, layers, e->sample + x, width_of_band()))
            continue;
        e->damaged++;
        e->offset = place_of(&band.block[b]) < e->offset ? place_of(&band.block[b]) : e->offset;
    }
}

static void compare_samples(const char *what, const kst_plane *plane, const struct expectation *e)
{
    for (uint32_t i = 0; i < plane->width * plane->height; i++) {
        const uint32_t x = i % plane->width, y = i / plane->width;
        int32_t value;
        memcpy(&value, (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch + sizeof value * x, sizeof value);
        if (value != e->sample[i])
            fail_msg("%s: (%u, %u) is %d, not %d", what, (unsigned)x, (unsigned)y, (int)value, (int)e->sample[i]);
    }
}

static void decode(kst_context *with, const void *data, size_t length, uint32_t layers, const struct expectation *e)
{
    kst_decode_options options;
    kst_report report;
    kst_image image;
    kst_decode_options_init(&options);
    kst_image_init(&image);
    kst_report_init(&report);
    options.format = KST_FORMAT_RAW;
    options.sample = KST_SAMPLE_INT32;
    options.layers = layers;
    assert_int_equal(kst_decode(with, data, length, &options, &image, &report), KST_OK);
    assert_int_equal(report.warnings, e->damaged);
    if (e->damaged > 0)
        assert_int_equal(report.first_warning_offset, e->offset);
    compare_samples("decoded", &image.plane[0], e);
    kst_image_release(with, &image);
}

static kst_buffer change(kst_context *with, const kst_buffer *from, kst_choice ht)
{
    kst_buffer to = {.data = NULL};
    kst_transcode_options options;
    kst_report report;
    kst_transcode_options_init(&options);
    kst_report_init(&report);
    options.jpeg2000.ht = ht;
    assert_int_equal(kst_transcode(with, from->data, from->length, &options, &to, &report), KST_OK);
    assert_int_equal(report.warnings, 0);
    return to;
}

/* What has no damage has the same samples with the other coder, and when it comes back. */
static void transcode(kst_context *with, const struct expectation *e)
{
    const kst_buffer from = {.data = made.data, .length = made.length};
    kst_buffer to = change(with, &from, KST_CHOICE_NO), back = change(with, &to, KST_CHOICE_YES);
    decode(with, to.data, to.length, 0, e);
    decode(with, back.data, back.length, 0, e);
    kst_buffer_release(with, &to);
    kst_buffer_release(with, &back);
}

/* All contexts find what the model finds, and one of them does so in the first layers. */
static void compare(void)
{
    static struct expectation e;
    made_blocks_write(&made, &band);
    const uint32_t least = band.layers > 1 ? 1 + below(band.layers - 1) : 1, other_one = below(contexts);
    expect(least, &e);
    decode(context[other_one], made.data, made.length, least, &e);
    expect(band.layers, &e);
    for (uint32_t t = 0; t < contexts; t++)
        decode(context[t], made.data, made.length, 0, &e);
    if (e.damaged == 0 && band.planes + band.roi_shift <= 31)
        transcode(context[other_one], &e);
}

static const uint16_t sizes[][2] = {
    {1, 1}, {1, 33}, {33, 1}, {4, 4}, {5, 9}, {13, 16}, {64, 64}, {63, 61}, {1024, 4}, {1023, 3}, {4, 1024}, {3, 1023}};

enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Choose sets within a block's planes, and how many planes lie above them. */
static struct made_sets choose(uint32_t planes)
{
    struct made_sets sets = {.sets = 1 + below(planes < 3 ? planes : 3), .passes = 1 + below(3)};
    sets.placeholders = below(planes - sets.sets + 1);
    if (sets.placeholders + sets.sets == planes)
        sets.passes = 1;
    return sets;
}

static void sets(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 3 * SIZES; n++) {
        const uint16_t *size = sizes[n % SIZES];
        const uint32_t planes = 1 + below(n % 5 ? 14 : 31), missing = below(planes);
        start(size[1], planes, missing, HT | (n % 2 ? J2K_STYLE_CAUSAL : 0U), 0);
        const struct made_sets chosen = choose(planes - missing);
        add_sets(size[0], planes < 30 ? planes : 30, &chosen);
        compare();
    }
}

/* Regions of interest whose shift leaves samples of both kinds, also where planes and shift take 64 bits. */
static void interest(void **state)
{
    static const uint32_t planes[][2] = {{8, 9}, {3, 12}, {12, 12}, {5, 26}, {20, 20}, {30, 30}};
    (void)state;
    for (uint32_t n = 0; n < 4 * sizeof planes / sizeof planes[0]; n++) {
        const uint32_t *choice = planes[n / 4], all = choice[0] + choice[1], least = all > 31 ? all - 31 : 0;
        start(
            17, choice[0], below(all - least > 12 ? 12 : all - least), HT | (n % 2 ? J2K_STYLE_CAUSAL : 0U), choice[1]);
        struct made_sets chosen = choose(planes_of_blocks() - least);
        add_sets(29, 30, &chosen);
        compare();
    }
}

/* Both coders in one tile: which one a block has shows in the length of its first bytes. The styles are T.800's. */
static void both_coders(void **state)
{
    (void)state;
    static const uint32_t styles[] = {0, J2K_STYLE_CAUSAL, J2K_STYLE_RESET, J2K_STYLE_SYMBOLS | J2K_STYLE_CAUSAL};
    for (uint32_t n = 0; n < 24; n++) {
        const uint32_t planes = 2 + below(10), shift = n % 3 == 2 ? planes + below(3) : 0;
        start(1 + below(30), planes, below(planes), MIXED | styles[n % 4], shift);
        const struct made_sets chosen = choose(planes_of_blocks());
        const bool first = n % 2 == 0;
        if (first)
            add_sets(32, planes + shift, &chosen);
        add_codeword(first ? 1 + below(32) : 32);
        if (!first)
            add_sets(1 + below(32), planes + shift, &chosen);
        compare();
    }
}

/* Set the length of MEL and VLC that the last two bytes of a cleanup segment state. */
static void set_suffix(uint8_t *bytes, uint32_t length, uint32_t suffix)
{
    if (length > 0)
        bytes[length - 1] = (uint8_t)(suffix >> 4);
    if (length > 1)
        bytes[length - 2] = (uint8_t)((bytes[length - 2] & 0xF0) | (suffix & 15));
}

/*
 * Lengths that cannot be (T.814 7.1.1), in a second set, which counts although the first is sound, and the limits of
 * what can be. Refinement passes of no byte and of one read zeros, and those of a set whose cleanup pass has no bytes
 * do not count.
 */
static void lengths(void **state)
{
    static uint8_t bytes[1 << 16], more[1 << 12];
    static const struct {
        uint32_t length, suffix, refinement;
        bool damaged;
    } cases[] = {{1, 0, 0, true}, {2, 2, 0, false}, {2, 3, 0, true}, {2, 1, 1, true}, {3, 0, 0, true}, {3, 3, 1, false},
        {100, 100, 0, false}, {100, 101, 0, true}, {5000, 4079, 1, false}, {5000, 4080, 0, true},
        {65534, 4079, 0, false}, {65535, 2, 0, true}, {100, 4, 2046, false}, {100, 4, 2047, true}, {0, 0, 5, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(8, 8, 0, HT, 0);
        memset(bytes, 0xFF, sizeof bytes); /* MEL says that no sample is significant */
        memset(more, 0x55, sizeof more);
        add_sets(8, 8, &(struct made_sets){.placeholders = 1, .sets = 1, .passes = 3});
        set_suffix(bytes, cases[i].length, cases[i].suffix);
        struct made_block *block = &band.block[0];
        const uint32_t layer = block->run[block->runs - 1].layer + 1;
        block->run[block->runs++] = (struct made_run){layer, 1, cases[i].length, bytes};
        block->run[block->runs++] = (struct made_run){layer, 2, cases[i].refinement, more};
        band.layers = layer + 1;
        compare();
        assert_int_equal(found.damaged, cases[i].damaged);
    }
}

/* Bytes of refinement passes are cut off or replaced: what is missing reads as zeros, and stuffing goes its way. */
static void short_refinement(void **state)
{
    static uint8_t noise[64];
    (void)state;
    for (uint32_t n = 0; n < 80; n++) {
        start(24, 9, 1, HT | (n % 2 ? J2K_STYLE_CAUSAL : 0U), 0);
        add_sets(31, 9, &(struct made_sets){.placeholders = n % 3, .sets = 1, .passes = 2 + n / 2 % 2});
        for (uint32_t i = 0; i < sizeof noise; i++)
            noise[i] = (uint8_t)(below(2) ? 0xFF : below(2) ? 0x7F + below(18) : below(256));
        for (uint32_t r = 1; r < band.block[0].runs; r++) {
            struct made_run *run = &band.block[0].run[r];
            const bool refinement = run->length > 0 && run[-1].length > 0;
            if (refinement && n % 4 == 0)
                run->length = below(3);
            else if (refinement && r + 1 == band.block[0].runs && run[-1].data + run[-1].length != run->data)
                *run = (struct made_run){run->layer, run->passes, below(sizeof noise), noise};
        }
        compare();
    }
}

/*
 * More bits than the band has planes are damage. A bound in CAP that is too small is not: words are chosen by the
 * planes.
 */
static void bounds(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 8; n++) {
        start(16, 9, 0, HT, 0);
        band.ccap = 0; /* magnitudes of at most eight bits */
        add_sets(16, n % 2 ? 11 : 9, &(struct made_sets){.placeholders = n, .sets = 1, .passes = 1});
        model_ht_at(&source[0], 3, 3)->magnitude = n % 2 ? 0x7FF : 0x1FF;
        band.block[0].runs = 0;
        made_sets_add(&band.block[0], &source[0], &(struct made_sets){n, 1, 1}, band.layers, &random_state);
        compare();
        assert_int_equal(found.damaged, n % 2);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sets), cmocka_unit_test(interest),
        cmocka_unit_test(both_coders), cmocka_unit_test(lengths), cmocka_unit_test(short_refinement),
        cmocka_unit_test(bounds)};
    if (argc > 1 && strcmp(argv[1], "gpus") == 0)
        return cmocka_run_group_tests(tests, setup_gpus, stop_contexts);
    return cmocka_run_group_tests(tests, setup, teardown);
}
