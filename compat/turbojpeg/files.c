/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes reading and writing of picture files on to version 2. */
#include "instance.h"
#include "own.h"

unsigned char *OWN(tj3LoadImage8)(tjhandle handle, const char *name, int *width, int align, int *height, int *format)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return NULL;
    if (instance->value[TJPARAM_PRECISION] < 8) {
        turbojpeg_fail(instance, "tj3LoadImage8", "Samples of fewer than 8 bits are not supported by this library");
        return NULL;
    }
    unsigned char *pixels =
        tjLoadImage(name, width, align, height, format, turbojpeg_flags(instance) & TJFLAG_BOTTOMUP);
    if (pixels && instance->value[TJPARAM_MAXPIXELS] &&
        (int64_t)*width * *height > instance->value[TJPARAM_MAXPIXELS]) {
        tj3Free(pixels);
        turbojpeg_fail(instance, "tj3LoadImage8", "Image is too large");
        return NULL;
    }
    return pixels;
}

int OWN(tj3SaveImage8)(
    tjhandle handle, const char *name, const unsigned char *pixels, int width, int pitch, int height, int format)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return -1;
    return tjSaveImage(name, (unsigned char *)(uintptr_t)pixels, width, pitch, height, format,
        turbojpeg_flags(instance) & TJFLAG_BOTTOMUP);
}
