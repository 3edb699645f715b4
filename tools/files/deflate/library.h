/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads libdeflate. It is needed together with libpng, when the first PNG file is read or written, for the checksums of
 * a manifest, for bricks of Zarr in gzip and zlib, and to write .nii.gz.
 */
#ifndef KOSTKA_TOOL_DEFLATE_LIBRARY_H
#define KOSTKA_TOOL_DEFLATE_LIBRARY_H

#include <libdeflate.h>

#include "system/library.h"

#define DEFLATE_FUNCTIONS(X)                                                                                           \
    X(libdeflate_adler32)                                                                                              \
    X(libdeflate_alloc_compressor)                                                                                     \
    X(libdeflate_alloc_decompressor)                                                                                   \
    X(libdeflate_crc32)                                                                                                \
    X(libdeflate_deflate_compress)                                                                                     \
    X(libdeflate_deflate_compress_bound)                                                                               \
    X(libdeflate_free_compressor)                                                                                      \
    X(libdeflate_free_decompressor)                                                                                    \
    X(libdeflate_gzip_decompress_ex)                                                                                   \
    X(libdeflate_zlib_decompress)                                                                                      \
    X(libdeflate_zlib_decompress_ex)

extern struct deflate_library {
    DEFLATE_FUNCTIONS(LIBRARY_POINTER)
} deflate_library;

/* Load the library. This must be called before any of its functions; png_library_load() does so. */
bool deflate_library_load(struct problem *problem);

/* These macros must follow the inclusion of libdeflate.h, because they would rename its declarations. */
#define libdeflate_adler32 deflate_library.libdeflate_adler32_
#define libdeflate_alloc_compressor deflate_library.libdeflate_alloc_compressor_
#define libdeflate_alloc_decompressor deflate_library.libdeflate_alloc_decompressor_
#define libdeflate_crc32 deflate_library.libdeflate_crc32_
#define libdeflate_deflate_compress deflate_library.libdeflate_deflate_compress_
#define libdeflate_deflate_compress_bound deflate_library.libdeflate_deflate_compress_bound_
#define libdeflate_free_compressor deflate_library.libdeflate_free_compressor_
#define libdeflate_free_decompressor deflate_library.libdeflate_free_decompressor_
#define libdeflate_gzip_decompress_ex deflate_library.libdeflate_gzip_decompress_ex_
#define libdeflate_zlib_decompress deflate_library.libdeflate_zlib_decompress_
#define libdeflate_zlib_decompress_ex deflate_library.libdeflate_zlib_decompress_ex_

#endif
