/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the kernel modules of JPEG. */
#include "jpeg/gpu/modules.h"

#include "jpeg/kernels/encode_work.h"

extern const struct gpu_kernels kst_kernels_jpeg_decode, kst_kernels_jpeg_encode;

static const struct gpu_module_kernel decoding[JPEG_KERNELS] = {
    [JPEG_MAP_CHUNKS] = {"map_parts", WORK_MAP_GROUP},
    [JPEG_MAP_GROUPS] = {"map_groups", WORK_CHUNKS},
    [JPEG_FOLLOW_PICTURES] = {"follow_pictures", WORK_CHUNKS},
    [JPEG_PLACE_CHUNKS] = {"place_parts", WORK_CHUNKS},
    [JPEG_CHAIN_PICTURES] = {"chain_pictures", WORK_CHUNKS},
    [JPEG_WRITE_BLOCKS] = {"write_blocks", WORK_WRITE_CHUNKS},
    [JPEG_WRITE_DC] = {"write_dc", WORK_WRITE_CHUNKS},
    [JPEG_TRANSFORM_BLOCKS] = {"transform_blocks", WORK_TRANSFORM_GROUP},
    [JPEG_CONVERT_TILES] = {"convert_tiles", WORK_CONVERT_GROUP},
    [JPEG_CONVERT_PIXELS] = {"convert_pixels", WORK_CONVERT_GROUP},
    [JPEG_TURN_PIXELS] = {"turn_pixels", WORK_CONVERT_GROUP},
};

static const struct gpu_module_kernel encoding[ENCODE_KERNELS] = {
    [ENCODE_COUNT_SYMBOLS] = {"count_symbols", ENCODE_BLOCKS},
    [ENCODE_TILES] = {"encode_tiles", ENCODE_BLOCKS},
    [ENCODE_PLACE_BITS] = {"place_bits", ENCODE_PLACE_GROUP},
    [ENCODE_MEASURE_TILES] = {"measure_tiles", ENCODE_STREAM_GROUP},
    [ENCODE_PLACE_BYTES] = {"place_bytes", ENCODE_PLACE_GROUP},
    [ENCODE_PLACE_STREAMS] = {"place_streams", ENCODE_PLACE_GROUP},
    [ENCODE_WRITE_STREAMS] = {"write_streams", ENCODE_STREAM_GROUP},
};

static void begin_tables(void *state)
{
    kst_jpeg_gpu_tables_begin(state);
}

static void end_tables(void *state, struct memory *memory)
{
    kst_jpeg_gpu_tables_end(state, memory);
}

const struct gpu_module kst_jpeg_gpu_decoding = {.code = &kst_kernels_jpeg_decode,
    .kernel = decoding,
    .count = JPEG_KERNELS,
    .state = sizeof(struct jpeg_gpu_tables),
    .begin = begin_tables,
    .end = end_tables};

const struct gpu_module kst_jpeg_gpu_encoding = {.code = &kst_kernels_jpeg_encode,
    .kernel = encoding,
    .count = ENCODE_KERNELS,
    .state = sizeof(struct jpeg_gpu_encoding_state)};
