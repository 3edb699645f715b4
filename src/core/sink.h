/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares an output of bytes to which encoders and writers append. The bytes are kept in memory that grows, in the
 * caller's buffer, or, with a kst_writer, only until they are passed on to the caller's file.
 */
#ifndef KOSTKA_CORE_SINK_H
#define KOSTKA_CORE_SINK_H

#include <kostka/kostka_writer.h>

#include "core/memory.h"

/*
 * Errors are sticky: after a failure every call does nothing, and `status` says what failed (KST_ERROR_BUFFER_FULL,
 * KST_ERROR_MEMORY, KST_ERROR_LIMIT_MEMORY, KST_ERROR_WRITE), so that callers need to check only once, at the end.
 */
struct sink {
    struct memory *memory; /* null: `data` is the caller's and does not grow */
    uint8_t *data;
    size_t length;
    size_t capacity;
    kst_status status;
    const kst_writer *writer; /* null: all bytes stay in `data` */
    uint64_t passed;          /* bytes that the writer has received; `data` begins behind them */
};

enum { SINK_PIECE = 1 << 18 }; /* least number of bytes passed on to a writer at once, except for the last */

void kst_sink_init(struct sink *sink, struct memory *memory);
void kst_sink_init_fixed(struct sink *sink, uint8_t *data, size_t capacity);
void kst_sink_init_writer(struct sink *sink, struct memory *memory, const kst_writer *writer);
/*
 * Begin to write into a buffer of the caller's: into its own bytes if it has any, otherwise into memory of the
 * operation.
 */
void kst_sink_open(struct sink *sink, struct memory *memory, const kst_buffer *buffer);
/*
 * End writing into a buffer. It receives the length and, if the operation allocated the bytes, the bytes themselves,
 * which `owner` accounts for from then on.
 */
void kst_sink_close(struct sink *sink, struct memory *owner, kst_buffer *buffer);
/*
 * Make room for `length` more bytes and return where to write them; null on failure. The caller then adds the number of
 * bytes it has used to sink->length.
 */
uint8_t *kst_sink_reserve(struct sink *sink, size_t length);
/*
 * Announce that about `length` more bytes will come. A sink that allocates its own memory makes room for exactly that
 * many.
 */
void kst_sink_expect(struct sink *sink, size_t length);
void kst_sink_bytes(struct sink *sink, const void *data, size_t length);
void kst_sink_release(struct sink *sink);

/* Return where to write `length` more bytes, as kst_sink_reserve() does, without a call if there is room. */
static inline uint8_t *kst_sink_room(struct sink *sink, size_t length)
{
    bool has_room = !sink->status && length <= sink->capacity - sink->length;
    return has_room ? sink->data + sink->length : kst_sink_reserve(sink, length);
}

static inline void kst_sink_u8(struct sink *sink, uint8_t value)
{
    uint8_t *to = kst_sink_room(sink, 1);
    if (!to)
        return;
    to[0] = value;
    sink->length += 1;
}

/* Write a number in big-endian order, as all numbers of T.81 and T.800 are. */
static inline void kst_sink_u16(struct sink *sink, uint16_t value)
{
    uint8_t *to = kst_sink_room(sink, 2);
    if (!to)
        return;
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
    sink->length += 2;
}

static inline void kst_sink_u32(struct sink *sink, uint32_t value)
{
    kst_sink_u16(sink, (uint16_t)(value >> 16));
    kst_sink_u16(sink, (uint16_t)value);
}

/* Return the number of bytes written since the beginning, wherever they are now. */
static inline uint64_t kst_sink_position(const struct sink *sink)
{
    return sink->passed + sink->length;
}

/* Pass all bytes written so far to the writer, if there is one. Pointers into `data` are then no longer valid. */
void kst_sink_flush(struct sink *sink);

/*
 * State that the bytes written so far will not change any more: once there are enough of them they are passed on as by
 * kst_sink_flush().
 */
static inline void kst_sink_settle(struct sink *sink)
{
    if (sink->writer && sink->length >= SINK_PIECE)
        kst_sink_flush(sink);
}

/*
 * Overwrite bytes that were written before. They may have been passed on already, so the writer must accept bytes at
 * earlier positions.
 */
void kst_sink_patch(struct sink *sink, uint64_t position, const void *data, size_t length);

/* Drop all bytes from `position` on and continue there. */
void kst_sink_rewind(struct sink *sink, uint64_t position);

#endif
