/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines what the steps of decoding a tile share. A tile's components are decoded from top to bottom in steps of some
 * rows: first the code-blocks that the rows need, then each resolution as far as the next one needs it, and last the
 * rows themselves, into the caller's memory. So only some rows of each band and resolution exist at a time.
 */
#ifndef KOSTKA_J2K_CPU_TILE_H
#define KOSTKA_J2K_CPU_TILE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/countdown.h"
#include "j2k/cpu/blocks/block_coder.h"
#include "j2k/cpu/decode.h"
#include "j2k/cpu/dwt/dwt.h"
#include "j2k/cpu/lanes.h"
#include "j2k/cpu/rows.h"

enum { J2K_SET = 3 };

/* Holds the buffers of one thread. */
struct j2k_worker {
    struct j2k_worker *next; /* the next idle worker */
    uint8_t *joined;         /* buffer for segments that come in pieces */
    size_t joined_length;
    void *room; /* buffer for rows */
    size_t room_length;
    struct j2k_codeword codeword[J2K_PASSES_MAX];
    struct j2k_block_scratch scratch; /* with what a block coder needs behind it */
};

/* Describes one decoding; all threads work on it. */
struct j2k_decoding {
    struct memory *memory;
    struct pool *pool;
    const struct j2k_plan *plan;
    const struct j2k_target *target;
    struct j2k_inverse steps;
    struct j2k_rows *rows; /* takes the rows that are handed out; null: targets are in memory */
    enum cpu_tier tier;
    size_t scratch_length;     /* bytes of scratch memory of a worker */
    struct progress *progress; /* a step per code-block; may be null */
    atomic_uint next_tile;     /* the next tile that no thread has begun */
    pthread_mutex_t lock;
    struct j2k_worker *idle;            /* guarded by `lock` */
    atomic_int status;                  /* the first failure; after it nothing new is begun */
    atomic_uint_fast64_t damaged;       /* number of damaged code-blocks */
    atomic_uint_fast64_t damage_offset; /* least offset in the stream of a damaged code-block */
};

/*
 * Holds the resident rows of a band or a resolution: those that are in memory at a time, as 16-bit or 32-bit integers
 * or in single precision. Row y is at (y − y0) % rows, so that the rows of a block may be in two parts. Each lane has
 * rows of its own with the columns on which it depends. If the lanes were parts of the same rows, processors would
 * prefetch what lies behind a part, and so take it from each other.
 */
struct j2k_resident {
    uint8_t *data;
    size_t pitch;    /* in samples */
    size_t size;     /* bytes per sample */
    size_t lane;     /* bytes from the rows of a lane to those of the next one */
    uint32_t x0, y0; /* the first column, and the first row that ever exists */
    uint32_t rows;
    bool covered; /* blocks cover the whole band, so that no coefficient must be set to 0 first */
};

/* Describes a tile-component that is being decoded. */
struct j2k_decoded_component {
    const struct j2k_tile_component *tc;
    const struct j2k_resolution *resolution;
    struct j2k_resident band[3 * J2K_LEVELS + 1]; /* LL, then three for each resolution */
    struct j2k_resident made[J2K_RESOLUTIONS];    /* the resolutions between the first and the last, for each lane */
};

struct j2k_step {
    uint32_t row_end;                   /* the last row of the last resolution in this step, plus 1 */
    atomic_uint clears, blocks, strips; /* number of tasks of each kind that are not done yet */
    atomic_uint levels[J2K_LANES_MAX];  /* the same for the levels of each lane */
};

/* Holds components that are decoded together: three that go through a component transform, or a single one. */
struct j2k_decode_set {
    struct j2k_decoding *decoding;
    const struct j2k_tile *tile;
    uint32_t first, count;
    bool narrow; /* coefficients and samples take 16 bits (j2k/cpu/blocks/narrow.h) */
    struct j2k_decoded_component component[J2K_SET];
    uint8_t *resident; /* the memory of all resident rows */
    uint32_t lag;      /* number of steps by which rows lag behind blocks, so that threads always find blocks */
    struct j2k_lanes lanes;
    uint32_t step_count;
    struct j2k_step *step;
    uint32_t band_rows;           /* see kst_j2k_cpu_band_rows() */
    uint32_t *order;              /* blocks of the plan, ordered by step and then by lane */
    uint32_t *order_end;          /* for each lane of each step: its last block in `order`, plus 1 */
    struct countdowns countdowns; /* for the parts of steps */
};

/* Allocate memory, zeroed or not. If there is none, the decoding fails and the result is null. */
void *kst_j2k_cpu_take(struct j2k_decoding *decoding, size_t count, size_t size, bool zeroed);
bool kst_j2k_cpu_goes_on(struct j2k_decoding *decoding);

/* Take an idle worker, whose buffer for rows has at least `room` bytes. Returns null if memory is missing. */
struct j2k_worker *kst_j2k_cpu_worker_take(struct j2k_decoding *decoding, size_t room);
void kst_j2k_cpu_worker_put(struct j2k_decoding *decoding, struct j2k_worker *worker);

/*
 * Begin a decoding of a plan, or of some of its blocks; the caller sets the other members. Ending it releases the
 * workers.
 */
void kst_j2k_cpu_decoding_begin(
    struct j2k_decoding *decoding, struct memory *memory, const struct j2k_plan *plan, enum cpu_tier tier);
void kst_j2k_cpu_decoding_end(struct j2k_decoding *decoding);

/* tile_steps.c: plan the steps, the resident rows and the order of blocks. Returns false if memory is missing. */
bool kst_j2k_cpu_decode_set_begin(struct j2k_decode_set *set);
void kst_j2k_cpu_decode_set_end(struct j2k_decode_set *set);
/*
 * Return the most bytes that such a set takes at a time, not counting the threads' buffers; 0 if memory is missing.
 * kst_j2k_cpu_decode_set_end() must be called afterwards as well.
 */
uint64_t kst_j2k_cpu_decode_set_measure(struct j2k_decode_set *set);
/* Set to 0 the coefficients of a lane that a step's blocks may fill, unless they fill all. */
void kst_j2k_cpu_clear(const struct j2k_decode_set *set, uint32_t step, uint32_t lane);
uint32_t kst_j2k_cpu_first_row(const struct j2k_decode_set *set, uint32_t step);
/* Find the end of the rows of each resolution that exist before a step. */
void kst_j2k_cpu_rows_before(const struct j2k_decode_set *set, const struct j2k_decoded_component *component,
    uint32_t step, uint32_t rows[J2K_RESOLUTIONS]);
/* Find the end of the rows of each resolution that are needed to make the last one up to `row`. */
void kst_j2k_cpu_rows_needed(
    const struct j2k_decoded_component *component, uint32_t row, uint32_t needed[J2K_RESOLUTIONS]);

/* tile_run.c: the size of the buffer that a thread needs for rows, and running all steps on the pool's threads. */
size_t kst_j2k_cpu_worker_room(const struct j2k_decode_set *set);
void kst_j2k_cpu_decode_set_run(struct j2k_decode_set *set);

/* Says where a block's coefficients of the columns x0 ≤ x < x1 of its band go, which are inside the band's window. */
struct j2k_destination {
    uint32_t x0, x1;
    void *samples; /* the first of these coefficients */
    size_t pitch;  /* in samples */
    bool narrow;   /* coefficients have 16 bits */
    uint32_t rows; /* number of rows that go to `samples`, at least one */
    void *further; /* where the rows behind these go; may be null if there are none */
};

/*
 * tile_blocks.c: decode a code-block to coefficients in `count` places; below, the one at an index of the set's order.
 */
void kst_j2k_cpu_decode_block(struct j2k_decoding *decoding, struct j2k_worker *worker, const struct j2k_block *block,
    const struct j2k_destination *to, uint32_t count);
void kst_j2k_cpu_decode_one(const struct j2k_decode_set *set, struct j2k_worker *worker, uint32_t index);

/* Describes the columns x0 ≤ x < x1 of a band or a resolution on which a lane depends. */
struct j2k_lane_columns {
    uint32_t x0, x1;
};

/*
 * tile_levels.c: make all resolutions except the last of a lane from coefficients; describe how a lane of a resolution
 * is made, and which columns it has of the resolutions between the first and the last, and of the bands.
 */
void kst_j2k_cpu_make_levels(
    const struct j2k_decode_set *set, struct j2k_worker *worker, uint32_t component, uint32_t step, uint32_t lane);
struct j2k_level kst_j2k_cpu_describe_level(const struct j2k_decode_set *set,
    const struct j2k_decoded_component *component, uint32_t resolution, uint32_t lane);
struct j2k_lane_columns kst_j2k_cpu_lane_of_made(const struct j2k_decode_set *set,
    const struct j2k_decoded_component *component, uint32_t resolution, uint32_t lane);
struct j2k_lane_columns kst_j2k_cpu_lane_of_band(const struct j2k_decode_set *set,
    const struct j2k_decoded_component *component, uint32_t resolution, uint32_t band, uint32_t lane);

/*
 * tile_output.c: make the rows of the last resolution, in strips, and write them to the targets. Each lane has the same
 * number of strips of a step, which lie below one another. Where rows are handed out, each strip must be passed
 * afterwards, even if it was not made because something has failed; there is only one lane then.
 */
uint32_t kst_j2k_cpu_strips(const struct j2k_decode_set *set, uint32_t step);
/*
 * Return the rows of a band that are handed out together: those of the longest strip, or fewer; 0: rows are not handed
 * out.
 */
uint32_t kst_j2k_cpu_band_rows(const struct j2k_decode_set *set);
size_t kst_j2k_cpu_strip_room(const struct j2k_decode_set *set);
void kst_j2k_cpu_put_out(
    const struct j2k_decode_set *set, struct j2k_worker *worker, uint32_t step, uint32_t lane, uint32_t strip);
void kst_j2k_cpu_pass_strip(const struct j2k_decode_set *set, uint32_t step, uint32_t strip);

static inline size_t j2k_width(struct j2k_rect rect)
{
    return rect.x0 < rect.x1 ? rect.x1 - rect.x0 : 0;
}

static inline size_t j2k_height(struct j2k_rect rect)
{
    return rect.y0 < rect.y1 ? rect.y1 - rect.y0 : 0;
}

/* Return the number of rows from row `y` on that are consecutive in memory. */
static inline uint32_t j2k_resident_left(const struct j2k_resident *resident, uint32_t y)
{
    return resident->rows - (y - resident->y0) % resident->rows;
}

/* Return where a lane's part of a resident row is. */
static inline void *j2k_resident_row(const struct j2k_resident *resident, uint32_t lane, uint32_t y)
{
    return resident->data + lane * resident->lane +
           (size_t)((y - resident->y0) % resident->rows) * resident->pitch * resident->size;
}

#endif
