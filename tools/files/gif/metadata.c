/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects comments and XMP from the extensions of GIF files. */
#include "files/gif/metadata.h"

#include <stdlib.h>
#include <string.h>

enum {
    CODE_COMMENT = 0xFE,
    CODE_APPLICATION = 0xFF,
    MARKER_XMP = 0xE1,
    MARKER_COMMENT = 0xFE,
    /*
     * A packet of XMP is followed by the bytes 1, 255, 254 … 0: a reader that takes bytes of the packet for lengths
     * of sub-blocks is led by them to the final sub-block of length 0.
     */
    XMP_TRAILER = 257
};

static bool is_application(const struct gif_extension *extension, const char *name)
{
    return extension->code == CODE_APPLICATION && extension->count > 0 &&
           memcmp(extension->name, name, sizeof extension->name) == 0;
}

static bool is_xmp(const struct gif_extension *extension)
{
    return is_application(extension, "XMP DataXMP");
}

static bool append(struct gif_extension *extension, const uint8_t *data, size_t length)
{
    struct blob *bytes = &extension->bytes;

    if (length > extension->room - bytes->length) {
        size_t room = 2 * (bytes->length + length);
        uint8_t *grown = realloc(bytes->data, room);
        if (grown == NULL)
            return false;
        bytes->data = grown;
        extension->room = room;
    }
    memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
    return true;
}

bool gif_extension_add(struct gif_extension *extension, const uint8_t *block)
{
    const size_t length = block[0];

    if (extension->code == CODE_APPLICATION && extension->count++ == 0) {
        if (length == sizeof extension->name)
            memcpy(extension->name, block + 1, length);
        return true;
    }
    if (extension->code != CODE_COMMENT && !is_xmp(extension) && !is_application(extension, "ICCRGBG1012"))
        return true;
    bool whole = is_xmp(extension);
    return length + whole == 0 || append(extension, block + !whole, length + whole);
}

bool gif_extension_keep(struct gif_extension *extension, struct picture *picture)
{
    struct blob *bytes = &extension->bytes;
    bool good = true;

    if (bytes->length > 0 && extension->code == CODE_COMMENT)
        good = picture_keep(picture, KST_METADATA_COMMENT, MARKER_COMMENT, bytes->data, bytes->length);
    else if (bytes->length > XMP_TRAILER && is_xmp(extension) && picture_kept(picture, KST_METADATA_XMP) == NULL)
        good = picture_keep(picture, KST_METADATA_XMP, MARKER_XMP, bytes->data, bytes->length - XMP_TRAILER);
    else if (bytes->length > 0 && !is_xmp(extension) && picture->icc.data == NULL)
        good = blob_set(&picture->icc, bytes->data, bytes->length);
    return good;
}
