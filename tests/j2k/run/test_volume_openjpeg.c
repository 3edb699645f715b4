/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What OpenJPEG decodes of volumes without the markers of T.801, put together along z by the definition, is what Kostka
 * decodes.
 */
#include <math.h>
#include <openjpeg.h>
#include <stdlib.h>
#include <string.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_openjpeg)};
    return run_with_context(2, tests, NULL, NULL);
}
