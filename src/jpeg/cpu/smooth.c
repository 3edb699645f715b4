/* SPDX-License-Identifier: BSD-2-Clause */
/* Estimates missing AC coefficients from the DC coefficients of 5 × 5 blocks, with libjpeg-turbo's weights. */
#include "jpeg/cpu/smooth.h"

#include <string.h>

enum { WINDOW = 5 }; /* blocks in each direction */

/* Weights of the DC coefficients around a block, in units of 1/256, row by row. */
typedef int16_t kernel[WINDOW * WINDOW];

/*
 * Kernels for a coefficient of horizontal order u and vertical order v with u ≥ v; those with u < v use the transposed
 * kernel.
 */
static const kernel kernel_00 = {-2, -6, -8, -6, -2, //
    -6, 6, 42, 6, -6,                                //
    -8, 42, 152, 42, -8,                             //
    -6, 6, 42, 6, -6,                                //
    -2, -6, -8, -6, -2};
static const kernel kernel_10 = {-1, -1, 0, 1, 1, //
    -3, 13, 0, -13, 3,                            //
    -3, 38, 0, -38, 3,                            //
    -3, 13, 0, -13, 3,                            //
    -1, -1, 0, 1, 1};
static const kernel kernel_11 = {-1, 0, 0, 0, 1, //
    0, 9, 0, -9, 0,                              //
    0, 0, 0, 0, 0,                               //
    0, -9, 0, 9, 0,                              //
    1, 0, 0, 0, -1};
static const kernel kernel_20 = {0, 0, 0, 0, 0, //
    0, 2, -5, 2, 0,                             //
    1, 7, -14, 7, 1,                            //
    0, 2, -5, 2, 0,                             //
    0, 0, 0, 0, 0};
static const kernel kernel_21 = {0, 0, 0, 0, 0, //
    0, 1, -3, 1, 0,                             //
    0, 0, 0, 0, 0,                              //
    0, -1, 3, -1, 0,                            //
    0, 0, 0, 0, 0};
static const kernel kernel_30 = {0, 0, 0, 0, 0, //
    0, 1, 0, -1, 0,                             //
    0, 2, 0, -2, 0,                             //
    0, 1, 0, -1, 0,                             //
    0, 0, 0, 0, 0};

/* Kernels for when scans held some AC coefficients: only the lowest orders are then estimated. */
static const kernel near_10 = {0, 0, 0, 0, 0, //
    0, 0, 0, 0, 0,                            //
    -7, 50, 0, -50, 7,                        //
    0, 0, 0, 0, 0,                            //
    0, 0, 0, 0, 0};
static const kernel near_11 = {0, -1, 0, 1, 0, //
    -1, 10, 0, -10, 1,                         //
    0, 0, 0, 0, 0,                             //
    1, -10, 0, 10, -1,                         //
    0, 1, 0, -1, 0};
static const kernel near_20 = {0, 0, 0, 0, 0, //
    0, 0, 0, 0, 0,                            //
    -1, 13, -24, 13, -1,                      //
    0, 0, 0, 0, 0,                            //
    0, 0, 0, 0, 0};

/* The kernels of each coefficient, indexed by zig-zag index. */
static const struct {
    bool transposed;
    const int16_t *dc_alone;
    const int16_t *otherwise; /* null: the coefficient is not estimated */
} estimate[JPEG_SMOOTHED] = {
    {false, kernel_00, NULL},
    {false, kernel_10, near_10},
    {true, kernel_10, near_10},
    {true, kernel_20, near_20},
    {false, kernel_11, near_11},
    {false, kernel_20, near_20},
    {false, kernel_30, NULL},
    {false, kernel_21, NULL},
    {true, kernel_21, NULL},
    {true, kernel_30, NULL},
};

bool kst_jpeg_cpu_smoothing_useful(const struct jpeg_plan *plan)
{
    bool useful = false;
    if (plan->frame.process != KST_PROCESS_PROGRESSIVE)
        return false;
    for (uint32_t i = 0; i < plan->frame.component_count; i++) {
        for (uint32_t k = 0; k < JPEG_SMOOTHED; k++) {
            if (plan->frame.component[i].quant[kst_jpeg_natural[k]] == 0)
                return false;
            useful = useful || (k > 0 && plan->known[i][k] != 0);
        }
        if (plan->known[i][0] < 0)
            return false;
    }
    return useful;
}

static void set_state(struct jpeg_smoothing_state *state, const int8_t *known)
{
    memcpy(state->known, known, sizeof state->known);
    state->dc_alone = true;
    for (uint32_t k = 1; k < JPEG_SMOOTHED; k++)
        state->dc_alone = state->dc_alone && known[k] < 0;
}

/* Return whether any scan other than the first holds the component. */
static bool has_later_scan(const struct jpeg_plan *plan, uint32_t component)
{
    for (uint32_t i = 1; i < plan->scan_count; i++)
        for (uint32_t j = 0; j < plan->scan[i].component_count; j++)
            if (plan->scan[i].component[j] == component)
                return true;
    return false;
}

void kst_jpeg_cpu_smoothing_init(
    struct jpeg_smoothing *smoothing, const struct jpeg_plan *plan, const struct jpeg_coefficients *coefficients)
{
    /* libjpeg treats a component that only the first of several scans holds as fully known here. */
    static const int8_t all_known[JPEG_SMOOTHED] = {0};
    *smoothing = (struct jpeg_smoothing){.frame = &plan->frame, .coefficients = coefficients};
    for (uint32_t i = 0; i < plan->frame.component_count; i++) {
        bool first_alone = plan->scan_count > 1 && !has_later_scan(plan, i);
        set_state(&smoothing->state[i][0], plan->known[i]);
        set_state(&smoothing->state[i][1], first_alone ? all_known : plan->known_before[i]);
    }
}

/*
 * Find the blocks at distances −2 … 2 around block i of n. At the borders the nearest block stands for those outside.
 * Two oddities of libjpeg-turbo 2.1, for pictures of 8 bits, belong to the definition: if a component is two blocks
 * wide, its first column stands for all columns right of the second; and a row at distance 2 is used only if it lies in
 * the same MCU row, or if at least two MCU rows lie on that side.
 */
static void find_columns(const struct jpeg_frame *frame, uint32_t i, uint32_t n, uint32_t at[WINDOW])
{
    uint32_t beyond = n == 2 && frame->precision != JPEG_DEEP ? 0 : n - 1;
    at[0] = i > 1 ? i - 2 : 0;
    at[1] = i > 0 ? i - 1 : 0;
    at[2] = i;
    at[3] = i + 1 < n ? i + 1 : beyond;
    at[4] = i + 2 < n ? i + 2 : beyond;
}

static void find_rows(const struct jpeg_frame *frame, const struct jpeg_component *c, uint32_t i, uint32_t at[WINDOW])
{
    uint32_t mcu = i / c->v;
    uint32_t in_mcu = i % c->v;
    uint32_t rows = mcu + 1 == frame->mcus_h ? c->blocks_h - mcu * c->v : c->v; /* rows of blocks in this MCU row */
    at[1] = i > 0 ? i - 1 : 0;
    at[0] = in_mcu > 1 || mcu > 1 ? i - 2 : at[1];
    at[2] = i;
    at[3] = i + 1 < c->blocks_h ? i + 1 : i;
    at[4] = in_mcu + 2 < rows || mcu + 2 < frame->mcus_h ? i + 2 : at[3];
}

/*
 * Find the rows for deep pictures, as libjpeg-turbo 3 does: if the last MCU row has fewer rows of blocks than the
 * others, these are counted as if they had as few. Rows of the padding below may be among those found.
 */
static void find_deep_rows(
    const struct jpeg_frame *frame, const struct jpeg_component *c, uint32_t i, uint32_t at[WINDOW])
{
    uint32_t mcu = i / c->v;
    uint32_t rows = mcu + 1 == frame->mcus_h ? c->blocks_h - mcu * c->v : c->v; /* rows of blocks in this MCU row */
    uint32_t counted = mcu * rows + i % c->v, count = rows * frame->mcus_h;
    at[1] = counted > 0 ? i - 1 : i;
    at[0] = counted > 1 ? i - 2 : at[1];
    at[2] = i;
    at[3] = counted + 1 < count ? i + 1 : i;
    at[4] = counted + 2 < count ? i + 2 : at[3];
}

static void gather(const struct jpeg_smoothing *smoothing, uint32_t component, uint32_t x, uint32_t y, int32_t *dc)
{
    const struct jpeg_component *c = &smoothing->frame->component[component];
    uint32_t column[WINDOW], row[WINDOW];
    find_columns(smoothing->frame, x, c->blocks_w, column);
    (smoothing->frame->precision == JPEG_DEEP ? find_deep_rows : find_rows)(smoothing->frame, c, y, row);
    for (uint32_t j = 0; j < WINDOW; j++)
        for (uint32_t i = 0; i < WINDOW; i++)
            dc[j * WINDOW + i] = *kst_jpeg_block(smoothing->coefficients, component, column[i], row[j]);
}

/*
 * Compute the weighted sum, requantised and rounded. If the bit position `al` down to which the coefficient is known is
 * above 0, the magnitude stays below 2^al.
 */
static int16_t apply(
    const int16_t *weights, bool transposed, const int32_t *dc, const uint16_t *quant, uint32_t natural, int8_t al)
{
    int64_t sum = 0;
    for (uint32_t j = 0; j < WINDOW; j++)
        for (uint32_t i = 0; i < WINDOW; i++)
            sum += weights[transposed ? i * WINDOW + j : j * WINDOW + i] * dc[j * WINDOW + i];
    sum *= quant[0];
    int64_t q = quant[natural];
    int64_t magnitude = (q * 128 + (sum < 0 ? -sum : sum)) / (q * 256);
    if (al > 0 && magnitude >= 1 << al)
        magnitude = (1 << al) - 1;
    return (int16_t)(sum < 0 ? -magnitude : magnitude);
}

void kst_jpeg_cpu_smooth_block(
    const struct jpeg_smoothing *smoothing, uint32_t component, uint32_t x, uint32_t y, int16_t *out)
{
    const struct jpeg_component *c = &smoothing->frame->component[component];
    bool lost = y / c->v >= smoothing->coefficients->good_rows;
    const struct jpeg_smoothing_state *state = &smoothing->state[component][lost];
    memcpy(out, kst_jpeg_block(smoothing->coefficients, component, x, y), 64 * sizeof *out);
    if (x >= c->blocks_w || y >= c->blocks_h)
        return;
    int32_t dc[WINDOW * WINDOW];
    gather(smoothing, component, x, y, dc);
    for (uint32_t k = 1; k < JPEG_SMOOTHED; k++) {
        const int16_t *weights = state->dc_alone ? estimate[k].dc_alone : estimate[k].otherwise;
        uint32_t natural = kst_jpeg_natural[k];
        if (weights && state->known[k] != 0 && out[natural] == 0)
            out[natural] = apply(weights, estimate[k].transposed, dc, c->quant, natural, state->known[k]);
    }
    if (state->dc_alone)
        out[0] = apply(estimate[0].dc_alone, false, dc, c->quant, 0, 0);
}
