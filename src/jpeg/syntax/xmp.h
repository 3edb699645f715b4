/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The little of XMP that the library reads and mends: the directory of the files that one file holds one behind the
 * other (namespace http://ns.google.com/photos/1.0/container/), which Ultra HDR and motion photos use, and the
 * orientation. The rest is carried, not interpreted.
 */
#ifndef KOSTKA_JPEG_SYNTAX_XMP_H
#define KOSTKA_JPEG_SYNTAX_XMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { XMP_SEMANTIC = 32, XMP_NUMBER_FIELD = 10 };

struct xmp_name {
    const uint8_t *text;
    size_t length;
};

/* One item of the directory. The first one is the picture that the XMP is in. */
struct xmp_item {
    uint64_t length;             /* in bytes; 0 where nothing is said */
    uint64_t padding;            /* bytes behind it */
    bool jpeg;                   /* its media type */
    char semantic[XMP_SEMANTIC]; /* "Primary", "GainMap", "MotionPhoto" …, cut off where it is longer */
    size_t number;               /* where the digits of `length` stand in the packet, */
    size_t digits;               /* how many they are, 0: none, */
    size_t behind;               /* and where white space may stand behind them: past the quote or the end tag */
};

struct xmp_reader {
    const uint8_t *text;
    size_t length;
    size_t at;
    struct xmp_name item, container; /* prefixes of the two namespaces; no text: not declared */
};

void kst_xmp_begin(struct xmp_reader *reader, const uint8_t *text, size_t length);

/* The next item of the directory, in one pass over the packet for all of them. False past the last. */
bool kst_xmp_next(struct xmp_reader *reader, struct xmp_item *item);

/*
 * The packet with other lengths: of item i `length[i]`, or as it is where that is UINT64_MAX or i is `count` or more.
 * A number that needs fewer digits than the one before is followed by spaces, outside its quotes, and that of item 0
 * always takes XMP_NUMBER_FIELD characters at least, so that the packet is as long whatever it is. `out` (null: only
 * measure) has room for length + count × XMP_NUMBER_FIELD × 2 bytes. Returns how many it gets.
 */
size_t kst_xmp_mend(const uint8_t *text, size_t text_length, const uint64_t *length, size_t count, uint8_t *out);

/* Where the directory stands, from its start tag to behind its end tag. False where there is none. */
bool kst_xmp_directory(const uint8_t *text, size_t length, size_t *from, size_t *to);

/* Set tiff:Orientation, one digit, where it is there. */
void kst_xmp_set_orientation(uint8_t *text, size_t length, int orientation);

#endif
