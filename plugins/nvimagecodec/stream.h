/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how coded bytes are read from the framework's streams and written to them. */
#ifndef KOSTKA_NVIMAGECODEC_STREAM_H
#define KOSTKA_NVIMAGECODEC_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include <nvimgcodec.h>

/* Holds all bytes of a stream: in the stream's own memory, or a copy. */
typedef struct Bytes {
    const void *data;
    size_t length;
    nvimgcodecIoStreamDesc_t *mapped; /* null: `data` is a copy */
} Bytes;

/* Get the bytes of a stream. @return false if they cannot be read; then nothing need be released */
bool stream_read(const nvimgcodecCodeStreamDesc_t *stream, Bytes *bytes);

void stream_release(Bytes *bytes);

/* Write a complete coded picture. @return false if the stream did not accept it */
bool stream_write(const nvimgcodecCodeStreamDesc_t *stream, const void *data, size_t length);

#endif
