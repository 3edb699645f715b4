/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes coded blocks on to the caller's functions (kst_writer.keep), so that they need no memory until the file is
 * written.
 */
#include <string.h>

#include "j2k/cpu/blocks/encode_set.h"

static void pass_on(struct j2k_encoding *encoding, uint64_t offset, const void *data, size_t length)
{
    const kst_writer *keeper = encoding->request->keeper;
    pthread_mutex_lock(&encoding->shared);
    bool good = keeper->keep(keeper->user, offset, data, length);
    pthread_mutex_unlock(&encoding->shared);
    if (!good)
        kst_j2k_encode_fail(encoding, KST_ERROR_WRITE);
}

static uint64_t assign(struct j2k_encoding *encoding, size_t length)
{
    pthread_mutex_lock(&encoding->shared);
    uint64_t offset = encoding->kept;
    encoding->kept += length;
    pthread_mutex_unlock(&encoding->shared);
    return offset;
}

/* Pass on what a thread has gathered. */
static void flush(struct j2k_encoding *encoding, struct j2k_keeping *keeping)
{
    if (keeping->length > 0)
        pass_on(encoding, keeping->offset, keeping->data, keeping->length);
    keeping->length = 0;
}

/* Make room for a block among the bytes that are gathered. */
static bool make_room(struct j2k_encoding *encoding, struct j2k_keeping *keeping, size_t length)
{
    if (!keeping->data && !(keeping->data = kst_j2k_encode_take(encoding, J2K_ENCODED_CHUNK, 1)))
        return false;
    if (keeping->length > 0 && length <= J2K_ENCODED_CHUNK - keeping->length)
        return true;
    flush(encoding, keeping);
    keeping->offset = assign(encoding, J2K_ENCODED_CHUNK);
    return true;
}

bool kst_j2k_cpu_encode_keep_apart(struct j2k_encoding *encoding, struct j2k_encode_worker *worker, uint32_t index,
    const struct j2k_block_outcome *outcome)
{
    struct j2k_keeping *keeping = &worker->keeping;
    uint32_t lengths[J2K_CODED_PASSES];
    size_t tail = outcome->passes * sizeof *lengths, all = outcome->length + tail;
    for (uint32_t i = 0; i < outcome->passes; i++)
        lengths[i] = outcome->pass[i].length;
    encoding->result[index].kept = (uint32_t)outcome->length;
    if (all > J2K_ENCODED_CHUNK) {
        uint64_t offset = encoding->coded->block[index].kept = assign(encoding, all);
        pass_on(encoding, offset, outcome->data, outcome->length);
        pass_on(encoding, offset + outcome->length, lengths, tail);
        return true;
    }
    if (!make_room(encoding, keeping, all))
        return false;
    encoding->coded->block[index].kept = keeping->offset + keeping->length;
    memcpy(keeping->data + keeping->length, outcome->data, outcome->length);
    memcpy(keeping->data + keeping->length + outcome->length, lengths, tail);
    keeping->length += all;
    return true;
}

void kst_j2k_cpu_encode_end_keeping(struct j2k_encoding *encoding, struct j2k_encode_worker *worker)
{
    if (worker->keeping.data && kst_j2k_encode_goes_on(encoding))
        flush(encoding, &worker->keeping);
    kst_memory_release(encoding->memory, worker->keeping.data);
}
