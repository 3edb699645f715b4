/* SPDX-License-Identifier: BSD-2-Clause */
/* What the steps of encoding a tile share. */
#ifndef KOSTKA_J2K_CPU_ENCODE_TILE_H
#define KOSTKA_J2K_CPU_ENCODE_TILE_H

#include <pthread.h>
#include <stdatomic.h>

#include "j2k/cpu/blocks/block_encode.h"
#include "j2k/cpu/encode.h"

/* What came of one block, until all are there. */
struct j2k_block_result {
    const struct j2k_pass *pass;   /* where they are measured, and not yet in job->encoded */
    const uint32_t *length;        /* of passes, where they are not */
    const struct j2k_gains *plane; /* what each plane would gain, from the lowest: of a sampled block, not coded yet */
    double error;                  /* of the quantiser and of planes that were left out, in squares of its step */
    uint8_t planes;
};

/* One encoding, used by all threads. */
struct j2k_encode_job {
    struct memory *memory;
    struct pool *pool;
    struct j2k_forward forward;
    const struct j2k_coding_passes *passes;
    struct j2k_coded *coded;
    const struct j2k_encode_source *source;
    struct j2k_block_result *result; /* of each block */
    struct j2k_encoded *encoded;
    struct j2k_encode_worker *idle;
    pthread_mutex_t shared; /* guards `idle` and what tiles change of `encoded` */
    atomic_int status;      /* of the first thing that failed; then nothing more is begun */
};

/* Blocks evenly spread over the tile that are looked at first and tell how far all need be coded; or all, to be coded.
 */
enum j2k_choice { J2K_ALL_BLOCKS, J2K_SAMPLE_BLOCKS };
enum {
    J2K_SAMPLED_BLOCKS_MIN = 256,
    J2K_ERROR_BITS = 14 /* below the point, of the quantiser's error in steps */
};

struct j2k_encode_tile {
    struct j2k_encode_job *job;
    const struct j2k_tile *tile;
    const struct j2k_plan *plan; /* of what is at hand: the image's, or a window's (j2k/write/window.h) */
    const struct j2k_tile *part; /* the tile there */
    const uint32_t *block; /* of each of a window's blocks, which of the image's it is; null: the image is at hand */
    uint32_t first_block, block_count;
    double stop; /* planes that gain less for a byte are left out */
};

/* The tiles that are to be coded. */
struct j2k_tiles kst_j2k_encode_tiles_of(const struct j2k_encode_job *job);

/* Memory that is missing ends the encoding. */
void *kst_j2k_encode_take(struct j2k_encode_job *job, size_t count, size_t size);
bool kst_j2k_encode_goes_on(struct j2k_encode_job *job);
void kst_j2k_encode_fail(struct j2k_encode_job *job, kst_status status);
/* Room in job->encoded for so many passes of all blocks; false, which ends the encoding, where memory is missing or
 * they are more than 32 bits can count. */
bool kst_j2k_encode_take_passes(struct j2k_encode_job *job, uint64_t count);
/* Squared error of the picture for one of a half step in a block's band, if measured; else 0. */
double kst_j2k_encode_unit(const struct j2k_encode_job *job, uint32_t block);
/* So many blocks are coded; the caller may end it here. */
void kst_j2k_encode_count(struct j2k_encode_job *job, uint32_t blocks);

/* Which of the image's blocks one of those at hand is. */
static inline uint32_t j2k_encode_block(const struct j2k_encode_tile *tile, uint32_t index)
{
    return tile->block ? tile->block[index] : index;
}

/*
 * encode.c: begin with all but `result` and `shared` filled in; when there are results of all blocks, or something
 * failed, end, which fills in job->encoded. After an error of the first there is nothing to end.
 */
kst_status kst_j2k_encode_start(struct j2k_encode_job *job, kst_report *report);
kst_status kst_j2k_encode_finish(struct j2k_encode_job *job, kst_report *report);
void kst_j2k_encode_find_tile(struct j2k_encode_job *job, uint32_t index, struct j2k_encode_tile *tile);

/* encode_blocks.c: whether a sample of the tile's blocks is looked at before all are coded. */
bool kst_j2k_encode_samples_first(const struct j2k_encode_tile *tile);

/* What stops blocks is known from the start; or from the sample. */
void kst_j2k_encode_given_stop(struct j2k_encode_tile *tile);
void kst_j2k_encode_set_stop(struct j2k_encode_tile *tile);

/* The band's part of the region of interest: all coefficients that reach into it (H.2). */
struct j2k_rect kst_j2k_region_in_band(const struct j2k_encode_job *job, const struct j2k_band *band);

/* What `stop` is in the units of a block's gains, for blocks of a band. */
float kst_j2k_block_stop(const struct j2k_encode_tile *tile, uint32_t band);

/* encode_stop.c: from the sample, below which gain for a byte no pass will be wanted; 0: all may be. */
double kst_j2k_encode_stop(struct j2k_encode_tile *tile);
bool kst_j2k_is_sampled(const struct j2k_encode_tile *tile, uint32_t block);

/* Room that lasts as long as what was encoded, in a chunk that the caller alone fills; null to begin with. Null where
 * memory is missing. */
void *kst_j2k_encode_keep(struct j2k_encode_job *job, struct j2k_encoded_chunk **filling, size_t length);
void kst_j2k_encoded_chunks_release(struct memory *memory, struct j2k_encoded *encoded);

/* A sum of squared errors in steps. */
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
