/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares models, which compute the images that filters must make sample by sample from the filters' definitions, and
 * comparisons with the filters' results, to the last bit.
 */
#ifndef KOSTKA_TESTS_SUPPORT_FILTERS_EXACT_H
#define KOSTKA_TESTS_SUPPORT_FILTERS_EXACT_H

#include <stdint.h>

/* Holds samples of any depth, without padding. */
struct model {
    uint32_t width, height, channels, depth;
    uint32_t *value;
};

/* The widths and heights that tests go through: odd ones, and some below and above the length of vectors. */
enum { SIZES = 8 };
extern const uint32_t sizes[SIZES][2];

/* Make an image of zeros; free(value) releases it. */
struct model model_make(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth);

/* Make an image of random samples, smooth in places, so that it has edges, flat areas and equal neighbours. */
struct model model_random(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth);

/* Make such an image whose samples of more than 8 bits also have random bits below the highest eight. */
struct model model_random_fine(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth);

/* Return a sample; outside of the image the nearest one inside. */
uint32_t *model_at(const struct model *model, int64_t x, int64_t y, uint32_t channel);
uint32_t model_near(const struct model *model, int64_t x, int64_t y, uint32_t channel);

/* Mirror a coordinate at the first and last index, without repeating these, until it lies between them. */
int64_t model_reflect(int64_t i, int64_t count);

/* Apply a chain on all machines, and compare the results with the expected image. Releases both models. */
void model_check(const char *chain, struct model source, struct model expected);

#endif
