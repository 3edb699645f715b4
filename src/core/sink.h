/* SPDX-License-Identifier: BSD-2-Clause */
/* A growing (or the caller's fixed) run of bytes that a writer appends to, or what has not gone to the caller's file.
 */
#ifndef KOSTKA_CORE_SINK_H
#define KOSTKA_CORE_SINK_H

#include <kostka/kostka_writer.h>

#include "core/memory.h"

/*
 * Errors are sticky: after a failure every call does nothing, and `status` says what it was (KST_ERROR_BUFFER_FULL,
 * KST_ERROR_MEMORY, KST_ERROR_LIMIT_MEMORY, KST_ERROR_WRITE), so that writers check once, at the end.
 */
struct sink {
    struct memory *memory; /* null: `data` is the caller's and does not grow */
    uint8_t *data;
    size_t length;
    size_t capacity;
    kst_status status;
    const kst_writer *writer; /* null: all stays in `data` */
    uint64_t passed;          /* bytes that the writer has; `data` begins behind them */
};

enum { SINK_PIECE = 1 << 18 }; /* bytes that a writer is given at least, but for the last */

void kst_sink_init(struct sink *sink, struct memory *memory);
void kst_sink_init_fixed(struct sink *sink, uint8_t *data, size_t capacity);
void kst_sink_init_writer(struct sink *sink, struct memory *memory, const kst_writer *writer);
/* Write into a caller's buffer: its own bytes where it has any, otherwise memory of the operation. */
void kst_sink_open(struct sink *sink, struct memory *memory, const kst_buffer *buffer);
/* The end of that: the buffer gets its length, and bytes that the operation allocated, which `owner` then accounts for.
 */
void kst_sink_close(struct sink *sink, struct memory *owner, kst_buffer *buffer);
/* Make room for `length` more bytes and return where they go; null on failure. Then add to sink->length what was used.
 */
uint8_t *kst_sink_reserve(struct sink *sink, size_t length);
/* About so many bytes more will come: exactly that much memory is made ready, where it is the operation's. */
void kst_sink_expect(struct sink *sink, size_t length);
void kst_sink_bytes(struct sink *sink, const void *data, size_t length);
void kst_sink_u8(struct sink *sink, uint8_t value);
void kst_sink_u16(struct sink *sink, uint16_t value); /* big-endian, as all of T.81 and T.800 */
void kst_sink_u32(struct sink *sink, uint32_t value);
void kst_sink_release(struct sink *sink);

/* Bytes from the beginning, wherever they are. */
static inline uint64_t kst_sink_position(const struct sink *sink)
{
    return sink->passed + sink->length;
}

/* All bytes so far go to the writer, if there is one. What was known of their places in `data` is not so any more. */
void kst_sink_flush(struct sink *sink);

/* All bytes so far are as they shall be: once they are enough they go to the writer, as by kst_sink_flush(). */
static inline void kst_sink_settle(struct sink *sink)
{
    if (sink->writer && sink->length >= SINK_PIECE)
        kst_sink_flush(sink);
}

/* Other bytes in the place of some that are there, perhaps with the writer, which must not demand order then. */
void kst_sink_patch(struct sink *sink, uint64_t position, const void *data, size_t length);

/* Begin again from there. */
void kst_sink_rewind(struct sink *sink, uint64_t position);

#endif
