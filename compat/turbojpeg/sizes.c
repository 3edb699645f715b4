/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the sizes of buffers, and allocates and frees buffers. */
#include <stdlib.h>

#include "instance.h"
#include "own.h"
#include "picture.h"

void *OWN(tj3Alloc)(size_t length)
{
    return malloc(length);
}

void OWN(tj3Free)(void *buffer)
{
    free(buffer);
}

static size_t refuse(const char *function)
{
    turbojpeg_fail(NULL, function, "Invalid argument");
    return 0;
}

static unsigned long long round_up(int size, int multiple)
{
    return ((unsigned long long)size + (unsigned)multiple - 1) / (unsigned)multiple * (unsigned)multiple;
}

/* A file can be larger than its pixels: a block of noise takes up to four bytes for each of its coefficients. */
size_t OWN(tj3JPEGBufSize)(int width, int height, int subsampling)
{
    if (subsampling == -1)
        subsampling = TJSAMP_444;
    if (width < 1 || height < 1 || subsampling < 0 || subsampling >= TJSAMP_COUNT)
        return refuse("tj3JPEGBufSize");
    const int w = 8 * turbojpeg_factors[subsampling].h, h = 8 * turbojpeg_factors[subsampling].v;
    const unsigned long long chroma = subsampling == TJSAMP_GRAY ? 0 : 4ULL * 64 / (unsigned)(w * h);
    return round_up(width, w) * round_up(height, h) * (2 + chroma) + 2048;
}

int OWN(tj3YUVPlaneWidth)(int plane, int width, int subsampling)
{
    if (width < 1 || subsampling < 0 || subsampling >= TJSAMP_COUNT || plane < 0 ||
        plane >= (subsampling == TJSAMP_GRAY ? 1 : 3))
        return (int)refuse("tj3YUVPlaneWidth");
    const int h = turbojpeg_factors[subsampling].h;
    const unsigned long long size = round_up(width, h) / (plane == 0 ? 1 : (unsigned)h);
    return size > INT32_MAX ? (int)refuse("tj3YUVPlaneWidth") : (int)size;
}

int OWN(tj3YUVPlaneHeight)(int plane, int height, int subsampling)
{
    if (height < 1 || subsampling < 0 || subsampling >= TJSAMP_COUNT || plane < 0 ||
        plane >= (subsampling == TJSAMP_GRAY ? 1 : 3))
        return (int)refuse("tj3YUVPlaneHeight");
    const int v = turbojpeg_factors[subsampling].v;
    const unsigned long long size = round_up(height, v) / (plane == 0 ? 1 : (unsigned)v);
    return size > INT32_MAX ? (int)refuse("tj3YUVPlaneHeight") : (int)size;
}

size_t OWN(tj3YUVPlaneSize)(int plane, int width, int stride, int height, int subsampling)
{
    const int w = tj3YUVPlaneWidth(plane, width, subsampling), h = tj3YUVPlaneHeight(plane, height, subsampling);
    if (w == 0 || h == 0 || stride == INT32_MIN)
        return refuse("tj3YUVPlaneSize");
    const size_t pitch = stride == 0 ? (size_t)w : (size_t)abs(stride);
    return pitch * (size_t)(h - 1) + (size_t)w;
}

size_t OWN(tj3YUVBufSize)(int width, int align, int height, int subsampling)
{
    size_t sum = 0;
    if (align < 1 || (align & (align - 1)) != 0 || subsampling < 0 || subsampling >= TJSAMP_COUNT)
        return refuse("tj3YUVBufSize");
    for (int plane = 0; plane < (subsampling == TJSAMP_GRAY ? 1 : 3); plane++) {
        const int w = tj3YUVPlaneWidth(plane, width, subsampling), h = tj3YUVPlaneHeight(plane, height, subsampling);
        if (w == 0 || h == 0)
            return refuse("tj3YUVBufSize");
        sum += (size_t)round_up(w, align) * (size_t)h;
    }
    return sum;
}
