/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares tables in which kernels look up codes. They are kept from part to part because most pictures have the same
 * Huffman tables.
 */
#ifndef KOSTKA_JPEG_GPU_TABLES_H
#define KOSTKA_JPEG_GPU_TABLES_H

#include <pthread.h>

#include "core/memory.h"
#include "jpeg/kernels/work.h"
#include "jpeg/plan/huffman.h"
#include "jpeg/plan/plan.h"

/* Says which Huffman tables a scan uses, each once, and its pairs of a DC and an AC table. */
struct jpeg_gpu_table_use {
    uint32_t tables, kinds;
    uint32_t table_class[WORK_TABLES];
    uint32_t dc[JPEG_COMPONENTS], ac[JPEG_COMPONENTS];
    const struct jpeg_huffman *table[WORK_TABLES]; /* borrowed from the plan; those of a set that is kept are its own */
};

/* Describes a set of tables as it lies in the work. */
struct jpeg_gpu_table_set {
    struct jpeg_gpu_table_use use;
    struct jpeg_huffman table[WORK_TABLES];
    struct jpeg_work_picture like; /* the picture for which they were made */
    uint32_t *words;               /* a copy of the work from its short tables on */
    uint32_t count, capacity;      /* number of words in use and allocated; 0: nothing is kept */
};

/* The number of sets kept: as many as a picture may have scans. */
enum { KEPT_SETS = JPEG_COMPONENTS };

struct jpeg_gpu_tables {
    pthread_mutex_t lock; /* guards the members below */
    struct jpeg_gpu_table_set set[KEPT_SETS];
    uint32_t next; /* counts up; modulo KEPT_SETS the index of the set to replace */
};

void kst_jpeg_gpu_tables_begin(struct jpeg_gpu_tables *tables);
/* Release the tables; `memory` is the one that was passed to kst_jpeg_gpu_work(). */
void kst_jpeg_gpu_tables_end(struct jpeg_gpu_tables *tables, struct memory *memory);

#endif
