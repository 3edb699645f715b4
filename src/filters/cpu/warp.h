/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the fixed-point mapping of the filter `warp`. */
#ifndef KOSTKA_FILTERS_CPU_WARP_H
#define KOSTKA_FILTERS_CPU_WARP_H

#include "filters/filter.h"

/*
 * Maps pixel (x, y) of the result to ((ax + by + c) ÷ (gx + hy + 1), (dx + ey + f) ÷ (gx + hy + 1)) in the source. The
 * nine coefficients, of which the last is 1, are in units of 2^−31; sums stay below 2^55.
 */
struct filter_warp {
    int64_t coefficient[9];
    bool projective; /* g or h is not 0 */
    bool cubic;
    bool edge; /* pixels outside the source are replaced by its nearest ones; otherwise they are 0 */
};

enum {
    FILTER_WARP_BITS = 31,      /* fractional bits of coefficients */
    FILTER_WARP_FRACTION = 8,   /* fractional bits of places */
    FILTER_WARP_LEAST = 1 << 15 /* the least denominator with which a pixel is seen */
};

void kst_filter_warp_settle(const struct filter_value *value, struct filter_warp *warp);

#endif
