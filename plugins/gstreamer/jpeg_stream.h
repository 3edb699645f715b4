/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the decoder of JPEG must know about streams before it decodes them (T.81 B.1). */
#ifndef KOSTKA_GST_JPEG_STREAM_H
#define KOSTKA_GST_JPEG_STREAM_H

#include <glib.h>

/* Holds what the headers of a stream say. */
typedef struct JpegStream {
    gsize at;         /* where to go on when more bytes have come */
    gsize scan;       /* where the first SOS is; 0: there is none */
    gsize end;        /* behind EOI, or in front of the next SOI where EOI is missing; 0: neither has come */
    gboolean tables;  /* there are Huffman tables */
    guint polarity;   /* of an APP0 "AVI1": 1 and 2 are the first and the second line of two fields, 0 is neither */
    gboolean limited; /* a comment says that the samples have the range of BT.601 */
} JpegStream;

/* Examine the stream that begins with the first byte. */
JpegStream jpeg_stream_examine(const guint8 *data, gsize length);

/* Go on with a stream of which `found` has the beginning; all members are 0 at first. */
void jpeg_stream_continue(JpegStream *found, const guint8 *data, gsize length);

/* Return where the next SOI is from `from` on; `length` if there is none. */
gsize jpeg_stream_begin(const guint8 *data, gsize length, gsize from);

/* Make a copy of a stream with the Huffman tables of Annex K.3 in front of its first scan. */
void jpeg_stream_complete(const guint8 *data, gsize length, gsize scan, GByteArray *copy);

#endif
