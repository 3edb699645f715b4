/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines what the steps of encoding a tile's components share. The components are encoded from top to bottom in steps
 * of some rows: first the rows go through all levels of the transform as far as they reach, then the code-blocks that
 * are complete are coded. So only some rows of each band and resolution exist at a time.
 */
#ifndef KOSTKA_J2K_CPU_BLOCKS_ENCODE_SET_H
#define KOSTKA_J2K_CPU_BLOCKS_ENCODE_SET_H

#include "core/countdown.h"
#include "j2k/cpu/blocks/block_coder.h"
#include "j2k/cpu/dwt/analysis.h"
#include "j2k/cpu/encode.h"
#include "j2k/cpu/lanes.h"

/* Holds bytes that go to a request's keeper when there are enough of them. Without a keeper nothing is allocated. */
struct j2k_keeping {
    uint8_t *data;
    size_t length;
    uint64_t offset; /* the place of `data` among the keeper's bytes */
};

/* Holds the state and the buffers of one thread. */
struct j2k_encode_worker {
    struct j2k_encode_worker *next;  /* the next idle worker */
    struct j2k_encoded_chunk *chunk; /* the chunk that this worker is filling */
    struct j2k_keeping keeping;
    float fed[J2K_BLOCK_SAMPLES];      /* what is added to the coefficients of Y because of errors of Cb and Cr */
    uint32_t coded[J2K_BLOCK_SAMPLES]; /* samples of Cb or Cr as they were coded */
    struct j2k_block_scratch scratch;  /* with what a block coder needs behind it */
};

/*
 * Holds the resident rows of a band or a resolution: those that are in memory at a time, as int16_t or int32_t if the
 * transform is reversible, otherwise as float.
 */
struct j2k_encode_resident {
    uint8_t *data;
    size_t pitch;    /* in samples */
    size_t size;     /* bytes per sample */
    uint32_t lanes;  /* 1, or the number of the set's lanes if each has rows of its own */
    size_t lane;     /* bytes from the rows of a lane to those of the next one */
    uint32_t y0, y1; /* all rows that ever exist */
    uint32_t rows;
};

/* Describes a tile-component that is being encoded. */
struct j2k_encode_component {
    const struct j2k_tile_component *tc;
    const struct j2k_resolution *resolution;
    struct j2k_encode_resident band[3 * J2K_LEVELS + 1]; /* LL, then three for each resolution */
    struct j2k_encode_resident low[J2K_RESOLUTIONS];     /* the resolutions between the first and the last */
    /* Scratch memory for splitting each resolution; for the last one, a part per strip. */
    uint8_t *room[J2K_RESOLUTIONS];
};

struct j2k_encode_step {
    uint32_t row_end;                   /* the last row of this step, plus 1 */
    atomic_uint strips, levels, blocks; /* number of tasks of each kind that are not done yet */
};

/* Holds components that are encoded together: three that go through a component transform, or a single one. */
struct j2k_encode_set {
    struct j2k_encode_tile *tile;
    enum j2k_choice choice; /* the blocks to process */
    uint32_t first, count;
    bool narrow; /* samples and coefficients take 16 bits (narrow.h) */
    bool keeps;  /* all rows of bands stay, for encodings that follow */
    bool made;   /* the rows are from an earlier encoding, so that only blocks are left to be coded */
    struct j2k_encode_component component[J2K_ANALYSED_TOGETHER];
    uint8_t *resident; /* the memory of all resident rows, and of the rooms for splitting */
    uint32_t lag;      /* number of steps by which blocks lag behind rows, so that threads always find blocks */
    struct j2k_lanes lanes;
    uint32_t strips; /* number of strips of a lane in which the rows of a step are split for the first time */
    uint32_t step_count;
    struct j2k_encode_step *step;
    uint32_t *order;     /* blocks ordered by step and then by lane */
    uint32_t *order_end; /* for each lane of each step: its last block in `order`, plus 1 */
    float *largest;      /* for each of these blocks, if coefficients are kept and real: the largest magnitude */
    /* Holds the bounds of groups of these blocks, as struct j2k_ht_reals has them, where bits are counted. */
    uint16_t *bound;
    uint32_t bounds; /* number of bounds of a block */
    uint8_t *row;    /* a row buffer for each strip if rows are read from a callback */
    size_t row_length;
    struct countdowns countdowns; /* for the parts of steps */
};

/*
 * Says how far each resolution is split: the rows before 2 × made[r] are split. The rows of the first resolution are
 * coefficients; made[0] is their end.
 */
struct j2k_encode_rows {
    uint32_t made[J2K_RESOLUTIONS];
};

/*
 * encode_run.c: estimate the bytes that coding the blocks of `count` components takes; code the chosen blocks of
 * `count` components from `first` on, on the pool's threads.
 */
uint64_t kst_j2k_cpu_encode_set_need(struct j2k_encode_tile *tile, uint32_t first, uint32_t count);
void kst_j2k_cpu_encode_set_run(struct j2k_encode_tile *tile, uint32_t first, uint32_t count, enum j2k_choice choice);

/*
 * encode_kept.c: return where the coefficients of a tile's components from `first` on are kept between encodings; null:
 * they are not kept.
 */
struct j2k_encode_set **kst_j2k_cpu_kept_set(const struct j2k_encode_tile *tile, uint32_t first);

/* encode_steps.c: plan the steps, the resident rows and the order of blocks. Returns false if memory is missing. */
bool kst_j2k_cpu_encode_set_begin(struct j2k_encode_set *set);
void kst_j2k_cpu_encode_set_end(struct j2k_encode_set *set, struct memory *memory);
/* Return about how many bytes such a set takes. kst_j2k_cpu_encode_set_end() must be called afterwards as well. */
uint64_t kst_j2k_cpu_encode_set_measure(struct j2k_encode_set *set);
struct j2k_encode_rows kst_j2k_cpu_encode_rows_before(
    const struct j2k_encode_set *set, const struct j2k_encode_component *component, uint32_t step);

/*
 * encode_levels.c: split the last resolution of all components, in strips of each lane; then the other resolutions of
 * each component.
 */
void kst_j2k_cpu_encode_strip(const struct j2k_encode_set *set, uint32_t step, uint32_t lane, uint32_t strip);
void kst_j2k_cpu_encode_levels(const struct j2k_encode_set *set, uint32_t step, uint32_t component);
/*
 * Describe how resolution r > 0 of a component is split; for the last resolution this is a lane of it, includes the
 * components after it, and the caller must set the source.
 */
struct j2k_analysis kst_j2k_cpu_encode_analysis(
    const struct j2k_encode_set *set, uint32_t component, uint32_t r, uint32_t lane);
/* Return the number of bytes of scratch memory of a strip. */
size_t kst_j2k_cpu_encode_strip_room(const struct j2k_encode_set *set);

/* encode_blocks.c: code or measure the code-block at a place of set->order. */
void kst_j2k_cpu_encode_one(const struct j2k_encode_set *set, struct j2k_encode_worker *worker, uint32_t place);
size_t kst_j2k_cpu_encode_worker_need(void); /* bytes of a thread, including coded blocks that it gathers */
struct j2k_encode_worker *kst_j2k_cpu_encode_worker_take(struct j2k_encoding *encoding); /* null if memory is missing */
void kst_j2k_cpu_encode_worker_put(struct j2k_encoding *encoding, struct j2k_encode_worker *worker);
void kst_j2k_cpu_encode_drop_workers(struct j2k_encoding *encoding);

/*
 * encode_keep.c: hand a coded block, with the lengths of its passes behind it, to the keeper; false if memory is
 * missing. When the worker has no more blocks, hand over the rest; then the lengths can be fetched.
 */
bool kst_j2k_cpu_encode_keep_apart(struct j2k_encoding *encoding, struct j2k_encode_worker *worker, uint32_t index,
    const struct j2k_block_outcome *outcome);
void kst_j2k_cpu_encode_end_keeping(struct j2k_encoding *encoding, struct j2k_encode_worker *worker);

/* Return where a resident row is. */
static inline void *j2k_encode_resident_row(const struct j2k_encode_resident *resident, uint32_t y)
{
    return resident->data + (size_t)((y - resident->y0) % resident->rows) * resident->pitch * resident->size;
}

static inline uint32_t j2k_encode_top(const struct j2k_encode_component *component)
{
    return component->tc->resolution_count - 1U;
}

#endif
