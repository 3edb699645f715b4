/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the quality of a frame by bisection. Frames resemble the previous one, so the search begins with its quality
 * and widens from there: if nothing changes, a frame is encoded twice. A GPU, for which a call costs about as much as a
 * frame, gets the frame only once, and encodes in one call what the next two steps may need. The search takes the same
 * steps on every device.
 */
#include "video/rate.h"

#include <kostka/kostka_device.h>

enum { QUALITY_FIRST = 75, AHEAD = 3 /* a step, and the two that may follow it */ };

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

kst_memory video_device_memory(kst_context *context)
{
    kst_device_info info = {.size = sizeof info};

    if (kst_context_device(context, &info))
        return KST_MEMORY_HOST;
    return info.kind == KST_DEVICE_CUDA     ? KST_MEMORY_CUDA
           : info.kind == KST_DEVICE_OPENCL ? KST_MEMORY_OPENCL
                                            : KST_MEMORY_HOST;
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

static void count(struct video_rate *rate, const struct search *search)
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

/* Holds encodings of a frame that were made ahead for steps that may follow. */
struct ahead {
    kst_encode_item item[AHEAD];
    kst_encode_options options[AHEAD];
    uint32_t count;
};

/* List a quality and, for a GPU, the qualities that the step after it may need. */
static void plan(
    const struct search *search, int quality, bool gpu, const kst_encode_options *options, struct ahead *ahead)
{
    int list[AHEAD] = {quality};

    ahead->count = 1;
    for (int fits = 0; fits < 2 && gpu; fits++) {
        struct search then = *search;
        learn(&then, quality, fits != 0);
        if (goes_on(&then))
            list[ahead->count++] = next_quality(&then, quality, fits != 0);
    }
    for (uint32_t i = 0; i < ahead->count; i++) {
        ahead->options[i] = *options;
        ahead->options[i].quality = list[i];
    }
}

static void make(kst_context *context, const kst_image *image, struct ahead *ahead)
{
    for (uint32_t i = 0; i < ahead->count; i++) {
        ahead->item[i] = (kst_encode_item){.image = image, .options = &ahead->options[i]};
        kst_report_init(&ahead->item[i].report); /* kst_encode() does not write to a report without a size */
    }
    if (ahead->count > 1)
        kst_encode_batch(context, ahead->item, ahead->count);
    else
        kst_encode(context, image, ahead->options, &ahead->item[0].output, &ahead->item[0].report);
}

/* Find the encoding with a quality. Null: it has not been made. */
static kst_encode_item *find(struct ahead *ahead, int quality)
{
    for (uint32_t i = 0; i < ahead->count; i++)
        if (ahead->options[i].quality == quality)
            return &ahead->item[i];
    return NULL;
}

/* Drop encodings that no step has used. */
static void drop(kst_context *context, struct ahead *ahead)
{
    for (uint32_t i = 0; i < ahead->count; i++)
        kst_buffer_release(context, &ahead->item[i].output);
    ahead->count = 0;
}

/* Take the steps of the search. Only a failure of a step's own encoding ends it, not one of an encoding made ahead. */
static kst_status run(struct search *search, int quality, double bits, kst_context *context, const kst_image *image,
    const kst_encode_options *options, kst_report *report)
{
    bool gpu = image->memory != KST_MEMORY_HOST;
    struct ahead ahead = {.count = 0};
    kst_status status = KST_OK;

    while (!status && goes_on(search)) {
        kst_encode_item *made = find(&ahead, quality);
        if (made == NULL) {
            drop(context, &ahead);
            plan(search, quality, gpu, options, &ahead);
            make(context, image, &ahead);
            made = &ahead.item[0];
        }
        *report = made->report;
        status = made->report.status;
        if (!status) {
            kst_buffer output = made->output;
            made->output = (kst_buffer){.data = NULL};
            quality = next_quality(search, quality, take(search, context, quality, bits, &output));
        }
    }
    drop(context, &ahead);
    return status;
}

/*
 * Upload a frame to the device on which it is encoded several times. Returns the frame itself if that is not possible.
 */
static const kst_image *bring(kst_context *context, const kst_image *image, kst_image *there)
{
    kst_memory memory = video_device_memory(context);

    *there = *image;
    there->memory = memory;
    there->owned = NULL;
    for (uint32_t i = 0; i < image->plane_count; i++)
        there->plane[i].data = NULL;
    if (image->memory != KST_MEMORY_HOST || memory == KST_MEMORY_HOST || kst_image_allocate(context, there))
        return image;
    return kst_image_copy(context, image, there) ? image : there;
}

kst_status video_rate_encode(struct video_rate *rate, kst_context *context, const kst_image *image,
    const kst_encode_options *options, kst_buffer *output, kst_report *report)
{
    struct search search = {.exceeds = rate->most + 1, .step = 1};
    int quality = rate->quality > 0 ? rate->quality : rate->most < QUALITY_FIRST ? rate->most : QUALITY_FIRST;
    kst_image there;

    const kst_image *from = bring(context, image, &there);
    kst_status status = run(&search, quality, video_rate_allowance(rate), context, from, options, report);
    kst_image_release(context, &there);
    if (status)
        kst_buffer_release(context, &search.best);
    else
        count(rate, &search);
    *output = search.best;
    return status;
}
