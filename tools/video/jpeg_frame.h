/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what containers need to know about the JPEG streams in them. */
#ifndef KOSTKA_TOOL_VIDEO_JPEG_FRAME_H
#define KOSTKA_TOOL_VIDEO_JPEG_FRAME_H

#include "video/video.h"

/*
 * Append one JPEG stream from the input to an empty frame: from SOI to EOI, or to the next SOI if EOI is missing.
 * Marker segments are read by their lengths, so the EOI of a thumbnail in one of them does not end the stream. The
 * input must be at SOI.
 */
enum video_step jpeg_frame_read(struct video_reader *reader, struct video_frame *frame, struct problem *problem);

/*
 * Append bytes of the input. Returns STEP_END if the input ends before that, and STEP_FAILED if the limit on frames is
 * exceeded.
 */
enum video_step frame_append_input(
    struct video_reader *reader, struct video_frame *frame, uint64_t length, struct problem *problem);

/* Describes what matters to a sequence in the headers of a JPEG stream. */
struct jpeg_frame {
    size_t scan;  /* offset of the first SOS; 0: there is none */
    bool tables;  /* the stream has Huffman tables */
    bool fields;  /* an APP0 "AVI1" says that a frame is two fields, one of which this stream is */
    bool top;     /* this stream is the field with the first line */
    bool limited; /* a comment says that samples have the limited range of BT.601 (CS=ITU601), as FFmpeg writes it */
};
struct jpeg_frame jpeg_frame_examine(const uint8_t *bytes, size_t length);

/* Return the offset of the second of two consecutive streams; 0 if there is only one. */
size_t jpeg_frame_second(const uint8_t *bytes, size_t length);

/* Insert the Huffman tables of Annex K into a stream that has none, since MJPEG leaves them out. */
bool jpeg_frame_complete(struct video_frame *frame, struct problem *problem);

#endif
