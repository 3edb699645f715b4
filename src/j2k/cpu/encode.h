/* SPDX-License-Identifier: BSD-2-Clause */
/* Transforms an image and codes its blocks on the CPU's threads, once its layout is planned (j2k/write/coded.h). */
#ifndef KOSTKA_J2K_CPU_ENCODE_H
#define KOSTKA_J2K_CPU_ENCODE_H

#include "core/operation.h"
#include "core/pool.h"
#include "j2k/cpu/dwt/forward.h"
#include "j2k/write/coded.h"

struct j2k_encode_request {
    const struct j2k_origin *origin; /* one per component: where plan.component[c].area begins */
    const kst_rows *rows; /* reads the samples, if `in_order` one row of tiles after the other; null: in memory */
    /* For each band of the plan: squared error of the picture for an error of 1 in one coefficient. */
    const double *weight;
    struct progress *progress; /* a step per code-block */
    const kst_writer *keeper;  /* keeps coded bytes; only if nothing is measured; null: they stay in memory */
    struct j2k_tiles tiles;    /* the tiles to be coded; a count of 0: all tiles */
    bool measure;              /* measure what each pass gains */
    /*
     * The target of rate allocation, only if measured: passes that are clearly useless for it may be left out. All
     * blocks together are to be no longer than `bytes` (UINT64_MAX: any length), or no better than the squared error
     * `error` (0: as good as possible).
     */
    uint64_t bytes;
    double error;
    double stop;            /* planes that gain less per byte are left out; 0: not known yet */
    struct j2k_rect region; /* region of interest on the reference grid, for components with a shift; empty: none */
};

/* The memory that coded blocks point to, and what was found while coding them. */
struct j2k_encoded {
    struct j2k_encoded_chunk *chunk;
    uint32_t *pass_length; /* as in j2k_coded, which borrows it */
    double *pass_gain;     /* how much each pass lowers the picture's squared error; null: not measured */
    uint32_t pass_count;
    double error;  /* if measured: the squared error that is left after all passes */
    double stop;   /* planes that gain less per byte may be missing; 0: none is missing */
    uint8_t extra; /* number of guard bits added because coefficients had more bits than planes */
};

/*
 * Fill in coded->block for the tiles, and coded->pass_length. If a coefficient needs more bits than its band has, guard
 * bits are added to the parameters in force and to the bands; if that is impossible, the result is
 * KST_ERROR_IMAGE_DEPTH.
 */
kst_status kst_j2k_cpu_encode(const struct operation *op, struct j2k_coded *coded,
    const struct j2k_encode_request *request, struct j2k_encoded *encoded);

void kst_j2k_encoded_release(struct memory *memory, struct j2k_encoded *encoded);

/*
 * Return how many rows, of those that are one behind the other, the threads look at side by side in a picture of one
 * tile.
 */
uint32_t kst_j2k_encode_rows_at_once(const struct j2k_plan *plan, uint32_t threads);

#endif
