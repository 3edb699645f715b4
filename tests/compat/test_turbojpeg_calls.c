/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls functions of TurboJPEG 2 with the files that are named, and with pictures that it makes, and prints what they
 * return: sizes, sums of bytes, error codes and messages. The test compares what it prints with two libraries.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "turbojpeg/turbojpeg.h"

enum { SIDE_MOST = 2 * 600, PIXELS_MOST = SIDE_MOST * SIDE_MOST };

static const int sizes[TJPF_COUNT] = {3, 3, 4, 4, 4, 4, 1, 4, 4, 4, 4, 4};
static unsigned char *canvas;
static uint32_t random_state = 1;

static uint32_t next_random(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 8;
}

static uint64_t sum(const unsigned char *bytes, size_t length)
{
    uint64_t value = 14695981039346656037U;
    for (size_t i = 0; i < length; i++)
        value = (value ^ bytes[i]) * 1099511628211U;
    return value;
}

static void report(const char *what, tjhandle handle, int result, const unsigned char *bytes, size_t length)
{
    printf("%s %d %016" PRIx64 " %zu", what, result, bytes ? sum(bytes, length) : 0, length);
    if (result)
        printf(" %d %s | %s", tjGetErrorCode(handle), tjGetErrorStr2(handle), tjGetErrorStr());
    puts("");
}

static void decompress(
    tjhandle handle, const unsigned char *jpeg, size_t length, int width, int height, int format, int pitch, int flags)
{
    char what[100];
    const size_t all = (size_t)(pitch ? pitch : width * sizes[format]) * (size_t)height;
    if (all > (size_t)PIXELS_MOST * 4)
        return;
    memset(canvas, 0x5A, all);
    int result = tjDecompress2(handle, jpeg, length, canvas, width, pitch, height, format, flags);
    snprintf(what, sizeof what, "decompress %d×%d format %d pitch %d flags %d", width, height, format, pitch, flags);
    /* What an error has left undecompressed is undefined. */
    const bool whole = result == 0 || (tjGetErrorCode(handle) == TJERR_WARNING && !(flags & TJFLAG_STOPONWARNING));
    report(what, handle, result, whole ? canvas : NULL, all);
}

/* `whole`: width and height are the picture's. */
static void decompress_all(tjhandle handle, const unsigned char *jpeg, size_t length, int width, int height, bool whole)
{
    static const int flags[] = {0, TJFLAG_FASTDCT, TJFLAG_FASTUPSAMPLE, TJFLAG_FASTDCT | TJFLAG_FASTUPSAMPLE,
        TJFLAG_BOTTOMUP, TJFLAG_STOPONWARNING, TJFLAG_LIMITSCANS, TJFLAG_ACCURATEDCT};
    int count;
    const tjscalingfactor *factors = tjGetScalingFactors(&count);
    for (int i = 0; i < count; i++) {
        const int w = (width * factors[i].num + factors[i].denom - 1) / factors[i].denom;
        const int h = (height * factors[i].num + factors[i].denom - 1) / factors[i].denom;
        decompress(handle, jpeg, length, w, h, i % TJPF_COUNT, 0, flags[i % 8]);
    }
    for (int format = 0; format < TJPF_COUNT; format++)
        decompress(handle, jpeg, length, width, height, format, format % 3 ? width * sizes[format] + 4 * format : 0,
            flags[next_random() % 8]);
    for (int i = 0; i < 8; i++)
        decompress(handle, jpeg, length, width, height, i % 2 ? TJPF_RGB : TJPF_GRAY, 0, flags[i]);
    decompress(handle, jpeg, length, width, height / 3 + 1, TJPF_BGR, 0, 0);
    if (whole)
        decompress(handle, jpeg, length, 0, 0, TJPF_BGR, 0, 0);
    decompress(handle, jpeg, length, 1, 1, TJPF_RGBA, 0, 0);
}

static void yuv(tjhandle handle, const unsigned char *jpeg, size_t length, int width, int height)
{
    memset(canvas, 0, 4 * (size_t)width * (size_t)height + 4096);
    int result = tjDecompressToYUV2(handle, jpeg, length, canvas, width, 4, height, 0);
    report("yuv", handle, result, canvas, 3 * (size_t)width * (size_t)height);
}

static int filter(short *coefficients, tjregion array, tjregion plane, int component, int index, tjtransform *transform)
{
    (void)plane, (void)index, (void)transform;
    for (int i = 0; component == 0 && i < array.w * array.h; i++)
        coefficients[i] = (short)-coefficients[i];
    return 0;
}

static void transform(const unsigned char *jpeg, size_t length)
{
    tjhandle handle = tjInitTransform();
    for (int op = 0; op < 8; op++) {
        unsigned char *results[2] = {NULL, NULL};
        unsigned long lengths[2] = {0, 0};
        tjtransform transforms[2] = {{.op = op, .options = op % 3 ? 2 : TJXOPT_GRAY},
            {.op = 7 - op, .options = op % 2 ? TJXOPT_COPYNONE : 0, .customFilter = filter}};
        int result =
            tjTransform(handle, jpeg, length, 2, results, lengths, transforms, op == 3 ? TJFLAG_PROGRESSIVE : 0);
        for (int i = 0; i < 2; i++) {
            report("transform", handle, result, result ? NULL : results[i], lengths[i]);
            free(results[i]);
        }
    }
    tjDestroy(handle);
}

static void read_stream(const unsigned char *jpeg, size_t length, bool briefly)
{
    tjhandle handle = tjInitDecompress();
    int width = 0, height = 0, subsampling = 0, colour = 0;
    int result = tjDecompressHeader3(handle, jpeg, length, &width, &height, &subsampling, &colour);
    printf("%d×%d sampling %d colour %d\n", width, height, subsampling, colour);
    report("header", handle, result, NULL, 0);
    const bool whole = width > 0 && width <= 600 && height <= 600;
    if (!whole)
        width = height = 600;
    if (briefly) {
        for (int i = 0; i < 3; i++)
            decompress(handle, jpeg, length, width, height, (int)(next_random() % TJPF_COUNT), 0,
                i == 1   ? TJFLAG_STOPONWARNING
                : i == 2 ? TJFLAG_FASTUPSAMPLE | TJFLAG_FASTDCT
                         : 0);
    } else {
        decompress_all(handle, jpeg, length, width, height, whole);
        yuv(handle, jpeg, length, width, height);
        transform(jpeg, length);
    }
    tjDestroy(handle);
}

static void damage(const unsigned char *jpeg, size_t length)
{
    unsigned char *copy = malloc(length);
    for (int i = 0; i < 6; i++) {
        memcpy(copy, jpeg, length);
        for (int j = 0; j < 3; j++)
            copy[next_random() % length] = (unsigned char)next_random();
        read_stream(copy, i % 2 ? length : next_random() % length, true);
    }
    free(copy);
}

static void read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    static unsigned char bytes[1 << 20];
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    printf("== %s %zu\n", strrchr(name, '/') ? strrchr(name, '/') : name, length);
    if (file)
        fclose(file);
    if (length == 0 || length == sizeof bytes)
        return;
    read_stream(bytes, length, length > 60000);
    damage(bytes, length);
}

static void paint(int width, int height)
{
    for (int i = 0; i < width * height * 4 + 64; i++)
        canvas[i] = (unsigned char)((i / 7 + i / (width * 3) * 5) ^ (i % 911 < 300 ? (int)(next_random() & 63) : 0));
}

static void compress(tjhandle handle, int width, int height, int format, int subsampling, int quality, int flags)
{
    const int pitch = (width + height) % 2 ? 0 : width * sizes[format] + 8;
    unsigned char *jpeg = NULL;
    unsigned long length = 0;
    char what[100];
    if (flags & TJFLAG_NOREALLOC) {
        length = 4 * (size_t)(width + 32) * (size_t)(height + 32) + 4096;
        jpeg = malloc(length);
    }
    int result = tjCompress2(handle, canvas, width, pitch, height, format, &jpeg, &length, subsampling, quality, flags);
    snprintf(what, sizeof what, "compress %d×%d format %d sampling %d quality %d flags %d", width, height, format,
        subsampling, quality, flags);
    report(what, handle, result, result ? NULL : jpeg, result ? 0 : length);
    if (result == 0 && subsampling == quality % 6)
        read_stream(jpeg, length, width > 64);
    free(jpeg);
}

static void compress_all(void)
{
    static const int dimensions[][2] = {{1, 1}, {17, 33}, {48, 16}, {101, 67}, {64, 129}};
    tjhandle handle;
    for (int i = 0; i < 180; i++) {
        static const int flags[] = {0, TJFLAG_PROGRESSIVE, TJFLAG_ACCURATEDCT, TJFLAG_BOTTOMUP | TJFLAG_PROGRESSIVE,
            TJFLAG_NOREALLOC, TJFLAG_NOREALLOC | TJFLAG_PROGRESSIVE, TJFLAG_PROGRESSIVE | TJFLAG_ACCURATEDCT};
        const int *d = dimensions[i % 5];
        handle =
            tjInitCompress(); /* the original's files are damaged where a sequential one follows a progressive one */
        paint(d[0], d[1]);
        compress(handle, d[0], d[1], i % TJPF_COUNT, i / TJPF_COUNT % 6, i * 13 % 103 - 1, flags[i % 7]);
        tjDestroy(handle);
    }
    compress(NULL, 4, 4, 0, 0, 50, TJFLAG_PROGRESSIVE);
    handle = tjInitDecompress();
    compress(handle, 4, 4, 0, 0, 50, TJFLAG_PROGRESSIVE);
    decompress(handle, canvas, 0, 4, 4, 0, 0, 0);
    decompress(handle, NULL, 9, 4, 4, 0, 0, 0);
    decompress(NULL, canvas, 9, 4, 4, 0, 0, 0);
    tjDestroy(handle);
}

/* A buffer that one call has filled is given to the next one, and to one that the library passes on. */
static void reuse(void)
{
    tjhandle handle = tjInitCompress();
    unsigned char *jpeg = NULL;
    unsigned long length = 0;
    for (int i = 0; i < 12; i++) {
        const int side = 16 + i * 37 % 200;
        paint(side, side);
        int result = tjCompress2(
            handle, canvas, side, 0, side, TJPF_RGB, &jpeg, &length, TJSAMP_420, 85, i > 2 ? TJFLAG_PROGRESSIVE : 0);
        report("reuse", handle, result, jpeg, length);
    }
    free(jpeg);
    tjDestroy(handle);
}

/* Small pictures, which the library passes on, alternate with a large one; the first buffer is freed. */
static void alternate(void)
{
    tjhandle handle = tjInitCompress();
    unsigned char *jpeg = NULL;
    unsigned long length = 0;
    for (int i = 0; i < 3; i++) {
        const int side = i % 2 ? 200 : 60;
        for (int at = 0; at < side * side * 3; at++)
            canvas[at] = i % 2 ? 99 : (unsigned char)next_random();
        int result = tjCompress2(handle, canvas, side, 0, side, TJPF_RGB, &jpeg, &length, TJSAMP_444, 95, 0);
        report("alternate", handle, result, jpeg, length);
        if (i == 0) {
            free(jpeg);
            jpeg = NULL;
            length = 0;
        }
    }
    free(jpeg);
    tjDestroy(handle);
}

int main(int argc, char **argv)
{
    canvas = calloc(4, PIXELS_MOST + 4096);
    if (!canvas)
        return 1;
    compress_all();
    reuse();
    alternate();
    for (int i = 1; i < argc; i++)
        read_file(argv[i]);
    free(canvas);
    return 0;
}
