/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams put together marker by marker, to be as wrong as a test wants them. */
#ifndef KOSTKA_TESTS_SUPPORT_BYTES_H
#define KOSTKA_TESTS_SUPPORT_BYTES_H

#include <kostka/kostka.h>

struct bytes {
    uint8_t *data; /* bytes_free() */
    size_t length, capacity;
};

void bytes_free(struct bytes *bytes);
void put(struct bytes *bytes, const void *data, size_t length);
void put_zeros(struct bytes *bytes, size_t length);
/* A marker of two bytes. */
void put_marker(struct bytes *bytes, uint8_t marker);
/* A marker segment with its length. */
void put_segment(struct bytes *bytes, uint8_t marker, const void *data, size_t length);

/* SOI, one quantisation table of ones and the four Huffman tables of Annex K. */
void put_start(struct bytes *bytes);
/* SOFn of 8 bits; factors[i] is h × 16 + v. Ids count from 1. */
void put_frame(
    struct bytes *bytes, uint8_t marker, uint32_t width, uint32_t height, uint32_t components, const uint8_t *factors);
/* SOS of components first, first + 1 …, with table 0 for the first of the frame and 1 for the others. */
void put_scan(struct bytes *bytes, uint32_t first, uint32_t components, uint8_t ss, uint8_t se, uint8_t ah, uint8_t al);
void put_restart_interval(struct bytes *bytes, uint32_t interval);

#endif
