/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins deflate streams (RFC 1951) that were made separately. */
#ifndef KOSTKA_TOOL_DEFLATE_JOIN_H
#define KOSTKA_TOOL_DEFLATE_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEFLATE_JOIN_BYTES = 5 /* bytes by which a stream may grow */ };

/*
 * Change a complete stream so that another can follow it: its last block loses BFINAL (3.2.3), and an empty stored
 * block ends it at a whole byte. `data` has room for DEFLATE_JOIN_BYTES more than *length. Returns false, with the
 * stream unchanged, if it is invalid or other bytes follow it.
 */
bool deflate_open_end(uint8_t *data, size_t *length);

#endif
