/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a picture that is encoded while its lines arrive, as a codec sees it. */
#ifndef KOSTKA_RUN_LINE_ENCODER_H
#define KOSTKA_RUN_LINE_ENCODER_H

#include <kostka/kostka_lines.h>

#include "run/encoding.h"

struct kst_line_encoder {
    struct encoding encoding; /* planned for rows; its sink holds the bytes made since the caller last took some */
    size_t line;              /* bytes of a line of pixels */
    uint32_t next;            /* the next line that is expected */
    bool taken;               /* the caller has what is in the sink */
    kst_status failed;        /* the status that ended the encoding; KST_OK: it goes on */
    void *state;              /* the codec's */
};

/*
 * Holds a codec's functions for encoding line by line. The caller keeps errors, and calls nothing but close() after
 * one.
 */
struct line_encoding {
    size_t state_size;
    /* Begin the file. The state is allocated and zeroed; after an error it must own nothing. */
    kst_status (*open)(struct kst_line_encoder *encoder);
    /* Take the next line. The caller passes no more lines than the picture has. */
    kst_status (*take)(struct kst_line_encoder *encoder, const void *line);
    void (*close)(struct kst_line_encoder *encoder);
};

#endif
