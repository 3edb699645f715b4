/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares streams that tests put together marker by marker, with any error that they want. */
#ifndef KOSTKA_TESTS_SUPPORT_BYTES_H
#define KOSTKA_TESTS_SUPPORT_BYTES_H

#include <kostka/kostka.h>

struct bytes {
    uint8_t *data; /* released by bytes_free() */
    size_t length, capacity;
};

void bytes_free(struct bytes *bytes);
void put(struct bytes *bytes, const void *data, size_t length);
void put_zeros(struct bytes *bytes, size_t length);
/* Append a marker, two bytes. */
void put_marker(struct bytes *bytes, uint8_t marker);
/* Append a marker segment with its length. */
void put_segment(struct bytes *bytes, uint8_t marker, const void *data, size_t length);

/* Append SOI, a quantisation table of ones and the four Huffman tables of Annex K. */
void put_start(struct bytes *bytes);
/* Append SOFn for samples of 8 bits; factors[i] is h × 16 + v. Component ids count from 1. */
void put_frame(
    struct bytes *bytes, uint8_t marker, uint32_t width, uint32_t height, uint32_t components, const uint8_t *factors);
/*
 * Append SOS for the components first, first + 1 …; the first component of the frame uses table 0, all others table 1.
 */
void put_scan(struct bytes *bytes, uint32_t first, uint32_t components, uint8_t ss, uint8_t se, uint8_t ah, uint8_t al);
void put_restart_interval(struct bytes *bytes, uint32_t interval);

#endif
