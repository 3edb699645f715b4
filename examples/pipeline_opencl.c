/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes on a GPU, runs its own kernel on the pixels where they are, and encodes them there: only compressed bytes
 * cross the bus. OpenCL is loaded at run time; its constants are plain numbers.
 *
 *     pipeline_opencl IN.jpg OUT.jpg
 */
#include <dlfcn.h>
#include <kostka/kostka_device.h>
#include <stdio.h>
#include <string.h>

enum { ALL_DEVICES = -1, GPUS = 4 };

/* The kernel darkens the picture towards its edges. */
static const char *const source =
    "__kernel void shade(__global uchar *pixels, uint offset, uint pitch, uint width, uint height)\n"
    "{\n"
    "    uint x = get_global_id(0), y = get_global_id(1);\n"
    "    float u = 2.0f * x / width - 1.0f, v = 2.0f * y / height - 1.0f, light = 1.0f - 0.4f * (u * u + v * v);\n"
    "    __global uchar *pixel = pixels + offset + y * pitch + 3 * x;\n"
    "    for (uint i = 0; i < 3; i++)\n"
    "        pixel[i] = convert_uchar_sat(pixel[i] * light);\n"
    "}\n";

static const char *const names[] = {"clGetPlatformIDs", "clGetDeviceIDs", "clCreateContext", "clCreateCommandQueue",
    "clCreateProgramWithSource", "clBuildProgram", "clCreateKernel", "clSetKernelArg", "clEnqueueNDRangeKernel",
    "clReleaseKernel", "clReleaseProgram", "clReleaseCommandQueue", "clReleaseContext"};

static struct {
    int (*platforms)(unsigned room, void **platforms, unsigned *count);
    int (*devices)(void *platform, uint64_t type, unsigned room, void **devices, unsigned *count);
    void *(*make_context)(
        const intptr_t *properties, unsigned count, void **devices, void *notify, void *user, int *result);
    void *(*make_queue)(void *context, void *device, uint64_t properties, int *result);
    void *(*make_program)(void *context, unsigned count, const char **texts, const size_t *lengths, int *result);
    int (*build)(void *program, unsigned count, void **devices, const char *options, void *notify, void *user);
    void *(*make_kernel)(void *program, const char *name, int *result);
    int (*set)(void *kernel, unsigned index, size_t length, const void *value);
    int (*launch)(void *queue, void *kernel, unsigned dimensions, const size_t *offset, const size_t *global,
        const size_t *local, unsigned waits, const void *wait, void *event);
    int (*release[4])(void *object); /* a kernel, a program, a queue, a context */
} cl;

static struct {
    void *device, *context, *queue, *program, *kernel;
} own;

/* Find a GPU, or else any device. */
static bool find_device(void)
{
    void *platform[8];
    unsigned count = 0;
    if (cl.platforms(8, platform, &count) != 0)
        return false;
    for (int gpu = 1; gpu >= 0; gpu--)
        for (unsigned i = 0; i < count && i < 8; i++)
            if (cl.devices(platform[i], gpu ? GPUS : (uint32_t)ALL_DEVICES, 1, &own.device, NULL) == 0)
                return true;
    return false;
}

static bool start(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    const char *text = source;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *function = library ? dlsym(library, names[i]) : NULL;
        if (!function)
            return false;
        memcpy((char *)&cl + i * sizeof function, &function, sizeof function);
    }
    return find_device() && (own.context = cl.make_context(NULL, 1, &own.device, NULL, NULL, NULL)) &&
           (own.queue = cl.make_queue(own.context, own.device, 0, NULL)) &&
           (own.program = cl.make_program(own.context, 1, &text, NULL, NULL)) &&
           cl.build(own.program, 1, &own.device, "", NULL, NULL) == 0 &&
           (own.kernel = cl.make_kernel(own.program, "shade", NULL));
}

static bool shade(const kst_image *image)
{
    const uint32_t numbers[] = {
        (uint32_t)image->plane[0].offset, (uint32_t)image->plane[0].pitch, image->width, image->height};
    const size_t size[2] = {image->width, image->height};
    cl.set(own.kernel, 0, sizeof(void *), &image->plane[0].data);
    for (unsigned i = 0; i < 4; i++)
        cl.set(own.kernel, i + 1, sizeof numbers[i], &numbers[i]);
    return cl.launch(own.queue, own.kernel, 2, NULL, size, NULL, 0, NULL, NULL) == 0;
}

/* Queue all steps one after the other: nothing waits before the file is finished. */
static bool run(kst_context *context, const void *data, size_t length, kst_buffer *output)
{
    const kst_stream stream = {KST_DEVICE_OPENCL, own.queue};
    kst_decode_options rgb;
    kst_image image;
    kst_decode_item item = {.data = data, .length = length, .options = &rgb, .image = &image};
    kst_encode_item file = {.image = &image};
    kst_job *job;
    kst_decode_options_init(&rgb);
    kst_image_init(&image);
    rgb.format = KST_FORMAT_RGB;
    image.memory = KST_MEMORY_OPENCL;
    if (kst_decode_submit(context, &item, 1, &stream, &job))
        return false;
    bool queued = image.plane[0].data && shade(&image) && !kst_encode_batch_after(context, &file, 1, &stream);
    bool fine = !kst_job_wait(&job) && queued;
    fprintf(stderr, "%s\n", fine ? file.report.device : item.report.message);
    *output = file.output;
    kst_image_release(context, &image);
    return fine;
}

int main(int argc, char **argv)
{
    static uint8_t data[1 << 26];
    FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL;
    size_t length = in ? fread(data, 1, sizeof data, in) : 0;
    kst_context_options options;
    kst_context *context = NULL;
    kst_buffer output = {.data = NULL};
    kst_context_options_init(&options);
    bool fine = length > 0 && start();
    options.opencl_context = own.context;
    options.opencl_device = own.device;
    fine = fine && !kst_context_create(&options, &context) && run(context, data, length, &output);
    FILE *out = fine ? fopen(argv[2], "wb") : NULL;
    fine = out && fwrite(output.data, 1, output.length, out) == output.length && fclose(out) == 0;
    if (!fine)
        fprintf(stderr, "usage: pipeline_opencl IN.jpg OUT.jpg, where there is OpenCL\n");
    kst_buffer_release(context, &output);
    kst_context_destroy(&context);
    void *const objects[] = {own.kernel, own.program, own.queue, own.context};
    for (int i = 0; i < 4; i++)
        if (objects[i])
            cl.release[i](objects[i]);
    if (in)
        fclose(in);
    return fine ? 0 : 1;
}
