/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects output bytes in memory, in the caller's buffer or for the caller's writer. */
#include "core/sink.h"

#include <string.h>

/*
 * FIRST_CAPACITY is the room for the first bytes. PIECE_CAPACITY is the room for a piece with what is appended to it at
 * once, if more bytes go to a writer and memory is not scarce: growing to it by doubling would copy all bytes of a
 * piece once, to pages that are touched for the first time.
 */
enum { FIRST_CAPACITY = 4096, PIECE_CAPACITY = SINK_PIECE + SINK_PIECE / 4, SCARCE = 64 * PIECE_CAPACITY };

void kst_sink_init(struct sink *sink, struct memory *memory)
{
    *sink = (struct sink){.memory = memory};
}

void kst_sink_init_fixed(struct sink *sink, uint8_t *data, size_t capacity)
{
    *sink = (struct sink){.data = data, .capacity = capacity};
}

void kst_sink_init_writer(struct sink *sink, struct memory *memory, const kst_writer *writer)
{
    *sink = (struct sink){.memory = memory, .writer = writer};
}

void kst_sink_open(struct sink *sink, struct memory *memory, const kst_buffer *buffer)
{
    if (buffer->data)
        kst_sink_init_fixed(sink, buffer->data, buffer->capacity);
    else
        kst_sink_init(sink, memory);
}

void kst_sink_close(struct sink *sink, struct memory *owner, kst_buffer *buffer)
{
    buffer->length = sink->length;
    if (!sink->memory)
        return;
    kst_memory_hand_over(sink->memory, owner, sink->data);
    *buffer = (kst_buffer){.data = sink->data, .length = sink->length, .capacity = sink->capacity, .owned = true};
}

static void set_capacity(struct sink *sink, size_t capacity)
{
    uint8_t *data = kst_memory_grow(sink->memory, sink->data, sink->length, capacity, &sink->status);
    if (!data)
        return;
    sink->data = data;
    sink->capacity = capacity;
}

static void grow(struct sink *sink, size_t needed)
{
    size_t capacity = sink->capacity > 0 ? sink->capacity : FIRST_CAPACITY;
    if (sink->writer && needed > FIRST_CAPACITY && capacity < PIECE_CAPACITY && kst_memory_left(sink->memory) >= SCARCE)
        capacity = PIECE_CAPACITY;
    while (capacity < needed)
        capacity = capacity <= SIZE_MAX / 2 ? capacity * 2 : needed;
    set_capacity(sink, capacity);
}

void kst_sink_expect(struct sink *sink, size_t length)
{
    if (!sink->status && sink->memory && !sink->writer && length <= SIZE_MAX - sink->length &&
        sink->length + length > sink->capacity)
        set_capacity(sink, sink->length + length);
}

uint8_t *kst_sink_reserve(struct sink *sink, size_t length)
{
    if (sink->status)
        return NULL;
    if (length > sink->capacity - sink->length) {
        if (!sink->memory)
            sink->status = KST_ERROR_BUFFER_FULL;
        else if (length > SIZE_MAX - sink->length)
            sink->status = KST_ERROR_LIMIT_MEMORY;
        else
            grow(sink, sink->length + length);
        if (sink->status)
            return NULL;
    }
    return sink->data + sink->length;
}

void kst_sink_bytes(struct sink *sink, const void *data, size_t length)
{
    if (length == 0)
        return;
    uint8_t *to = kst_sink_reserve(sink, length);
    if (!to)
        return;
    memcpy(to, data, length);
    sink->length += length;
}

void kst_sink_release(struct sink *sink)
{
    if (sink->memory)
        kst_memory_release(sink->memory, sink->data);
    *sink = (struct sink){.memory = sink->memory, .writer = sink->writer};
}

static void pass_on(struct sink *sink, uint64_t position, const void *data, size_t length)
{
    if (length > 0 && !sink->writer->write(sink->writer->user, position, data, length))
        sink->status = KST_ERROR_WRITE;
}

void kst_sink_flush(struct sink *sink)
{
    if (!sink->writer || sink->status)
        return;
    pass_on(sink, sink->passed, sink->data, sink->length);
    sink->passed += sink->length;
    sink->length = 0;
}

void kst_sink_patch(struct sink *sink, uint64_t position, const void *data, size_t length)
{
    if (sink->status)
        return;
    size_t there = 0;
    if (position < sink->passed) {
        there = sink->passed - position < length ? (size_t)(sink->passed - position) : length;
        pass_on(sink, position, data, there);
    }
    if (there < length)
        memcpy(sink->data + (position + there - sink->passed), (const uint8_t *)data + there, length - there);
}

void kst_sink_rewind(struct sink *sink, uint64_t position)
{
    if (position >= sink->passed) {
        sink->length = (size_t)(position - sink->passed);
        return;
    }
    sink->passed = position;
    sink->length = 0;
}
