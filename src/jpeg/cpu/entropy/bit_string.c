/* SPDX-License-Identifier: BSD-2-Clause */
/* Appends bits to bit strings and joins finished pieces into a stream with byte stuffing and restart markers. */
#include "jpeg/cpu/entropy/bit_string.h"

#include <string.h>

#include "jpeg/syntax/marker.h"

enum { SPILL = 8, FIRST_CAPACITY = 16384, FIRST_PIECES = 16 };

void kst_jpeg_cpu_bit_string_init(struct jpeg_bit_string *bits, struct memory *memory)
{
    *bits = (struct jpeg_bit_string){.memory = memory};
}

void kst_jpeg_cpu_bit_string_release(struct jpeg_bit_string *bits)
{
    kst_memory_release(bits->memory, bits->data);
    kst_memory_release(bits->memory, bits->piece_bits);
    *bits = (struct jpeg_bit_string){.memory = bits->memory};
}

void kst_jpeg_cpu_bit_string_clear(struct jpeg_bit_string *bits)
{
    bits->length = bits->piece_start = 0;
    bits->accumulator = 0;
    bits->pending = bits->piece_count = 0;
}

static bool grow(struct jpeg_bit_string *bits, size_t needed)
{
    size_t capacity = bits->capacity > 0 ? bits->capacity : FIRST_CAPACITY;
    while (capacity < needed)
        capacity += capacity / 2;
    uint8_t *data = kst_memory_grow(bits->memory, bits->data, bits->length, capacity, &bits->status);
    if (!data)
        return false;
    bits->data = data;
    bits->capacity = capacity;
    return true;
}

bool kst_jpeg_cpu_bit_string_room(struct jpeg_bit_string *bits, size_t length)
{
    if (bits->status)
        return false;
    if (bits->capacity >= SPILL && length <= bits->capacity - SPILL - bits->length)
        return true;
    if (length > SIZE_MAX / 4 - bits->length) {
        bits->status = KST_ERROR_LIMIT_MEMORY;
        return false;
    }
    return grow(bits, bits->length + length + SPILL);
}

static bool piece_room(struct jpeg_bit_string *bits)
{
    if (bits->piece_count < bits->piece_capacity)
        return true;
    uint32_t capacity = bits->piece_capacity > 0 ? 2 * bits->piece_capacity : FIRST_PIECES;
    uint64_t *pieces = kst_memory_grow(
        bits->memory, bits->piece_bits, bits->piece_count * sizeof *pieces, capacity * sizeof *pieces, &bits->status);
    if (!pieces)
        return false;
    bits->piece_bits = pieces;
    bits->piece_capacity = capacity;
    return true;
}

void kst_jpeg_cpu_bit_string_end_piece(struct jpeg_bit_string *bits)
{
    if (!kst_jpeg_cpu_bit_string_room(bits, SPILL) || !piece_room(bits))
        return;
    bits->piece_bits[bits->piece_count++] = (bits->length - bits->piece_start) * 8 + bits->pending;
    if (bits->pending > 0)
        bits->data[bits->length++] = (uint8_t)(bits->accumulator >> 56);
    bits->accumulator = 0;
    bits->pending = 0;
    bits->piece_start = bits->length;
}

static uint64_t load_be64(const uint8_t *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/* Write the top `count` bytes of a word, with a zero byte after each 0xFF. */
static uint8_t *stuff_bytes(uint8_t *out, uint64_t word, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, word <<= 8) {
        uint8_t byte = (uint8_t)(word >> 56);
        *out++ = byte;
        if (byte == 0xFF)
            *out++ = 0;
    }
    return out;
}

static inline uint8_t *stuff_word(uint8_t *out, uint64_t word)
{
    /* A byte of 0xFF has its top bit set and loses it when 1 is added. A carry can only raise false alarms. */
    if (word & 0x8080808080808080 & ~(word + 0x0101010101010101))
        return stuff_bytes(out, word, 8);
    kst_jpeg_store_be64(out, word);
    return out + 8;
}

enum { CHUNK_WORDS = 512, CHUNK_MOST = 16 * CHUNK_WORDS };

/* Return where the next CHUNK_MOST bytes go: into the sink, or to `spare` if the caller's buffer may have less room. */
static uint8_t *chunk_start(struct sink *sink, uint8_t *spare)
{
    if (!sink->memory && sink->capacity - sink->length < CHUNK_MOST)
        return spare;
    return kst_sink_reserve(sink, CHUNK_MOST);
}

static void chunk_end(struct sink *sink, const uint8_t *start, const uint8_t *end, const uint8_t *spare)
{
    size_t length = (size_t)(end - start);
    if (start == spare)
        kst_sink_bytes(sink, spare, length);
    else
        sink->length += length;
}

static void join_words(struct jpeg_joiner *joiner, const uint8_t *data, uint32_t words)
{
    uint8_t spare[CHUNK_MOST];
    uint8_t *start = chunk_start(joiner->sink, spare), *out = start;
    if (!start)
        return;
    const uint32_t pending = joiner->pending;
    uint64_t accumulator = joiner->accumulator;
    for (uint32_t i = 0; i < words; i++) {
        uint64_t word = load_be64(data + 8 * (size_t)i);
        out = stuff_word(out, accumulator | word >> pending);
        accumulator = (word << 1) << (63 - pending);
    }
    joiner->accumulator = accumulator;
    chunk_end(joiner->sink, start, out, spare);
}

/* Append the top `count` bits (0–64) of a word whose other bits are 0. */
static void join_tail(struct jpeg_joiner *joiner, uint64_t word, uint32_t count)
{
    uint64_t whole = joiner->accumulator | word >> joiner->pending;
    if (joiner->pending + count < 64) {
        joiner->accumulator = whole;
        joiner->pending += count;
        return;
    }
    uint8_t bytes[16];
    kst_sink_bytes(joiner->sink, bytes, (size_t)(stuff_word(bytes, whole) - bytes));
    joiner->accumulator = (word << 1) << (63 - joiner->pending);
    joiner->pending = joiner->pending + count - 64;
}

/* Append the first `count` bits of `data`. */
static void join(struct jpeg_joiner *joiner, const uint8_t *data, uint64_t count)
{
    for (uint64_t words = count / 64; words > 0;) {
        uint32_t chunk = words < CHUNK_WORDS ? (uint32_t)words : CHUNK_WORDS;
        join_words(joiner, data, chunk);
        data += 8 * (size_t)chunk;
        words -= chunk;
    }
    uint32_t rest = (uint32_t)(count % 64);
    uint64_t word = 0;
    for (uint32_t i = 0; 8 * i < rest; i++)
        word |= (uint64_t)data[i] << (56 - 8 * i);
    if (rest > 0)
        join_tail(joiner, word & ~(UINT64_MAX >> rest), rest);
}

void kst_jpeg_cpu_join_end(struct jpeg_joiner *joiner)
{
    uint8_t bytes[16];
    uint64_t word = joiner->accumulator | UINT64_MAX >> joiner->pending;
    kst_sink_bytes(joiner->sink, bytes, (size_t)(stuff_bytes(bytes, word, (joiner->pending + 7) / 8) - bytes));
    joiner->accumulator = 0;
    joiner->pending = 0;
}

void kst_jpeg_cpu_join_restart(struct jpeg_joiner *joiner)
{
    kst_jpeg_cpu_join_end(joiner);
    kst_sink_u8(joiner->sink, 0xFF);
    kst_sink_u8(joiner->sink, (uint8_t)(JPEG_RST0 + joiner->restarts++ % 8));
}

/* Append the finished pieces. */
static void join_finished(struct jpeg_joiner *joiner, const struct jpeg_bit_string *bits)
{
    const uint8_t *data = bits->data;
    for (uint32_t i = 0; i < bits->piece_count; i++) {
        if (i > 0)
            kst_jpeg_cpu_join_restart(joiner);
        join(joiner, data, bits->piece_bits[i]);
        data += (bits->piece_bits[i] + 7) / 8;
    }
}

void kst_jpeg_cpu_join_pieces(struct jpeg_joiner *joiner, struct jpeg_bit_string *bits)
{
    kst_jpeg_cpu_bit_string_end_piece(bits);
    if (!bits->status)
        join_finished(joiner, bits);
}

void kst_jpeg_cpu_join_so_far(struct jpeg_joiner *joiner, struct jpeg_bit_string *bits)
{
    if (bits->status)
        return;
    join_finished(joiner, bits);
    if (bits->piece_count > 0)
        kst_jpeg_cpu_join_restart(joiner);
    join(joiner, bits->data + bits->piece_start, (uint64_t)(bits->length - bits->piece_start) * 8);
    bits->length = bits->piece_start = 0;
    bits->piece_count = 0;
}
