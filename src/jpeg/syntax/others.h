/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists what a file holds behind its first picture: other pictures, to which an MPF index (CIPA DC-007) or a directory
 * in XMP points or which simply follow, and bytes that are not pictures.
 */
#ifndef KOSTKA_JPEG_SYNTAX_OTHERS_H
#define KOSTKA_JPEG_SYNTAX_OTHERS_H

#include "jpeg/syntax/mpf.h"
#include "jpeg/syntax/parse.h"

enum { JPEG_NO_SEGMENT = -1 };

struct jpeg_others {
    /*
     * All bytes behind the first picture, or behind its damaged rest, in order and without gaps, but without zeros at
     * the end of the file.
     */
    kst_other *other;
    uint32_t count;
    int64_t index; /* index of the first picture's segment that has the MPF index, or JPEG_NO_SEGMENT */
    struct jpeg_mpf mpf;
    int64_t directory; /* the same for the XMP segment with a directory */
};

/*
 * Find what follows the first picture; `first` is that picture as it was parsed, with the data of the whole file. All
 * pictures together must keep the limits on pixels and marker segments, and the bytes of a file are read only once. If
 * an index points to a place where no picture begins, or that lies inside another picture, a warning is reported. On
 * failure *others holds nothing; otherwise the caller releases it.
 */
kst_status kst_jpeg_others_find(
    const struct operation *op, const struct jpeg_stream *first, bool strict, struct jpeg_others *others);

void kst_jpeg_others_release(struct memory *memory, struct jpeg_others *others);

/* Return the piece that begins at an offset of the file; null if there is none. */
const kst_other *kst_jpeg_others_at(const struct jpeg_others *others, uint64_t offset);

#endif
