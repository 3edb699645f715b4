/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs on OpenCL: built from source, or taken from the cache. */
#include <string.h>

#include "gpu/opencl.h"

/* The first line of the build log that says what is wrong. */
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

bool kst_opencl_build(
    struct gpu *gpu, const struct gpu_kernels *kernels, struct gpu_program *out, struct gpu_error *error)
{
    struct opencl *opencl = kst_opencl_of(gpu);
    const char *text = (const char *)kernels->opencl;
    size_t length = (size_t)(kernels->opencl_end - kernels->opencl);
    cl_int result;
    if (!kst_gpu_usable(gpu, error))
        return false;
    cl_program program = opencl->driver.program_create(opencl->context, 1, &text, &length, &result);
    if (!kst_opencl_check(error, opencl, "clCreateProgramWithSource", result))
        return false;
    result = opencl->driver.program_build(program, 1, &opencl->device, "-cl-std=CL1.2", NULL, NULL);
    if (result == 0) {
        out->handle = (uintptr_t)program;
        return true;
    }
    if (result == CL_BUILD_PROGRAM_FAILURE)
        fail_build(opencl, program, kernels->name, error);
    else
        kst_opencl_check(error, opencl, "clBuildProgram", result);
    opencl->driver.program_release(program);
    return false;
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
