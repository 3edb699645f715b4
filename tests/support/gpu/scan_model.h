/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares batches of pictures with entropy-coded data that no encoder would make, and what each chunk of them decodes
 * to by T.81, computed in plain C bit by bit.
 */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_SCAN_MODEL_H
#define KOSTKA_TESTS_SUPPORT_GPU_SCAN_MODEL_H

#include "jpeg/gpu/part.h"
#include "jpeg/syntax/parse.h"

enum { MODEL_PICTURES = 4 };

struct model_chunk {
    uint32_t bits;  /* bits without stuffing */
    uint32_t start; /* the same, of its segment before the chunk */
    uint32_t segment;
    bool first, last;
    uint8_t bytes[CHUNK_WORDS * 4]; /* in the form that the kernels need */
    uint32_t state, before;         /* state at its start; blocks of its segment that ended before */
    uint32_t block, blocks;         /* first block of the segment that starts in it; number of these in the picture */
    uint16_t dc[WORK_COMPONENTS];   /* for each component the sum of their DC differences */
};

struct model_block {
    int16_t coefficient[64]; /* column by column; the first is a DC difference */
    uint16_t dc;             /* the sum of its component's DC differences in its chunk, up to and with its own */
    bool coded;
};

struct model_picture {
    struct jpeg_stream stream;
    struct model_chunk *chunk;
    struct model_block *block;
    uint32_t shorter; /* see struct jpeg_gpu_item */
    uint32_t chunks, blocks;
    uint32_t blocks_in_mcu;
    const struct jpeg_huffman *dc[WORK_MCU_BLOCKS], *ac[WORK_MCU_BLOCKS]; /* the tables of each block of an MCU */
    uint32_t component[WORK_MCU_BLOCKS];
    uint32_t damage[WORK_DAMAGE];
    uint8_t *file;
    size_t length;
    uint32_t complete, complete_segment; /* the bits of the blocks of a complete segment, and its index; or 0 */
};

struct model {
    struct model_picture picture[MODEL_PICTURES];
    struct jpeg_gpu_item item[MODEL_PICTURES];
    uint32_t count;
    struct jpeg_gpu_size size;
    uint32_t *work;  /* the lists of the part, size.words */
    uint8_t *stream; /* size.stream × 16 bytes */
};

/* Make a batch. Each picture has at most `most` bytes of data. */
void model_make(struct model *model, uint32_t count, uint32_t most);
/* Make the lists of the part again, after the items have changed. */
void model_make_work(struct model *model);
void model_release(struct model *model);

/*
 * Return the state at the end of a chunk that is entered in a state; *blocks receives the number of blocks that end in
 * it.
 */
uint32_t model_pass(
    const struct model_picture *picture, const struct model_chunk *chunk, uint32_t state, uint32_t *blocks);

/* Return the place of a picture's first chunk in the lists of the part. */
size_t model_first_chunk(const struct model *model, uint32_t picture);

#endif
