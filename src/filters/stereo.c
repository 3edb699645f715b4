/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements kst_filter_stereo(): checks, images, and the choice of threads or a device. */
#include <stdio.h>

#include "core/report.h"
#include "filters/cpu/stereo.h"
#include "filters/gpu/stereo.h"
#include "filters/set.h"
#include "filters/shape.h"
#include "run/device.h"

enum { LEFT, RIGHT, DISPARITY, CONFIDENCE, IMAGES };
enum { MOST_UNIQUE = 99 };

void kst_filter_stereo_options_init(kst_stereo_options *options)
{
    if (options)
        *options = (kst_stereo_options){.size = sizeof *options,
            .disparities = 128,
            .paths = 8,
            .p1 = 8,
            .p2 = 48,
            .uniqueness = 5,
            .tolerance = 1};
}

static kst_status check_options(const kst_stereo_options *options, char reason[FILTER_REASON])
{
    const char *wrong = NULL;
    if (options->disparities < 2 || options->disparities > FILTER_STEREO_DISPARITIES)
        wrong = "disparities are 2 to 256";
    else if (options->least > FILTER_STEREO_DISPARITIES - options->disparities)
        wrong = "the least disparity and the number of disparities come to more than 256";
    else if (options->paths != 4 && options->paths != FILTER_STEREO_DIRECTIONS)
        wrong = "paths are 4 or 8";
    else if (options->p2 > FILTER_STEREO_PENALTY || options->p1 > options->p2)
        wrong = "p2 is 0 to 224, and p1 is not above it";
    else if (options->uniqueness > MOST_UNIQUE)
        wrong = "uniqueness is 0 to 99 per cent";
    else if (options->tolerance < -1 || options->tolerance >= FILTER_STEREO_DISPARITIES)
        wrong = "the tolerance is 0 to 255 pixels, or -1 for none";
    if (!wrong)
        return KST_OK;
    snprintf(reason, FILTER_REASON, "%s", wrong);
    return KST_ERROR_OPTIONS;
}

static kst_status check_sources(const struct filter_set *set, char reason[FILTER_REASON])
{
    const kst_image *left = set->image[LEFT], *right = set->image[RIGHT];
    kst_status status = kst_filter_set_check(set, left, reason);
    if (!status)
        status = kst_filter_set_check(set, right, reason);
    if (status)
        return status;
    if (left->width != right->width || left->height != right->height) {
        snprintf(reason, FILTER_REASON,
            "the left image has %ux%u pixels and the right one %ux%u; rectify them together", (unsigned)left->width,
            (unsigned)left->height, (unsigned)right->width, (unsigned)right->height);
        return KST_ERROR_IMAGE_SIZE;
    }
    const struct filter_pixels a = kst_filter_pixels_of(left), b = kst_filter_pixels_of(right);
    if (a.greatest == b.greatest && a.colours == b.colours)
        return KST_OK;
    snprintf(reason, FILTER_REASON, "the images differ in depth, or in whether they are grey; convert one of them");
    return a.colours != b.colours ? KST_ERROR_IMAGE_FORMAT : KST_ERROR_IMAGE_DEPTH;
}

static kst_status match_on_cpu(struct filter_set *set, const kst_stereo_options *options, kst_report *report)
{
    const struct operation operation = kst_context_operation(set->context, &set->memory, report, NULL);
    const struct filter_work work = {.context = set->context, .operation = &operation};
    struct filter_pixels pixels[IMAGES];
    for (uint32_t i = 0; i < IMAGES; i++)
        if (set->image[i])
            pixels[i] = kst_filter_pixels_of(set->image[i]);
    double start = kst_seconds();
    kst_status status = kst_filter_stereo_match(
        &work, options, pixels, &pixels[DISPARITY], set->image[CONFIDENCE] ? &pixels[CONFIDENCE] : NULL);
    kst_report_stage(report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    report->threads = kst_pool_threads(operation.pool);
    return status;
}

static kst_status match_on_gpu(
    struct filter_set *set, const kst_stereo_options *options, kst_report *report, char reason[FILTER_REASON])
{
    struct gpu_runtime *runtime = kst_context_gpu(set->context);
    const struct operation operation = kst_context_operation(set->context, &set->memory, report, NULL);
    const kst_image *there[FILTER_SET_IMAGES];
    struct gpu_error error = {.status = KST_OK};
    double seconds = 0;
    kst_status status = kst_filter_set_send(set, there);
    if (!status)
        status = kst_filter_gpu_stereo(runtime, &operation, options, there, &seconds, &error);
    return kst_filter_set_finish(set, status, &error, seconds, report, reason);
}

static kst_status match(struct filter_set *set, const kst_stereo_options *options, kst_report *report)
{
    char reason[FILTER_REASON] = "";
    kst_memory_init_beside(&set->memory, &set->context->memory, set->context->limits.memory);
    kst_status status = check_options(options, reason);
    if (!status)
        status = check_sources(set, reason);
    if (!status)
        status = kst_filter_set_begin(set, set->image[LEFT], reason);
    if (!status)
        status = kst_filter_set_on_gpu(set) ? match_on_gpu(set, options, report, reason)
                                            : match_on_cpu(set, options, report);
    kst_filter_set_end(set, status);
    return status ? kst_report_error(report, status, KST_NO_OFFSET, reason[0] ? "%s" : NULL, reason) : KST_OK;
}

kst_status kst_filter_stereo(kst_context *context, const kst_image *left, const kst_image *right,
    const kst_stereo_options *options, kst_image *disparity, kst_image *confidence, kst_report *report)
{
    kst_stereo_options usual;
    kst_report own;
    kst_filter_stereo_options_init(&usual);
    if (!context || !left || !right || !disparity || (options && options->size < sizeof *options))
        return KST_ERROR_ARGUMENT;
    struct filter_set set = {.context = context, .sources = DISPARITY, .image = {left, right}};
    set.result[0].to = disparity;
    set.result[1].to = confidence;
    kst_report_init(&own);
    kst_status status = match(&set, options ? options : &usual, &own);
    kst_report_copy(report, &own);
    return status;
}
