/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the bits of the code-blocks of one or several pictures on the context's GPU, for the search for a step. The
 * counts equal those of the CPU.
 */
#include "core/report.h"
#include "j2k/rate/encoding.h"
#include "j2k/run/encode.h"

/*
 * Order all blocks of a picture. There is no region of interest, because such pictures are not counted: see
 * kst_j2k_run_encode_counts().
 */
static void order_blocks(const struct j2k_encoder *encoder, uint32_t member, struct j2k_gpu_block_order *order)
{
    for (uint32_t b = 0; b < encoder->coded.plan.block_count; b++)
        order[b] = (struct j2k_gpu_block_order){.item = member, .block = b};
}

/* Give the job the orders of the blocks, unless it already has them. */
static bool begin(const struct j2k_encoder *encoder, struct j2k_gpu_encode_job *job, struct gpu_error *error)
{
    struct memory *memory = &encoder->e->memory;
    const uint32_t blocks = encoder->coded.plan.block_count;
    if (kst_j2k_gpu_counts(job))
        return true;
    struct j2k_gpu_block_order *order = kst_memory_array(memory, blocks, sizeof *order, &error->status);
    if (order)
        order_blocks(encoder, encoder->member, order);
    bool begun = order && kst_j2k_gpu_count_begin(job, order, blocks, error);
    kst_memory_release(memory, order);
    return begun;
}

static struct j2k_encoding encoding_of(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    return (struct j2k_encoding){.memory = &e->memory,
        .pool = e->context->pool,
        .coded = &encoder->coded,
        .request = &encoder->request,
        .encoded = &encoder->encoded};
}

/* Take the counts of one picture's blocks. */
static kst_status settle(struct j2k_encoder *encoder, const struct j2k_work_counted_block *found)
{
    const uint32_t blocks = encoder->coded.plan.block_count;
    struct j2k_encoding encoding = encoding_of(encoder);
    kst_status status = kst_j2k_encode_start(&encoding, &encoder->e->report);
    if (status)
        return status;
    if (kst_j2k_encode_goes_on(&encoding))
        for (uint32_t b = 0; b < blocks; b++)
            encoder->encoded.counted[b] = found[b].bits;
    kst_j2k_encode_count(&encoding, blocks);
    return kst_j2k_encode_finish(&encoding, &encoder->e->report);
}

static kst_status count(struct j2k_encoder *encoder, struct j2k_gpu_encode_job *job)
{
    struct memory *memory = &encoder->e->memory;
    struct gpu_error error = {.status = KST_OK};
    const struct j2k_work_counted_block *found = NULL;
    bool *wanted = kst_memory_zeroed(memory, encoder->part->count, sizeof *wanted, &error.status);
    if (wanted) {
        wanted[encoder->member] = true; /* the steps of other pictures may change at the same time */
        found = begin(encoder, job, &error) ? kst_j2k_gpu_count(job, wanted, &error) : NULL;
    }
    kst_memory_release(memory, wanted);
    return found ? settle(encoder, found) : kst_j2k_run_encode_gpu_fail(encoder, &error);
}

kst_status kst_j2k_run_encode_gpu_count(struct j2k_encoder *encoder)
{
    struct j2k_encode_gpu_part *part = encoder->part;
    struct j2k_gpu_encode_job *job = kst_j2k_run_encode_gpu_own_job(encoder);
    if (!job)
        return encoder->status;
    if (part->count == 1)
        pthread_mutex_lock(&part->coding);
    encoder->status = count(encoder, job);
    if (part->count == 1)
        pthread_mutex_unlock(&part->coding);
    return encoder->status;
}

/* Give the part's job the orders of the blocks of the wanted pictures, unless it already has orders. */
static bool begin_some(struct j2k_encode_gpu_part *part, const bool *wanted, struct gpu_error *error)
{
    struct memory *memory = &part->context->memory;
    uint64_t blocks = 0;
    if (kst_j2k_gpu_counts(part->job))
        return true;
    for (uint32_t i = 0; i < part->count; i++) {
        part->encoder[i]->counted = (uint32_t)blocks;
        blocks += wanted[i] ? part->encoder[i]->coded.plan.block_count : 0;
    }
    struct j2k_gpu_block_order *order = kst_memory_array(memory, (size_t)blocks, sizeof *order, &error->status);
    for (uint32_t i = 0; i < part->count && order; i++) {
        if (wanted[i])
            order_blocks(part->encoder[i], i, order + part->encoder[i]->counted);
    }
    const bool begun = order && kst_j2k_gpu_count_begin(part->job, order, (uint32_t)blocks, error);
    kst_memory_release(memory, order);
    return begun;
}

/* Holds the counts of several pictures while threads take them. */
struct counts_taking {
    const struct j2k_encode_gpu_part *part;
    const bool *wanted;
    const struct j2k_work_counted_block *found;
};

static void take_counts(void *argument, uint32_t index)
{
    const struct counts_taking *taking = argument;
    struct j2k_encoder *encoder = taking->part->encoder[index];
    if (!taking->wanted[index])
        return;
    kst_j2k_run_encode_unmake(encoder);
    kst_j2k_encoded_release(&encoder->e->memory, &encoder->encoded);
    encoder->placed = 0;
    encoder->status = settle(encoder, taking->found + encoder->counted);
}

void kst_j2k_run_encode_gpu_count_some(struct j2k_encode_gpu_part *part, const bool *wanted)
{
    struct gpu_error error = {.status = KST_OK};
    struct counts_taking taking = {.part = part, .wanted = wanted};
    if (begin_some(part, wanted, &error))
        taking.found = kst_j2k_gpu_count(part->job, wanted, &error);
    if (!error.status)
        kst_pool_run(part->context->pool, part->count, take_counts, &taking);
    for (uint32_t i = 0; i < part->count && error.status; i++)
        if (wanted[i])
            part->encoder[i]->status = kst_j2k_run_encode_gpu_fail(part->encoder[i], &error);
}
