/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the quality of a frame by bisection. Frames resemble the previous one, so the search begins with its quality
 * and widens from there: if nothing changes, a frame is encoded twice. Encodings with the qualities that the search
 * will probably ask for may have been made ahead, on any device and in any order. A GPU, for which a call costs about
 * as much as a frame, gets a frame only once, and encodes in one call what the next two steps may need. The search
 * takes the same steps in all cases, so that a frame's bytes do not depend on devices or on what was made ahead.
 */
#include "video/rate.h"

#include <kostka/kostka_device.h>

enum { QUALITY_FIRST = 75, STEPS = 3 /* a step, and the two that may follow it */ };

/*
 * Holds the range of the quality: `fits` is a quality that fits, or 0; `exceeds` one that does not, or one more than
 * the greatest.
 */
struct search {
    int fits, exceeds, step;
    kst_buffer best; /* stream with the quality `fits`, or with the lowest quality tried if none fits */
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

/* Narrow the range by whether a quality fits. */
static void learn(struct search *search, int quality, bool fits)
{
    if (fits)
        search->fits = quality;
    else
        search->exceeds = quality;
}

/* Keep the stream of a quality as the best so far, or drop it. Returns whether it fits. */
static bool take(struct search *search, kst_context *context, int quality, double bits, kst_buffer *made)
{
    bool fits = (double)made->length * 8 <= bits;

    learn(search, quality, fits);
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

static void note(struct video_rate *rate, const struct search *search)
{
    double bits = (double)search->best.length * 8;

    rate->quality = search->fits > 0 ? search->fits : 1;
    rate->over += search->fits == 0;
    video_rate_fill(rate, bits);
}

static bool goes_on(const struct search *search)
{
    return search->exceeds - search->fits > 1;
}

/* Return the quality that the search begins with: that of the last frame, if there was one. */
static int begin_with(int last, int most)
{
    return last > 0 ? last : most < QUALITY_FIRST ? most : QUALITY_FIRST;
}

/* Holds encodings of a frame that were made for a step, and for steps that may follow. */
struct made {
    kst_encode_item item[STEPS];
    kst_encode_options options[STEPS];
    uint32_t count;
};

/* Holds what a search works on. */
struct work {
    struct search search;
    const struct video_source *source;
    const struct video_encoding *ahead;
    uint32_t ahead_count;
    kst_image image, there; /* the frame, and on a GPU its copy there */
    bool is_open;
    struct made made;
};

/* List a quality and, for a GPU, the qualities that the step after it may need. */
static void plan(struct work *work, int quality)
{
    const bool gpu = kst_context_memory(work->source->context) != KST_MEMORY_HOST;
    struct made *made = &work->made;
    int list[STEPS] = {quality};

    made->count = 1;
    for (int fits = 0; fits < 2 && gpu; fits++) {
        struct search then = work->search;
        learn(&then, quality, fits != 0);
        if (goes_on(&then))
            list[made->count++] = next_quality(&then, quality, fits != 0);
    }
    for (uint32_t i = 0; i < made->count; i++) {
        made->options[i] = *work->source->options;
        made->options[i].quality = list[i];
    }
}

/* Get the frame, and upload it once, because it may be encoded several times. */
static kst_status open_image(struct work *work, kst_report *report)
{
    kst_context *context = work->source->context;

    if (work->is_open)
        return KST_OK;
    kst_image_init(&work->image);
    kst_image_init(&work->there);
    kst_status status = work->source->open(work->source->user, &work->image, report);
    work->is_open = !status;
    if (!status && kst_image_upload(context, &work->image, &work->there))
        work->there = work->image; /* each encoding then uploads it */
    return status;
}

static void close_image(struct work *work)
{
    if (!work->is_open)
        return;
    if (work->there.owned != work->image.owned)
        kst_image_release(work->source->context, &work->there);
    kst_image_release(work->source->context, &work->image);
}

static void make(struct work *work)
{
    kst_context *context = work->source->context;
    struct made *made = &work->made;

    for (uint32_t i = 0; i < made->count; i++) {
        made->item[i] = (kst_encode_item){.image = &work->there, .options = &made->options[i]};
        kst_report_init(&made->item[i].report); /* kst_encode() does not write to a report without a size */
    }
    if (made->count > 1)
        kst_encode_batch(context, made->item, made->count);
    else
        kst_encode(context, &work->there, made->options, &made->item[0].output, &made->item[0].report);
}

/* Drop encodings that no step has used. */
static void drop(struct work *work)
{
    for (uint32_t i = 0; i < work->made.count; i++)
        kst_buffer_release(work->source->context, &work->made.item[i].output);
    work->made.count = 0;
}

/* Find an encoding that was made ahead, whose buffer stays its owner's. */
static bool find_ahead(const struct work *work, int quality, kst_buffer *output)
{
    for (uint32_t i = 0; i < work->ahead_count; i++)
        if (work->ahead[i].quality == quality) {
            *output = (kst_buffer){.data = work->ahead[i].data, .length = work->ahead[i].length};
            return true;
        }
    return false;
}

/* Find an encoding that was made for this or an earlier step, and take its buffer. Null: it has not been made. */
static kst_encode_item *find_made(struct work *work, int quality, kst_buffer *output)
{
    for (uint32_t i = 0; i < work->made.count; i++)
        if (work->made.options[i].quality == quality) {
            *output = work->made.item[i].output;
            work->made.item[i].output = (kst_buffer){.data = NULL};
            return &work->made.item[i];
        }
    return NULL;
}

/* Get the encoding with a quality. Only a failure of its own is returned, not one of an encoding made ahead. */
static kst_status get(struct work *work, int quality, kst_buffer *output, kst_report *report)
{
    kst_status status = KST_OK;

    if (find_ahead(work, quality, output))
        return KST_OK;
    const kst_encode_item *made = find_made(work, quality, output);
    if (made == NULL) {
        status = open_image(work, report);
        if (status)
            return status;
        drop(work);
        plan(work, quality);
        make(work);
        made = find_made(work, quality, output);
    }
    *report = made->report;
    return report->status;
}

uint32_t video_rate_guess(int quality, int most, uint32_t wanted, int list[RATE_AHEAD])
{
    static const int steps[RATE_AHEAD] = {0, 1, -1, 2, -2};
    uint32_t count = 0;

    quality = begin_with(quality, most);
    for (uint32_t i = 0; i < RATE_AHEAD && i < wanted; i++)
        if (quality + steps[i] >= 1 && quality + steps[i] <= most)
            list[count++] = quality + steps[i];
    return count;
}

kst_status video_rate_encode(struct video_rate *rate, const struct video_source *source,
    const struct video_encoding *ahead, uint32_t count, kst_buffer *output, kst_report *report)
{
    const double bits = video_rate_allowance(rate);
    struct work work = {
        .search = {.exceeds = rate->most + 1, .step = 1}, .source = source, .ahead = ahead, .ahead_count = count};
    int quality = begin_with(rate->quality, rate->most);
    kst_status status = KST_OK;

    while (!status && goes_on(&work.search)) {
        kst_buffer made = {.data = NULL};
        status = get(&work, quality, &made, report);
        if (!status)
            quality = next_quality(&work.search, quality, take(&work.search, source->context, quality, bits, &made));
    }
    drop(&work);
    close_image(&work);
    if (status)
        kst_buffer_release(source->context, &work.search.best);
    else
        note(rate, &work.search);
    *output = work.search.best;
    return status;
}
