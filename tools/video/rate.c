/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the quality of a frame by bisection. Frames resemble the one before, so that the search begins with its quality
 * and widens from there: where nothing changes, a frame is encoded twice.
 */
#include "video/rate.h"

enum { QUALITY_FIRST = 75 };

/* The range in which the quality lies: `fits` does, or is 0; `exceeds` does not, or is one more than the greatest. */
struct search {
    int fits, exceeds, step;
    kst_buffer best; /* of `fits`, or of the lowest quality where nothing fits */
};

double video_rate_allowance(const struct video_rate *rate)
{
    double half = rate->capacity / 2;

    if (rate->capacity <= 0)
        return rate->frame_bits;
    double wanted = rate->frame_bits * (1 + (half - rate->fill) / half);
    double left = rate->capacity - rate->fill;
    return wanted < left ? wanted : left;
}

static int next_quality(struct search *search, int tried, bool fitted)
{
    int next = tried + (fitted ? search->step : -search->step);

    search->step *= 2;
    if (next <= search->fits || next >= search->exceeds)
        next = search->fits + (search->exceeds - search->fits) / 2;
    return next;
}

/* Take what a quality has made as the best so far, or drop it. */
static bool take(struct search *search, kst_context *context, int quality, double bits, kst_buffer *made)
{
    bool fits = (double)made->length * 8 <= bits;

    if (fits)
        search->fits = quality;
    else
        search->exceeds = quality;
    if (fits || search->fits == 0) {
        kst_buffer_release(context, &search->best);
        search->best = *made;
    } else {
        kst_buffer_release(context, made);
    }
    return fits;
}

void video_rate_fill(struct video_rate *rate, double bits)
{
    if (rate->capacity > 0)
        rate->fill += bits - rate->frame_bits;
    if (rate->fill < 0)
        rate->fill = 0;
}

static void count(struct video_rate *rate, const struct search *search)
{
    double bits = (double)search->best.length * 8;

    rate->quality = search->fits > 0 ? search->fits : 1;
    rate->over += search->fits == 0;
    video_rate_fill(rate, bits);
}

kst_status video_rate_encode(struct video_rate *rate, kst_context *context, const kst_image *image,
    const kst_encode_options *options, kst_buffer *output, kst_report *report)
{
    struct search search = {.exceeds = rate->most + 1, .step = 1};
    kst_encode_options with = *options;
    double bits = video_rate_allowance(rate);
    int quality = rate->quality > 0 ? rate->quality : rate->most < QUALITY_FIRST ? rate->most : QUALITY_FIRST;
    kst_status status = KST_OK;

    while (!status && search.exceeds - search.fits > 1) {
        kst_buffer made = {.data = NULL};
        with.quality = quality;
        status = kst_encode(context, image, &with, &made, report);
        if (!status)
            quality = next_quality(&search, quality, take(&search, context, quality, bits, &made));
    }
    if (status)
        kst_buffer_release(context, &search.best);
    else
        count(rate, &search);
    *output = search.best;
    return status;
}
