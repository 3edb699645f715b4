/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of a packet header on their way out: a byte behind 0xFF holds seven (T.800 B.10.1). */
#ifndef KOSTKA_J2K_HEADER_WRITER_H
#define KOSTKA_J2K_HEADER_WRITER_H

#include "core/sink.h"

struct j2k_header_writer {
    struct sink *sink; /* null: bytes are only counted */
    uint64_t length;
    uint32_t byte; /* bits that are no whole byte yet */
    uint32_t left; /* that it takes to fill it */
    uint32_t full; /* 7 or 8 */
};

static inline void j2k_writer_start(struct j2k_header_writer *writer, struct sink *sink)
{
    *writer = (struct j2k_header_writer){.sink = sink, .left = 8, .full = 8};
}

static inline void j2k_writer_byte(struct j2k_header_writer *writer)
{
    if (writer->sink)
        kst_sink_u8(writer->sink, (uint8_t)writer->byte);
    writer->length++;
    writer->full = writer->byte == 0xFF ? 7 : 8;
    writer->left = writer->full;
    writer->byte = 0;
}

static inline void j2k_writer_bit(struct j2k_header_writer *writer, uint32_t bit)
{
    writer->left--;
    writer->byte |= bit << writer->left;
    if (writer->left == 0)
        j2k_writer_byte(writer);
}

/* The low `count` bits of a value, 0 … 32 of them, the highest first. */
static inline void j2k_writer_bits(struct j2k_header_writer *writer, uint32_t value, uint32_t count)
{
    while (count-- > 0)
        j2k_writer_bit(writer, value >> count & 1);
}

/* Fill the last byte with zeros, and put one behind it where it is 0xFF. */
static inline void j2k_writer_end(struct j2k_header_writer *writer)
{
    if (writer->left < writer->full || writer->full == 7)
        j2k_writer_byte(writer);
    if (writer->full == 7)
        j2k_writer_byte(writer);
}

#endif
