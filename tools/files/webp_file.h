/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading WebP files: webp_chunks.c takes the container apart (RFC 9649, 2.2–2.7), webp.c has libwebp decode what is in
 * it.
 */
#ifndef KOSTKA_TOOL_WEBP_FILE_H
#define KOSTKA_TOOL_WEBP_FILE_H

#include "files/files.h"

/*
 * What is decoded of a file: its only picture, or the first frame of an animation. The struct tells which bytes of the
 * file hold it, and which part of the canvas it covers.
 */
struct webp_frame {
    const uint8_t *data; /* what libwebp is given: the whole file, or the chunks of a frame */
    size_t length;
    uint32_t canvas_width, canvas_height; /* in pixels; at most 2^24 */
    uint32_t x, y, width, height;         /* the frame on the canvas; none of it lies outside */
    bool animated;                        /* more frames follow */
};

/*
 * Find the first frame of an animation, the size of whose canvas is in `frame` already. False: there is no frame, or
 * the first one reaches beyond the canvas.
 */
bool webp_first_frame(const struct source *source, struct webp_frame *frame, struct problem *problem);

/*
 * Set the text to what is wrong with a file or a frame that libwebp does not read, with the chunk and where it is.
 * `ended`: libwebp has asked for more bytes. Returns false.
 */
bool webp_explain(const struct source *source, const struct webp_frame *frame, bool ended, struct problem *problem);

/*
 * Keep ICC profile, Exif and XMP with the picture. A chunk in which the file ends is left out with a warning. False:
 * out of memory.
 */
bool webp_keep_metadata(const struct source *source, struct picture *picture, struct problem *problem);

/* These are the entries `read` and `describe` of struct file_format. */
bool webp_read(const struct source *source, const struct file_settings *settings, struct picture *picture,
    struct problem *problem);
bool webp_describe(const struct source *source, const struct file_settings *settings, struct picture *picture,
    struct problem *problem);

#endif
