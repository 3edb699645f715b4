/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares photographs with further pictures and a video in their file, and how they are transcoded. */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_PHOTOGRAPH_H
#define KOSTKA_TESTS_SUPPORT_JPEG_PHOTOGRAPH_H

#include <kostka/kostka.h>

#include "support/jpeg/album.h"

enum { VIDEO = 777, PREVIEW_TYPE = 0x010002, GAIN_MAP_TYPE = 0x050000, ROOM = 32 };

/* The ways in which a file may announce what follows its first picture; in the last one it does not. */
enum { ALBUM_ARRANGEMENTS = 7 };
extern const struct album album_arrangements[ALBUM_ARRANGEMENTS];

/* Holds a photograph of 4:2:0 with a preview, a gain map of a quarter of its size, and a video. */
struct photograph {
    struct contents first, preview, map, video, file;
    struct album album;
};

void photograph_make(struct photograph *s, uint32_t width, uint32_t height, struct album like);
void photograph_free(struct photograph *s);

/* Make a random picture, another one on each call. */
struct contents album_picture(uint32_t width, uint32_t height, kst_format format, kst_subsampling subsampling);

/* Transcode a file, which must give this number of warnings. */
kst_buffer photograph_transcode(const struct contents *file, const kst_transcode_options *options, uint64_t warnings);

/*
 * Return part i of a file whose pictures follow each other; 0 is the first picture. Its bytes are borrowed from the
 * file.
 */
struct contents album_part_of(const kst_buffer *file, size_t index);

void contents_check_same(const struct contents *one, const struct contents *two);

#endif
