/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes a multiple component transform (T.801), which computes the components of a picture, or the slices of a
 * volume, from the components that the codestream codes. A transform is a list of stages in the order of decoding. Each
 * stage is a list of collections, and each collection turns some components into others. A description is immutable
 * once it is built, and all its indices are valid.
 */
#ifndef KOSTKA_J2K_PLAN_MULTI_H
#define KOSTKA_J2K_PLAN_MULTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum j2k_multi_kind {
    J2K_MULTI_DEPENDENCY = 0, /* each output takes earlier outputs of its collection into account */
    J2K_MULTI_DECORRELATION = 1,
    J2K_MULTI_WAVELET = 3
};

/* Holds an array of MCT: coefficients of a transform, or offsets. */
struct j2k_multi_array {
    uint8_t kind;    /* 0: dependency, 1: decorrelation, 2: offsets */
    uint8_t index;   /* 1–255 */
    uint32_t count;  /* of values */
    double *value;   /* finite */
    uint64_t offset; /* of its segment's contents in the stream */
};

struct j2k_multi_collection {
    uint8_t kind;    /* enum j2k_multi_kind */
    bool reversible; /* on integers: of a wavelet 5/3, otherwise 9/7; of arrays with elements that are integers */
    uint8_t levels;  /* of a wavelet: 0–32 */
    uint32_t origin; /* of a wavelet: the position of the first output along z, whose parity counts */
    uint32_t count;  /* of inputs, at least 1 */
    uint32_t made;   /* number of outputs: that of inputs, except for irreversible decorrelation by an array */
    uint32_t input;  /* place of the first input in multi.index */
    uint32_t output; /* place of the first output in multi.index */
    int32_t array;   /* into multi.array; −1: none, outputs are the inputs */
    int32_t offsets; /* likewise: the array that is added to the outputs */
    uint64_t where;  /* offset of its description in the stream */
};

struct j2k_multi_stage {
    uint32_t first_collection, collection_count;
    uint32_t taken; /* the stage takes components below this number, any number of times */
    uint32_t made;  /* it makes each component below this number once */
};

/* Describes the samples of a component that the transform outputs (CBD). */
struct j2k_multi_sample {
    uint8_t depth; /* 1–38 */
    bool is_signed;
};

struct j2k_multi {
    bool allowed; /* Rsiz says that there may be such a transform */
    /* one for each component that the transform outputs; null: the transform changes none */
    struct j2k_multi_sample *sample;
    uint32_t sample_count;
    struct j2k_multi_array *array;
    uint32_t array_count;
    struct j2k_multi_collection *collection;
    uint32_t collection_count;
    struct j2k_multi_stage *stage;
    uint32_t stage_count; /* 0: components stay as they are */
    uint32_t *index;      /* lists of components, to which collections point */
    uint32_t index_count;
};

/*
 * Return how many components there are at most, before and behind any stage and as inputs of any collection, if there
 * are `coded` to begin with.
 */
uint32_t kst_j2k_multi_most(const struct j2k_multi *multi, uint32_t coded);

/* Return the least type of samples that holds those of two types. Its depth is up to 39. */
struct j2k_multi_sample kst_j2k_multi_common(struct j2k_multi_sample a, struct j2k_multi_sample b);

/* Return whether the outputs of a collection are in single precision if its inputs are (`real`), or are integers. */
bool kst_j2k_multi_makes_reals(const struct j2k_multi_collection *collection, bool real);

/*
 * Return the component that step `step` of a reversible decorrelation of `count` components changes, from 0 to `count`:
 * the last one, those before it down to the first one, and again the last one.
 */
static inline uint32_t j2k_multi_step_target(uint32_t step, uint32_t count)
{
    return step < count ? count - 1 - step : count - 1;
}

/*
 * Return the collection if the transform is one wavelet over all components in their order, as a volume's is; null
 * otherwise.
 */
const struct j2k_multi_collection *kst_j2k_multi_brick(const struct j2k_multi *multi);

/* Holds a range of slices, or of coefficients of one band, along z: start ≤ z < end. */
struct j2k_z_range {
    uint32_t start, end;
};

/* Return the coefficients of the low (0) or high (1) band that interleave to a range of positions. */
struct j2k_z_range kst_j2k_z_band(struct j2k_z_range range, uint32_t high);

/*
 * Return the number of the level whose high band holds coded component `index`, or of the last level if the lowest band
 * holds it. Sets *low to whether that is so.
 */
uint32_t kst_j2k_z_level_of(const struct j2k_multi_collection *wavelet, uint32_t index, bool *low);

/* Describes where the bands of a wavelet along z lie: the low band's positions and the high band's first component. */
enum { J2K_Z_LEVELS = 32 };
struct j2k_z_layout {
    struct j2k_z_range range[J2K_Z_LEVELS + 1]; /* the positions after n levels; for n = 0 those of the slices */
    uint32_t high[J2K_Z_LEVELS + 1];            /* the first component of the high band of level n ≥ 1 */
};
void kst_j2k_z_layout(const struct j2k_multi_collection *wavelet, struct j2k_z_layout *layout);

/*
 * Holds what the positions `wanted` of level `reduce` need of each level n: the positions `computed` are transformed as
 * if they were the whole level, and the results are right inside `valid`, just as with struct j2k_resolution. A filter
 * reaches `margin` positions far.
 */
struct j2k_z_need {
    struct j2k_z_range computed[J2K_Z_LEVELS + 1], valid[J2K_Z_LEVELS + 1];
    uint32_t reduce, levels;
};
void kst_j2k_z_need(const struct j2k_z_layout *layout, uint32_t levels, uint32_t reduce, struct j2k_z_range wanted,
    uint32_t margin, struct j2k_z_need *need);

/*
 * Return the component that holds a position of the low band of the last level (n = levels, high 0) or of the high band
 * of level n.
 */
uint32_t kst_j2k_z_component(const struct j2k_z_layout *layout, uint32_t n, uint32_t high, uint32_t position);

/* Set the norms of the synthesis functions along z of a wavelet's coded components. */
void kst_j2k_z_norms(const struct j2k_multi_collection *wavelet, double *norm);

#endif
