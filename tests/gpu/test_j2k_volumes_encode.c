/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Volumes that are encoded together have the bytes that the CPU gives each of them: bricks of an array in any memory,
 * integers and numbers, of all filters and coders, for rates, with errors among them, and with little memory.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_profile.h>
#include <kostka/kostka_volume.h>

#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/random.h"
#include "support/test.h"

enum {
    SIDE = 30,
    BRICK = 12, /* the last bricks along each axis have half of it */
    ALONG = 3,
    BRICKS = ALONG * ALONG * ALONG,
    MANY = 40,
    TOGETHER = ALONG * ALONG, /* bricks whose launches are counted: apart they would have nine times those of one */
    SIMULATED = 1,            /* the case for the simulator, which takes minutes for EBCOT */
    MEMORIES = 3,             /* kinds of memory that samples are in */
    IN_ALL_MEMORIES = 2,      /* first cases, which are tried in all of these; others in one, which coders do not see */
    FEWER_BRICKS = 18,        /* two layers of three */
    FEW_LEVELS = 2,           /* of lossy cases: each level adds work-groups of a few samples */
    STEPS = 24,               /* that a search tries at most before a coding */
    CODINGS = 3,              /* of steps that counting bits led to */
    SMALL_MEMORY = 500000     /* bytes: enough for a few bricks of 12³ at a time */
};

struct batch_case {
    uint8_t bits;
    bool is_signed, numbers;
    kst_j2k_target target;
    double value;
    uint32_t style, z_levels, layers;
    bool reversible;
};

static const struct batch_case cases[] = {
    {12, true, false, KST_J2K_LOSSLESS, 0, 0, 2, 1, true},
    {16, false, false, KST_J2K_LOSSLESS, 0, KST_J2K_HT, 3, 1, true},
    {8, true, false, KST_J2K_RATE, 2, 0, 3, 1, false},
    {20, true, true, KST_J2K_RATE, 1.5, KST_J2K_HT, 4, 1, false},
    {20, true, true, KST_J2K_RATE, 1.5, 0, 4, 2, false},
    {14, false, true, KST_J2K_LOSSLESS, 0, KST_J2K_HT, 1, 1, true},
    {16, true, false, KST_J2K_RATIO, 9, KST_J2K_HT, 2, 1, false},
    {12, false, true, KST_J2K_PSNR, 50, KST_J2K_HT, 2, 1, false},
    {18, true, false, KST_J2K_PSNR, 60, 0, 2, 1, false},
    {9, false, false, KST_J2K_STEP, 2, KST_J2K_HT, 0, 1, false},
    {8, false, true, KST_J2K_RATE, 3, KST_J2K_HT, 1, 1, true},
};

/* Return whether this process tries the case's coder: KOSTKA_CODERS may name one of them, "ht" or "mq". */
static bool is_tried(const struct batch_case *c)
{
    const char *coders = getenv("KOSTKA_CODERS");
    return !coders || (strcmp(coders, "ht") == 0) == ((c->style & KST_J2K_HT) != 0);
}

static const float scale = 0.25F, offset = -3.5F;

static uint32_t bytes_of(const kst_volume *v)
{
    return v->sample == KST_SAMPLE_FLOAT32 || v->bits > 16 ? 4 : v->bits > 8 ? 2 : 1;
}

static kst_volume describe(const struct batch_case *c, kst_memory memory)
{
    kst_volume v;
    kst_volume_init(&v);
    v.memory = memory;
    v.width = v.height = v.depth = SIDE;
    v.bits = c->bits;
    v.is_signed = c->is_signed;
    v.sample = c->numbers ? KST_SAMPLE_FLOAT32 : KST_SAMPLE_INTEGER;
    return v;
}

/* Fill with waves and noise, of which some are beyond the range, so that numbers are clamped. */
static void fill(const kst_volume *v)
{
    const double half = ldexp(1, v->bits - 1);
    uint32_t state = v->bits;
    for (uint32_t z = 0; z < v->depth; z++)
        for (uint32_t y = 0; y < v->height; y++)
            for (uint32_t x = 0; x < v->width; x++) {
                uint8_t *at = (uint8_t *)v->data + z * v->slice_pitch + y * v->pitch + (size_t)x * bytes_of(v);
                const double noise = (double)random_below(&state, 1U << (v->bits / 3));
                const double wave = half * 1.02 * sin(x / 9.0 + z / 6.0) * cos(y / 11.0 + z / 9.0) + noise;
                const double value = wave + (v->is_signed ? 0 : half);
                const double low = v->is_signed ? -half : 0;
                const float number = (float)value * scale + offset;
                const uint32_t word = (uint32_t)(int64_t)fmax(low, fmin(low + 2 * half - 1, floor(value)));
                const uint16_t half_word = (uint16_t)word;
                const uint8_t byte = (uint8_t)word;
                memcpy(at,
                    v->sample == KST_SAMPLE_FLOAT32 ? (const void *)&number
                    : bytes_of(v) == 4              ? &word
                    : bytes_of(v) == 2              ? (const void *)&half_word
                                                    : &byte,
                    bytes_of(v));
            }
}

static void set_options(const struct batch_case *c, kst_volume_options *options)
{
    kst_volume_options_init(options);
    options->z_levels = c->z_levels;
    options->scale = scale;
    options->offset = offset;
    options->jpeg2000.style = c->style;
    if (simulated()) /* which takes long for a work-group for each code-block, of all levels and slices */
        options->jpeg2000.levels = 1;
    else if (c->target != KST_J2K_LOSSLESS)
        options->jpeg2000.levels = FEW_LEVELS;
    options->jpeg2000.layers = c->layers;
    options->jpeg2000.reversible = c->reversible;
    options->jpeg2000.block_width = options->jpeg2000.block_height = 16;
    options->jpeg2000.target = c->target;
    options->jpeg2000.value = c->value;
}

/*
 * Describe brick number i of a whole volume, x changing fastest. The simulator's two bricks are the second, which is
 * whole, and the third.
 */
static kst_volume brick_of(const kst_volume *whole, uint32_t i)
{
    i += simulated() ? 1 : 0;
    const uint32_t x = i % ALONG * BRICK, y = i / ALONG % ALONG * BRICK, z = i / ALONG / ALONG * BRICK;
    const size_t skipped = z * whole->slice_pitch + y * whole->pitch + (size_t)x * bytes_of(whole);
    kst_volume brick = *whole;
    brick.owned = NULL;
    brick.width = SIDE - x < BRICK ? SIDE - x : BRICK;
    brick.height = SIDE - y < BRICK ? SIDE - y : BRICK;
    brick.depth = SIDE - z < BRICK ? SIDE - z : BRICK;
    brick.data = whole->memory == KST_MEMORY_OPENCL ? whole->data : (uint8_t *)whole->data + skipped;
    brick.offset = whole->offset + (whole->memory == KST_MEMORY_OPENCL ? skipped : 0);
    return brick;
}

/* Describe a whole volume as a picture whose rows are slices. */
static kst_image as_image(const kst_volume *v)
{
    kst_image image;
    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.memory = v->memory;
    image.plane_count = 1;
    image.width = v->width * v->height;
    image.height = v->depth;
    image.plane[0] = (kst_plane){.data = v->data,
        .pitch = (ptrdiff_t)v->slice_pitch,
        .width = image.width,
        .height = image.height,
        .depth = v->bits,
        .is_signed = v->is_signed,
        .sample = v->sample,
        .offset = v->offset};
    return image;
}

/* Copy the volume to memory of a kind that the context allocates. */
static kst_volume move(kst_context *context, const kst_volume *from, kst_memory memory)
{
    kst_volume to = *from;
    to.owned = to.data = NULL;
    to.memory = memory;
    assert_int_equal(kst_volume_allocate(context, &to), KST_OK);
    const kst_image there = as_image(&to), here = as_image(from);
    assert_int_equal(kst_image_copy(context, &here, &there), KST_OK);
    return to;
}

/* The simulator takes too long for all. */
static uint32_t bricks_tried(void)
{
    return simulated() ? 2 : fewer_cases() ? FEWER_BRICKS : BRICKS;
}

static void encode_all(kst_context *context, const kst_volume *whole, const kst_volume_options *options,
    kst_volume brick[BRICKS], kst_volume_encode_item items[BRICKS])
{
    for (uint32_t i = 0; i < bricks_tried(); i++) {
        brick[i] = brick_of(whole, i);
        items[i] = (kst_volume_encode_item){.volume = &brick[i], .options = options};
    }
    if (kst_encode_volumes(context, items, bricks_tried()))
        for (uint32_t i = 0; i < bricks_tried(); i++)
            if (items[i].report.status)
                fail_msg("brick %u: %s", (unsigned)i, items[i].report.message);
}

static void release_all(kst_context *context, kst_volume_encode_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        kst_buffer_release(context, &items[i].output);
}

static void expect_same(const char *what, const kst_volume_encode_item *found, const kst_buffer *wanted, uint32_t i)
{
    if (found->output.length != wanted->length || memcmp(found->output.data, wanted->data, wanted->length) != 0)
        fail_msg("%s: brick %u has other bytes: %zu instead of %zu", what, (unsigned)i, found->output.length,
            wanted->length);
}

/* Bricks in a kind of memory have the CPU's bytes. */
static void check(const char *what, kst_context *context, const kst_volume *host, kst_memory memory,
    const kst_volume_options *options, const kst_buffer wanted[BRICKS])
{
    kst_volume whole = memory == KST_MEMORY_HOST ? *host : move(context, host, memory), brick[BRICKS];
    kst_volume_encode_item items[BRICKS];
    encode_all(context, &whole, options, brick, items);
    for (uint32_t i = 0; i < bricks_tried(); i++) {
        expect_same(what, &items[i], &wanted[i], i);
        /* The CPU alone searches planes. */
        if (context != cpu_context && !(options->jpeg2000.reversible && options->jpeg2000.target == KST_J2K_RATE)) {
            assert_true(items[i].report.stage_device[KST_STAGE_ENTROPY] > KST_DEVICE_CPU);
            assert_true(items[i].report.stage_device[KST_STAGE_PIXELS] > KST_DEVICE_CPU);
        }
    }
    release_all(context, items, bricks_tried());
    if (memory != KST_MEMORY_HOST)
        kst_volume_release(context, &whole);
}

static void batch(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct batch_case *c = &cases[k];
        kst_volume whole = describe(c, KST_MEMORY_HOST), brick;
        kst_volume_options options;
        kst_buffer wanted[BRICKS];
        char what[64];
        if (!is_tried(c) || (simulated() && k != SIMULATED))
            continue;
        assert_int_equal(kst_volume_allocate(cpu_context, &whole), KST_OK);
        fill(&whole);
        set_options(c, &options);
        for (uint32_t i = 0; i < bricks_tried(); i++) {
            brick = brick_of(&whole, i);
            wanted[i] = (kst_buffer){.data = NULL};
            assert_int_equal(kst_encode_volume(cpu_context, &brick, &options, &wanted[i], NULL), KST_OK);
        }
        check("CPU", cpu_context, &whole, KST_MEMORY_HOST, &options, wanted);
        for (uint32_t d = 0; d < gpu_contexts; d++) {
            const kst_memory memories[MEMORIES] = {KST_MEMORY_HOST, KST_MEMORY_PINNED, device_memory(gpu_context[d])};
            for (size_t m = 0; m < MEMORIES; m++) {
                if (simulated() ? m > 0 : k >= (fewer_cases() ? 1 : IN_ALL_MEMORIES) && m != k % MEMORIES)
                    continue;
                snprintf(what, sizeof what, "case %zu, device %u, memory %zu", k, (unsigned)d, m);
                check(what, gpu_context[d], &whole, memories[m], &options, wanted);
            }
        }
        for (uint32_t i = 0; i < bricks_tried(); i++)
            kst_buffer_release(cpu_context, &wanted[i]);
        kst_volume_release(cpu_context, &whole);
    }
}

static void count_launch(void *user, const kst_step *step)
{
    *(uint32_t *)user += step->kind == KST_STEP_KERNEL;
}

static uint32_t launches_of(kst_context *context, const struct batch_case *c, uint32_t count)
{
    kst_volume whole = describe(c, KST_MEMORY_HOST), brick[BRICKS];
    kst_volume_encode_item items[BRICKS];
    kst_volume_options options;
    uint32_t launches = 0;
    assert_int_equal(kst_volume_allocate(cpu_context, &whole), KST_OK);
    fill(&whole);
    set_options(c, &options);
    for (uint32_t i = 0; i < count; i++) {
        brick[i] = brick_of(&whole, i);
        items[i] = (kst_volume_encode_item){.volume = &brick[i], .options = &options};
    }
    assert_int_equal(kst_profile_begin(context), KST_OK);
    assert_int_equal(kst_encode_volumes(context, items, count), KST_OK);
    assert_int_equal(kst_profile_end(context, count_launch, &launches), KST_OK);
    release_all(context, items, count);
    kst_volume_release(cpu_context, &whole);
    return launches;
}

/* What is encoded together takes as few launches as one brick does, with a search for a step or without. */
static void launches(void **state)
{
    /* The rate is so high that even the smallest brick has room for its headers. */
    static const struct batch_case searched = {20, true, true, KST_J2K_RATE, 8, KST_J2K_HT, 4, 1, false};
    (void)state;
    for (uint32_t d = 0; d < gpu_contexts && !simulated() && is_tried(&searched); d++) {
        for (uint32_t lossy = 0; lossy < 2; lossy++) {
            const struct batch_case *c = lossy ? &searched : &cases[1];
            const uint32_t one = launches_of(gpu_context[d], c, 1), all = launches_of(gpu_context[d], c, TOGETHER);
            /*
             * Each codestream is assembled by a launch of its own, and the longest search decides. Estimates from
             * counts are poor for so few bytes, so that some bricks are coded more than once.
             */
            assert_true(all <= one + TOGETHER - 1 + (lossy ? CODINGS * STEPS : 0));
        }
    }
}

static void count_coding(void *user, const kst_step *step)
{
    *(uint32_t *)user += step->kind == KST_STEP_KERNEL && strcmp(step->name, "code_ht_blocks") == 0;
}

/*
 * The bytes that counted bits lead to are near enough to those of the coded volume, so that it is coded once. Its
 * packets have one to three code-blocks, and their headers and PLT are much of what is coded.
 */
static void coded_once(void **state)
{
    enum { ACROSS = 96, DEPTH = 24 };
    static const struct batch_case c = {20, true, true, KST_J2K_RATE, 2, KST_J2K_HT, 3, 1, false};
    (void)state;
    if (simulated() || !is_tried(&c) || gpu_contexts == 0)
        return;
    kst_volume whole = describe(&c, KST_MEMORY_HOST);
    kst_volume_options options;
    kst_buffer out = {.data = NULL};
    uint32_t codings = 0;
    whole.width = whole.height = ACROSS;
    whole.depth = DEPTH;
    assert_int_equal(kst_volume_allocate(cpu_context, &whole), KST_OK);
    fill(&whole);
    set_options(&c, &options);
    options.jpeg2000.block_width = options.jpeg2000.block_height = 64;
    assert_int_equal(kst_profile_begin(gpu_context[0]), KST_OK);
    assert_int_equal(kst_encode_volume(gpu_context[0], &whole, &options, &out, NULL), KST_OK);
    assert_int_equal(kst_profile_end(gpu_context[0], count_coding, &codings), KST_OK);
    assert_int_equal(codings, 1);
    kst_buffer_release(gpu_context[0], &out);
    kst_volume_release(cpu_context, &whole);
}

static bool refuse(void *user, double done)
{
    (void)user;
    (void)done;
    return false;
}

static bool refuse_later(void *user, double done)
{
    (void)user;
    return done == 0;
}

/* A volume whose progress ends it while steps are searched does not disturb the others. */
static void cancelled(void **state)
{
    enum { WHICH = 3 };
    const struct batch_case *c = &cases[3];
    const kst_progress progress = {.size = sizeof progress, .told = refuse_later};
    kst_volume whole = describe(c, KST_MEMORY_HOST);
    (void)state;
    if (simulated() || !is_tried(c))
        return;
    assert_int_equal(kst_volume_allocate(cpu_context, &whole), KST_OK);
    fill(&whole);
    for (uint32_t d = 0; d <= gpu_contexts; d++) {
        kst_context *context = d < gpu_contexts ? gpu_context[d] : cpu_context;
        kst_volume brick[BRICKS];
        kst_volume_options options[BRICKS];
        kst_volume_encode_item items[BRICKS];
        kst_buffer alone = {.data = NULL};
        for (uint32_t i = 0; i < BRICKS; i++) {
            brick[i] = brick_of(&whole, i);
            set_options(c, &options[i]);
            options[i].progress = i == WHICH ? &progress : NULL;
            items[i] = (kst_volume_encode_item){.volume = &brick[i], .options = &options[i]};
        }
        assert_int_equal(kst_encode_volumes(context, items, BRICKS), KST_ERROR_CANCELLED);
        for (uint32_t i = 0; i < BRICKS; i++)
            assert_int_equal(items[i].report.status, i == WHICH ? KST_ERROR_CANCELLED : KST_OK);
        assert_int_equal(kst_encode_volume(cpu_context, &brick[0], &options[0], &alone, NULL), KST_OK);
        expect_same("beside a cancelled one", &items[0], &alone, 0);
        kst_buffer_release(cpu_context, &alone);
        release_all(context, items, BRICKS);
    }
    kst_volume_release(cpu_context, &whole);
}

/* Volumes that cannot be encoded end alone, with the CPU's messages; one of them at the wish of its progress. */
static void errors(void **state)
{
    enum { FAILED = 6 };
    static const kst_status statuses[FAILED] = {KST_ERROR_IMAGE_SAMPLE, KST_ERROR_IMAGE_SAMPLE, KST_ERROR_OPTIONS,
        KST_ERROR_CANCELLED, KST_ERROR_IMAGE_DEPTH, KST_ERROR_ARGUMENT};
    const struct batch_case c = {20, true, true, KST_J2K_LOSSLESS, 0, KST_J2K_HT, 2, 1, true};
    const kst_progress progress = {.size = sizeof progress, .told = refuse};
    kst_volume whole = describe(&c, KST_MEMORY_HOST);
    (void)state;
    if (simulated() || !is_tried(&c))
        return;
    assert_int_equal(kst_volume_allocate(cpu_context, &whole), KST_OK);
    fill(&whole);
    for (uint32_t d = 0; d <= gpu_contexts; d++) {
        kst_context *context = d < gpu_contexts ? gpu_context[d] : cpu_context;
        kst_volume brick[BRICKS];
        kst_volume_options options[BRICKS];
        kst_volume_encode_item items[BRICKS];
        kst_buffer alone = {.data = NULL};
        float *samples = whole.data, kept[2] = {samples[(3 * SIDE + 2) * SIDE + 1], samples[BRICK + 1]};
        samples[(3 * SIDE + 2) * SIDE + 1] = NAN; /* in brick 0: z 3, y 2, x 1 */
        samples[BRICK + 1] = INFINITY;            /* in brick 1: x 1 */
        for (uint32_t i = 0; i < BRICKS; i++) {
            brick[i] = brick_of(&whole, i);
            set_options(&c, &options[i]);
            items[i] = (kst_volume_encode_item){.volume = &brick[i], .options = &options[i]};
        }
        options[2].scale = NAN;
        options[3].progress = &progress;
        brick[4].bits = 29;
        brick[5].data = NULL;
        const kst_status status = kst_encode_volumes(context, items, BRICKS);
        assert_int_equal(status, statuses[0]);
        for (uint32_t i = 0; i < BRICKS; i++) {
            assert_int_equal(items[i].report.status, i < FAILED ? statuses[i] : KST_OK);
            assert_int_equal(items[i].output.length > 0, i >= FAILED);
        }
        assert_non_null(strstr(items[0].report.message, "z 3, y 2, x 1: not a finite number"));
        assert_non_null(strstr(items[1].report.message, "z 0, y 0, x 1: not a finite number"));
        assert_int_equal(kst_encode_volume(cpu_context, &brick[FAILED], &options[FAILED], &alone, NULL), KST_OK);
        expect_same("beside errors", &items[FAILED], &alone, FAILED);
        kst_buffer_release(cpu_context, &alone);
        release_all(context, items, BRICKS);
        samples[(3 * SIDE + 2) * SIDE + 1] = kept[0];
        samples[BRICK + 1] = kept[1];
    }
    kst_volume_release(cpu_context, &whole);
}

/* An error of samples is verified: integers of half as many steps are too far, and the first such sample is named. */
static void bounds(void **state)
{
    const struct batch_case c = {20, true, true, KST_J2K_LOSSLESS, 0, 0, 1, 1, true};
    kst_volume whole = describe(&c, KST_MEMORY_HOST);
    (void)state;
    if (simulated() || !is_tried(&c))
        return;
    assert_int_equal(kst_volume_allocate(cpu_context, &whole), KST_OK);
    for (uint32_t i = 0; i < SIDE * SIDE * SIDE; i++)
        ((float *)whole.data)[i] = (float)(i % 1000) * 0.001F;
    for (uint32_t d = 0; d <= gpu_contexts; d++) {
        kst_context *context = d < gpu_contexts ? gpu_context[d] : cpu_context;
        kst_volume brick = brick_of(&whole, 0);
        kst_volume_decode_options decode;
        kst_volume_options options;
        kst_buffer coded = {.data = NULL};
        kst_volume found;
        kst_report report;
        kst_report_init(&report);
        set_options(&c, &options);
        options.offset = 0.5F;
        options.error = 0.01F;
        options.scale = 0.0199F;
        assert_int_equal(kst_encode_volume(context, &brick, &options, &coded, &report), KST_OK);
        kst_volume_decode_options_init(&decode);
        decode.sample = KST_SAMPLE_FLOAT32;
        decode.scale = options.scale;
        decode.offset = options.offset;
        kst_volume_init(&found);
        assert_int_equal(kst_decode_volume(context, coded.data, coded.length, &decode, &found, NULL), KST_OK);
        for (uint32_t z = 0; z < BRICK; z++)
            for (uint32_t y = 0; y < BRICK; y++)
                for (uint32_t x = 0; x < BRICK; x++)
                    assert_true(fabsf(((float *)found.data)[(z * BRICK + y) * BRICK + x] -
                                      ((float *)whole.data)[(z * SIDE + y) * SIDE + x]) <= 0.01F);
        kst_volume_release(context, &found);
        kst_buffer_release(context, &coded);
        options.scale = 0.04F;
        assert_int_equal(kst_encode_volume(context, &brick, &options, &coded, &report), KST_ERROR_IMAGE_SAMPLE);
        assert_non_null(strstr(report.message, "z 0, y 0, x 0: its integer is too far from it"));
        options.jpeg2000.target = KST_J2K_RATE;
        options.jpeg2000.value = 1;
        assert_int_equal(kst_encode_volume(context, &brick, &options, &coded, &report), KST_ERROR_OPTIONS);
    }
    kst_volume_release(cpu_context, &whole);
}

/* Many small volumes, with little memory on the device and the host, are as with much. */
static void memory(void **state)
{
    (void)state;
    for (uint32_t d = 0; d < gpu_contexts && !simulated() && is_tried(&cases[1]); d++) {
        kst_context *small = small_context_create(gpu_context[d], SMALL_MEMORY);
        for (size_t k = fewer_cases() ? 3 : 1; k < 5; k += 2) {
            kst_volume whole = describe(&cases[k], KST_MEMORY_HOST), brick[MANY];
            kst_volume_encode_item items[MANY];
            kst_volume_options options;
            assert_int_equal(kst_volume_allocate(cpu_context, &whole), KST_OK);
            fill(&whole);
            set_options(&cases[k], &options);
            for (uint32_t i = 0; i < MANY; i++) {
                brick[i] = brick_of(&whole, i % BRICKS);
                items[i] = (kst_volume_encode_item){.volume = &brick[i], .options = &options};
            }
            assert_int_equal(kst_encode_volumes(small, items, MANY), KST_OK);
            for (uint32_t i = 0; i < MANY; i++) {
                kst_buffer wanted = {.data = NULL};
                if (i < BRICKS)
                    assert_int_equal(kst_encode_volume(cpu_context, &brick[i], &options, &wanted, NULL), KST_OK);
                expect_same("little memory", &items[i], i < BRICKS ? &wanted : &items[i % BRICKS].output, i);
                kst_buffer_release(cpu_context, &wanted);
            }
            release_all(small, items, MANY);
            kst_volume_release(cpu_context, &whole);
        }
        kst_context_destroy(&small);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(batch), cmocka_unit_test(launches),
        cmocka_unit_test(coded_once), cmocka_unit_test(cancelled), cmocka_unit_test(errors), cmocka_unit_test(bounds),
        cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
