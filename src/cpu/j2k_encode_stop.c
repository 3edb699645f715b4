/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far blocks need be coded for a target, guessed from a sample of them: what their planes gain is worked out, what
 * they cost is estimated. Rate allocation notices where the guess was too high. It depends on the sample alone, so that
 * the outcome is the same on any device and for any number of threads.
 */
#include <math.h>

#include "cpu/j2k_block_measure.h"
#include "cpu/j2k_encode_tile.h"
#include "j2k/rate.h"

enum {
    STEPS = 16,                     /* by which the threshold is halved in */
    POINTS = 2 * J2K_ENCODER_PLANES /* of a block: each plane's significance, then its refinement */
};

/*
 * Of the gain for a byte that the sample promises: planes from which less is to be expected are left out. Of several
 * tiles each takes the whole picture to be like itself, which it seldom is.
 */
static const double margin = 0.65, margin_of_tiles = 0.25;

/* Where a block may be cut: what a byte gains up to there, bytes and gain in all. */
struct cut {
    double slope, bytes, gain; /* the latter two of all blocks that this one stands for */
};

struct sample {
    struct cut *cut;
    uint32_t count;
    double error;     /* before any pass */
    double low, high; /* slopes */
};

/* Of a band's blocks one of so many: all weigh much where there are few. */
static uint32_t stride_of(const struct j2k_plan *plan, uint32_t band)
{
    const struct j2k_tile_component *tc = &plan->tile_component[plan->band[band].tile_component];
    const struct j2k_resolution *top = &plan->resolution[tc->first_resolution + tc->resolution_count - 1U];
    if (band >= top->first_band)
        return 4;
    return tc->resolution_count > 1 && band >= top[-1].first_band ? 2 : 1;
}

/*
 * What a plane costs on average, in quarters of a bit: signs, zeros around them, and what coders take to adapt. A
 * sample costs the more the fewer of those left become significant with it. Fitted to planes of twelve photographs, of
 * whose lengths it explains 99% (squared errors, in shares of the variance).
 */
enum { QUARTER_BITS = 32, SIGNIFICANCE_COST = 32, REFINEMENT_COST = 16, REFINED_COST = 4 };

static uint32_t significance_cost(const struct j2k_gains *gains, uint32_t samples)
{
    static const struct {
        uint32_t share; /* of those left, in 400ths: less than that */
        uint32_t cost;
    } step[] = {{1, 39}, {2, 34}, {4, 30}, {8, 27}, {14, 25}, {20, 23}, {30, 21}, {40, 20}, {60, 19}, {80, 18},
        {120, 16}, {160, 14}, {200, 13}};
    enum { STEPS_OF_COST = sizeof step / sizeof step[0], LEAST_COST = 10, WHOLE = 400 };
    uint32_t rest = samples - gains->refined;
    for (uint32_t i = 0; i < STEPS_OF_COST; i++)
        if (gains->significant * WHOLE < rest * step[i].share)
            return SIGNIFICANCE_COST + gains->significant * step[i].cost;
    return SIGNIFICANCE_COST + gains->significant * LEAST_COST;
}

/* Lengths of a block up to each point, in parts of a byte, and gains. Returns how many points there are. */
static uint32_t estimate(const struct j2k_block_result *result, uint32_t samples, bool exact, double unit,
    uint32_t length[POINTS], double gain[POINTS])
{
    uint32_t count = 0, sum = 0;
    for (uint32_t plane = result->planes; plane-- > 0;) {
        const struct j2k_gains *gains = &result->plane[plane];
        double scale = unit * j2k_measure_plane(plane, exact).unit;
        sum += significance_cost(gains, samples);
        length[count] = sum;
        gain[count++] = gains->significance * scale;
        sum += gains->refined > 0 ? REFINEMENT_COST + REFINED_COST * gains->refined : 0;
        length[count] = sum;
        gain[count++] = gains->refinement * scale;
    }
    return count;
}

static void add_cut(struct sample *sample, double slope, double bytes, double gain)
{
    sample->cut[sample->count++] = (struct cut){slope, bytes, gain};
    sample->low = slope < sample->low ? slope : sample->low;
    sample->high = slope > sample->high ? slope : sample->high;
}

static void add_block(const struct j2k_encode_tile *tile, uint32_t index, struct sample *sample)
{
    const struct j2k_encode_job *job = tile->job;
    const struct j2k_plan *plan = &job->coded->plan;
    const struct j2k_block_result *result = &job->result[index];
    const struct j2k_block *block = &plan->block[index];
    const struct j2k_band *band = &plan->band[block->band];
    double half = band->step / 2, unit = job->source->weight[block->band] * half * half;
    double stride = stride_of(plan, block->band), gain[POINTS] = {0}, slope[POINTS], gained = 0;
    uint32_t length[POINTS] = {0}, before = 0;
    uint32_t points = estimate(result, (uint32_t)block->width * block->height,
        plan->tile_component[band->tile_component].reversible, unit, length, gain);
    kst_j2k_slopes(length, gain, points, slope);
    sample->error += stride * 4 * unit * result->error;
    for (uint32_t i = 0; i < points; i++) {
        sample->error += stride * gain[i];
        gained += gain[i];
        if (slope[i] <= 0)
            continue;
        add_cut(sample, slope[i] * QUARTER_BITS, stride * (length[i] - before) / QUARTER_BITS, stride * gained);
        before = length[i];
        gained = 0;
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

static size_t count_points(const struct j2k_encode_tile *tile)
{
    size_t count = 0;
    for (uint32_t b = tile->first_block; b < tile->first_block + tile->block_count; b++)
        if (kst_j2k_is_sampled(tile, b))
            count += 2U * tile->job->result[b].planes;
    return count;
}

double kst_j2k_encode_stop(struct j2k_encode_tile *tile)
{
    struct j2k_encode_job *job = tile->job;
    struct sample sample = {.low = INFINITY, .high = 0};
    sample.cut = kst_j2k_encode_take(job, count_points(tile), sizeof *sample.cut);
    if (!sample.cut)
        return 0;
    for (uint32_t b = tile->first_block; b < tile->first_block + tile->block_count; b++)
        if (kst_j2k_is_sampled(tile, b))
            add_block(tile, b, &sample);
    double scale = (double)job->coded->plan.block_count / tile->block_count;
    bool limited = sample.low < sample.high && is_beyond(tile, &sample, sample.low, scale);
    double low = limited ? log(sample.low) : 0, high = limited ? log(sample.high) : 0;
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
