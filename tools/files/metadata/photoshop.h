/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles Photoshop's blocks, IPTC among them. A picture keeps them as JPEG does, in APP13 segments that begin with an
 * identifier; TIFF has the blocks in a tag, PNG in a text chunk.
 */
#ifndef KOSTKA_TOOL_PHOTOSHOP_H
#define KOSTKA_TOOL_PHOTOSHOP_H

#include "files/picture.h"

/* Return whether a picture's metadata are such a segment. */
bool photoshop_is(const kst_metadata *metadata);

/*
 * Join the blocks of all segments of a picture. If there are none, `blocks` has no data. Returns false if out of
 * memory.
 */
bool photoshop_join(const struct picture *picture, struct blob *blocks);

/* Keep blocks with a picture. Returns false if out of memory. */
bool photoshop_keep(struct picture *picture, const void *blocks, size_t length);

/* Keep IPTC as a block, unless the picture has one already. Returns false if out of memory. */
bool photoshop_keep_iptc(struct picture *picture, const void *iptc, size_t length);

#endif
