/* SPDX-License-Identifier: BSD-2-Clause */
/* Appends markers, segments and zeros to streams that tests make. */
#include "support/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "jpeg/plan/huffman.h"

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    memset(bytes, 0, sizeof *bytes);
}

void put(struct bytes *bytes, const void *data, size_t length)
{
    if (bytes->capacity - bytes->length < length) {
        bytes->capacity = 2 * (bytes->length + length) + 256;
        bytes->data = realloc(bytes->data, bytes->capacity);
        if (!bytes->data)
            abort();
    }
    if (length == 0)
        return;
    if (data)
        memcpy(bytes->data + bytes->length, data, length);
    else
        memset(bytes->data + bytes->length, 0, length);
    bytes->length += length;
}

void put_zeros(struct bytes *bytes, size_t length)
{
    put(bytes, NULL, length);
}

void put_marker(struct bytes *bytes, uint8_t marker)
{
    put(bytes, (const uint8_t[]){0xFF, marker}, 2);
}

void put_segment(struct bytes *bytes, uint8_t marker, const void *data, size_t length)
{
    put_marker(bytes, marker);
    put(bytes, (const uint8_t[]){(uint8_t)((length + 2) >> 8), (uint8_t)(length + 2)}, 2);
    put(bytes, data, length);
}

static void put_huffman(struct bytes *bytes, enum jpeg_table_class table_class, uint8_t destination)
{
    const struct jpeg_huffman *huffman = kst_jpeg_standard_huffman(table_class, destination);
    uint8_t segment[17 + 256];
    size_t count = 0;
    segment[0] = (uint8_t)(table_class << 4 | destination);
    for (uint32_t i = 1; i <= 16; i++) {
        segment[i] = huffman->bits[i];
        count += huffman->bits[i];
    }
    memcpy(segment + 17, huffman->values, count);
    put_segment(bytes, 0xC4, segment, 17 + count);
}

void put_start(struct bytes *bytes)
{
    uint8_t quant[65];
    memset(quant, 1, sizeof quant);
    quant[0] = 0;
    put_marker(bytes, 0xD8);
    put_segment(bytes, 0xDB, quant, sizeof quant);
    for (uint8_t destination = 0; destination < 2; destination++) {
        put_huffman(bytes, JPEG_DC, destination);
        put_huffman(bytes, JPEG_AC, destination);
    }
}

void put_frame(
    struct bytes *bytes, uint8_t marker, uint32_t width, uint32_t height, uint32_t components, const uint8_t *factors)
{
    uint8_t segment[6 + 3 * 255] = {
        8, (uint8_t)(height >> 8), (uint8_t)height, (uint8_t)(width >> 8), (uint8_t)width, (uint8_t)components};
    for (uint32_t i = 0; i < components; i++) {
        segment[6 + 3 * i] = (uint8_t)(i + 1);
        segment[7 + 3 * i] = factors ? factors[i] : 0x11;
    }
    put_segment(bytes, marker, segment, 6 + 3 * (size_t)components);
}

void put_scan(struct bytes *bytes, uint32_t first, uint32_t components, uint8_t ss, uint8_t se, uint8_t ah, uint8_t al)
{
    uint8_t segment[4 + 2 * 4] = {(uint8_t)components};
    for (uint32_t i = 0; i < components; i++) {
        segment[1 + 2 * i] = (uint8_t)(first + i + 1);
        segment[2 + 2 * i] = first + i == 0 ? 0x00 : 0x11;
    }
    segment[1 + 2 * components] = ss;
    segment[2 + 2 * components] = se;
    segment[3 + 2 * components] = (uint8_t)(ah << 4 | al);
    put_segment(bytes, 0xDA, segment, 4 + 2 * (size_t)components);
}

void put_restart_interval(struct bytes *bytes, uint32_t interval)
{
    put_segment(bytes, 0xDD, (const uint8_t[]){(uint8_t)(interval >> 8), (uint8_t)interval}, 2);
}
