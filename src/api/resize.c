/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the entry points of resizing: kst_resize_describe() and kst_resize(). */
#include "resize/cpu/resize.h"
#include "image/validate.h"
#include "run/image.h"

void kst_resize_options_init(kst_resize_options *options)
{
    if (options)
        *options = (kst_resize_options){.size = sizeof *options};
}

kst_status kst_resize_describe(const kst_image *from, const kst_resize_options *options, kst_image *to)
{
    struct resize_geometry geometry;
    return from && options && to ? kst_resize_target(from, options, &geometry, to) : KST_ERROR_ARGUMENT;
}

/* Check the caller's image, or make it as `wanted` says. */
static kst_status prepare(
    struct kst_context *context, struct memory *memory, const kst_image *from, const kst_image *wanted, kst_image *to)
{
    kst_status status;
    if (to->plane[0].data) {
        if ((status = kst_image_check(to)) || (status = kst_image_match(to, wanted)))
            return status;
        return kst_resize_check_apart(from, to);
    }
    kst_image made = *wanted;
    made.memory = to->memory;
    if (kst_memory_is_device(made.memory))
        return KST_ERROR_IMAGE_MEMORY;
    status = kst_image_make_in(context, memory, &made, NULL);
    if (!status)
        *to = made;
    return status;
}

static kst_status carry_out(const struct operation *operation, const struct resize_geometry *geometry,
    const kst_resize_options *options, const kst_image *from, const kst_image *to)
{
    struct resize_plan plan;
    kst_status status = kst_resize_plan_make(operation->memory, from, options, geometry, &plan);
    if (!status)
        status = kst_resize_run(operation, &plan, from, to);
    kst_resize_plan_drop(operation->memory, &plan);
    return status;
}

/* Resize a checked image to one that is described. */
static kst_status resize_to(struct kst_context *context, const kst_image *from, const kst_resize_options *options,
    const struct resize_geometry *geometry, const kst_image *wanted, kst_image *to)
{
    struct memory memory;
    kst_memory_init_beside(&memory, &context->memory, context->limits.memory);
    const struct operation operation = kst_context_operation(context, &memory, NULL, NULL);
    const kst_image before = *to;
    kst_status status = prepare(context, &memory, from, wanted, to);
    bool made = !status && !before.plane[0].data;
    if (!status)
        status = carry_out(&operation, geometry, options, from, to);
    if (made && status) {
        kst_image_drop_in(context, &memory, to);
        *to = before;
    } else if (made) {
        kst_image_keep(context, &memory, to);
    }
    return status;
}

kst_status kst_resize(kst_context *context, const kst_image *from, const kst_resize_options *options, kst_image *to)
{
    struct resize_geometry geometry;
    kst_image wanted;
    if (!context || !from || !options || !to || to->size < sizeof *to)
        return KST_ERROR_ARGUMENT;
    kst_status status = kst_resize_target(from, options, &geometry, &wanted);
    if (!status)
        status = kst_image_check(from);
    if (status)
        return status;
    if ((uint64_t)wanted.width * wanted.height > context->limits.pixels)
        return KST_ERROR_LIMIT_PIXELS;
    return resize_to(context, from, options, &geometry, &wanted, to);
}
