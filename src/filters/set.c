/* SPDX-License-Identifier: BSD-2-Clause */
/* Manages the images of an operation that reads several images and writes two. */
#include "filters/set.h"

#include <stdio.h>

#include "filters/shape.h"
#include "image/validate.h"
#include "run/device.h"
#include "run/image.h"

kst_status kst_filter_set_check(const struct filter_set *set, const kst_image *image, char reason[FILTER_REASON])
{
    kst_status status = kst_filter_image_kind(image, reason);
    if (!status && kst_pixel_layout(image->format)->planes) {
        snprintf(reason, FILTER_REASON, "stereo and sweep take interleaved images");
        return KST_ERROR_IMAGE_FORMAT;
    }
    if (!status)
        status = kst_filter_image_check(set->context, image);
    if (status)
        return status;
    return (uint64_t)image->width * image->height > set->context->limits.pixels ? KST_ERROR_LIMIT_PIXELS : KST_OK;
}

/* Check that no image that is written shares memory with another one. */
static kst_status check_apart(const struct filter_set *set)
{
    kst_status status = KST_OK;
    for (uint32_t i = set->sources; i < set->sources + FILTER_SET_RESULTS && !status; i++)
        for (uint32_t k = 0; k < i && !status && set->image[i]; k++)
            status = kst_image_check_apart(set->image[k], set->image[i]);
    return status;
}

kst_status kst_filter_set_begin(struct filter_set *set, const kst_image *like, char reason[FILTER_REASON])
{
    static const uint32_t depth[FILTER_SET_RESULTS] = {16, 8};
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < FILTER_SET_RESULTS && !status; i++) {
        const struct filter_shape shape = {KST_FORMAT_GREY, like->width, like->height, depth[i]};
        kst_image wanted;
        kst_filter_shape_image(&shape, &wanted);
        if (set->result[i].to && set->result[i].to->size < sizeof wanted)
            status = KST_ERROR_ARGUMENT;
        else if (set->result[i].to)
            status = kst_filter_result_begin(set->context, &set->memory, &wanted, &set->result[i], reason);
        set->image[set->sources + i] = set->result[i].to;
    }
    return status ? status : check_apart(set);
}

bool kst_filter_set_on_gpu(const struct filter_set *set)
{
    for (uint32_t i = 0; i < set->sources + FILTER_SET_RESULTS; i++)
        if (set->image[i] && kst_memory_is_device(set->image[i]->memory))
            return true;
    return false;
}

static kst_status send_one(struct filter_set *set, uint32_t index)
{
    kst_image *moved = &set->moved[index];
    const struct filter_shape shape = kst_filter_shape_of(set->image[index]);
    kst_filter_shape_image(&shape, moved);
    moved->memory = kst_context_gpu(set->context)->gpu->backend->memory;
    kst_status status = kst_image_make_in(set->context, &set->memory, moved, NULL);
    set->is_moved[index] = !status;
    if (!status && index < set->sources)
        status = kst_image_copy(set->context, set->image[index], moved);
    return status;
}

kst_status kst_filter_set_send(struct filter_set *set, const kst_image *there[FILTER_SET_IMAGES])
{
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < set->sources + FILTER_SET_RESULTS && !status; i++) {
        there[i] = set->image[i];
        if (!set->image[i] || kst_memory_is_device(set->image[i]->memory))
            continue;
        status = send_one(set, i);
        there[i] = &set->moved[i];
    }
    return status;
}

/* Copy results that belong in host memory back. */
static kst_status fetch(struct filter_set *set)
{
    kst_status status = KST_OK;
    for (uint32_t i = set->sources; i < set->sources + FILTER_SET_RESULTS && !status; i++)
        if (set->is_moved[i])
            status = kst_image_copy(set->context, &set->moved[i], set->image[i]);
    return status;
}

kst_status kst_filter_set_finish(struct filter_set *set, kst_status status, const struct gpu_error *error,
    double seconds, kst_report *report, char reason[FILTER_REASON])
{
    if (status && error->status == status)
        snprintf(reason, FILTER_REASON, "%s", error->text);
    report->stage_device[KST_STAGE_PIXELS] = kst_context_gpu(set->context)->gpu->info.kind;
    report->stage_seconds[KST_STAGE_PIXELS] = seconds;
    return status ? status : fetch(set);
}

void kst_filter_set_end(struct filter_set *set, kst_status status)
{
    for (uint32_t i = 0; i < FILTER_SET_IMAGES; i++)
        if (set->is_moved[i])
            kst_image_drop_in(set->context, &set->memory, &set->moved[i]);
    for (uint32_t i = 0; i < FILTER_SET_RESULTS; i++)
        kst_filter_result_end(set->context, &set->memory, &set->result[i], status);
}
