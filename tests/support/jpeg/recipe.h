/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes small JPEG files of noise on gradients, coded as a recipe says, and transcodes them. */
#ifndef KOSTKA_TESTS_SUPPORT_JPEG_RECIPE_H
#define KOSTKA_TESTS_SUPPORT_JPEG_RECIPE_H

#include <kostka/kostka.h>

#include "support/program.h"

struct recipe {
    uint32_t width, height;
    kst_format format; /* GREY, RGB or CMYK */
    kst_subsampling subsampling;
    kst_coding coding;
    kst_restart restart;
    bool exif; /* whether it has Exif and a comment */
};

/* Make the file, which contents_free() releases; `random` is a state of random_next(). */
struct contents recipe_make(kst_context *context, const struct recipe *recipe, uint32_t *random);

/* Transcode without a warning, to a buffer of the library's. */
kst_buffer recipe_transcode(kst_context *context, const struct contents *jpeg, const kst_transcode_options *options);

#endif
