/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads from and writes to the caller's streams, whose functions may be missing and whose length may be wrong. */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 1 << 12, LAST_CHUNK = 1 << 16 };

struct openjp2_stream *openjp2_stream_of(opj_stream_t *handle)
{
    return (struct openjp2_stream *)(void *)handle;
}

/*
 * Call the caller's function until it has delivered all bytes, or the stream ends: then it returns −1, or, with some
 * functions, 0.
 */
static size_t read_directly(struct openjp2_stream *stream, uint8_t *to, size_t length)
{
    size_t total = 0;
    while (total < length) {
        size_t got = stream->read ? stream->read(to + total, length - total, stream->user) : 0;
        if (got == 0 || got > length - total)
            break;
        total += got;
    }
    return total;
}

/* Fill the empty buffer by one call of the caller's function. */
static bool fill(struct openjp2_stream *stream)
{
    if (!stream->buffer && !(stream->buffer = malloc(LAST_CHUNK)))
        return false;
    size_t got = stream->read ? stream->read(stream->buffer, stream->chunk, stream->user) : 0;
    if (got > stream->chunk)
        got = 0;
    stream->first = 0;
    stream->held = got;
    stream->chunk = 2 * stream->chunk < LAST_CHUNK ? 2 * stream->chunk : LAST_CHUNK;
    return got > 0;
}

static size_t take(struct openjp2_stream *stream, uint8_t *to, size_t length)
{
    size_t count = length < stream->held ? length : stream->held;
    if (count > 0 && to)
        memcpy(to, stream->buffer + stream->first, count);
    stream->first += count;
    stream->held -= count;
    stream->at += count;
    return count;
}

size_t openjp2_stream_read(struct openjp2_stream *stream, void *to, size_t length)
{
    uint8_t *bytes = to;
    size_t total = take(stream, bytes, length);
    if (length - total >= LAST_CHUNK) {
        size_t got = read_directly(stream, bytes + total, length - total);
        stream->at += got;
        return total + got;
    }
    while (total < length && fill(stream))
        total += take(stream, bytes + total, length - total);
    return total;
}

/* Skip bytes by reading them. */
static bool read_over(struct openjp2_stream *stream, uint64_t count)
{
    while (count > 0) {
        if (stream->held == 0 && !fill(stream))
            return false;
        count -= take(stream, NULL, count < SIZE_MAX ? (size_t)count : SIZE_MAX);
    }
    return true;
}

static bool skip(struct openjp2_stream *stream, uint64_t count)
{
    count -= take(stream, NULL, count < stream->held ? (size_t)count : stream->held);
    stream->chunk = FIRST_CHUNK;
    while (count > 0) {
        OPJ_OFF_T got = stream->skip((OPJ_OFF_T)count, stream->user);
        if (got <= 0 || (uint64_t)got > count)
            return false;
        stream->at += (uint64_t)got;
        count -= (uint64_t)got;
    }
    return true;
}

bool openjp2_stream_go(struct openjp2_stream *stream, uint64_t offset)
{
    uint64_t ahead = offset - stream->at;
    if (offset >= stream->at && ahead <= stream->held)
        return read_over(stream, ahead);
    if (offset > INT64_MAX || (stream->length > 0 && offset > stream->length))
        return false;
    if (stream->seek) {
        stream->held = 0;
        stream->chunk = FIRST_CHUNK;
        stream->at = offset;
        return stream->seek((OPJ_OFF_T)offset, stream->user) != 0;
    }
    if (offset < stream->at)
        return false;
    return stream->skip ? skip(stream, ahead) : read_over(stream, ahead);
}

bool openjp2_stream_write(struct openjp2_stream *stream, const void *from, size_t length)
{
    uint8_t *bytes = (uint8_t *)(uintptr_t)from; /* the caller's function takes memory that is not const */
    while (length > 0) {
        size_t put = stream->write ? stream->write(bytes, length, stream->user) : 0;
        if (put == 0 || put > length)
            return false;
        bytes += put;
        length -= put;
        stream->at += put;
    }
    return true;
}

opj_stream_t *opj_stream_create(OPJ_SIZE_T buffer_size, OPJ_BOOL is_input)
{
    struct openjp2_stream *stream = calloc(1, sizeof *stream);
    (void)buffer_size; /* the size of reads follows from what is needed */
    if (stream) {
        stream->reads = is_input != 0;
        stream->chunk = FIRST_CHUNK;
    }
    return (opj_stream_t *)(void *)stream;
}

opj_stream_t *opj_stream_default_create(OPJ_BOOL is_input)
{
    return opj_stream_create(OPJ_J2K_STREAM_CHUNK_SIZE, is_input);
}

void opj_stream_destroy(opj_stream_t *handle)
{
    struct openjp2_stream *stream = openjp2_stream_of(handle);
    if (!stream)
        return;
    if (stream->free_user)
        stream->free_user(stream->user);
    free(stream->buffer);
    free(stream);
}

void opj_stream_set_read_function(opj_stream_t *handle, opj_stream_read_fn function)
{
    struct openjp2_stream *stream = openjp2_stream_of(handle);
    if (stream && stream->reads)
        stream->read = function;
}

void opj_stream_set_write_function(opj_stream_t *handle, opj_stream_write_fn function)
{
    struct openjp2_stream *stream = openjp2_stream_of(handle);
    if (stream && !stream->reads)
        stream->write = function;
}

void opj_stream_set_seek_function(opj_stream_t *handle, opj_stream_seek_fn function)
{
    if (handle)
        openjp2_stream_of(handle)->seek = function;
}

void opj_stream_set_skip_function(opj_stream_t *handle, opj_stream_skip_fn function)
{
    if (handle)
        openjp2_stream_of(handle)->skip = function;
}

void opj_stream_set_user_data(opj_stream_t *handle, void *user, opj_stream_free_user_data_fn function)
{
    struct openjp2_stream *stream = openjp2_stream_of(handle);
    if (!stream)
        return;
    stream->user = user;
    stream->free_user = function;
}

void opj_stream_set_user_data_length(opj_stream_t *handle, OPJ_UINT64 length)
{
    if (handle)
        openjp2_stream_of(handle)->length = length;
}
