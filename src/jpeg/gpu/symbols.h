/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes Huffman tables in the form in which the kernels look symbols up: see jpeg/kernels/huffman.h. */
#ifndef KOSTKA_JPEG_GPU_SYMBOLS_H
#define KOSTKA_JPEG_GPU_SYMBOLS_H

#include "jpeg/kernels/work.h"
#include "jpeg/plan/huffman.h"

/* Return the number of long tables that the codes need, at most 257. */
uint32_t kst_jpeg_gpu_long_tables(const struct jpeg_huffman *huffman);

/*
 * Fill a short table (WORK_SHORT_SIZE entries) and long tables (WORK_LONG_SIZE entries each); the first
 * `first` long tables at `long_tables` are in use already. Returns how many long tables are in use afterwards.
 */
uint32_t kst_jpeg_gpu_symbols(const struct jpeg_huffman *huffman, enum jpeg_table_class table_class,
    uint16_t *short_table, uint16_t *long_tables, uint32_t first);

/*
 * Fill a table of pairs of symbols, which has 1 << bits entries, from the short tables of the first and of the second
 * symbol; `bits` is at most WORK_SHORT_BITS.
 */
void kst_jpeg_gpu_pairs(const uint16_t *first, const uint16_t *second, uint32_t bits, uint32_t *pairs);

#endif
