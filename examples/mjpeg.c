/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads JPEG frames that lie one behind the other in a stream. */
#include "mjpeg.h"

enum { MARK = 0xFF, SOI = 0xD8, EOI = 0xD9, RST_FIRST = 0xD0, TEM = 0x01 };

struct reader {
    FILE *stream;
    uint8_t *frame;
    size_t room, length;
};

/* Add the next byte of the stream to the frame, and return it; -1 at the end, or if the frame is too long. */
static int add_byte(struct reader *reader)
{
    int byte = reader->length < reader->room ? getc(reader->stream) : EOF;
    if (byte == EOF)
        return -1;
    reader->frame[reader->length++] = (uint8_t)byte;
    return byte;
}

/* Add a marker's segment, if it has one. */
static bool add_segment(struct reader *reader, int marker)
{
    if (marker == 0 || marker == TEM || marker == MARK || (marker >= RST_FIRST && marker <= SOI))
        return true;
    int high = add_byte(reader), low = add_byte(reader);
    for (int left = high * 256 + low - 2; high >= 0 && low >= 0 && left > 0; left--)
        if (add_byte(reader) < 0)
            return false;
    return high >= 0 && low >= 0;
}

/* Skip what lies between frames, up to the next SOI. */
static bool find_start(FILE *stream)
{
    int before = 0, byte = 0;
    while (!(before == MARK && byte == SOI)) {
        before = byte;
        byte = getc(stream);
        if (byte == EOF)
            return false;
    }
    return true;
}

/* Read up to EOI. Thumbnails lie in segments, which are skipped, and entropy-coded data have no markers but RST. */
bool mjpeg_next(FILE *stream, uint8_t *frame, size_t room, size_t *length)
{
    struct reader reader = {.stream = stream, .frame = frame, .room = room, .length = 2};
    if (room < 2 || !find_start(stream))
        return false;
    frame[0] = MARK;
    frame[1] = SOI;
    for (int before = 0, byte; (byte = add_byte(&reader)) >= 0; before = byte) {
        *length = reader.length;
        if (before == MARK && byte == EOI)
            return true;
        if (before == MARK && !add_segment(&reader, byte))
            return false;
    }
    return false;
}
