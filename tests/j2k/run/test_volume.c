/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Volumes: without loss whatever their type and size, regions and reduced ones as parts of the whole, targets that are
 * met; and what OpenJPEG decodes without the markers of T.801, put together along z by the definition.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_volume.h>

#include "support/machines.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/shared_context.h"
#include "support/test.h"
#ifdef HAVE_OPENJPEG
#include <openjpeg.h>
#endif

enum { LEVELS_MAX = 8 };

static uint32_t bytes_of(const kst_volume *volume)
{
    return volume->bits > 16 ? 4 : volume->bits > 8 ? 2 : 1;
}

static int64_t sample_at(const kst_volume *v, uint32_t x, uint32_t y, uint32_t z)
{
    const uint8_t *at = (const uint8_t *)v->data + z * v->slice_pitch + y * v->pitch + (size_t)x * bytes_of(v);
    int8_t byte;
    int16_t half;
    int32_t word;
    memcpy(&byte, at, 1);
    if (bytes_of(v) == 1)
        return v->is_signed ? byte : (uint8_t)byte;
    memcpy(&half, at, 2);
    if (bytes_of(v) == 2)
        return v->is_signed ? half : (uint16_t)half;
    memcpy(&word, at, 4);
    return word;
}

static void set_sample(const kst_volume *v, uint32_t x, uint32_t y, uint32_t z, int64_t value)
{
    uint8_t *at = (uint8_t *)v->data + z * v->slice_pitch + y * v->pitch + (size_t)x * bytes_of(v);
    const uint32_t word = (uint32_t)value;
    const uint16_t half = (uint16_t)value;
    const uint8_t byte = (uint8_t)value;
    memcpy(at, bytes_of(v) == 1 ? (const void *)&byte : bytes_of(v) == 2 ? (const void *)&half : &word, bytes_of(v));
}

/* Make a volume of waves with noise in the lowest quarter of the bits, which reaches both ends of the range. */
static kst_volume make(uint32_t width, uint32_t height, uint32_t depth, uint8_t bits, bool is_signed)
{
    kst_volume v;
    uint32_t state = width * 31 + height * 7 + depth + bits;
    kst_volume_init(&v);
    v.width = width;
    v.height = height;
    v.depth = depth;
    v.bits = bits;
    v.is_signed = is_signed;
    assert_int_equal(kst_volume_allocate(context, &v), KST_OK);
    const double half = ldexp(1, bits - 1);
    for (uint32_t z = 0; z < depth; z++)
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                double noise = (double)random_below(&state, 1U << (bits / 4));
                double value = half * 1.1 * sin(x / 9.0 + z / 6.0) * cos(y / 11.0 + z / 9.0) + noise;
                value = fmax(-half, fmin(half - 1, floor(value)));
                set_sample(&v, x, y, z, (int64_t)(is_signed ? value : value + half));
            }
    return v;
}

static kst_buffer encode(kst_context *in, const kst_volume *v, const kst_volume_options *options)
{
    kst_buffer coded = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    if (kst_encode_volume(in, v, options, &coded, &report))
        fail_msg("%s", report.message);
    return coded;
}

static kst_volume decode(kst_context *in, const kst_buffer *coded, const kst_volume_decode_options *options)
{
    kst_volume v;
    kst_report report;
    kst_volume_init(&v);
    kst_report_init(&report);
    if (kst_decode_volume(in, coded->data, coded->length, options, &v, &report))
        fail_msg("%s", report.message);
    assert_int_equal(report.warnings, 0);
    return v;
}

/* The sum of squared differences of `part`, and the box of `whole` that begins at x, y, z. */
static double difference(const kst_volume *part, const kst_volume *whole, uint32_t x0, uint32_t y0, uint32_t z0)
{
    double sum = 0;
    for (uint32_t z = 0; z < part->depth; z++)
        for (uint32_t y = 0; y < part->height; y++)
            for (uint32_t x = 0; x < part->width; x++) {
                double d = (double)(sample_at(part, x, y, z) - sample_at(whole, x0 + x, y0 + y, z0 + z));
                sum += d * d;
            }
    return sum;
}

static void expect_same(const kst_volume *a, const kst_volume *b)
{
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->bits, b->bits);
    assert_int_equal(a->is_signed, b->is_signed);
    assert_true(difference(a, b, 0, 0, 0) < 0.5);
}

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
        kst_volume v = make(cases[i].width, cases[i].height, cases[i].depth, cases[i].bits, cases[i].is_signed);
        kst_volume_options options;
        kst_volume_options_init(&options);
        options.z_levels = cases[i].levels;
        options.jpeg2000.style = cases[i].style;
        options.jpeg2000.levels = 3;
        kst_buffer coded = encode(context, &v, &options);
        kst_volume back = decode(context, &coded, NULL);
        expect_same(&back, &v);
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
        kst_volume v = make(70, 50, 21, 16, true);
        kst_volume_options options;
        kst_volume_options_init(&options);
        options.jpeg2000.target = lossy ? KST_J2K_RATIO : KST_J2K_LOSSLESS;
        options.jpeg2000.value = 10;
        options.jpeg2000.tile_width = 64;
        kst_buffer first = encode(contexts.context[0], &v, &options);
        kst_volume whole = decode(contexts.context[0], &first, NULL);
        for (uint32_t i = 1; i < contexts.count; i++) {
            kst_buffer coded = encode(contexts.context[i], &v, &options);
            assert_int_equal(coded.length, first.length);
            assert_memory_equal(coded.data, first.data, first.length);
            kst_volume back = decode(contexts.context[i], &first, NULL);
            expect_same(&back, &whole);
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
    kst_volume v = make(128, 200, 40, 8, false);
    kst_buffer coded = encode(context, &v, NULL);
    const kst_limits limits = {.memory = UINT64_C(6) << 20};
    kst_context *small = context_create("cpu", 2, &limits);
    kst_volume back = decode(small, &coded, NULL);
    expect_same(&back, &v);
    kst_volume_release(small, &back);
    kst_context_destroy(&small);
    kst_volume_release(context, &v);
    kst_buffer_release(context, &coded);
}

/* Regions of any volume, reduced or not, are parts of the whole. */
static void test_regions(void **state)
{
    (void)state;
    uint32_t random = 5;
    for (uint32_t i = 0; i < 24; i++) {
        kst_volume v = make(45, 38, 27, 12, false);
        kst_volume_options options;
        kst_volume_options_init(&options);
        options.z_levels = i % 4;
        options.jpeg2000.reversible = i % 2;
        options.jpeg2000.target = i % 2 ? KST_J2K_LOSSLESS : KST_J2K_RATE;
        options.jpeg2000.value = 4;
        kst_buffer coded = encode(context, &v, &options);
        kst_volume_decode_options wanted;
        kst_volume_decode_options_init(&wanted);
        wanted.reduce = i / 4 % 3;
        wanted.reduce_z = random_below(&random, options.z_levels + 1);
        kst_volume whole = decode(context, &coded, &wanted);
        assert_int_equal(whole.depth, (27 + (1U << wanted.reduce_z) - 1) >> wanted.reduce_z);
        assert_int_equal(whole.width, (45 + (1U << wanted.reduce) - 1) >> wanted.reduce);
        kst_box *box = &wanted.region;
        box->x = random_below(&random, whole.width);
        box->y = random_below(&random, whole.height);
        box->z = random_below(&random, whole.depth);
        box->width = 1 + random_below(&random, whole.width - box->x);
        box->height = 1 + random_below(&random, whole.height - box->y);
        box->depth = 1 + random_below(&random, whole.depth - box->z);
        kst_volume part = decode(context, &coded, &wanted);
        assert_int_equal(part.depth, box->depth);
        assert_true(difference(&part, &whole, box->x, box->y, box->z) < 0.5);
        kst_volume_release(context, &part);
        kst_volume_release(context, &whole);
        kst_volume_release(context, &v);
        kst_buffer_release(context, &coded);
    }
}

static double psnr_of(const kst_volume *v, const kst_volume *back)
{
    double peak = ldexp(1, v->bits) - 1, samples = (double)v->width * v->height * v->depth;
    return 10 * log10(peak * peak * samples / difference(back, v, 0, 0, 0));
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
    kst_volume v = make(64, 64, 32, 12, true);
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
            kst_buffer coded = encode(context, &v, &options);
            kst_volume back = decode(context, &coded, NULL);
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
    kst_buffer coded = encode(context, v, &options);
    kst_volume back = decode(context, &coded, NULL);
    const double psnr = psnr_of(v, &back);
    kst_volume_release(context, &back);
    kst_buffer_release(context, &coded);
    return psnr;
}

/* An error in each transformed slice counts with the norm of its synthesis in steps as it does in rate allocation. */
static void test_steps_of_slices(void **state)
{
    (void)state;
    kst_volume v = make(128, 96, 32, 12, true);
    const double ebcot = psnr_with(&v, 0, 6), ht = psnr_with(&v, KST_J2K_HT, 6);
    assert_true(ebcot - ht < 3); /* 5 with the same steps for all */
    kst_volume_release(context, &v);
}

#ifdef HAVE_OPENJPEG

/* Copy a codestream without what T.801 added to it, so that its components are those of T.800. */
static kst_buffer strip(const kst_buffer *coded)
{
    kst_buffer made = {.data = malloc(coded->length)};
    size_t at = 2;
    made.data[0] = coded->data[0];
    made.data[1] = coded->data[1];
    made.length = 2;
    while (coded->data[at + 1] != 0x90) {
        const uint8_t *segment = coded->data + at;
        const size_t length = 2 + ((size_t)segment[2] << 8 | segment[3]);
        at += length;
        if (segment[1] >= 0x70 && segment[1] <= 0x79)
            continue;
        memcpy(made.data + made.length, segment, length);
        if (segment[1] == 0x51)
            made.data[made.length + 4] = made.data[made.length + 5] = 0;
        if (segment[1] == 0x52) {
            assert_int_equal(segment[8], 4);
            made.data[made.length + 8] = 0;
        }
        made.length += length;
    }
    memcpy(made.data + made.length, coded->data + at, coded->length - at);
    made.length += coded->length - at;
    return made;
}

static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T length, void *user)
{
    kst_buffer *from = user;
    const size_t left = from->length - from->capacity, count = length < left ? length : left;
    memcpy(to, from->data + from->capacity, count);
    from->capacity += count;
    return count > 0 ? count : (OPJ_SIZE_T)-1;
}

static opj_image_t *decode_with_openjpeg(kst_buffer *from)
{
    opj_dparameters_t parameters;
    opj_image_t *image = NULL;
    opj_codec_t *codec = opj_create_decompress(OPJ_CODEC_J2K);
    opj_stream_t *stream = opj_stream_default_create(OPJ_TRUE);
    opj_set_default_decoder_parameters(&parameters);
    from->capacity = 0;
    opj_stream_set_read_function(stream, read_bytes);
    opj_stream_set_user_data(stream, from, NULL);
    opj_stream_set_user_data_length(stream, from->length);
    assert_true(opj_setup_decoder(codec, &parameters));
    assert_true(opj_read_header(stream, codec, &image));
    assert_true(opj_decode(codec, stream, image));
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    return image;
}

/* Return value i of n, or of its mirror image. */
static double mirrored(const double *value, int64_t i, int64_t n)
{
    if (n == 1)
        return value[0];
    while (i < 0 || i >= n)
        i = i < 0 ? -i : 2 * (n - 1) - i;
    return value[i];
}

static void lift(double *value, int64_t n, int64_t first, double factor, double rounding, bool whole)
{
    for (int64_t i = first; i < n; i += 2) {
        double sum = factor * (mirrored(value, i - 1, n) + mirrored(value, i + 1, n)) + rounding;
        value[i] += whole ? floor(sum) : sum;
    }
}

/* Undo one level of n values, whose low half comes first (Annex F). */
static void synthesise(double *value, int64_t n, bool reversible)
{
    double in[512];
    const double k = 1.230174104914001;
    memcpy(in, value, (size_t)n * sizeof *in);
    for (int64_t i = 0; i < n; i++)
        value[i] = in[i % 2 == 0 ? i / 2 : (n + 1) / 2 + i / 2];
    if (n < 2)
        return;
    if (reversible) {
        for (int64_t i = 0; i < n; i += 2)
            value[i] -= floor((mirrored(value, i - 1, n) + mirrored(value, i + 1, n) + 2) / 4);
        lift(value, n, 1, 0.5, 0, true);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        value[i] *= i % 2 == 0 ? k : 1 / k;
    lift(value, n, 0, -0.443506852043971, 0, false);
    lift(value, n, 1, -0.882911075530934, 0, false);
    lift(value, n, 0, 0.052980118572961, 0, false);
    lift(value, n, 1, 1.586134342059924, 0, false);
}

/* Compare each sample with the one that OpenJPEG's components give. */
static void expect_synthesis(
    const kst_volume *back, const opj_image_t *image, uint32_t levels, bool reversible, double most)
{
    double column[512];
    const double half = ldexp(1, back->bits - 1), low = back->is_signed ? -half : 0, high = low + 2 * half - 1;
    for (uint32_t y = 0; y < back->height; y++)
        for (uint32_t x = 0; x < back->width; x++) {
            for (uint32_t z = 0; z < back->depth; z++)
                column[z] = image->comps[z].data[y * back->width + x];
            for (uint32_t level = levels; level-- > 0;)
                synthesise(column, (back->depth + (1 << level) - 1) >> level, reversible);
            for (uint32_t z = 0; z < back->depth; z++) {
                const double value = fmax(low, fmin(high, column[z] + (back->is_signed ? 0 : half)));
                assert_true(fabs(value - (double)sample_at(back, x, y, z)) <= most);
            }
        }
}

/* OpenJPEG decodes coefficients to whole numbers, which 9/7 along z adds up to errors of a few. */
static void test_openjpeg(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        const bool reversible = i < 4;
        kst_volume v = make(30 + i, 25, i == 2 ? 35 : 13 + i, i % 2 ? 12 : 8, i % 3 == 1);
        kst_volume_options options;
        kst_volume_options_init(&options);
        options.z_levels = 1 + i % 3;
        options.jpeg2000.levels = 2;
        options.jpeg2000.target = reversible ? KST_J2K_LOSSLESS : KST_J2K_RATE;
        options.jpeg2000.value = 3;
        kst_buffer coded = encode(context, &v, &options);
        kst_volume back = decode(context, &coded, NULL);
        if (reversible)
            expect_same(&back, &v);
        kst_buffer stripped = strip(&coded);
        opj_image_t *image = decode_with_openjpeg(&stripped);
        assert_int_equal(image->numcomps, v.depth);
        expect_synthesis(&back, image, options.z_levels, reversible, reversible ? 0.25 : 3.5);
        opj_image_destroy(image);
        free(stripped.data);
        kst_volume_release(context, &back);
        kst_volume_release(context, &v);
        kst_buffer_release(context, &coded);
    }
}

#else

static void test_openjpeg(void **state)
{
    (void)state;
    skip("libopenjp2 is not installed");
}

#endif

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
    kst_volume v = make(19, 11, 4, 12, true);
    kst_volume_options options;
    kst_volume_options_init(&options);
    options.z_levels = 0;
    kst_buffer coded = encode(context, &v, &options);
    for (uint32_t twice = 0; twice < 2; twice++) {
        const uint8_t mco[] = {(uint8_t)(1 + twice), 1, 1};
        kst_buffer changed = replace(&coded, 0x75, mcc, sizeof mcc);
        kst_buffer ordered = replace(&changed, 0x77, mco, 2 + twice);
        kst_volume back = decode(context, &ordered, NULL);
        for (uint32_t i = 0; i < 19 * 11; i++) {
            const uint32_t x = i % 19, y = i / 19;
            int64_t row[4], made[4];
            for (uint32_t z = 0; z < 4; z++)
                row[z] = sample_at(&v, x, y, z);
            for (uint32_t stage = 0; stage <= twice; stage++) {
                made[3] = row[0] - (int64_t)floor((double)(2 * row[1] + 2) / 4);
                made[2] = row[1] + made[3];
                made[0] = row[2];
                made[1] = row[3];
                memcpy(row, made, sizeof row);
            }
            for (uint32_t z = 0; z < 4; z++)
                assert_int_equal(sample_at(&back, x, y, z), llabs(row[z]) < 2048 ? row[z] : row[z] > 0 ? 2047 : -2048);
        }
        kst_volume_release(context, &back);
        free(changed.data);
        free(ordered.data);
    }
    kst_volume_release(context, &v);
    kst_buffer_release(context, &coded);
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
    kst_volume v = make(23, 14, COUNT, 10, true);
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
    kst_buffer coded = encode(context, &v, &options);
    kst_buffer changed = replace(&coded, 0x75, mcc, sizeof mcc), summed = replace(&changed, 0x74, mct, sizeof mct);
    kst_volume components = decode(context, &coded, NULL), back = decode(context, &summed, NULL);
    for (uint32_t i = 0; i < 23 * 14; i++)
        for (uint32_t z = 0; z < COUNT; z++) {
            double sum = 0, most = 0.51;
            for (uint32_t k = 0; k < COUNT; k++) {
                sum += matrix[z * COUNT + k] * (double)sample_at(&components, i % 23, i / 23, k);
                most += fabs(matrix[z * COUNT + k]) / 2;
            }
            sum = fmax(-512, fmin(511, sum));
            assert_true(fabs(sum - (double)sample_at(&back, i % 23, i / 23, COUNT - 1 - z)) <= most);
        }
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
        {0x78, 3, {0x80, 3, 7}, KST_ERROR_J2K_EXTENSION},                       /* other components than SIZ */
        {0x78, 3, {0x80, 4, 60}, KST_ERROR_J2K_DEPTH},                          /* 61 bits */
        {0x74, 10, {0, 0, 6, 1, 0, 0, 0, 0, 0, 1}, KST_ERROR_J2K_MULTI},        /* MCT: offsets of another length */
        {0x74, 10, {0, 0, 10, 1, 0, 0, 0x7F, 0x80, 0, 0}, KST_ERROR_J2K_MULTI}, /* infinite */
        {0x74, 10, {0, 0, 6, 1, 0, 1, 0, 0, 0, 1}, KST_ERROR_J2K_EXTENSION},    /* a series */
        {0x75, 7, {0, 0, 1, 0, 0, 0, 0}, KST_ERROR_J2K_MULTI},                  /* MCC: no collections */
        {0x75, 11, {0, 0, 1, 0, 0, 0, 1, 3, 0, 9, 0}, KST_ERROR_J2K_LENGTH},    /* a list that is cut off */
        {0x75, 10, {0, 0, 1, 0, 0, 0, 1, 3, 0, 0}, KST_ERROR_J2K_MULTI},        /* an empty list */
        {0x75, 11, {0, 0, 1, 0, 0, 0, 1, 3, 0, 1, 4}, KST_ERROR_J2K_MULTI},     /* a component that does not exist */
        {0x75, 21, {0, 0, 1, 0, 0, 0, 1, 3, 0, 1, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0},
            KST_ERROR_J2K_EXTENSION}, /* a wavelet of ATK */
        {0x75, 21, {0, 0, 1, 0, 0, 0, 1, 3, 0, 1, 0, 0, 1, 0, 63, 0, 1, 0, 0, 0, 0},
            KST_ERROR_J2K_MULTI}, /* 63 levels */
        {0x75, 21, {0, 0, 1, 0, 0, 0, 1, 3, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0},
            KST_ERROR_J2K_EXTENSION}, /* components that are not made */
        {0x75, 17, {0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 9}, KST_ERROR_J2K_MULTI}, /* a missing array */
    };
    kst_volume v = make(8, 8, 4, 8, false), back;
    kst_buffer coded = encode(context, &v, NULL);
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

/* A volume is neither a picture to decode nor a stream to transcode, and the errors say what it is. */
static void test_described(void **state)
{
    (void)state;
    kst_volume v = make(20, 30, 10, 12, true), described;
    kst_volume_info info = {.size = sizeof info};
    kst_volume_options options;
    kst_volume_options_init(&options);
    options.z_levels = 3;
    kst_buffer coded = encode(context, &v, &options), made = {.data = NULL};
    kst_volume_init(&described);
    assert_int_equal(kst_describe_volume(context, coded.data, coded.length, NULL, &described, &info, NULL), KST_OK);
    assert_int_equal(described.width, 20);
    assert_int_equal(described.height, 30);
    assert_int_equal(described.depth, 10);
    assert_null(described.data);
    assert_int_equal(info.z_levels, 3);
    assert_int_equal(info.bits, 12);
    assert_true(info.has_wavelet && info.is_signed && info.reversible);
    kst_image image;
    kst_image_init(&image);
    assert_int_equal(kst_decode(context, coded.data, coded.length, NULL, &image, NULL), KST_ERROR_J2K_EXTENSION);
    kst_transcode_options change;
    kst_transcode_options_init(&change);
    assert_int_equal(kst_transcode(context, coded.data, coded.length, &change, &made, NULL), KST_ERROR_J2K_EXTENSION);
    kst_volume_release(context, &v);
    kst_buffer_release(context, &coded);
}

/* Check which options and volumes are refused, and that nothing is left of a volume that could not be decoded. */
static void test_refused(void **state)
{
    (void)state;
    kst_volume v = make(8, 8, 4, 8, false);
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
    coded = encode(context, &v, NULL);
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

static int start(void **state)
{
    return contexts_start(state);
}

static int stop(void **state)
{
    return contexts_stop(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lossless), cmocka_unit_test(test_machines),
        cmocka_unit_test(test_low_memory), cmocka_unit_test(test_regions), cmocka_unit_test(test_targets),
        cmocka_unit_test(test_steps_of_slices), cmocka_unit_test(test_openjpeg), cmocka_unit_test(test_array),
        cmocka_unit_test(test_stages), cmocka_unit_test(test_hostile), cmocka_unit_test(test_described),
        cmocka_unit_test(test_refused)};
    return run_with_context(2, tests, start, stop);
}
