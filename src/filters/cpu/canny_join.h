/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the last step of finding edges, which decides which weak pixels stay. */
#ifndef KOSTKA_FILTERS_CPU_CANNY_JOIN_H
#define KOSTKA_FILTERS_CPU_CANNY_JOIN_H

#include "filters/filter.h"

enum { FILTER_WEAK = 1, FILTER_EDGE = 255 };

/* Turn the weak pixels of work->to that are joined to an edge into edges, and set the others to 0. */
kst_status kst_filter_join(const struct filter_work *work);

#endif
