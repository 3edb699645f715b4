/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads WebP files: chunks.c parses the container (RFC 9649, 2.2–2.7), and webp.c decodes its contents by libwebp. */
#ifndef KOSTKA_TOOL_WEBP_FILE_H
#define KOSTKA_TOOL_WEBP_FILE_H

#include "files/files.h"

/*
 * Describes what is decoded of a file: its only picture, or the first frame of an animation. Says which bytes of the
 * file hold it, and which part of the canvas it covers.
 */
struct webp_frame {
    const uint8_t *data; /* the bytes for libwebp: the whole file, or the chunks of a frame */
    size_t length;
    uint32_t canvas_width, canvas_height; /* in pixels; at most 2^24 */
    uint32_t x, y, width, height;         /* place of the frame, which lies inside the canvas */
    bool animated;                        /* more frames follow */
};

/*
 * Find the first frame of an animation; `frame` already has the size of its canvas. Returns false if there is no frame,
 * or if the first one reaches beyond the canvas.
 */
bool webp_first_frame(const struct source *source, struct webp_frame *frame, struct problem *problem);

/*
 * Set the problem for a file or a frame that libwebp cannot read, with the chunk and its offset. `ended` says that
 * libwebp has asked for more bytes. Returns false.
 */
bool webp_explain(const struct source *source, const struct webp_frame *frame, bool ended, struct problem *problem);

/*
 * Keep ICC profile, Exif and XMP with the picture. A chunk that the file cuts off is dropped with a warning. Returns
 * false if out of memory.
 */
bool webp_keep_metadata(const struct source *source, struct picture *picture, struct problem *problem);

/* These are the entries `read` and `describe` of struct file_format. */
bool webp_read(const struct source *source, const struct file_settings *settings, struct picture *picture,
    struct problem *problem);
bool webp_describe(const struct source *source, const struct file_settings *settings, struct picture *picture,
    struct problem *problem);

#endif
