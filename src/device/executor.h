/* SPDX-License-Identifier: BSD-2-Clause */
/* A device ready for work: its kernels, its pool of buffers, and queues that threads borrow. */
#ifndef KOSTKA_DEVICE_EXECUTOR_H
#define KOSTKA_DEVICE_EXECUTOR_H

#include "core/pool.h"
#include "device/pool.h"
#include "jpeg/gpu/tables.h"

enum jpeg_kernel {
    JPEG_MAP_PARTS,
    JPEG_MAP_GROUPS,
    JPEG_FOLLOW_PICTURES,
    JPEG_PLACE_PARTS,
    JPEG_WRITE_BLOCKS,
    JPEG_WRITE_DC,
    JPEG_TRANSFORM_BLOCKS,
    JPEG_CONVERT_TILES,
    JPEG_CONVERT_PIXELS,
    JPEG_TURN_PIXELS,
    JPEG_KERNELS
};

/* Those that encode. */
enum encode_kernel {
    ENCODE_COUNT_SYMBOLS,
    ENCODE_TILES,
    ENCODE_PLACE_BITS,
    ENCODE_MEASURE_TILES,
    ENCODE_PLACE_BYTES,
    ENCODE_WRITE_STREAMS,
    ENCODE_KERNELS
};

/* Those that decode JPEG 2000. */
enum j2k_kernel {
    J2K_KERNEL_GATHER,
    J2K_KERNEL_WAVES,
    J2K_KERNEL_BLOCKS,
    J2K_KERNEL_STORE,
    J2K_KERNEL_PUT_GIVEN,
    J2K_KERNEL_SYNTHESISE_53,
    J2K_KERNEL_SYNTHESISE_53_NARROW,
    J2K_KERNEL_SYNTHESISE_97,
    J2K_KERNEL_PUT_OUT, /* this and the next put pixels out */
    J2K_KERNEL_FINISH_53,
    J2K_KERNEL_FINISH_53_NARROW,
    J2K_KERNEL_FINISH_97,
    J2K_KERNEL_CONVERT,
    J2K_KERNELS
};

/* Those that encode it. */
enum j2k_encode_kernel {
    J2K_ENCODE_TAKE_IN,
    J2K_ENCODE_ANALYSE_53,
    J2K_ENCODE_ANALYSE_97,
    J2K_ENCODE_MEASURE,
    J2K_ENCODE_MODEL,
    J2K_ENCODE_ORDER,
    J2K_ENCODE_CODE,
    J2K_ENCODE_COLLECT,
    J2K_ENCODE_KERNELS
};

enum { LANE_EVENTS = JPEG_KERNELS + 3 };

/* Queues with what goes with them; one operation's at a time. */
struct gpu_lane {
    struct gpu_lane *next;
    struct gpu_queue queue;
    struct gpu_queue urgent; /* if the driver urges: for the last steps of what started in the other one */
    struct gpu_event event[LANE_EVENTS];
};

struct gpu_executor {
    struct gpu *gpu;
    struct pool *threads; /* borrowed: they copy from and to pinned memory; null: the caller's thread does */
    struct gpu_pool pool;
    struct gpu_program program;
    struct gpu_kernel kernel[JPEG_KERNELS];
    struct jpeg_gpu_tables tables;
    pthread_mutex_t lock; /* of what follows */
    struct gpu_lane *idle;
    struct gpu_event *transformed; /* behind the transform of the last pictures that wait for nobody else; or null */
    struct gpu_event *modelled;    /* likewise of the last list of blocks, where queues are not urgent */
    uint32_t uncoded;              /* JPEG 2000 encodes begun whose blocks are still to be coded */
    struct gpu_buffer *pinned;     /* that the caller has */
    uint32_t pinned_count, pinned_capacity;
    pthread_mutex_t encoder_lock; /* while kernels that are seldom needed are built */
    bool encodes;                 /* those that encode are */
    struct gpu_program encoder;
    struct gpu_kernel encode[ENCODE_KERNELS];
    bool decodes_j2k; /* likewise */
    struct gpu_program j2k_decoder;
    struct gpu_kernel j2k[J2K_KERNELS];
    bool encodes_j2k; /* likewise */
    struct gpu_program j2k_encoder;
    struct gpu_kernel j2k_encode[J2K_ENCODE_KERNELS];
    atomic_uint j2k_jobs; /* JPEG 2000 decodes on their way */
    atomic_uint density;  /* of the last picture encoded, in bytes of 1,024 blocks: what to expect of the next */
};

/* Opens the device and builds its kernels. Results as kst_gpu_open(). */
kst_status kst_gpu_executor_create(
    struct memory *memory, const char *name, struct gpu_executor **executor, struct gpu_error *error);
/* Likewise, in a cl_context of the caller's: as kst_gpu_open_opencl(). */
kst_status kst_gpu_executor_create_opencl(
    struct memory *memory, void *context, void *device, struct gpu_executor **executor, struct gpu_error *error);
void kst_gpu_executor_destroy(struct gpu_executor **executor); /* null allowed */

/* Build the kernels that encode, where that is not done yet. Thread-safe. */
bool kst_gpu_executor_encodes(struct gpu_executor *executor, struct gpu_error *error);
/* Likewise, those that decode JPEG 2000, and those that encode it. */
bool kst_gpu_executor_decodes_j2k(struct gpu_executor *executor, struct gpu_error *error);
bool kst_gpu_executor_encodes_j2k(struct gpu_executor *executor, struct gpu_error *error);

/* Borrow a lane whose queue is empty; null where that failed. */
struct gpu_lane *kst_gpu_lane_take(struct gpu_executor *executor, struct gpu_error *error);
/* Give it back, its queue finished. Null allowed. */
void kst_gpu_lane_give(struct gpu_executor *executor, struct gpu_lane *lane);

#endif
