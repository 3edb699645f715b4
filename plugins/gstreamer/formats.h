/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares which formats of GStreamer's frames the codecs decode to and encode from, and views frames as images. */
#ifndef KOSTKA_GST_FORMATS_H
#define KOSTKA_GST_FORMATS_H

#include <gst/video/video.h>
#include <kostka/kostka.h>

/* Describes a format of frames. */
typedef struct KostkaFormat {
    GstVideoFormat video;
    kst_format pixels; /* KST_FORMAT_RAW: a plane for each component */
    kst_codec codecs;  /* or-ed: those that have it */
    gboolean scaled;   /* samples of fewer bits are shifted up to fill it, because all of its bits count */
} KostkaFormat;

/* The formats from the most to the least wanted; the last one has GST_VIDEO_FORMAT_UNKNOWN. */
extern const KostkaFormat kostka_formats[];

const KostkaFormat *kostka_format_of(GstVideoFormat video);

/* Make the caps of all raw frames that a codec has, of up to `side` pixels in each direction. */
GstCaps *kostka_format_caps(kst_codec codec, gint side);

/* Describe a mapped frame as an image of samples of `depth` bits; 0: of all bits that the format has. */
void kostka_frame_image(const GstVideoFrame *frame, guint depth, kst_image *image);

/* Describe every other row of an image, from the first or the second one on. */
void kostka_image_field(const kst_image *whole, guint first, kst_image *rows);

/*
 * Return whether frames of a format hold what an image of KST_FORMAT_RAW holds: as many planes of these sizes and
 * depths, and, as the caller says, red, green and blue or not.
 */
gboolean kostka_format_fits(const KostkaFormat *format, const kst_image *image, gboolean rgb);

/* Store planes of red, green, blue and alpha as interleaved pixels of the same size and depth. */
void kostka_image_interleave(const kst_image *planes, const kst_image *pixels);

/* Shift the samples of an image of two bytes a sample up by some bits. */
void kostka_image_shift(const kst_image *image, guint bits);

#endif
