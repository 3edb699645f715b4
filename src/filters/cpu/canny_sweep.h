/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares sweeps over rows that join weak pixels to edges, 64 pixels at once. */
#ifndef KOSTKA_FILTERS_CPU_CANNY_SWEEP_H
#define KOSTKA_FILTERS_CPU_CANNY_SWEEP_H

#include "core/memory.h"
#include "filters/filter.h"

/*
 * Turn weak pixels that touch edges into edges, in rows `first` … `end` − 1, by a few sweeps down and up. *done becomes
 * false if some may be left.
 */
kst_status kst_filter_canny_sweep(
    struct memory *memory, const struct filter_pixels *map, uint32_t first, uint32_t end, bool *done);

#endif
