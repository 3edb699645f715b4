/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the bits of a packet header: a byte that follows 0xFF holds seven bits (T.800 B.10.1). */
#ifndef KOSTKA_J2K_WRITE_HEADER_WRITER_H
#define KOSTKA_J2K_WRITE_HEADER_WRITER_H

#include "core/sink.h"
#include "j2k/packets/header_bits.h"

struct j2k_header_writer {
    struct sink *sink; /* null: bytes are only counted */
    uint64_t length;   /* number of bytes so far */
    uint64_t bits;     /* bits that are not in these bytes yet, in the lowest places */
    uint32_t waiting;  /* number of these bits, fewer than J2K_BITS_AT_ONCE between calls */
    uint32_t full;     /* bits that fill the next byte: 7 or 8 */
};

static inline void j2k_writer_start(struct j2k_header_writer *writer, struct sink *sink)
{
    *writer = (struct j2k_header_writer){.sink = sink, .full = 8};
}

/* Write all complete bytes, one after the other. */
static inline void j2k_writer_settle(struct j2k_header_writer *writer)
{
    while (writer->waiting >= writer->full) {
        writer->waiting -= writer->full;
        uint8_t byte = (uint8_t)(writer->bits >> writer->waiting & ((1U << writer->full) - 1));
        if (writer->sink)
            kst_sink_u8(writer->sink, byte);
        writer->length++;
        writer->full = byte == 0xFF ? 7 : 8;
    }
}

/* Write four bytes together, unless one of them is 0xFF or follows 0xFF. */
static inline void j2k_writer_four(struct j2k_header_writer *writer)
{
    const uint32_t four = (uint32_t)(writer->bits >> (writer->waiting - J2K_BITS_AT_ONCE));
    if (writer->full < 8 || j2k_has_ones_byte(four)) {
        j2k_writer_settle(writer);
        return;
    }
    uint8_t *to = writer->sink ? kst_sink_room(writer->sink, sizeof four) : NULL;
    if (to) {
        j2k_put32(to, four);
        writer->sink->length += sizeof four;
    }
    writer->length += sizeof four;
    writer->waiting -= J2K_BITS_AT_ONCE;
}

/* Write the low `count` bits of a value, 0 to 32, highest first. The value's other bits must be 0. */
static inline void j2k_writer_bits(struct j2k_header_writer *writer, uint32_t value, uint32_t count)
{
    writer->bits = writer->bits << count | value;
    writer->waiting += count;
    if (writer->waiting >= J2K_BITS_AT_ONCE)
        j2k_writer_four(writer);
}

static inline void j2k_writer_bit(struct j2k_header_writer *writer, uint32_t bit)
{
    j2k_writer_bits(writer, bit, 1);
}

static inline void j2k_writer_zeros(struct j2k_header_writer *writer, uint32_t count)
{
    for (; count > 32; count -= 32)
        j2k_writer_bits(writer, 0, 32);
    j2k_writer_bits(writer, 0, count);
}

/* End the header: fill the last byte with zeros, and if it is 0xFF, add a byte behind it. */
static inline void j2k_writer_end(struct j2k_header_writer *writer)
{
    j2k_writer_settle(writer);
    if (writer->waiting > 0 || writer->full == 7)
        j2k_writer_bits(writer, 0, writer->full - writer->waiting);
    j2k_writer_settle(writer);
    if (writer->full == 7)
        j2k_writer_bits(writer, 0, 7);
    j2k_writer_settle(writer);
}

#endif
