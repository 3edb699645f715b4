/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the tests of single kernels of entropy decoding share: the kernels' lists, filled from a model. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_SCAN_LISTS_H
#define KOSTKA_TESTS_SUPPORT_GPU_SCAN_LISTS_H

#include "support/gpu/scan_model.h"
#include "support/gpu/stage.h"

/* Holds lists with a word for each chunk, or for each group, of a part. */
struct lists {
    uint32_t *word;
    size_t stride, length; /* words from list to list; bytes in all */
};

struct lists make_lists(size_t stride, uint32_t count);
struct lists copy_lists(const struct lists *from);
uint32_t *list_at(const struct lists *lists, uint32_t list, size_t index);
size_t count_groups(const struct model *model);
struct lists chunk_lists(const struct model *model);
struct lists group_lists(const struct model *model);
/* Return 1 if chunks are decoded in halves, otherwise 0. */
uint32_t halves(const struct model *model);
/* Return the work's `spread`: one of 1 << spread work-items decodes coefficients. */
uint32_t spread(const struct model *model);

size_t bytes_length(const struct model *model);
/* Write the chunks as the kernels read them: the first byte of a word is the highest. */
void fill_bytes(const struct model *model, uint32_t *bytes);

void fill_chunks(const struct model *model, const struct lists *chunks);
/* Return the state in the middle of a chunk that is entered in a state. */
uint32_t half_of(const struct model_picture *picture, uint32_t chunk, uint32_t state);

/* Run a test on each device, with models of many sizes, with whole chunks and with halves. */
void each_model(void (*test)(struct gpu_runtime *runtime, const struct model *model));

#endif
