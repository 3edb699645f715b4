/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses the bytes of a stream that are uploaded: all, or only those of its pieces if these are few, as for a part of
 * a picture.
 */
#include "j2k/gpu/batch.h"

static uint64_t piece_bytes(const struct j2k_plan *plan)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < plan->piece_count; p++)
        sum += plan->piece[p].length;
    return sum;
}

uint64_t kst_gpu_j2k_stream_bytes(const struct j2k_plan *plan)
{
    uint64_t pieces = piece_bytes(plan);
    return pieces < plan->length / 2 ? pieces : plan->length;
}

/* Whether a piece starts where the previous one ends. */
static bool follows(const struct j2k_plan *plan, uint32_t p)
{
    return p > 0 && plan->piece[p].offset == plan->piece[p - 1].offset + plan->piece[p - 1].length;
}

uint32_t kst_gpu_j2k_count_runs(const struct j2k_plan *plan)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < plan->piece_count; p++)
        count += !follows(plan, p);
    return count;
}

static struct j2k_run *write_runs(const struct j2k_plan *plan, struct j2k_run *run)
{
    uint64_t to = 0;
    for (uint32_t p = 0; p < plan->piece_count; p++) {
        const struct j2k_piece *piece = &plan->piece[p];
        if (!follows(plan, p))
            *run++ = (struct j2k_run){.from = piece->offset, .to = to};
        run[-1].length += piece->length;
        to += piece->length;
    }
    return run;
}

bool kst_gpu_j2k_find_runs(struct j2k_batch *batch)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        batch->place[i].first_run = (uint32_t)count;
        batch->place[i].runs = batch->sums[i].runs;
        count += batch->place[i].runs;
    }
    if (count == 0)
        return true;
    struct j2k_run *run = batch->run = kst_memory_array(batch->memory, (size_t)count, sizeof *run, NULL);
    for (uint32_t i = 0; i < batch->count && run; i++)
        if (batch->place[i].runs > 0)
            run = write_runs(batch->items[i].plan, run);
    return run;
}

void kst_gpu_j2k_write_pieces(const struct j2k_batch *batch, uint32_t index, struct work_piece *to)
{
    const struct j2k_plan *plan = batch->items[index].plan;
    const struct j2k_place *place = &batch->place[index];
    uint64_t at = 0;
    for (uint32_t p = 0; p < plan->piece_count; p++) {
        const struct j2k_piece *piece = &plan->piece[p];
        to[p] = (struct work_piece){
            .offset = place->stream + (uint32_t)(place->runs > 0 ? at : piece->offset), .length = piece->length};
        at += piece->length;
    }
}
