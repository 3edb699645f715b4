/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds where MCUs start in a scan without restart markers, with many threads. A decoder that starts at a wrong bit
 * synchronises with the right one after some hundred bits. So the data are cut into chunks, each chunk is skipped
 * through from a guess, and the runs are joined where the run of one chunk meets an MCU border of the next one's.
 */
#ifndef KOSTKA_JPEG_CPU_ENTROPY_GUESS_H
#define KOSTKA_JPEG_CPU_ENTROPY_GUESS_H

#include "core/operation.h"
#include "jpeg/cpu/entropy/entropy.h"

/* Holds cursors at the starts of MCUs, in ascending order; the first is at MCU 0. */
struct jpeg_checkpoints {
    struct jpeg_cursor *cursor;
    uint32_t count;
};

/*
 * Find checkpoints about `spacing` MCUs apart in a scan of one restart interval. Data in which the runs never meet are
 * read once more in sequence, so the time is proportional to their length whatever they hold. On KST_ERROR_MEMORY or
 * KST_ERROR_LIMIT_MEMORY nothing is held.
 */
kst_status kst_jpeg_cpu_checkpoints_find(const struct operation *op, const struct jpeg_entropy *entropy,
    uint32_t spacing, struct jpeg_checkpoints *checkpoints);
void kst_jpeg_cpu_checkpoints_release(struct memory *memory, struct jpeg_checkpoints *checkpoints);

/* Put a cursor at the start of an MCU, from the last checkpoint before it. Its damage is empty. */
void kst_jpeg_cpu_checkpoints_seek(const struct jpeg_checkpoints *checkpoints, const struct jpeg_entropy *entropy,
    uint32_t mcu, struct jpeg_cursor *cursor);

#endif
