/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes functions of version 3 that read or write planes of YUV on to those of version 2. */
#include "header.h"
#include "instance.h"
#include "own.h"
#include "picture.h"
#include "third.h"

/* Check parameters of version 3 that version 2 cannot express. */
static int check(struct turbojpeg_instance *instance, const char *function, bool compresses)
{
    const int *value = instance->value;
    if (value[TJPARAM_SUBSAMP] < 0)
        return turbojpeg_fail(instance, function, "TJPARAM_SUBSAMP must be specified");
    if (value[TJPARAM_SUBSAMP] >= TJSAMP_441)
        return turbojpeg_fail(instance, function, "4:4:1 is not supported for YUV images by this library");
    if (!compresses)
        return 0;
    if (value[TJPARAM_QUALITY] < 1)
        return turbojpeg_fail(instance, function, "TJPARAM_QUALITY must be specified");
    if (value[TJPARAM_OPTIMIZE] || value[TJPARAM_ARITHMETIC] || value[TJPARAM_RESTARTBLOCKS] ||
        value[TJPARAM_RESTARTROWS] || value[TJPARAM_XDENSITY] != 1 || value[TJPARAM_YDENSITY] != 1 ||
        value[TJPARAM_DENSITYUNITS] || instance->profile)
        return turbojpeg_fail(instance, function,
            "Optimized or arithmetic coding, restart markers, densities and profiles are not supported for YUV images");
    return 0;
}

static void withdraw(struct turbojpeg_instance *instance, int width, int height, unsigned char **jpeg, size_t *length)
{
    if (width > 0 && height > 0 && jpeg && length && !instance->value[TJPARAM_NOREALLOC])
        turbojpeg_withdraw(instance, jpeg, length, tj3JPEGBufSize(width, height, instance->value[TJPARAM_SUBSAMP]));
}

int tj3CompressFromYUV8(
    tjhandle handle, const unsigned char *yuv, int width, int align, int height, unsigned char **jpeg, size_t *length)
{
    if (turbojpeg_third.tj3CompressFromYUV8) {
        turbojpeg_exchange(handle, jpeg, length);
        return turbojpeg_third.tj3CompressFromYUV8(handle, yuv, width, align, height, jpeg, length);
    }
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance || check(instance, "tj3CompressFromYUV8", true))
        return -1;
    withdraw(instance, width, height, jpeg, length);
    return turbojpeg_result(
        instance, tjCompressFromYUV(handle, yuv, width, align, height, instance->value[TJPARAM_SUBSAMP], jpeg, length,
                      instance->value[TJPARAM_QUALITY], turbojpeg_flags(instance)));
}

int tj3CompressFromYUVPlanes8(tjhandle handle, const unsigned char *const *planes, int width, const int *strides,
    int height, unsigned char **jpeg, size_t *length)
{
    if (turbojpeg_third.tj3CompressFromYUVPlanes8) {
        turbojpeg_exchange(handle, jpeg, length);
        return turbojpeg_third.tj3CompressFromYUVPlanes8(handle, planes, width, strides, height, jpeg, length);
    }
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance || check(instance, "tj3CompressFromYUVPlanes8", true))
        return -1;
    withdraw(instance, width, height, jpeg, length);
    return turbojpeg_result(instance, tjCompressFromYUVPlanes(handle, (const unsigned char **)(uintptr_t)planes, width,
                                          strides, height, instance->value[TJPARAM_SUBSAMP], jpeg, length,
                                          instance->value[TJPARAM_QUALITY], turbojpeg_flags(instance)));
}

int OWN(tj3EncodeYUV8)(tjhandle handle, const unsigned char *pixels, int width, int pitch, int height, int format,
    unsigned char *yuv, int align)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance || check(instance, "tj3EncodeYUV8", false))
        return -1;
    return turbojpeg_result(instance, tjEncodeYUV3(handle, pixels, width, pitch, height, format, yuv, align,
                                          instance->value[TJPARAM_SUBSAMP], turbojpeg_flags(instance)));
}

int OWN(tj3EncodeYUVPlanes8)(tjhandle handle, const unsigned char *pixels, int width, int pitch, int height, int format,
    unsigned char **planes, int *strides)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance || check(instance, "tj3EncodeYUVPlanes8", false))
        return -1;
    return turbojpeg_result(instance, tjEncodeYUVPlanes(handle, pixels, width, pitch, height, format, planes, strides,
                                          instance->value[TJPARAM_SUBSAMP], turbojpeg_flags(instance)));
}

int OWN(tj3DecodeYUV8)(tjhandle handle, const unsigned char *yuv, int align, unsigned char *pixels, int width,
    int pitch, int height, int format)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance || check(instance, "tj3DecodeYUV8", false))
        return -1;
    return turbojpeg_result(instance, tjDecodeYUV(handle, yuv, align, instance->value[TJPARAM_SUBSAMP], pixels, width,
                                          pitch, height, format, turbojpeg_flags(instance)));
}

int OWN(tj3DecodeYUVPlanes8)(tjhandle handle, const unsigned char *const *planes, const int *strides,
    unsigned char *pixels, int width, int pitch, int height, int format)
{
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance || check(instance, "tj3DecodeYUVPlanes8", false))
        return -1;
    return turbojpeg_result(instance,
        tjDecodeYUVPlanes(handle, (const unsigned char **)(uintptr_t)planes, strides, instance->value[TJPARAM_SUBSAMP],
            pixels, width, pitch, height, format, turbojpeg_flags(instance)));
}

int OWN(tj3DecompressToYUV8)(tjhandle handle, const unsigned char *jpeg, size_t length, unsigned char *yuv, int align)
{
    static const char function[] = "tj3DecompressToYUV8";
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return -1;
    if (!jpeg || length == 0 || !yuv || align < 1 || (align & (align - 1)) != 0)
        return turbojpeg_fail(instance, function, "Invalid argument");
    if (turbojpeg_read_header(instance, function, jpeg, length))
        return -1;
    return turbojpeg_result(instance, tjDecompressToYUV2(handle, jpeg, length, yuv,
                                          turbojpeg_scaled(instance->value[TJPARAM_JPEGWIDTH], instance->scale), align,
                                          turbojpeg_scaled(instance->value[TJPARAM_JPEGHEIGHT], instance->scale),
                                          turbojpeg_flags(instance) & ~TJFLAG_PROGRESSIVE));
}

int OWN(tj3DecompressToYUVPlanes8)(
    tjhandle handle, const unsigned char *jpeg, size_t length, unsigned char **planes, int *strides)
{
    static const char function[] = "tj3DecompressToYUVPlanes8";
    struct turbojpeg_instance *instance = turbojpeg_begin(handle);
    if (!instance)
        return -1;
    if (!jpeg || length == 0 || !planes)
        return turbojpeg_fail(instance, function, "Invalid argument");
    if (turbojpeg_read_header(instance, function, jpeg, length))
        return -1;
    return turbojpeg_result(
        instance, tjDecompressToYUVPlanes(handle, jpeg, length, planes,
                      turbojpeg_scaled(instance->value[TJPARAM_JPEGWIDTH], instance->scale), strides,
                      turbojpeg_scaled(instance->value[TJPARAM_JPEGHEIGHT], instance->scale),
                      turbojpeg_flags(instance) & ~TJFLAG_PROGRESSIVE));
}
