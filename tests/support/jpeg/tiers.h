/* SPDX-License-Identifier: BSD-2-Clause */
/* Helps to compare a vector tier of a stage with plain C. */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_TIERS_H
#define KOSTKA_TESTS_SUPPORT_JPEG_TIERS_H

#include "jpeg/cpu/dsp/dsp.h"
#include "support/test.h"

struct tier {
    const char *name;
    struct jpeg_dsp dsp;
};

/* Plain C first, then every other tier of this processor. Returns how many. */
int tiers(struct tier tier[5]);

/* Pseudo-random, the same in each run. */
uint32_t random_u32(void);
void random_bytes(uint8_t *data, size_t n);
/* One of several kinds: noise, all 0, all 255, only 0 and 255, a slope. */
void random_samples(uint8_t *data, size_t n);

/*
 * Two areas of memory with a page behind them that cannot be touched, and one before. `at_end` gives the last n bytes
 * of one, so that reading or writing past them is a fault.
 */
struct fence {
    uint8_t *area;
    size_t length;
};
void fence_create(struct fence *fence, size_t length);
void fence_destroy(struct fence *fence);
uint8_t *fence_at_end(const struct fence *fence, size_t n);

/* An output with poison around it. */
enum { POISON = 0xA7, POISON_LENGTH = 512 };
struct output {
    uint8_t *data;
    size_t length;
    uint8_t *whole;
};
void output_create(struct output *output, size_t length, size_t misalignment);
/* Nothing before the data nor behind data + length + slack has changed. */
void output_check(const struct output *output, size_t slack);
void output_destroy(struct output *output);

/* The numbers of samples in a row that are tried: 1 to 200, then some larger ones. 0 ends the sequence. */
uint32_t row_length(int index);

#endif
