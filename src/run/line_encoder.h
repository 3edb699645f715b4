/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a picture that is encoded while its lines arrive, as a codec sees it. */
#ifndef KOSTKA_RUN_LINE_ENCODER_H
#define KOSTKA_RUN_LINE_ENCODER_H

#include <kostka/kostka_lines.h>

#include "run/encoding.h"

struct kst_line_encoder {
    struct encoding encoding; /* planned for rows; its sink holds what was made since the caller took bytes */
    size_t line;              /* bytes of a line of pixels */
    uint32_t next;            /* the line that is expected */
    bool taken;               /* the caller has what is in the sink */
    kst_status failed;        /* the status that ended the encoding; KST_OK: it goes on */
    void *state;              /* the codec's */
};

/* Holds the functions of a codec for this. Errors are kept by the caller, who calls nothing but close() after one. */
struct line_encoding {
    size_t state_size;
    /* Begin the file. The state is there, zeroed; after an error it holds nothing. */
    kst_status (*open)(struct kst_line_encoder *encoder);
    /* Take the next line, of which there is one. */
    kst_status (*take)(struct kst_line_encoder *encoder, const void *line);
    void (*close)(struct kst_line_encoder *encoder);
};

#endif
