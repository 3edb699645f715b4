/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements kst_filter_stereo(): checks, images, and the choice of threads or a device. */
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/report.h"
#include "filters/cpu/stereo.h"
#include "filters/gpu/stereo.h"
#include "filters/images.h"
#include "filters/shape.h"
#include "image/validate.h"
#include "run/device.h"
#include "run/image.h"

enum { LEFT, RIGHT, DISPARITY, CONFIDENCE, IMAGES };
enum { MOST_UNIQUE = 99, DISPARITY_DEPTH = 16, CONFIDENCE_DEPTH = 8 };

/* An application of stereo matching. */
struct filter_pair {
    kst_context *context;
    const kst_stereo_options *options;
    struct memory memory;           /* of the operation */
    const kst_image *image[IMAGES]; /* the last one may be null */
    struct filter_result result[2]; /* the last two images */
    kst_image moved[IMAGES];        /* what stands for images of the host's in the device's memory */
    bool is_moved[IMAGES];
};

void kst_stereo_options_init(kst_stereo_options *options)
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

static kst_status check_sources(const struct filter_pair *pair, char reason[FILTER_REASON])
{
    const kst_image *left = pair->image[LEFT], *right = pair->image[RIGHT];
    kst_status status = kst_filter_image_kind(left, reason);
    if (!status)
        status = kst_filter_image_kind(right, reason);
    if (!status)
        status = kst_filter_image_check(pair->context, left);
    if (!status)
        status = kst_filter_image_check(pair->context, right);
    if (status)
        return status;
    if (left->width != right->width || left->height != right->height) {
        snprintf(reason, FILTER_REASON,
            "the left image has %ux%u pixels and the right one %ux%u; rectify them together", (unsigned)left->width,
            (unsigned)left->height, (unsigned)right->width, (unsigned)right->height);
        return KST_ERROR_IMAGE_SIZE;
    }
    const struct filter_pixels a = kst_filter_pixels_of(left), b = kst_filter_pixels_of(right);
    if (a.greatest != b.greatest || a.colours != b.colours) {
        snprintf(reason, FILTER_REASON, "the images differ in depth, or in whether they are grey; convert one of them");
        return a.colours != b.colours ? KST_ERROR_IMAGE_FORMAT : KST_ERROR_IMAGE_DEPTH;
    }
    return (uint64_t)left->width * left->height > pair->context->limits.pixels ? KST_ERROR_LIMIT_PIXELS : KST_OK;
}

/* No image that is written may share memory with another one. */
static kst_status check_apart(const struct filter_pair *pair)
{
    kst_status status = KST_OK;
    for (uint32_t i = DISPARITY; i < IMAGES && !status; i++)
        for (uint32_t k = 0; k < i && !status && pair->image[i]; k++)
            status = kst_image_check_apart(pair->image[k], pair->image[i]);
    return status;
}

static kst_status begin_results(struct filter_pair *pair, char reason[FILTER_REASON])
{
    static const uint32_t depth[] = {DISPARITY_DEPTH, CONFIDENCE_DEPTH};
    const kst_image *left = pair->image[LEFT];
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < 2 && !status; i++) {
        const struct filter_shape shape = {KST_FORMAT_GREY, left->width, left->height, depth[i]};
        kst_image wanted;
        kst_filter_shape_image(&shape, &wanted);
        if (pair->result[i].to && pair->result[i].to->size < sizeof wanted)
            status = KST_ERROR_ARGUMENT;
        else if (pair->result[i].to)
            status = kst_filter_result_begin(pair->context, &pair->memory, &wanted, &pair->result[i], reason);
        pair->image[DISPARITY + i] = pair->result[i].to;
    }
    return status ? status : check_apart(pair);
}

static bool is_on_gpu(const struct filter_pair *pair)
{
    for (uint32_t i = 0; i < IMAGES; i++)
        if (pair->image[i] && kst_memory_is_device(pair->image[i]->memory))
            return true;
    return false;
}

static kst_status match_on_cpu(const struct filter_pair *pair, kst_report *report)
{
    struct memory memory = {.used = 0};
    kst_memory_init_beside(&memory, &pair->context->memory, kst_memory_left(&pair->memory));
    const struct operation operation = kst_context_operation(pair->context, &memory, report, NULL);
    const struct filter_work work = {.context = pair->context, .operation = &operation};
    struct filter_pixels pixels[IMAGES];
    for (uint32_t i = 0; i < IMAGES; i++)
        if (pair->image[i])
            pixels[i] = kst_filter_pixels_of(pair->image[i]);
    double start = kst_seconds();
    kst_status status = kst_filter_stereo_match(
        &work, pair->options, pixels, &pixels[DISPARITY], pair->image[CONFIDENCE] ? &pixels[CONFIDENCE] : NULL);
    kst_report_stage(report, KST_STAGE_PIXELS, KST_DEVICE_CPU, start);
    report->threads = kst_pool_threads(operation.pool);
    return status;
}

/* Let an image in device memory stand for one of the host's. */
static kst_status move_there(struct filter_pair *pair, uint32_t index, kst_memory there)
{
    kst_image *moved = &pair->moved[index];
    const struct filter_shape shape = kst_filter_shape_of(pair->image[index]);
    kst_filter_shape_image(&shape, moved);
    moved->memory = there;
    kst_status status = kst_image_make_in(pair->context, &pair->memory, moved, NULL);
    pair->is_moved[index] = !status;
    if (!status && index < DISPARITY)
        status = kst_image_copy(pair->context, pair->image[index], moved);
    return status;
}

static kst_status match_on_gpu(struct filter_pair *pair, kst_report *report, char reason[FILTER_REASON])
{
    struct gpu_runtime *runtime = kst_context_gpu(pair->context);
    const struct operation operation = kst_context_operation(pair->context, &pair->memory, report, NULL);
    const kst_image *there[IMAGES];
    struct gpu_error error = {.status = KST_OK};
    double seconds = 0;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < IMAGES && !status; i++) {
        there[i] = pair->image[i];
        if (!pair->image[i] || kst_memory_is_device(pair->image[i]->memory))
            continue;
        status = move_there(pair, i, runtime->gpu->backend->memory);
        there[i] = &pair->moved[i];
    }
    if (!status)
        status = kst_filter_gpu_stereo(runtime, &operation, pair->options, there, &seconds, &error);
    if (status && error.status == status)
        snprintf(reason, FILTER_REASON, "%s", error.text);
    for (uint32_t i = DISPARITY; i < IMAGES && !status; i++)
        if (pair->is_moved[i])
            status = kst_image_copy(pair->context, &pair->moved[i], pair->image[i]);
    for (uint32_t i = 0; i < IMAGES; i++)
        if (pair->is_moved[i])
            kst_image_drop_in(pair->context, &pair->memory, &pair->moved[i]);
    report->stage_device[KST_STAGE_PIXELS] = runtime->gpu->info.kind;
    report->stage_seconds[KST_STAGE_PIXELS] = seconds;
    return status;
}

static kst_status match(struct filter_pair *pair, kst_report *report)
{
    char reason[FILTER_REASON] = "";
    kst_memory_init_beside(&pair->memory, &pair->context->memory, pair->context->limits.memory);
    kst_status status = check_options(pair->options, reason);
    if (!status)
        status = check_sources(pair, reason);
    if (!status)
        status = begin_results(pair, reason);
    if (!status)
        status = is_on_gpu(pair) ? match_on_gpu(pair, report, reason) : match_on_cpu(pair, report);
    kst_filter_result_end(pair->context, &pair->memory, &pair->result[0], status);
    kst_filter_result_end(pair->context, &pair->memory, &pair->result[1], status);
    return status ? kst_report_error(report, status, KST_NO_OFFSET, reason[0] ? "%s" : NULL, reason) : KST_OK;
}

kst_status kst_filter_stereo(kst_context *context, const kst_image *left, const kst_image *right,
    const kst_stereo_options *options, kst_image *disparity, kst_image *confidence, kst_report *report)
{
    kst_stereo_options usual;
    kst_report own;
    kst_stereo_options_init(&usual);
    if (!context || !left || !right || !disparity || (options && options->size < sizeof *options))
        return KST_ERROR_ARGUMENT;
    struct filter_pair pair = {.context = context, .options = options ? options : &usual, .image = {left, right}};
    pair.result[0].to = disparity;
    pair.result[1].to = confidence;
    kst_report_init(&own);
    kst_status status = match(&pair, &own);
    kst_report_copy(report, &own);
    return status;
}
