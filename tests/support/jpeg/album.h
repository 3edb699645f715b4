/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes JPEG files with more pictures behind the first: with an MPF index (CIPA DC-007) of either byte order, a
 * directory in XMP, both or neither. And a reader of these that shares no code with the library.
 */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_ALBUM_H
#define KOSTKA_TESTS_SUPPORT_JPEG_ALBUM_H

#include <kostka/kostka.h>

#include "support/program.h"

enum { ALBUM_PARTS = 8 };

/* A part that follows the first picture. */
struct album_part {
    struct contents bytes; /* not owned */
    uint32_t attribute;    /* of MPF; its picture has an entry where `indexed` */
    bool indexed;
    const char *semantic; /* of XMP; null: no item */
    const char *mime;
    uint32_t gap; /* zero bytes in front of it */
};

struct album {
    struct contents first; /* not owned: begins with SOI and one more segment */
    struct album_part part[ALBUM_PARTS];
    size_t count;
    bool mpf, big_endian;
    bool xmp, elements; /* lengths stand in elements, not in attributes */
    bool first_length;  /* the directory says how long the first picture is */
};

/* The file, to be freed with contents_free(). */
struct contents album_make(const struct album *album);

/* An entry of an index: where a picture lies in the file. */
struct album_entry {
    uint32_t attribute;
    size_t offset, length;
};

/* All entries of a file's index; how many there are, 0: no index. */
size_t album_index(const uint8_t *data, size_t length, struct album_entry *entry, size_t room);

/* The numbers that the directory in XMP gives as lengths, in order. */
size_t album_lengths(const uint8_t *data, size_t length, size_t *lengths, size_t room);

/* Bytes from SOI to EOI of a picture that begins there, as its markers say; 0: none does. */
size_t album_picture_length(const uint8_t *data, size_t length);

#endif
