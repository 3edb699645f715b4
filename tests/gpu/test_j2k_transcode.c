/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEG 2000 becomes HTJ2K, and comes back, on every device: the CPU's bytes, warnings and errors, one stream at a time
 * and many at once. What the CPU did instead of a GPU fails where a GPU can do it; and where it cannot, the report says
 * so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/j2k/coded.h"
#include "support/j2k/made_sets.h"
#include "support/random.h"
#include "support/test.h"

/* Says how a picture is made and coded. */
struct kind {
    const char *name;
    uint32_t width, height, planes, depth;
    bool is_signed, flat;
    kst_j2k_options coding; /* its `size` and what is 0 here are filled in */
    bool on_cpu;            /* devices cannot do it */
};

static uint32_t random_state = 5;

static kst_image picture_of(const struct kind *kind)
{
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.width = kind->width;
    image.height = kind->height;
    image.plane_count = kind->planes;
    const uint32_t bytes = kind->depth > 8 ? 2 : 1, span = 1U << kind->depth;
    for (uint32_t p = 0; p < kind->planes; p++) {
        kst_plane *plane = &image.plane[p];
        *plane = (kst_plane){.width = kind->width,
            .height = kind->height,
            .depth = (uint8_t)kind->depth,
            .is_signed = kind->is_signed,
            .pitch = (ptrdiff_t)(kind->width * bytes)};
        uint8_t *to = plane->data = malloc((size_t)kind->width * kind->height * bytes);
        assert_non_null(to);
        for (uint32_t i = 0; i < kind->width * kind->height; i++) {
            uint32_t x = i % kind->width, y = i / kind->width;
            uint32_t value =
                kind->flat ? span / 2 : (span * (x + 2 * y) / 400 + random_below(&random_state, span / 8 + 2)) % span;
            value -= kind->is_signed ? span / 2 : 0;
            for (uint32_t k = 0; k < bytes; k++)
                *to++ = (uint8_t)(value >> 8 * k);
        }
    }
    return image;
}

static void free_picture(kst_image *image)
{
    for (uint32_t p = 0; p < image->plane_count; p++)
        free(image->plane[p].data);
}

static kst_buffer stream_of(const struct kind *kind)
{
    kst_j2k_options options;
    const kst_j2k_options *given = &kind->coding;
    kst_image image = picture_of(kind);
    kst_j2k_options_init(&options);
    options.target = given->target;
    options.value = given->value;
    options.style = given->style;
    options.passes = given->passes ? given->passes : 1;
    options.layers = given->layers ? given->layers : 1;
    options.levels = given->levels ? given->levels : options.levels;
    options.progression = given->progression;
    options.tile_width = options.tile_height = given->tile_width;
    if (given->block_width > 0) {
        options.block_width = given->block_width;
        options.block_height = given->block_height;
    }
    options.interest = given->interest;
    options.sop = options.eph = given->sop;
    options.packet_lengths = options.tile_part_lengths = given->packet_lengths;
    options.codestream = true;
    if (given->precinct_count > 0) {
        options.precinct_count = 1;
        options.precinct_width[0] = options.precinct_height[0] = given->precinct_count;
    }
    kst_buffer stream = j2k_coded(cpu_context, &image, &options);
    free_picture(&image);
    return stream;
}

static kst_transcode_options other_coder(bool to_ht)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.jpeg2000.ht = to_ht ? KST_CHOICE_YES : KST_CHOICE_NO;
    return options;
}

/* What a context made of a stream. */
struct result {
    kst_buffer bytes;
    kst_report report;
};

static struct result make(kst_context *context, const kst_buffer *stream, const kst_transcode_options *options)
{
    struct result made = {.bytes = {.data = NULL}};
    kst_report_init(&made.report);
    kst_transcode(context, stream->data, stream->length, options, &made.bytes, &made.report);
    return made;
}

/* The device's result must be the CPU's. */
static void expect_same(const char *name, const struct result *wanted, const struct result *found)
{
    const kst_report *a = &wanted->report, *b = &found->report;
    if (a->status != b->status || a->warnings != b->warnings || a->first_warning != b->first_warning ||
        a->first_warning_offset != b->first_warning_offset || a->offset != b->offset)
        fail_msg("%s: %d, %u warnings; the CPU: %d, %u", name, (int)b->status, (unsigned)b->warnings, (int)a->status,
            (unsigned)a->warnings);
    assert_int_equal(strcmp(a->message, b->message), 0);
    if (wanted->bytes.length != found->bytes.length ||
        (found->bytes.length > 0 && memcmp(wanted->bytes.data, found->bytes.data, found->bytes.length) != 0))
        fail_msg("%s: other bytes than the CPU's, %zu and %zu", name, found->bytes.length, wanted->bytes.length);
}

static void expect_device(const struct kind *kind, const kst_report *report, uint32_t device)
{
    kst_device_info info = {.size = sizeof info};
    kst_context_device(gpu_context[device], &info);
    const kst_device_kind wanted = kind->on_cpu ? KST_DEVICE_CPU : info.kind;
    if (report->stage_device[KST_STAGE_ENTROPY] != wanted)
        fail_msg(
            "%s: the report says that %d coded the blocks", kind->name, (int)report->stage_device[KST_STAGE_ENTROPY]);
}

/* Transcode on all devices, and return the CPU's stream. */
static kst_buffer compare(const struct kind *kind, const kst_buffer *stream, const kst_transcode_options *options)
{
    struct result wanted = make(cpu_context, stream, options);
    assert_int_equal(wanted.report.status, KST_OK);
    for (uint32_t d = 0; d < gpu_contexts; d++) {
        struct result found = make(gpu_context[d], stream, options);
        expect_same(kind->name, &wanted, &found);
        expect_device(kind, &found.report, d);
        kst_buffer_release(gpu_context[d], &found.bytes);
    }
    return wanted.bytes;
}

static const struct kind kinds[] = {
    {.name = "RGB, several blocks", .width = 150, .height = 131, .planes = 3, .depth = 8},
    {.name = "one pixel", .width = 1, .height = 1, .planes = 1, .depth = 8},
    {.name = "a row", .width = 301, .height = 1, .planes = 1, .depth = 8},
    {.name = "a column", .width = 1, .height = 203, .planes = 1, .depth = 8},
    {.name = "odd", .width = 67, .height = 65, .planes = 1, .depth = 8, .coding.levels = 2},
    {.name = "1 bit", .width = 70, .height = 40, .planes = 1, .depth = 1},
    {.name = "5 bits, signed", .width = 70, .height = 40, .planes = 2, .depth = 5, .is_signed = true},
    {.name = "12 bits", .width = 70, .height = 70, .planes = 1, .depth = 12},
    {.name = "16 bits", .width = 70, .height = 40, .planes = 1, .depth = 16},
    {.name = "16 bits, signed", .width = 70, .height = 40, .planes = 4, .depth = 16, .is_signed = true},
    {.name = "tiles", .width = 100, .height = 90, .planes = 3, .depth = 8, .coding.tile_width = 37},
    {.name = "wide blocks",
        .width = 300,
        .height = 50,
        .planes = 1,
        .depth = 8,
        .coding.block_width = 512,
        .coding.block_height = 8},
    {.name = "high blocks",
        .width = 50,
        .height = 300,
        .planes = 1,
        .depth = 8,
        .coding.block_width = 4,
        .coding.block_height = 1024},
    {.name = "small blocks",
        .width = 64,
        .height = 50,
        .planes = 1,
        .depth = 8,
        .coding.block_width = 4,
        .coding.block_height = 4},
    {.name = "precincts, markers",
        .width = 120,
        .height = 100,
        .planes = 3,
        .depth = 8,
        .coding.precinct_count = 64,
        .coding.sop = true,
        .coding.packet_lengths = true,
        .coding.progression = KST_PROGRESSION_RPCL},
    {.name = "PCRL", .width = 90, .height = 80, .planes = 3, .depth = 8, .coding.progression = KST_PROGRESSION_PCRL},
    {.name = "layers", .width = 120, .height = 100, .planes = 3, .depth = 8, .coding.layers = 4},
    {.name = "region of interest",
        .width = 90,
        .height = 80,
        .planes = 1,
        .depth = 8,
        .coding.interest = {.x = 20, .y = 20, .width = 30, .height = 25}},
    {.name = "causal", .width = 90, .height = 80, .planes = 1, .depth = 8, .coding.style = KST_J2K_CAUSAL},
    {.name = "all styles", .width = 90, .height = 80, .planes = 1, .depth = 8, .coding.style = 63},
    {.name = "bypass, every pass ends",
        .width = 90,
        .height = 80,
        .planes = 1,
        .depth = 12,
        .coding.style = KST_J2K_BYPASS | KST_J2K_TERMALL},
    {.name = "9/7 by step",
        .width = 150,
        .height = 90,
        .planes = 3,
        .depth = 8,
        .coding.target = KST_J2K_STEP,
        .coding.value = 0.01},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* The simulator is slow, and gets few: the kernels are those of decoding and encoding. */
static bool is_left_out(uint32_t index)
{
    return simulated() && index != 5;
}

/* There and back: what comes back is the stream that it was, if its styles are what T.814 has. */
static void test_round_trips(void **state)
{
    (void)state;
    const kst_transcode_options there = other_coder(true), back = other_coder(false);
    for (uint32_t i = 0; i < KINDS; i++) {
        if (is_left_out(i))
            continue;
        kst_buffer stream = stream_of(&kinds[i]);
        kst_buffer ht = compare(&kinds[i], &stream, &there), again = compare(&kinds[i], &ht, &back);
        if ((kinds[i].coding.style & ~(uint32_t)KST_J2K_CAUSAL) == 0) {
            if (again.length != stream.length || memcmp(again.data, stream.data, stream.length) != 0)
                fail_msg("%s: other bytes come back, %zu of %zu", kinds[i].name, again.length, stream.length);
        }
        kst_buffer_release(cpu_context, &stream);
        kst_buffer_release(cpu_context, &ht);
        kst_buffer_release(cpu_context, &again);
    }
}

/* Streams that devices leave to the CPU, which the report says. */
static void test_left_to_the_cpu(void **state)
{
    (void)state;
    static const struct kind empty = {
        .name = "nothing coded", .width = 40, .height = 30, .planes = 1, .depth = 8, .flat = true, .on_cpu = true};
    const kst_transcode_options there = other_coder(true);
    if (simulated())
        return;
    kst_buffer flat = stream_of(&empty), none = compare(&empty, &flat, &there);
    kst_buffer_release(cpu_context, &none);
    kst_buffer_release(cpu_context, &flat);
}

static const struct kind cuts[] = {
    {.name = "a ratio of 5", .width = 150, .height = 131, .planes = 3, .depth = 8, .coding.value = 5},
    {.name = "a ratio of 3, without loss before",
        .width = 90,
        .height = 80,
        .planes = 1,
        .depth = 12,
        .coding.value = 3},
    /* Long passes, in which each rule of stuffing has its turn. */
    {.name = "cut, noise", .width = 350, .height = 300, .planes = 1, .depth = 12, .coding.value = 2},
    {.name = "layers of rates",
        .width = 150,
        .height = 90,
        .planes = 3,
        .depth = 8,
        .coding = {.value = 6, .layers = 5}},
    {.name = "cut, tiles, 16 bits",
        .width = 100,
        .height = 90,
        .planes = 1,
        .depth = 16,
        .is_signed = true,
        .coding = {.value = 7, .tile_width = 37, .layers = 2}},
    {.name = "cut, causal", .width = 90, .height = 80, .planes = 1, .depth = 8, .coding = {.value = 4, .style = 8}},
    {.name = "cut, all styles",
        .width = 90,
        .height = 81,
        .planes = 1,
        .depth = 8,
        .coding = {.value = 4, .style = 63}},
    {.name = "cut, wide blocks",
        .width = 1030,
        .height = 17,
        .planes = 1,
        .depth = 8,
        .coding = {.value = 4, .block_width = 1024, .block_height = 4}},
    {.name = "cut, high blocks",
        .width = 19,
        .height = 1030,
        .planes = 1,
        .depth = 8,
        .coding = {.value = 4, .block_width = 4, .block_height = 1024}},
    {.name = "cut, small blocks",
        .width = 70,
        .height = 50,
        .planes = 1,
        .depth = 8,
        .coding = {.value = 3, .block_width = 4, .block_height = 4}},
};

static struct kind cut_at(uint32_t index)
{
    struct kind kind = cuts[index];
    kind.coding.target = KST_J2K_RATIO;
    return kind;
}

/*
 * Streams whose blocks end with any pass, because a rate or their layers cut them: devices code the refinement passes
 * of T.814, and decode them again, behind passes without bytes where a layer ended among these.
 */
static void test_cut_streams(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        const struct kind kind = cut_at(i);
        kst_transcode_options there = other_coder(true), again = other_coder(false);
        if (simulated() && i != 9)
            continue;
        kst_buffer stream = stream_of(&kind);
        for (uint32_t layers = 0; layers < kind.coding.layers || layers == 0; layers++) {
            there.jpeg2000.layers = layers;
            kst_buffer ht = compare(&kind, &stream, &there);
            if (!simulated()) {
                kst_buffer back = compare(&kind, &ht, &again);
                kst_buffer_release(cpu_context, &back);
            }
            kst_buffer_release(cpu_context, &ht);
        }
        kst_buffer_release(cpu_context, &stream);
    }
}

static const struct kind refined[] = {
    {.name = "refined, tiny",
        .width = 13,
        .height = 9,
        .planes = 1,
        .depth = 5,
        .coding = {.target = KST_J2K_STEP, .value = 0.01, .passes = 3, .levels = 1}},
    {.name = "refined, small blocks",
        .width = 40,
        .height = 30,
        .planes = 1,
        .depth = 8,
        .coding = {.target = KST_J2K_STEP, .value = 0.01, .passes = 3, .block_width = 8, .block_height = 8}},
    {.name = "refined by step",
        .width = 90,
        .height = 80,
        .planes = 1,
        .depth = 8,
        .coding = {.target = KST_J2K_STEP, .value = 0.01, .passes = 3}},
    {.name = "SigProp alone",
        .width = 150,
        .height = 131,
        .planes = 3,
        .depth = 8,
        .coding = {.target = KST_J2K_RATIO, .value = 6, .passes = 2}},
    {.name = "refined to a ratio, causal, odd",
        .width = 131,
        .height = 67,
        .planes = 1,
        .depth = 12,
        .coding = {.target = KST_J2K_RATIO, .value = 7, .passes = 3, .style = KST_J2K_CAUSAL}},
    {.name = "refined, high blocks, tiles",
        .width = 70,
        .height = 150,
        .planes = 1,
        .depth = 16,
        .coding = {.target = KST_J2K_RATIO,
            .value = 5,
            .passes = 3,
            .tile_width = 61,
            .block_width = 4,
            .block_height = 256}},
    {.name = "refined, wide blocks",
        .width = 300,
        .height = 30,
        .planes = 1,
        .depth = 8,
        .coding = {.target = KST_J2K_RATIO, .value = 5, .passes = 3, .block_width = 1024, .block_height = 4}},
};

/* Blocks of T.814 whose sets have refinement passes become blocks of T.800 that end with the same passes. */
static void test_refined_streams(void **state)
{
    (void)state;
    const kst_transcode_options back = other_coder(false);
    for (uint32_t i = 0; i < sizeof refined / sizeof *refined; i++) {
        struct kind kind = refined[i];
        kind.coding.style |= KST_J2K_HT;
        if (simulated() && i > 0)
            continue;
        kst_buffer stream = stream_of(&kind), old = compare(&kind, &stream, &back);
        kst_buffer_release(cpu_context, &old);
        kst_buffer_release(cpu_context, &stream);
    }
}

static struct made made_stream;
static struct model_ht made_source;
static struct model made_other;

/* Make a stream of a block with several sets, or with both coders of a mixed tile-component side by side. */
static kst_buffer make_sets(uint32_t turn)
{
    const bool mixed = turn % 3 == 2;
    const uint32_t planes = 7 + random_below(&random_state, 9), sets = 1 + turn % 3;
    struct made_band band = {.height = 1 + random_below(&random_state, 40),
        .layers = 3 + turn % 2,
        .planes = planes,
        .style = J2K_STYLE_HT | (mixed ? J2K_STYLE_MIXED : 0U) | (turn % 4 == 1 ? J2K_STYLE_CAUSAL : 0U),
        .ccap = MADE_CCAP_NONE,
        .blocks = mixed ? 2 : 1};
    made_sets_forget();
    band.block[0] = (struct made_block){.width = 32, .coder = J2K_HT};
    made_source.width = 32;
    made_source.height = band.height;
    made_source.missing = 0;
    made_source.planes = planes;
    made_source.causal = turn % 4 == 1;
    made_sets_fill(&made_source, planes, &random_state);
    made_sets_add(&band.block[0], &made_source, &(struct made_sets){turn % 3, sets, 1 + turn / 3 % 3}, band.layers,
        &random_state);
    if (turn % 5 == 4) /* passes without bytes, which add a plane if they refine, and otherwise count for nothing */
        band.block[0].run[band.block[0].runs++] = (struct made_run){band.layers++, 1, 0, NULL};
    if (mixed) {
        made_other = (struct model){.width = 17, .height = band.height, .planes = planes};
        made_other.style = band.style & J2K_STYLE_CAUSAL;
        band.block[1] = (struct made_block){.width = 17, .coder = J2K_EBCOT};
        made_codeword_add(&band.block[1], &made_other, 3 * planes - 2 - turn % 4, &random_state);
    }
    made_blocks_write(&made_stream, &band);
    return (kst_buffer){.data = made_stream.data, .length = made_stream.length};
}

/*
 * Several sets in a block, of which the last one with bytes counts, and tile-components that mix both coders, of whose
 * blocks only those of one coder change.
 */
static void test_made_streams(void **state)
{
    (void)state;
    static const struct kind kind = {.name = "several sets, mixed coders"};
    for (uint32_t turn = 0; turn < (simulated() ? 0 : fewer_cases() ? 15 : 30); turn++) {
        const kst_transcode_options options = other_coder(turn % 3 == 2 && turn % 2 == 0);
        const kst_buffer stream = make_sets(turn);
        kst_buffer old = compare(&kind, &stream, &options);
        kst_buffer_release(cpu_context, &old);
    }
}

/* The device codes the blocks again, and the host finds out which passes of theirs the rate has room for. */
static void test_rates(void **state)
{
    (void)state;
    static const struct kind kind = {
        .name = "back to a rate", .width = 90, .height = 80, .planes = 3, .depth = 8, .coding.style = KST_J2K_HT};
    kst_transcode_options back = other_coder(false);
    if (simulated())
        return;
    kst_buffer whole = stream_of(&kind);
    for (uint32_t layers = 1; layers <= 3; layers += 2) {
        back.jpeg2000.rate = 5;
        back.jpeg2000.layers = layers;
        kst_buffer part = compare(&kind, &whole, &back);
        kst_buffer_release(cpu_context, &part);
    }
    kst_buffer_release(cpu_context, &whole);
}

/* The coder is changed together with components, tile-parts and other things that transcoding can change. */
static void test_changes(void **state)
{
    (void)state;
    const struct kind *kind = &kinds[14];
    kst_transcode_options options = other_coder(true);
    static const uint32_t kept[] = {0, 1, 2};
    options.jpeg2000.progression = 4;
    options.jpeg2000.reduce = 1;
    options.jpeg2000.sop = KST_CHOICE_NO;
    options.jpeg2000.headers = KST_J2K_HEADERS_PPM;
    options.jpeg2000.division = KST_J2K_DIVIDE_RESOLUTION;
    options.jpeg2000.container = KST_CONTAINER_JP2;
    options.jpeg2000.components = kept;
    options.jpeg2000.component_count = 3;
    if (simulated())
        return;
    kst_buffer stream = stream_of(kind), made = compare(kind, &stream, &options);
    kst_buffer_release(cpu_context, &made);
    kst_buffer_release(cpu_context, &stream);
}

/* Bytes are changed, behind the headers and in them: the same result or the same error. */
static void test_damage(void **state)
{
    (void)state;
    enum { TURNS = 36, LAYERS_OF_RATES = 3 };
    const struct kind cut = cut_at(LAYERS_OF_RATES);
    uint32_t damaged = 0;
    for (uint32_t turn = 0; turn < (fewer_cases() ? TURNS / 2 : TURNS) && !simulated(); turn++) {
        const struct kind *kind = turn % 3 == 1 ? &cut : &kinds[turn % 2 ? 19 : 0];
        kst_transcode_options options = other_coder(true);
        kst_buffer stream = stream_of(kind);
        if (turn % 3 == 0) {
            struct result ht = make(cpu_context, &stream, &options);
            kst_buffer_release(cpu_context, &stream);
            stream = ht.bytes;
            options = other_coder(false);
        }
        options.strict = turn % 8 == 7;
        for (uint32_t k = 0; k < 1 + random_below(&random_state, 4); k++)
            ((uint8_t *)
                    stream.data)[(turn % 5 ? 200 : 20) + random_below(&random_state, (uint32_t)stream.length - 200)] ^=
                (uint8_t)(1 + random_below(&random_state, 255));
        struct result wanted = make(cpu_context, &stream, &options);
        damaged += wanted.report.warnings > 0;
        for (uint32_t d = 0; d < gpu_contexts; d++) {
            struct result found = make(gpu_context[d], &stream, &options);
            expect_same(kind->name, &wanted, &found);
            kst_buffer_release(gpu_context[d], &found.bytes);
        }
        kst_buffer_release(cpu_context, &wanted.bytes);
        kst_buffer_release(cpu_context, &stream);
    }
    assert_true(simulated() || damaged > 0);
}

enum { MANY = 22 };

/*
 * One batch holds streams for both directions, cut and damaged ones, one to a rate, ones that the CPU does and ones
 * that are no JPEG 2000. Its results go to memory of the library and to the caller's.
 */
static void test_batch(void **state)
{
    (void)state;
    const kst_transcode_options there = other_coder(true), back = other_coder(false);
    kst_transcode_options rated = back;
    kst_buffer stream[MANY];
    struct result wanted[MANY];
    kst_transcode_item item[MANY];
    static uint8_t room[MANY][1 << 17];
    rated.jpeg2000.rate = 4;
    for (uint32_t i = 0; i < MANY && !simulated(); i++) {
        const struct kind kind = i % 4 == 2 ? cut_at(i / 4) : kinds[i];
        stream[i] = stream_of(&kind);
        const kst_transcode_options *options = &there;
        if (i % 4 == 3) {
            struct result ht = make(cpu_context, &stream[i], &there);
            kst_buffer_release(cpu_context, &stream[i]);
            stream[i] = ht.bytes;
            options = i == 7 ? &rated : &back;
        }
        if (i == 4)
            ((uint8_t *)stream[i].data)[stream[i].length / 2] ^= 0x55;
        if (i == 5)
            stream[i].length = 1;
        wanted[i] = make(cpu_context, &stream[i], options);
        item[i] = (kst_transcode_item){.data = stream[i].data, .length = stream[i].length, .options = options};
    }
    for (uint32_t d = 0; d < gpu_contexts && !simulated(); d++) {
        for (uint32_t i = 0; i < MANY; i++)
            item[i].output = (kst_buffer){.data = i % 2 ? room[i] : NULL, .capacity = i % 2 ? sizeof room[i] : 0};
        assert_int_equal(kst_transcode_batch(gpu_context[d], item, MANY), wanted[5].report.status);
        for (uint32_t i = 0; i < MANY; i++) {
            const struct result found = {.bytes = item[i].output, .report = item[i].report};
            expect_same(kinds[i].name, &wanted[i], &found);
            if (item[i].output.owned)
                kst_buffer_release(gpu_context[d], &item[i].output);
        }
    }
    for (uint32_t i = 0; i < MANY && !simulated(); i++) {
        kst_buffer_release(cpu_context, &stream[i]);
        kst_buffer_release(cpu_context, &wanted[i].bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_left_to_the_cpu),
        cmocka_unit_test(test_cut_streams),
        cmocka_unit_test(test_refined_streams),
        cmocka_unit_test(test_made_streams),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_batch),
    };
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
