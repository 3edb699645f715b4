/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what encoding on the CPU and on a GPU have in common: the request, the results of code-blocks, how far a
 * tile's blocks are coded for a target, and the last step, which adds guard bits and lists all passes.
 */
#ifndef KOSTKA_J2K_RATE_ENCODING_H
#define KOSTKA_J2K_RATE_ENCODING_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/operation.h"
#include "core/pool.h"
#include "j2k/rate/measure.h"
#include "j2k/write/coded.h"

struct j2k_encode_worker;
struct j2k_encoded_chunk;
struct j2k_forward;
struct j2k_kept_coefficients;

enum { J2K_SET_PASSES = 3 /* most passes of an HT set */ };

/* Describes an HT set that may be chosen for a block. */
struct j2k_candidate {
    const uint8_t *data;
    double gain[J2K_SET_PASSES];     /* of each pass, as in struct j2k_pass */
    uint32_t length[J2K_SET_PASSES]; /* up to the end of each pass */
    uint8_t plane, passes;
};

struct j2k_candidates {
    const struct j2k_candidate *set;
    uint32_t count;
};

struct j2k_encode_request {
    const struct j2k_origin *origin; /* one per component: where plan.component[c].area begins */
    /* reads the samples; if `in_order`, one row of tiles after the other; null: they are in memory */
    const kst_rows *rows;
    /* Holds, for each band of the plan, the squared error of the picture for an error of 1 in one coefficient. */
    const double *weight;
    struct progress *progress; /* a step per code-block */
    const kst_writer *keeper;  /* keeps coded bytes; only if nothing is measured; null: they stay in memory */
    /*
     * CPU only: keeps coefficients for the next encoding, which differs in its quantiser steps; null: they are not
     * kept.
     */
    struct j2k_kept_coefficients *kept;
    struct j2k_tiles tiles; /* the tiles to be coded; a count of 0: all tiles */
    bool measure;           /* measure what each pass gains */
    bool count;             /* HT: only count bits (see counted of struct j2k_encoded); not with `measure` */
    uint32_t refinements;   /* HT: number of passes behind the cleanup pass, 0–2 */
    /*
     * HT: the cleanup pass's plane; and the number of planes, from this one upwards, that are tried, each with a set of
     * its own. One set is chosen when all blocks are coded (j2k/rate/candidates.h). 0: there is no choice. Needs
     * `measure`.
     */
    uint32_t plane, candidates;
    /*
     * HT, irreversible: samples are rounded so that they take fewer bits. Each saved bit is worth this much of the
     * picture's squared error; 0: samples are not rounded.
     */
    double worth;
    /*
     * HT, irreversible component transform: the errors of Cb and Cr are fed to Y, which makes up for a part of them.
     * The three components have equal blocks, without a region of interest. CPU only.
     */
    bool feeds;
    /*
     * The target of rate allocation, used only with `measure`: passes that are clearly useless for the target may be
     * left out. All blocks together need be no longer than `bytes` (UINT64_MAX: any length), and no better than the
     * squared error `error` (0: as good as possible).
     */
    uint64_t bytes;
    double error;
    double stop;            /* planes and passes that gain less per byte are left out; 0: not known yet */
    struct j2k_rect region; /* region of interest on the reference grid, for components with a shift; empty: none */
};

/* Holds the memory that coded blocks point to, and what was found while coding them. */
struct j2k_encoded {
    struct j2k_encoded_chunk *chunk;
    uint32_t *pass_length; /* as in j2k_coded, which borrows it */
    /* Sets to choose from, for each block; null: there is no choice, and passes are those of coded->block. */
    struct j2k_candidates *candidates;
    /*
     * Holds for each block the number of bits of its cleanup pass, without bits of stuffing and without Scup; 0 if no
     * sample is significant. The numbers are found with request->count, which finds nothing else, and are the same on
     * every device.
     */
    uint32_t *counted;
    double *pass_gain; /* how much each pass lowers the picture's squared error; null: not measured */
    uint32_t pass_count;
    double error;  /* if measured: the squared error that is left after all passes */
    double stop;   /* planes and passes that gain less per byte may be missing; 0: none are */
    uint8_t extra; /* number of guard bits added because coefficients had more bits than planes */
};

/* Holds the result of one block, kept until all blocks are done. */
struct j2k_block_result {
    const struct j2k_pass *pass;   /* passes with their gains, if measured and not yet in encoding->encoded */
    const uint32_t *length;        /* lengths of passes, if not measured */
    const struct j2k_gains *plane; /* if sampled but not coded yet: what each plane would gain, lowest plane first */
    double error;                  /* of the quantiser and of planes that were left out, in squares of the step */
    uint32_t kept;                 /* bytes of the block that the request's keeper has, in front of the lengths */
    uint8_t planes;                /* of the largest magnitude */
    uint8_t top;                   /* number of planes from the first pass's plane down */
};

/* Describes one encoding; all threads work on it. */
struct j2k_encoding {
    struct memory *memory;
    struct pool *pool;
    struct j2k_coded *coded;
    const struct j2k_encode_request *request;
    struct j2k_block_result *result; /* one per block */
    struct j2k_encoded *encoded;
    /* CPU only: its functions, its tier, and the memory of idle threads. */
    const struct j2k_forward *forward;
    enum cpu_tier tier;
    uint32_t lanes;   /* tiles that are encoded at the same time */
    uint32_t workers; /* threads that work on one tile */
    struct j2k_encode_worker *idle;
    uint64_t kept;          /* bytes of the request's keeper that are assigned to threads */
    pthread_mutex_t shared; /* guards `idle`, `kept`, calls of the keeper, and what tiles change in `encoded` */
    atomic_int status;      /* the first failure; after it nothing new is begun */
};

/*
 * Says which blocks to process: all of them, which are coded, or only a sample that is spread evenly over the tile. The
 * sample is measured first, and shows how far all blocks need to be coded.
 */
enum j2k_choice { J2K_ALL_BLOCKS, J2K_SAMPLE_BLOCKS };
enum {
    J2K_SAMPLED_BLOCKS_MIN = 256,
    J2K_ENCODED_CHUNK = 1 << 18, /* bytes in which a thread gathers coded blocks */
    J2K_ERROR_BITS = 14          /* fraction bits of the quantiser's error, in steps */
};

struct j2k_encode_tile {
    struct j2k_encoding *encoding;
    const struct j2k_tile *tile;
    const struct j2k_plan *plan; /* plan in use: the image's, or an excerpt's (j2k/write/excerpt.h) */
    const struct j2k_tile *part; /* the tile in `plan` */
    const uint32_t *block; /* an excerpt's blocks: their indices in the image's plan; null: `plan` is the image's */
    uint32_t first_block, block_count;
    double stop; /* planes and passes that gain less per byte are left out */
};

/* Return the tiles that are to be coded. */
struct j2k_tiles kst_j2k_encode_tiles_of(const struct j2k_encoding *encoding);

/* Allocate memory. If there is none, the encoding fails and the result is null. */
void *kst_j2k_encode_take(struct j2k_encoding *encoding, size_t count, size_t size);
bool kst_j2k_encode_goes_on(struct j2k_encoding *encoding);
void kst_j2k_encode_fail(struct j2k_encoding *encoding, kst_status status);
/*
 * Make room in encoding->encoded for the passes of all blocks. If memory is missing or 32 bits cannot count the passes,
 * the encoding fails and the result is false.
 */
bool kst_j2k_encode_take_passes(struct j2k_encoding *encoding, uint64_t count);
/*
 * Return the picture's squared error for an error of half a step in one coefficient of a block's band; 0 if not
 * measured.
 */
double kst_j2k_encode_unit(const struct j2k_encoding *encoding, uint32_t block);
/* Count coded blocks as progress; the caller of the library may cancel the encoding here. */
void kst_j2k_encode_count(struct j2k_encoding *encoding, uint32_t blocks);

/* Return the index in the image's plan of a block of the plan in use. */
static inline uint32_t j2k_encode_block(const struct j2k_encode_tile *tile, uint32_t index)
{
    return tile->block ? tile->block[index] : index;
}

/*
 * Start an encoding, of which all members are set except `result`, `shared` and `status`. When all blocks have results
 * or something has failed, finish the encoding, which fills in encoding->encoded. If starting failed there is nothing
 * to finish.
 */
kst_status kst_j2k_encode_start(struct j2k_encoding *encoding, kst_report *report);
kst_status kst_j2k_encode_finish(struct j2k_encoding *encoding, kst_report *report);
/* End an encoding instead of finishing it, where the device keeps the results and none of them was fetched. */
kst_status kst_j2k_encode_leave(struct j2k_encoding *encoding, kst_report *report);
void kst_j2k_encode_find_tile(struct j2k_encoding *encoding, uint32_t index, struct j2k_encode_tile *tile);

/* Return whether a sample of the tile's blocks is measured before all are coded. */
bool kst_j2k_encode_samples_first(const struct j2k_encode_tile *tile);

/* Set tile->stop to the value that the request has, or to the value that the sample gives. */
void kst_j2k_encode_given_stop(struct j2k_encode_tile *tile);
void kst_j2k_encode_find_stop(struct j2k_encode_tile *tile);

/* Return the part of the region of interest in a band: all coefficients that affect the region (H.2). */
struct j2k_rect kst_j2k_region_in_band(const struct j2k_encoding *encoding, const struct j2k_band *band);

/* Return tile->stop in the units in which the gains of a band's blocks are measured. */
float kst_j2k_block_stop(const struct j2k_encode_tile *tile, uint32_t band);

/* Return the gain per byte, found from the sample, below which no pass will be wanted; 0: every pass may be wanted. */
double kst_j2k_encode_stop(struct j2k_encode_tile *tile);
bool kst_j2k_is_sampled(const struct j2k_encode_tile *tile, uint32_t block);

/*
 * Return memory that lives as long as `encoded`, taken from a chunk that only the caller fills (*filling is null at
 * first). If there is none, the encoding fails and the result is null.
 */
void *kst_j2k_encode_keep(struct j2k_encoding *encoding, struct j2k_encoded_chunk **filling, size_t length);
void kst_j2k_encoded_release(struct memory *memory, struct j2k_encoded *encoded);

/* Convert a sum of squared errors to squares of the step. */
static inline double j2k_quantiser_error(uint64_t sum)
{
    return (double)sum / ((uint64_t)1 << 2 * J2K_ERROR_BITS);
}

static inline size_t j2k_rect_width(struct j2k_rect rect)
{
    return rect.x0 < rect.x1 ? rect.x1 - rect.x0 : 0;
}

static inline size_t j2k_rect_height(struct j2k_rect rect)
{
    return rect.y0 < rect.y1 ? rect.y1 - rect.y0 : 0;
}

#endif
