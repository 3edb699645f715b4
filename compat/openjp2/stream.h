/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares reading from and writing to the caller's streams. */
#ifndef KOSTKA_COMPAT_STREAM_H
#define KOSTKA_COMPAT_STREAM_H

#include <openjpeg.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Describes a stream with the caller's functions, any of which may be missing. */
struct openjp2_stream {
    bool reads;
    opj_stream_read_fn read;
    opj_stream_write_fn write;
    opj_stream_skip_fn skip;
    opj_stream_seek_fn seek;
    void *user;
    opj_stream_free_user_data_fn free_user;
    uint64_t length; /* according to the caller; 0: not known */

    uint64_t at;        /* the offset of the next byte that is read or written */
    size_t chunk;       /* bytes that are requested at once; few after a jump, because another jump may follow */
    uint8_t *buffer;    /* bytes from `at` on */
    size_t first, held; /* offset and number of the bytes in the buffer */
};

struct openjp2_stream *openjp2_stream_of(opj_stream_t *handle);

/* Read up to `length` bytes. Returns how many were read; fewer mean that the stream has ended. */
size_t openjp2_stream_read(struct openjp2_stream *stream, void *to, size_t length);

/*
 * Continue at an offset. If the caller's seek function is missing, only a later offset can be reached, by reading.
 * Returns false if the stream ends before that, or cannot seek.
 */
bool openjp2_stream_go(struct openjp2_stream *stream, uint64_t offset);

/* Write bytes at the current offset of the stream. */
bool openjp2_stream_write(struct openjp2_stream *stream, const void *from, size_t length);

#endif
