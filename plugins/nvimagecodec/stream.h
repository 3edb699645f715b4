/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how coded bytes are read from the framework's streams and written to them. */
#ifndef KOSTKA_NVIMAGECODEC_STREAM_H
#define KOSTKA_NVIMAGECODEC_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include <nvimgcodec.h>

/* All bytes of a stream: where the stream has them in memory, or a copy. */
typedef struct Bytes {
    const void *data;
    size_t length;
    nvimgcodecIoStreamDesc_t *mapped; /* null: `data` is a copy */
} Bytes;

/* Get the bytes of a stream. @return false if they cannot be read; then nothing is to be released */
bool stream_read(const nvimgcodecCodeStreamDesc_t *stream, Bytes *bytes);

void stream_release(Bytes *bytes);

/* Write a whole coded picture. @return false if the stream did not take it */
bool stream_write(const nvimgcodecCodeStreamDesc_t *stream, const void *data, size_t length);

#endif
