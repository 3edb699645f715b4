/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rates of pictures whose samples are large and nearly alike. A plane may take all coefficients of such a picture away
 * from their values, and later ones bring them back; rate allocation must see that these are worth their bytes.
 */
#include <math.h>

#include <kostka/kostka.h>

#include "support/j2k/rate.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/shared_context.h"

enum { SIDE = 256, ENOUGH = 24 /* bits a sample: more than there are to code */ };

static int32_t samples[SIDE * SIDE];

/* About normal, as a sum of four. */
static int32_t noise(uint32_t *random, uint32_t spread)
{
    int32_t sum = 0;
    for (uint32_t i = 0; i < 4; i++)
        sum += (int32_t)(random_next(random) % (2 * spread + 1)) - (int32_t)spread;
    return sum / 2;
}

static kst_image paint(uint32_t depth, int32_t base, uint32_t spread)
{
    kst_image image;
    uint32_t random = depth * 7919 + spread;
    kst_image_init(&image);
    image.format = KST_FORMAT_RAW;
    image.width = image.height = SIDE;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.data = samples,
        .width = SIDE,
        .height = SIDE,
        .depth = (uint8_t)depth,
        .is_signed = true,
        .pitch = depth > 16 ? SIDE * 4 : SIDE * 2};
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        int32_t value = base + noise(&random, spread);
        if (depth > 16)
            samples[i] = value;
        else
            ((int16_t *)samples)[i] = (int16_t)value;
    }
    return image;
}

/* Root mean square of the error of the first layers. */
static double decoded_error(const kst_image *image, const kst_buffer *coded, uint32_t layers)
{
    return (ldexp(1, image->plane[0].depth) - 1) / pow(10, rate_psnr(image, coded, layers) / 20);
}

/* The same of all layers, which is not larger than that of fewer. */
static double coded_error(const kst_image *image, const kst_j2k_options *j2k)
{
    kst_buffer coded = rate_encode(image, j2k);
    double error = decoded_error(image, &coded, 0);
    for (uint32_t layer = 1; layer < j2k->layers; layer++)
        assert_true(decoded_error(image, &coded, layer) >= error);
    kst_buffer_release(context, &coded);
    return error;
}

static kst_j2k_options options_of(double rate, uint32_t levels, bool reversible)
{
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.target = KST_J2K_RATE;
    j2k.value = rate;
    j2k.levels = levels;
    j2k.reversible = reversible;
    return j2k;
}

/* The error of a 9/7 transform of such samples in single precision, and half a level. */
static double rounding(int32_t base)
{
    return 0.5 + fabs((double)base) * 1e-6;
}

/* With as many bytes as one likes nothing is left of the error but rounding; with a few, less than of no coding. */
static void rates(void **state)
{
    static const struct {
        uint32_t depth;
        int32_t base;
        uint32_t spread;
    } pictures[] = {{16, 30000, 5}, {16, -12345, 5}, {20, -370000, 5}, {20, -369250, 5}, {20, -371500, 5},
        {24, 5000001, 9}, {24, -8000001, 50}, {28, 100000001, 90}};
    (void)state;
    for (uint32_t i = 0; i < sizeof pictures / sizeof *pictures; i += THREADS_WATCHED ? 4 : 1)
        for (uint32_t levels = 0; levels < 9; levels += 4) {
            kst_image image = paint(pictures[i].depth, pictures[i].base, pictures[i].spread);
            kst_j2k_options j2k = options_of(ENOUGH, levels, false);
            double error = coded_error(&image, &j2k);
            if (error > rounding(pictures[i].base))
                fail_msg("%u bits, %d, %u levels: an error of %f", pictures[i].depth, pictures[i].base, levels, error);
            j2k = options_of(ENOUGH, levels, true);
            assert_true(coded_error(&image, &j2k) == 0);
            j2k = options_of(2, levels, false);
            j2k.layers = 3;
            error = coded_error(&image, &j2k);
            if (error > 1.5 * pictures[i].spread + rounding(pictures[i].base))
                fail_msg("%u bits, %d, %u levels, 2 bits: an error of %f", pictures[i].depth, pictures[i].base, levels,
                    error);
        }
}

/* If guard bits and levels leave no planes for the finest steps, coarser ones are used. */
static void guard_bits(void **state)
{
    (void)state;
    for (uint32_t depth = 17; depth <= 28; depth += THREADS_WATCHED ? 9 : 3)
        for (uint32_t guard = 1; guard <= 7; guard += THREADS_WATCHED ? 6 : 3)
            for (uint32_t levels = 0; levels <= 32; levels += levels < 10 ? 5 : 22) {
                int32_t base = (1 << (depth - 1)) / 3 * 2;
                kst_image image = paint(depth, base, 5);
                kst_j2k_options j2k = options_of(ENOUGH, levels, false);
                j2k.guard_bits = guard;
                j2k.derived_steps = levels % 10 == 0 && depth % 2 == 0;
                double error = coded_error(&image, &j2k);
                if (!j2k.derived_steps && error > 8 * rounding(base))
                    fail_msg("%u bits, %u guard bits, %u levels: an error of %f", depth, guard, levels, error);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates),
        cmocka_unit_test(guard_bits),
    };
    return run_with_context(3, tests, NULL, NULL);
}
