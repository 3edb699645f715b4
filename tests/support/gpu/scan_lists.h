/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the tests of single kernels of entropy decoding share: the kernels' lists, filled from a model. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_SCAN_LISTS_H
#define KOSTKA_TESTS_SUPPORT_GPU_SCAN_LISTS_H

#include "support/gpu/scan_model.h"
#include "support/gpu/stage.h"

/* Lists of one word a chunk, or a group, in a part. */
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
/* 1: chunks are decoded in halves. */
uint32_t halves(const struct model *model);
/* One of 1 << spread work-items decodes coefficients. */
uint32_t spread(const struct model *model);

size_t bytes_length(const struct model *model);
/* Chunks as the kernels have them, the first byte of a word the highest. */
void fill_bytes(const struct model *model, uint32_t *bytes);

void fill_chunks(const struct model *model, const struct lists *chunks);
/* Return the state half-way through a chunk that is entered in a state. */
uint32_t half_of(const struct model_picture *picture, uint32_t chunk, uint32_t state);

/* Runs a test on each device with models of many sizes, of whole chunks and of halves. */
void each_model(void (*test)(struct gpu_runtime *runtime, const struct model *model));

#endif
