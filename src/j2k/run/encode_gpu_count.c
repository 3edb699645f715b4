/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the bytes of a picture's code-blocks on the context's GPU, as the search for a step wants them. The counts are
 * those of the bytes that the GPU would code.
 */
#include "core/report.h"
#include "j2k/rate/encoding.h"
#include "j2k/run/encode.h"

static void order_blocks(const struct j2k_encoding *encoding, uint32_t member, struct j2k_gpu_block_order *order)
{
    for (uint32_t b = 0; b < encoding->coded->plan.block_count; b++)
        order[b] = (struct j2k_gpu_block_order){
            .item = member, .block = b, .region = kst_j2k_run_encode_gpu_region(encoding, b)};
}

/* Tell the job which blocks there are, the first time. */
static bool begin(const struct j2k_encoder *encoder, const struct j2k_encoding *encoding,
    struct j2k_gpu_encode_job *job, struct gpu_error *error)
{
    const uint32_t blocks = encoder->coded.plan.block_count;
    if (kst_j2k_gpu_counts(job))
        return true;
    struct j2k_gpu_block_order *order = kst_memory_array(encoding->memory, blocks, sizeof *order, &error->status);
    if (order)
        order_blocks(encoding, encoder->member, order);
    bool begun = order && kst_j2k_gpu_count_begin(job, order, blocks, error);
    kst_memory_release(encoding->memory, order);
    return begun;
}

/* Take what was counted as if it had been coded, but without bytes. */
static void take(struct j2k_encoding *encoding, const struct j2k_work_counted_block *found)
{
    struct j2k_coded *coded = encoding->coded;
    const uint32_t blocks = coded->plan.block_count;
    uint32_t passes = 0;
    for (uint32_t b = 0; b < blocks; b++)
        passes += found[b].planes > 0;
    if (!kst_j2k_encode_take_passes(encoding, passes))
        return;
    passes = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        const bool any = found[b].planes > 0;
        encoding->result[b] =
            (struct j2k_block_result){.planes = (uint8_t)found[b].planes, .top = (uint8_t)(any ? 1 : 0)};
        coded->block[b].data = NULL;
        coded->block[b].passes = any;
        coded->block[b].first_pass = passes;
        if (any)
            encoding->encoded->pass_length[passes++] = found[b].length;
    }
    kst_j2k_encode_count(encoding, blocks);
}

static kst_status count(struct j2k_encoder *encoder, struct j2k_gpu_encode_job *job)
{
    struct encoding *e = encoder->e;
    struct j2k_encoding encoding = {.memory = &e->memory,
        .pool = e->context->pool,
        .coded = &encoder->coded,
        .request = &encoder->request,
        .encoded = &encoder->encoded};
    struct gpu_error error = {.status = KST_OK};
    const struct j2k_work_counted_block *found = NULL;
    if (begin(encoder, &encoding, job, &error))
        found = kst_j2k_gpu_count(job, &error);
    if (!found)
        return kst_j2k_run_encode_gpu_fail(encoder, &error);
    kst_status status = kst_j2k_encode_start(&encoding, &e->report);
    if (status)
        return status;
    if (kst_j2k_encode_goes_on(&encoding))
        take(&encoding, found);
    return kst_j2k_encode_finish(&encoding, &e->report);
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
