/* SPDX-License-Identifier: BSD-2-Clause */
/* Deflate streams (RFC 1951) that are made by themselves and become one. */
#ifndef KOSTKA_TOOL_DEFLATE_JOIN_H
#define KOSTKA_TOOL_DEFLATE_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEFLATE_JOIN_BYTES = 5 /* that a stream may grow by */ };

/*
 * Make a complete stream one that another can follow: its last block loses BFINAL (3.2.3), and an empty stored block
 * takes it to the end of a byte. `data` has room for DEFLATE_JOIN_BYTES more than *length. False, with the stream
 * unchanged, where it is none, or is followed by other bytes.
 */
bool deflate_open_end(uint8_t *data, size_t *length);

#endif
