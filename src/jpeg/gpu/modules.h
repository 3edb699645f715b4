/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the kernel modules of JPEG, and the state that each keeps from one operation to the next. */
#ifndef KOSTKA_JPEG_GPU_MODULES_H
#define KOSTKA_JPEG_GPU_MODULES_H

#include <stdatomic.h>

#include "device/module.h"
#include "jpeg/gpu/tables.h"

/* The decoding kernels, in the order in which a part launches them. */
enum jpeg_gpu_kernel {
    JPEG_MAP_CHUNKS,
    JPEG_MAP_GROUPS,
    JPEG_FOLLOW_PICTURES,
    JPEG_PLACE_CHUNKS,
    JPEG_CHAIN_PICTURES,
    JPEG_WRITE_BLOCKS,
    JPEG_WRITE_DC,
    JPEG_TRANSFORM_BLOCKS,
    JPEG_CONVERT_TILES,
    JPEG_CONVERT_PIXELS,
    JPEG_TURN_PIXELS,
    JPEG_KERNELS
};

enum jpeg_gpu_encode_kernel {
    ENCODE_COUNT_SYMBOLS,
    ENCODE_TILES,
    ENCODE_PLACE_BITS,
    ENCODE_MEASURE_TILES,
    ENCODE_PLACE_BYTES,
    ENCODE_PLACE_STREAMS,
    ENCODE_WRITE_STREAMS,
    ENCODE_KERNELS
};

/* Its state is a struct jpeg_gpu_tables. */
extern const struct gpu_module kst_jpeg_gpu_decoding;

/* Holds the state of kst_jpeg_gpu_encoding. */
struct jpeg_gpu_encoding_state {
    atomic_uint density; /* bytes per 1,024 blocks of the pictures encoded last, which are expected of the next ones */
};

extern const struct gpu_module kst_jpeg_gpu_encoding;

#endif
