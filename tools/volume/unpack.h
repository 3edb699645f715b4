/* SPDX-License-Identifier: BSD-2-Clause */
/* Expands bricks that general codecs have compressed. */
#ifndef KOSTKA_TOOL_VOLUME_UNPACK_H
#define KOSTKA_TOOL_VOLUME_UNPACK_H

#include "tool.h"

/* Says by which codec samples are compressed. */
enum packing {
    PACKING_NONE,
    PACKING_GZIP, /* RFC 1952 */
    PACKING_ZLIB, /* RFC 1950 */
    PACKING_ZSTD, /* RFC 8878 */
    PACKING_BLOSC /* of version 1, with any of its codecs and shuffles */
};

/* Find the packing that Zarr's metadata name. Returns false if none has that name. */
bool packing_find(const char *name, enum packing *packing);
const char *packing_name(enum packing packing);

/* Expand bytes to exactly `room` bytes at `to`, all of them. */
bool packing_expand(
    enum packing packing, const uint8_t *from, size_t length, uint8_t *to, size_t room, struct problem *problem);

#endif
