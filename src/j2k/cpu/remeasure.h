/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds where the code-blocks of a stream that was read can be cut, and how much each of their passes is worth. */
#ifndef KOSTKA_J2K_CPU_REMEASURE_H
#define KOSTKA_J2K_CPU_REMEASURE_H

#include "core/operation.h"
#include "j2k/write/coded.h"

struct j2k_remeasuring {
    const struct j2k_coded *coded;
    const double *weight;  /* per band of the plan: squared error of the picture for an error of 1 in one coefficient */
    uint32_t *pass_length; /* coded.pass_length, which is changed */
    double *gain;          /* for each pass: how much it lowers the picture's squared error */
};

/*
 * A stream gives the total length of the passes that it has in one layer, but not the length of each. So each block is
 * decoded and coded again: an MQ coder with the same decisions writes the same bytes. A pass up to whose end the bytes
 * are the same gets the length that the encoder found; other lengths stay as they are. If coding again gives other
 * bit-planes or fewer passes, or if a block's passes cannot be separated, all lengths stay, and gains are estimated
 * from bit-planes and lengths. Passes cannot be separated in regions of interest, with more than 31 bit-planes, after
 * damage, and with predictable termination, which cutting would break.
 */
kst_status kst_j2k_cpu_remeasure(const struct operation *op, const struct j2k_remeasuring *remeasuring);

#endif
