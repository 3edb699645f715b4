/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the interface to a GPU's driver: a table of functions for each driver, implemented on CUDA's driver API and
 * on OpenCL. Both load their library when they are first used, and report no devices without it.
 *
 * Failures are kept in a gpu_error that names the call, the device and the driver's code. A queue keeps the first
 * failure and then does nothing more, so that a sequence of calls needs only one check, at its end.
 */
#ifndef KOSTKA_DEVICE_DEVICE_H
#define KOSTKA_DEVICE_DEVICE_H

#include <kostka/kostka_profile.h>

#include "core/memory.h"

struct gpu_backend;
struct gpu_timing;

struct gpu_error {
    kst_status status; /* KST_OK: nothing failed */
    char text[128];    /* such as "cuLaunchKernel on cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS" */
};

/* Describes an open device. It may be used from several threads at once. */
struct gpu {
    const struct gpu_backend *backend;
    struct memory *memory; /* accounts for the host memory that the device needs; outlives the device */
    kst_device_info info;
    uint64_t largest;          /* the most bytes that a buffer may have */
    uint32_t channels;         /* queues that the driver keeps apart from each other; 0: not known */
    long process;              /* process that opened the device: drivers do not survive fork() */
    struct gpu_timing *timing; /* the record being made, see device/timing.h; null: none */
};

enum gpu_place {
    GPU_DEVICE, /* on the device */
    GPU_PINNED  /* in host memory that the device copies from and to at full speed */
};

struct gpu_buffer {
    enum gpu_place place;
    size_t length;
    size_t used;      /* bytes asked for, if the buffer comes from a pool; 0: all of them */
    uint8_t *host;    /* pinned: the memory itself; device: null */
    uintptr_t handle; /* the driver's handle; in CUDA the address of device memory */
    bool registered;  /* CUDA: the pinned pages were mapped by this process and registered with the driver */
};

/* Wrap any host memory as a buffer, for copies. They are faster if the driver has pinned the memory. */
static inline struct gpu_buffer kst_gpu_host(void *memory, size_t length)
{
    return (struct gpu_buffer){.place = GPU_PINNED, .length = length, .host = memory};
}

/*
 * Holds rows of bytes in a buffer, as the source or the target of a copy. `pitch` is the distance in bytes from one row
 * to the next, at least the length of a row.
 */
struct gpu_rows {
    const struct gpu_buffer *buffer;
    size_t offset;
    size_t pitch;
};

/* Describes a rectangle of a picture, in pixels. */
struct gpu_region {
    uint32_t width, height, left, top;
};

/*
 * Holds the code of kernels as built into the library or into a test. The `_end` pointers point behind the last byte.
 */
struct gpu_kernels {
    const char *name;
    const unsigned char *opencl, *opencl_end; /* source text */
    const unsigned char *cuda, *cuda_end;     /* fat binary; empty if there was no CUDA compiler at build time */
    uint32_t registers;                       /* most registers of a work-item of its SLIM_KERNELs; 0: no limit */
};

struct gpu_program {
    uintptr_t handle;
    bool cached; /* the compiled program was found in the cache */
};

struct gpu_kernel {
    const char *name;
    uint32_t group; /* work-items in a work-group, as compiled in */
    uintptr_t handle;
};

/* Describes a kernel's argument: a buffer or, if that is null, a value. */
struct gpu_argument {
    const struct gpu_buffer *buffer;
    uint32_t value;
    uint64_t bytes; /* bytes of the buffer that the launch reads or writes, for the record; 0: all */
};

/* A queue does its work in sequence. Only one thread may use it at a time. */
struct gpu_queue {
    struct gpu *gpu;
    struct gpu_error error;
    uintptr_t handle;
    bool entered; /* see gpu_backend.enter */
};

/* Describes a point in the work of a queue. */
struct gpu_event {
    uintptr_t handle;
};

struct gpu_backend {
    kst_device_kind kind;
    kst_memory memory; /* the memory kind of images on its devices */
    const char *name;  /* the driver's part of device names */
    bool urges;        /* the driver supports urgent queues */
    bool maps;         /* kernels may read and write pinned buffers */
    bool compiled;     /* programs were compiled with the library: open() makes sure that the device loads them */

    /* Returns the number of devices; 0 without a driver. */
    uint32_t (*count)(void);
    /* Returns the index of the device that is preferred if the caller names none; −1 if none is a GPU. */
    int32_t (*preferred)(void);
    /* Returns false if there is no such device. */
    bool (*describe)(uint32_t index, kst_device_info *info);
    /* Returns null on failure. */
    struct gpu *(*open)(struct memory *memory, uint32_t index, struct gpu_error *error);
    /*
     * Open a device in a context of the caller's. The function pointer is null if the driver's devices have only one
     * context.
     */
    struct gpu *(*open_in)(struct memory *memory, void *context, void *device, struct gpu_error *error);
    void (*close)(struct gpu *gpu);

    bool (*build)(
        struct gpu *gpu, const struct gpu_kernels *kernels, struct gpu_program *program, struct gpu_error *error);
    void (*discard)(struct gpu *gpu, struct gpu_program *program);
    bool (*find)(struct gpu *gpu, const struct gpu_program *program, const char *name, uint32_t group,
        struct gpu_kernel *kernel, struct gpu_error *error);
    void (*forget)(struct gpu *gpu, struct gpu_kernel *kernel);
    /* Set the traits that the driver reports. */
    void (*inspect)(struct gpu *gpu, const struct gpu_kernel *kernel, kst_kernel_traits *traits);

    bool (*allocate)(
        struct gpu *gpu, enum gpu_place place, size_t length, struct gpu_buffer *buffer, struct gpu_error *error);
    void (*release)(struct gpu *gpu, struct gpu_buffer *buffer);
    /*
     * Use device memory of the caller's, `length` bytes from `offset` on; it is never released. KST_ERROR_IMAGE_MEMORY
     * if it is not on this device, KST_ERROR_IMAGE_BUFFER if it ends too early.
     */
    bool (*import)(
        struct gpu *gpu, void *data, size_t offset, size_t length, struct gpu_buffer *buffer, struct gpu_error *error);
    /* Returns whether the driver knows all of this host memory to be pinned; false if it cannot tell. */
    bool (*pinned)(struct gpu *gpu, const void *memory, size_t length);

    /* Work in an urgent queue goes first, whatever is queued in others, if the driver `urges`. */
    bool (*queue_create)(struct gpu *gpu, bool urgent, struct gpu_queue *queue, struct gpu_error *error);
    void (*queue_destroy)(struct gpu_queue *queue);
    /*
     * Use a queue of the caller's, which is not destroyed. KST_ERROR_DEVICE_STREAM if it does not belong to this
     * device.
     */
    bool (*queue_import)(struct gpu *gpu, void *handle, struct gpu_queue *queue, struct gpu_error *error);
    bool (*event_create)(struct gpu *gpu, struct gpu_event *event, struct gpu_error *error);
    void (*event_destroy)(struct gpu *gpu, struct gpu_event *event);

    /* Copy asynchronously, in the queue's order. Copies from pinned to pinned memory are not allowed. */
    void (*copy)(struct gpu_queue *queue, const struct gpu_buffer *to, size_t to_offset, const struct gpu_buffer *from,
        size_t from_offset, size_t length);
    /* The same for rows of `length` bytes. */
    void (*copy_rows)(struct gpu_queue *queue, struct gpu_rows to, struct gpu_rows from, size_t length, size_t rows);
    /*
     * Pictures that are objects of the driver instead of memory (KST_MEMORY_OPENCL_IMAGE); the functions may be null.
     * The import fails as above, and with KST_ERROR_IMAGE_FORMAT, KST_ERROR_IMAGE_SAMPLE or KST_ERROR_IMAGE_SIZE if the
     * object holds something else than the image says. The copies transfer a rectangle from or to host or device
     * memory; `row` is the number of bytes in a row.
     */
    bool (*picture_import)(
        struct gpu *gpu, const kst_image *image, struct gpu_buffer *picture, struct gpu_error *error);
    void (*picture_write)(struct gpu_queue *queue, const struct gpu_buffer *picture, struct gpu_rows from, size_t row,
        struct gpu_region region);
    void (*picture_read)(struct gpu_queue *queue, struct gpu_rows to, const struct gpu_buffer *picture, size_t row,
        struct gpu_region region);
    /* Fill device memory; offset and length are multiples of 4. */
    void (*fill)(
        struct gpu_queue *queue, const struct gpu_buffer *buffer, size_t offset, size_t length, uint32_t value);
    /* With 0 groups nothing is launched. */
    void (*launch)(struct gpu_queue *queue, const struct gpu_kernel *kernel, uint32_t groups,
        const struct gpu_argument *arguments, uint32_t count);
    void (*record)(struct gpu_queue *queue, struct gpu_event *event);
    /* Make what follows in the queue wait for an event that was recorded in any queue of the device. */
    void (*wait)(struct gpu_queue *queue, const struct gpu_event *event);

    /* Let the device begin with the work that is queued. */
    void (*flush)(struct gpu_queue *queue);
    /* Returns whether the queue has passed a recorded event, or has failed. */
    bool (*passed)(struct gpu *gpu, const struct gpu_event *event);

    /* Wait until all queued work is done. */
    void (*finish)(struct gpu_queue *queue);
    /* Optional: the same for work that will soon be done. The thread does not sleep for the first fraction of a
     * millisecond. */
    void (*finish_soon)(struct gpu_queue *queue);
    /*
     * Optional: prepare the thread for several calls with the queue, which are then faster. Until leave() the thread
     * must return to no code but the library's.
     */
    void (*enter)(struct gpu_queue *queue);
    void (*leave)(struct gpu_queue *queue);
    /* The seconds between two events that have passed; 0 if the driver cannot tell. */
    double (*elapsed)(struct gpu *gpu, const struct gpu_event *from, const struct gpu_event *to);
};

extern const struct gpu_backend kst_gpu_cuda;
extern const struct gpu_backend kst_gpu_opencl;

/* Count and describe the devices of all drivers, CUDA's first, without the CPU. */
uint32_t kst_gpu_count(void);
uint32_t kst_gpu_count_of(kst_device_kind kind); /* the devices of one kind; other drivers are not loaded */
bool kst_gpu_describe(uint32_t index, kst_device_info *info);

/*
 * Get the name of a driver's preferred GPU, CUDA's before OpenCL's; `next` counts through the drivers that have one.
 * Returns false if there are no more.
 */
bool kst_gpu_preferred(uint32_t next, char name[16]);

/*
 * Open a device by a name such as "cuda" or "opencl:1"; without a number it is the driver's preferred one, a GPU if it
 * has any. KST_ERROR_DEVICE_MISSING or KST_ERROR_DEVICE_FAILED. The caller closes the device.
 */
kst_status kst_gpu_open(struct memory *memory, const char *name, struct gpu **gpu, struct gpu_error *error);
void kst_gpu_close(struct gpu **gpu); /* null allowed */

/*
 * Open a device in a cl_context of the caller's. KST_ERROR_DEVICE_MISSING without OpenCL, or KST_ERROR_DEVICE_FAILED.
 */
kst_status kst_gpu_open_opencl(
    struct memory *memory, void *context, void *device, struct gpu **gpu, struct gpu_error *error);

/* Return whether this process opened the device; if not, the failure is noted. */
bool kst_gpu_usable(const struct gpu *gpu, struct gpu_error *error);

/* Note a failure of `call`, unless one was noted before. The implementations of the interface call this. Returns false.
 */
bool kst_gpu_fail(struct gpu_error *error, const struct gpu *gpu, const char *call, const char *reason);
/* Note that something the caller passed does not fit the device. Returns false. */
bool kst_gpu_refuse(struct gpu_error *error, const struct gpu *gpu, kst_status status, const char *reason);
void kst_gpu_name(kst_device_info *info, const struct gpu_backend *backend, uint32_t index);

#endif
