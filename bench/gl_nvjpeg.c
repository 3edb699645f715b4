/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets nvJPEG decode directly to the memory of a buffer object, which spares it a copy, so that OpenGL gets its pixels
 * as soon as possible. The declarations are the project's own, after the headers of CUDA 13, and the same since CUDA
 * 11.
 */
#include "gl_nvjpeg.h"

#include <dlfcn.h>
#include <string.h>

enum { BACKEND_DEFAULT = 0, RGB_INTERLEAVED = 5, NON_BLOCKING = 1, OVERWRITE = 2, CHANNELS = 3 };

struct picture {
    unsigned char *channel[4];
    size_t pitch[4];
};

static const char *const cuda_names[] = {"cuInit", "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
    "cuStreamCreate", "cuGraphicsGLRegisterBuffer", "cuGraphicsUnregisterResource", "cuGraphicsMapResources",
    "cuGraphicsUnmapResources", "cuGraphicsResourceGetMappedPointer_v2"};

static struct {
    int (*init)(unsigned flags);
    int (*device)(int *device, int index);
    int (*retain)(void **context, int device);
    int (*current)(void *context);
    int (*stream)(void **stream, unsigned flags);
    int (*enrol)(void **resource, unsigned buffer, unsigned flags);
    int (*dismiss)(void *resource);
    int (*map)(unsigned count, void **resources, void *stream);
    int (*unmap)(unsigned count, void **resources, void *stream);
    int (*pointer)(unsigned long long *pointer, size_t *length, void *resource);
} cuda;

static const char *const nvjpeg_names[] = {"nvjpegCreateEx", "nvjpegJpegStateCreate", "nvjpegDecode"};

static struct {
    int (*create)(int backend, void *device_allocator, void *pinned_allocator, unsigned flags, void **handle);
    int (*create_state)(void *handle, void **state);
    int (*decode)(void *handle, void *state, const unsigned char *data, size_t length, int format,
        struct picture *picture, void *stream);
} nvjpeg;

static void *handle, *state, *stream, *resource;

static bool load(const char *const *libraries, const char *const *names, size_t count, void *functions)
{
    void *library = NULL;
    for (; *libraries && !library; libraries++)
        library = dlopen(*libraries, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < count; i++) {
        void *function = library ? dlsym(library, names[i]) : NULL;
        if (!function)
            return false;
        memcpy((char *)functions + i * sizeof function, &function, sizeof function);
    }
    return true;
}

bool nvjpeg_start(void)
{
    static const char *const drivers[] = {"libcuda.so.1", NULL};
    static const char *const libraries[] = {"libnvjpeg.so.13", "libnvjpeg.so.12", "libnvjpeg.so.11", "libnvjpeg.so",
        "/usr/local/cuda/lib64/libnvjpeg.so", "/usr/local/cuda/targets/x86_64-linux/lib/libnvjpeg.so", NULL};
    void *context;
    int device;
    return load(drivers, cuda_names, sizeof cuda_names / sizeof cuda_names[0], &cuda) &&
           load(libraries, nvjpeg_names, sizeof nvjpeg_names / sizeof nvjpeg_names[0], &nvjpeg) && cuda.init(0) == 0 &&
           cuda.device(&device, 0) == 0 && cuda.retain(&context, device) == 0 && cuda.current(context) == 0 &&
           cuda.stream(&stream, NON_BLOCKING) == 0 && nvjpeg.create(BACKEND_DEFAULT, NULL, NULL, 0, &handle) == 0 &&
           nvjpeg.create_state(handle, &state) == 0;
}

bool nvjpeg_bind(unsigned buffer)
{
    return cuda.enrol(&resource, buffer, OVERWRITE) == 0;
}

void nvjpeg_unbind(void)
{
    if (resource)
        cuda.dismiss(resource);
    resource = NULL;
}

bool nvjpeg_decode(const uint8_t *data, size_t length, int width)
{
    unsigned long long pointer;
    size_t room;
    if (!resource || cuda.map(1, &resource, stream) != 0)
        return false;
    bool good = cuda.pointer(&pointer, &room, resource) == 0;
    struct picture picture = {.channel = {(unsigned char *)(uintptr_t)pointer}, .pitch = {(size_t)width * CHANNELS}};
    good = good && nvjpeg.decode(handle, state, data, length, RGB_INTERLEAVED, &picture, stream) == 0;
    return cuda.unmap(1, &resource, stream) == 0 && good;
}
