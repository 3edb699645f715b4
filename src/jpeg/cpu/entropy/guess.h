/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding where MCUs start in a scan without restart markers, by many threads. A decoder that starts at a wrong bit
 * falls into step with the right one after some hundred bits. So the data are cut into chunks, each is skipped through
 * from a guess, and the runs are joined where one that comes from the chunk before meets an MCU border of the next.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_GUESS_H
#define KOSTKA_JPEG_CPU_ENTROPY_GUESS_H

#include "core/pool.h"
#include "jpeg/cpu/entropy/entropy.h"

/* Cursors at MCUs, in their order; the first is at MCU 0. */
struct jpeg_checkpoints {
    struct jpeg_cursor *cursor;
    uint32_t count;
};

/*
 * Find checkpoints about `spacing` MCUs apart in a scan of one restart interval. Data in which the runs never meet are
 * read once more in sequence, so that the time is proportional to their length whatever they hold. KST_ERROR_MEMORY or
 * KST_ERROR_LIMIT_MEMORY: nothing is held.
 */
kst_status kst_jpeg_checkpoints_find(struct memory *memory, struct pool *pool, const struct jpeg_entropy *entropy,
    uint32_t spacing, struct jpeg_checkpoints *checkpoints);
void kst_jpeg_checkpoints_release(struct memory *memory, struct jpeg_checkpoints *checkpoints);

/* Put a cursor at an MCU, from the last checkpoint before it. Its damage is empty. */
void kst_jpeg_checkpoints_seek(const struct jpeg_checkpoints *checkpoints, const struct jpeg_entropy *entropy,
    uint32_t mcu, struct jpeg_cursor *cursor);

#endif
