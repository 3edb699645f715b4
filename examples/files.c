/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes whole files. */
#include "files.h"

#include <stdio.h>
#include <stdlib.h>

uint8_t *file_read(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long end = ftell(file);
        rewind(file);
        data = end > 0 ? malloc((size_t)end) : NULL;
        *length = data ? fread(data, 1, (size_t)end, file) : 0;
    }
    if (!data)
        perror(path);
    if (file)
        fclose(file);
    return data;
}

bool file_write(const char *path, const kst_buffer *buffer)
{
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(buffer->data, 1, buffer->length, file) == buffer->length;
    if (file && fclose(file) != 0)
        written = false;
    if (!written)
        perror(path);
    return written;
}
