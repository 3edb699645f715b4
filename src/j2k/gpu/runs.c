/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses the bytes of a stream that are uploaded: all, or only those of its pieces if these are few, as for a part of
 * a picture.
 */
#include "j2k/gpu/part.h"

static uint64_t piece_bytes(const struct j2k_plan *plan)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < plan->piece_count; p++)
        sum += plan->piece[p].length;
    return sum;
}

uint64_t kst_j2k_gpu_stream_bytes(const struct j2k_plan *plan)
{
    uint64_t pieces = piece_bytes(plan);
    return pieces < plan->length / 2 ? pieces : plan->length;
}

/* Return whether a piece starts where the previous one ends. */
static bool follows(const struct j2k_plan *plan, uint32_t p)
{
    return p > 0 && plan->piece[p].offset == plan->piece[p - 1].offset + plan->piece[p - 1].length;
}

uint32_t kst_j2k_gpu_count_runs(const struct j2k_plan *plan)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < plan->piece_count; p++)
        count += !follows(plan, p);
    return count;
}

static struct j2k_gpu_run *write_runs(const struct j2k_plan *plan, struct j2k_gpu_run *run)
{
    uint64_t to = 0;
    for (uint32_t p = 0; p < plan->piece_count; p++) {
        const struct j2k_piece *piece = &plan->piece[p];
        if (!follows(plan, p))
            *run++ = (struct j2k_gpu_run){.from = piece->offset, .to = to};
        run[-1].length += piece->length;
        to += piece->length;
    }
    return run;
}

bool kst_j2k_gpu_find_runs(struct j2k_gpu_part *part)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        part->place[i].first_run = (uint32_t)count;
        part->place[i].runs = part->sums[i].runs;
        count += part->place[i].runs;
    }
    if (count == 0)
        return true;
    struct j2k_gpu_run *run = part->run = kst_memory_array(part->memory, (size_t)count, sizeof *run, NULL);
    for (uint32_t i = 0; i < part->count && run; i++)
        if (part->place[i].runs > 0)
            run = write_runs(part->items[i].plan, run);
    return run;
}

void kst_j2k_gpu_write_pieces(const struct j2k_gpu_part *part, uint32_t index, struct j2k_work_piece *to)
{
    const struct j2k_plan *plan = part->items[index].plan;
    const struct j2k_gpu_place *place = &part->place[index];
    uint64_t at = 0;
    for (uint32_t p = 0; p < plan->piece_count; p++) {
        const struct j2k_piece *piece = &plan->piece[p];
        to[p] = (struct j2k_work_piece){
            .offset = place->stream + (uint32_t)(place->runs > 0 ? at : piece->offset), .length = piece->length};
        at += piece->length;
    }
}
