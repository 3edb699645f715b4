/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements streams of OpenJPEG whose file is in memory. */
#include "support/compat/memory_stream.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T length, void *user)
{
    struct bytes *b = user;
    size_t left = b->length - b->at, count = length < left ? length : left;
    memcpy(to, b->data + b->at, count);
    b->at += count;
    return count > 0 ? count : (OPJ_SIZE_T)-1;
}

static OPJ_SIZE_T write_bytes(void *from, OPJ_SIZE_T length, void *user)
{
    struct bytes *b = user;
    if (length > b->room - b->at) {
        fputs("the file has no room\n", stderr);
        _exit(1);
    }
    memcpy(b->data + b->at, from, length);
    b->at += length;
    b->length = b->at > b->length ? b->at : b->length;
    return length;
}

static OPJ_BOOL seek_to(OPJ_OFF_T offset, void *user)
{
    ((struct bytes *)user)->at = (size_t)offset;
    return OPJ_TRUE;
}

opj_stream_t *memory_stream_open(struct bytes *bytes, OPJ_BOOL reads)
{
    opj_stream_t *stream = opj_stream_default_create(reads);
    bytes->at = 0;
    opj_stream_set_user_data(stream, bytes, NULL);
    opj_stream_set_user_data_length(stream, bytes->length);
    opj_stream_set_read_function(stream, read_bytes);
    opj_stream_set_write_function(stream, write_bytes);
    opj_stream_set_seek_function(stream, seek_to);
    return stream;
}
