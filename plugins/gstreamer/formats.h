/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the formats of GStreamer's frames that the codecs decode to and encode from, and describes frames as images.
 */
#ifndef KOSTKA_GST_FORMATS_H
#define KOSTKA_GST_FORMATS_H

#include <gst/video/video.h>
#include <kostka/kostka.h>

/* Describes a format of frames. */
typedef struct KostkaFormat {
    GstVideoFormat video;
    kst_format pixels; /* KST_FORMAT_RAW: a plane for each component */
    kst_codec codecs;  /* combined: the codecs that support the format */
    gboolean scaled;   /* samples of fewer bits are shifted up to fill the format, all of whose bits count */
} KostkaFormat;

/* Lists the formats from the most to the least preferred; the last one has GST_VIDEO_FORMAT_UNKNOWN. */
extern const KostkaFormat kostka_formats[];

const KostkaFormat *kostka_format_of(GstVideoFormat video);

/* Make the caps of all raw frames that a codec supports, with sides of up to `side` pixels. */
GstCaps *kostka_format_caps(kst_codec codec, gint side);

/* Describe a mapped frame as an image whose samples have `depth` bits; 0: all bits of the format. */
void kostka_frame_image(const GstVideoFrame *frame, guint depth, kst_image *image);

/* Describe every second row of an image, from the first or the second one on. */
void kostka_image_field(const kst_image *whole, guint first, kst_image *rows);

/*
 * Return whether frames of a format can hold an image of KST_FORMAT_RAW: they have the same number of planes, with the
 * same sizes and depths, and are red, green and blue if `rgb` says that the image is.
 */
gboolean kostka_format_fits(const KostkaFormat *format, const kst_image *image, gboolean rgb);

/* Store planes of red, green, blue and alpha as interleaved pixels of the same size and depth. */
void kostka_image_interleave(const kst_image *planes, const kst_image *pixels);

/* Shift the samples of an image, which have two bytes each, up by some bits. */
void kostka_image_shift(const kst_image *image, guint bits);

#endif
