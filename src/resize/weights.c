/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples the filters, and converts the samples to fixed-point weights. */
#include "resize/weights.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static double box(double x)
{
    return x > -0.5 && x <= 0.5 ? 1 : 0;
}

static double bilinear(double x)
{
    return fmax(1 - fabs(x), 0);
}

static double sinc(double x)
{
    return x == 0 ? 1 : sin(x * PI) / (x * PI);
}

/* Return the Hamming filter at x. The constants are binary32, as in Pillow, and add up to a little more than 1. */
static double hamming(double x)
{
    if (x == 0)
        return 1;
    return fabs(x) < 1 ? sinc(x) * ((double)0.54F + (double)0.46F * cos(x * PI)) : 0;
}

/*
 * Return the bicubic filter at x: Keys, "Cubic Convolution Interpolation for Digital Image Processing", 1981, with a =
 * −0.5.
 */
static double bicubic(double x)
{
    const double a = -0.5;
    x = fabs(x);
    if (x < 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

static double lanczos(double x)
{
    return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
}

static const struct resize_curve {
    double (*value)(double x);
    double support;
} curves[] = {
    [KST_RESIZE_BICUBIC] = {bicubic, 2},
    [KST_RESIZE_BOX] = {box, 0.5},
    [KST_RESIZE_BILINEAR] = {bilinear, 1},
    [KST_RESIZE_HAMMING] = {hamming, 1},
    [KST_RESIZE_LANCZOS] = {lanczos, 3},
};

/* Says how wide the window of a sample is, and how the filter is stretched over it. */
struct resize_scale {
    double step;    /* samples that one sample of the result covers */
    double stretch; /* factor by which the filter is stretched: the step, but at least 1 */
    double support;
};

/* Return the length of a box, rounded to binary32 if its edges are such numbers, which they are below 2^24. */
static double box_length(const struct resize_axis *axis)
{
    return axis->end <= 0x1p24 ? (double)((float)axis->end - (float)axis->begin) : axis->end - axis->begin;
}

static struct resize_scale scale_of(const struct resize_axis *axis, double support)
{
    double step = box_length(axis) / axis->count, stretch = fmax(step, 1);
    return (struct resize_scale){step, stretch, support * stretch};
}

static double center_of(const struct resize_axis *axis, const struct resize_scale *scale, uint32_t index)
{
    return axis->begin + (index + 0.5) * scale->step;
}

/* Return the window around a centre: its edges, which lie in −2^33 … 2^33, are rounded to existing samples. */
static struct resize_window window_of(const struct resize_axis *axis, const struct resize_scale *scale, double center)
{
    int64_t first = (int64_t)(center - scale->support + 0.5), end = (int64_t)(center + scale->support + 0.5);
    first = first < 0 ? 0 : first >= axis->size ? axis->size - 1 : first;
    end = end > axis->size ? axis->size : end <= first ? first + 1 : end;
    return (struct resize_window){(uint32_t)first, (uint32_t)(end - first)};
}

/*
 * Return the samples from the begin of the first window to the end of the last: windows begin and end in ascending
 * order.
 */
struct resize_span kst_resize_needed(const struct resize_axis *axis, kst_resize_filter filter)
{
    if (kst_resize_is_same(axis))
        return (struct resize_span){0, axis->size};
    struct resize_scale scale = scale_of(axis, curves[filter].support);
    struct resize_window first = window_of(axis, &scale, center_of(axis, &scale, 0));
    struct resize_window last = window_of(axis, &scale, center_of(axis, &scale, axis->count - 1));
    return (struct resize_span){first.first, last.first + last.length - first.first};
}

/* Convert a weight to fixed point, rounding half away from 0. */
static int32_t fixed(double weight, int bits)
{
    double scaled = weight * (double)(INT64_C(1) << bits);
    return (int32_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

/* Compute the weights of a window. `value` has room for as many numbers as `weight`. */
static void weigh(const struct resize_curve *curve, const struct resize_scale *scale, double center,
    struct resize_window window, int bits, double *value, int32_t *weight)
{
    double sum = 0;
    for (uint32_t i = 0; i < window.length; i++) {
        value[i] = curve->value((window.first + i - center + 0.5) * (1 / scale->stretch));
        sum += value[i];
    }
    for (uint32_t i = 0; i < window.length; i++)
        weight[i] = fixed(sum != 0 ? value[i] / sum : value[i], bits);
}

static kst_status allocate(
    struct memory *memory, const struct resize_axis *axis, double support, struct resize_weights *weights)
{
    kst_status status = KST_OK;
    uint64_t most = (uint64_t)ceil(support) * 2 + 1;
    most = most > axis->size ? axis->size : most;
    most = (most + RESIZE_GROUP - 1) / RESIZE_GROUP * RESIZE_GROUP;
    if (most > UINT32_MAX)
        return KST_ERROR_LIMIT_MEMORY;
    *weights = (struct resize_weights){.count = axis->count, .most = (uint32_t)most};
    weights->window = kst_memory_array(memory, axis->count, sizeof *weights->window, &status);
    if (weights->window)
        weights->weight = kst_memory_zeroed(memory, axis->count, most * sizeof *weights->weight, &status);
    return status;
}

kst_status kst_resize_weights_make(struct memory *memory, const struct resize_axis *axis, kst_resize_filter filter,
    int bits, struct resize_weights *weights)
{
    const struct resize_curve *curve = &curves[filter];
    struct resize_scale scale = scale_of(axis, curve->support);
    kst_status status = allocate(memory, axis, scale.support, weights);
    if (status)
        return status;
    double *value = kst_memory_array(memory, weights->most, sizeof *value, &status);
    if (!value)
        return status;
    for (uint32_t i = 0; i < axis->count; i++) {
        double center = center_of(axis, &scale, i);
        weights->window[i] = window_of(axis, &scale, center);
        weigh(curve, &scale, center, weights->window[i], bits, value, weights->weight + (size_t)i * weights->most);
    }
    kst_memory_release(memory, value);
    return KST_OK;
}

void kst_resize_weights_drop(struct memory *memory, struct resize_weights *weights)
{
    kst_memory_release(memory, weights->window);
    kst_memory_release(memory, weights->weight);
    *weights = (struct resize_weights){0};
}
