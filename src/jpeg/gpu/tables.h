/* SPDX-License-Identifier: BSD-2-Clause */
/* What kernels look codes up in, kept from batch to batch: most have the same Huffman tables. */
#ifndef KOSTKA_JPEG_GPU_TABLES_H
#define KOSTKA_JPEG_GPU_TABLES_H

#include <pthread.h>

#include "core/memory.h"
#include "jpeg/kernels/work.h"
#include "jpeg/plan/huffman.h"
#include "jpeg/plan/plan.h"

/* The Huffman tables of a scan, each once, and its pairs of a DC and an AC table. Compared byte by byte. */
struct jpeg_gpu_table_key {
    uint32_t tables, kinds;
    uint32_t table_class[WORK_TABLES];
    uint32_t dc[JPEG_COMPONENTS], ac[JPEG_COMPONENTS];
    struct jpeg_huffman table[WORK_TABLES];
};

/* Tables as they lie in the work. */
struct jpeg_gpu_table_set {
    struct jpeg_gpu_table_key key;
    struct work_picture like; /* the picture that they were made for */
    uint32_t *words;          /* from its short tables on */
    uint32_t count, capacity; /* 0: nothing is kept */
};

/* As many as the scans of a picture may have. */
enum { KEPT_SETS = JPEG_COMPONENTS };

struct jpeg_gpu_tables {
    pthread_mutex_t lock; /* of what follows */
    struct jpeg_gpu_table_set set[KEPT_SETS];
    uint32_t next; /* modulo their number: which one is replaced */
};

void kst_gpu_tables_begin(struct jpeg_gpu_tables *tables);
/* `memory`: what kst_gpu_jpeg_work() was given. */
void kst_gpu_tables_end(struct jpeg_gpu_tables *tables, struct memory *memory);

#endif
