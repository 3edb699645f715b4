/* SPDX-License-Identifier: BSD-2-Clause */
/* Codes the blocks of an image that is laid out (j2k/write/coded.h) on the CPU's threads. */
#ifndef KOSTKA_J2K_CPU_ENCODE_H
#define KOSTKA_J2K_CPU_ENCODE_H

#include "core/pool.h"
#include "core/progress.h"
#include "j2k/cpu/dwt/forward.h"
#include "j2k/write/coded.h"

struct j2k_encode_source {
    const struct j2k_origin *origin; /* of each component: where plan.component[c].area begins */
    const kst_rows *rows;            /* that bring the samples; null: they are in memory */
    const double *weight;      /* of each band of the plan: squared error of the picture for one of its coefficients */
    struct progress *progress; /* a step a code-block */
    struct j2k_tiles tiles;    /* that are to be coded; a count of 0: all */
    bool measure;              /* gains are wanted */
    /*
     * What of them will be wanted: passes that are clearly of no use for that may be left out. All blocks together no
     * longer than so many bytes (UINT64_MAX: any length), or no better than this squared error (0: as good as can be).
     * Only if measured.
     */
    uint64_t bytes;
    double error;
    double stop;            /* where this is known already: planes that gain less for a byte are left out; else 0 */
    struct j2k_rect region; /* of interest, on the reference grid: where components have a shift; empty: none */
};

/* What coded blocks point to. */
struct j2k_encoded {
    struct j2k_encoded_chunk *chunk;
    uint32_t *pass_length; /* as in j2k_coded, which borrows it */
    double *pass_gain;     /* by how much each pass lowers the squared error of the picture; null if not measured */
    uint32_t pass_count;
    double error;  /* what the quantiser alone leaves, if measured */
    double stop;   /* planes that gain less for a byte may be missing; 0: none is */
    uint8_t extra; /* guard bits that were added, since coefficients had more bits than there were planes for */
};

/*
 * Fill in coded->block, of the tiles, and coded->pass_length. Where a coefficient needs more bits than its band has,
 * guard bits are added to the parameters in force and to the bands; KST_ERROR_IMAGE_DEPTH where that is not possible.
 */
kst_status kst_j2k_cpu_encode(struct memory *memory, struct pool *pool, enum cpu_tier tier, struct j2k_coded *coded,
    const struct j2k_encode_source *source, struct j2k_encoded *encoded, kst_report *report);

void kst_j2k_encoded_release(struct memory *memory, struct j2k_encoded *encoded);

#endif
