/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the functions that make rows of a resized image, for each tier of the processor. */
#ifndef KOSTKA_RESIZE_CPU_ROWS_H
#define KOSTKA_RESIZE_CPU_ROWS_H

#include "core/cpu.h"
#include "resize/weights.h"

/* Holds rows that a pass reads and writes. Samples of more than 8 bits take two bytes. */
struct resize_rows {
    const uint8_t *from;
    uint8_t *to;
    ptrdiff_t from_pitch;
    ptrdiff_t to_pitch;
    uint32_t count;    /* rows to make */
    uint32_t channels; /* channels of a pixel: 1, 3 or 4 */
    uint32_t greatest; /* the greatest value of a sample */
};

struct resize_dsp {
    /* Make pixels begin … end − 1 of each row from the source row. */
    void (*across)(const struct resize_weights *weights, const struct resize_rows *rows, uint32_t begin, uint32_t end);
    /* Make row `index`, of `samples` samples, from the rows of its window, the first of which is at `from`. */
    void (*down)(const struct resize_weights *weights, uint32_t index, const struct resize_rows *rows, size_t samples);
    /* Reorder weights as these functions need them; null: they are used as they are. */
    void (*pack_across)(struct resize_weights *weights);
    void (*pack_down)(struct resize_weights *weights);
    uint32_t reach; /* pixels that `across` may read behind the end of a window, with weights of 0 */
};

/* Fill the table with the fastest functions of a tier for samples of up to 8 bits, or for longer ones. */
void kst_resize_dsp_init(struct resize_dsp *dsp, enum cpu_tier tier, bool wide);

/* Fill in the functions of one kind; see kst_resize_dsp_init(). */
void kst_resize_rows_c(struct resize_dsp *dsp);
void kst_resize_rows_wide(struct resize_dsp *dsp);
void kst_resize_rows_avx2(struct resize_dsp *dsp);

#endif
