/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the metadata of GIF files: comments (GIF89a, section 24), and the ICC profile and XMP in application extensions
 * (section 26).
 */
#ifndef KOSTKA_TOOL_GIF_METADATA_H
#define KOSTKA_TOOL_GIF_METADATA_H

#include "files/picture.h"

/* Describes an extension whose sub-blocks are added one by one. */
struct gif_extension {
    int code;
    size_t count;      /* the number of sub-blocks so far */
    uint8_t name[11];  /* the first sub-block of an application extension */
    struct blob bytes; /* the bytes of the other sub-blocks; for XMP each with its length byte in front */
    size_t room;       /* bytes allocated for `bytes` */
};

/* Add a sub-block, whose first byte is the number of bytes that follow. Returns false if out of memory. */
bool gif_extension_add(struct gif_extension *extension, const uint8_t *block);

/*
 * Keep the extension's contents with the picture, if they are metadata of these kinds. The caller releases the
 * extension's bytes. Returns false if out of memory.
 */
bool gif_extension_keep(struct gif_extension *extension, struct picture *picture);

#endif
