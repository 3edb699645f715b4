/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the coding passes of a code-block (T.800 Annex D). The decisions of a whole pass are collected and then coded in
 * one run. So neither the modelling of contexts nor the arithmetic coder has to keep the other's state in registers.
 */
#include "j2k/cpu/blocks/block_encode.h"

#include <string.h>

#include "j2k/cpu/blocks/coding_words.h"
#include "j2k/rate/measure.h"

static int64_t raw_significance_pass(struct j2k_block_encoder *encoder, const struct j2k_measure *measure)
{
    const uint32_t width = encoder->settings->width;
    const bool causal = (encoder->settings->style & J2K_STYLE_CAUSAL) != 0;
    int64_t gain = 0;
    for (uint32_t stripe = 0; stripe < encoder->stripes; stripe++) {
        struct j2k_stripe s = j2k_stripe_at(encoder, stripe);
        for (uint32_t w = 0; w < s.words; w++) {
            const uint32_t *samples = encoder->sample + (size_t)4 * stripe * width + (size_t)16 * w;
            for (uint64_t left = s.visited[w] = j2k_spread_significance(&s, w, causal); left != 0; left &= left - 1) {
                uint32_t at = (uint32_t)__builtin_ctzll(left), one = s.bits[w] >> at & 1;
                j2k_raw_write(&encoder->raw, one);
                if (!one)
                    continue;
                j2k_raw_write(&encoder->raw, s.negative[w] >> at & 1);
                gain += j2k_significance_gain(measure, samples[at % 4 * width + at / 4]);
            }
        }
    }
    return gain;
}

static void raw_refinement_pass(struct j2k_block_encoder *encoder)
{
    for (uint32_t stripe = 0; stripe < encoder->stripes; stripe++) {
        struct j2k_stripe s = j2k_stripe_at(encoder, stripe);
        for (uint32_t w = 0; w < s.words; w++) {
            uint64_t left = s.significant[w] & ~s.visited[w];
            s.refined[w] |= left;
            for (; left != 0; left &= left - 1)
                j2k_raw_write(&encoder->raw, s.bits[w] >> __builtin_ctzll(left) & 1);
        }
    }
}

static int64_t coded_significance_pass(
    struct j2k_block_encoder *encoder, j2k_decision **end, const struct j2k_measure *measure)
{
    const struct j2k_coding_passes *passes = encoder->functions;
    const bool causal = (encoder->settings->style & J2K_STYLE_CAUSAL) != 0;
    if (!encoder->settings->measure && !causal)
        return passes->plain_significance(encoder, end, measure);
    return passes->significance[causal](encoder, end, measure);
}

static j2k_decision *coded_cleanup_pass(struct j2k_block_encoder *encoder)
{
    const struct j2k_coding_passes *passes = encoder->functions;
    j2k_decision *end = passes->cleanup[(encoder->settings->style & J2K_STYLE_CAUSAL) != 0](encoder);
    if ((encoder->settings->style & J2K_STYLE_SYMBOLS) != 0) /* the segmentation symbol of D.5 */
        for (uint32_t i = 0; i < 4; i++)
            *end++ = (j2k_decision)(J2K_CONTEXT_UNIFORM << 1 | (0xAu >> (3 - i) & 1));
    return end;
}

static uint32_t count_planes(const struct j2k_block_encoder *encoder)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < encoder->settings->width * encoder->settings->height; i++)
        any |= encoder->sample[i];
    any &= 0x7FFFFFFF;
    return any == 0 ? 0 : 32 - (uint32_t)__builtin_clz(any);
}

/* Return the bytes of a set of coefficients. */
static size_t set_size(const struct j2k_block_encoder *encoder)
{
    return sizeof(uint64_t) * ((encoder->stripes + 2) * (encoder->words + 1) + 1);
}

static void collect_planes(struct j2k_block_encoder *encoder, const struct j2k_block_settings *settings)
{
    const uint32_t columns = settings->width % 16, rows = settings->height % 4;
    encoder->settings = settings;
    encoder->stripes = (settings->height + 3) / 4;
    encoder->words = (settings->width + 15) / 16;
    encoder->last_columns = columns == 0 ? UINT64_MAX : ((uint64_t)1 << 4 * columns) - 1;
    encoder->last_rows = rows == 0 ? UINT64_MAX : J2K_TOP_ROWS * ((1u << rows) - 1);
    encoder->planes = settings->planes > 0 ? settings->planes : count_planes(encoder);
    if (encoder->planes == 0)
        return;
    encoder->bits = encoder->plane[encoder->planes - 1];
    memset(encoder->negative, 0, set_size(encoder));
    encoder->functions->gather(encoder);
}

static void prepare(struct j2k_block_encoder *encoder, const struct j2k_block_settings *settings)
{
    collect_planes(encoder, settings);
    encoder->passes = encoder->planes == 0 ? 0 : 3 * encoder->planes - 2;
    encoder->room[0] = 0;
    encoder->data = encoder->room + 1;
    encoder->length = 0;
    encoder->left = 0;
    if (encoder->passes == 0)
        return;
    memset(encoder->significant, 0, set_size(encoder));
    memset(encoder->visited, 0, set_size(encoder));
    memset(encoder->refined, 0, set_size(encoder));
    kst_j2k_cpu_mq_reset(encoder->contexts);
}

/* Holds gains of a plane that are computed before or during its passes. */
struct plane_gains {
    struct j2k_measure measure;
    struct j2k_gains all;
    int64_t significance; /* gain of the significance pass */
};

static void code_raw_pass(struct j2k_block_encoder *encoder, uint32_t pass, struct plane_gains *gains)
{
    if (pass % 3 == 1)
        gains->significance = raw_significance_pass(encoder, &gains->measure);
    else
        raw_refinement_pass(encoder);
}

static void code_pass(struct j2k_block_encoder *encoder, uint32_t pass, struct plane_gains *gains)
{
    j2k_decision *end = encoder->decision;
    if (pass % 3 == 1)
        gains->significance = coded_significance_pass(encoder, &end, &gains->measure);
    else
        end = pass % 3 == 2 ? encoder->functions->refinement(encoder) : coded_cleanup_pass(encoder);
    encoder->functions->encode(&encoder->mq, encoder->contexts, encoder->decision, end);
    if ((encoder->settings->style & J2K_STYLE_RESET) != 0)
        kst_j2k_cpu_mq_reset(encoder->contexts);
}

static double pass_gain(const struct plane_gains *gains, uint32_t pass)
{
    int64_t gain = pass % 3 == 1   ? gains->significance
                   : pass % 3 == 2 ? gains->all.refinement
                                   : gains->all.significance - gains->significance;
    return (double)gain * gains->measure.unit;
}

/* Set the lengths that the passes `first` to `last` need; they share the segment that ends at `end`. */
static void settle_lengths(struct j2k_block_encoder *encoder, uint32_t first, uint32_t last, uint8_t *end)
{
    const uint8_t *begin = encoder->data + encoder->length;
    uint32_t before = encoder->length;
    const bool raw = j2k_pass_is_raw(encoder->settings->style, first);
    for (uint32_t pass = first; pass < last; pass++) {
        uint32_t need = raw ? (uint32_t)(encoder->bound[pass].at - begin)
                            : kst_j2k_cpu_mq_needed(&encoder->bound[pass], begin, end);
        uint32_t length = encoder->length + need;
        before = length > before ? length : before;
        encoder->pass[pass].length = before;
    }
    encoder->length = (uint32_t)(end - encoder->data);
    encoder->pass[last].length = encoder->length;
}

/* End a segment whose last pass is `pass`. Returns its end. */
static uint8_t *end_segment(struct j2k_block_encoder *encoder, uint32_t pass)
{
    uint8_t *begin = encoder->data + encoder->length;
    if (j2k_pass_is_raw(encoder->settings->style, pass))
        return kst_j2k_cpu_raw_write_end(&encoder->raw, begin);
    if ((encoder->settings->style & J2K_STYLE_PREDICTABLE) != 0)
        return kst_j2k_cpu_mq_flush_predictably(&encoder->mq);
    struct j2k_mq_bound bound = kst_j2k_cpu_mq_bound(&encoder->mq);
    return begin + kst_j2k_cpu_mq_needed(&bound, begin, kst_j2k_cpu_mq_flush(&encoder->mq));
}

/*
 * Return the end of the bytes needed up to here: whole bytes, one more for bits of a started byte, and one that keeps
 * 0xFF from being last.
 */
static uint8_t *raw_need(const struct j2k_raw_writer *raw)
{
    return raw->next + (raw->free < 8);
}

static void measure_plane(const struct j2k_block_encoder *encoder, uint32_t plane, struct plane_gains *gains)
{
    const struct j2k_block_settings *settings = encoder->settings;
    gains->measure = j2k_measure_plane(plane, settings->exact);
    gains->significance = 0;
    if (settings->measure)
        gains->all = encoder->functions->gains(encoder, &gains->measure);
}

static bool is_worthwhile(const struct j2k_block_settings *settings, const struct plane_gains *plane)
{
    const struct j2k_gains *all = &plane->all;
    const double unit = plane->measure.unit;
    return j2k_is_worth(all->significance, unit, settings->stop,
               j2k_significance_cost(all, settings->width * settings->height)) ||
           j2k_is_worth(all->refinement, unit, settings->stop, j2k_refinement_cost(all));
}

/* Return the lowest plane that may be worth its bytes; those below it need not be measured. */
static uint32_t first_to_measure(const struct j2k_block_encoder *encoder)
{
    uint32_t plane = 0;
    for (; plane + 1 < encoder->planes; plane++) {
        const struct j2k_measure measure = j2k_measure_plane(plane, encoder->settings->exact);
        if (j2k_may_be_worth(&measure, encoder->settings->stop))
            break;
    }
    return plane;
}

/*
 * Leave out the planes below the lowest one that seems to be worth its bytes. *lowest receives the gains of that plane
 * if they were computed.
 */
static void leave_out_planes(struct j2k_block_encoder *encoder, struct plane_gains *lowest)
{
    const struct j2k_block_settings *settings = encoder->settings;
    lowest->measure.plane = UINT32_MAX;
    if (encoder->planes < 2 || settings->stop <= 0)
        return;
    uint32_t plane = first_to_measure(encoder);
    for (; plane + 1 < encoder->planes; plane++) {
        measure_plane(encoder, plane, lowest);
        if (is_worthwhile(settings, lowest))
            break;
    }
    if (plane == 0)
        return;
    encoder->passes = 3 * (encoder->planes - plane) - 2;
    if (settings->sum)
        encoder->left = j2k_left_out(encoder->sample, settings->width * settings->height, plane, settings->exact);
}

/*
 * Return how many passes behind the significance pass of the lowest plane seem not to be worth their bytes: the cleanup
 * pass, and then perhaps the refinement pass, too. Passes that make integers exact are kept, because together they may
 * gain more. What they would have gained is not added to the sum of what is left out, so none are left out where that
 * sum is wanted.
 */
static uint32_t unworthy_passes(struct j2k_block_encoder *encoder, const struct plane_gains *gains)
{
    const struct j2k_block_settings *settings = encoder->settings;
    const double unit = gains->measure.unit;
    const int64_t cleanup = gains->all.significance - gains->significance;
    if (settings->stop <= 0 || settings->sum || settings->width < J2K_CUT_WIDTH)
        return 0;
    if ((settings->exact && gains->measure.plane == 0) ||
        j2k_is_worth(cleanup, unit, settings->stop, encoder->functions->cleanup_cost(encoder)))
        return 0;
    return j2k_is_worth(gains->all.refinement, unit, settings->stop, j2k_refinement_cost(&gains->all)) ? 1 : 2;
}

void kst_j2k_cpu_block_encode(struct j2k_block_encoder *encoder, const struct j2k_block_settings *settings)
{
    struct plane_gains gains = {.significance = 0}, lowest;
    uint32_t first = 0;
    bool begins = true;
    prepare(encoder, settings);
    leave_out_planes(encoder, &lowest);
    if (settings->most > 0 && encoder->passes > settings->most)
        encoder->passes = settings->most;
    for (uint32_t pass = 0; pass < encoder->passes; pass++) {
        uint32_t plane = encoder->planes - 1 - (pass + 2) / 3;
        bool raw = j2k_pass_is_raw(settings->style, pass);
        if (pass == 0 || pass % 3 == 1) {
            encoder->bits = encoder->plane[plane];
            if (plane == lowest.measure.plane)
                gains = lowest;
            else
                measure_plane(encoder, plane, &gains);
        }
        if (begins) {
            first = pass;
            uint8_t *data = encoder->data + encoder->length;
            if (raw)
                kst_j2k_cpu_raw_write_start(&encoder->raw, data);
            else
                kst_j2k_cpu_mq_encode_start(&encoder->mq, data);
        }
        if (raw)
            code_raw_pass(encoder, pass, &gains);
        else
            code_pass(encoder, pass, &gains);
        if (pass + 3 == encoder->passes)
            encoder->passes -= unworthy_passes(encoder, &gains);
        encoder->pass[pass].gain = settings->measure ? pass_gain(&gains, pass) : 0;
        begins = j2k_pass_ends_segment(settings->style, pass) || pass + 1 == encoder->passes;
        if (begins)
            settle_lengths(encoder, first, pass, end_segment(encoder, pass));
        else if (raw)
            encoder->bound[pass].at = raw_need(&encoder->raw);
        else
            encoder->bound[pass] = kst_j2k_cpu_mq_bound(&encoder->mq);
    }
}

uint32_t kst_j2k_cpu_block_measure(
    struct j2k_block_encoder *encoder, const struct j2k_block_settings *settings, struct j2k_gains *gains)
{
    collect_planes(encoder, settings);
    for (uint32_t plane = 0; plane < encoder->planes; plane++) {
        const struct j2k_measure measure = j2k_measure_plane(plane, settings->exact);
        gains[plane] = encoder->functions->gains(encoder, &measure);
    }
    return encoder->planes;
}
