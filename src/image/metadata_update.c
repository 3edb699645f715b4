/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements kst_metadata_update(), which adapts metadata to a picture that was turned, cut or taken out of its file.
 */
#include <kostka/kostka.h>

#include "image/exif.h"
#include "image/xmp.h"

#include <string.h>

static size_t update_exif(uint8_t *data, size_t length, const kst_metadata_change *change)
{
    if (change->orientation)
        kst_exif_set_orientation(data, length, change->orientation);
    if (change->width && change->height)
        kst_exif_set_size(data, length, change->width, change->height);
    return change->drop_thumbnail ? kst_exif_drop_thumbnail(data, length) : length;
}

static size_t update_xmp(uint8_t *data, size_t length, const kst_metadata_change *change)
{
    size_t from, to;
    if (change->orientation)
        kst_xmp_set_orientation(data, length, change->orientation);
    if (!change->drop_others || !kst_xmp_directory(data, length, &from, &to))
        return length;
    memmove(data + from, data + to, length - to);
    return length - (to - from);
}

size_t kst_metadata_update(kst_metadata_kind kind, void *data, size_t length, const kst_metadata_change *change)
{
    if (!data || !change || change->size != sizeof *change || change->orientation < 0 || change->orientation > 8)
        return length;
    if (kind == KST_METADATA_EXIF)
        return update_exif(data, length, change);
    return kind == KST_METADATA_XMP ? update_xmp(data, length, change) : length;
}
