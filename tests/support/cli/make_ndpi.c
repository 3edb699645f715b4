/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes NDPI files of JPEG streams: make_ndpi FILE [-z] JPEG LENS [JPEG LENS …] writes a directory for each stream,
 * with its magnification (−1: a macro), and the places of its restart intervals if it has any. With -z the streams'
 * headers have sides of 0, like those of pictures that are larger than JPEG allows.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 22, ENTRIES_MAX = 20, LONG = 4, RATIONAL = 5, FLOAT = 11 };

struct file {
    uint8_t bytes[ROOM];
    size_t length;
    size_t link; /* where to write the offset of the next directory */
};

static void put(struct file *file, size_t at, uint64_t number, int count)
{
    for (int i = 0; i < count; i++)
        file->bytes[at + (size_t)i] = (uint8_t)(number >> 8 * i);
}

static void add(struct file *file, uint64_t number, int count)
{
    put(file, file->length, number, count);
    file->length += (size_t)count;
}

/* Holds a stream, and the contents of its headers. */
struct stream {
    uint8_t bytes[ROOM / 4];
    size_t length, start[4096], count, frame;
    uint32_t width, height;
    bool divided;
};

static bool read_stream(struct stream *stream, const char *path)
{
    FILE *in = fopen(path, "rb");

    memset(stream, 0, sizeof *stream);
    if (in == NULL)
        return false;
    stream->length = fread(stream->bytes, 1, sizeof stream->bytes, in);
    fclose(in);
    size_t at = 2;
    for (; at + 4 < stream->length && stream->bytes[at + 1] != 0xDA;
         at += 2 + ((size_t)stream->bytes[at + 2] << 8 | stream->bytes[at + 3])) {
        stream->divided = stream->divided || stream->bytes[at + 1] == 0xDD;
        if (stream->bytes[at + 1] == 0xC0)
            stream->frame = at;
    }
    const uint8_t *size = stream->bytes + stream->frame + 5;
    stream->height = (uint32_t)size[0] << 8 | size[1];
    stream->width = (uint32_t)size[2] << 8 | size[3];
    at += 2 + ((size_t)stream->bytes[at + 2] << 8 | stream->bytes[at + 3]);
    stream->start[stream->count++] = at;
    for (; at + 1 < stream->length && stream->count < 4096; at++)
        if (stream->bytes[at] == 0xFF && (stream->bytes[at + 1] & 0xF8) == 0xD0)
            stream->start[stream->count++] = at + 2;
    return stream->frame > 0;
}

static void add_entry(struct file *file, unsigned tag, unsigned type, uint32_t count, uint32_t value)
{
    add(file, tag, 2);
    add(file, type, 2);
    add(file, count, 4);
    add(file, value, 4);
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void add_directory(struct file *file, const struct stream *stream, float lens)
{
    const uint32_t at = (uint32_t)file->length;

    memcpy(file->bytes + file->length, stream->bytes, stream->length);
    file->length += stream->length + stream->length % 2;
    const uint32_t starts = (uint32_t)file->length;
    for (size_t i = 0; i < stream->count; i++)
        add(file, stream->start[i], 4);
    const uint32_t resolution = (uint32_t)file->length;
    add(file, 40000, 4);
    add(file, 1, 4);
    put(file, file->link, file->length, 8);
    add(file, stream->divided ? 17 : 16, 2);
    add_entry(file, 256, LONG, 1, stream->width);
    add_entry(file, 257, LONG, 1, stream->height);
    add_entry(file, 258, 3, 1, 8);
    add_entry(file, 259, 3, 1, 7);
    add_entry(file, 262, 3, 1, 6);
    add_entry(file, 273, LONG, 1, at);
    add_entry(file, 277, 3, 1, 3);
    add_entry(file, 278, LONG, 1, stream->height);
    add_entry(file, 279, LONG, 1, (uint32_t)stream->length);
    add_entry(file, 282, RATIONAL, 1, resolution);
    add_entry(file, 283, RATIONAL, 1, resolution);
    add_entry(file, 296, 3, 1, 3);
    add_entry(file, 65420, LONG, 1, 1);
    add_entry(file, 65421, FLOAT, 1, float_bits(lens));
    add_entry(file, 65422, 9, 1, 0);
    add_entry(file, 65424, 9, 1, 0);
    if (stream->divided)
        add_entry(file, 65426, LONG, (uint32_t)stream->count, starts);
    file->link = file->length;
    add(file, 0, 8);
}

int main(int argc, char **argv)
{
    static struct file file;
    static struct stream stream;
    const bool zero = argc > 2 && strcmp(argv[2], "-z") == 0;

    if (argc < 4)
        return 2;
    memcpy(file.bytes, "II*", 4);
    file.link = 4;
    file.length = 12;
    for (int i = zero ? 3 : 2; i + 1 < argc; i += 2) {
        if (!read_stream(&stream, argv[i]) || file.length + 2 * stream.length > ROOM)
            return 1;
        if (zero && stream.divided)
            memset(stream.bytes + stream.frame + 5, 0, 4);
        add_directory(&file, &stream, strtof(argv[i + 1], NULL));
    }
    FILE *out = fopen(argv[1], "wb");
    const bool good = out != NULL && fwrite(file.bytes, 1, file.length, out) == file.length;
    return out != NULL && fclose(out) == 0 && good ? 0 : 1;
}
