/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What OpenJPEG decodes of volumes without the markers of T.801, put together along z by the definition, is what Kostka
 * decodes; and so is what OpenJPEG encodes with transforms by arrays.
 */
#include <math.h>
#include <openjpeg.h>
#include <stdlib.h>
#include <string.h>

#include "support/compat/memory_stream.h"
#include "support/j2k/volumes.h"
#include "support/shared_context.h"
#include "support/test.h"

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

static opj_image_t *decode_with_openjpeg(const kst_buffer *from)
{
    opj_dparameters_t parameters;
    opj_image_t *image = NULL;
    opj_codec_t *codec = opj_create_decompress(OPJ_CODEC_J2K);
    struct bytes bytes = {.data = from->data, .length = from->length, .room = from->length};
    opj_stream_t *stream = memory_stream_open(&bytes, OPJ_TRUE);
    opj_set_default_decoder_parameters(&parameters);
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
                assert_true(fabs(value - (double)volume_sample(back, x, y, z)) <= most);
            }
        }
}

/* OpenJPEG decodes coefficients to whole numbers, which 9/7 along z adds up to errors of a few. */
static void test_openjpeg(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        const bool reversible = i < 4;
        kst_volume v = volume_make(30 + i, 25, i == 2 ? 35 : 13 + i, i % 2 ? 12 : 8, i % 3 == 1);
        kst_volume_options options;
        kst_volume_options_init(&options);
        options.z_levels = 1 + i % 3;
        options.jpeg2000.levels = 2;
        options.jpeg2000.target = reversible ? KST_J2K_LOSSLESS : KST_J2K_RATE;
        options.jpeg2000.value = 3;
        kst_buffer coded = volume_encode(context, &v, &options);
        kst_volume back = volume_decode(context, &coded, NULL);
        if (reversible)
            volume_expect_same(&back, &v);
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

enum { ARRAY_WIDTH = 31, ARRAY_HEIGHT = 22, ARRAY_MOST = 8 };

/* Encode components of 12 bits with OpenJPEG: `matrix` times the components without their offsets. */
static void encode_with_openjpeg(uint32_t count, const float *matrix, const int32_t *offsets, struct bytes *to)
{
    opj_cparameters_t parameters;
    opj_image_cmptparm_t described[ARRAY_MOST];
    float copied[ARRAY_MOST * ARRAY_MOST];
    int32_t shifts[ARRAY_MOST];
    memset(described, 0, sizeof described);
    memcpy(copied, matrix, count * count * sizeof *matrix);
    memcpy(shifts, offsets, count * sizeof *offsets);
    opj_set_default_encoder_parameters(&parameters);
    assert_true(opj_set_MCT(&parameters, copied, shifts, count));
    /* With 9/7, OpenJPEG 2.5 multiplies bits of single precision as if they were integers. */
    parameters.irreversible = 0;
    parameters.numresolution = 3;
    parameters.tcp_numlayers = 1;
    parameters.cp_disto_alloc = 1;
    for (uint32_t i = 0; i < count; i++)
        described[i] = (opj_image_cmptparm_t){.dx = 1, .dy = 1, .w = ARRAY_WIDTH, .h = ARRAY_HEIGHT, .prec = 12};
    opj_image_t *image = opj_image_create(count, described, OPJ_CLRSPC_UNSPECIFIED);
    image->x1 = ARRAY_WIDTH;
    image->y1 = ARRAY_HEIGHT;
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t i = 0; i < ARRAY_WIDTH * ARRAY_HEIGHT; i++)
            image->comps[c].data[i] = (OPJ_INT32)(900 + i * (c + 3) % 613 + (i * i + c) % 37);
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_J2K);
    opj_stream_t *stream = memory_stream_open(to, OPJ_FALSE);
    assert_true(opj_setup_encoder(codec, &parameters, image));
    assert_true(opj_start_compress(codec, image, stream));
    assert_true(opj_encode(codec, stream));
    assert_true(opj_end_compress(codec, stream));
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
}

/*
 * Matrices of which OpenJPEG inverts the one that encodes. It rounds what that one makes to integers, which the inverse
 * multiplies: so an error is at most half of the sum of a row's magnitudes in the inverse, and of rounding.
 */
static void test_arrays(void **state)
{
    (void)state;
    static const int32_t offsets[ARRAY_MOST] = {2048, 1000, 1200, 900, 1500, 1100, 1, 0};
    static uint8_t bytes[1 << 17];
    for (uint32_t i = 0; i < 10; i++) {
        const uint32_t n = 1 + i % ARRAY_MOST;
        float matrix[ARRAY_MOST * ARRAY_MOST] = {0};
        struct bytes file = {.data = bytes, .room = sizeof bytes};
        for (uint32_t row = 0; row < n; row++) { /* ones, and below them numbers of which the inverse is easily found */
            matrix[row * n + row] = 1;
            if (row > 0)
                matrix[row * n + (row * 3 + i) % row] = i % 2 ? -1 : -0.5F;
        }
        encode_with_openjpeg(n, matrix, offsets, &file);
        const kst_buffer coded = {.data = bytes, .length = file.length};
        kst_volume back = volume_decode(context, &coded, NULL);
        assert_int_equal(back.depth, n);
        assert_int_equal(back.bits, 12);
        assert_false(back.is_signed);
        for (uint32_t c = 0; c < n; c++)
            for (uint32_t k = 0; k < ARRAY_WIDTH * ARRAY_HEIGHT; k++) {
                const int64_t expected = 900 + k * (c + 3) % 613 + (k * k + c) % 37;
                const int64_t found = volume_sample(&back, k % ARRAY_WIDTH, k / ARRAY_WIDTH, c);
                assert_in_range((uint64_t)(found - expected + 10), 10 - (i % 2 ? 0 : 1), 10 + (i % 2 ? 0 : 1));
            }
        kst_volume_release(context, &back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_openjpeg), cmocka_unit_test(test_arrays)};
    return run_with_context(2, tests, NULL, NULL);
}
