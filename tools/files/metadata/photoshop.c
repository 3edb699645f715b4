/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins Photoshop's blocks of several segments, and keeps IPTC as one. */
#include "files/metadata/photoshop.h"

#include <stdlib.h>
#include <string.h>

enum { MARKER_APP13 = 0xED };

static const char identifier[] = "Photoshop 3.0";                     /* the terminating zero is part of it */
static const uint8_t iptc_block[] = {'8', 'B', 'I', 'M', 4, 4, 0, 0}; /* signature, number, an empty name */

bool photoshop_is(const kst_metadata *metadata)
{
    return metadata->kind == KST_METADATA_APP && metadata->marker == MARKER_APP13 &&
           metadata->length >= sizeof identifier && memcmp(metadata->data, identifier, sizeof identifier) == 0;
}

static bool append(struct blob *blob, const void *data, size_t length)
{
    uint8_t *grown = realloc(blob->data, blob->length + length + 1);

    if (grown == NULL)
        return false;
    memcpy(grown + blob->length, data, length);
    blob->data = grown;
    blob->length += length;
    return true;
}

bool photoshop_join(const struct picture *picture, struct blob *blocks)
{
    *blocks = (struct blob){NULL, 0};
    for (size_t i = 0; i < picture->extra_count; i++) {
        const kst_metadata *segment = &picture->extra[i];
        if (!photoshop_is(segment) || segment->length == sizeof identifier)
            continue;
        if (!append(blocks, segment->data + sizeof identifier, segment->length - sizeof identifier)) {
            blob_release(blocks);
            return false;
        }
    }
    return true;
}

bool photoshop_keep(struct picture *picture, const void *blocks, size_t length)
{
    struct blob segment = {NULL, 0};
    bool good = append(&segment, identifier, sizeof identifier) && append(&segment, blocks, length) &&
                picture_keep(picture, KST_METADATA_APP, MARKER_APP13, segment.data, segment.length);

    blob_release(&segment);
    return good;
}

static bool has_iptc(const struct picture *picture)
{
    for (size_t i = 0; i < picture->extra_count; i++)
        if (photoshop_is(&picture->extra[i]) &&
            memmem(picture->extra[i].data, picture->extra[i].length, iptc_block, 6) != NULL)
            return true;
    return false;
}

bool photoshop_keep_iptc(struct picture *picture, const void *iptc, size_t length)
{
    const uint8_t size[] = {(uint8_t)(length >> 24), (uint8_t)(length >> 16), (uint8_t)(length >> 8), (uint8_t)length};
    struct blob block = {NULL, 0};

    if (length == 0 || length > UINT32_MAX || has_iptc(picture))
        return true;
    bool good = append(&block, iptc_block, sizeof iptc_block) && append(&block, size, sizeof size) &&
                append(&block, iptc, length) && append(&block, "", length % 2) &&
                photoshop_keep(picture, block.data, block.length);
    blob_release(&block);
    return good;
}
