/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the tables in which the filter `lut` looks up samples. */
#ifndef KOSTKA_FILTERS_CPU_LUT_H
#define KOSTKA_FILTERS_CPU_LUT_H

#include "filters/cpu/cube.h"

/*
 * Write an entry for each sample of each of three channels, up to the greatest sample: its new value, or its place in a
 * table of three dimensions.
 */
void kst_filter_lut_fill(const struct filter_cube *cube, const struct filter_pixels *from, uint32_t *entry);

/* Return the table's index of a channel's colour; red is 0. */
uint32_t kst_filter_lut_colour(const struct filter_pixels *pixels, uint32_t channel);

bool kst_filter_lut_is_trilinear(const struct filter_value *value);

#endif
