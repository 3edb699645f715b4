/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the code-blocks of a stream that was read can be cut, and what each of their passes is worth. */
#ifndef KOSTKA_J2K_CPU_REMEASURE_H
#define KOSTKA_J2K_CPU_REMEASURE_H

#include "core/cpu.h"
#include "core/pool.h"
#include "j2k/write/coded.h"

struct j2k_remeasuring {
    const struct j2k_coded *coded;
    const double *weight;  /* of each band of the plan: squared error of the picture for one of its coefficients */
    uint32_t *pass_length; /* coded.pass_length, to be changed */
    double *gain;          /* of each pass: by how much it lowers the squared error of the picture */
};

/*
 * A stream tells how long the passes are that it has in one layer, but not each of them. So each block is decoded and
 * coded again: an MQ coder that is given the same decisions writes the same bytes, and where it did it knows how many
 * of them a pass needs. Where it did not, or a block's passes cannot be told apart – regions of interest, more than 31
 * bit planes, damage, and predictable termination, which cutting would break – lengths stay as they are, and gains are
 * estimated from bit planes and lengths.
 */
kst_status kst_j2k_cpu_remeasure(struct memory *memory, struct pool *pool, enum cpu_tier tier,
    const struct j2k_remeasuring *remeasuring, kst_report *report);

#endif
