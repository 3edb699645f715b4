/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores bytes with the caller's functions or in blocks of memory, and fetches them. */
#include "core/spill.h"

#include <string.h>

enum { FIRST_BLOCKS = 16 };

const kst_writer *kst_spill_keeper(const struct sink *sink)
{
    return sink->writer && sink->writer->keep && sink->writer->fetch ? sink->writer : NULL;
}

void kst_spill_create(struct spill *spill, struct memory *memory, const kst_writer *keeper)
{
    *spill = (struct spill){.keeper = keeper, .memory = memory};
    pthread_mutex_init(&spill->lock, NULL);
}

void kst_spill_release(struct spill *spill)
{
    for (size_t i = 0; i < spill->block_count; i++)
        kst_memory_release(spill->memory, spill->block[i]);
    kst_memory_release(spill->memory, spill->block);
    pthread_mutex_destroy(&spill->lock);
}

static kst_status add_block(struct spill *spill)
{
    kst_status status = KST_OK;
    if (spill->block_count == spill->block_capacity) {
        size_t capacity = spill->block_capacity > 0 ? 2 * spill->block_capacity : FIRST_BLOCKS;
        uint8_t **block = kst_memory_grow(
            spill->memory, spill->block, spill->block_count * sizeof *block, capacity * sizeof *block, &status);
        if (!block)
            return status;
        spill->block = block;
        spill->block_capacity = capacity;
    }
    uint8_t *made = kst_memory_array(spill->memory, SPILL_BLOCK, 1, &status);
    if (made)
        spill->block[spill->block_count++] = made;
    return status;
}

/* Return how many of `length` bytes from `offset` on are in one block. */
static size_t in_block(uint64_t offset, size_t length)
{
    size_t room = SPILL_BLOCK - (size_t)(offset % SPILL_BLOCK);
    return length < room ? length : room;
}

static kst_status put_in_memory(struct spill *spill, const uint8_t *data, size_t length)
{
    while (length > 0) {
        size_t block = (size_t)(spill->length / SPILL_BLOCK), some = in_block(spill->length, length);
        kst_status status = block == spill->block_count ? add_block(spill) : KST_OK;
        if (status)
            return status;
        memcpy(spill->block[block] + spill->length % SPILL_BLOCK, data, some);
        spill->length += some;
        data += some;
        length -= some;
    }
    return KST_OK;
}

static kst_status put_with_keeper(struct spill *spill, const void *data, size_t length)
{
    const kst_writer *keeper = spill->keeper;
    if (length > 0 && !keeper->keep(keeper->user, spill->length, data, length))
        return KST_ERROR_WRITE;
    spill->length += length;
    return KST_OK;
}

kst_status kst_spill_put(struct spill *spill, const void *data, size_t length, uint64_t *offset)
{
    pthread_mutex_lock(&spill->lock);
    *offset = spill->length;
    kst_status status = spill->keeper ? put_with_keeper(spill, data, length) : put_in_memory(spill, data, length);
    pthread_mutex_unlock(&spill->lock);
    return status;
}

static void fetch_from_memory(const struct spill *spill, uint64_t offset, uint8_t *to, size_t length)
{
    while (length > 0) {
        size_t some = in_block(offset, length);
        memcpy(to, spill->block[offset / SPILL_BLOCK] + offset % SPILL_BLOCK, some);
        offset += some;
        to += some;
        length -= some;
    }
}

kst_status kst_spill_fetch(struct spill *spill, uint64_t offset, void *to, size_t length)
{
    const kst_writer *keeper = spill->keeper;
    bool good = true;
    pthread_mutex_lock(&spill->lock);
    if (!keeper)
        fetch_from_memory(spill, offset, to, length);
    else if (length > 0)
        good = keeper->fetch(keeper->user, offset, to, length);
    pthread_mutex_unlock(&spill->lock);
    return good ? KST_OK : KST_ERROR_WRITE;
}
