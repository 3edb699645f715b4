/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Volumes on every device have the CPU's bytes: all sizes, depths and filters, ranges of slices, regions and reduced
 * ones, in host memory and as a part of an array in the device's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_profile.h>
#include <kostka/kostka_volume.h>

#include "run/volume.h"
#include "support/gpu/contexts.h"
#include "support/gpu/gpus.h"
#include "support/random.h"
#include "support/test.h"

enum { PATTERN = 0xA5, BRICKS = 3, DEEP = 16, LAST_DEEP = 9, MANY = 100, APART = 1024 /* bytes */, GROUPED = 24 };
enum { SMALL_MEMORY = 600000 /* bytes: enough for a volume of a group, not for all groups at once */ };

struct volume_case {
    uint32_t width, height, depth, z_levels;
    uint8_t bits;
    bool is_signed, lossy;
    uint32_t style, tile, seed;
};

static uint32_t bytes_of(const kst_volume *v)
{
    return v->sample == KST_SAMPLE_FLOAT32 || v->bits > 16 ? 4 : v->bits > 8 ? 2 : 1;
}

/* Fill a volume with waves, and noise in the lowest quarter of the bits. */
static void fill(const kst_volume *v, uint32_t seed)
{
    const double half = ldexp(1, v->bits - 1);
    uint32_t state = v->width * 31 + v->height * 7 + v->depth + v->bits + seed;
    uint8_t *at = v->data;
    for (uint32_t z = 0; z < v->depth; z++)
        for (uint32_t y = 0; y < v->height; y++)
            for (uint32_t x = 0; x < v->width; x++, at += bytes_of(v)) {
                double value = half * 1.1 * sin(x / 9.0 + z / 6.0 + seed) * cos(y / 11.0 + z / 9.0) +
                               (double)random_below(&state, 1U << (v->bits / 4));
                value = fmax(-half, fmin(half - 1, floor(value))) + (v->is_signed ? 0 : half);
                const uint32_t word = (uint32_t)(int64_t)value;
                const uint16_t word_16 = (uint16_t)word;
                const uint8_t word_8 = (uint8_t)word;
                memcpy(at,
                    bytes_of(v) == 1   ? (const void *)&word_8
                    : bytes_of(v) == 2 ? (const void *)&word_16
                                       : &word,
                    bytes_of(v));
            }
}

/* Encode on a device, for code-blocks of T.800 or T.814, losslessly or with three bits for each sample. */
static kst_buffer encode_on(kst_context *context, const struct volume_case *c, kst_report *report)
{
    kst_volume v;
    kst_volume_options options;
    kst_buffer coded = {.data = NULL};
    kst_report_init(report);
    kst_volume_init(&v);
    v.width = c->width;
    v.height = c->height;
    v.depth = c->depth;
    v.bits = c->bits;
    v.is_signed = c->is_signed;
    assert_int_equal(kst_volume_allocate(cpu_context, &v), KST_OK);
    fill(&v, c->seed);
    kst_volume_options_init(&options);
    options.z_levels = c->z_levels;
    options.jpeg2000.style = c->style;
    options.jpeg2000.levels = simulated() ? 1 : 3; /* few levels have few code-blocks, each a work-group */
    options.jpeg2000.block_width = options.jpeg2000.block_height = 16;
    options.jpeg2000.tile_width = options.jpeg2000.tile_height = c->tile;
    options.jpeg2000.target = c->lossy ? KST_J2K_RATE : KST_J2K_LOSSLESS;
    options.jpeg2000.value = 3;
    if (kst_encode_volume(context, &v, &options, &coded, report))
        fail_msg("%s", report->message);
    kst_volume_release(cpu_context, &v);
    return coded;
}

static kst_buffer encode(const struct volume_case *c)
{
    kst_report report;
    return encode_on(cpu_context, c, &report);
}

/* Describe a volume without gaps as a picture whose rows are slices. */
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

/* Move a volume into one that is larger on all sides. */
static kst_volume part_of(const kst_volume *large, const kst_volume *wanted)
{
    kst_volume part = *wanted;
    const size_t skipped = large->slice_pitch + large->pitch + bytes_of(large);
    part.owned = NULL;
    part.memory = large->memory;
    part.pitch = large->pitch;
    part.slice_pitch = large->slice_pitch;
    part.data = large->memory == KST_MEMORY_OPENCL ? large->data : (uint8_t *)large->data + skipped;
    part.offset = large->offset + skipped;
    return part;
}

static kst_volume larger_than(kst_context *context, const kst_volume *wanted, kst_memory memory)
{
    kst_volume large = *wanted;
    large.memory = memory;
    large.width += 3;
    large.height += 2;
    large.depth += 2;
    large.owned = NULL;
    assert_int_equal(kst_volume_allocate(context, &large), KST_OK);
    return large;
}

/* Decode on both devices to a part of a larger array, which must become the same, gaps and all. */
static void check_part(kst_context *context, const kst_buffer *coded, const kst_volume_decode_options *options,
    const kst_volume *wanted, bool elsewhere)
{
    kst_report report;
    kst_report_init(&report);
    kst_volume host = larger_than(cpu_context, wanted, KST_MEMORY_HOST);
    kst_volume there = larger_than(context, wanted, elsewhere ? device_memory(context) : KST_MEMORY_HOST);
    kst_image host_image = as_image(&host), image = as_image(&there);
    memset(host.data, PATTERN, host.slice_pitch * host.depth);
    assert_int_equal(kst_image_copy(context, &host_image, &image), KST_OK);
    kst_volume host_part = part_of(&host, wanted), part = part_of(&there, wanted);
    assert_int_equal(kst_decode_volume(cpu_context, coded->data, coded->length, options, &host_part, NULL), KST_OK);
    if (kst_decode_volume(context, coded->data, coded->length, options, &part, &report))
        fail_msg("%s", report.message);
    assert_true(report.stage_device[KST_STAGE_ENTROPY] > KST_DEVICE_CPU);
    assert_true(report.stage_device[KST_STAGE_PIXELS] > KST_DEVICE_CPU);
    expect_same_image(elsewhere ? "volume on the device" : "volume", context, &host_image, &image);
    kst_volume_release(context, &there);
    kst_volume_release(cpu_context, &host);
}

static void check(const kst_buffer *coded, const kst_volume_decode_options *options)
{
    kst_volume wanted;
    kst_volume_init(&wanted);
    assert_int_equal(
        kst_describe_volume(cpu_context, coded->data, coded->length, options, &wanted, NULL, NULL), KST_OK);
    for (uint32_t d = 0; d < gpu_contexts; d++)
        for (uint32_t elsewhere = simulated(); elsewhere < 2; elsewhere++)
            check_part(gpu_context[d], coded, options, &wanted, elsewhere);
}

static void whole(void **state)
{
    static const struct volume_case cases[] = {{1, 1, 1, 1, 8, false, false, 0, 0, 0},
        {7, 5, 5, 2, 12, true, true, 0, 0, 0}, {7, 5, 64, 2, 10, true, true, 0, 0, 0},
        {33, 17, 9, 2, 8, false, false, KST_J2K_HT, 0, 0}, {40, 21, 16, 3, 12, true, true, 0, 0, 0},
        {19, 9, 35, 5, 16, false, true, KST_J2K_HT, 0, 0}, {20, 20, 1, 2, 16, true, true, 0, 0, 0},
        {20, 6, 2, 32, 16, true, false, 0, 0, 0}, {33, 30, 7, 0, 10, false, false, 0, 0, 0},
        {9, 7, 70, 2, 8, false, true, 0, 0, 0}, {7, 5, 128, 2, 10, true, false, 0, 0, 0},
        {5, 4, 300, 4, 8, false, false, KST_J2K_HT, 0, 0}, {5, 4, 131, 9, 16, true, true, 0, 0, 0},
        {20, 21, 9, 2, 24, true, false, 0, 0, 0}, {50, 45, 12, 2, 12, true, true, 0, 24, 0},
        {50, 45, 12, 2, 16, false, false, 0, 32, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && (!simulated() || i < 2); i++) {
        kst_buffer coded = encode(&cases[i]);
        check(&coded, NULL);
        kst_buffer_release(cpu_context, &coded);
    }
}

/* A random box of a volume that is reduced at random. */
static void check_random(const kst_buffer *coded, const struct volume_case *c, uint32_t *random)
{
    kst_volume_decode_options options;
    kst_volume v;
    kst_volume_init(&v);
    kst_volume_decode_options_init(&options);
    options.reduce = random_below(random, 3);
    options.sample = random_below(random, 3) > 0 ? KST_SAMPLE_INTEGER : KST_SAMPLE_FLOAT32;
    options.scale = 0.37F;
    options.offset = -1.1F;
    options.reduce_z = random_below(random, c->z_levels + 1);
    assert_int_equal(kst_describe_volume(cpu_context, coded->data, coded->length, &options, &v, NULL, NULL), KST_OK);
    kst_box *box = &options.region;
    box->x = random_below(random, v.width);
    box->y = random_below(random, v.height);
    box->z = random_below(random, v.depth);
    box->width = 1 + random_below(random, v.width - box->x);
    box->height = 1 + random_below(random, v.height - box->y);
    box->depth = random_below(random, 3) > 0 ? 1 : 1 + random_below(random, v.depth - box->z);
    check(coded, &options);
}

static void regions(void **state)
{
    static const struct volume_case cases[] = {{45, 38, 27, 3, 12, false, false, 0, 0, 0},
        {45, 38, 27, 3, 12, false, true, 0, 0, 0}, {40, 30, 150, 5, 8, true, false, KST_J2K_HT, 0, 0},
        {40, 30, 150, 5, 8, true, true, KST_J2K_HT, 20, 0}};
    enum { BOXES = 8 };
    uint32_t random = 7;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !simulated(); i++) {
        kst_buffer coded = encode(&cases[i]);
        for (uint32_t k = 0; k < (fewer_cases() ? BOXES / 2 : BOXES); k++)
            check_random(&coded, &cases[i], &random);
        kst_buffer_release(cpu_context, &coded);
    }
}

/* Damaged code-blocks give the same samples and the same warning. */
static void damage(void **state)
{
    static const struct volume_case damaged = {40, 40, 12, 2, 12, true, false, KST_J2K_HT, 0, 0};
    (void)state;
    kst_buffer coded = encode(&damaged);
    kst_volume wanted, found;
    kst_report on_cpu, report;
    uint8_t *bytes = coded.data;
    for (size_t i = coded.length / 2; i < coded.length / 2 + 400; i++)
        bytes[i] = 0xFF;
    for (uint32_t d = 0; d < gpu_contexts && !simulated(); d++) {
        kst_report_init(&on_cpu);
        kst_report_init(&report);
        kst_volume_init(&wanted);
        kst_volume_init(&found);
        const kst_status status = kst_decode_volume(cpu_context, coded.data, coded.length, NULL, &wanted, &on_cpu);
        assert_int_equal(kst_decode_volume(gpu_context[d], coded.data, coded.length, NULL, &found, &report), status);
        assert_int_equal(status, KST_OK);
        assert_true(on_cpu.warnings > 0);
        assert_int_equal(on_cpu.warnings, report.warnings);
        assert_int_equal(on_cpu.first_warning_offset, report.first_warning_offset);
        assert_memory_equal(wanted.data, found.data, wanted.slice_pitch * wanted.depth);
        kst_volume_release(cpu_context, &wanted);
        kst_volume_release(gpu_context[d], &found);
    }
    kst_buffer_release(cpu_context, &coded);
}

/* Place brick number i of three along z, the last of which is less deep. */
static kst_volume brick_of(const kst_volume *whole, uint32_t i)
{
    kst_volume brick = *whole;
    const size_t skipped = i * DEEP * whole->slice_pitch;
    brick.owned = NULL;
    brick.depth = i + 1 < BRICKS ? DEEP : LAST_DEEP;
    brick.data = whole->memory == KST_MEMORY_OPENCL ? whole->data : (uint8_t *)whole->data + skipped;
    brick.offset = whole->offset + skipped;
    return brick;
}

/* Bricks of an array in device memory in one call, and beside them one that is no stream. */
static void check_bricks(kst_context *context, const kst_buffer coded[BRICKS], const kst_volume *wanted)
{
    kst_volume whole = *wanted, brick[BRICKS], none;
    kst_volume_item items[BRICKS + 1];
    whole.owned = NULL;
    whole.memory = device_memory(context);
    kst_volume_init(&none);
    assert_int_equal(kst_volume_allocate(context, &whole), KST_OK);
    for (uint32_t i = 0; i < BRICKS; i++) {
        brick[i] = brick_of(&whole, i);
        items[i] = (kst_volume_item){.data = coded[i].data, .length = coded[i].length, .volume = &brick[i]};
    }
    items[BRICKS] = (kst_volume_item){.data = "none", .length = 4, .volume = &none};
    assert_int_equal(kst_decode_volumes(context, items, BRICKS), KST_OK);
    const kst_image image = as_image(&whole), host = as_image(wanted);
    expect_same_image("bricks", context, &host, &image);
    const kst_status status = kst_decode_volumes(context, items, BRICKS + 1);
    assert_int_equal(status, items[BRICKS].report.status);
    assert_int_not_equal(status, KST_OK);
    for (uint32_t i = 0; i < BRICKS; i++) {
        assert_int_equal(items[i].report.status, KST_OK);
        assert_true(items[i].report.stage_device[KST_STAGE_PIXELS] > KST_DEVICE_CPU);
    }
    assert_null(none.data);
    kst_volume_release(context, &whole);
}

static void bricks(void **state)
{
    static const struct volume_case cases[BRICKS] = {{21, 17, DEEP, 2, 12, true, false, 0, 0, 0},
        {21, 17, DEEP, 3, 12, true, true, KST_J2K_HT, 0, 0}, {21, 17, LAST_DEEP, 1, 12, true, true, 0, 0, 0}};
    kst_buffer coded[BRICKS];
    kst_volume whole, brick;
    (void)state;
    if (simulated())
        return;
    kst_volume_init(&whole);
    whole.width = cases->width;
    whole.height = cases->height;
    whole.depth = (BRICKS - 1) * DEEP + LAST_DEEP;
    whole.bits = cases->bits;
    whole.is_signed = cases->is_signed;
    assert_int_equal(kst_volume_allocate(cpu_context, &whole), KST_OK);
    for (uint32_t i = 0; i < BRICKS; i++) {
        coded[i] = encode(&cases[i]);
        brick = brick_of(&whole, i);
        assert_int_equal(kst_decode_volume(cpu_context, coded[i].data, coded[i].length, NULL, &brick, NULL), KST_OK);
    }
    for (uint32_t d = 0; d < gpu_contexts; d++)
        check_bricks(gpu_context[d], coded, &whole);
    for (uint32_t i = 0; i < BRICKS; i++)
        kst_buffer_release(cpu_context, &coded[i]);
    kst_volume_release(cpu_context, &whole);
}

/* A broken stream leaves the others of its group to the device. */
static void check_one_broken(kst_context *context, kst_volume_item items[MANY])
{
    items[0].length = 40;
    assert_int_not_equal(kst_decode_volumes(context, items, MANY), KST_OK);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(!items[i].report.status, i > 0);
}

/*
 * With HT some groups are smaller than others. Numbers of groups: some are halved; there are too many groups for that;
 * and each volume is a group.
 */
static void check_divided(
    kst_context *context, kst_volume_item items[MANY], const kst_image *wanted, const kst_image *image)
{
    static const uint32_t groups[] = {8, MANY * 3 / 5, MANY};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        assert_int_equal(kst_volume_run_decode_all(context, items, MANY, groups[i]), KST_OK);
        expect_same_image("bricks in groups", context, wanted, image);
    }
}

/* Many bricks, whose streams lie anywhere or one behind the other in pinned memory. */
static void check_many(kst_context *context, const kst_buffer coded[MANY], const kst_volume *wanted, bool pinned)
{
    kst_volume whole = *wanted, brick[MANY];
    kst_volume_item items[MANY];
    void *room;
    whole.owned = NULL;
    whole.memory = device_memory(context);
    assert_int_equal(kst_volume_allocate(context, &whole), KST_OK);
    assert_int_equal(kst_pinned_allocate(context, (size_t)MANY * APART, &room), KST_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        uint8_t *at = (uint8_t *)room + (size_t)i * APART;
        assert_true(coded[i].length <= APART);
        memcpy(at, coded[i].data, coded[i].length);
        brick[i] = whole;
        brick[i].owned = NULL;
        brick[i].depth = 1;
        brick[i].data = whole.memory == KST_MEMORY_OPENCL ? whole.data : (uint8_t *)whole.data + i * whole.slice_pitch;
        brick[i].offset += i * whole.slice_pitch;
        items[i] =
            (kst_volume_item){.data = pinned ? at : coded[i].data, .length = coded[i].length, .volume = &brick[i]};
    }
    assert_int_equal(kst_decode_volumes(context, items, MANY), KST_OK);
    const kst_image image = as_image(&whole), host = as_image(wanted);
    expect_same_image("many bricks", context, &host, &image);
    check_divided(context, items, &host, &image);
    check_one_broken(context, items);
    expect_same_image("bricks beside a broken one", context, &host, &image);
    kst_pinned_release(context, room);
    kst_volume_release(context, &whole);
}

static void many(void **state)
{
    kst_buffer coded[MANY];
    kst_volume whole, brick;
    (void)state;
    if (simulated())
        return;
    kst_volume_init(&whole);
    whole.width = whole.height = 13;
    whole.depth = MANY;
    whole.bits = 10;
    assert_int_equal(kst_volume_allocate(cpu_context, &whole), KST_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        const struct volume_case c = {13, 13, 1, 0, 10, false, i % 3 == 2, i % 2 ? 0 : KST_J2K_HT, 0, i};
        coded[i] = encode(&c);
        brick = whole;
        brick.owned = NULL;
        brick.depth = 1;
        brick.data = (uint8_t *)whole.data + i * whole.slice_pitch;
        assert_int_equal(kst_decode_volume(cpu_context, coded[i].data, coded[i].length, NULL, &brick, NULL), KST_OK);
    }
    for (uint32_t d = 0; d < gpu_contexts; d++)
        for (uint32_t pinned = 0; pinned < 2; pinned++)
            check_many(gpu_context[d], coded, &whole, pinned);
    for (uint32_t i = 0; i < MANY; i++)
        kst_buffer_release(cpu_context, &coded[i]);
    kst_volume_release(cpu_context, &whole);
}

/* Volumes that are in no memory yet are decoded in groups, each by a thread, as many at once as memory allows. */
static void check_groups(
    kst_context *context, const kst_buffer *coded, const kst_volume wanted[GROUPED], kst_memory memory)
{
    kst_volume found[GROUPED];
    kst_volume_item items[GROUPED];
    for (uint32_t i = 0; i < GROUPED; i++) {
        kst_volume_init(&found[i]);
        found[i].memory = memory;
        items[i] = (kst_volume_item){.data = coded->data, .length = coded->length - i % 2, .volume = &found[i]};
    }
    items[3].length = 40;
    assert_int_not_equal(kst_decode_volumes(context, items, GROUPED), KST_OK);
    for (uint32_t i = 0; i < GROUPED; i++) {
        if (i == 3) {
            assert_int_not_equal(items[i].report.status, KST_OK);
            assert_null(found[i].data);
            continue;
        }
        const kst_image image = as_image(&found[i]), host = as_image(&wanted[i]);
        assert_int_equal(items[i].report.status, KST_OK);
        assert_int_equal(items[i].report.warnings > 0, i % 2);
        expect_same_image("groups", context, &host, &image);
        kst_volume_release(context, &found[i]);
    }
}

static void groups(void **state)
{
    const struct volume_case c = {64, 64, 8, 2, 10, false, false, KST_J2K_HT, 0, 0};
    kst_volume wanted[GROUPED];
    (void)state;
    if (simulated())
        return;
    kst_buffer coded = encode(&c);
    for (uint32_t i = 0; i < GROUPED; i++) {
        kst_volume_init(&wanted[i]);
        assert_int_equal(
            kst_decode_volume(cpu_context, coded.data, coded.length - i % 2, NULL, &wanted[i], NULL), KST_OK);
    }
    for (uint32_t d = 0; d < gpu_contexts; d++) {
        kst_context *small = small_context_create(gpu_context[d], SMALL_MEMORY);
        if (!fewer_cases()) /* which says little beside less memory */
            check_groups(gpu_context[d], &coded, wanted, device_memory(gpu_context[d]));
        check_groups(small, &coded, wanted, device_memory(small));
        check_groups(small, &coded, wanted, KST_MEMORY_HOST);
        kst_context_destroy(&small);
    }
    for (uint32_t i = 0; i < GROUPED; i++)
        kst_volume_release(cpu_context, &wanted[i]);
    kst_buffer_release(cpu_context, &coded);
}

/* Note whether a kernel transforms along z. */
static void note_step(void *user, const kst_step *step)
{
    bool *seen = user;
    *seen = *seen || strncmp(step->name, "analyse_columns", strlen("analyse_columns")) == 0;
}

/* Devices encode volumes to the CPU's bytes, and transform them along z. A simulated one has time for a small one. */
static void encoded(void **state)
{
    static const struct volume_case cases[] = {
        {8, 6, 2, 1, 12, false, true, 0, 0, 8},
        {33, 20, 7, 2, 8, false, false, 0, 0, 1},
        {40, 37, 9, 2, 16, true, false, KST_J2K_HT, 0, 2},
        {37, 33, 12, 3, 20, true, true, 0, 0, 3},
        {37, 33, 12, 3, 20, true, true, KST_J2K_HT, 0, 4},
        {20, 21, 5, 1, 28, false, true, KST_J2K_HT, 0, 5},
        {48, 40, 3, 1, 12, false, true, 0, 32, 6},
        {20, 21, 4, 0, 27, true, false, 0, 0, 7},
        {16, 12, 1, 2, 16, false, false, 0, 0, 8},
        {9, 8, 3, 5, 8, true, true, 0, 0, 9},
        {7, 10, 17, 4, 16, false, false, KST_J2K_HT, 0, 10},
        {7, 10, 18, 5, 8, true, false, KST_J2K_HT, 0, 11},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && (!simulated() || i == 0); i++) {
        struct volume_case c = cases[i];
        if (simulated())
            c.bits = 6; /* each bit-plane takes seconds */
        kst_report report;
        kst_buffer wanted = encode_on(cpu_context, &c, &report);
        for (uint32_t d = 0; d < gpu_contexts; d++) {
            bool seen = false;
            assert_int_equal(kst_profile_begin(gpu_context[d]), KST_OK);
            kst_buffer found = encode_on(gpu_context[d], &c, &report);
            assert_int_equal(kst_profile_end(gpu_context[d], note_step, &seen), KST_OK);
            assert_true(seen);
            assert_true(report.stage_device[KST_STAGE_ENTROPY] > KST_DEVICE_CPU);
            assert_true(report.stage_device[KST_STAGE_PIXELS] > KST_DEVICE_CPU);
            assert_int_equal(found.length, wanted.length);
            assert_memory_equal(found.data, wanted.data, wanted.length);
            kst_buffer_release(gpu_context[d], &found);
        }
        kst_buffer_release(cpu_context, &wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole), cmocka_unit_test(regions), cmocka_unit_test(damage),
        cmocka_unit_test(bricks), cmocka_unit_test(many), cmocka_unit_test(groups), cmocka_unit_test(encoded)};
    return cmocka_run_group_tests(tests, start_contexts, stop_contexts);
}
