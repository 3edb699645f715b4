/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the few parts of XMP that the library reads and changes: the orientation, and the directory of several files
 * that are stored in one file, one behind the other (namespace http://ns.google.com/photos/1.0/container/), which Ultra
 * HDR and motion photos use. All else is copied without interpretation.
 */
#ifndef KOSTKA_IMAGE_XMP_H
#define KOSTKA_IMAGE_XMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { XMP_SEMANTIC = 32, XMP_NUMBER_FIELD = 10 };

struct xmp_name {
    const uint8_t *text;
    size_t length;
};

/* Describes an item of the directory. The first item is the picture that contains the XMP. */
struct xmp_item {
    uint64_t length;             /* in bytes; 0 if the item has none */
    uint64_t padding;            /* bytes of padding behind it */
    bool jpeg;                   /* its media type is image/jpeg */
    char semantic[XMP_SEMANTIC]; /* "Primary", "GainMap", "MotionPhoto" …, cut off if it is too long */
    size_t number;               /* offset in the packet of the digits of `length` */
    size_t digits;               /* number of these digits; 0: none */
    size_t behind;               /* offset behind them at which white space may stand: past the quote or the end tag */
};

struct xmp_reader {
    const uint8_t *text;
    size_t length;
    size_t at;
    struct xmp_name item, container; /* prefixes of the two namespaces; without text if not declared */
};

void kst_xmp_begin(struct xmp_reader *reader, const uint8_t *text, size_t length);

/* Read the next item of the directory; one pass over the packet serves all items. Returns false past the last item. */
bool kst_xmp_next(struct xmp_reader *reader, struct xmp_item *item);

/*
 * Write the packet with other lengths: item i gets `length[i]`, or keeps its length if that is UINT64_MAX or i is at
 * least `count`. A number that needs fewer digits than before is followed by spaces outside its quotes. The number of
 * item 0 always takes at least XMP_NUMBER_FIELD characters, so that its value does not change the length of the packet.
 * `out` has room for length + count × XMP_NUMBER_FIELD × 2 bytes; if it is null, the result is only measured. Returns
 * the number of bytes.
 */
size_t kst_xmp_mend(const uint8_t *text, size_t text_length, const uint64_t *length, size_t count, uint8_t *out);

/* Find the directory, from its start tag to behind its end tag. Returns false if there is none. */
bool kst_xmp_directory(const uint8_t *text, size_t length, size_t *from, size_t *to);

/* Set tiff:Orientation, which is one digit, where it occurs. */
void kst_xmp_set_orientation(uint8_t *text, size_t length, int orientation);

#endif
