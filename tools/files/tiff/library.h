/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the functions of libtiff that are used, by their own names. The library is loaded when the first TIFF file
 * is read or written: with the twelve libraries that libtiff needs itself, loading takes longer than decoding a small
 * picture.
 */
#ifndef KOSTKA_TOOL_TIFF_LIBRARY_H
#define KOSTKA_TOOL_TIFF_LIBRARY_H

#include <tiffio.h>

#include "system/library.h"

#define TIFF_FUNCTIONS(X)                                                                                              \
    X(TIFFClientOpenExt)                                                                                               \
    X(TIFFClose)                                                                                                       \
    X(TIFFFlush)                                                                                                       \
    X(TIFFGetField)                                                                                                    \
    X(TIFFGetFieldDefaulted)                                                                                           \
    X(TIFFIsBigTIFF)                                                                                                   \
    X(TIFFIsTiled)                                                                                                     \
    X(TIFFLastDirectory)                                                                                               \
    X(TIFFMergeFieldInfo)                                                                                              \
    X(TIFFOpenOptionsAlloc)                                                                                            \
    X(TIFFOpenOptionsFree)                                                                                             \
    X(TIFFOpenOptionsSetErrorHandlerExtR)                                                                              \
    X(TIFFOpenOptionsSetMaxSingleMemAlloc)                                                                             \
    X(TIFFOpenOptionsSetWarningHandlerExtR)                                                                            \
    X(TIFFReadDirectory)                                                                                               \
    X(TIFFReadRGBAImageOriented)                                                                                       \
    X(TIFFReadRGBAStripExt)                                                                                            \
    X(TIFFReadRGBATileExt)                                                                                             \
    X(TIFFReadScanline)                                                                                                \
    X(TIFFReadTile)                                                                                                    \
    X(TIFFScanlineSize)                                                                                                \
    X(TIFFSetDirectory)                                                                                                \
    X(TIFFSetField)                                                                                                    \
    X(TIFFTileSize)                                                                                                    \
    X(TIFFWriteDirectory)                                                                                              \
    X(TIFFWriteScanline)

extern struct tiff_library {
    TIFF_FUNCTIONS(LIBRARY_POINTER)
} tiff_library;

/* Load the library. Call this before any of its functions. Thread-safe. */
bool tiff_library_load(struct problem *problem);

/* These macros come behind the library's own header, so that they do not change its declarations. */
#define TIFFClientOpenExt tiff_library.TIFFClientOpenExt_
#define TIFFClose tiff_library.TIFFClose_
#define TIFFFlush tiff_library.TIFFFlush_
#define TIFFGetField tiff_library.TIFFGetField_
#define TIFFGetFieldDefaulted tiff_library.TIFFGetFieldDefaulted_
#define TIFFIsBigTIFF tiff_library.TIFFIsBigTIFF_
#define TIFFIsTiled tiff_library.TIFFIsTiled_
#define TIFFLastDirectory tiff_library.TIFFLastDirectory_
#define TIFFMergeFieldInfo tiff_library.TIFFMergeFieldInfo_
#define TIFFOpenOptionsAlloc tiff_library.TIFFOpenOptionsAlloc_
#define TIFFOpenOptionsFree tiff_library.TIFFOpenOptionsFree_
#define TIFFOpenOptionsSetErrorHandlerExtR tiff_library.TIFFOpenOptionsSetErrorHandlerExtR_
#define TIFFOpenOptionsSetMaxSingleMemAlloc tiff_library.TIFFOpenOptionsSetMaxSingleMemAlloc_
#define TIFFOpenOptionsSetWarningHandlerExtR tiff_library.TIFFOpenOptionsSetWarningHandlerExtR_
#define TIFFReadDirectory tiff_library.TIFFReadDirectory_
#define TIFFReadRGBAImageOriented tiff_library.TIFFReadRGBAImageOriented_
#define TIFFReadRGBAStripExt tiff_library.TIFFReadRGBAStripExt_
#define TIFFReadRGBATileExt tiff_library.TIFFReadRGBATileExt_
#define TIFFReadScanline tiff_library.TIFFReadScanline_
#define TIFFReadTile tiff_library.TIFFReadTile_
#define TIFFScanlineSize tiff_library.TIFFScanlineSize_
#define TIFFSetDirectory tiff_library.TIFFSetDirectory_
#define TIFFSetField tiff_library.TIFFSetField_
#define TIFFTileSize tiff_library.TIFFTileSize_
#define TIFFWriteDirectory tiff_library.TIFFWriteDirectory_
#define TIFFWriteScanline tiff_library.TIFFWriteScanline_

#endif
