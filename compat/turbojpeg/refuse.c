/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Refuses samples of 16 bits, which only lossless coding has, and files of more than 8 bits: the original's version 2
 * reads and writes files, and has 8 alone.
 */
#include "instance.h"
#include "own.h"

static int refuse(tjhandle handle, const char *function)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    return instance ? turbojpeg_fail(instance, function, "This library has no such samples") : -1;
}

int OWN(tj3Compress16)(tjhandle handle, const unsigned short *pixels, int width, int pitch, int height, int format,
    unsigned char **jpeg, size_t *length)
{
    (void)pixels, (void)width, (void)pitch, (void)height, (void)format, (void)jpeg, (void)length;
    return refuse(handle, "tj3Compress16");
}

int OWN(tj3Decompress16)(
    tjhandle handle, const unsigned char *jpeg, size_t length, unsigned short *pixels, int pitch, int format)
{
    (void)jpeg, (void)length, (void)pixels, (void)pitch, (void)format;
    return refuse(handle, "tj3Decompress16");
}

short *OWN(tj3LoadImage12)(tjhandle handle, const char *name, int *width, int align, int *height, int *format)
{
    (void)name, (void)width, (void)align, (void)height, (void)format;
    refuse(handle, "tj3LoadImage12");
    return NULL;
}

unsigned short *OWN(tj3LoadImage16)(tjhandle handle, const char *name, int *width, int align, int *height, int *format)
{
    (void)name, (void)width, (void)align, (void)height, (void)format;
    refuse(handle, "tj3LoadImage16");
    return NULL;
}

int OWN(tj3SaveImage12)(
    tjhandle handle, const char *name, const short *pixels, int width, int pitch, int height, int format)
{
    (void)name, (void)pixels, (void)width, (void)pitch, (void)height, (void)format;
    return refuse(handle, "tj3SaveImage12");
}

int OWN(tj3SaveImage16)(
    tjhandle handle, const char *name, const unsigned short *pixels, int width, int pitch, int height, int format)
{
    (void)name, (void)pixels, (void)width, (void)pitch, (void)height, (void)format;
    return refuse(handle, "tj3SaveImage16");
}
