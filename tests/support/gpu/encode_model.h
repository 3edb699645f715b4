/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares batches of all kinds of pictures to encode, and the results that T.81 demands, computed in plain C bit by
 * bit.
 */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_ENCODE_MODEL_H
#define KOSTKA_TESTS_SUPPORT_GPU_ENCODE_MODEL_H

#include "jpeg/gpu/encode_file.h"
#include "jpeg/gpu/encode_part.h"
#include "jpeg/run/encode.h"

enum { ENCODE_MODEL_PICTURES = 4 };

/* Holds a block as it is coded: coefficients in zig-zag order, the first as a difference (F.1.2.1, F.1.2.2). */
struct model_coded {
    int16_t coefficient[64];
    uint32_t component;
};

struct model_encoding {
    struct encoding e;
    kst_buffer output;
    uint8_t *memory; /* holds the pixels */
    struct jpeg_gpu_encode_tables tables;
    struct model_coded *block; /* MCU after MCU */
};

struct encode_model {
    struct model_encoding picture[ENCODE_MODEL_PICTURES];
    struct jpeg_gpu_encode_item item[ENCODE_MODEL_PICTURES];
    uint32_t count;
    struct jpeg_gpu_encode_size size;
    uint32_t *work; /* the lists of the part, size.words */
    struct jpeg_encode_work *head;
};

/* Make a batch. Pictures have at most `side` pixels each way. */
void encode_model_make(struct encode_model *model, uint32_t count, uint32_t side);
void encode_model_release(struct encode_model *model);

/* Describes a tile: `mcus` MCUs of its picture from `mcu` on, in one restart interval. */
struct model_tile {
    uint32_t number, interval, mcu, mcus;
    bool ends;         /* whether it is the last one of its interval */
    bool last;         /* whether it is the last one of its picture */
    size_t list;       /* its place in the lists */
    size_t word, room; /* the index of its first word in the buffer of bits, and its words there */
};
struct model_tile encode_model_tile(const struct encode_model *model, uint32_t picture, uint32_t number);
const struct jpeg_encode_picture *encode_model_picture(const struct encode_model *model, uint32_t picture);

/* Holds bits; the first is the highest one of a word. */
struct model_bits {
    uint32_t *word;
    uint32_t length;
};
void encode_model_put(struct model_bits *bits, uint32_t value, uint32_t count);

/* Receives a symbol of a block (F.1.2): class, value, and the bits behind the code. */
typedef void (*encode_model_symbol)(void *arg, enum jpeg_table_class table_class, uint32_t symbol, uint32_t extra);
void encode_model_symbols(const struct model_coded *block, encode_model_symbol symbol, void *arg);

#endif
