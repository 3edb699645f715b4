/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the bytes of a file or a pipe in sequence, and keeps track of their offsets. */
#ifndef KOSTKA_TOOL_VIDEO_INPUT_H
#define KOSTKA_TOOL_VIDEO_INPUT_H

#include "tool.h"

struct parts;

struct video_input {
    int descriptor;
    bool regular;        /* the input is a file of known size */
    uint64_t size;       /* of the file */
    uint64_t position;   /* offset of the next read of a file */
    uint32_t helpers;    /* threads that help to read large pieces of a file; the first such piece starts them */
    struct parts *parts; /* the threads; null: they have not been started */
    uint8_t *buffer;
    size_t from, to;        /* the unused part of the buffer */
    uint64_t offset;        /* offset in the file of the first byte of that part */
    bool ended;             /* nothing follows the bytes in the buffer */
    bool interrupted;       /* a signal ended reading before the end of the file */
    struct problem failure; /* why reading failed; an empty text: no failure */
};

enum { INPUT_PEEK = 1 << 16 /* the most bytes that input_peek() provides */ };

/* Open a file, or standard input for "-". */
bool input_open(struct video_input *input, const char *path, struct problem *problem);
void input_close(struct video_input *input);

/*
 * Return the next bytes without consuming them, and set *length to their number: at least `least`, up to INPUT_PEEK;
 * fewer only at the end of the file.
 */
const uint8_t *input_peek(struct video_input *input, size_t least, size_t *length);

/* Consume bytes that input_peek() has returned. */
void input_use(struct video_input *input, size_t length);

/* Read up to `length` bytes. Returns their number, which is smaller only at the end of the file. */
size_t input_read(struct video_input *input, void *to, size_t length);

/* Read up to `length` bytes; from a pipe, as many as are there. Returns 0 at the end. */
size_t input_read_some(struct video_input *input, void *to, size_t length);

/*
 * Read up to `length` bytes at an offset of a file. The position of sequential reading does not change. Returns 0 at
 * the end.
 */
size_t input_read_at(struct video_input *input, uint64_t offset, void *to, size_t length);

/* Skip bytes. Returns false if the file ends before that. */
bool input_skip(struct video_input *input, uint64_t length);

/* Return false, with the problem, if reading has failed. What looks like the end of the file then is not the end. */
bool input_good(const struct video_input *input, struct problem *problem);

#endif
