/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a decompression that is taken over. Meanwhile cinfo->main points to its structure: the system's library sets
 * that member in its own jpeg_start_decompress(), and reads it only after that.
 *
 * All bytes of the caller's source since the header are kept. If a warning is due, or on a call that only the system's
 * library can answer, the decompression is handed over (handover.c): the system's library decodes the same bytes from
 * the start, skips the lines that the caller already has, and continues. So warnings and errors are its own.
 */
#ifndef KOSTKA_COMPAT_LIBJPEG_TAKEN_H
#define KOSTKA_COMPAT_LIBJPEG_TAKEN_H

#include <kostka/kostka.h>

#include "original.h"

/* States of cinfo->global_state (jpegint.h of libjpeg): the header has been read; lines can be read. */
enum { LIBJPEG_STATE_READY = 202, LIBJPEG_STATE_SCANNING = 205 };

/* Says how much of the input the source has delivered. */
enum libjpeg_input { LIBJPEG_MORE, LIBJPEG_SUSPENDED, LIBJPEG_ENDED };

struct libjpeg_taken {
    const void *tag;
    kst_lines *lines;
    kst_context *context;
    kst_decode_options options;
    bool at_once;    /* decode the picture with several threads or on a device as soon as all bytes are there */
    kst_image whole; /* the picture in that case; if it has no pixels, `lines` decodes */
    uint8_t *bytes;  /* a header made from cinfo, followed by the bytes of the source */
    size_t length, capacity, header;
    size_t searched; /* offset up to which markers have been searched */
    bool many_scans; /* all bytes up to EOI are needed before the first line */
    bool ended;      /* no more bytes are fetched: the source is behind EOI, or `odd` is set */
    bool odd;        /* there is a marker that the system's library must see, or no memory */
    bool past;       /* the last lines were skipped, so that the end of the data does not matter */
    size_t *border;  /* offsets in `bytes` at which new buffers of the source began */
    size_t border_count, border_room;
    size_t run; /* number of last taken bytes that are contiguous in the source's memory, up to `run_end` */
    const JOCTET *run_end;
    void *scratch; /* room for a line that is dropped, from cinfo's pool for the picture; null: none yet */
    /* The following members are used after the handover. */
    j_decompress_ptr cinfo;
    struct jpeg_source_mgr proxy;   /* source for the system's library, which provides `bytes` first */
    struct jpeg_source_mgr *source; /* the caller's source */
    /* The caller's progress monitor while calls of the system's library are not reported; otherwise it is in cinfo. */
    struct jpeg_progress_mgr *progress;
    size_t borders_passed;
    bool suspends;            /* the caller's source has suspended */
    JDIMENSION lines_to_skip; /* lines that the caller already has */
    struct libjpeg_taken *next;
};

/* Return the decompression if it is taken over; null if the system's library decodes. */
struct libjpeg_taken *libjpeg_taken(j_decompress_ptr cinfo);

/* taken.c: take a decompression over if Kostka makes the same bytes. Returns null otherwise. */
struct libjpeg_taken *libjpeg_take(j_decompress_ptr cinfo);
/* Return whether components are output as they are coded: upsampled, but not converted to other colours. */
bool libjpeg_is_as_coded(j_decompress_ptr cinfo);
/* Close the lines, unless they are those of a parent process. */
void libjpeg_close_lines(struct libjpeg_taken *taken);
/* Release a decompression, whether it was handed over or not. Null is allowed. */
void libjpeg_release(struct libjpeg_taken *taken);

/*
 * header.c: write the headers of a stream that continues with the source's next byte. Returns false if out of memory.
 */
bool libjpeg_make_header(struct libjpeg_taken *taken, j_decompress_ptr cinfo);

/* input.c: record that a new buffer of the source begins here. Returns false if out of memory. */
bool libjpeg_add_border(struct libjpeg_taken *taken);
/* input.c: append bytes. Returns false if out of memory. */
bool libjpeg_append(struct libjpeg_taken *taken, const uint8_t *bytes, size_t length);
/* Take bytes that a source has, and append them. Returns false if out of memory. */
bool libjpeg_take_bytes(struct libjpeg_taken *taken, struct jpeg_source_mgr *source, size_t length);
/* Return the last bytes to the source, at most taken->run. */
void libjpeg_give_back(struct libjpeg_taken *taken, struct jpeg_source_mgr *source, size_t length);
/*
 * Fetch bytes from the source, at least one, and pass them to the decoder. The caller's functions may leave by
 * longjmp().
 */
enum libjpeg_input libjpeg_fetch(struct libjpeg_taken *taken, j_decompress_ptr cinfo);

/* handover.c: return the decompression that was handed over; null if none was. */
struct libjpeg_taken *libjpeg_handed(j_decompress_ptr cinfo);
/*
 * Hand a decompression over. Returns false if the source suspends the start; this may then be called again. The
 * caller's functions may leave by longjmp().
 */
bool libjpeg_hand_over(struct libjpeg_taken *taken, j_decompress_ptr cinfo);
/*
 * Surround a call of the system's library that may read the source. enter() returns false if lines that the caller
 * already has cannot be skipped yet for lack of bytes.
 */
bool libjpeg_enter(struct libjpeg_taken *taken, j_decompress_ptr cinfo);
void libjpeg_leave(struct libjpeg_taken *taken, j_decompress_ptr cinfo);
/* Report no progress until libjpeg_leave(): what is done has been reported before. */
void libjpeg_silence(struct libjpeg_taken *taken, j_decompress_ptr cinfo);
void libjpeg_forget_handed(struct libjpeg_taken *taken);
/* Return memory for a line that is dropped. If there is none, the error of libjpeg leaves this function. */
JSAMPROW libjpeg_scratch(struct libjpeg_taken *taken, j_decompress_ptr cinfo);

/* encode.c: release a compression if it is taken over. */
void libjpeg_drop_compression(j_compress_ptr cinfo);

/* format.c: find the format for a colour space. Returns false if Kostka does not have it. */
bool libjpeg_find_format(J_COLOR_SPACE space, kst_format *format);

#endif
