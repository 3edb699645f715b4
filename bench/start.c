/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures what a process pays before a GPU works for it, step by step, for docs/performance/sequences.md:
 *
 *     kostka-start [DEVICE]
 *
 * First the driver's own steps, then contexts, the first calls of each codec, pinned memory in pieces as frames have
 * them, and the ends. Prints a line for each step, with milliseconds of wall-clock time.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <kostka/kostka.h>
#include <kostka/kostka_device.h>
#include <kostka/kostka_j2k.h>

enum { SIDE = 256, PIECES_MOST = 64, HUGE_PAGE = 1 << 21 };

static double began;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void begin(void)
{
    began = now();
}

static void step(const char *name, bool good)
{
    printf("%8.2f ms  %s%s\n", now() - began, name, good ? "" : ": failed");
    begin();
}

/* Find a function of the driver that takes numbers and pointers; null if it is missing. */
static int (*find(const char *library, const char *name))(uintptr_t a, uintptr_t b, uintptr_t c)
{
    int (*function)(uintptr_t, uintptr_t, uintptr_t) = NULL;
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *symbol = handle ? dlsym(handle, name) : NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

static int call(const char *name, uintptr_t a, uintptr_t b, uintptr_t c)
{
    int (*function)(uintptr_t, uintptr_t, uintptr_t) = find("libcuda.so.1", name);
    return function ? function(a, b, c) : -1;
}

static void measure_driver(void)
{
    void *context = NULL;
    int count = 0;
    begin();
    bool good = call("cuInit", 0, 0, 0) == 0;
    step("the driver is loaded, cuInit", good);
    if (!good)
        return;
    good = call("cuDeviceGetCount", (uintptr_t)&count, 0, 0) == 0;
    step("cuDeviceGetCount", good);
    good = call("cuDevicePrimaryCtxRetain", (uintptr_t)&context, 0, 0) == 0;
    step("cuDevicePrimaryCtxRetain, the first time", good);
    good = call("cuCtxSetCurrent", (uintptr_t)context, 0, 0) == 0;
    step("cuCtxSetCurrent", good);
}

static kst_context *open_context(const char *device, const char *name)
{
    kst_context_options options;
    kst_context *context = NULL;
    kst_context_options_init(&options);
    options.device = device;
    begin();
    step(name, !kst_context_create(&options, &context));
    return context;
}

/* Encode and decode a picture twice each: the first call loads programs and allocates. */
static void measure_codec(kst_context *context, kst_codec codec, const kst_j2k_options *j2k, const char *name)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    char text[64];
    kst_encode_options options;
    kst_image image;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i >> 7);
    kst_image_init(&image);
    image.format = KST_FORMAT_RGB;
    image.width = image.height = SIDE;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.data = pixels, .pitch = SIDE * 3, .width = SIDE, .height = SIDE};
    kst_encode_options_init(&options);
    options.codec = codec;
    options.jpeg2000 = j2k;
    for (int i = 0; i < 2; i++) {
        kst_buffer stream = {.data = NULL};
        kst_image back;
        kst_image_init(&back);
        begin();
        bool good = !kst_encode(context, &image, &options, &stream, NULL);
        snprintf(text, sizeof text, "%s encoded, call %d", name, i + 1);
        step(text, good);
        good = good && !kst_decode(context, stream.data, stream.length, NULL, &back, NULL);
        snprintf(text, sizeof text, "%s decoded, call %d", name, i + 1);
        step(text, good);
        kst_image_release(context, &back);
        kst_buffer_release(context, &stream);
    }
}

static void measure_pinned(kst_context *context, size_t bytes, int pieces)
{
    void *piece[PIECES_MOST] = {NULL};
    char text[96];
    bool good = true;
    begin();
    for (int i = 0; i < pieces; i++)
        good = !kst_pinned_allocate(context, bytes, &piece[i]) && good;
    snprintf(text, sizeof text, "%d pieces of %.1f MB of pinned memory", pieces, (double)bytes * 1e-6);
    step(text, good);
    for (int i = 0; i < pieces; i++)
        kst_pinned_release(context, piece[i]);
}

/* Measure the same in memory of huge pages that has been touched already, and that the driver then pins. */
static void measure_registered(size_t bytes, int pieces)
{
    size_t length = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *block = aligned_alloc(HUGE_PAGE, length * (size_t)pieces);
    char text[96];
    bool good = block != NULL;
    if (!block)
        return;
    begin();
    madvise(block, length * (size_t)pieces, MADV_HUGEPAGE);
    memset(block, 0, length * (size_t)pieces);
    snprintf(text, sizeof text, "%d pieces of %.1f MB of huge pages touched", pieces, (double)bytes * 1e-6);
    step(text, good);
    for (int i = 0; i < pieces; i++)
        good = call("cuMemHostRegister_v2", (uintptr_t)block + (uintptr_t)i * length, length, 1) == 0 && good;
    step("these registered", good);
    for (int i = 0; i < pieces; i++)
        call("cuMemHostUnregister", (uintptr_t)block + (uintptr_t)i * length, 0, 0);
    step("these unregistered", good);
    free(block);
}

int main(int argc, char **argv)
{
    const char *device = argc > 1 ? argv[1] : "cuda:0";
    kst_j2k_options j2k, ht;
    unsigned platforms = 0;
    bool cuda = strncmp(device, "cuda", 4) == 0;
    if (cuda)
        measure_driver();
    kst_context *context = open_context(device, "a context");
    if (!context)
        return 1;
    kst_context *second = open_context(device, "a second context");
    kst_j2k_options_init(&j2k);
    kst_j2k_options_init(&ht);
    ht.style = KST_J2K_HT;
    measure_codec(context, KST_CODEC_JPEG, NULL, "JPEG");
    measure_codec(context, KST_CODEC_JPEG2000, &j2k, "JPEG 2000");
    measure_codec(context, KST_CODEC_JPEG2000, &ht, "HTJ2K");
    for (int i = 0; i < 2; i++)
        measure_pinned(context, 3110464, 64);
    measure_pinned(second, 132710464, 6);
    if (cuda) {
        measure_registered(3110464, 64);
        measure_registered(132710464, 6);
    }
    begin();
    kst_context_destroy(&second);
    step("the second context destroyed", true);
    kst_context_destroy(&context);
    step("the first context destroyed", true);
    if (cuda)
        step("cuDevicePrimaryCtxRelease, the last time", call("cuDevicePrimaryCtxRelease_v2", 0, 0, 0) == 0);
    int (*count)(uintptr_t, uintptr_t, uintptr_t) = find("libOpenCL.so.1", "clGetPlatformIDs");
    step("OpenCL's drivers are loaded and counted", count && count(0, 0, (uintptr_t)&platforms) == 0);
    return 0;
}
