/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searches the steps of several pictures that a GPU encodes together. Each picture tries the same steps as in a search
 * of its own (encode_search.c); the blocks of all pictures that are still searching are counted in one launch.
 */
#include <string.h>

#include "j2k/run/encode.h"

struct searching {
    struct j2k_encode_gpu_part *part;
    bool *wanted; /* pictures that must still be counted or coded */
    bool *turn;   /* those that are counted or coded now */
};

static void begin_one(void *argument, uint32_t index)
{
    const struct searching *s = argument;
    struct j2k_encoder *encoder = s->part->encoder[index];
    s->wanted[index] = !encoder->status && encoder->request.count;
    if (!s->wanted[index])
        return;
    encoder->status = kst_j2k_run_encode_layer_lists(encoder);
    if (!encoder->status)
        encoder->status = kst_j2k_run_encode_search_begin(encoder);
    s->wanted[index] = !encoder->status;
}

static void judge_one(void *argument, uint32_t index)
{
    const struct searching *s = argument;
    struct j2k_encoder *encoder = s->part->encoder[index];
    bool more = false;
    if (!s->turn[index])
        return;
    if (!encoder->status)
        encoder->status = kst_j2k_run_encode_search_on(encoder, &more);
    s->wanted[index] = more && !encoder->status;
}

static void find_one(void *argument, uint32_t index)
{
    const struct searching *s = argument;
    struct j2k_encoder *encoder = s->part->encoder[index];
    bool codes = false;
    if (!encoder->status && encoder->search)
        encoder->status = kst_j2k_run_encode_search_found(encoder, &codes);
    s->wanted[index] = codes && !encoder->status;
}

static void end_one(void *argument, uint32_t index)
{
    const struct searching *s = argument;
    struct j2k_encoder *encoder = s->part->encoder[index];
    if (s->wanted[index] && !encoder->status)
        kst_j2k_run_encode_take_all(encoder);
}

static bool any(const struct searching *s, const bool *of)
{
    uint32_t i = 0;
    while (i < s->part->count && !of[i])
        i++;
    return i < s->part->count;
}

/*
 * Count the pictures that are to be counted. If there are none, all others have found a step, and are coded with it. In
 * either case the other pictures wait.
 */
static void count_or_code(const struct searching *s)
{
    for (uint32_t i = 0; i < s->part->count; i++)
        s->turn[i] = s->wanted[i] && s->part->encoder[i]->request.count;
    if (any(s, s->turn)) {
        kst_j2k_run_encode_gpu_count_some(s->part, s->turn);
        return;
    }
    memcpy(s->turn, s->wanted, s->part->count * sizeof *s->turn);
    kst_j2k_run_encode_gpu_code_some(s->part, s->turn);
}

static void search(struct searching *s)
{
    struct pool *pool = s->part->context->pool;
    const uint32_t count = s->part->count;
    kst_pool_run(pool, count, begin_one, s);
    while (any(s, s->wanted)) {
        count_or_code(s);
        kst_pool_run(pool, count, judge_one, s);
    }
    kst_pool_run(pool, count, find_one, s);
    if (any(s, s->wanted))
        kst_j2k_run_encode_gpu_code_some(s->part, s->wanted);
    kst_pool_run(pool, count, end_one, s);
}

void kst_j2k_run_encode_search_together(struct j2k_encode_gpu_part *part)
{
    struct memory *memory = &part->context->memory;
    struct searching s = {.part = part,
        .wanted = kst_memory_zeroed(memory, part->count, sizeof *s.wanted, NULL),
        .turn = kst_memory_zeroed(memory, part->count, sizeof *s.turn, NULL)};
    if (s.wanted && s.turn && part->job) /* without memory, each picture is searched separately */
        search(&s);
    kst_memory_release(memory, s.wanted);
    kst_memory_release(memory, s.turn);
}
