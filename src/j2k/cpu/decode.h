/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the decoder that carries out a plan of JPEG 2000 (struct j2k_plan) on the CPU's threads. */
#ifndef KOSTKA_J2K_CPU_DECODE_H
#define KOSTKA_J2K_CPU_DECODE_H

#include "core/cpu.h"
#include "core/memory.h"
#include "core/operation.h"
#include "core/pool.h"
#include "j2k/plan/plan.h"

enum { J2K_DECODED_DEPTH = 31 }; /* most bits of a sample: coefficients and samples take 32 bits */

/* Says where a component's samples go: those of its area, row by row, starting with the upper left one. */
struct j2k_target {
    void *data;      /* null: the component is not wanted */
    ptrdiff_t pitch; /* bytes from one row to the next */
    size_t stride;   /* distance of neighbouring samples of a row, in samples */
    uint8_t bytes;   /* bytes per sample: 1, 2 or 4; signed samples are in two's complement */
    /*
     * Samples are stored as the wavelet transform leaves them, without level shift, rounding and clamping: 32-bit
     * integers or, of 9/7, single precision; `bytes` is 4 and `stride` 1. Not possible with a component transform.
     */
    bool raw;
};

/*
 * Describes the memory in bytes that decoding takes in addition to the plan and the targets. The need is unknown if
 * there is not even enough memory for measuring.
 */
#define J2K_NEED_UNKNOWN (UINT64_MAX / 2)
struct j2k_cpu_need {
    uint64_t tile;    /* for one tile at a time; more tiles are decoded side by side if the memory limit allows */
    uint64_t threads; /* for all threads together */
};

struct j2k_rows;

/* Return what a decoding needs; `rows` is as in kst_j2k_cpu_decode_rows(), or null. */
struct j2k_cpu_need kst_j2k_cpu_measure(struct memory *memory, struct pool *pool, const struct j2k_plan *plan,
    const struct j2k_target *target, struct j2k_rows *rows);

/*
 * Decode everything in the plan. `target` has an entry for each component of the picture; those that are wanted must be
 * at most J2K_DECODED_DEPTH bits deep. Samples that no tile holds become what coefficients of 0 give. Damaged
 * code-blocks are counted as warnings; with `strict` the first of them is an error. Each code-block is a step of the
 * progress, which may be null.
 */
kst_status kst_j2k_cpu_decode(
    const struct operation *op, const struct j2k_plan *plan, const struct j2k_target *target, bool strict);

/* Do the same for a plan that kst_j2k_cpu_rows_suit() accepts. Its rows are handed to the caller's function instead. */
kst_status kst_j2k_cpu_decode_rows(const struct operation *op, const struct j2k_plan *plan,
    const struct j2k_target *target, struct j2k_rows *rows, bool strict);

#endif
