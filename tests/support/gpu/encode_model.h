/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches of pictures to encode, of all kinds, and what T.81 makes of them in plain C, a bit after the other. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_ENCODE_MODEL_H
#define KOSTKA_TESTS_SUPPORT_GPU_ENCODE_MODEL_H

#include "jpeg/gpu/encode_file.h"
#include "jpeg/gpu/encode_part.h"
#include "jpeg/run/encode.h"

enum { ENCODE_MODEL_PICTURES = 4 };

/* A block as it is coded: coefficients in zig-zag order, the first as a difference (F.1.2.1, F.1.2.2). */
struct model_coded {
    int16_t coefficient[64];
    uint32_t component;
};

struct model_encoding {
    struct encoding e;
    kst_buffer output;
    uint8_t *memory; /* of the pixels */
    struct jpeg_gpu_encode_tables tables;
    struct model_coded *block; /* MCU after MCU */
};

struct encode_model {
    struct model_encoding picture[ENCODE_MODEL_PICTURES];
    struct jpeg_gpu_encode_item item[ENCODE_MODEL_PICTURES];
    uint32_t count;
    struct jpeg_gpu_encode_size size;
    uint32_t *work; /* of the part, size.words */
    struct jpeg_encode_work *head;
};

/* `side`: pixels each way at most. */
void encode_model_make(struct encode_model *model, uint32_t count, uint32_t side);
void encode_model_release(struct encode_model *model);

/* A tile: its picture's MCUs from `mcu` on, `mcus` of them, in a restart interval. */
struct model_tile {
    uint32_t number, interval, mcu, mcus;
    bool ends;         /* the interval */
    bool last;         /* of its picture */
    size_t list;       /* its place in the lists */
    size_t word, room; /* its first word in the buffer of bits, and how many there are for it */
};
struct model_tile encode_model_tile(const struct encode_model *model, uint32_t picture, uint32_t number);
const struct jpeg_encode_picture *encode_model_picture(const struct encode_model *model, uint32_t picture);

/* Bits, the first in the highest of a word. */
struct model_bits {
    uint32_t *word;
    uint32_t length;
};
void encode_model_put(struct model_bits *bits, uint32_t value, uint32_t count);

/* The symbols of a block (F.1.2): class, value, and the bits behind the code. */
typedef void (*encode_model_symbol)(void *arg, enum jpeg_table_class table_class, uint32_t symbol, uint32_t extra);
void encode_model_symbols(const struct model_coded *block, encode_model_symbol symbol, void *arg);

#endif
