/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes each code-block and codes it again, to find the length and the gain of its passes. */
#include "j2k/cpu/remeasure.h"

#include <math.h>
#include <string.h>

#include "core/report.h"
#include "j2k/cpu/blocks/block_coder.h"
#include "j2k/packets/builder.h"

struct remeasurement {
    const struct j2k_remeasuring *wanted;
    struct memory *memory;
    enum cpu_tier tier;
    atomic_uint next;
    atomic_int status;
};

/* Holds the buffers of one thread. */
struct worker {
    enum cpu_tier tier;
    struct j2k_block_scratch *decoder, *encoder;
    struct j2k_block_outcome outcome; /* what coding the block again gave */
    struct j2k_codeword codeword[J2K_PASSES_MAX];
    uint32_t codeword_count;
};

/* Describes a block, and the members of the result that belong to it. */
struct remeasured_block {
    const struct j2k_block *place;
    const struct j2k_block_code *code;
    const struct j2k_band *band;
    const struct j2k_tile_component *component;
    uint32_t planes;
    double half;      /* the picture's squared error for an error of half a quantiser step */
    uint32_t *length; /* one per pass */
    double *gain;     /* one per pass */
};

static struct remeasured_block block_at(const struct remeasurement *all, uint32_t index)
{
    const struct j2k_remeasuring *wanted = all->wanted;
    const struct j2k_plan *plan = &wanted->coded->plan;
    struct remeasured_block block = {.place = &plan->block[index], .code = &wanted->coded->block[index]};
    block.band = &plan->band[block.place->band];
    block.component = &plan->tile_component[block.band->tile_component];
    block.planes = (uint32_t)block.band->planes - block.code->missing;
    block.half = wanted->weight[block.place->band] * block.band->step * block.band->step / 4;
    block.length = wanted->pass_length + block.code->first_pass;
    block.gain = wanted->gain + block.code->first_pass;
    return block;
}

/* List the segments, which lie one after the other. */
static void list_codewords(struct worker *worker, const struct remeasured_block *block)
{
    uint32_t start = 0;
    worker->codeword_count = 0;
    for (uint32_t pass = 0; pass < block->code->passes;) {
        uint32_t room = kst_j2k_segment_room(block->component->style, pass), left = block->code->passes - pass;
        uint32_t passes = left < room ? left : room, end = block->length[pass + passes - 1];
        worker->codeword[worker->codeword_count++] =
            (struct j2k_codeword){.data = block->code->data + start, .length = end - start, .passes = passes};
        start = end;
        pass += passes;
    }
}

/*
 * Decode the block and code it again. Returns true if that gives as many planes as before, and at least as many passes.
 */
static bool code_again(struct worker *worker, const struct remeasured_block *block)
{
    const struct j2k_block_functions *coder =
        kst_j2k_cpu_block_functions(kst_j2k_block_coder(block->component->style)->kind);
    const struct j2k_block *place = block->place;
    const struct j2k_coded_block coded = {.width = place->width,
        .height = place->height,
        .orientation = block->band->orientation,
        .style = block->component->style,
        .planes = block->planes,
        .codeword_count = worker->codeword_count,
        .codewords = worker->codeword};
    const struct j2k_block_settings settings = {.width = place->width,
        .height = place->height,
        .orientation = block->band->orientation,
        .style = block->component->style,
        .exact = block->component->reversible && block->code->passes == 3 * block->planes - 2,
        .measure = true};
    if (block->planes > J2K_CODED_PLANES || block->component->roi_shift > 0 ||
        block->component->style & J2K_STYLE_PREDICTABLE || coder->decode(worker->decoder, worker->tier, &coded) != 0)
        return false;
    memcpy(worker->encoder->sample, worker->decoder->sample, sizeof(uint32_t) * place->width * place->height);
    coder->encode(worker->encoder, worker->tier, &settings, &worker->outcome);
    return worker->outcome.planes == block->planes && worker->outcome.passes >= block->code->passes;
}

/*
 * Set the lengths of passes inside segments. A pass ends where it ended when coded again, if all bytes up to there are
 * the same.
 */
static void take_lengths(const struct worker *worker, const struct remeasured_block *block)
{
    const struct j2k_pass *pass = worker->outcome.pass;
    uint32_t first = 0, start = 0, again = 0;
    for (uint32_t i = 0; i < worker->codeword_count; i++) {
        const struct j2k_codeword *codeword = &worker->codeword[i];
        uint32_t last = first + codeword->passes - 1;
        for (uint32_t p = first; p < last; p++) {
            uint32_t length = pass[p].length - again;
            if (length <= codeword->length && start + length < block->length[p] &&
                memcmp(codeword->data, worker->outcome.data + again, length) == 0)
                block->length[p] = start + length;
        }
        start += codeword->length;
        again = pass[last].length;
        first = last + 1;
    }
}

static void keep_ascending(const struct remeasured_block *block)
{
    for (uint32_t p = block->code->passes; p-- > 1;)
        if (block->length[p - 1] > block->length[p])
            block->length[p - 1] = block->length[p];
}

/*
 * Estimate gains from typical blocks of photographs: each byte lowers the squared error by about the square of the
 * plane's step (2^n quantiser steps in plane n). Passes that cannot be separated share their bytes.
 */
static void estimate_gains(const struct remeasured_block *block)
{
    for (uint32_t first = 0; first < block->code->passes;) {
        uint32_t last = first;
        while (last + 1U < block->code->passes && block->length[last + 1] == block->length[first])
            last++;
        double bytes = block->length[first] - (first > 0 ? block->length[first - 1] : 0);
        for (uint32_t p = first; p <= last; p++) {
            int plane = (int)block->planes - 1 - (int)((p + 2) / 3);
            block->gain[p] = ldexp(block->half * 4 * bytes / (last + 1 - first), 2 * plane);
        }
        first = last + 1;
    }
}

static void remeasure(struct worker *worker, const struct remeasured_block *block)
{
    list_codewords(worker, block);
    if (!code_again(worker, block)) {
        estimate_gains(block);
        return;
    }
    for (uint32_t p = 0; p < block->code->passes; p++)
        block->gain[p] = worker->outcome.pass[p].gain * block->half;
    take_lengths(worker, block);
    keep_ascending(block);
}

static void run_worker(void *argument, uint32_t index)
{
    struct remeasurement *all = argument;
    const struct j2k_coded *coded = all->wanted->coded;
    kst_status status = KST_OK;
    struct worker *worker = kst_memory_array(all->memory, 1, sizeof *worker, &status);
    (void)index;
    if (worker) {
        worker->tier = all->tier;
        worker->decoder = kst_memory_zeroed(all->memory, 1, kst_j2k_cpu_decoder_length(&coded->plan), &status);
        worker->encoder = kst_memory_array(all->memory, 1, kst_j2k_cpu_encoder_length(), &status);
    }
    while (worker && !status) {
        uint32_t i = atomic_fetch_add(&all->next, 1);
        if (i >= coded->plan.block_count)
            break;
        struct remeasured_block block = block_at(all, i);
        if (block.code->passes > 0)
            remeasure(worker, &block);
    }
    if (worker) {
        kst_memory_release(all->memory, worker->decoder);
        kst_memory_release(all->memory, worker->encoder);
    }
    kst_memory_release(all->memory, worker);
    if (status)
        atomic_store(&all->status, (int)status);
}

/* Return how many threads work. They take at most a quarter of the memory that is left. */
static uint32_t count_workers(const struct operation *op, const struct j2k_plan *plan)
{
    enum { SHARE = 4 };
    const uint64_t each = sizeof(struct worker) + kst_j2k_cpu_decoder_length(plan) + kst_j2k_cpu_encoder_length() +
                          3 * (uint64_t)KST_MEMORY_OVERHEAD;
    const uint32_t threads = kst_pool_threads_within(op->pool, kst_memory_left(op->memory) / SHARE, each);
    return threads < plan->block_count ? threads : plan->block_count;
}

kst_status kst_j2k_cpu_remeasure(const struct operation *op, const struct j2k_remeasuring *remeasuring)
{
    struct remeasurement all = {.wanted = remeasuring, .memory = op->memory, .tier = op->tier};
    const struct j2k_plan *plan = &remeasuring->coded->plan;
    atomic_init(&all.next, 0);
    atomic_init(&all.status, KST_OK);
    if (plan->block_count > 0)
        kst_pool_run(op->pool, count_workers(op, plan), run_worker, &all);
    kst_status status = (kst_status)atomic_load(&all.status);
    return status ? kst_report_error(op->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}
