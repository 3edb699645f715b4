/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes streams that read and write files. */
#include <stdio.h>

#include "stream.h"

static OPJ_SIZE_T read_file(void *to, OPJ_SIZE_T length, void *user)
{
    size_t got = fread(to, 1, length, user);
    return got > 0 ? got : (OPJ_SIZE_T)-1;
}

static OPJ_SIZE_T write_file(void *from, OPJ_SIZE_T length, void *user)
{
    return fwrite(from, 1, length, user);
}

static OPJ_OFF_T skip_file(OPJ_OFF_T count, void *user)
{
    return fseeko(user, count, SEEK_CUR) == 0 ? count : -1;
}

static OPJ_BOOL seek_file(OPJ_OFF_T offset, void *user)
{
    return fseeko(user, offset, SEEK_SET) == 0;
}

static void close_file(void *user)
{
    fclose(user);
}

/* Return the length of a file; 0 for a pipe. */
static OPJ_UINT64 length_of(FILE *file)
{
    if (fseeko(file, 0, SEEK_END) != 0)
        return 0;
    OPJ_OFF_T length = ftello(file);
    rewind(file);
    return length > 0 ? (OPJ_UINT64)length : 0;
}

opj_stream_t *opj_stream_create_file_stream(const char *name, OPJ_SIZE_T buffer_size, OPJ_BOOL reads)
{
    FILE *file = name ? fopen(name, reads ? "rb" : "wb") : NULL;
    if (!file)
        return NULL;
    opj_stream_t *stream = opj_stream_create(buffer_size, reads);
    if (!stream) {
        fclose(file);
        return NULL;
    }
    opj_stream_set_user_data(stream, file, close_file);
    opj_stream_set_user_data_length(stream, reads ? length_of(file) : 0);
    opj_stream_set_read_function(stream, read_file);
    opj_stream_set_write_function(stream, write_file);
    opj_stream_set_skip_function(stream, skip_file);
    opj_stream_set_seek_function(stream, seek_file);
    return stream;
}

opj_stream_t *opj_stream_create_default_file_stream(const char *name, OPJ_BOOL reads)
{
    return opj_stream_create_file_stream(name, OPJ_J2K_STREAM_CHUNK_SIZE, reads);
}
