/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a store of a picture's coefficients for work that needs them several times, or in another order than that in
 * which they are decoded. They are packed, and set aside in tiles, of which a reader holds a row or a column.
 */
#ifndef KOSTKA_JPEG_CPU_STORE_H
#define KOSTKA_JPEG_CPU_STORE_H

#include "core/operation.h"
#include "core/spill.h"
#include "jpeg/plan/coefficients.h"

/* Holds packed blocks of one component of a tile, while its rows are being added. */
struct jpeg_packed {
    uint8_t *data;
    size_t length, capacity;
};

struct jpeg_store {
    const struct jpeg_frame *frame;
    struct memory *memory;
    struct spill *spill;
    bool columns;            /* whether readers read columns of tiles, not rows */
    uint32_t tile_w, tile_h; /* size of a tile in MCUs; those at the right and at the bottom may be smaller */
    uint32_t tiles_w, tiles_h;
    uint32_t rows;            /* number of MCU rows added */
    uint64_t *offset;         /* for each row of tiles: its offset in the spill */
    uint32_t *end;            /* for each component of each tile: the end of its blocks, counted from that offset */
    struct jpeg_packed *open; /* for each component of the tiles of a row: its blocks so far */
};

/*
 * Begin a store for a picture of this frame. Frame and spill must outlive the store. With `columns`, it will be read by
 * columns of MCUs, otherwise by rows. On failure nothing is held.
 */
kst_status kst_jpeg_cpu_store_create(const struct operation *op, const struct jpeg_frame *frame, bool columns,
    struct spill *spill, struct jpeg_store *store);
void kst_jpeg_cpu_store_release(struct jpeg_store *store);

/*
 * Add the next MCU row; nothing else may be set aside in the spill meanwhile. Returns KST_OK, KST_ERROR_WRITE or a
 * memory status.
 */
kst_status kst_jpeg_cpu_store_add(struct jpeg_store *store, const struct jpeg_coefficients *row);

/* Reads a complete store; each thread has its own reader. */
struct jpeg_store_reader {
    const struct jpeg_store *store;
    uint32_t components;     /* a bit for each component to read */
    uint32_t at;             /* the row or column of tiles in the strip */
    struct jpeg_strip strip; /* the blocks that were read last; those of other components are undefined */
    uint8_t *packed;
    size_t capacity;
};

/* The caller closes the reader also on failure. */
kst_status kst_jpeg_cpu_store_reader_open(
    const struct jpeg_store *store, uint32_t components, struct jpeg_store_reader *reader);
void kst_jpeg_cpu_store_reader_close(struct jpeg_store_reader *reader);

/*
 * Read an MCU row into the strip or, if the store is read by columns, a column of MCUs. Returns as
 * kst_jpeg_cpu_store_add().
 */
kst_status kst_jpeg_cpu_store_read(struct jpeg_store_reader *reader, uint32_t index);

#endif
