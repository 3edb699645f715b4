/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the project asks of a GPU's driver: one table of functions a driver, with an implementation on CUDA's driver API
 * and one on OpenCL. Both load their library when they are first asked for something and live without it.
 *
 * Failures are kept in a gpu_error that names the call, the device and the driver's code. A queue keeps the first one
 * and then does nothing more, so that a sequence of calls needs one check, at its end.
 */
#ifndef KOSTKA_DEVICE_DEVICE_H
#define KOSTKA_DEVICE_DEVICE_H

#include <kostka/kostka_profile.h>

#include "core/memory.h"

struct gpu_backend;
struct gpu_profile;

struct gpu_error {
    kst_status status; /* KST_OK: nothing failed */
    char text[128];    /* such as "cuLaunchKernel on cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS" */
};

/* An open device. May be used from several threads at once. */
struct gpu {
    const struct gpu_backend *backend;
    struct memory *memory; /* of the host's side; outlives it */
    kst_device_info info;
    uint64_t largest;            /* bytes that a buffer may have */
    long process;                /* that opened it: drivers do not survive fork() */
    struct gpu_profile *profile; /* of what is recorded, see device/profile.h; null: nothing is */
};

enum gpu_place {
    GPU_DEVICE, /* on the device */
    GPU_PINNED  /* the host's, which the device copies to and from at full speed */
};

struct gpu_buffer {
    enum gpu_place place;
    size_t length;
    size_t used;      /* bytes that it was taken for, of a pool; 0: all */
    uint8_t *host;    /* pinned: the memory itself; device: null */
    uintptr_t handle; /* the driver's; CUDA: device memory's address */
};

/* Any host memory, for copies, which are the faster where the driver has pinned it. */
static inline struct gpu_buffer kst_gpu_host(void *memory, size_t length)
{
    return (struct gpu_buffer){.place = GPU_PINNED, .length = length, .host = memory};
}

/* Where rows of bytes lie, for a copy: in a buffer, `pitch` bytes from one to the next, at least a row. */
struct gpu_rows {
    const struct gpu_buffer *buffer;
    size_t offset;
    size_t pitch;
};

/* A part of a picture, in pixels. */
struct gpu_part {
    uint32_t width, height, left, top;
};

/* Kernels as built into the library, or into a test. The ends point behind the last byte. */
struct gpu_kernels {
    const char *name;
    const unsigned char *opencl, *opencl_end; /* text */
    const unsigned char *cuda, *cuda_end;     /* fat binary; empty where there was no compiler for it */
    uint32_t registers;                       /* of a work-item of its SLIM_KERNELs at most, or 0 */
};

struct gpu_program {
    uintptr_t handle;
    bool cached; /* it was there already, compiled */
};

struct gpu_kernel {
    const char *name;
    uint32_t group; /* work-items in a work-group, as compiled in */
    uintptr_t handle;
};

/* A kernel's argument: a buffer, or, where that is null, a value. */
struct gpu_argument {
    const struct gpu_buffer *buffer;
    uint32_t value;
    uint64_t bytes; /* of the buffer that the launch reads or writes, for a record of it; 0: all */
};

/* Work in sequence. Of one thread at a time. */
struct gpu_queue {
    struct gpu *gpu;
    struct gpu_error error;
    uintptr_t handle;
};

/* A point in a queue's work. */
struct gpu_event {
    uintptr_t handle;
};

struct gpu_backend {
    kst_device_kind kind;
    kst_memory memory; /* the kind of images in its memory */
    const char *name;  /* of the driver in device names */
    bool urges;        /* it knows urgent queues */

    /* How many devices there are; 0 without a driver. */
    uint32_t (*count)(void);
    /* The device that is the best to work on where nobody says which; −1: none is a GPU. */
    int32_t (*preferred)(void);
    /* False where there is no such device. */
    bool (*describe)(uint32_t index, kst_device_info *info);
    /* Null where that failed. */
    struct gpu *(*open)(struct memory *memory, uint32_t index, struct gpu_error *error);
    /* In a context of the caller's; null where a driver's devices have but one. */
    struct gpu *(*open_in)(struct memory *memory, void *context, void *device, struct gpu_error *error);
    void (*close)(struct gpu *gpu);

    bool (*build)(
        struct gpu *gpu, const struct gpu_kernels *kernels, struct gpu_program *program, struct gpu_error *error);
    void (*discard)(struct gpu *gpu, struct gpu_program *program);
    bool (*find)(struct gpu *gpu, const struct gpu_program *program, const char *name, uint32_t group,
        struct gpu_kernel *kernel, struct gpu_error *error);
    void (*forget)(struct gpu *gpu, struct gpu_kernel *kernel);
    /* Sets what the driver knows. */
    void (*inspect)(struct gpu *gpu, const struct gpu_kernel *kernel, kst_kernel_traits *traits);

    bool (*allocate)(
        struct gpu *gpu, enum gpu_place place, size_t length, struct gpu_buffer *buffer, struct gpu_error *error);
    void (*release)(struct gpu *gpu, struct gpu_buffer *buffer);
    /*
     * Device memory of the caller's, `length` bytes from `offset` on; never released. KST_ERROR_IMAGE_MEMORY where it
     * is not this device's, KST_ERROR_IMAGE_BUFFER where it ends before.
     */
    bool (*import)(
        struct gpu *gpu, void *data, size_t offset, size_t length, struct gpu_buffer *buffer, struct gpu_error *error);
    /* Whether the driver knows all of this host memory as pinned; false where it cannot tell. */
    bool (*pinned)(struct gpu *gpu, const void *memory, size_t length);

    /* Work of an urgent one goes first, whatever is queued in others, if the driver `urges`. */
    bool (*queue_create)(struct gpu *gpu, bool urgent, struct gpu_queue *queue, struct gpu_error *error);
    void (*queue_destroy)(struct gpu_queue *queue);
    /* A queue of the caller's, which is not destroyed. KST_ERROR_DEVICE_STREAM where it is not this device's. */
    bool (*queue_import)(struct gpu *gpu, void *handle, struct gpu_queue *queue, struct gpu_error *error);
    bool (*event_create)(struct gpu *gpu, struct gpu_event *event, struct gpu_error *error);
    void (*event_destroy)(struct gpu *gpu, struct gpu_event *event);

    /* Asynchronous, and in the queue's order. Not from pinned to pinned memory. */
    void (*copy)(struct gpu_queue *queue, const struct gpu_buffer *to, size_t to_offset, const struct gpu_buffer *from,
        size_t from_offset, size_t length);
    /* Likewise, of rows of `length` bytes. */
    void (*copy_rows)(struct gpu_queue *queue, struct gpu_rows to, struct gpu_rows from, size_t length, size_t rows);
    /*
     * Pictures as objects of the driver's, which are no memory (optional: KST_MEMORY_OPENCL_IMAGE). Import as above,
     * with KST_ERROR_IMAGE_FORMAT, KST_ERROR_IMAGE_SAMPLE or KST_ERROR_IMAGE_SIZE where it holds something else. Copies
     * are of a part, from or to host or device memory; `row`: bytes of a row.
     */
    bool (*picture_import)(
        struct gpu *gpu, const kst_image *image, struct gpu_buffer *picture, struct gpu_error *error);
    void (*picture_write)(struct gpu_queue *queue, const struct gpu_buffer *picture, struct gpu_rows from, size_t row,
        struct gpu_part part);
    void (*picture_read)(struct gpu_queue *queue, struct gpu_rows to, const struct gpu_buffer *picture, size_t row,
        struct gpu_part part);
    /* Device memory; offset and length are multiples of 4. */
    void (*fill)(
        struct gpu_queue *queue, const struct gpu_buffer *buffer, size_t offset, size_t length, uint32_t value);
    /* 0 groups launch nothing. */
    void (*launch)(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
        const struct gpu_argument *arguments, uint32_t count);
    void (*record)(struct gpu_queue *queue, struct gpu_event *event);
    /* Make what follows in the queue wait for an event that was recorded in any queue of the device. */
    void (*wait)(struct gpu_queue *queue, const struct gpu_event *event);

    /* Have the device begin with what is queued. */
    void (*flush)(struct gpu_queue *queue);
    /* Whether the queue has come past an event that was recorded, or failed. */
    bool (*passed)(struct gpu *gpu, const struct gpu_event *event);

    /* Until all that was queued is done. */
    void (*finish)(struct gpu_queue *queue);
    /* Seconds between two events that have passed; 0 where the driver cannot tell. */
    double (*elapsed)(struct gpu *gpu, const struct gpu_event *from, const struct gpu_event *to);
};

extern const struct gpu_backend kst_gpu_cuda;
extern const struct gpu_backend kst_gpu_opencl;

/* All devices of all drivers, CUDA's first, without the CPU. */
uint32_t kst_gpu_count(void);
bool kst_gpu_describe(uint32_t index, kst_device_info *info);

/* The name of the GPU that is the best to work on, CUDA's before OpenCL's; number `next` of them. False: no more. */
bool kst_gpu_preferred(uint32_t next, char name[16]);

/* By a name such as "cuda" or "opencl:1"; without a number the driver's best, a GPU if it has any.
 * KST_ERROR_DEVICE_MISSING or KST_ERROR_DEVICE_FAILED; the caller closes it. */
kst_status kst_gpu_open(struct memory *memory, const char *name, struct gpu **gpu, struct gpu_error *error);
void kst_gpu_close(struct gpu **gpu); /* null allowed */

/* In a cl_context of the caller's. KST_ERROR_DEVICE_MISSING without OpenCL, or KST_ERROR_DEVICE_FAILED. */
kst_status kst_gpu_open_opencl(
    struct memory *memory, void *context, void *device, struct gpu **gpu, struct gpu_error *error);

/* Whether this process opened it; otherwise notes the failure. */
bool kst_gpu_usable(const struct gpu *gpu, struct gpu_error *error);

/* For the drivers. Note a failure of `call`, unless there was one before. Returns false. */
bool kst_gpu_fail(struct gpu_error *error, const struct gpu *gpu, const char *call, const char *reason);
/* Note that something of the caller's does not fit the device. Returns false. */
bool kst_gpu_refuse(struct gpu_error *error, const struct gpu *gpu, kst_status status, const char *reason);
void kst_gpu_name(kst_device_info *info, const struct gpu_backend *backend, uint32_t index);

#endif
