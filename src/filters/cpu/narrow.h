/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how filters that work on bytes take samples of more than 8 bits. */
#ifndef KOSTKA_FILTERS_CPU_NARROW_H
#define KOSTKA_FILTERS_CPU_NARROW_H

#include "filters/filter.h"

/*
 * Run a filter that keeps the picture's shape. Colours of more than 8 bits are converted to 8, as by `depth=8`, and the
 * result is converted back to the picture's depth; alpha is copied unchanged.
 */
kst_status kst_filter_in_bytes(const struct filter_work *work, kst_status (*run)(const struct filter_work *work));

#endif
