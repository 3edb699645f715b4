/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the storage of bytes that an operation sets aside and fetches again later: outside of memory if the caller's
 * writer can keep them (kst_writer.keep), otherwise in memory.
 */
#ifndef KOSTKA_CORE_SPILL_H
#define KOSTKA_CORE_SPILL_H

#include <pthread.h>

#include "core/sink.h"

/*
 * Holds bytes that were set aside. All functions except those that create and release it may be called from several
 * threads at once.
 */
struct spill {
    const kst_writer *keeper; /* null: the bytes stay in memory */
    struct memory *memory;
    pthread_mutex_t lock; /* guards all members below, and calls of the keeper */
    uint64_t length;      /* bytes set aside so far */
    uint8_t **block;      /* without a keeper: the bytes, SPILL_BLOCK in each block */
    size_t block_count, block_capacity;
};

enum { SPILL_BLOCK = 1 << 20 };

/* Return the writer of a sink if it can keep bytes; otherwise null. */
const kst_writer *kst_spill_keeper(const struct sink *sink);

void kst_spill_create(struct spill *spill, struct memory *memory, const kst_writer *keeper);
void kst_spill_release(struct spill *spill);

/*
 * Set bytes aside. *offset receives where they are; bytes of successive calls follow each other unless another thread
 * sets bytes aside, too. Returns KST_OK, KST_ERROR_WRITE (the keeper failed) or a memory status.
 */
kst_status kst_spill_put(struct spill *spill, const void *data, size_t length, uint64_t *offset);

/* Fetch bytes that were set aside. Returns KST_OK or KST_ERROR_WRITE. */
kst_status kst_spill_fetch(struct spill *spill, uint64_t offset, void *to, size_t length);

#endif
