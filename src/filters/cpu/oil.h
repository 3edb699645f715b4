/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the limits of the filter `oil`. */
#ifndef KOSTKA_FILTERS_CPU_OIL_H
#define KOSTKA_FILTERS_CPU_OIL_H

enum { FILTER_OIL_MOST = 15 /* radius */, FILTER_OIL_BINS = 256 };

#endif
