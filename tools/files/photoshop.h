/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Photoshop's blocks, IPTC among them. A picture keeps them as JPEG has them, in segments APP13 that begin with an
 * identifier; TIFF has the blocks in a tag of their own, PNG in a text.
 */
#ifndef KOSTKA_TOOL_PHOTOSHOP_H
#define KOSTKA_TOOL_PHOTOSHOP_H

#include "files/picture.h"

/* Whether a picture's metadata are such a segment. */
bool photoshop_is(const kst_metadata *metadata);

/* The blocks of all of a picture's segments. False: out of memory. `blocks` has no data where there are none. */
bool photoshop_join(const struct picture *picture, struct blob *blocks);

/* Keep blocks with a picture. False: out of memory. */
bool photoshop_keep(struct picture *picture, const void *blocks, size_t length);

/* Keep IPTC as a block, but where the picture has one already. False: out of memory. */
bool photoshop_keep_iptc(struct picture *picture, const void *iptc, size_t length);

#endif
