/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Weighs errors by their visibility (T.800 J.12): by the contrast sensitivity of the eye at the spatial frequencies of
 * a subband, at a usual viewing distance. The weights are those of Zeng, Daly and Lei, "An overview of the visual
 * optimization tools in JPEG 2000" (2002); those of a quality are combined from them as HTJ2K encoders do for their
 * "Qfactor".
 */
#include <math.h>

#include "j2k/run/encode.h"

enum { CHANNELS = 3, LEVELS_SEEN = 5 };

/*
 * For Y, Cb and Cr, and for levels from the finest one on: the weight of HH, and that of HL and LH. Other bands weigh
 * 1.
 */
static const double weights[CHANNELS][LEVELS_SEEN][2] = {{{0.0901, 0.2758}, {0.7018, 0.8378}, {1, 1}, {1, 1}, {1, 1}},
    {{0.0263, 0.0863}, {0.1362, 0.2564}, {0.3346, 0.4691}, {0.5444, 0.6523}, {0.7078, 0.7797}},
    {{0.0773, 0.1835}, {0.2598, 0.4130}, {0.5040, 0.6464}, {0.7220, 0.8254}, {0.8769, 0.9424}}};

/* The quality up to which the weights have their full effect, and the one from which on they have none. */
static const double seen_quality = 65, measured_quality = 97;

static double error_of_quality(double quality)
{
    return quality < 50 ? 50 / quality : 2 * (1 - quality / 100);
}

/*
 * Return the power of the weights: 1 up to seen_quality, 0 from measured_quality on, and interpolated by logarithms
 * between.
 */
static double power_of_quality(double quality)
{
    if (quality <= seen_quality)
        return 1;
    if (quality >= measured_quality)
        return 0;
    const double end = log(error_of_quality(measured_quality));
    return (end - log(error_of_quality(quality))) / (end - log(error_of_quality(seen_quality)));
}

/* Return the step of a quality, which is never finer than the error due to rounding to samples. */
double kst_j2k_run_quality_step(double quality, uint32_t depth)
{
    const double seen = 0.1, factor = 0.4;
    const double share = seen * pow(factor, 1 - power_of_quality(quality)) * error_of_quality(quality);
    return ldexp(share, (int)depth) + sqrt(0.5);
}

static double power_of(const struct j2k_encoder *encoder)
{
    const kst_j2k_options *o = &encoder->options;
    if (o->target == KST_J2K_QUALITY)
        return power_of_quality(o->value);
    return o->weights == KST_J2K_WEIGHTS_VISION ? 1 : 0;
}

/* Return the channel of a component: 0 if it is brightness, or not one of the three that are weighed separately. */
static uint32_t channel_of(const struct j2k_encoder *encoder, bool transform, uint32_t component)
{
    return (transform || encoder->colour == KST_COLOUR_YCBCR) && component < CHANNELS ? component : 0;
}

/*
 * Return the weight of a band. Subsampling moves a component's bands to coarser frequencies: by 2 in both directions,
 * to those of the next level; in one direction only, to those between two levels.
 */
static double weight_of(
    const double channel[LEVELS_SEEN][2], uint32_t orientation, uint32_t level, const struct j2k_component_size *size)
{
    const bool across = size->dx > 1, down = size->dy > 1;
    uint32_t place = orientation != J2K_HH, index = level - 1 + (across && down);
    if (across != down) {
        const bool blurred = orientation == (across ? J2K_HL : J2K_LH);
        place = 1;
        index += blurred;
    }
    return index < LEVELS_SEEN ? channel[index][place] : 1;
}

double kst_j2k_run_encode_seen(const struct j2k_encoder *encoder, const struct j2k_parameters *parameters,
    uint32_t component, uint32_t orientation, uint32_t level)
{
    const double power = power_of(encoder);
    const bool alpha = encoder->has_alpha && component + 1 == encoder->component_count;
    if (power <= 0 || orientation == J2K_LL || level == 0 || alpha)
        return 1;
    const double(*channel)[2] = weights[channel_of(encoder, parameters->transform, component)];
    return pow(weight_of(channel, orientation, level, &encoder->coded.headers.component[component]), power);
}

static void weigh_component(struct j2k_encoder *encoder, uint32_t index)
{
    const struct j2k_plan *plan = &encoder->coded.plan;
    const struct j2k_tile_component *tc = &plan->tile_component[index];
    const uint32_t component = index % plan->component_count;
    const struct j2k_parameters *parameters = kst_j2k_coded_parameters(&encoder->coded, index / plan->component_count);
    for (uint32_t r = 1; r < tc->resolution_count; r++) {
        const struct j2k_resolution *resolution = &plan->resolution[tc->first_resolution + r];
        for (uint32_t b = 0; b < resolution->band_count; b++) {
            const uint32_t band = resolution->first_band + b;
            const double seen = kst_j2k_run_encode_seen(
                encoder, parameters, component, plan->band[band].orientation, tc->levels + 1u - r);
            encoder->weight[band] *= seen * seen;
        }
    }
}

void kst_j2k_run_encode_weigh(struct j2k_encoder *encoder)
{
    for (uint32_t i = 0; i < encoder->coded.plan.tile_component_count; i++)
        weigh_component(encoder, i);
}
