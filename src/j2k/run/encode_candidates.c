/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Meets a target with HT sets: each block is actually coded with several cleanup planes, and a single threshold of gain
 * per byte decides, for all blocks, which HT set a block has, and how many of its passes.
 */
#include <math.h>

#include "core/report.h"
#include "j2k/rate/candidates.h"
#include "j2k/run/encode.h"

/* Share of the wanted error from which on an error is close enough. */
static const double close_enough = 0.9772;

struct choice_search {
    struct j2k_encoder *encoder;
    struct j2k_choosing *choosing;
    uint64_t around, budget;
    bool by_error;
};

kst_status kst_j2k_run_encode_candidates(struct j2k_encoder *encoder, uint32_t plane, uint32_t count)
{
    encoder->request.plane = plane;
    encoder->request.refinements = encoder->options.passes - 1;
    encoder->request.candidates = count;
    encoder->request.measure = true;
    kst_progress_again(&encoder->e->progress, encoder->coded.plan.block_count);
    return kst_j2k_run_encode_blocks(encoder);
}

/*
 * Make a choice. Sets *beyond to whether the picture is longer than it may be or, with a target of error, good enough;
 * and *close to whether its error is close to the target.
 */
static kst_status judge(struct choice_search *search, size_t choice, bool *beyond, bool *close)
{
    double share = 0;
    kst_j2k_choose(search->choosing, choice);
    kst_j2k_run_encode_take_all(search->encoder);
    if (!search->by_error) {
        kst_status status = kst_j2k_run_encode_share(search->encoder, search->around, search->budget, &share);
        *beyond = share > 1;
        *close = false;
        return status;
    }
    kst_status status = kst_j2k_run_encode_error_share(search->encoder, &share);
    *beyond = share <= 1;
    *close = *beyond && share >= close_enough;
    return status;
}

/* Bisect for the last choice that is not too long, or the first that is good enough. */
static kst_status find(struct choice_search *search)
{
    size_t low = 0, high = kst_j2k_choosing_count(search->choosing) + 1;
    bool beyond = false, close = false;
    kst_status status = KST_OK;
    while (!status && !close && high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        status = judge(search, middle, &beyond, &close);
        *(beyond ? &high : &low) = middle;
    }
    const size_t most = kst_j2k_choosing_count(search->choosing);
    if (!status && !close)
        kst_j2k_choose(search->choosing, search->by_error && high <= most ? high : low);
    return status;
}

kst_status kst_j2k_run_encode_choose(struct j2k_encoder *encoder)
{
    struct memory *memory = &encoder->e->memory;
    struct choice_search search = {.encoder = encoder, .by_error = encoder->options.target == KST_J2K_PSNR};
    kst_status status =
        kst_j2k_choosing_create(memory, &encoder->coded, &encoder->encoded, encoder->weight, &search.choosing);
    if (status)
        kst_report_error(&encoder->e->report, status, KST_NO_OFFSET, NULL);
    else
        status = kst_j2k_run_encode_around(encoder, &search.around);
    search.budget = kst_j2k_run_encode_budget(encoder, search.around);
    if (!status)
        status = find(&search);
    kst_j2k_choosing_release(memory, search.choosing);
    kst_j2k_run_encode_unmake(encoder); /* the choice that was judged last need not be the one that was found */
    if (status)
        return status;
    if (encoder->options.layers > 1)
        return (search.by_error ? kst_j2k_run_encode_reach : kst_j2k_run_encode_rates)(encoder);
    kst_j2k_run_encode_take_all(encoder);
    return KST_OK;
}
