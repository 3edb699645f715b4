/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what containers need to know about the JPEG streams in them. */
#ifndef KOSTKA_TOOL_VIDEO_JPEG_FRAME_H
#define KOSTKA_TOOL_VIDEO_JPEG_FRAME_H

#include "video/video.h"

/*
 * Append one JPEG stream from the input to an empty frame: from SOI to EOI, or to the next SOI where the EOI is
 * missing. Marker segments are read by their lengths, so that a thumbnail in one of them ends nothing. The input must
 * be at SOI.
 */
enum video_step jpeg_frame_read(struct video_reader *reader, struct video_frame *frame, struct problem *problem);

/* Append bytes of the input. Returns STEP_END if it ends before, and STEP_FAILED above the limit on frames. */
enum video_step frame_append_input(
    struct video_reader *reader, struct video_frame *frame, uint64_t length, struct problem *problem);

/* Holds what the headers of a JPEG stream say that matters to a sequence. */
struct jpeg_frame {
    size_t scan;  /* where the first SOS is; 0: there is none */
    bool tables;  /* it has Huffman tables */
    bool fields;  /* an APP0 "AVI1" says that a frame is two fields, and this stream is one */
    bool top;     /* this stream is the first line of them */
    bool limited; /* a comment says that its samples have the range of BT.601 (CS=ITU601), as FFmpeg writes it */
};
struct jpeg_frame jpeg_frame_examine(const uint8_t *bytes, size_t length);

/* Return where the second of two streams begins that follow each other; 0 if there is one alone. */
size_t jpeg_frame_second(const uint8_t *bytes, size_t length);

/* Insert the Huffman tables of Annex K into a stream without any, as MJPEG leaves them out. */
bool jpeg_frame_complete(struct video_frame *frame, struct problem *problem);

#endif
