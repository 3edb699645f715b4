/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the bits of a packet header. After a byte 0xFF the next byte holds seven bits (T.800 B.10.1). */
#ifndef KOSTKA_J2K_PACKETS_HEADER_BITS_H
#define KOSTKA_J2K_PACKETS_HEADER_BITS_H

#include <stdbool.h>
#include <stdint.h>

struct j2k_header_bits {
    const uint8_t *next, *end;
    uint32_t byte; /* the byte taken last */
    uint32_t left; /* number of its bits that are not read yet */
    bool overrun;  /* more bits were read than there are; the missing ones were 0 */
};

static inline void j2k_bits_start(struct j2k_header_bits *bits, const uint8_t *data, const uint8_t *end)
{
    *bits = (struct j2k_header_bits){.next = data, .end = end};
}

static inline uint32_t j2k_bit(struct j2k_header_bits *bits)
{
    if (bits->left == 0) {
        bits->left = bits->byte == 0xFF ? 7 : 8;
        bits->overrun |= bits->next == bits->end;
        bits->byte = bits->next == bits->end ? 0 : *bits->next++;
    }
    return bits->byte >> --bits->left & 1;
}

/* Read 0 to 32 bits. */
static inline uint32_t j2k_bits_take(struct j2k_header_bits *bits, uint32_t count)
{
    uint64_t value = 0;
    while (count > 0) {
        if (bits->left == 0) {
            value = value << 1 | j2k_bit(bits);
            count--;
            continue;
        }
        uint32_t part = count < bits->left ? count : bits->left;
        bits->left -= part;
        value = value << part | (bits->byte >> bits->left & ((1U << part) - 1));
        count -= part;
    }
    return (uint32_t)value;
}

/* The end of the header, which has whole bytes, and one more where the last is 0xFF. */
static inline const uint8_t *j2k_bits_end(struct j2k_header_bits *bits)
{
    if (bits->byte == 0xFF) {
        bits->overrun |= bits->next == bits->end;
        bits->next += bits->next != bits->end;
    }
    return bits->next;
}

#endif
