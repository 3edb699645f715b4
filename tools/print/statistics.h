/* SPDX-License-Identifier: BSD-2-Clause */
/* Summarises many measurements of one thing. */
#ifndef KOSTKA_TOOL_STATISTICS_H
#define KOSTKA_TOOL_STATISTICS_H

#include <stddef.h>

/* The following functions sort the values; `count` is at least 1. */
void statistics_sort(double *values, size_t count);
double statistics_median(double *values, size_t count);
double statistics_quantile(double *values, size_t count, double part); /* part 0–1; the nearest value below */

#endif
