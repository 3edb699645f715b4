/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the kernels of JPEG 2000, and the state that each of their modules keeps between operations. */
#ifndef KOSTKA_J2K_GPU_MODULES_H
#define KOSTKA_J2K_GPU_MODULES_H

#include <stdatomic.h>

#include "device/module.h"

enum j2k_gpu_kernel {
    J2K_KERNEL_GATHER,
    J2K_KERNEL_WAVES,
    J2K_KERNEL_BLOCKS,
    J2K_KERNEL_STORE,
    J2K_KERNEL_QUADS,
    J2K_KERNEL_QUAD_SAMPLES,
    J2K_KERNEL_REFINE,
    J2K_KERNEL_PUT_HOST_BLOCKS,
    J2K_KERNEL_SYNTHESISE_53,
    J2K_KERNEL_SYNTHESISE_53_NARROW,
    J2K_KERNEL_SYNTHESISE_97,
    J2K_KERNEL_SYNTHESISE_97_INDICES,
    J2K_KERNEL_PUT_OUT, /* the kernels from here to FINISH_97_INDICES write pixels */
    J2K_KERNEL_FINISH_53,
    J2K_KERNEL_FINISH_53_NARROW,
    J2K_KERNEL_FINISH_97,
    J2K_KERNEL_FINISH_97_INDICES,
    J2K_KERNEL_COLUMNS_53, /* the kernels from here to STAGES write volumes */
    J2K_KERNEL_COLUMNS_53_MORE,
    J2K_KERNEL_COLUMNS_53_DEEP,
    J2K_KERNEL_COLUMNS_97,
    J2K_KERNEL_COLUMNS_97_MORE,
    J2K_KERNEL_COLUMNS_97_DEEP,
    J2K_KERNEL_STAGES,
    J2K_KERNEL_CONVERT,
    J2K_KERNELS
};

enum j2k_gpu_encode_kernel {
    J2K_ENCODE_COLUMNS_53,
    J2K_ENCODE_COLUMNS_97,
    J2K_ENCODE_TAKE_IN, /* the kernels from here to BEGIN_97 read pixels */
    J2K_ENCODE_BEGIN_53,
    J2K_ENCODE_BEGIN_97,
    J2K_ENCODE_ANALYSE_53,
    J2K_ENCODE_ANALYSE_97,
    J2K_ENCODE_MEASURE,
    J2K_ENCODE_MODEL,
    J2K_ENCODE_ORDER,
    J2K_ENCODE_CODE,
    J2K_ENCODE_CODE_HT,
    J2K_ENCODE_REFINE_HT,
    J2K_ENCODE_COUNT_HT,
    J2K_ENCODE_COLLECT,
    J2K_ENCODE_ASSEMBLE,
    J2K_ENCODE_WRITE_PACKETS,
    J2K_ENCODE_PLACE_PACKETS,
    J2K_ENCODE_ASSEMBLE_PACKETS,
    J2K_ENCODE_KERNELS
};

/* Holds the state of kst_j2k_gpu_decoding. */
struct j2k_gpu_decoding_state {
    atomic_uint jobs; /* number of jobs that are running */
    /* Bytes of streams of volumes that are being uploaded before the work of their jobs is. */
    atomic_uint_fast64_t ahead;
};

extern const struct gpu_module kst_j2k_gpu_decoding;

/* Holds the state of kst_j2k_gpu_encoding, guarded by the runtime's lock. */
struct j2k_gpu_encoding_state {
    /* Event behind the transform of the last pictures that do not wait for a caller's stream; or null. */
    const struct gpu_event *transformed;
    /* Event behind the model of the last list of blocks, if there are no urgent queues; or null. */
    const struct gpu_event *modelled;
    uint32_t uncoded; /* number of jobs whose blocks are still to be coded */
};

extern const struct gpu_module kst_j2k_gpu_encoding;

#endif
