/* SPDX-License-Identifier: BSD-2-Clause */
/* kst_decoder_other(): what a JPEG file holds behind the picture that is open. */
#include "api/decoding.h"
#include "core/report.h"

static bool find(kst_decoder *decoder)
{
    const struct kst_context *context = decoder->context;
    if (decoder->others_known)
        return true;
    decoder->others_known = true; /* what cannot be found will not be looked for again */
    kst_status status = kst_jpeg_others_find(
        context->pool, &decoder->memory, &context->limits, &decoder->stream, false, &decoder->others, &decoder->report);
    return status == KST_OK || kst_decoder_fail(decoder, status) == KST_OK;
}

bool kst_decoder_other(kst_decoder *decoder, size_t index, kst_other *other)
{
    if (!decoder || !other || other->size != sizeof *other || !decoder->open || !kst_decoder_is_jpeg(decoder) ||
        !find(decoder) || index >= decoder->others.count)
        return false;
    *other = decoder->others.part[index];
    return true;
}
