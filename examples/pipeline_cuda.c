/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes on a GPU, runs its own kernel on the pixels where they are, and encodes them there: only compressed bytes
 * cross the bus. CUDA's driver is loaded at run time, and compiles the kernel from its text.
 *
 *     pipeline_cuda IN.jpg OUT.jpg
 */
#include <dlfcn.h>
#include <kostka/kostka_device.h>
#include <stdio.h>
#include <string.h>

enum { GROUP = 256 };

/* The kernel makes a negative: each thread inverts a byte, and each row of blocks a row of the picture. */
static const char *const source = ".version 7.0\n.target sm_75\n.address_size 64\n"
                                  ".visible .entry negative(.param .u64 pixels, .param .u32 pitch, .param .u32 bytes)\n"
                                  "{\n"
                                  "    .reg .pred %outside;\n"
                                  "    .reg .b16 %value;\n"
                                  "    .reg .b32 %x, %y, %thread, %pitch, %bytes;\n"
                                  "    .reg .b64 %at, %offset, %across;\n"
                                  "    ld.param.u64 %at, [pixels];\n"
                                  "    ld.param.u32 %pitch, [pitch];\n"
                                  "    ld.param.u32 %bytes, [bytes];\n"
                                  "    mov.u32 %thread, %tid.x;\n"
                                  "    mov.u32 %x, %ctaid.x;\n"
                                  "    mov.u32 %y, %ctaid.y;\n"
                                  "    mad.lo.u32 %x, %x, 256, %thread;\n"
                                  "    setp.ge.u32 %outside, %x, %bytes;\n"
                                  "    @%outside bra end;\n"
                                  "    cvta.to.global.u64 %at, %at;\n"
                                  "    mul.wide.u32 %offset, %y, %pitch;\n"
                                  "    cvt.u64.u32 %across, %x;\n"
                                  "    add.u64 %at, %at, %offset;\n"
                                  "    add.u64 %at, %at, %across;\n"
                                  "    ld.global.u8 %value, [%at];\n"
                                  "    xor.b16 %value, %value, 255;\n"
                                  "    st.global.u8 [%at], %value;\n"
                                  "end:\n"
                                  "    ret;\n"
                                  "}\n";

static const char *const names[] = {"cuInit", "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2",
    "cuCtxSetCurrent", "cuModuleLoadData", "cuModuleGetFunction", "cuModuleUnload", "cuStreamCreate",
    "cuStreamDestroy_v2", "cuLaunchKernel"};

static struct {
    int (*init)(unsigned flags);
    int (*device)(int *device, int index);
    int (*retain)(void **context, int device);
    int (*release)(int device);
    int (*use)(void *context);
    int (*load)(void **module, const void *text);
    int (*find)(void **function, void *module, const char *name);
    int (*unload)(void *module);
    int (*make_stream)(void **stream, unsigned flags);
    int (*end_stream)(void *stream);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
        unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra);
} cu;

static struct {
    int device;
    void *context, *module, *kernel, *stream; /* in the primary context, in which Kostka works, too */
} own;

static bool start(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *function = library ? dlsym(library, names[i]) : NULL;
        if (!function)
            return false;
        memcpy((char *)&cu + i * sizeof function, &function, sizeof function);
    }
    return cu.init(0) == 0 && cu.device(&own.device, 0) == 0 && cu.retain(&own.context, own.device) == 0 &&
           cu.use(own.context) == 0 && cu.load(&own.module, source) == 0 &&
           cu.find(&own.kernel, own.module, "negative") == 0 && cu.make_stream(&own.stream, 1) == 0;
}

static void stop(void)
{
    if (own.stream)
        cu.end_stream(own.stream);
    if (own.module)
        cu.unload(own.module);
    if (own.context)
        cu.release(own.device);
}

static bool turn_negative(const kst_image *image)
{
    uint32_t pitch = (uint32_t)image->plane[0].pitch, bytes = 3 * image->width;
    void *pixels = image->plane[0].data, *arguments[] = {&pixels, &pitch, &bytes};
    return cu.launch(own.kernel, (bytes + GROUP - 1) / GROUP, image->height, 1, GROUP, 1, 1, 0, own.stream, arguments,
               NULL) == 0;
}

/* Queue all steps one after the other: nothing waits before the file is finished. */
static bool run(kst_context *context, const void *data, size_t length, kst_buffer *output)
{
    const kst_stream stream = {KST_DEVICE_CUDA, own.stream};
    kst_decode_options rgb;
    kst_image image;
    kst_decode_item item = {.data = data, .length = length, .options = &rgb, .image = &image};
    kst_encode_item file = {.image = &image};
    kst_job *job;
    kst_decode_options_init(&rgb);
    kst_image_init(&image);
    rgb.format = KST_FORMAT_RGB;
    image.memory = KST_MEMORY_CUDA;
    if (kst_decode_submit(context, &item, 1, &stream, &job))
        return false;
    bool queued = image.plane[0].data && turn_negative(&image) && !kst_encode_batch_after(context, &file, 1, &stream);
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
    options.device = "cuda:0";
    bool fine = length > 0 && start() && !kst_context_create(&options, &context) && run(context, data, length, &output);
    FILE *out = fine ? fopen(argv[2], "wb") : NULL;
    fine = out && fwrite(output.data, 1, output.length, out) == output.length && fclose(out) == 0;
    if (!fine)
        fprintf(stderr, "usage: pipeline_cuda IN.jpg OUT.jpg, where there is CUDA\n");
    kst_buffer_release(context, &output);
    kst_context_destroy(&context);
    stop();
    if (in)
        fclose(in);
    return fine ? 0 : 1;
}
