/* SPDX-License-Identifier: BSD-2-Clause */
/* Transcoding a whole JPEG file: its first picture and what follows that. */
#ifndef KOSTKA_JPEG_RUN_TRANSCODE_OTHERS_H
#define KOSTKA_JPEG_RUN_TRANSCODE_OTHERS_H

#include "jpeg/run/transcode.h"

/* `first` is as kst_jpeg_transcoding_open() wants it; the caller closes it. */
kst_status kst_jpeg_transcode_file(struct jpeg_transcoding *first, const void *data, size_t length, struct sink *sink);

/*
 * One direction of the first picture as it is turned and cut, in its pixels: the pixel at v of the turned picture comes
 * from mirror − v where v < mirror, else from v; of the result at u that is v = offset + u. And of another picture what
 * corresponds to it.
 */
struct turned_side {
    uint32_t full; /* of the first picture, turned but not cut */
    uint32_t mirror;
    uint32_t offset;
    uint32_t size;
    uint32_t own_full; /* likewise of the other picture, in its own pixels */
    uint32_t own_offset;
    uint32_t own_size;
};

struct turned {
    struct turned_side x, y;
    bool transposed;
};

/*
 * Decode the picture that `t` has opened, turn and cut its samples, and encode them with its tables and sampling.
 * Replaces its report.
 */
kst_status kst_jpeg_transcoding_recode(struct jpeg_transcoding *t, const struct turned *turned, struct sink *sink);

#endif
