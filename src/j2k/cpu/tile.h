/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the steps of decoding a tile share. A tile's components are decoded from the top to the bottom in steps of some
 * rows: first the code-blocks that the rows need, then each resolution as far as the next one needs it, and last the
 * rows themselves, into the caller's memory. So only some rows of each band and resolution are ever there.
 */
#ifndef KOSTKA_J2K_CPU_TILE_H
#define KOSTKA_J2K_CPU_TILE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/countdown.h"
#include "j2k/cpu/blocks/block.h"
#include "j2k/cpu/decode.h"
#include "j2k/cpu/dwt/dwt.h"
#include "jpeg/cpu/dsp/dsp.h"

enum { J2K_GROUP = 3, J2K_CODEWORDS = 3 * 74 - 2 };

/* One thread's room. */
struct j2k_worker {
    struct j2k_worker *next; /* that is idle, too */
    uint8_t *joined;         /* bytes of segments that come in pieces */
    size_t joined_length;
    void *room; /* for rows */
    size_t room_length;
    struct j2k_codeword codeword[J2K_CODEWORDS];
    struct j2k_block_decoder decoder;
};

/* One decoding, used by all threads. */
struct j2k_decoding {
    struct memory *memory;
    struct pool *pool;
    const struct j2k_plan *plan;
    const struct j2k_target *target;
    struct j2k_inverse steps;
    struct jpeg_dsp dsp;
    const struct j2k_block_passes *passes;
    struct progress *progress; /* a step a code-block; may be null */
    atomic_uint next_tile;     /* that nobody has begun */
    pthread_mutex_t lock;
    struct j2k_worker *idle;            /* guarded by `lock` */
    atomic_int status;                  /* of the first thing that failed; then nothing more is begun */
    atomic_uint_fast64_t damaged;       /* code-blocks */
    atomic_uint_fast64_t damage_offset; /* the least in the stream */
};

/*
 * Those rows of a band or a resolution that are there: integers of 16 or 32 bits, or single precision. Row y lies at (y
 * − base) % rows, and a block's rows never part.
 */
struct j2k_window {
    uint8_t *data;
    size_t pitch;    /* samples */
    size_t size;     /* of a sample: bytes */
    uint32_t x0, y0; /* of the first column, and of the first row that there ever is */
    uint32_t base;   /* where the blocks of the first row begin */
    uint32_t rows;
};

/* A tile-component that is decoded. */
struct j2k_decoded_component {
    const struct j2k_tile_component *tc;
    const struct j2k_resolution *resolution;
    struct j2k_window band[3 * J2K_LEVELS + 1]; /* LL, then three for each resolution */
    struct j2k_window made[J2K_RESOLUTIONS];    /* what comes of resolutions between the first and the last */
};

struct j2k_step {
    uint32_t row_end;                           /* its last row of the last resolution, plus 1 */
    uint32_t order_end;                         /* its last block in the order of all, plus 1 */
    atomic_uint clears, blocks, levels, strips; /* that are not done yet */
};

/* Components that are decoded together: three that go through a component transform, or one. */
struct j2k_group {
    struct j2k_decoding *decoding;
    const struct j2k_tile *tile;
    uint32_t first, count;
    bool narrow; /* coefficients and samples take 16 bits (j2k/cpu/blocks/narrow.h) */
    struct j2k_decoded_component component[J2K_GROUP];
    uint32_t lag; /* steps by which rows are made behind the blocks, so that threads have blocks meanwhile */
    uint32_t step_count;
    struct j2k_step *step;
    uint32_t first_block;
    uint32_t *order;              /* blocks, step by step, counted from first_block */
    struct countdowns countdowns; /* of the parts of steps */
};

/* Memory that is missing ends the decoding. Zeroed or not. */
void *kst_j2k_take(struct j2k_decoding *decoding, size_t count, size_t size, bool zeroed);
bool kst_j2k_goes_on(struct j2k_decoding *decoding);

/* Null where memory is missing. The room is of at least that length. */
struct j2k_worker *kst_j2k_worker_take(struct j2k_decoding *decoding, size_t room);
void kst_j2k_worker_put(struct j2k_decoding *decoding, struct j2k_worker *worker);

/* A decoding of a plan, or of blocks of it, that the caller fills in further; and its end, which lets workers go. */
void kst_j2k_decoding_begin(
    struct j2k_decoding *decoding, struct memory *memory, const struct j2k_plan *plan, enum cpu_tier tier);
void kst_j2k_decoding_end(struct j2k_decoding *decoding);

/* tile_steps.c: steps, windows and the order of blocks. False where memory is missing. */
bool kst_j2k_group_begin(struct j2k_group *group);
void kst_j2k_group_end(struct j2k_group *group);
/* The most bytes that such a group takes at a time, beside threads' rooms; to be ended, too. 0 where memory is missing.
 */
uint64_t kst_j2k_group_measure(struct j2k_group *group);
/* Sets the coefficients that a step's blocks may fill to 0. */
void kst_j2k_clear(const struct j2k_group *group, uint32_t step);
uint32_t kst_j2k_first_row(const struct j2k_group *group, uint32_t step);
/* Rows of each resolution that there are before a step. */
void kst_j2k_rows_before(const struct j2k_group *group, const struct j2k_decoded_component *component, uint32_t step,
    uint32_t rows[J2K_RESOLUTIONS]);
/* Up to where rows of each resolution are needed when the last one is made up to `row`. */
void kst_j2k_rows_needed(const struct j2k_decoded_component *component, uint32_t row, uint32_t needed[J2K_RESOLUTIONS]);

/* tile_run.c: what a thread needs room for, and all steps, on the pool's threads. */
size_t kst_j2k_worker_room(const struct j2k_group *group);
void kst_j2k_run_group(struct j2k_group *group);

/* Where the coefficients of a block go. */
struct j2k_destination {
    void *samples; /* the first of those that its band's window has */
    size_t pitch;  /* samples */
    bool narrow;   /* they have 16 bits */
};

/* tile_blocks.c: a code-block to coefficients; and one that is counted in the group's order. */
void kst_j2k_decode_block(struct j2k_decoding *decoding, struct j2k_worker *worker, const struct j2k_block *block,
    const struct j2k_destination *to);
void kst_j2k_decode_one(const struct j2k_group *group, struct j2k_worker *worker, uint32_t index);

/* tile_levels.c: coefficients to all resolutions but the last, and how the last one is made. */
void kst_j2k_make_levels(const struct j2k_group *group, struct j2k_worker *worker, uint32_t component, uint32_t step);
struct j2k_level kst_j2k_describe_level(
    const struct j2k_group *group, const struct j2k_decoded_component *component, uint32_t resolution);

/* tile_output.c: the last resolution, component transform, level shift, and into the targets. */
uint32_t kst_j2k_strips(const struct j2k_group *group, uint32_t step);
size_t kst_j2k_strip_room(const struct j2k_group *group);
void kst_j2k_put_out(const struct j2k_group *group, struct j2k_worker *worker, uint32_t step, uint32_t strip);

static inline size_t j2k_width(struct j2k_rect rect)
{
    return rect.x0 < rect.x1 ? rect.x1 - rect.x0 : 0;
}

static inline size_t j2k_height(struct j2k_rect rect)
{
    return rect.y0 < rect.y1 ? rect.y1 - rect.y0 : 0;
}

/* Where a row of a window lies. */
static inline void *j2k_window_row(const struct j2k_window *window, uint32_t y)
{
    return window->data + (size_t)((y - window->base) % window->rows) * window->pitch * window->size;
}

#endif
