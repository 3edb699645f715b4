/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens conformance streams to transcode. The test fails if anything here does, unless it returns a status. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_SOURCE_H
#define KOSTKA_TESTS_SUPPORT_J2K_SOURCE_H

#include <kostka/kostka.h>

struct source {
    const char *name;
    uint8_t *data;
    size_t length;
    kst_info info;
    kst_image whole; /* decoded once, when it is first asked for */
    bool decoded;
};

void source_load(kst_context *context, struct source *source, const char *name);
void source_unload(kst_context *context, struct source *source);

kst_info source_info(kst_context *context, const void *data, size_t length);

/* A stream that is sound gives no warning. */
kst_status source_transcode(
    kst_context *context, struct source *source, const kst_transcode_options *options, kst_buffer *output);

/* Components as they are. */
void source_decode(
    kst_context *context, const void *data, size_t length, uint32_t reduce, uint32_t layers, kst_image *image);

void expect_same_planes(const kst_image *a, const kst_image *b);

#endif
