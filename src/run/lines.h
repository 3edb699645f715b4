/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a picture that is decoded line by line while its bytes arrive, as a codec sees it. */
#ifndef KOSTKA_RUN_LINES_H
#define KOSTKA_RUN_LINES_H

#include <kostka/kostka_lines.h>

#include "core/memory.h"
#include "run/codec.h"

struct kst_lines {
    kst_context *context;
    const struct codec *codec;
    struct memory memory; /* memory of the state and of all that it owns */
    kst_report report;
    kst_decode_options options; /* checked as far as they concern every codec */
    kst_image image;            /* describes the picture */
    size_t length;              /* bytes that have arrived */
    kst_status failed;          /* the status that ended the decoding; KST_OK: it goes on */
    void *state;                /* the codec's */
};

/*
 * Holds a codec's functions for decoding line by line. The caller keeps errors, and calls nothing but close() after
 * one.
 */
struct line_decoding {
    size_t state_size;
    /*
     * Read the headers, and describe the picture. The state is allocated and zeroed; after an error it must own
     * nothing.
     */
    kst_status (*open)(struct kst_lines *lines, const uint8_t *data);
    void (*extend)(struct kst_lines *lines, const uint8_t *data, bool whole);
    kst_status (*read)(struct kst_lines *lines, void *const *rows, uint32_t count, uint32_t *done);
    uint64_t (*left)(const struct kst_lines *lines);
    void (*close)(struct kst_lines *lines);
};

#endif
