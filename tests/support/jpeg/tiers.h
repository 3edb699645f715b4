/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what comparisons of a stage's vector tiers with plain C need. */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_TIERS_H
#define KOSTKA_TESTS_SUPPORT_JPEG_TIERS_H

#include "jpeg/cpu/dsp/dsp.h"
#include "support/test.h"

struct tier {
    const char *name;
    struct jpeg_dsp dsp;
};

/* List plain C first, then every other tier of this processor. Returns their number. */
int tiers(struct tier tier[5]);

/* Return pseudo-random numbers, the same in each run. */
uint32_t random_u32(void);
void random_bytes(uint8_t *data, size_t n);
/* Fill in samples of a random kind: noise, all 0, all 255, only 0 and 255, or a slope. */
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

/* An output with poison around it, whose data begin at any alignment. */
enum { POISON = 0xA7, POISON_LENGTH = 512 };
struct output {
    uint8_t *data;
    size_t length;
    uint8_t *whole;
};
void output_create(struct output *output, size_t length, size_t misalignment);
/* Check that nothing in front of the data or behind data + length + slack has changed. */
void output_check(const struct output *output, size_t slack);
void output_destroy(struct output *output);

/* Return number `index` of the row lengths to try, in samples: 1 to 200, then some larger ones; 0 at the end. */
uint32_t row_length(int index);

#endif
