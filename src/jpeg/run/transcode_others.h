/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the transcoding of a whole JPEG file: its first picture and everything behind it. */
#ifndef KOSTKA_JPEG_RUN_TRANSCODE_OTHERS_H
#define KOSTKA_JPEG_RUN_TRANSCODE_OTHERS_H

#include "jpeg/run/transcode.h"

/* Transcode a file. `first` is prepared for kst_jpeg_run_transcoding_open(); the caller closes it. */
kst_status kst_jpeg_run_transcode_file(
    struct jpeg_transcoding *first, const void *data, size_t length, struct sink *sink);

/*
 * Describes how the first picture is turned and cut in one direction, in its pixels, and how another picture
 * corresponds to it. Positions are real numbers: the centre of pixel i lies at i + ½. Position v of the turned picture
 * comes from mirror − v if v < mirror, otherwise from v. Position u of the result is v = offset + u.
 */
struct jpeg_turned_side {
    uint32_t full; /* the first picture's size, turned but not cut */
    uint32_t mirror;
    uint32_t offset;
    uint32_t size;
    uint32_t own_full; /* the other picture's size, turned but not cut, in its own pixels */
    uint32_t own_offset;
    uint32_t own_size;
};

struct jpeg_turned {
    struct jpeg_turned_side x, y;
    bool transposed;
};

/*
 * Decode the picture that `t` has opened, turn and cut its samples, and encode them with its tables and sampling.
 * Replaces the report of `t`.
 */
kst_status kst_jpeg_run_transcoding_recode(
    struct jpeg_transcoding *t, const struct jpeg_turned *turned, struct sink *sink);

#endif
