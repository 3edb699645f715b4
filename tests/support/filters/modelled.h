/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares pictures for chains of filters, and comparisons of the results with models in floating-point numbers. */
#ifndef KOSTKA_TESTS_SUPPORT_FILTERS_MODELLED_H
#define KOSTKA_TESTS_SUPPORT_FILTERS_MODELLED_H

#include <kostka/kostka_filter.h>

enum { WIDTH = 61, HEIGHT = 37, PADDING = 5, MOST = 4 * (WIDTH + PADDING) * (HEIGHT + PADDING), FORMATS = 5 };

/* Holds an image with a pitch of its own. */
struct picture {
    kst_image image;
    uint16_t samples[MOST];
};

/*
 * Return the exact value of a sample of the result, before it is rounded; *within receives the error that is allowed.
 */
typedef double (*model)(const struct picture *from, uint32_t x, uint32_t y, uint32_t c, double *within);

/* The formats that filters accept, the first of which is grey, and a depth for each. */
extern const kst_format formats[FORMATS];
extern const uint32_t depths[FORMATS];

uint32_t picture_get(const struct picture *picture, uint32_t x, uint32_t y, uint32_t c);

/* Return the sample of a colour of a pixel, whatever the order of the channels; 0 is red. */
uint32_t picture_colour(const struct picture *from, uint32_t x, uint32_t y, uint32_t which);

/* Make a picture of slopes, edges and noise. */
void picture_make(struct picture *picture, kst_format format, uint32_t depth);

/* Apply a chain in a context. The library describes the result in `to`. */
void picture_apply(kst_context *context, const char *chain, const struct picture *from, struct picture *to);

/* Compare the results of all machines with a model. */
void check_model(const char *chain, kst_format format, uint32_t depth, model wanted);

/* Check that two chains give the same result. */
void check_chains(const char *chain, const char *other, kst_format format, uint32_t depth);

#endif
