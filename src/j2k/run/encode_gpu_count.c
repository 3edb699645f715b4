/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the bytes of the code-blocks of a picture, or of several, on the context's GPU, as the search for a step wants
 * them. The counts are those of the bytes that the GPU would code.
 */
#include "core/report.h"
#include "j2k/rate/encoding.h"
#include "j2k/run/encode.h"

/* Pictures with a region of interest are not counted: kst_j2k_run_encode_counts(). */
static void order_blocks(const struct j2k_encoder *encoder, uint32_t member, struct j2k_gpu_block_order *order)
{
    for (uint32_t b = 0; b < encoder->coded.plan.block_count; b++)
        order[b] = (struct j2k_gpu_block_order){.item = member, .block = b};
}

/* Tell the job which blocks there are, the first time. */
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
    struct j2k_encoding encoding = encoding_of(encoder);
    kst_status status = kst_j2k_encode_start(&encoding, &encoder->e->report);
    if (status)
        return status;
    if (kst_j2k_encode_goes_on(&encoding))
        take(&encoding, found);
    return kst_j2k_encode_finish(&encoding, &encoder->e->report);
}

/* Take the bytes of a picture's packets. */
static kst_status settle_packets(struct j2k_encoder *encoder)
{
    struct encoding *e = encoder->e;
    if (kst_progress_add(encoder->request.progress, encoder->coded.plan.block_count))
        return KST_OK;
    return kst_report_error(&e->report, KST_ERROR_CANCELLED, KST_NO_OFFSET, NULL);
}

/* Count bytes of packets, or if the device cannot, of blocks, and take them. */
static kst_status count_wanted(
    struct j2k_encoder *encoder, struct j2k_gpu_encode_job *job, const bool *wanted, uint32_t *length)
{
    struct gpu_error error = {.status = KST_OK};
    if (kst_j2k_run_encode_places(encoder)) {
        if (!kst_j2k_gpu_count_packets(job, wanted, length, &error))
            return kst_j2k_run_encode_gpu_fail(encoder, &error);
        if (kst_j2k_run_encode_place(encoder, length[encoder->member]))
            return settle_packets(encoder);
    }
    const struct j2k_work_counted_block *found = kst_j2k_gpu_count(job, wanted, &error);
    return found ? settle(encoder, found) : kst_j2k_run_encode_gpu_fail(encoder, &error);
}

static kst_status count(struct j2k_encoder *encoder, struct j2k_gpu_encode_job *job)
{
    struct memory *memory = &encoder->e->memory;
    struct gpu_error error = {.status = KST_OK};
    bool *wanted = kst_memory_zeroed(memory, encoder->part->count, sizeof *wanted, &error.status);
    uint32_t *length = kst_memory_array(memory, encoder->part->count, sizeof *length, &error.status);
    bool begun = false;
    if (wanted && length) {
        wanted[encoder->member] = true; /* steps of the others may change meanwhile */
        begun = begin(encoder, job, &error);
    }
    kst_status status =
        begun ? count_wanted(encoder, job, wanted, length) : kst_j2k_run_encode_gpu_fail(encoder, &error);
    kst_memory_release(memory, wanted);
    kst_memory_release(memory, length);
    return status;
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

/* Tell the part's job which blocks the wanted pictures have, the first time. */
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
    const struct j2k_work_counted_block *found; /* null: it was not asked for, as all packets were counted */
};

static void take_counts(void *argument, uint32_t index)
{
    const struct counts_taking *taking = argument;
    struct j2k_encoder *encoder = taking->part->encoder[index];
    if (!taking->wanted[index])
        return;
    kst_j2k_run_encode_unmake(encoder);
    kst_j2k_encoded_release(&encoder->e->memory, &encoder->encoded);
    encoder->status = encoder->placed > 0 ? settle_packets(encoder) : settle(encoder, taking->found + encoder->counted);
}

/* Count bytes of packets where the device writes them. Returns whether blocks of any picture are to be counted. */
static bool count_some_packets(
    const struct j2k_encode_gpu_part *part, const bool *wanted, uint32_t *length, struct gpu_error *error)
{
    bool places = false, left = false;
    for (uint32_t i = 0; i < part->count; i++)
        places = places || (wanted[i] && kst_j2k_run_encode_places(part->encoder[i]));
    if (places && !kst_j2k_gpu_count_packets(part->job, wanted, length, error))
        return false;
    for (uint32_t i = 0; i < part->count; i++) {
        struct j2k_encoder *encoder = part->encoder[i];
        if (!wanted[i])
            continue;
        encoder->placed = 0;
        if (!kst_j2k_run_encode_places(encoder) || !kst_j2k_run_encode_place(encoder, length[i]))
            left = true;
    }
    return left;
}

void kst_j2k_run_encode_gpu_count_some(struct j2k_encode_gpu_part *part, const bool *wanted)
{
    struct gpu_error error = {.status = KST_OK};
    struct counts_taking taking = {.part = part, .wanted = wanted};
    uint32_t *length = kst_memory_array(&part->context->memory, part->count, sizeof *length, &error.status);
    if (length && begin_some(part, wanted, &error) && count_some_packets(part, wanted, length, &error))
        taking.found = kst_j2k_gpu_count(part->job, wanted, &error);
    if (!error.status)
        kst_pool_run(part->context->pool, part->count, take_counts, &taking);
    for (uint32_t i = 0; i < part->count && error.status; i++)
        if (wanted[i])
            part->encoder[i]->status = kst_j2k_run_encode_gpu_fail(part->encoder[i], &error);
    kst_memory_release(&part->context->memory, length);
}
