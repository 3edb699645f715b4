/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the functions that decode single MCUs and runs of them share. */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_RUN_H
#define KOSTKA_JPEG_CPU_ENTROPY_RUN_H

#include "jpeg/cpu/entropy/entropy.h"

enum {
    /*
     * After a block has ended, the zig-zag index tells how: a run that was too long leaves it at most 79, and a symbol
     * that ends the block adds its own, larger advance.
     */
    JPEG_ENDED = 1 + JPEG_END_ADVANCE + 1,
    JPEG_INVALID = 1 + JPEG_INVALID_ADVANCE + 1
};

/* Choose the functions that decode runs. */
void kst_jpeg_cpu_run_avx2(struct jpeg_entropy *entropy);

#endif
