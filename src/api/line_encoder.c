/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the entry points of kst_line_encoder, which encodes a picture while its lines arrive. */
#include "run/line_encoder.h"

#include "core/context.h"
#include "image/format.h"

static kst_status open_encoder(struct kst_line_encoder *encoder)
{
    struct encoding *e = &encoder->encoding;
    const struct line_encoding *functions = e->codec->encoded_lines;
    kst_status status = KST_OK;
    if (!functions)
        return kst_encoding_fail(e, KST_ERROR_OPTIONS, "lines are encoded to JPEG");
    encoder->line = (size_t)kst_format_channels(e->image.format) * e->image.width;
    encoder->state = kst_memory_zeroed(&e->memory, 1, functions->state_size, &status);
    if (!status)
        status = functions->open(encoder);
    if (status)
        kst_memory_release(&e->memory, encoder->state);
    return status;
}

/* Describe the image whose lines will arrive: nothing lies at its address, which is not looked at. */
static kst_status describe(const kst_image *image, kst_image *described)
{
    if (image->size < sizeof *image)
        return KST_ERROR_ARGUMENT;
    kst_status status = kst_image_wrap(described, image->format, image->width, image->height, described, 0);
    described->colour = image->colour;
    described->plane[0].data = NULL;
    return status;
}

kst_status kst_line_encoder_open(
    kst_context *context, const kst_image *image, const kst_encode_options *options, kst_line_encoder **encoder)
{
    kst_encode_options usual;
    kst_image described;
    if (encoder)
        *encoder = NULL;
    if (!context || !image || !encoder)
        return KST_ERROR_ARGUMENT;
    kst_status status = describe(image, &described);
    if (status)
        return status;
    struct kst_line_encoder *made = kst_memory_zeroed(&context->memory, 1, sizeof *made, &status);
    if (!made)
        return status;
    kst_encode_options_init(&usual);
    status = kst_encoding_begin_lines(&made->encoding, context, &described, options ? options : &usual);
    if (!status) {
        status = open_encoder(made);
        if (status)
            kst_encoding_drop(&made->encoding);
    }
    if (status) {
        kst_memory_release(&context->memory, made);
        return status;
    }
    *encoder = made;
    return KST_OK;
}

void kst_line_encoder_close(kst_line_encoder **encoder)
{
    if (!encoder || !*encoder)
        return;
    struct encoding *e = &(*encoder)->encoding;
    kst_context *context = e->context;
    e->codec->encoded_lines->close(*encoder);
    kst_memory_release(&e->memory, (*encoder)->state);
    kst_encoding_drop(e);
    kst_memory_release(&context->memory, *encoder);
    *encoder = NULL;
}

kst_status kst_line_encoder_write(kst_line_encoder *encoder, const void *const *rows, uint32_t count)
{
    if (!encoder || (!rows && count > 0) || count > encoder->encoding.image.height - encoder->next)
        return KST_ERROR_ARGUMENT;
    if (encoder->taken)
        encoder->encoding.sink.length = 0;
    encoder->taken = false;
    for (uint32_t i = 0; !encoder->failed && i < count; i++, encoder->next++)
        encoder->failed = encoder->encoding.codec->encoded_lines->take(encoder, rows[i]);
    return encoder->failed;
}

kst_status kst_line_encoder_take(kst_line_encoder *encoder, const void **data, size_t *length)
{
    if (!encoder || !data || !length)
        return KST_ERROR_ARGUMENT;
    *data = encoder->encoding.sink.data;
    *length = encoder->taken || encoder->failed ? 0 : encoder->encoding.sink.length;
    encoder->taken = true;
    return encoder->failed;
}
