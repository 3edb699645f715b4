/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares images that models of filters compute sample by sample from a filter's definition, and comparisons with what
 * the filters make, to the last bit.
 */
#ifndef KOSTKA_TESTS_SUPPORT_FILTERS_EXACT_H
#define KOSTKA_TESTS_SUPPORT_FILTERS_EXACT_H

#include <stdint.h>

/* Holds samples of any depth, without padding. */
struct model {
    uint32_t width, height, channels, depth;
    uint32_t *value;
};

/* Widths and heights that tests go through: odd ones, and ones below and above the length of vectors. */
enum { SIZES = 8 };
extern const uint32_t sizes[SIZES][2];

/* Make an image of zeros; free(value) releases it. */
struct model model_make(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth);

/* Make an image of random samples, smooth in places, so that there are edges, plains and equal neighbours. */
struct model model_random(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth);

/* Return a sample, or the nearest sample that there is. */
uint32_t *model_at(const struct model *model, int64_t x, int64_t y, uint32_t channel);
uint32_t model_near(const struct model *model, int64_t x, int64_t y, uint32_t channel);

/* Mirror a coordinate at the first and the last one, without repeating these, until it lies between them. */
int64_t model_reflect(int64_t i, int64_t count);

/* Apply a chain on all machines, and compare its results with what is expected; both models are released. */
void model_check(const char *chain, struct model source, struct model expected);

#endif
