/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes multiple component transforms of any stages (T.801) as lists of steps for the kernel that carries them out. */
#ifndef KOSTKA_J2K_GPU_STAGES_H
#define KOSTKA_J2K_GPU_STAGES_H

#include "core/memory.h"
#include "j2k/plan/multi.h"

/* Describes a transform, and what is made of its last stage's components, as the CPU does (struct j2k_multi_work). */
struct j2k_gpu_staging {
    const struct j2k_multi *multi;
    uint32_t coded;                        /* number of coded components */
    const bool *is_real;                   /* for each of these: it is in single precision */
    const double *shift;                   /* for each of these, what is added to it if there are no stages */
    struct j2k_z_range shown;              /* components of the last stage that are slices of the volume */
    const struct j2k_multi_sample *sample; /* for each component behind the last stage; null: all are `common` */
    struct j2k_multi_sample common;        /* depths are at most 31 */
};

/* Holds steps (enum j2k_work_step), and behind them a struct j2k_work_slice for each shown slice. */
struct j2k_gpu_program {
    uint32_t *word;
    uint32_t length, capacity;
    uint32_t slices; /* where the slices begin */
    uint32_t rows;   /* rows that a column has behind those of the coded components */
};

/* Holds the programs of all tiles of a plan. */
struct j2k_gpu_stages {
    struct j2k_gpu_program *program;
    uint32_t count;
    uint32_t *of_tile; /* for each tile, its program */
};

/* Write a program, which the caller releases, even after an error. */
kst_status kst_j2k_gpu_make_program(
    struct memory *memory, const struct j2k_gpu_staging *staging, struct j2k_gpu_program *program);

void kst_j2k_gpu_release_stages(struct memory *memory, struct j2k_gpu_stages *stages);

#endif
