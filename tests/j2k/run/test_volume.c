/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Volumes: without loss whatever their type and size, regions and reduced ones as parts of the whole, and targets that
 * are met.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <kostka/kostka_volume.h>

#include "run/codec.h"
#include "support/j2k/volumes.h"
#include "support/machines.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/shared_context.h"
#include "support/test.h"

static void test_lossless(void **state)
{
    (void)state;
    static const struct {
        uint32_t width, height, depth, levels;
        uint8_t bits;
        bool is_signed;
        uint32_t style;
    } cases[] = {{33, 17, 9, 2, 8, false, 0}, {40, 21, 16, KST_Z_LEVELS_AUTO, 8, true, 0},
        {300, 9, 35, 3, 16, false, 0}, {31, 33, 12, 2, 16, true, 0}, {17, 16, 5, 5, 12, false, 0},
        {20, 20, 1, 2, 16, true, 0}, {20, 20, 2, 32, 16, true, 0}, {33, 30, 7, 0, 10, false, 0},
        {40, 24, 20, 2, 12, true, KST_J2K_HT}, {16, 8, 300, 2, 8, false, 0}, {20, 21, 9, 2, 24, true, 0},
        {20, 21, 9, 1, 28, false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kst_volume v = volume_make(cases[i].width, cases[i].height, cases[i].depth, cases[i].bits, cases[i].is_signed);
        kst_volume_options options;
        kst_volume_options_init(&options);
        options.z_levels = cases[i].levels;
        options.jpeg2000.style = cases[i].style;
        options.jpeg2000.levels = 3;
        kst_buffer coded = volume_encode(context, &v, &options);
        kst_volume back = volume_decode(context, &coded, NULL);
        volume_expect_same(&back, &v);
        kst_volume_release(context, &back);
        kst_volume_release(context, &v);
        kst_buffer_release(context, &coded);
    }
}

/* The same bytes on every tier and number of threads, in both directions, also where memory is short. */
static void test_machines(void **state)
{
    (void)state;
    for (uint32_t lossy = 0; lossy < 2; lossy++) {
        kst_volume v = volume_make(70, 50, 21, 16, true);
        kst_volume_options options;
        kst_volume_options_init(&options);
        options.jpeg2000.target = lossy ? KST_J2K_RATIO : KST_J2K_LOSSLESS;
        options.jpeg2000.value = 10;
        options.jpeg2000.tile_width = 64;
        kst_buffer first = volume_encode(contexts.context[0], &v, &options);
        kst_volume whole = volume_decode(contexts.context[0], &first, NULL);
        for (uint32_t i = 1; i < contexts.count; i++) {
            kst_buffer coded = volume_encode(contexts.context[i], &v, &options);
            assert_int_equal(coded.length, first.length);
            assert_memory_equal(coded.data, first.data, first.length);
            kst_volume back = volume_decode(contexts.context[i], &first, NULL);
            volume_expect_same(&back, &whole);
            kst_volume_release(contexts.context[i], &back);
            kst_buffer_release(contexts.context[i], &coded);
        }
        kst_volume_release(contexts.context[0], &whole);
        kst_buffer_release(contexts.context[0], &first);
        kst_volume_release(context, &v);
    }
}

/* A limit that has no room for all components lets rows be decoded one after the other. */
static void test_low_memory(void **state)
{
    (void)state;
    kst_volume v = volume_make(128, 200, 40, 8, false);
    kst_buffer coded = volume_encode(context, &v, NULL);
    const kst_limits limits = {.memory = UINT64_C(6) << 20};
    kst_context *small = context_create("cpu", 2, &limits);
    kst_volume back = volume_decode(small, &coded, NULL);
    volume_expect_same(&back, &v);
    kst_volume_release(small, &back);
    kst_context_destroy(&small);
    kst_volume_release(context, &v);
    kst_buffer_release(context, &coded);
}

enum { TOGETHER = 6, CANCELLED = 2, BAD = 3 };

/* Follows one of several volumes that are decoded in one call. */
struct follower {
    struct follower *other; /* null, or one that this one waits for once it has begun itself */
    struct follower *after; /* null, or one that has not begun while this one is decoded */
    atomic_bool begun;
    bool cancels, waited, met;
    double last;
};

/* Wait a fifth of a second for the other volume to begin. Returns whether it has. */
static bool wait_for(const struct follower *other)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int i = 0; i < 200 && !atomic_load(&other->begun); i++)
        nanosleep(&moment, NULL);
    return atomic_load(&other->begun);
}

static bool follow(void *user, double done)
{
    struct follower *f = user;
    assert_true(done >= f->last);
    f->last = done;
    if (done > 0)
        atomic_store(&f->begun, true);
    if (f->after && done < 1)
        assert_false(atomic_load(&f->after->begun));
    if (f->other && done > 0 && !f->waited) {
        f->waited = true;
        f->met = wait_for(f->other);
    }
    return !f->cancels || done <= 0;
}

/*
 * Decode boxes of volumes in one call, of which one is cancelled and one is no stream. Returns whether the second one
 * began while the first one waited for it.
 */
static bool decode_together(
    kst_context *in, const kst_buffer *coded, const kst_volume *whole, const kst_box *box, bool side_by_side)
{
    struct follower follower[TOGETHER] = {{.cancels = false}};
    kst_progress progress[TOGETHER];
    kst_volume_decode_options options[TOGETHER];
    kst_volume_item items[TOGETHER];
    kst_volume found[TOGETHER];
    follower[CANCELLED].cancels = true;
    if (side_by_side)
        follower[0].other = &follower[1];
    else
        follower[0].after = &follower[1];
    for (uint32_t i = 0; i < TOGETHER; i++) {
        progress[i] = (kst_progress){.size = sizeof *progress, .told = follow, .user = &follower[i]};
        kst_volume_decode_options_init(&options[i]);
        options[i].progress = &progress[i];
        options[i].region = *box;
        kst_volume_init(&found[i]);
        items[i] = (kst_volume_item){
            .data = coded->data, .length = coded->length, .options = &options[i], .volume = &found[i]};
    }
    items[BAD].length = 10;
    assert_int_equal(kst_decode_volumes(in, items, TOGETHER), KST_ERROR_CANCELLED);
    for (uint32_t i = 0; i < TOGETHER; i++) {
        if (i == CANCELLED || i == BAD) {
            assert_int_equal(items[i].report.status == KST_ERROR_CANCELLED, i == CANCELLED);
            assert_int_not_equal(items[i].report.status, KST_OK);
            assert_null(found[i].data);
            continue;
        }
        assert_int_equal(items[i].report.status, KST_OK);
        assert_true(follower[i].last >= 1);
        assert_int_equal(found[i].depth, box->depth);
        assert_true(volume_difference(&found[i], whole, box->x, box->y, box->z) < 0.5);
        kst_volume_release(in, &found[i]);
    }
    return follower[0].met;
}

/*
 * Threads decode a volume each, unless memory has no room for several. A single slice needs about as much as all of
 * them. While one thread waits in a report on the first volume, all others may have joined it for parts of that volume,
 * so that none begins the second: so there are several tries.
 */
static void test_together(void **state)
{
    (void)state;
    kst_volume v = volume_make(40, 40, 40, 12, true);
    kst_buffer coded = volume_encode(context, &v, NULL);
    const kst_limits one = {.memory = 1000000};
    const kst_box all = {.width = 40, .height = 40, .depth = 40},
                  slice = {.z = 21, .width = 40, .height = 40, .depth = 1};
    kst_context *in[] = {
        context_create("cpu", 1, NULL), context_create("cpu", 4, &one), context_create("cpu", 4, NULL)};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
        bool met = decode_together(in[i], &coded, &v, &all, i == 2);
        for (int tries = 0; i == 2 && !met && tries < 50; tries++)
            met = decode_together(in[i], &coded, &v, &all, true);
        assert_int_equal(met, i == 2);
        if (i < 2)
            decode_together(in[i], &coded, &v, &slice, false);
        kst_context_destroy(&in[i]);
    }
    kst_volume_release(context, &v);
    kst_buffer_release(context, &coded);
}

/* Regions of any volume, reduced or not, are parts of the whole. */
static void test_regions(void **state)
{
    (void)state;
    uint32_t random = 5;
    for (uint32_t i = 0; i < 24; i++) {
        kst_volume v = volume_make(45, 38, 27, 12, false);
        kst_volume_options options;
        kst_volume_options_init(&options);
        options.z_levels = i % 4;
        options.jpeg2000.reversible = i % 2;
        options.jpeg2000.target = i % 2 ? KST_J2K_LOSSLESS : KST_J2K_RATE;
        options.jpeg2000.value = 4;
        kst_buffer coded = volume_encode(context, &v, &options);
        kst_volume_decode_options wanted;
        kst_volume_decode_options_init(&wanted);
        wanted.reduce = i / 4 % 3;
        wanted.reduce_z = random_below(&random, options.z_levels + 1);
        kst_volume whole = volume_decode(context, &coded, &wanted);
        assert_int_equal(whole.depth, (27 + (1U << wanted.reduce_z) - 1) >> wanted.reduce_z);
        assert_int_equal(whole.width, (45 + (1U << wanted.reduce) - 1) >> wanted.reduce);
        kst_box *box = &wanted.region;
        box->x = random_below(&random, whole.width);
        box->y = random_below(&random, whole.height);
        box->z = random_below(&random, whole.depth);
        box->width = 1 + random_below(&random, whole.width - box->x);
        box->height = 1 + random_below(&random, whole.height - box->y);
        box->depth = 1 + random_below(&random, whole.depth - box->z);
        kst_volume part = volume_decode(context, &coded, &wanted);
        assert_int_equal(part.depth, box->depth);
        assert_true(volume_difference(&part, &whole, box->x, box->y, box->z) < 0.5);
        kst_volume_release(context, &part);
        kst_volume_release(context, &whole);
        kst_volume_release(context, &v);
        kst_buffer_release(context, &coded);
    }
}

static double psnr_of(const kst_volume *v, const kst_volume *back)
{
    double peak = ldexp(1, v->bits) - 1, samples = (double)v->width * v->height * v->depth;
    return 10 * log10(peak * peak * samples / volume_difference(back, v, 0, 0, 0));
}

/* Rates and ratios are kept, and a PSNR is reached, with both block coders; 9/7 along z pays. */
static void test_targets(void **state)
{
    (void)state;
    static const struct {
        kst_j2k_target target;
        double value;
        uint32_t style;
    } cases[] = {{KST_J2K_RATIO, 20, 0}, {KST_J2K_RATE, 1, 0}, {KST_J2K_PSNR, 45, 0}, {KST_J2K_RATIO, 12, KST_J2K_HT},
        {KST_J2K_PSNR, 50, KST_J2K_HT}};
    kst_volume v = volume_make(64, 64, 32, 12, true);
    const double bits = 64.0 * 64 * 32 * 12;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double psnr[2];
        for (uint32_t levels = 0; levels < 4; levels += 3) {
            kst_volume_options options;
            kst_volume_options_init(&options);
            options.z_levels = levels;
            options.jpeg2000.target = cases[i].target;
            options.jpeg2000.value = cases[i].value;
            options.jpeg2000.style = cases[i].style;
            kst_buffer coded = volume_encode(context, &v, &options);
            kst_volume back = volume_decode(context, &coded, NULL);
            psnr[levels > 0] = psnr_of(&v, &back);
            if (cases[i].target == KST_J2K_PSNR)
                assert_in_range((uint32_t)(psnr[levels > 0] * 100), (uint32_t)(cases[i].value * 100),
                    (uint32_t)(cases[i].value * 100) + 20);
            else
                assert_true((double)coded.length * 8 <=
                            (cases[i].target == KST_J2K_RATE ? bits / 12 * cases[i].value : bits / cases[i].value));
            kst_volume_release(context, &back);
            kst_buffer_release(context, &coded);
        }
        if (cases[i].target != KST_J2K_PSNR)
            assert_true(psnr[1] > psnr[0]);
    }
    kst_volume_release(context, &v);
}

static double psnr_with(const kst_volume *v, uint32_t style, double ratio)
{
    kst_volume_options options;
    kst_volume_options_init(&options);
    options.z_levels = 3;
    options.jpeg2000.target = KST_J2K_RATIO;
    options.jpeg2000.value = ratio;
    options.jpeg2000.style = style;
    kst_buffer coded = volume_encode(context, v, &options);
    kst_volume back = volume_decode(context, &coded, NULL);
    const double psnr = psnr_of(v, &back);
    kst_volume_release(context, &back);
    kst_buffer_release(context, &coded);
    return psnr;
}

/* An error in each transformed slice counts with the norm of its synthesis in steps as it does in rate allocation. */
static void test_steps_of_slices(void **state)
{
    (void)state;
    kst_volume v = volume_make(128, 96, 32, 12, true);
    const double ebcot = psnr_with(&v, 0, 6), ht = psnr_with(&v, KST_J2K_HT, 6);
    assert_true(ebcot - ht < 3); /* 5 with the same steps for all */
    kst_volume_release(context, &v);
}

/* Return a copy of a codestream with other contents of a marker segment. */
static kst_buffer replace(const kst_buffer *coded, uint8_t marker, const uint8_t *contents, size_t length)
{
    kst_buffer made = {.data = malloc(coded->length + length)};
    size_t at = 2;
    while (coded->data[at + 1] != marker)
        at += 2 + ((size_t)coded->data[at + 2] << 8 | coded->data[at + 3]);
    const size_t behind = at + 2 + ((size_t)coded->data[at + 2] << 8 | coded->data[at + 3]);
    memcpy(made.data, coded->data, at + 2);
    made.data[at + 2] = (uint8_t)((length + 2) >> 8);
    made.data[at + 3] = (uint8_t)(length + 2);
    memcpy(made.data + at + 4, contents, length);
    memcpy(made.data + at + 4 + length, coded->data + behind, coded->length - behind);
    made.length = at + 4 + length + coded->length - behind;
    return made;
}

/* Two collections, one of 5/3 over two components and one that only changes the order, in one stage or in two. */
static void test_stages(void **state)
{
    (void)state;
    static const uint8_t mcc[] = {
        0, 0, 1, 0, 0, 0, 2, 3, 0, 2, 0, 1, 0, 2, 3, 2, 1, 0, 1, 0, 0, 0, 0, 0, 0, 2, 2, 3, 0, 2, 0, 1, 0, 0, 0};
    kst_volume v = volume_make(19, 11, 4, 12, true);
    kst_volume_options options;
    kst_volume_options_init(&options);
    options.z_levels = 0;
    kst_buffer coded = volume_encode(context, &v, &options);
    for (uint32_t twice = 0; twice < 2; twice++) {
        const uint8_t mco[] = {(uint8_t)(1 + twice), 1, 1};
        kst_buffer changed = replace(&coded, 0x75, mcc, sizeof mcc);
        kst_buffer ordered = replace(&changed, 0x77, mco, 2 + twice);
        kst_volume back = volume_decode(context, &ordered, NULL);
        for (uint32_t i = 0; i < 19 * 11; i++) {
            const uint32_t x = i % 19, y = i / 19;
            int64_t row[4], made[4];
            for (uint32_t z = 0; z < 4; z++)
                row[z] = volume_sample(&v, x, y, z);
            for (uint32_t stage = 0; stage <= twice; stage++) {
                made[3] = row[0] - (int64_t)floor((double)(2 * row[1] + 2) / 4);
                made[2] = row[1] + made[3];
                made[0] = row[2];
                made[1] = row[3];
                memcpy(row, made, sizeof row);
            }
            for (uint32_t z = 0; z < 4; z++)
                assert_int_equal(volume_sample(&back, x, y, z), llabs(row[z]) < 2048 ? row[z]
                                                                : row[z] > 0         ? 2047
                                                                                     : -2048);
        }
        kst_volume_release(context, &back);
        free(changed.data);
        free(ordered.data);
    }
    kst_volume_release(context, &v);
    kst_buffer_release(context, &coded);
}

static kst_buffer transcode(const kst_buffer *from, const kst_transcode_options *options)
{
    kst_buffer to = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    if (kst_transcode(context, from->data, from->length, options, &to, &report))
        fail_msg("%s", report.message);
    return to;
}

static void expect_same_volume(const kst_buffer *a, const kst_buffer *b, const kst_volume_decode_options *options)
{
    kst_volume before = volume_decode(context, a, options), after = volume_decode(context, b, NULL);
    volume_expect_same(&before, &after);
    kst_volume_release(context, &before);
    kst_volume_release(context, &after);
}

/*
 * An array instead of a wavelet, in the form that OpenJPEG writes: each slice is a sum of components. These are known
 * to half a unit, and so each term to half of its factor.
 */
static void test_array(void **state)
{
    (void)state;
    enum { COUNT = 3 };
    static const double matrix[COUNT * COUNT] = {0.5, 0.25, -1, 1, 0, 0.5, -0.25, 0.75, 0.5};
    static const uint8_t mcc[] = {0, 0, 1, 0, 0, 0, 1, 1, 0, 3, 0, 1, 2, 0, 3, 2, 1, 0, 0, 0, 1};
    uint8_t mct[6 + 4 * COUNT * COUNT] = {0, 0, 0x09, 1};
    kst_volume v = volume_make(23, 14, COUNT, 10, true);
    kst_volume_options options;
    kst_volume_options_init(&options);
    options.z_levels = 0;
    options.jpeg2000.target = KST_J2K_STEP;
    options.jpeg2000.value = 0.25;
    for (uint32_t i = 0; i < COUNT * COUNT; i++) {
        const float value = (float)matrix[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        for (uint32_t k = 0; k < 4; k++)
            mct[6 + 4 * i + k] = (uint8_t)(bits >> (24 - 8 * k));
    }
    kst_buffer coded = volume_encode(context, &v, &options);
    kst_buffer changed = replace(&coded, 0x75, mcc, sizeof mcc), summed = replace(&changed, 0x74, mct, sizeof mct);
    kst_volume components = volume_decode(context, &coded, NULL), back = volume_decode(context, &summed, NULL);
    for (uint32_t i = 0; i < 23 * 14; i++)
        for (uint32_t z = 0; z < COUNT; z++) {
            double sum = 0, most = 0.51;
            for (uint32_t k = 0; k < COUNT; k++) {
                sum += matrix[z * COUNT + k] * (double)volume_sample(&components, i % 23, i / 23, k);
                most += fabs(matrix[z * COUNT + k]) / 2;
            }
            sum = fmax(-512, fmin(511, sum));
            assert_true(fabs(sum - (double)volume_sample(&back, i % 23, i / 23, COUNT - 1 - z)) <= most);
        }
    kst_transcode_options other;
    kst_transcode_options_init(&other);
    other.jpeg2000.ht = KST_CHOICE_YES; /* arrays are kept, too */
    kst_buffer ht = transcode(&summed, &other);
    expect_same_volume(&summed, &ht, NULL);
    kst_buffer_release(context, &ht);
    free(changed.data);
    free(summed.data);
    kst_volume_release(context, &components);
    kst_volume_release(context, &back);
    kst_volume_release(context, &v);
    kst_buffer_release(context, &coded);
}

/* Headers that contradict themselves, and where: the offset is inside of the segment. */
static void test_hostile(void **state)
{
    (void)state;
    static const struct {
        uint8_t marker, length;
        uint8_t contents[24];
        kst_status status;
    } cases[] = {
        {0x77, 3, {1, 1, 1}, KST_ERROR_J2K_LENGTH},                             /* MCO: one stage more than it says */
        {0x77, 2, {1, 9}, KST_ERROR_J2K_MULTI},                                 /* a stage without MCC */
        {0x78, 3, {0, 4, 7}, KST_ERROR_J2K_LENGTH},                             /* CBD: too few depths */
        {0x78, 3, {0x80, 0, 7}, KST_ERROR_J2K_COMPONENTS},                      /* no components */
        {0x78, 3, {0x80, 3, 7}, KST_ERROR_J2K_MULTI},                           /* other components than are made */
        {0x78, 3, {0x80, 4, 60}, KST_ERROR_J2K_DEPTH},                          /* 61 bits */
        {0x74, 10, {0, 0, 6, 1, 0, 0, 0, 0, 0, 1}, KST_ERROR_J2K_MULTI},        /* MCT: offsets of another length */
        {0x74, 10, {0, 0, 10, 1, 0, 0, 0x7F, 0x80, 0, 0}, KST_ERROR_J2K_MULTI}, /* infinite */
        {0x74, 10, {0, 0, 6, 1, 0, 1, 0, 0, 0, 1}, KST_ERROR_J2K_MULTI},        /* a series that ends early */
        {0x75, 7, {0, 0, 1, 0, 0, 0, 0}, KST_ERROR_J2K_MULTI},                  /* MCC: no collections */
        {0x75, 11, {0, 0, 1, 0, 0, 0, 1, 3, 0, 9, 0}, KST_ERROR_J2K_LENGTH},    /* a list that is cut off */
        {0x75, 10, {0, 0, 1, 0, 0, 0, 1, 3, 0, 0}, KST_ERROR_J2K_MULTI},        /* an empty list */
        {0x75, 21, {0, 0, 1, 0, 0, 0, 1, 3, 0, 1, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0},
            KST_ERROR_J2K_MULTI}, /* a component that does not exist */
        {0x75, 21, {0, 0, 1, 0, 0, 0, 1, 3, 0, 1, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0},
            KST_ERROR_J2K_EXTENSION}, /* a wavelet of ATK */
        {0x75, 21, {0, 0, 1, 0, 0, 0, 1, 3, 0, 1, 0, 0, 1, 0, 63, 0, 1, 0, 0, 0, 0},
            KST_ERROR_J2K_MULTI}, /* 63 levels */
        {0x75, 21, {0, 0, 1, 0, 0, 0, 1, 3, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0},
            KST_ERROR_J2K_MULTI}, /* components that are not made */
        {0x75, 17, {0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 9}, KST_ERROR_J2K_MULTI}, /* a missing array */
    };
    kst_volume v = volume_make(8, 8, 4, 8, false), back;
    kst_buffer coded = volume_encode(context, &v, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kst_buffer changed = replace(&coded, cases[i].marker, cases[i].contents, cases[i].length);
        kst_report report;
        kst_report_init(&report);
        kst_volume_init(&back);
        kst_status status = kst_decode_volume(context, changed.data, changed.length, NULL, &back, &report);
        if (status != cases[i].status)
            fail_msg("case %zu: %s", i, report.message);
        assert_true(report.offset < changed.length);
        free(changed.data);
    }
    kst_volume_release(context, &v);
    kst_buffer_release(context, &coded);
}

/* The slices of a volume are the components of a picture, too. */
static void expect_planes(const kst_buffer *coded, const kst_volume *v)
{
    kst_image image;
    kst_image_init(&image);
    assert_int_equal(kst_decode(context, coded->data, coded->length, NULL, &image, NULL), KST_OK);
    assert_int_equal(image.format, KST_FORMAT_RAW);
    assert_int_equal(image.plane_count, v->depth);
    for (uint32_t z = 0; z < v->depth; z++)
        for (uint32_t i = 0; i < v->width * v->height; i++) {
            const uint32_t x = i % v->width, y = i / v->width;
            const kst_plane *plane = kst_image_plane(&image, z);
            const int16_t *row =
                (const int16_t *)(const void *)((const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch);
            assert_int_equal(row[x], volume_sample(v, x, y, z));
        }
    kst_image_release(context, &image);
}

/* A volume is no picture to decode, and no JP2 file, and the errors say what it is. */
static void test_described(void **state)
{
    (void)state;
    kst_volume v = volume_make(20, 30, 10, 12, true), described;
    kst_volume_info info = {.size = sizeof info};
    kst_volume_options options;
    kst_volume_options_init(&options);
    options.z_levels = 3;
    kst_buffer coded = volume_encode(context, &v, &options), made = {.data = NULL};
    kst_volume_init(&described);
    assert_int_equal(kst_describe_volume(context, coded.data, coded.length, NULL, &described, &info, NULL), KST_OK);
    assert_int_equal(described.width, 20);
    assert_int_equal(described.height, 30);
    assert_int_equal(described.depth, 10);
    assert_null(described.data);
    assert_int_equal(info.z_levels, 3);
    assert_int_equal(info.bits, 12);
    assert_true(info.has_wavelet && info.is_signed && info.reversible);
    expect_planes(&coded, &v);
    kst_transcode_options change;
    kst_transcode_options_init(&change);
    change.jpeg2000.container = KST_CONTAINER_JP2;
    assert_int_equal(kst_transcode(context, coded.data, coded.length, &change, &made, NULL), KST_ERROR_OPTIONS);
    static const uint32_t kept[] = {0, 1};
    kst_transcode_options_init(&change);
    change.jpeg2000.components = kept;
    change.jpeg2000.component_count = 2;
    assert_int_equal(kst_transcode(context, coded.data, coded.length, &change, &made, NULL), KST_ERROR_OPTIONS);
    kst_volume_release(context, &v);
    kst_buffer_release(context, &coded);
}

/* The coding of code-blocks is found without parsing, behind boxes, too, and in no other data. */
static void test_blocks(void **state)
{
    (void)state;
    enum { IN_FRONT = 85 };
    uint8_t behind[IN_FRONT + 500] = {0};
    kst_volume v = volume_make(20, 30, 10, 12, true);
    for (uint32_t ht = 0; ht < 2; ht++) {
        struct volume_blocks blocks = {.samples = 0};
        kst_volume_options options;
        kst_volume_options_init(&options);
        options.jpeg2000.style = ht ? KST_J2K_HT : 0;
        options.jpeg2000.block_width = ht ? 64 : 32;
        options.jpeg2000.block_height = 16;
        kst_buffer coded = volume_encode(context, &v, &options);
        assert_true(kst_j2k_run_codec.find_blocks(coded.data, coded.length, &blocks));
        assert_true(blocks.ht == ht && blocks.samples == (ht ? 1024 : 512));
        memcpy(behind + IN_FRONT, coded.data, sizeof behind - IN_FRONT);
        blocks.samples = 0;
        assert_true(kst_j2k_run_codec.find_blocks(behind, sizeof behind, &blocks));
        assert_true(blocks.ht == ht && blocks.samples == (ht ? 1024 : 512));
        for (size_t length = 0; length < 50; length++)
            assert_false(kst_j2k_run_codec.find_blocks(coded.data, length, &blocks));
        assert_false(kst_j2k_run_codec.find_blocks(behind, IN_FRONT, &blocks));
        kst_buffer_release(context, &coded);
    }
    kst_volume_release(context, &v);
}

/* Check which options and volumes are refused, and that nothing is left of a volume that could not be decoded. */
static void test_refused(void **state)
{
    (void)state;
    kst_volume v = volume_make(8, 8, 4, 8, false);
    kst_volume_options options;
    kst_buffer coded = {.data = NULL};
    kst_volume_options_init(&options);
    options.z_levels = 33;
    assert_int_equal(kst_encode_volume(context, &v, &options, &coded, NULL), KST_ERROR_OPTIONS);
    options.z_levels = 1;
    options.jpeg2000.profile = KST_J2K_PROFILE_1;
    assert_int_equal(kst_encode_volume(context, &v, &options, &coded, NULL), KST_ERROR_OPTIONS);
    kst_volume odd = v;
    odd.bits = 0;
    assert_int_equal(kst_encode_volume(context, &odd, NULL, &coded, NULL), KST_ERROR_IMAGE_DEPTH);
    odd = v;
    odd.pitch = 7;
    assert_int_equal(kst_encode_volume(context, &odd, NULL, &coded, NULL), KST_ERROR_IMAGE_PITCH);
    coded = volume_encode(context, &v, NULL);
    kst_volume_decode_options wanted;
    kst_volume_decode_options_init(&wanted);
    wanted.region = (kst_box){0, 0, 3, 8, 8, 2};
    kst_volume back;
    kst_volume_init(&back);
    assert_int_equal(kst_decode_volume(context, coded.data, coded.length, &wanted, &back, NULL), KST_ERROR_REGION);
    wanted.region = (kst_box){0};
    wanted.reduce_z = 5;
    assert_int_equal(kst_decode_volume(context, coded.data, coded.length, &wanted, &back, NULL), KST_ERROR_J2K_REDUCE);
    assert_null(back.data);
    back = v;
    back.depth = 3;
    assert_int_equal(kst_decode_volume(context, coded.data, coded.length, NULL, &back, NULL), KST_ERROR_IMAGE_SIZE);
    kst_volume_release(context, &v);
    kst_buffer_release(context, &coded);
}

/*
 * Scales from 2^-126 to 2^126 make integers even of differences that overflow; others, whose reciprocals may count as
 * 0, are refused.
 */
static void test_scales(void **state)
{
    (void)state;
    static const struct {
        float scale;
        bool fine;
    } cases[] = {{0x1p-126F, true}, {0x1p126F, true}, {1.0F, true}, {0x1p-127F, false}, {0x1p127F, false},
        {2e38F, false}, {1e-40F, false}, {0.0F, false}, {-1.0F, false}, {INFINITY, false}, {NAN, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float numbers[4] = {3e38F, -3e38F, 1.0F, 0.0F}; /* 3e38 - -3e38 is infinite, -3e38 - -3e38 is 0 */
        kst_volume v;
        kst_volume_options options;
        kst_buffer coded = {.data = NULL};
        kst_volume_init(&v);
        v.width = 4;
        v.height = v.depth = 1;
        v.bits = 16;
        v.is_signed = true;
        v.sample = KST_SAMPLE_FLOAT32;
        v.data = numbers;
        v.pitch = v.slice_pitch = sizeof numbers;
        kst_volume_options_init(&options);
        options.scale = cases[i].scale;
        options.offset = -3e38F;
        assert_int_equal(
            kst_encode_volume(context, &v, &options, &coded, NULL), cases[i].fine ? KST_OK : KST_ERROR_OPTIONS);
        kst_buffer_release(context, &coded);
    }
}

static int start(void **state)
{
    return contexts_start(state);
}

static int stop(void **state)
{
    return contexts_stop(state);
}

/* Transcoding keeps the transform along the slices, and all coefficients: there and back the bytes are the same. */
static void test_transcoded(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        kst_volume v = volume_make(70, 50, 21, 12, i % 2);
        kst_volume_options options;
        kst_transcode_options changes;
        kst_volume_options_init(&options);
        options.jpeg2000.target = i < 2 ? KST_J2K_LOSSLESS : KST_J2K_RATIO;
        options.jpeg2000.value = 6;
        options.jpeg2000.layers = 1 + i % 3;
        options.jpeg2000.tile_width = i > 0 ? 64 : 0;
        kst_buffer coded = volume_encode(context, &v, &options);
        kst_transcode_options_init(&changes);
        changes.jpeg2000.ht = KST_CHOICE_YES;
        kst_buffer ht = transcode(&coded, &changes);
        expect_same_volume(&coded, &ht, NULL);
        changes.jpeg2000.ht = KST_CHOICE_NO;
        kst_buffer back = transcode(&ht, &changes);
        expect_same_volume(&coded, &back, NULL);
        if (i == 0) {
            assert_int_equal(back.length, coded.length);
            assert_memory_equal(back.data, coded.data, coded.length);
        }
        kst_volume_release(context, &v);
        kst_buffer_release(context, &coded);
        kst_buffer_release(context, &ht);
        kst_buffer_release(context, &back);
    }
}

enum { FRONT = 58 /* bytes of a file in front of the codestream */ };

/* Put a codestream into a file of T.801's format, JPX. */
static kst_buffer in_jpx(const kst_buffer *coded)
{
    static const uint8_t front[] =
        "\0\0\0\014jP  \r\n\207\n\0\0\0\024ftypjpx \0\0\0\0jpx \0\0\0\032xml <anything is kept>";
    const uint32_t length = (uint32_t)coded->length + 8;
    kst_buffer file = {.length = FRONT + (size_t)length};
    file.data = malloc(file.length);
    assert_non_null(file.data);
    memcpy(file.data, front, FRONT);
    for (uint32_t i = 0; i < 4; i++)
        file.data[FRONT + i] = (uint8_t)(length >> (24 - 8 * i));
    memcpy(file.data + FRONT + 4, "jp2c", 4);
    memcpy(file.data + FRONT + 8, coded->data, coded->length);
    return file;
}

/* What else transcoding can do to volumes: a JPX file around one, fewer resolutions, fewer layers, a rate. */
static void test_transcoded_changes(void **state)
{
    (void)state;
    kst_volume v = volume_make(64, 48, 16, 12, false);
    kst_volume_options options;
    kst_transcode_options changes;
    kst_volume_options_init(&options);
    options.jpeg2000.target = KST_J2K_RATIO;
    options.jpeg2000.value = 4;
    options.jpeg2000.layers = 3;
    kst_buffer coded = volume_encode(context, &v, &options), file = in_jpx(&coded);
    kst_transcode_options_init(&changes);
    changes.jpeg2000.ht = KST_CHOICE_YES;
    kst_buffer ht = transcode(&file, &changes);
    assert_memory_equal(ht.data, file.data, FRONT);
    expect_same_volume(&coded, &ht, NULL);
    kst_buffer_release(context, &ht);
    free(file.data);
    kst_volume_decode_options part = {.size = sizeof part, .layers = 2, .reduce = 1};
    changes.jpeg2000.layers = 2;
    changes.jpeg2000.reduce = 1;
    kst_buffer smaller = transcode(&coded, &changes);
    expect_same_volume(&coded, &smaller, &part);
    kst_buffer_release(context, &smaller);
    kst_transcode_options_init(&changes);
    changes.jpeg2000.rate = 16;
    kst_buffer rated = transcode(&coded, &changes);
    kst_volume cut = volume_decode(context, &rated, NULL), whole = volume_decode(context, &coded, NULL);
    assert_true(rated.length <= 64 * 48 * 2 && rated.length > 64 * 48 * 2 * 9 / 10);
    assert_true(volume_difference(&cut, &v, 0, 0, 0) < 40 * volume_difference(&whole, &v, 0, 0, 0));
    kst_volume_release(context, &cut);
    kst_volume_release(context, &whole);
    kst_volume_release(context, &v);
    kst_buffer_release(context, &rated);
    kst_buffer_release(context, &coded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lossless), cmocka_unit_test(test_machines),
        cmocka_unit_test(test_low_memory), cmocka_unit_test(test_together), cmocka_unit_test(test_regions),
        cmocka_unit_test(test_targets), cmocka_unit_test(test_steps_of_slices), cmocka_unit_test(test_array),
        cmocka_unit_test(test_stages), cmocka_unit_test(test_hostile), cmocka_unit_test(test_described),
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_refused), cmocka_unit_test(test_scales),
        cmocka_unit_test(test_transcoded), cmocka_unit_test(test_transcoded_changes)};
    return run_with_context(2, tests, start, stop);
}
