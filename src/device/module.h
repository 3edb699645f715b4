/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares kernel modules. A codec declares a program as a constant; a device builds it once, and then launches its
 * kernels.
 */
#ifndef KOSTKA_DEVICE_MODULE_H
#define KOSTKA_DEVICE_MODULE_H

#include "core/shared.h"
#include "device/device.h"

struct gpu_runtime;
struct gpu_track;

/* Describes a kernel of a program, and the number of work-items in its work-groups, as compiled in. */
struct gpu_module_kernel {
    const char *name;
    uint32_t group;
};

/*
 * Describes a program that a codec declares; it is constant and the same for all devices. Beside the kernels, a runtime
 * keeps `state` bytes for the codec, zeroed at first, in which one operation leaves data to the next.
 */
struct gpu_module {
    const struct gpu_kernels *code;
    const struct gpu_module_kernel *kernel;
    uint32_t count; /* number of kernels */
    size_t state;
    /* Both are optional: called once when the module is built, and once when the runtime ends. */
    void (*begin)(void *state);
    void (*end)(void *state, struct memory *memory);
    /* Optional, called under the runtime's lock: a track is returned, and nobody may wait for its events any more. */
    void (*forget)(void *state, const struct gpu_track *track);
};

/* Describes a module as it was built for a runtime's device. */
struct gpu_built {
    struct gpu_built *next;
    const struct gpu_module *module;
    struct gpu_program program;
    struct gpu_kernel *kernel; /* in the module's order */
    void *state;
};

/* Build a module unless it was built before; it lasts as long as the runtime. Returns null on failure. Thread-safe. */
KST_SHARED const struct gpu_built *kst_gpu_runtime_build(
    struct gpu_runtime *runtime, const struct gpu_module *module, struct gpu_error *error);

/* End and release all modules of a list. The runtime calls this. */
void kst_gpu_modules_release(struct gpu *gpu, struct gpu_built **list);

/* Queue the launch of a module's kernel, which is named by its index in the module. */
KST_SHARED void kst_gpu_launch(struct gpu_queue *queue, const struct gpu_built *built, uint32_t kernel, uint32_t groups,
    const struct gpu_argument *arguments, uint32_t count);

/*
 * Queue the launch of a kernel whose arguments are buffers of an array: GPU_BUFFERS(A, B) selects the buffers at the
 * indices A and B.
 */
void kst_gpu_launch_buffers(struct gpu_queue *queue, const struct gpu_built *built, uint32_t kernel, uint32_t groups,
    const struct gpu_buffer *buffer, const uint32_t *which, uint32_t count);

#define GPU_BUFFERS(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

#endif
