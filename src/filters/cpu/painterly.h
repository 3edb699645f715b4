/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the limits of the filter `painterly`. */
#ifndef KOSTKA_FILTERS_CPU_PAINTERLY_H
#define KOSTKA_FILTERS_CPU_PAINTERLY_H

enum { FILTER_PAINTERLY_BRUSH = 32 /* radius */, FILTER_PAINTERLY_LENGTH = 16, FILTER_PAINTERLY_LAYERS = 4 };

/* The sigma of painterly's Gaussian, in thousandths of a pixel, for each pixel of the brush's radius. */
enum { FILTER_PAINTERLY_SIGMA = 500 };

#endif
