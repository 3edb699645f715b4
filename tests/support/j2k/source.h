/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares conformance streams to transcode. The test fails if a call of the library fails, except in functions that
 * return a status.
 */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_SOURCE_H
#define KOSTKA_TESTS_SUPPORT_J2K_SOURCE_H

#include <kostka/kostka.h>

struct source {
    const char *name;
    uint8_t *data;
    size_t length;
    kst_info info;
    kst_image whole; /* decoded on the first request */
    bool decoded;
};

void source_load(kst_context *context, struct source *source, const char *name);
void source_unload(kst_context *context, struct source *source);

kst_info source_info(kst_context *context, const void *data, size_t length);

/* Transcode. The test fails if a successful call gives a warning. */
kst_status source_transcode(
    kst_context *context, struct source *source, const kst_transcode_options *options, kst_buffer *output);

/* Decode the components without conversion. */
void source_decode(
    kst_context *context, const void *data, size_t length, uint32_t reduce, uint32_t layers, kst_image *image);

void expect_same_planes(const kst_image *a, const kst_image *b);

#endif
