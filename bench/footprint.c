/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures a job's memory in a child process, so that memory used before does not count. */
#include "footprint.h"
#include "peak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char CHILD[] = "--footprint-child";

static uint8_t *read_all(int descriptor, size_t *length)
{
    struct stat state;
    uint8_t *data;

    if (fstat(descriptor, &state) != 0 || (data = malloc((size_t)state.st_size + 1)) == NULL)
        return NULL;
    for (*length = 0; *length < (size_t)state.st_size;) {
        ssize_t got = pread(descriptor, data + *length, (size_t)state.st_size - *length, (off_t)*length);
        if (got <= 0)
            break;
        *length += (size_t)got;
    }
    return data;
}

/* The arguments are --footprint-child ENGINE THREADS WORK WIDTH HEIGHT QUALITY SUBSAMPLED DESCRIPTOR. */
bool footprint_child(int argc, char **argv, int *code)
{
    unsigned number[8];
    size_t length = 0;

    if (argc != 10 || strcmp(argv[1], CHILD) != 0)
        return false;
    for (int i = 0; i < 8; i++)
        number[i] = (unsigned)strtoul(argv[i + 2], NULL, 10);
    struct picture picture = {
        .width = number[3], .height = number[4], .quality = (int)number[5], .subsampled = number[6] != 0};
    enum work work = (enum work)number[2];
    struct engine *engine = engine_create((enum engine_kind)number[0], number[1]);
    uint8_t *data = read_all((int)number[7], &length);
    struct stream stream = {data, length}, scaled;
    size_t pixels = (size_t)picture.width * picture.height * 3;
    bool good = engine != NULL && data != NULL;

    if (work_decodes(work)) {
        picture.pixels = malloc(pixels);
        good = good && picture.pixels != NULL;
        if (good)
            memset(picture.pixels, 1, pixels);
        good = good && engine_decode(engine, &stream, &picture);
        free(picture.pixels);
    } else {
        picture.pixels = data;
        good = good && length == pixels && engine_encode(engine, &picture, work_is_progressive(work), &scaled);
    }
    printf("%llu\n", (unsigned long long)(good ? peak_of_this_process() : 0));
    free(data);
    engine_destroy(engine);
    *code = good ? 0 : 1;
    return true;
}

/* Return a descriptor of an unlinked file in memory that holds these bytes. */
static int share(const void *data, size_t length)
{
    int descriptor = memfd_create("kostka-peers", 0);
    size_t written = 0;

    while (descriptor >= 0 && written < length) {
        ssize_t put = write(descriptor, (const uint8_t *)data + written, length - written);
        if (put <= 0) {
            close(descriptor);
            return -1;
        }
        written += (size_t)put;
    }
    return descriptor;
}

uint64_t footprint_measure(
    enum engine_kind kind, uint32_t threads, enum work work, const struct picture *picture, const struct stream *stream)
{
    bool decodes = work_decodes(work);
    int descriptor = decodes ? share(stream->data, stream->length)
                             : share(picture->pixels, (size_t)picture->width * picture->height * 3);
    char command[512], line[64];
    unsigned long long bytes = 0;

    if (descriptor < 0)
        return 0;
    snprintf(command, sizeof command, "exec /proc/%ld/exe %s %d %u %d %u %u %d %d %d", (long)getpid(), CHILD, (int)kind,
        (unsigned)threads, (int)work, (unsigned)picture->width, (unsigned)picture->height, picture->quality,
        picture->subsampled, descriptor);
    FILE *pipe = popen(command, "r");
    if (pipe != NULL) {
        if (fgets(line, sizeof line, pipe) != NULL)
            bytes = strtoull(line, NULL, 10);
        pclose(pipe);
    }
    close(descriptor);
    return bytes;
}
