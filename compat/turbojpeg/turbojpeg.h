/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the interface of libturbojpeg.so.0, up to version 3.2: the functions of 2.1, which the original has, and
 * those of 3, which are implemented here with it, so that programs for version 3 run where the system has version 2.
 */
#ifndef KOSTKA_COMPAT_TURBOJPEG_TURBOJPEG_H
#define KOSTKA_COMPAT_TURBOJPEG_TURBOJPEG_H

#include <stddef.h>

typedef void *tjhandle;

typedef struct {
    int num, denom;
} tjscalingfactor;

typedef struct {
    int x, y, w, h;
} tjregion;

typedef struct tjtransform {
    tjregion r;
    int op, options;
    void *data;
    int (*customFilter)(short *, tjregion, tjregion, int, int, struct tjtransform *);
} tjtransform;

enum { TJINIT_COMPRESS, TJINIT_DECOMPRESS, TJINIT_TRANSFORM, TJINIT_COUNT };

enum { TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_GRAY, TJSAMP_440, TJSAMP_411, TJSAMP_441, TJSAMP_COUNT };

enum {
    TJPF_RGB,
    TJPF_BGR,
    TJPF_RGBX,
    TJPF_BGRX,
    TJPF_XBGR,
    TJPF_XRGB,
    TJPF_GRAY,
    TJPF_RGBA,
    TJPF_BGRA,
    TJPF_ABGR,
    TJPF_ARGB,
    TJPF_CMYK,
    TJPF_COUNT
};

enum { TJCS_RGB, TJCS_YCbCr, TJCS_GRAY, TJCS_CMYK, TJCS_YCCK, TJCS_COUNT };

enum { TJERR_WARNING, TJERR_FATAL };

enum {
    TJFLAG_BOTTOMUP = 2,
    TJFLAG_FORCEMMX = 8,
    TJFLAG_FORCESSE = 16,
    TJFLAG_FORCESSE2 = 32,
    TJFLAG_FASTUPSAMPLE = 256,
    TJFLAG_NOREALLOC = 1024,
    TJFLAG_FASTDCT = 2048,
    TJFLAG_ACCURATEDCT = 4096,
    TJFLAG_STOPONWARNING = 8192,
    TJFLAG_PROGRESSIVE = 16384,
    TJFLAG_LIMITSCANS = 32768
};

enum {
    TJXOP_NONE,
    TJXOP_HFLIP,
    TJXOP_VFLIP,
    TJXOP_TRANSPOSE,
    TJXOP_TRANSVERSE,
    TJXOP_ROT90,
    TJXOP_ROT180,
    TJXOP_ROT270
};

enum {
    TJXOPT_CROP = 4,
    TJXOPT_GRAY = 8,
    TJXOPT_PROGRESSIVE = 32,
    TJXOPT_COPYNONE = 64,
    TJXOPT_ARITHMETIC = 128,
    TJXOPT_OPTIMIZE = 256
};

enum {
    TJPARAM_STOPONWARNING,
    TJPARAM_BOTTOMUP,
    TJPARAM_NOREALLOC,
    TJPARAM_QUALITY,
    TJPARAM_SUBSAMP,
    TJPARAM_JPEGWIDTH,
    TJPARAM_JPEGHEIGHT,
    TJPARAM_PRECISION,
    TJPARAM_COLORSPACE,
    TJPARAM_FASTUPSAMPLE,
    TJPARAM_FASTDCT,
    TJPARAM_OPTIMIZE,
    TJPARAM_PROGRESSIVE,
    TJPARAM_SCANLIMIT,
    TJPARAM_ARITHMETIC,
    TJPARAM_LOSSLESS,
    TJPARAM_LOSSLESSPSV,
    TJPARAM_LOSSLESSPT,
    TJPARAM_RESTARTBLOCKS,
    TJPARAM_RESTARTROWS,
    TJPARAM_XDENSITY,
    TJPARAM_YDENSITY,
    TJPARAM_DENSITYUNITS,
    TJPARAM_MAXMEMORY,
    TJPARAM_MAXPIXELS,
    TJPARAM_SAVEMARKERS,
    TJPARAM_COUNT
};

#pragma GCC visibility push(default)

/* Functions of version 2 that are used here. */
tjhandle tjInitCompress(void);
tjhandle tjInitDecompress(void);
tjhandle tjInitTransform(void);
int tjDestroy(tjhandle handle);
char *tjGetErrorStr(void);
char *tjGetErrorStr2(tjhandle handle);
int tjGetErrorCode(tjhandle handle);
int tjCompress2(tjhandle handle, const unsigned char *pixels, int width, int pitch, int height, int format,
    unsigned char **jpeg, unsigned long *length, int subsampling, int quality, int flags);
int tjCompressFromYUV(tjhandle handle, const unsigned char *yuv, int width, int align, int height, int subsampling,
    unsigned char **jpeg, unsigned long *length, int quality, int flags);
int tjCompressFromYUVPlanes(tjhandle handle, const unsigned char **planes, int width, const int *strides, int height,
    int subsampling, unsigned char **jpeg, unsigned long *length, int quality, int flags);
int tjEncodeYUV3(tjhandle handle, const unsigned char *pixels, int width, int pitch, int height, int format,
    unsigned char *yuv, int align, int subsampling, int flags);
int tjEncodeYUVPlanes(tjhandle handle, const unsigned char *pixels, int width, int pitch, int height, int format,
    unsigned char **planes, int *strides, int subsampling, int flags);
int tjDecompressHeader3(tjhandle handle, const unsigned char *jpeg, unsigned long length, int *width, int *height,
    int *subsampling, int *colour);
int tjDecompress2(tjhandle handle, const unsigned char *jpeg, unsigned long length, unsigned char *pixels, int width,
    int pitch, int height, int format, int flags);
int tjDecompressToYUV2(tjhandle handle, const unsigned char *jpeg, unsigned long length, unsigned char *yuv, int width,
    int align, int height, int flags);
int tjDecompressToYUVPlanes(tjhandle handle, const unsigned char *jpeg, unsigned long length, unsigned char **planes,
    int width, int *strides, int height, int flags);
int tjDecodeYUV(tjhandle handle, const unsigned char *yuv, int align, int subsampling, unsigned char *pixels, int width,
    int pitch, int height, int format, int flags);
int tjDecodeYUVPlanes(tjhandle handle, const unsigned char **planes, const int *strides, int subsampling,
    unsigned char *pixels, int width, int pitch, int height, int format, int flags);
int tjTransform(tjhandle handle, const unsigned char *jpeg, unsigned long length, int count, unsigned char **results,
    unsigned long *lengths, tjtransform *transforms, int flags);
tjscalingfactor *tjGetScalingFactors(int *count);
unsigned char *tjLoadImage(const char *name, int *width, int align, int *height, int *format, int flags);
int tjSaveImage(const char *name, unsigned char *pixels, int width, int pitch, int height, int format, int flags);

/* Functions of version 3 that are implemented here. */
tjhandle tj3Init(int kind);
tjhandle tj3InitVersion(int kind, int version);
void tj3Destroy(tjhandle handle);
char *tj3GetErrorStr(tjhandle handle);
int tj3GetErrorCode(tjhandle handle);
int tj3Set(tjhandle handle, int parameter, int value);
int tj3Get(tjhandle handle, int parameter);
void *tj3Alloc(size_t length);
void tj3Free(void *buffer);
size_t tj3JPEGBufSize(int width, int height, int subsampling);
size_t tj3YUVBufSize(int width, int align, int height, int subsampling);
size_t tj3YUVPlaneSize(int plane, int width, int stride, int height, int subsampling);
int tj3YUVPlaneWidth(int plane, int width, int subsampling);
int tj3YUVPlaneHeight(int plane, int height, int subsampling);
size_t tj3TransformBufSize(tjhandle handle, const tjtransform *transform);
int tj3SetICCProfile(tjhandle handle, unsigned char *profile, size_t length);
int tj3GetICCProfile(tjhandle handle, unsigned char **profile, size_t *length);
int tj3Compress8(tjhandle handle, const unsigned char *pixels, int width, int pitch, int height, int format,
    unsigned char **jpeg, size_t *length);
int tj3Compress12(tjhandle handle, const short *pixels, int width, int pitch, int height, int format,
    unsigned char **jpeg, size_t *length);
int tj3Compress16(tjhandle handle, const unsigned short *pixels, int width, int pitch, int height, int format,
    unsigned char **jpeg, size_t *length);
int tj3CompressFromYUV8(
    tjhandle handle, const unsigned char *yuv, int width, int align, int height, unsigned char **jpeg, size_t *length);
int tj3CompressFromYUVPlanes8(tjhandle handle, const unsigned char *const *planes, int width, const int *strides,
    int height, unsigned char **jpeg, size_t *length);
int tj3EncodeYUV8(tjhandle handle, const unsigned char *pixels, int width, int pitch, int height, int format,
    unsigned char *yuv, int align);
int tj3EncodeYUVPlanes8(tjhandle handle, const unsigned char *pixels, int width, int pitch, int height, int format,
    unsigned char **planes, int *strides);
int tj3DecompressHeader(tjhandle handle, const unsigned char *jpeg, size_t length);
tjscalingfactor *tj3GetScalingFactors(int *count);
int tj3SetScalingFactor(tjhandle handle, tjscalingfactor factor);
int tj3SetCroppingRegion(tjhandle handle, tjregion region);
int tj3Decompress8(
    tjhandle handle, const unsigned char *jpeg, size_t length, unsigned char *pixels, int pitch, int format);
int tj3Decompress12(tjhandle handle, const unsigned char *jpeg, size_t length, short *pixels, int pitch, int format);
int tj3Decompress16(
    tjhandle handle, const unsigned char *jpeg, size_t length, unsigned short *pixels, int pitch, int format);
int tj3DecompressToYUV8(tjhandle handle, const unsigned char *jpeg, size_t length, unsigned char *yuv, int align);
int tj3DecompressToYUVPlanes8(
    tjhandle handle, const unsigned char *jpeg, size_t length, unsigned char **planes, int *strides);
int tj3DecodeYUV8(tjhandle handle, const unsigned char *yuv, int align, unsigned char *pixels, int width, int pitch,
    int height, int format);
int tj3DecodeYUVPlanes8(tjhandle handle, const unsigned char *const *planes, const int *strides, unsigned char *pixels,
    int width, int pitch, int height, int format);
int tj3Transform(tjhandle handle, const unsigned char *jpeg, size_t length, int count, unsigned char **results,
    size_t *lengths, const tjtransform *transforms);
unsigned char *tj3LoadImage8(tjhandle handle, const char *name, int *width, int align, int *height, int *format);
short *tj3LoadImage12(tjhandle handle, const char *name, int *width, int align, int *height, int *format);
unsigned short *tj3LoadImage16(tjhandle handle, const char *name, int *width, int align, int *height, int *format);
int tj3SaveImage8(
    tjhandle handle, const char *name, const unsigned char *pixels, int width, int pitch, int height, int format);
int tj3SaveImage12(
    tjhandle handle, const char *name, const short *pixels, int width, int pitch, int height, int format);
int tj3SaveImage16(
    tjhandle handle, const char *name, const unsigned short *pixels, int width, int pitch, int height, int format);

#pragma GCC visibility pop

#endif
