/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts measurements, and takes their median and quantiles. */
#include "print/statistics.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void statistics_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
}

double statistics_median(double *values, size_t count)
{
    size_t middle = count / 2;

    statistics_sort(values, count);
    return count % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double statistics_quantile(double *values, size_t count, double part)
{
    statistics_sort(values, count);
    return values[(size_t)((double)(count - 1) * part)];
}
