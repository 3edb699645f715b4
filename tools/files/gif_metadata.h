/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What GIF files say of their picture: comments (GIF89a, section 24), and in application extensions (section 26) the
 * ICC profile and XMP.
 */
#ifndef KOSTKA_TOOL_GIF_METADATA_H
#define KOSTKA_TOOL_GIF_METADATA_H

#include "files/picture.h"

/* An extension whose sub-blocks come one after the other. */
struct gif_extension {
    int code;
    size_t count;      /* sub-blocks that came */
    uint8_t name[11];  /* the first sub-block of an application extension */
    struct blob bytes; /* of the others; of XMP with the byte in front of each that says how long it is */
    size_t room;       /* for bytes */
};

/* Take a sub-block, whose first byte is how many follow. False: out of memory. */
bool gif_extension_add(struct gif_extension *extension, const uint8_t *block);

/* Keep with the picture what the extension holds, if it is of these kinds. Its bytes are to be released. False: out of
 * memory. */
bool gif_extension_keep(struct gif_extension *extension, struct picture *picture);

#endif
