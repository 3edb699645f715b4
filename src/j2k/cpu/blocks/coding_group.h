/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the steps of encoding a tile's components share. They are encoded from the top to the bottom in steps of some
 * rows: first the rows go through all levels of the transform as far as they reach, then the code-blocks are coded that
 * are complete. So only some rows of each band and resolution are ever there.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_CODING_GROUP_H
#define KOSTKA_J2K_CPU_BLOCKS_CODING_GROUP_H

#include "core/countdown.h"
#include "j2k/cpu/dwt/analysis.h"
#include "j2k/cpu/encode_tile.h"

/* One thread's room. */
struct j2k_encode_worker {
    struct j2k_encode_worker *next;  /* that is idle, too */
    struct j2k_encoded_chunk *chunk; /* that it is filling */
    struct j2k_block_encoder encoder;
};

/* Those rows of a band or a resolution that are there: int16_t or int32_t where the transform is reversible, else
 * float. */
struct j2k_encode_window {
    uint8_t *data;
    size_t pitch;    /* samples */
    size_t size;     /* of a sample: bytes */
    uint32_t y0, y1; /* of all rows that there ever are */
    uint32_t rows;
};

/* A tile-component that is encoded. */
struct j2k_encode_component {
    const struct j2k_tile_component *tc;
    const struct j2k_resolution *resolution;
    struct j2k_encode_window band[3 * J2K_LEVELS + 1]; /* LL, then three for each resolution */
    struct j2k_encode_window low[J2K_RESOLUTIONS];     /* resolutions between the first and the last */
    uint8_t *room[J2K_RESOLUTIONS];                    /* in which each is split; one for each strip of the last */
};

struct j2k_encode_step {
    uint32_t row_end;                   /* its last row, plus 1 */
    uint32_t order_end;                 /* its last block in the order of all, plus 1 */
    atomic_uint strips, levels, blocks; /* that are not done yet */
};

/* Components that are encoded together: three that go through a component transform, or one. */
struct j2k_coding_group {
    struct j2k_encode_tile *tile;
    enum j2k_choice choice; /* of blocks */
    uint32_t first, count;
    bool narrow; /* samples and coefficients take 16 bits (narrow.h) */
    struct j2k_encode_component component[J2K_ANALYSED_TOGETHER];
    uint32_t lag;    /* steps by which blocks are coded behind the rows, so that threads have blocks meanwhile */
    uint32_t strips; /* in which the rows of a step are split for the first time */
    uint32_t step_count;
    struct j2k_encode_step *step;
    uint32_t *order; /* blocks, step by step */
    uint8_t *row;    /* for each strip, where rows are brought */
    size_t row_length;
    struct countdowns countdowns; /* of the parts of steps */
};

/* How far each resolution is split: rows before 2 × made[r] of it. Of the first one, whose rows are coefficients, how
 * many there are. */
struct j2k_encode_rows {
    uint32_t made[J2K_RESOLUTIONS];
};

/* j2k/cpu/encode_run.c: about how many bytes it takes to code blocks of `count` components; and the chosen blocks of
 * `count` components from `first` on, on the pool's threads. */
uint64_t kst_j2k_coding_group_need(struct j2k_encode_tile *tile, uint32_t first, uint32_t count);
void kst_j2k_coding_group_run(struct j2k_encode_tile *tile, uint32_t first, uint32_t count, enum j2k_choice choice);

/* j2k/cpu/encode_steps.c: steps, windows and the order of blocks. False where memory is missing. */
bool kst_j2k_coding_group_begin(struct j2k_coding_group *group);
void kst_j2k_coding_group_end(struct j2k_coding_group *group);
/* About how many bytes such a group takes; to be ended, too. */
uint64_t kst_j2k_coding_group_measure(struct j2k_coding_group *group);
struct j2k_encode_rows kst_j2k_encode_rows_before(
    const struct j2k_coding_group *group, const struct j2k_encode_component *component, uint32_t step);

/* j2k/cpu/encode_levels.c: the last resolution of all components, in strips; then the others of each. */
void kst_j2k_encode_strip(const struct j2k_coding_group *group, uint32_t step, uint32_t strip);
void kst_j2k_encode_levels(const struct j2k_coding_group *group, uint32_t step, uint32_t component);
/* How resolution r > 0 is split, of the component and, of the last one, those behind it, whose source is still to be
 * set. */
struct j2k_analysis kst_j2k_encode_analysis(const struct j2k_coding_group *group, uint32_t component, uint32_t r);

/* j2k/cpu/encode_blocks.c: a code-block of the plan at hand. */
void kst_j2k_encode_one(const struct j2k_coding_group *group, struct j2k_encode_worker *worker, uint32_t index);
struct j2k_encode_worker *kst_j2k_encode_worker_take(struct j2k_encode_job *job); /* null where memory is missing */
void kst_j2k_encode_worker_put(struct j2k_encode_job *job, struct j2k_encode_worker *worker);
void kst_j2k_encode_drop_workers(struct j2k_encode_job *job);

/* Where a row of a window lies. */
static inline void *j2k_encode_window_row(const struct j2k_encode_window *window, uint32_t y)
{
    return window->data + (size_t)((y - window->y0) % window->rows) * window->pitch * window->size;
}

static inline uint32_t j2k_encode_top(const struct j2k_encode_component *component)
{
    return component->tc->resolution_count - 1U;
}

#endif
