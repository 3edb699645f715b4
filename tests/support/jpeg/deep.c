/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts streams of 8-bit samples to 12 bits. */
#include "support/jpeg/deep.h"

#include <stdlib.h>
#include <string.h>

#include "support/random.h"

static void fill(uint8_t *pixels, const struct deep_stream *s)
{
    uint32_t state = s->width + 7 * s->height + (uint32_t)s->quality;
    for (uint32_t y = 0; y < s->height; y++)
        for (uint32_t x = 0; x < s->width; x++)
            for (uint32_t c = 0; c < s->channels; c++) {
                uint32_t slope = (x * (3 + c) + y * (5 - c)) / 2 % 256, noise = random_below(&state, 64);
                *pixels++ = (uint8_t)((x / 9 + y / 7) % 3 == c % 3 ? slope : (slope + 4 * noise) / 2);
            }
}

static void encode(kst_context *context, const struct deep_stream *s, kst_buffer *output)
{
    kst_encode_options options;
    kst_image image;
    uint8_t *pixels = malloc((size_t)s->width * s->height * s->channels);
    kst_encode_options_init(&options);
    kst_image_init(&image);
    if (!pixels)
        abort();
    fill(pixels, s);
    image.format = s->channels == 1 ? KST_FORMAT_GREY : s->channels == 3 ? KST_FORMAT_RGB : KST_FORMAT_CMYK;
    image.width = image.plane[0].width = s->width;
    image.height = image.plane[0].height = s->height;
    image.plane_count = 1;
    image.plane[0].pitch = (ptrdiff_t)s->width * (ptrdiff_t)s->channels;
    image.plane[0].depth = 8;
    image.plane[0].data = pixels;
    options.quality = s->quality;
    options.colour = s->colour;
    options.coding = s->coding;
    options.restart = s->restart;
    memcpy(options.h, s->h, sizeof options.h);
    memcpy(options.v, s->v, sizeof options.v);
    if (kst_encode(context, &image, &options, output, NULL))
        abort();
    free(pixels);
}

/* Write the tables of a DQT segment with 16 bits (Pq = 1), each value times 16. */
static void put_wide_tables(struct bytes *bytes, const uint8_t *tables, size_t length)
{
    uint8_t wide[4 * 129];
    size_t used = 0;
    for (size_t at = 0; at + 65 <= length && used + 129 <= sizeof wide; at += 65) {
        wide[used++] = (uint8_t)(0x10 | tables[at]);
        for (size_t i = 1; i <= 64; i++) {
            wide[used++] = (uint8_t)(tables[at + i] >> 4);
            wide[used++] = (uint8_t)(tables[at + i] << 4);
        }
    }
    put_segment(bytes, 0xDB, wide, used);
}

void deep_make(kst_context *context, const struct deep_stream *s, struct bytes *bytes)
{
    kst_buffer plain = {0};
    encode(context, s, &plain);
    const uint8_t *data = plain.data;
    size_t at = 2;
    put(bytes, data, at);
    for (uint8_t marker = 0; marker != 0xDA;) {
        marker = data[at + 1];
        size_t length = (size_t)data[at + 2] << 8 | data[at + 3];
        if (marker == 0xDB && !s->fine) {
            put_wide_tables(bytes, data + at + 4, length - 2);
        } else {
            put(bytes, data + at, 2 + length);
            if (marker == 0xC0)
                bytes->data[bytes->length - length - 1] = 0xC1;
            if (marker >= 0xC0 && marker <= 0xC2)
                bytes->data[bytes->length - length + 2] = 12;
        }
        at += 2 + length;
    }
    put(bytes, data + at, plain.length - at);
    kst_buffer_release(context, &plain);
}

uint32_t deep_sum(uint32_t sum, const kst_image *image)
{
    uint32_t channels = kst_format_channels(image->format);
    for (uint32_t i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        for (uint32_t y = 0; y < plane->height; y++) {
            const uint16_t *row = (const void *)((const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch);
            for (size_t x = 0; x < (size_t)plane->width * (channels ? channels : 1); x++) {
                sum = (sum ^ (row[x] & 255)) * 0x01000193U;
                sum = (sum ^ row[x] >> 8) * 0x01000193U;
            }
        }
    }
    return sum;
}
