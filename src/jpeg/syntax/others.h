/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a file holds behind its first picture: other pictures, which an index of MPF (CIPA DC-007) or a directory in XMP
 * points to or which simply follow, and bytes that are no picture.
 */
#ifndef KOSTKA_JPEG_SYNTAX_OTHERS_H
#define KOSTKA_JPEG_SYNTAX_OTHERS_H

#include "jpeg/syntax/mpf.h"
#include "jpeg/syntax/parse.h"

enum { JPEG_NO_SEGMENT = -1 };

struct jpeg_others {
    kst_other *part; /* all bytes behind the first picture, or behind its damaged rest, in order and without gaps; but
                        not zeros at the end */
    uint32_t count;
    int64_t index; /* which of the first picture's segments has the MPF index; or JPEG_NO_SEGMENT */
    struct jpeg_mpf mpf;
    int64_t directory; /* likewise the XMP with a directory */
};

/*
 * Find them; `first` is the file's first picture as it was parsed, in the whole file. All pictures together have no
 * more pixels and marker segments than the limits allow, and a file's bytes are read once. A part that an index says is
 * a picture but that is none, or that lies in another one, is a warning. On failure *others holds nothing; to be
 * released otherwise.
 */
kst_status kst_jpeg_others_find(struct pool *threads, struct memory *memory, const kst_limits *limits,
    const struct jpeg_stream *first, bool strict, struct jpeg_others *others, kst_report *report);

void kst_jpeg_others_release(struct memory *memory, struct jpeg_others *others);

/* The part that begins at an offset of the file; null: none does. */
const kst_other *kst_jpeg_others_at(const struct jpeg_others *others, uint64_t offset);

#endif
