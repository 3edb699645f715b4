/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far blocks need be coded for a target, guessed from a sample of them. Rate allocation notices where the guess was
 * too high. It depends on the sample alone, so that the outcome is the same for any number of threads.
 */
#include <math.h>

#include "cpu/j2k_encode_tile.h"
#include "j2k/rate.h"

enum { STEPS = 32 };

/*
 * Of the gain for a byte that the sample promises: planes from which less is to be expected are left out. Of several
 * tiles each takes the whole picture to be like itself, which it seldom is.
 */
static const double margin = 0.85, margin_of_tiles = 0.25;

/* Where a block may be cut: what a byte gains up to there, bytes and gain in all. */
struct cut {
    double slope, bytes, gain; /* the latter two of all blocks that this one stands for */
};

struct sample {
    struct cut *cut;
    uint32_t count;
    double error;     /* before any pass */
    double low, high; /* logarithms of the slopes */
};

/* Of a band's blocks one of so many: all weigh much where there are few. */
static uint32_t stride_of(const struct j2k_plan *plan, uint32_t band)
{
    const struct j2k_tile_component *tc = &plan->tile_component[plan->band[band].tile_component];
    const struct j2k_resolution *top = &plan->resolution[tc->first_resolution + tc->resolution_count - 1U];
    if (band >= top->first_band)
        return 16;
    return tc->resolution_count > 1 && band >= top[-1].first_band ? 8 : 2;
}

static void add_block(const struct j2k_encode_tile *tile, uint32_t index, struct sample *sample)
{
    const struct j2k_encode_job *job = tile->job;
    const struct j2k_block_result *result = &job->result[index];
    const struct j2k_block_code *block = &job->coded->block[index];
    uint32_t band = job->coded->plan.block[index].band, length[J2K_BLOCK_PASSES_MAX];
    double half = job->coded->plan.band[band].step / 2, unit = job->source->weight[band] * half * half;
    double gain[J2K_BLOCK_PASSES_MAX], slope[J2K_BLOCK_PASSES_MAX];
    double stride = stride_of(&job->coded->plan, band);
    sample->error += stride * 4 * unit * result->error;
    for (uint32_t pass = 0; pass < block->passes; pass++) {
        length[pass] = result->pass[pass].length;
        gain[pass] = result->pass[pass].gain * unit;
        sample->error += stride * gain[pass];
    }
    kst_j2k_slopes(length, gain, block->passes, slope);
    double bytes = 0, gained = 0;
    for (uint32_t pass = 0; pass < block->passes; pass++) {
        gained += gain[pass];
        if (slope[pass] <= 0)
            continue;
        sample->cut[sample->count++] = (struct cut){slope[pass], stride * (length[pass] - bytes), stride * gained};
        bytes = length[pass];
        gained = 0;
        if (slope[pass] < INFINITY) {
            sample->low = fmin(sample->low, log(slope[pass]));
            sample->high = fmax(sample->high, log(slope[pass]));
        }
    }
}

/* Whether the whole picture, cut at the threshold, would be too long, or not yet too good. */
static bool is_beyond(const struct j2k_encode_tile *tile, const struct sample *sample, double threshold, double scale)
{
    const struct j2k_encode_source *source = tile->job->source;
    double bytes = 0, error = sample->error;
    for (uint32_t i = 0; i < sample->count; i++) {
        if (sample->cut[i].slope < threshold)
            continue;
        bytes += sample->cut[i].bytes;
        error -= sample->cut[i].gain;
    }
    return (source->bytes < UINT64_MAX && bytes * scale > (double)source->bytes) ||
           (source->error > 0 && error * scale < source->error);
}

bool kst_j2k_is_sampled(const struct j2k_encode_tile *tile, uint32_t block)
{
    const struct j2k_plan *plan = &tile->job->coded->plan;
    return block % stride_of(plan, plan->block[block].band) == 0;
}

static double count_cuts(const struct j2k_encode_tile *tile)
{
    double count = 0;
    for (uint32_t b = tile->first_block; b < tile->first_block + tile->block_count; b++)
        if (kst_j2k_is_sampled(tile, b))
            count += tile->job->coded->block[b].passes;
    return count;
}

double kst_j2k_encode_stop(struct j2k_encode_tile *tile)
{
    struct j2k_encode_job *job = tile->job;
    struct sample sample = {.low = INFINITY, .high = -INFINITY};
    sample.cut = kst_j2k_encode_take(job, (size_t)count_cuts(tile), sizeof *sample.cut);
    if (!sample.cut)
        return 0;
    for (uint32_t b = tile->first_block; b < tile->first_block + tile->block_count; b++)
        if (kst_j2k_is_sampled(tile, b))
            add_block(tile, b, &sample);
    double low = sample.low, high = sample.high;
    double scale = (double)job->coded->plan.block_count / tile->block_count;
    bool limited = low < high && is_beyond(tile, &sample, exp(low), scale);
    for (uint32_t i = 0; i < STEPS && limited; i++) {
        double middle = (low + high) / 2;
        if (is_beyond(tile, &sample, exp(middle), scale))
            low = middle;
        else
            high = middle;
    }
    kst_memory_release(job->memory, sample.cut);
    return !limited ? 0 : exp(low) * (job->coded->plan.tile_count > 1 ? margin_of_tiles : margin);
}
