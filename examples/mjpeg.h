/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads JPEG frames that lie one behind the other in a stream. */
#ifndef KOSTKA_EXAMPLES_MJPEG_H
#define KOSTKA_EXAMPLES_MJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Read the next frame, from its SOI to its EOI. Returns false at the stream's end, or if there is no room. */
bool mjpeg_next(FILE *stream, uint8_t *frame, size_t room, size_t *length);

#endif
