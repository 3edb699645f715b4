/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches of pictures with entropy-coded data that no encoder would make, and what T.81 says that each chunk of them
 * holds, in plain C, a bit after the other.
 */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_SCAN_MODEL_H
#define KOSTKA_TESTS_SUPPORT_GPU_SCAN_MODEL_H

#include "jpeg/gpu/part.h"
#include "jpeg/syntax/parse.h"

enum { MODEL_PICTURES = 4 };

struct model_chunk {
    uint32_t bits;  /* without stuffing */
    uint32_t start; /* likewise, of its segment before it */
    uint32_t segment;
    bool first, last;
    uint8_t bytes[CHUNK_WORDS * 4]; /* in the form that the kernels need */
    uint32_t state, before; /* where decoding stands at its start, and the segment's blocks that ended till then */
    uint32_t block, blocks; /* of the segment, that start in it, as far as they belong to the picture */
    uint16_t dc[WORK_COMPONENTS]; /* sums of the differences of those */
};

struct model_block {
    int16_t coefficient[64]; /* by columns, the difference of DC first */
    uint16_t dc;             /* sum of the differences of its component in its chunk, its own included */
    bool coded;
};

struct model_picture {
    struct jpeg_stream stream;
    struct model_chunk *chunk;
    struct model_block *block;
    uint32_t shorter; /* see struct jpeg_gpu_item */
    uint32_t chunks, blocks;
    uint32_t blocks_in_mcu;
    const struct jpeg_huffman *dc[WORK_MCU_BLOCKS], *ac[WORK_MCU_BLOCKS]; /* of the blocks of an MCU */
    uint32_t component[WORK_MCU_BLOCKS];
    uint32_t damage[WORK_DAMAGE];
    uint8_t *file;
    size_t length;
    uint32_t complete, complete_segment; /* bits that the blocks of a segment take that has all of them; or 0 */
};

struct model {
    struct model_picture picture[MODEL_PICTURES];
    struct jpeg_gpu_item item[MODEL_PICTURES];
    uint32_t count;
    struct jpeg_gpu_size size;
    uint32_t *work;  /* of the part, size.words */
    uint8_t *stream; /* size.stream × 16 bytes */
};

/* `most`: bytes of data in a picture. */
void model_make(struct model *model, uint32_t count, uint32_t most);
/* Make the work again, for items that have changed. */
void model_make_work(struct model *model);
void model_release(struct model *model);

/* Return where a chunk leads from a state; *blocks receives the blocks that end in it. */
uint32_t model_pass(
    const struct model_picture *picture, const struct model_chunk *chunk, uint32_t state, uint32_t *blocks);

/* Return the place of a picture's first chunk in the lists of the part. */
size_t model_first_chunk(const struct model *model, uint32_t picture);

#endif
