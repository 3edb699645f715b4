/* SPDX-License-Identifier: BSD-2-Clause */
/* Compresses with standard codes: the bytes of some lines are written before the next lines are encoded. */
#include "encode.h"

#include <jerror.h>

/* Take the bytes that the encoder has made since the last time. The previous bytes must have been written. */
static bool take_bytes(struct libjpeg_compression *c)
{
    const void *data;
    size_t length;
    if (kst_line_encoder_take(c->encoder, &data, &length))
        return false;
    c->coded = (kst_buffer){.data = (uint8_t *)(uintptr_t)data, .length = length};
    c->written = 0;
    return true;
}

bool libjpeg_begin_lines(struct libjpeg_compression *c, j_compress_ptr cinfo)
{
    if (kst_line_encoder_open(c->context, &c->image, &c->options, &c->encoder) || !take_bytes(c))
        return false;
    c->written = libjpeg_coded_start(&c->coded, cinfo);
    return c->written > 0;
}

/* Write the bytes so far, except EOI, which is written when the compression is finished. */
static bool write_made(struct libjpeg_compression *c, j_compress_ptr cinfo)
{
    return libjpeg_write_bytes(c, cinfo, c->made ? c->coded.length - 2 : c->coded.length);
}

JDIMENSION libjpeg_write_lines(
    struct libjpeg_compression *c, j_compress_ptr cinfo, JSAMPARRAY scanlines, JDIMENSION count)
{
    JDIMENSION after = cinfo->next_scanline + count;
    if (!write_made(c, cinfo))
        return 0;
    if (!c->made) {
        c->made = after == cinfo->image_height;
        if (kst_line_encoder_write(c->encoder, (const void *const *)scanlines, count) || !take_bytes(c))
            ERREXIT1(cinfo, JERR_OUT_OF_MEMORY, 0);
    }
    bool written = write_made(c, cinfo);
    if (c->made && !written) { /* the last line counts as written only when the destination has accepted all bytes */
        cinfo->next_scanline = after - 1;
        return count - 1;
    }
    cinfo->next_scanline = after;
    return count;
}
