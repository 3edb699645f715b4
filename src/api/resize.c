/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the entry points of resizing: kst_resize_describe(), kst_resize() and batches. */
#include "resize/run/batch.h"
#include "resize/run/decode.h"

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

kst_status kst_resize(kst_context *context, const kst_image *from, const kst_resize_options *options, kst_image *to)
{
    kst_resize_item item = {.from = from, .options = options, .to = to};
    return context ? kst_resize_all(context, &item, NULL, 1, NULL) : KST_ERROR_ARGUMENT;
}

kst_status kst_resize_batch(kst_context *context, kst_resize_item *items, size_t count)
{
    if (!context || (!items && count > 0))
        return KST_ERROR_ARGUMENT;
    return kst_resize_all(context, items, NULL, count, NULL);
}

kst_status kst_resize_batch_after(kst_context *context, kst_resize_item *items, size_t count, const kst_stream *stream)
{
    struct entered_stream entered;
    if (!context || (!items && count > 0) || !stream)
        return KST_ERROR_ARGUMENT;
    kst_status status = kst_stream_enter(context, stream, &entered);
    if (!status)
        status = kst_resize_all(context, items, NULL, count, &entered);
    kst_stream_leave(&entered);
    return status;
}

kst_status kst_decode_resized(kst_context *context, kst_decode_item *items, const kst_resize_options *resize,
    size_t count, const kst_stream *stream)
{
    struct entered_stream entered = {.gpu = NULL};
    if (!context || ((!items || !resize) && count > 0))
        return KST_ERROR_ARGUMENT;
    kst_status status = stream ? kst_stream_enter(context, stream, &entered) : KST_OK;
    if (!status)
        status = kst_resize_decoded(context, items, resize, count, stream ? &entered : NULL);
    kst_stream_leave(&entered);
    return status;
}
