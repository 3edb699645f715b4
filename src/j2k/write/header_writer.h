/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of a packet header on their way out: a byte behind 0xFF holds seven (T.800 B.10.1). */
#ifndef KOSTKA_J2K_WRITE_HEADER_WRITER_H
#define KOSTKA_J2K_WRITE_HEADER_WRITER_H

#include "core/sink.h"

struct j2k_header_writer {
    struct sink *sink; /* null: bytes are only counted */
    uint64_t length;
    uint64_t bits;    /* those that are no whole byte yet are the lowest */
    uint32_t waiting; /* how many they are: fewer than it takes to fill one */
    uint32_t full;    /* 7 or 8 */
};

static inline void j2k_writer_start(struct j2k_header_writer *writer, struct sink *sink)
{
    *writer = (struct j2k_header_writer){.sink = sink, .full = 8};
}

/* The low `count` bits of a value that has no others, 0 … 32 of them, the highest first. */
static inline void j2k_writer_bits(struct j2k_header_writer *writer, uint32_t value, uint32_t count)
{
    writer->bits = writer->bits << count | value;
    writer->waiting += count;
    while (writer->waiting >= writer->full) {
        writer->waiting -= writer->full;
        uint8_t byte = (uint8_t)(writer->bits >> writer->waiting & ((1U << writer->full) - 1));
        if (writer->sink)
            kst_sink_u8(writer->sink, byte);
        writer->length++;
        writer->full = byte == 0xFF ? 7 : 8;
    }
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

/* Fill the last byte with zeros, and put one behind it where it is 0xFF. */
static inline void j2k_writer_end(struct j2k_header_writer *writer)
{
    if (writer->waiting > 0 || writer->full == 7)
        j2k_writer_bits(writer, 0, writer->full - writer->waiting);
    if (writer->full == 7)
        j2k_writer_bits(writer, 0, 7);
}

#endif
