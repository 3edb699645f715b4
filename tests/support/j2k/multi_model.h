/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a model of multiple component transforms (T.801): their description, its marker segments, and what they do
 * to the samples at one place, computed in double precision from the definitions of Annex J and nothing of the
 * library's.
 */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_MULTI_MODEL_H
#define KOSTKA_TESTS_SUPPORT_J2K_MULTI_MODEL_H

#include <kostka/kostka_volume.h>

#include "support/j2k/codestream.h"

enum { MODEL_COMPONENTS = 80, MODEL_VALUES = 256, MODEL_ARRAYS = 40, MODEL_COLLECTIONS = 12, MODEL_STAGES = 6 };
enum { MODEL_DEPENDENCY = 0, MODEL_DECORRELATION = 1, MODEL_WAVELET = 3, MODEL_OFFSETS = 2 /* kind of an array */ };
enum { MODEL_INT16, MODEL_INT32, MODEL_FLOAT32, MODEL_FLOAT64 };

struct model_array {
    uint8_t kind, index, type;
    uint32_t count;
    uint32_t parts; /* marker segments of the series; 0 counts as 1 */
    double value[MODEL_VALUES];
};

struct model_collection {
    uint8_t kind, levels;
    bool reversible;
    uint32_t origin;
    uint32_t taken, made;
    uint32_t in[MODEL_COMPONENTS], out[MODEL_COMPONENTS];
    uint8_t array, offsets; /* indices; 0: none */
};

struct model_stage {
    uint8_t index;
    uint32_t parts; /* marker segments of the series; 0 counts as 1 */
    uint32_t count;
    struct model_collection collection[MODEL_COLLECTIONS];
};

struct model {
    uint32_t arrays, stages;
    struct model_array array[MODEL_ARRAYS];
    struct model_stage stage[MODEL_STAGES]; /* in the order of the inverse */
};

/* Add an array to the model, whose index is its number. The caller sets its values. */
struct model_array *model_add_array(struct model *model, uint8_t kind, uint8_t type, uint32_t count);

/*
 * Add a stage that makes `made` components of `before` ones, whose kinds of numbers `real` holds and receives: random
 * collections take any of these, perhaps several times, and make theirs in any order.
 */
void model_add_stage(struct model *model, uint32_t before, uint32_t made, bool *real, uint32_t *random);

/* Write the marker segments of one array, of one stage, of MCO for stages with these indices, and of CBD. */
void model_put_array(struct made *made, const struct model_array *array);
void model_put_stage(struct made *made, const struct model_stage *stage);
void model_put_order(struct made *made, const uint8_t *stage, uint32_t count);
void model_put_depths(struct made *made, uint32_t count, uint8_t depth, bool is_signed);

/* Write CBD with its byte for each component, and all of a model but CBD. */
void model_put_each_depth(struct made *made, uint32_t count, const uint8_t *entry);
void model_put_stages(struct made *made, const struct model *model);

/* Write all of a model; samples that it makes have signs, and this depth. */
void model_put(struct made *made, const struct model *model, uint32_t count, uint8_t depth);

/*
 * Carry out the model's transform for the samples at one place: `value` has those of the coded components, and receives
 * those that the last stage makes. Returns the largest magnitude on the way. An integer is a value whose `real` is
 * false.
 */
double model_run(const struct model *model, double *value, bool *real);

/*
 * Copy a codestream with these marker segments of T.801 in its main header instead of its own, and with `transforms` in
 * COD. All tile-parts of tile `tile`, at most 16, also get the segments `own` in their headers; null: none does.
 */
kst_buffer model_wrap(
    const kst_buffer *coded, const struct made *main, uint8_t transforms, uint32_t tile, const struct made *own);

#endif
