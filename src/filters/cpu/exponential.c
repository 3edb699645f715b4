/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the exponential function by sums and products only. */
#include "filters/cpu/exponential.h"

enum { TERMS = 18 };

/* ln 2 is the sum of LN2_HIGH, whose last 21 bits are 0, so that small multiples of it are exact, and LN2_LOW. */
static const double LN2_HIGH = 0x1.62e42fee00000p-1, LN2_LOW = 0x1.a39ef35793c76p-33, PER_LN2 = 0x1.71547652b82fep+0;
static const double LEAST = -700;

/* Return the Taylor series of e^x, for magnitudes up to ln 2; the first term left out is below 2^−60. */
static double series(double x)
{
    double sum = 1;
    for (int k = TERMS; k > 0; k--)
        sum = 1 + sum * x / k;
    return sum;
}

double kst_filter_exp(double x)
{
    if (x < LEAST)
        return 0;
    int halvings = (int)(-x * PER_LN2);
    double made = series(x + halvings * LN2_HIGH + halvings * LN2_LOW);
    for (int i = 0; i < halvings; i++)
        made *= 0.5;
    return made;
}
