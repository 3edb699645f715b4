/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the bytes of a file or a pipe one after the other, and knows their offsets. */
#ifndef KOSTKA_TOOL_VIDEO_INPUT_H
#define KOSTKA_TOOL_VIDEO_INPUT_H

#include "tool.h"

struct parts;

struct video_input {
    int descriptor;
    bool regular;        /* it is a file, whose size is known */
    uint64_t size;       /* of the file */
    uint64_t position;   /* where a file is read next */
    uint32_t helpers;    /* threads that help to read large pieces of a file; they are started when there is one */
    struct parts *parts; /* these threads; null: they have not been started */
    uint8_t *buffer;
    size_t from, to;        /* the part of the buffer that has been read and not used */
    uint64_t offset;        /* of the first byte of that part in the file */
    bool ended;             /* nothing follows what is in the buffer */
    bool interrupted;       /* a signal ended the reading before the file ended */
    struct problem failure; /* why reading failed; an empty text: it has not */
};

enum { INPUT_PEEK = 1 << 16 /* the most bytes that input_peek() provides */ };

/* Open a file, or standard input for "-". */
bool input_open(struct video_input *input, const char *path, struct problem *problem);
void input_close(struct video_input *input);

/*
 * Return the next bytes without using them, and set *length to their number: at least `least`, up to INPUT_PEEK, fewer
 * only where the file ends.
 */
const uint8_t *input_peek(struct video_input *input, size_t least, size_t *length);

/* Use bytes that were peeked at. */
void input_use(struct video_input *input, size_t length);

/* Read up to `length` bytes. Returns their number, which is smaller only where the file ends. */
size_t input_read(struct video_input *input, void *to, size_t length);

/* Read up to `length` bytes, of which a pipe may give fewer at a time. Returns 0 at the end. */
size_t input_read_some(struct video_input *input, void *to, size_t length);

/* Read up to `length` bytes of a file at an offset; what is read in order does not move. Returns 0 at the end. */
size_t input_read_at(struct video_input *input, uint64_t offset, void *to, size_t length);

/* Skip bytes. Returns false if the file ends before. */
bool input_skip(struct video_input *input, uint64_t length);

/* Return false, with the problem, if reading has failed: an end may then be no end. */
bool input_good(const struct video_input *input, struct problem *problem);

#endif
