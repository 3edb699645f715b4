/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a decompression that is taken over. While it is, cinfo->main points to it: the system's library sets that
 * member in its own jpeg_start_decompress() and reads it only after that.
 *
 * Everything that the caller's source has yielded since the header is kept. If a warning is due, or a call comes that
 * only the system's library can answer, the decompression is handed over (handover.c): the system's library decodes the
 * same bytes from the start, reads the lines that the caller has already, and goes on from there. So warnings and
 * errors are its own.
 */
#ifndef KOSTKA_COMPAT_LIBJPEG_TAKEN_H
#define KOSTKA_COMPAT_LIBJPEG_TAKEN_H

#include <kostka/kostka.h>

#include "original.h"

/* The states of cinfo->global_state (jpegint.h of libjpeg): the header was read; lines can be read. */
enum { LIBJPEG_STATE_READY = 202, LIBJPEG_STATE_SCANNING = 205 };

/* How far the source has yielded what a decompression needs. */
enum libjpeg_input { LIBJPEG_MORE, LIBJPEG_SUSPENDED, LIBJPEG_ENDED };

struct libjpeg_taken {
    const void *tag;
    kst_lines *lines;
    kst_context *context;
    kst_decode_options options;
    bool at_once;    /* several threads or a device are to decode the picture as soon as all bytes are there */
    kst_image whole; /* which has its pixels then; without them `lines` decodes */
    uint8_t *bytes;  /* a header made from cinfo, and behind it what the source has yielded */
    size_t length, capacity, header;
    size_t searched; /* offset up to which markers were searched */
    bool many_scans; /* all bytes up to EOI are needed before the first line */
    bool ended;      /* the source stands behind EOI, or something else is `odd` */
    bool odd;        /* a marker that the system's library must see */
    bool past;       /* the last lines were skipped, so that the end of the data does not matter */
    size_t *border;  /* where in `bytes` a buffer of the source ended and the next one began */
    size_t border_count, border_room;
    size_t run; /* number of bytes taken that lie side by side in the source's memory, up to `run_end` */
    const JOCTET *run_end;
    void *scratch; /* a line that nobody wants; null: there is none yet. It is of cinfo's memory for a picture */
    /* After it was handed over: */
    j_decompress_ptr cinfo;
    struct jpeg_source_mgr proxy;   /* the source of the system's library, which reads `bytes` first */
    struct jpeg_source_mgr *source; /* the caller's */
    size_t borders_passed;
    bool suspends;            /* the caller's source has no bytes at times */
    JDIMENSION lines_to_skip; /* that the caller has already */
    struct libjpeg_taken *next;
};

/* Return what is taken over; null if the system's library decodes. */
struct libjpeg_taken *libjpeg_taken(j_decompress_ptr cinfo);

/* taken.c: take a decompression over if Kostka gives the same bytes. Returns null if not. */
struct libjpeg_taken *libjpeg_take(j_decompress_ptr cinfo);
/* Return whether components are given as they are coded, upsampled but not converted to other colours. */
bool libjpeg_is_as_coded(j_decompress_ptr cinfo);
/* Release it, whether it was handed over or not. Null is allowed. */
void libjpeg_release(struct libjpeg_taken *taken);

/* header.c: write the headers of a stream that continues with the source's next byte. False: there is no memory. */
bool libjpeg_make_header(struct libjpeg_taken *taken, j_decompress_ptr cinfo);

/* input.c: remember that a new buffer of the source begins here. False: there is no memory. */
bool libjpeg_add_border(struct libjpeg_taken *taken);
/* input.c: append bytes. False: there is no memory. */
bool libjpeg_append(struct libjpeg_taken *taken, const uint8_t *bytes, size_t length);
/* Take bytes that a source has, and append them. False: there is no memory. */
bool libjpeg_take_bytes(struct libjpeg_taken *taken, struct jpeg_source_mgr *source, size_t length);
/* Give the last bytes back to the source, at most taken->run. */
void libjpeg_give_back(struct libjpeg_taken *taken, struct jpeg_source_mgr *source, size_t length);
/* Get what the source has, at least a byte, and say so to the decoder. The caller's functions may not return. */
enum libjpeg_input libjpeg_fetch(struct libjpeg_taken *taken, j_decompress_ptr cinfo);

/* handover.c: the decompression that was handed over; null if none was. */
struct libjpeg_taken *libjpeg_handed(j_decompress_ptr cinfo);
/*
 * Hand over; may be called again while the result is false, which means that the source has suspended the start. The
 * caller's functions may not return.
 */
bool libjpeg_hand_over(struct libjpeg_taken *taken, j_decompress_ptr cinfo);
/*
 * Before and after a call of the system's library that may read the source: enter() returns false if lines that the
 * caller has already cannot be passed for want of bytes.
 */
bool libjpeg_enter(struct libjpeg_taken *taken, j_decompress_ptr cinfo);
void libjpeg_leave(struct libjpeg_taken *taken, j_decompress_ptr cinfo);
void libjpeg_forget_handed(struct libjpeg_taken *taken);
/* Return the memory for a line that nobody wants. If there is none, the error ends the call. */
JSAMPROW libjpeg_scratch(struct libjpeg_taken *taken, j_decompress_ptr cinfo);

/* encode.c: forget a compression that is taken over, if it is. */
void libjpeg_drop_compression(j_compress_ptr cinfo);

/* format.c: find the format of pixels. False: Kostka does not have it. */
bool libjpeg_find_format(J_COLOR_SPACE space, kst_format *format);

#endif
