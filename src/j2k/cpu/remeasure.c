/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes each code-block and codes it again, to find the length and the gain of its passes. */
#include "j2k/cpu/remeasure.h"

#include <math.h>
#include <string.h>

#include "core/report.h"
#include "j2k/cpu/blocks/block.h"
#include "j2k/cpu/blocks/block_encode.h"
#include "j2k/packets/builder.h"

struct job {
    const struct j2k_remeasuring *wanted;
    struct memory *memory;
    const struct j2k_block_passes *passes;
    const struct j2k_coding_passes *coding_passes;
    atomic_uint next;
    atomic_int status;
};

/* The buffers of one thread. */
struct worker {
    struct j2k_block_decoder *decoder;
    struct j2k_block_encoder *encoder;
    const struct j2k_coding_passes *passes;
    struct j2k_codeword codeword[J2K_PASSES_MAX];
    uint32_t codeword_count;
};

/* A block, and the members of the result that belong to it. */
struct block {
    const struct j2k_block *place;
    const struct j2k_block_code *code;
    const struct j2k_band *band;
    const struct j2k_tile_component *component;
    uint32_t planes;
    double half;      /* the picture's squared error for an error of half a quantiser step */
    uint32_t *length; /* one per pass */
    double *gain;     /* one per pass */
};

static struct block block_at(const struct job *job, uint32_t index)
{
    const struct j2k_remeasuring *wanted = job->wanted;
    const struct j2k_plan *plan = &wanted->coded->plan;
    struct block block = {.place = &plan->block[index], .code = &wanted->coded->block[index]};
    block.band = &plan->band[block.place->band];
    block.component = &plan->tile_component[block.band->tile_component];
    block.planes = (uint32_t)block.band->planes - block.code->missing;
    block.half = wanted->weight[block.place->band] * block.band->step * block.band->step / 4;
    block.length = wanted->pass_length + block.code->first_pass;
    block.gain = wanted->gain + block.code->first_pass;
    return block;
}

/* List the segments, which lie one after the other. */
static void list_codewords(struct worker *worker, const struct block *block)
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

/* Decode the block and code it again. True if that gives as many planes as before, and at least as many passes. */
static bool code_again(struct worker *worker, const struct block *block)
{
    const struct j2k_block *place = block->place;
    const struct j2k_coded_block coded = {.width = place->width,
        .height = place->height,
        .orientation = block->band->orientation,
        .style = block->component->style,
        .planes = block->planes,
        .codeword_count = worker->codeword_count,
        .codewords = worker->codeword};
    const struct j2k_block_source source = {.passes = worker->passes,
        .width = place->width,
        .height = place->height,
        .orientation = block->band->orientation,
        .style = block->component->style,
        .exact = block->component->reversible && block->code->passes == 3 * block->planes - 2,
        .measure = true};
    if (block->planes > J2K_ENCODER_PLANES || block->component->roi_shift > 0 ||
        block->component->style & J2K_STYLE_PREDICTABLE || kst_j2k_block_decode(worker->decoder, &coded) != 0)
        return false;
    memcpy(worker->encoder->sample, worker->decoder->samples, sizeof(uint32_t) * place->width * place->height);
    kst_j2k_block_encode(worker->encoder, &source);
    return worker->encoder->planes == block->planes && worker->encoder->passes >= block->code->passes;
}

/* A pass inside a segment ends where it ended when coded again, if all bytes up to there are the same. */
static void take_lengths(const struct worker *worker, const struct block *block)
{
    const struct j2k_pass *pass = worker->encoder->pass;
    uint32_t first = 0, start = 0, again = 0;
    for (uint32_t i = 0; i < worker->codeword_count; i++) {
        const struct j2k_codeword *codeword = &worker->codeword[i];
        uint32_t last = first + codeword->passes - 1;
        for (uint32_t p = first; p < last; p++) {
            uint32_t length = pass[p].length - again;
            if (length <= codeword->length && start + length < block->length[p] &&
                memcmp(codeword->data, worker->encoder->data + again, length) == 0)
                block->length[p] = start + length;
        }
        start += codeword->length;
        again = pass[last].length;
        first = last + 1;
    }
}

static void keep_ascending(const struct block *block)
{
    for (uint32_t p = block->code->passes; p-- > 1;)
        if (block->length[p - 1] > block->length[p])
            block->length[p - 1] = block->length[p];
}

/*
 * Estimate gains from typical blocks of photographs: each byte lowers the squared error by about the square of the
 * plane's step (2^n quantiser steps in plane n). Passes that cannot be told apart share their bytes.
 */
static void estimate_gains(const struct block *block)
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

static void remeasure(struct worker *worker, const struct block *block)
{
    list_codewords(worker, block);
    if (!code_again(worker, block)) {
        estimate_gains(block);
        return;
    }
    for (uint32_t p = 0; p < block->code->passes; p++)
        block->gain[p] = worker->encoder->pass[p].gain * block->half;
    take_lengths(worker, block);
    keep_ascending(block);
}

static void run_worker(void *argument, uint32_t index)
{
    struct job *job = argument;
    const struct j2k_coded *coded = job->wanted->coded;
    kst_status status = KST_OK;
    struct worker *worker = kst_memory_array(job->memory, 1, sizeof *worker, &status);
    (void)index;
    if (worker) {
        worker->passes = job->coding_passes;
        worker->decoder = kst_memory_array(job->memory, 1, sizeof *worker->decoder, &status);
        worker->encoder = kst_memory_array(job->memory, 1, sizeof *worker->encoder, &status);
        if (!status)
            worker->decoder->passes = job->passes;
    }
    while (worker && !status) {
        uint32_t i = atomic_fetch_add(&job->next, 1);
        if (i >= coded->plan.block_count)
            break;
        struct block block = block_at(job, i);
        if (block.code->passes > 0)
            remeasure(worker, &block);
    }
    if (worker) {
        kst_memory_release(job->memory, worker->decoder);
        kst_memory_release(job->memory, worker->encoder);
    }
    kst_memory_release(job->memory, worker);
    if (status)
        atomic_store(&job->status, (int)status);
}

kst_status kst_j2k_cpu_remeasure(const struct operation *op, const struct j2k_remeasuring *remeasuring)
{
    struct job job = {.wanted = remeasuring,
        .memory = op->memory,
        .passes = kst_j2k_block_passes(op->tier),
        .coding_passes = kst_j2k_coding_passes(op->tier)};
    uint32_t threads = kst_pool_threads(op->pool), blocks = remeasuring->coded->plan.block_count;
    atomic_init(&job.next, 0);
    atomic_init(&job.status, KST_OK);
    if (blocks > 0)
        kst_pool_run(op->pool, threads < blocks ? threads : blocks, run_worker, &job);
    kst_status status = (kst_status)atomic_load(&job.status);
    return status ? kst_report_error(op->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}
