/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks images, and passes them through the filters of a chain. */
#include "filters/run.h"

#include "core/context.h"
#include "filters/cpu/kinds.h"
#include "filters/images.h"
#include "filters/planes.h"
#include "filters/shape.h"
#include "image/allocate.h"

/* Holds the intermediate images: the one that a step reads and the one that it writes. */
struct filter_between {
    kst_image image[2];
    bool made[2];
};

static void drop(struct memory *memory, struct filter_between *between, uint32_t index)
{
    if (between->made[index])
        kst_image_drop(memory, &between->image[index]);
    between->made[index] = false;
}

kst_status kst_filter_shape_after(
    const kst_filter *filter, uint32_t count, const kst_image *from, kst_image *to, char reason[FILTER_REASON])
{
    kst_status status = kst_filter_image_kind(from, reason);
    if (status)
        return status;
    struct filter_shape shape = kst_filter_shape_of(from);
    for (uint32_t i = 0; i < count && !status; i++) {
        if (filter->step[i].kind->shape)
            status = filter->step[i].kind->shape(filter->step[i].value, &shape, reason);
        bool pictured = filter->step[i].kind != &kst_filter_histogram_kind; /* counts are no pixels */
        if (!status && pictured && (uint64_t)shape.width * shape.height > filter->context->limits.pixels)
            status = KST_ERROR_LIMIT_PIXELS;
    }
    if (!status)
        kst_filter_shape_image(&shape, to);
    return status;
}

kst_status kst_filter_run_step(const kst_filter *filter, uint32_t index, const struct operation *operation,
    const kst_image *from, const kst_image *to)
{
    const struct filter_step *step = &filter->step[index];
    const struct filter_pixels source = kst_filter_pixels_of(from), target = kst_filter_pixels_of(to);
    const struct filter_work work = {filter->context, operation, step->value, step->data, &source, &target, from, to};
    return step->kind->run(&work);
}

/* Make the image that a step writes, unless it is the last step, which writes to the caller's image. */
static kst_status next_image(const kst_filter *filter, uint32_t index, const struct operation *operation,
    const kst_image *from, struct filter_between *between, kst_image **next)
{
    char reason[FILTER_REASON];
    if (index + 1 == filter->count)
        return KST_OK;
    *next = &between->image[index % 2];
    drop(operation->memory, between, index % 2);
    kst_status status = kst_filter_shape_after(filter, index + 1, from, *next, reason);
    if (!status)
        status = kst_image_make(operation->memory, *next);
    between->made[index % 2] = !status;
    return status;
}

/* Apply all steps to interleaved images. */
static kst_status run_interleaved(
    const kst_filter *filter, const struct operation *operation, const kst_image *from, kst_image *to)
{
    struct filter_between between = {.made = {false}};
    const kst_image *current = from;
    kst_status status = KST_OK;
    for (uint32_t i = 0; i < filter->count && !status; i++) {
        kst_image *next = to;
        status = next_image(filter, i, operation, from, &between, &next);
        if (!status)
            status = kst_filter_run_step(filter, i, operation, current, next);
        current = next;
    }
    drop(operation->memory, &between, 0);
    drop(operation->memory, &between, 1);
    return status;
}

/* Make an interleaved image like one with planes. */
static kst_status make_like(struct memory *memory, const kst_image *planar, kst_image *made)
{
    const struct filter_shape shape = kst_filter_shape_of(planar);
    kst_filter_shape_image(&shape, made);
    return kst_image_make(memory, made);
}

kst_status kst_filter_run_steps(
    const kst_filter *filter, const struct operation *operation, const kst_image *from, kst_image *to)
{
    const bool weaves = kst_filter_is_planar(from), parts = kst_filter_is_planar(to);
    kst_image woven = *from, made = *to;
    kst_status status = weaves ? make_like(operation->memory, from, &woven) : KST_OK;
    const bool has_woven = weaves && !status;
    if (has_woven)
        status = kst_filter_planes_copy(operation, from, &woven);
    if (!status && parts)
        status = make_like(operation->memory, to, &made);
    const bool has_made = parts && !status;
    if (!status)
        status = run_interleaved(filter, operation, &woven, &made);
    if (!status && parts)
        status = kst_filter_planes_copy(operation, &made, to);
    if (has_woven)
        kst_image_drop(operation->memory, &woven);
    if (has_made)
        kst_image_drop(operation->memory, &made);
    return status;
}
