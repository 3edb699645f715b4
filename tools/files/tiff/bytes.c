/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides libtiff with functions that read and write its file in memory or in an output. */
#include "files/tiff/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_LIMIT = 1 << 30 };

static tmsize_t file_read(thandle_t handle, void *to, tmsize_t length)
{
    struct tiff_bytes *file = handle;
    uint64_t left = file->at < file->length ? file->length - file->at : 0;
    uint64_t wanted = length > 0 ? (uint64_t)length : 0;
    size_t count = (size_t)(wanted < left ? wanted : left);

    if (count > 0)
        memcpy(to, file->data + file->at, count);
    file->at += count;
    return (tmsize_t)count;
}

static tmsize_t file_write(thandle_t handle, void *from, tmsize_t length)
{
    struct tiff_bytes *file = handle;
    uint64_t end = file->at + (uint64_t)length;

    if (file->output != NULL) {
        if (!output_write_at(file->output, file->at, from, (size_t)length, &file->problem))
            return -1;
        file->at = end;
        file->length = end > file->length ? end : file->length;
        return length;
    }
    if (end > file->capacity) {
        uint64_t capacity = end + end / 2;
        uint8_t *grown = realloc(file->data, (size_t)capacity);
        if (grown == NULL)
            return -1;
        memset(grown + file->length, 0, (size_t)(capacity - file->length));
        file->data = grown;
        file->capacity = capacity;
    }
    memcpy(file->data + file->at, from, (size_t)length);
    file->at = end;
    file->length = end > file->length ? end : file->length;
    return length;
}

bool tiff_append(struct tiff_bytes *file, const void *data, size_t length)
{
    file->at = file->length + file->length % 2;
    return length == 0 || file_write(file, (void *)(uintptr_t)data, (tmsize_t)length) == (tmsize_t)length;
}

static toff_t file_seek(thandle_t handle, toff_t offset, int whence)
{
    struct tiff_bytes *file = handle;

    if (whence == SEEK_CUR)
        offset += file->at;
    else if (whence == SEEK_END)
        offset += file->length;
    file->at = offset;
    return offset;
}

static int file_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t file_size(thandle_t handle)
{
    return ((struct tiff_bytes *)handle)->length;
}

/* Give libtiff the memory of a file that is read, so that libtiff need not copy it. */
static int file_map(thandle_t handle, void **base, toff_t *length)
{
    const struct tiff_bytes *file = handle;

    *base = file->data;
    *length = file->length;
    return file->output == NULL && file->capacity == 0;
}

static void file_unmap(thandle_t handle, void *base, toff_t length)
{
    (void)handle;
    (void)base;
    (void)length;
}

/* Keep the first error, because the following ones are its consequences. */
__attribute__((format(printf, 4, 0))) static int failed(
    TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
    struct problem *problem = user;
    (void)tiff;
    (void)module;

    if (problem->text[0] == '\0') {
        memcpy(problem->text, "TIFF: ", 7);
        vsnprintf(problem->text + 6, sizeof problem->text - 6, format, arguments);
    }
    return 1;
}

__attribute__((format(printf, 4, 0))) static int warned(
    TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
    (void)tiff;
    (void)user;
    (void)module;
    (void)format;
    (void)arguments;
    return 1;
}

TIFF *tiff_open(struct tiff_bytes *file, const char *mode, struct problem *problem)
{
    TIFF *tiff = NULL;

    if (!tiff_library_load(problem))
        return NULL;
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    problem->text[0] = '\0';
    if (options != NULL) {
        TIFFOpenOptionsSetErrorHandlerExtR(options, failed, problem);
        TIFFOpenOptionsSetWarningHandlerExtR(options, warned, NULL);
        uint64_t limit = file->limit != 0 && file->limit < BLOCK_LIMIT ? file->limit : BLOCK_LIMIT;
        TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)limit);
        tiff = TIFFClientOpenExt(
            "", mode, file, file_read, file_write, file_seek, file_close, file_size, file_map, file_unmap, options);
        TIFFOpenOptionsFree(options);
    }
    if (tiff == NULL && problem->text[0] == '\0')
        problem_set(problem, "TIFF: cannot be opened");
    return tiff;
}
