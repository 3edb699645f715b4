/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads coded bytes from the framework's streams, and writes them. */
#include "stream.h"

#include <stdio.h>

/* Copy the bytes of a stream that cannot be mapped. */
static bool read_copy(nvimgcodecIoStreamDesc_t *io, Bytes *bytes)
{
    size_t got = 0;
    char *copy = malloc(bytes->length);

    if (copy == NULL)
        return false;
    if (io->seek(io->instance, 0, SEEK_SET) != NVIMGCODEC_STATUS_SUCCESS ||
        io->read(io->instance, &got, copy, bytes->length) != NVIMGCODEC_STATUS_SUCCESS || got != bytes->length) {
        free(copy);
        return false;
    }
    *bytes = (Bytes){copy, got, NULL};
    return true;
}

bool stream_read(const nvimgcodecCodeStreamDesc_t *stream, Bytes *bytes)
{
    nvimgcodecIoStreamDesc_t *io = stream->io_stream;
    void *mapped = NULL;

    *bytes = (Bytes){NULL, 0, io};
    if (io->size(io->instance, &bytes->length) != NVIMGCODEC_STATUS_SUCCESS || bytes->length == 0)
        return false;
    if (io->map(io->instance, &mapped, 0, bytes->length) != NVIMGCODEC_STATUS_SUCCESS || mapped == NULL)
        return read_copy(io, bytes);
    bytes->data = mapped;
    return true;
}

void stream_release(Bytes *bytes)
{
    void *data = (void *)(uintptr_t)bytes->data; /* the framework's functions do not take const */

    if (data != NULL && bytes->mapped != NULL)
        bytes->mapped->unmap(bytes->mapped->instance, data, bytes->length);
    else
        free(data);
    *bytes = (Bytes){NULL, 0, NULL};
}

bool stream_write(const nvimgcodecCodeStreamDesc_t *stream, const void *data, size_t length)
{
    nvimgcodecIoStreamDesc_t *io = stream->io_stream;
    size_t written = 0;

    return io->reserve(io->instance, length) == NVIMGCODEC_STATUS_SUCCESS &&
           io->seek(io->instance, 0, SEEK_SET) == NVIMGCODEC_STATUS_SUCCESS &&
           io->write(io->instance, &written, (void *)(uintptr_t)data, length) == NVIMGCODEC_STATUS_SUCCESS &&
           written == length && io->flush(io->instance) == NVIMGCODEC_STATUS_SUCCESS;
}
