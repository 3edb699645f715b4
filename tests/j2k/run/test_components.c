/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures of any number of components and of samples of up to 31 bits: what is coded without loss comes back, some
 * components alone are what all of them hold, and what cannot be is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "support/context.h"
#include "support/j2k/coded.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { PLANES = 300, SIDE = 24 };

static uint32_t random_state = 11;

static uint32_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static size_t bytes_of(const kst_plane *plane)
{
    return plane->depth > 16 ? 4 : plane->depth > 8 ? 2 : 1;
}

/* A picture that owns its planes. */
struct picture {
    kst_image image;
    kst_plane more[PLANES];
};

static kst_plane *plane_at(struct picture *picture, uint32_t index)
{
    return index < 4 ? &picture->image.plane[index] : &picture->more[index - 4];
}

static void fill(const kst_plane *plane)
{
    for (size_t i = 0; i < (size_t)plane->width * plane->height; i++) {
        uint32_t value = random_word() & (UINT32_MAX >> (32 - plane->depth));
        if (plane->is_signed)
            value -= UINT32_C(1) << (plane->depth - 1);
        memcpy((uint8_t *)plane->data + i * bytes_of(plane), &value, bytes_of(plane));
    }
}

/* Noise, which reaches every magnitude that there is. `divide`: every third plane is of half the size. */
static void make(struct picture *picture, uint32_t count, uint32_t side, uint32_t depth, bool is_signed, bool divide)
{
    kst_image_init(&picture->image);
    picture->image.format = KST_FORMAT_RAW;
    picture->image.width = picture->image.height = side;
    picture->image.plane_count = count;
    picture->image.more = picture->more;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = divide && i % 3 == 2 ? (side + 1) / 2 : side;
        kst_plane *plane = plane_at(picture, i);
        *plane = (kst_plane){.width = size,
            .height = size,
            .depth = (uint8_t)(depth ? depth : 1 + i % 31),
            .is_signed = depth ? is_signed : i % 2 == 1};
        plane->pitch = (ptrdiff_t)(size * bytes_of(plane));
        plane->data = malloc((size_t)size * (size_t)plane->pitch);
        assert_non_null(plane->data);
        fill(plane);
    }
}

static void drop(struct picture *picture)
{
    for (uint32_t i = 0; i < picture->image.plane_count; i++)
        free(plane_at(picture, i)->data);
}

static kst_buffer encode(const struct picture *picture, bool codestream)
{
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.codestream = codestream;
    j2k.levels = picture->image.plane[0].depth > 28 ? 0 : 2;
    j2k.guard_bits = picture->image.plane[0].depth > 30 ? 1 : 2;
    j2k.tile_width = j2k.tile_height = 17;
    return j2k_coded(context, &picture->image, &j2k);
}

static void compare_planes(const kst_plane *a, const kst_plane *b)
{
    assert_true(a->width == b->width && a->height == b->height && a->depth == b->depth);
    assert_int_equal(a->is_signed, b->is_signed);
    for (size_t y = 0; y < a->height; y++)
        assert_memory_equal((const uint8_t *)a->data + (ptrdiff_t)y * a->pitch,
            (const uint8_t *)b->data + (ptrdiff_t)y * b->pitch, a->width * bytes_of(a));
}

static kst_status decode(const kst_buffer *coded, const kst_decode_options *options, kst_image *image)
{
    kst_image_init(image);
    return kst_decode(context, coded->data, coded->length, options, image, NULL);
}

static void check_all(struct picture *picture, const kst_buffer *coded)
{
    kst_image image;
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    options.strict = true;
    assert_int_equal(decode(coded, &options, &image), KST_OK);
    assert_int_equal(image.plane_count, picture->image.plane_count);
    for (uint32_t i = 0; i < image.plane_count; i++)
        compare_planes(plane_at(picture, i), kst_image_plane(&image, i));
    assert_null(kst_image_plane(&image, image.plane_count));
    kst_comparison comparison = {.size = sizeof comparison};
    assert_int_equal(kst_compare(&image, &picture->image, &comparison), KST_OK);
    assert_true(comparison.identical);
    kst_image_release(context, &image);
    assert_null(image.more);
}

/* From 257 components on their indices take two bytes in COC, QCC, RGN and POC (A.6.2, A.6.3, A.6.5, A.6.6). */
static void test_wide_indices(void **state)
{
    static const uint32_t counts[] = {256, 257, 300};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct picture picture;
        make(&picture, counts[i], 20, 8, false, true);
        kst_j2k_options j2k;
        uint32_t last = counts[i] - 1;
        const kst_j2k_component own[] = {
            {.component = 255, .fields = KST_J2K_OWN_LEVELS | KST_J2K_OWN_STYLE, .levels = 1, .style = KST_J2K_TERMALL},
            {.component = last, .fields = KST_J2K_OWN_LEVELS | KST_J2K_OWN_GUARD_BITS, .levels = 3, .guard_bits = 4},
            {.component = last,
                .fields = KST_J2K_OWN_TILE | KST_J2K_OWN_BLOCKS,
                .block_width = 4,
                .block_height = 8,
                .tile = 1}};
        const kst_j2k_change changes[] = {{KST_PROGRESSION_RLCP, 0, 2, 200, last, 1},
            {KST_PROGRESSION_CPRL, 0, 0, last, 0, 2}, {KST_PROGRESSION_LRCP, 0, 0, 0, 0, 2}};
        kst_j2k_options_init(&j2k);
        j2k.codestream = true;
        j2k.levels = 2;
        j2k.layers = 2;
        j2k.tile_width = 11;
        j2k.tile_height = 20;
        j2k.component = own;
        j2k.component_count = 3;
        j2k.change = changes;
        j2k.change_count = 3;
        j2k.headers = i == 1 ? KST_J2K_HEADERS_PPM : i == 2 ? KST_J2K_HEADERS_PPT : KST_J2K_HEADERS_INLINE;
        j2k.interest = (kst_region){2, 3, 9, 8};
        kst_buffer coded = j2k_coded(context, &picture.image, &j2k);
        check_all(&picture, &coded);
        kst_decode_options decoding;
        kst_image image;
        kst_decode_options_init(&decoding);
        decoding.components = &last;
        decoding.component_count = 1;
        assert_int_equal(decode(&coded, &decoding, &image), KST_OK);
        compare_planes(plane_at(&picture, last), &image.plane[0]);
        kst_image_release(context, &image);
        kst_buffer_release(context, &coded);
        drop(&picture);
    }
}

static void test_many(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 4, 5, 9, PLANES};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct picture picture;
        make(&picture, counts[i], SIDE, i == 0 ? 24 : i % 2 == 0 ? 12 : 8, i == 2, true);
        kst_buffer coded = encode(&picture, i % 2 == 1);
        check_all(&picture, &coded);
        kst_buffer_release(context, &coded);
        drop(&picture);
    }
}

/* From a picture with all depths only the requested components are decoded; in a region, too. */
static void test_some(void **state)
{
    (void)state;
    static const uint32_t lists[][4] = {{0, 3, 5, 29}, {1, 2, 30, 31}, {6, 7, 8, 9}};
    struct picture picture;
    make(&picture, 33, SIDE, 0, false, false);
    for (uint32_t i = 0; i < 33; i++) /* noise deeper than this has coefficients of more than 31 bits */
        if (plane_at(&picture, i)->depth > 28) {
            plane_at(&picture, i)->depth = 28;
            fill(plane_at(&picture, i));
        }
    kst_buffer coded = encode(&picture, false);
    for (size_t i = 0; i < 3; i++) {
        for (uint32_t part = 0; part < 2; part++) {
            kst_decode_options options;
            kst_image image;
            kst_decode_options_init(&options);
            options.components = lists[i];
            options.component_count = (uint32_t)(4 - i);
            if (part)
                options.region = (kst_region){5, 7, 15, 11};
            assert_int_equal(decode(&coded, &options, &image), KST_OK);
            assert_true(image.format == KST_FORMAT_RAW && image.plane_count == 4 - i);
            for (uint32_t k = 0; k < image.plane_count; k++) {
                kst_plane whole = *plane_at(&picture, lists[i][k]);
                whole.data = (uint8_t *)whole.data + (part ? 7 * whole.pitch + 5 * (ptrdiff_t)bytes_of(&whole) : 0);
                whole.width = image.width;
                whole.height = image.height;
                compare_planes(&whole, kst_image_plane(&image, k));
            }
            kst_image_release(context, &image);
        }
    }
    kst_buffer_release(context, &coded);
    drop(&picture);
}

/* One of three that were transformed together: the others are decoded for it, and are what they would be. */
static void test_transformed(void **state)
{
    (void)state;
    struct picture picture;
    make(&picture, 3, SIDE, 16, false, false);
    picture.image.colour = KST_COLOUR_RGB;
    kst_buffer coded = encode(&picture, false);
    for (uint32_t c = 0; c < 3; c++) {
        kst_decode_options options;
        kst_image image;
        kst_decode_options_init(&options);
        options.components = &c;
        options.component_count = 1;
        assert_int_equal(decode(&coded, &options, &image), KST_OK);
        assert_true(image.plane_count == 1 && image.colour == KST_COLOUR_UNKNOWN);
        compare_planes(plane_at(&picture, c), kst_image_plane(&image, 0));
        kst_image_release(context, &image);
    }
    kst_buffer_release(context, &coded);
    drop(&picture);
}

static void test_refused(void **state)
{
    (void)state;
    static const uint32_t twice[] = {1, 1}, falling[] = {2, 1}, outside[] = {4, 5}, fine[] = {0, 4};
    struct picture picture;
    make(&picture, 5, SIDE, 8, false, false);
    kst_buffer coded = encode(&picture, false);
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    options.component_count = 2;
    assert_int_equal(decode(&coded, &options, &image), KST_ERROR_OPTIONS);
    const uint32_t *const lists[] = {twice, falling, outside};
    for (size_t i = 0; i < 3; i++) {
        options.components = lists[i];
        assert_int_equal(decode(&coded, &options, &image), KST_ERROR_OPTIONS);
        assert_null(image.plane[0].data);
    }
    options.components = fine;
    options.format = KST_FORMAT_GREY;
    assert_int_equal(decode(&coded, &options, &image), KST_ERROR_OPTIONS);
    options.format = KST_FORMAT_RAW;
    assert_int_equal(decode(&coded, &options, &image), KST_OK);
    kst_image_release(context, &image);
    options.component_count = 0;
    assert_int_equal(decode(&coded, &options, &image), KST_ERROR_OPTIONS);
    kst_buffer_release(context, &coded);
    drop(&picture);
}

/* A caller's own planes: those behind the first four are described by the caller's array. */
static void test_own_planes(void **state)
{
    (void)state;
    struct picture picture, own;
    kst_decoder *decoder;
    make(&picture, 7, SIDE, 20, true, true);
    make(&own, 7, SIDE, 20, true, true);
    kst_buffer coded = encode(&picture, true);
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, coded.data, coded.length), KST_OK);
    kst_image described, allocated;
    kst_image_init(&described);
    assert_int_equal(kst_decoder_describe(decoder, NULL, &described), KST_OK);
    assert_true(described.plane_count == 7 && described.more && kst_image_plane(&described, 6)->depth == 20);
    allocated = described;
    assert_int_equal(kst_image_allocate(context, &allocated), KST_OK);
    assert_true(allocated.more != described.more && allocated.more[2].data);
    assert_int_equal(kst_decoder_decode(decoder, NULL, &allocated), KST_OK);
    assert_int_equal(kst_decoder_decode(decoder, NULL, &own.image), KST_OK);
    for (uint32_t i = 0; i < 7; i++) {
        compare_planes(plane_at(&picture, i), kst_image_plane(&allocated, i));
        compare_planes(plane_at(&picture, i), plane_at(&own, i));
    }
    kst_image_release(context, &allocated);
    own.more[1].depth = 19;
    assert_int_equal(kst_decoder_decode(decoder, NULL, &own.image), KST_ERROR_IMAGE_DEPTH);
    void *held = own.more[1].data;
    own.more[1].data = NULL;
    own.more[1].depth = 20;
    assert_int_not_equal(kst_decoder_decode(decoder, NULL, &own.image), KST_OK);
    kst_decoder_destroy(&decoder);
    own.more[1].data = held;
    own.image.more = NULL;
    kst_buffer_release(context, &coded);
    drop(&picture);
    drop(&own);
}

/* Noise comes back, of more than 28 bits without levels; 32 are no depth of an image. */
static void test_depths(void **state)
{
    (void)state;
    for (uint32_t depth = 15; depth <= 28; depth++)
        for (uint32_t is_signed = 0; is_signed < 2; is_signed++) {
            struct picture picture;
            make(&picture, 1 + depth % 3, 40, depth, is_signed, false);
            kst_buffer coded = encode(&picture, true);
            check_all(&picture, &coded);
            kst_buffer_release(context, &coded);
            drop(&picture);
        }
    for (uint32_t depth = 29; depth <= 32; depth++) {
        struct picture picture;
        make(&picture, 1, 40, depth == 32 ? 31 : depth, false, false);
        picture.image.plane[0].depth = (uint8_t)depth;
        if (depth == 32) {
            kst_buffer none = {0};
            kst_encode_options options = j2k_coding(NULL);
            assert_int_equal(kst_encode(context, &picture.image, &options, &none, NULL), KST_ERROR_IMAGE_DEPTH);
            drop(&picture);
            continue;
        }
        kst_buffer coded = encode(&picture, true);
        check_all(&picture, &coded);
        for (uint32_t more = 32; more <= 38; more += 6) { /* Ssiz of the only component, behind SOC and SIZ's numbers */
            kst_image image;
            coded.data[42] = (uint8_t)(more - 1);
            kst_report report;
            char text[64];
            kst_image_init(&image);
            kst_report_init(&report);
            assert_int_equal(
                kst_decode(context, coded.data, coded.length, NULL, &image, &report), KST_ERROR_IMAGE_DEPTH);
            snprintf(text, sizeof text, "component 0 has %u bits", (unsigned)more);
            assert_non_null(strstr(report.message, text));
            assert_int_equal(report.offset, 42);
        }
        kst_buffer_release(context, &coded);
        drop(&picture);
    }
}

/* Bits of a plane that the 5/3 of three levels makes its largest coefficients of, unlike in the three colours. */
static void fill_worst(const kst_plane *plane, uint32_t component)
{
    uint32_t most = UINT32_MAX >> (32 - plane->depth);
    for (uint32_t y = 0; y < plane->height; y++)
        for (uint32_t x = 0; x < plane->width; x++)
            ((uint32_t *)plane->data)[y * plane->width + x] =
                ((x >> 1) + (x >> 2) + (y >> 1) + (y >> 2) + component) & 1 ? most : 0;
}

/* Colours so deep that their differences have more bits than coefficients may: they are not transformed. */
static void test_deep_colours(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * 4; i++) {
        struct picture picture;
        uint32_t depth = 28 + i / 2;
        make(&picture, 3, 64, depth, false, false);
        picture.image.colour = KST_COLOUR_RGB;
        for (uint32_t c = 0; c < 3 && i % 2 == 1; c++)
            fill_worst(plane_at(&picture, c), c);
        kst_encode_options options;
        kst_j2k_options j2k;
        kst_buffer coded = {0};
        kst_encode_options_init(&options);
        kst_j2k_options_init(&j2k);
        options.codec = KST_CODEC_JPEG2000;
        options.jpeg2000 = &j2k;
        kst_status wanted = depth < 30 ? KST_OK : KST_ERROR_J2K_QUANTISATION;
        assert_int_equal(kst_encode(context, &picture.image, &options, &coded, NULL), wanted);
        kst_buffer_release(context, &coded);
        j2k.levels = depth < 30 ? 5 : 0;
        assert_int_equal(kst_encode(context, &picture.image, &options, &coded, NULL), KST_OK);
        check_all(&picture, &coded);
        kst_buffer_release(context, &coded);
        drop(&picture);
    }
}

/* At a rate: the finest step grows with what would have too many planes. */
static void test_deep_rates(void **state)
{
    (void)state;
    for (uint32_t depth = 24; depth <= 31; depth++) {
        struct picture picture;
        make(&picture, 1, 64, depth, depth % 2 == 1, false);
        kst_encode_options options;
        kst_j2k_options j2k;
        kst_buffer coded = {0};
        kst_image image;
        kst_encode_options_init(&options);
        kst_j2k_options_init(&j2k);
        options.codec = KST_CODEC_JPEG2000;
        options.jpeg2000 = &j2k;
        j2k.target = KST_J2K_RATIO;
        j2k.value = 2;
        assert_int_equal(kst_encode(context, &picture.image, &options, &coded, NULL), KST_OK);
        assert_true(coded.length <= 64 * 64 * depth / 8 / 2);
        assert_int_equal(decode(&coded, NULL, &image), KST_OK);
        double error = 0, range = (double)(UINT32_C(1) << (depth - 1)) * 2;
        for (uint32_t p = 0; p < 64 * 64; p++) { /* noise at half of its bits: about half of them are right */
            const uint8_t *a = (const uint8_t *)picture.image.plane[0].data, *b = (const uint8_t *)image.plane[0].data;
            int32_t from, to;
            memcpy(&from, a + 4 * (size_t)p, 4);
            memcpy(&to, b + 4 * (size_t)p, 4);
            error += ((double)from - to) * ((double)from - to) / range / range;
        }
        assert_true(error / (64 * 64) < 1e-5);
        kst_image_release(context, &image);
        kst_buffer_release(context, &coded);
        drop(&picture);
    }
}

/* A tile without data, in a picture of which a component that is not wanted has more bits than are ever decoded. */
static void test_missing_tile_beside_deep_component(void **state)
{
    struct picture picture;
    kst_j2k_options j2k;
    kst_buffer coded = {0};
    kst_image image;
    kst_decode_options decoding;
    const uint32_t wanted = 0;
    (void)state;
    make(&picture, 2, SIDE, 8, false, false);
    kst_j2k_options_init(&j2k);
    j2k.tile_width = SIDE / 2;
    kst_encode_options encoding = j2k_coding(&j2k);
    assert_int_equal(kst_encode(context, &picture.image, &encoding, &coded, NULL), KST_OK);
    coded.data[45] = 33; /* Ssiz of component 1, behind that of component 0 */
    uint8_t *last = coded.data;
    for (uint8_t *at = coded.data; at + 12 < coded.data + coded.length; at++)
        if (memcmp(at, "\xFF\x90\x00\x0A", 4) == 0)
            last = at;
    assert_int_equal(last[5], 1); /* Isot: the second of two tiles */
    kst_decode_options_init(&decoding);
    decoding.components = &wanted;
    decoding.component_count = 1;
    kst_image_init(&image);
    assert_int_equal(kst_decode(context, coded.data, (size_t)(last - coded.data), &decoding, &image, NULL), KST_OK);
    for (uint32_t y = 0; y < SIDE; y++) {
        const uint8_t *row = (const uint8_t *)image.plane[0].data + y * image.plane[0].pitch;
        assert_memory_equal(row, (const uint8_t *)picture.image.plane[0].data + y * SIDE, SIDE / 2);
        for (uint32_t x = SIDE / 2; x < SIDE; x++)
            assert_int_equal(row[x], 128);
    }
    kst_image_release(context, &image);
    kst_buffer_release(context, &coded);
    drop(&picture);
}

/* An image that was to be allocated, and is not: no memory, or no decoding, which may be found out later. */
static void test_failures_leave_images(void **state)
{
    struct picture picture;
    kst_j2k_options j2k;
    kst_buffer coded = {0};
    kst_image image, untouched;
    (void)state;
    make(&picture, 8, 64, 8, false, false);
    kst_j2k_options_init(&j2k);
    kst_encode_options encoding = j2k_coding(&j2k);
    assert_int_equal(kst_encode(context, &picture.image, &encoding, &coded, NULL), KST_OK);
    kst_image_init(&untouched);
    uint32_t failed = 0;
    for (uint64_t limit = 1 << 10; limit < 1 << 22; limit += limit / 16) {
        kst_context *narrow = context_create("cpu", 1, &(kst_limits){.memory = limit});
        kst_image_init(&image);
        kst_status status = kst_decode(narrow, coded.data, coded.length, NULL, &image, NULL);
        if (status) {
            assert_int_equal(status, KST_ERROR_LIMIT_MEMORY);
            assert_memory_equal(&image, &untouched, sizeof image);
            failed++;
        }
        kst_image_release(narrow, &image);
        kst_context_destroy(&narrow);
    }
    assert_true(failed > 40);
    kst_buffer_release(context, &coded);
    drop(&picture);
}

/* Samples of any depth, widened to 32 bits with their signs, are those that were coded. */
static void test_wide_samples(void **state)
{
    (void)state;
    struct picture picture;
    make(&picture, 27, SIDE, 0, false, true);
    kst_buffer coded = encode(&picture, true);
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    options.sample = KST_SAMPLE_INT32;
    options.format = KST_FORMAT_RAW;
    assert_int_equal(decode(&coded, &options, &image), KST_OK);
    for (uint32_t i = 0; i < image.plane_count; i++) {
        const kst_plane *wide = kst_image_plane(&image, i), *plane = plane_at(&picture, i);
        assert_true(wide->sample == KST_SAMPLE_INT32 && wide->depth == plane->depth && wide->width == plane->width);
        for (size_t k = 0; k < (size_t)plane->width * plane->height; k++) {
            uint32_t value = 0, spare = 32 - plane->depth;
            memcpy(&value, (const uint8_t *)plane->data + k * bytes_of(plane), bytes_of(plane));
            int32_t wanted = plane->is_signed ? (int32_t)(value << spare) >> spare : (int32_t)value;
            const int32_t *row = (const int32_t *)wide->data + k / plane->width * ((size_t)wide->pitch / sizeof *row);
            assert_int_equal(row[k % plane->width], wanted);
        }
    }
    kst_image_release(context, &image);
    kst_buffer_release(context, &coded);
    drop(&picture);
    make(&picture, 1, SIDE, 8, false, false);
    coded = encode(&picture, true);
    options.format = KST_FORMAT_GREY;
    assert_int_equal(decode(&coded, &options, &image), KST_ERROR_OPTIONS);
    kst_buffer_release(context, &coded);
    drop(&picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_wide_indices),
        cmocka_unit_test(test_some),
        cmocka_unit_test(test_wide_samples),
        cmocka_unit_test(test_transformed),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_own_planes),
        cmocka_unit_test(test_depths),
        cmocka_unit_test(test_deep_colours),
        cmocka_unit_test(test_deep_rates),
        cmocka_unit_test(test_missing_tile_beside_deep_component),
        cmocka_unit_test(test_failures_leave_images),
    };
    return run_with_context(2, tests, NULL, NULL);
}
