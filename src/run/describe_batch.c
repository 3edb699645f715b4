/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes the images of many streams, which are opened as for decoding, so that their entropy-coded data need not be
 * searched.
 */
#include "core/report.h"
#include "run/decoding.h"

struct describe_batch {
    kst_context *context;
    kst_decode_item *item;
};

static kst_status describe(kst_decoder *decoder, const kst_decode_item *item)
{
    kst_image stored, image;
    if (!item->image)
        return kst_decoder_fail(decoder, KST_ERROR_ARGUMENT);
    kst_status status = kst_decoder_open_for(decoder, item->data, item->length, OPEN_TO_DECODE);
    if (status)
        return status;
    status = kst_decoder_plan(decoder, item->options, &stored, &image);
    if (!status && image.plane_count > KST_IMAGE_PLANES_MAX) /* the decoder's memory describes the others */
        status = KST_ERROR_IMAGE_SIZE;
    if (status)
        return kst_decoder_fail(decoder, status);
    *item->image = image;
    return KST_OK;
}

static void describe_item(void *arg, uint32_t index)
{
    const struct describe_batch *batch = arg;
    struct kst_decoder decoder;
    kst_decoder_start(&decoder, batch->context);
    describe(&decoder, &batch->item[index]);
    batch->item[index].report = decoder.report;
    kst_decoder_close(&decoder);
}

kst_status kst_decoding_describe_all(kst_context *context, kst_decode_item *items, size_t count)
{
    enum { AT_ONCE = 1 << 20 };
    for (size_t done = 0; done < count; done += AT_ONCE) {
        struct describe_batch batch = {context, items + done};
        uint32_t some = count - done < AT_ONCE ? (uint32_t)(count - done) : AT_ONCE;
        kst_pool_run(context->pool, some, describe_item, &batch);
    }
    for (size_t i = 0; i < count; i++)
        if (items[i].report.status)
            return items[i].report.status;
    return KST_OK;
}
