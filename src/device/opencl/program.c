/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds programs on OpenCL from source, or loads them from the cache. */
#include <stdio.h>
#include <string.h>

#include "device/cache.h"
#include "device/opencl/opencl.h"

/* Note a failed build, with the first line of the build log that mentions an error. */
static void fail_build(const struct opencl *opencl, cl_program program, const char *name, struct gpu_error *error)
{
    size_t length = 0;
    opencl->driver.program_log(program, opencl->device, CL_BUILD_LOG, 0, NULL, &length);
    char *log = kst_memory_zeroed(opencl->base.memory, length + 1, 1, NULL);
    if (log)
        opencl->driver.program_log(program, opencl->device, CL_BUILD_LOG, length, log, NULL);
    char *line = log ? strstr(log, "error") : NULL;
    while (line && line > log && line[-1] != '\n')
        line--;
    if (line)
        line[strcspn(line, "\n")] = 0;
    kst_gpu_fail(error, &opencl->base, name, line ? line : "CL_BUILD_PROGRAM_FAILURE");
    kst_memory_release(opencl->base.memory, log);
}

/* Holds the options that a program is built with. */
struct options {
    char text[64];
};

static bool takes_nvidia_options(const struct opencl *opencl)
{
    size_t length = 0;
    opencl->driver.device_info(opencl->device, CL_DEVICE_EXTENSIONS, 0, NULL, &length);
    char *extensions = kst_memory_zeroed(opencl->base.memory, length + 1, 1, NULL);
    if (extensions)
        opencl->driver.device_info(opencl->device, CL_DEVICE_EXTENSIONS, length, extensions, NULL);
    bool takes = extensions && strstr(extensions, "cl_nv_compiler_options");
    kst_memory_release(opencl->base.memory, extensions);
    return takes;
}

static struct options options_of(const struct opencl *opencl, const struct gpu_kernels *kernels)
{
    struct options options = {"-cl-std=CL1.2"};
    size_t length = strlen(options.text);
    if (kernels->registers > 0 && takes_nvidia_options(opencl))
        snprintf(options.text + length, sizeof options.text - length, " -cl-nv-maxrregcount=%u",
            (unsigned)kernels->registers);
    return options;
}

static struct gpu_cache_key key_of(
    const struct opencl *opencl, const struct gpu_kernels *kernels, const struct options *options)
{
    static const cl_uint wanted[] = {CL_DEVICE_NAME, CL_DRIVER_VERSION, CL_DEVICE_VERSION};
    struct gpu_cache_key key;
    kst_gpu_cache_key_init(&key);
    kst_gpu_cache_key_add(&key, kernels->opencl, (size_t)(kernels->opencl_end - kernels->opencl));
    kst_gpu_cache_key_add(&key, options->text, strlen(options->text));
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char text[256] = "";
        opencl->driver.device_info(opencl->device, wanted[i], sizeof text - 1, text, NULL);
        kst_gpu_cache_key_add(&key, text, strlen(text));
    }
    return key;
}

/*
 * Return whether the driver has a cache of its own. PoCL compiles each kernel when it is first launched, and caches it.
 * Asked for a program's binary, it would compile all kernels of the program again, for any size of a work-group: 50 s
 * for the kernels that encode JPEG 2000.
 */
static bool keeps_programs(const struct opencl *opencl)
{
    char version[256] = "";
    opencl->driver.device_info(opencl->device, CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
    return strstr(version, "PoCL") || strstr(version, "pocl");
}

/* Load a program from the cache. Returns null if the cache does not have it, or the driver refuses it. */
static cl_program load(struct opencl *opencl, const struct gpu_cache_key *key, const struct options *options)
{
    size_t length;
    cl_int status = 0, result = 0;
    uint8_t *binary = kst_gpu_cache_load(opencl->base.memory, key, &length);
    const uint8_t *data = binary;
    if (!binary)
        return NULL;
    cl_program program =
        opencl->driver.program_load(opencl->context, 1, &opencl->device, &length, &data, &status, &result);
    kst_memory_release(opencl->base.memory, binary);
    if (result == 0 && status == 0 &&
        opencl->driver.program_build(program, 1, &opencl->device, options->text, NULL, NULL) == 0)
        return program;
    if (result == 0 && program)
        opencl->driver.program_release(program);
    return NULL;
}

/*
 * Store a program in the cache. A program is built for all devices of its context, and is stored only if there is a
 * single one.
 */
static void store(struct opencl *opencl, cl_program program, const struct gpu_cache_key *key)
{
    const struct opencl_driver *driver = &opencl->driver;
    cl_uint devices = 0;
    size_t length = 0;
    if (!kst_gpu_cache_is_on() ||
        driver->program_info(program, CL_PROGRAM_DEVICES, sizeof devices, &devices, NULL) != 0 || devices != 1 ||
        driver->program_info(program, CL_PROGRAM_BINARY_LENGTHS, sizeof length, &length, NULL) != 0 || length == 0)
        return;
    uint8_t *binary = kst_memory_array(opencl->base.memory, length, 1, NULL);
    if (binary && driver->program_info(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == 0)
        kst_gpu_cache_store(key, binary, length);
    kst_memory_release(opencl->base.memory, binary);
}

static cl_program compile(
    struct opencl *opencl, const struct gpu_kernels *kernels, const struct options *options, struct gpu_error *error)
{
    const char *text = (const char *)kernels->opencl;
    size_t length = (size_t)(kernels->opencl_end - kernels->opencl);
    cl_int result;
    cl_program program = opencl->driver.program_create(opencl->context, 1, &text, &length, &result);
    if (!kst_opencl_check(error, opencl, "clCreateProgramWithSource", result))
        return NULL;
    result = opencl->driver.program_build(program, 1, &opencl->device, options->text, NULL, NULL);
    if (result == 0)
        return program;
    if (result == CL_BUILD_PROGRAM_FAILURE)
        fail_build(opencl, program, kernels->name, error);
    else
        kst_opencl_check(error, opencl, "clBuildProgram", result);
    opencl->driver.program_release(program);
    return NULL;
}

bool kst_opencl_build(
    struct gpu *gpu, const struct gpu_kernels *kernels, struct gpu_program *out, struct gpu_error *error)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    if (!kst_gpu_usable(gpu, error))
        return false;
    struct options options = options_of(opencl, kernels);
    struct gpu_cache_key key = key_of(opencl, kernels, &options);
    bool keeps = keeps_programs(opencl);
    cl_program program = keeps ? NULL : load(opencl, &key, &options);
    out->cached = program != NULL;
    if (!program) {
        program = compile(opencl, kernels, &options, error);
        if (program && !keeps)
            store(opencl, program, &key);
    }
    out->handle = (uintptr_t)program;
    return program != NULL;
}

void kst_opencl_discard(struct gpu *gpu, struct gpu_program *program)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    if (program->handle && kst_opencl_usable(opencl))
        opencl->driver.program_release((cl_program)program->handle);
    program->handle = 0;
}

bool kst_opencl_find(struct gpu *gpu, const struct gpu_program *program, const char *name, uint32_t group,
    struct gpu_kernel *kernel, struct gpu_error *error)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    cl_int result;
    if (!kst_gpu_usable(gpu, error))
        return false;
    cl_kernel made = opencl->driver.kernel_create((cl_program)program->handle, name, &result);
    *kernel = (struct gpu_kernel){.name = name, .group = group, .handle = (uintptr_t)made};
    return kst_opencl_check(error, opencl, name, result);
}

void kst_opencl_forget(struct gpu *gpu, struct gpu_kernel *kernel)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    if (kernel->handle && kst_opencl_usable(opencl))
        opencl->driver.kernel_release((cl_kernel)kernel->handle);
    kernel->handle = 0;
}
