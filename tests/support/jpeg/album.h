/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares JPEG files with more pictures behind the first one, with an MPF index (CIPA DC-007) of either byte order, a
 * directory in XMP, both or neither; and readers of these that share no code with the library.
 */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_ALBUM_H
#define KOSTKA_TESTS_SUPPORT_JPEG_ALBUM_H

#include <kostka/kostka.h>

#include "support/program.h"

enum { ALBUM_PARTS = 8 };

/* Describes a part behind the first picture. */
struct album_part {
    struct contents bytes; /* borrowed */
    uint32_t attribute;    /* of the entry in MPF, which the picture has if `indexed` */
    bool indexed;
    const char *semantic; /* of the item in XMP; null: no item */
    const char *mime;
    uint32_t gap; /* number of zero bytes in front of it */
};

struct album {
    struct contents first; /* borrowed; begins with SOI and one more segment */
    struct album_part part[ALBUM_PARTS];
    size_t count;
    bool mpf, big_endian;
    bool xmp, elements; /* whether lengths are elements, not attributes */
    bool first_length;  /* the directory has the length of the first picture */
};

/* Make the file. contents_free() frees it. */
struct contents album_make(const struct album *album);

/* Describes an entry of an index: the place of a picture in the file. */
struct album_entry {
    uint32_t attribute;
    size_t offset, length;
};

/* Read the entries of a file's index. Returns their number; 0 if there is no index. */
size_t album_index(const uint8_t *data, size_t length, struct album_entry *entry, size_t room);

/* Read the lengths in the XMP directory, in its order. Returns their number. */
size_t album_lengths(const uint8_t *data, size_t length, size_t *lengths, size_t room);

/* Return the length from SOI to EOI of the picture at `data`, found by its markers; 0 if there is no picture. */
size_t album_picture_length(const uint8_t *data, size_t length);

#endif
