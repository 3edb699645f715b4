/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares numbers of AVI files that the reader and the writer share. */
#ifndef KOSTKA_TOOL_VIDEO_AVI_H
#define KOSTKA_TOOL_VIDEO_AVI_H

#include <stdint.h>

#include "files/bytes.h"

/* Return four characters as the number that they are in a little-endian file. */
static inline uint32_t four(const char text[5])
{
    return (uint32_t)(uint8_t)text[0] | (uint32_t)(uint8_t)text[1] << 8 | (uint32_t)(uint8_t)text[2] << 16 |
           (uint32_t)(uint8_t)text[3] << 24;
}

#endif
