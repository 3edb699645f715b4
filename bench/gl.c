/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the time from compressed bytes in host memory to a texture that is ready to be drawn (glFinish), and prints
 * a table in milliseconds: on the context's device, through the host, with nvJPEG and a copy, with libjpeg-turbo and
 * glTexSubImage2D, and the upload of raw pixels alone.
 *
 *     kostka-gl PICTURE.jpg [DEVICE [LARGEST SIDE]]
 */
#include <dlfcn.h>
#include <kostka/kostka_device.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../examples/files.h"
#include "../examples/headless.h"
#include "gl_nvjpeg.h"

enum { TEXTURE_2D = 0x0DE1, RGB = 0x1907, RGBA = 0x1908, RGBA8 = 0x8058, BYTES = 0x1401, VERSION = 0x1F02 };
enum { UNPACK_BUFFER = 0x88EC, DYNAMIC_COPY = 0x88EA, MOST = 8192, TIMES = 15, TURBO_RGBA = 7 };

enum column { SHARED, PINNED, MAPPED, NVJPEG, TURBO, UPLOAD, COLUMNS };

static const char *const names[] = {"glGenTextures", "glDeleteTextures", "glBindTexture", "glTexImage2D",
    "glTexSubImage2D", "glFinish", "glGetString", "glGenBuffers", "glDeleteBuffers", "glBindBuffer", "glBufferData"};

static struct {
    void (*make_textures)(int count, unsigned *names);
    void (*delete_textures)(int count, const unsigned *names);
    void (*bind)(unsigned target, unsigned name);
    void (*store)(unsigned target, int level, int internal, int width, int height, int border, unsigned format,
        unsigned type, const void *pixels);
    void (*write)(unsigned target, int level, int x, int y, int width, int height, unsigned format, unsigned type,
        const void *pixels);
    void (*finish)(void);
    const char *(*string)(unsigned name);
    void (*make_buffers)(int count, unsigned *names);
    void (*delete_buffers)(int count, const unsigned *names);
    void (*bind_buffer)(unsigned target, unsigned name);
    void (*fill_buffer)(unsigned target, intptr_t length, const void *data, unsigned use);
} gl;

static const char *const turbo_names[] = {"tjInitDecompress", "tjDecompress2"};

static struct {
    void *(*make)(void);
    int (*decode)(void *handle, const unsigned char *data, unsigned long length, unsigned char *pixels, int width,
        int pitch, int height, int format, int flags);
    void *handle; /* null: the library is not installed */
} turbo;

struct run {
    kst_context *context;
    kst_gl *shared, *mapped; /* `shared` uses the device if it can share memory, `mapped` always the host */
    uint8_t *pixels;         /* RGBA, side × side */
    kst_buffer coded;
    void *pinned;             /* a copy of the coded bytes in pinned memory */
    unsigned texture, buffer; /* `buffer` holds RGB, for nvJPEG */
    int side;
    bool nvjpeg, bound; /* nvJPEG is installed; `buffer` is registered with it */
};

static void load_turbo(void)
{
    void *library = dlopen("libturbojpeg.so.0", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < 2; i++) {
        void *function = library ? dlsym(library, turbo_names[i]) : NULL;
        if (!function)
            return;
        memcpy((char *)&turbo + i * sizeof function, &function, sizeof function);
    }
    turbo.handle = turbo.make();
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static kst_gl_way decode(const struct run *run, kst_gl *bound, const void *data)
{
    kst_gl_surface surface;
    kst_report report;
    kst_gl_way way;
    kst_gl_surface_init(&surface);
    kst_report_init(&report);
    surface.kind = KST_GL_TEXTURE;
    surface.name = run->texture;
    if (kst_gl_decode(bound, data, run->coded.length, NULL, &surface, &way, &report))
        fprintf(stderr, "kostka-gl: %s\n", report.message);
    return way;
}

static void upload(const struct run *run)
{
    gl.write(TEXTURE_2D, 0, 0, 0, run->side, run->side, RGBA, BYTES, run->pixels);
}

static void decode_with_nvjpeg(const struct run *run)
{
    if (!nvjpeg_decode(run->coded.data, run->coded.length, run->side))
        fprintf(stderr, "kostka-gl: nvJPEG failed\n");
    gl.bind_buffer(UNPACK_BUFFER, run->buffer);
    gl.write(TEXTURE_2D, 0, 0, 0, run->side, run->side, RGB, BYTES, NULL);
    gl.bind_buffer(UNPACK_BUFFER, 0);
}

static void decode_with_turbo(const struct run *run)
{
    turbo.decode(turbo.handle, run->coded.data, (unsigned long)run->coded.length, run->pixels, run->side, 0, run->side,
        TURBO_RGBA, 0);
    upload(run);
}

static bool is_there(const struct run *run, enum column column)
{
    return column == NVJPEG ? run->bound : column != TURBO || turbo.handle;
}

static void once(const struct run *run, enum column column)
{
    if (column == SHARED)
        decode(run, run->shared, run->coded.data);
    else if (column == PINNED)
        decode(run, run->shared, run->pinned);
    else if (column == MAPPED)
        decode(run, run->mapped, run->coded.data);
    else if (column == NVJPEG)
        decode_with_nvjpeg(run);
    else if (column == TURBO)
        decode_with_turbo(run);
    else
        upload(run);
    gl.finish();
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Measure each column once, in milliseconds. Returns their sum. */
static double turn(const struct run *run, double times[COLUMNS])
{
    double sum = 0;
    for (enum column column = 0; column < COLUMNS; column++) {
        double start = now();
        if (is_there(run, column))
            once(run, column);
        times[column] = now() - start;
        sum += times[column];
    }
    return sum;
}

/*
 * Measure the medians of TIMES turns, after two to warm up, or of a third as many turns if one takes more than a
 * second.
 */
static void measure(const struct run *run, double median[COLUMNS])
{
    double times[TIMES][COLUMNS], column[TIMES];
    turn(run, times[0]);
    int count = turn(run, times[0]) > 1000 ? TIMES / 3 : TIMES;
    for (int i = 0; i < count; i++)
        turn(run, times[i]);
    for (int c = 0; c < COLUMNS; c++) {
        for (int i = 0; i < count; i++)
            column[i] = times[i][c];
        qsort(column, (size_t)count, sizeof column[0], compare);
        median[c] = column[count / 2];
    }
}

/* Fill the pixels with the picture and its mirror images, next to each other. */
static void fill(const struct run *run, const kst_image *picture)
{
    for (uint32_t y = 0; y < (uint32_t)run->side; y++)
        for (uint32_t x = 0; x < (uint32_t)run->side; x++) {
            uint32_t u = x % (2 * picture->width), v = y % (2 * picture->height);
            u = u < picture->width ? u : 2 * picture->width - 1 - u;
            v = v < picture->height ? v : 2 * picture->height - 1 - v;
            memcpy(run->pixels + ((size_t)y * (size_t)run->side + x) * 4,
                (const uint8_t *)picture->plane[0].data + (ptrdiff_t)v * picture->plane[0].pitch + (size_t)u * 4, 4);
        }
}

static void make_objects(struct run *run)
{
    gl.make_textures(1, &run->texture);
    gl.bind(TEXTURE_2D, run->texture);
    gl.store(TEXTURE_2D, 0, RGBA8, run->side, run->side, 0, RGBA, BYTES, NULL);
    gl.make_buffers(1, &run->buffer);
    gl.bind_buffer(UNPACK_BUFFER, run->buffer);
    gl.fill_buffer(UNPACK_BUFFER, (intptr_t)run->side * run->side * 3, NULL, DYNAMIC_COPY);
    gl.bind_buffer(UNPACK_BUFFER, 0);
    run->bound = run->nvjpeg && nvjpeg_bind(run->buffer);
}

static void delete_objects(struct run *run)
{
    nvjpeg_unbind();
    gl.delete_buffers(1, &run->buffer);
    gl.delete_textures(1, &run->texture);
}

static void code_picture(struct run *run, const kst_image *picture, kst_subsampling subsampling)
{
    kst_encode_options options;
    kst_image image;
    kst_encode_options_init(&options);
    options.quality = 90;
    options.subsampling = subsampling;
    run->coded = (kst_buffer){.data = NULL};
    fill(run, picture);
    kst_image_wrap(&image, KST_FORMAT_RGBA, (uint32_t)run->side, (uint32_t)run->side, run->pixels, 0);
    if (kst_encode(run->context, &image, &options, &run->coded, NULL) ||
        kst_pinned_allocate(run->context, run->coded.length, &run->pinned))
        exit(1);
    memcpy(run->pinned, run->coded.data, run->coded.length);
}

static void measure_size(struct run *run, const kst_image *picture, kst_subsampling subsampling)
{
    double median[COLUMNS];
    code_picture(run, picture, subsampling);
    make_objects(run);
    printf("| %d², 4:%s | %.2f |", run->side, subsampling == KST_SUBSAMPLING_444 ? "4:4" : "2:0",
        (double)run->coded.length * 1e-6);
    measure(run, median);
    for (enum column column = 0; column < COLUMNS; column++)
        if (is_there(run, column))
            printf(" %.3f |", median[column]);
        else
            printf(" – |");
    printf(" %d, %d |\n", decode(run, run->shared, run->coded.data), decode(run, run->mapped, run->coded.data));
    fflush(stdout);
    delete_objects(run);
    kst_pinned_release(run->context, run->pinned);
    kst_buffer_release(run->context, &run->coded);
}

/* Create the contexts, and decode the picture of which the measured ones are made. */
static bool start(struct run *run, const char *device, const uint8_t *data, size_t length, kst_image *picture)
{
    kst_context_options options;
    kst_decode_options rgba;
    kst_gl_options off = {.size = sizeof off, .load = headless_load, .sharing = KST_GL_SHARING_OFF};
    kst_context_options_init(&options);
    kst_decode_options_init(&rgba);
    rgba.format = KST_FORMAT_RGBA;
    options.device = device;
    return headless_start() && headless_find(names, sizeof names / sizeof names[0], &gl) &&
           !kst_context_create(&options, &run->context) && (run->shared = headless_bind(run->context)) &&
           !kst_gl_create(run->context, &off, &run->mapped, NULL) &&
           !kst_decode(run->context, data, length, &rgba, picture, NULL);
}

static void measure_sizes(struct run *run, const kst_image *picture, int largest)
{
    printf("OpenGL %s\n\n| texture | MB | Kostka | bytes pinned | by way of the host | nvJPEG, copy | "
           "libjpeg-turbo, upload | upload alone | ways |\n|---|---|---|---|---|---|---|---|---|\n",
        gl.string(VERSION));
    for (run->side = 512; run->side <= largest; run->side *= 2) {
        measure_size(run, picture, KST_SUBSAMPLING_420);
        measure_size(run, picture, KST_SUBSAMPLING_444);
    }
}

int main(int argc, char **argv)
{
    size_t length = 0;
    struct run run = {.pixels = malloc((size_t)MOST * MOST * 4)};
    uint8_t *data = argc > 1 ? file_read(argv[1], &length) : NULL;
    kst_image picture;
    kst_image_init(&picture);
    bool fine = data && run.pixels && start(&run, argc > 2 ? argv[2] : NULL, data, length, &picture);
    load_turbo();
    run.nvjpeg = fine && nvjpeg_start();
    int largest = argc > 3 ? (int)strtol(argv[3], NULL, 10) : MOST;
    if (fine)
        measure_sizes(&run, &picture, largest < MOST ? largest : MOST);
    else
        fprintf(
            stderr, "usage: kostka-gl PICTURE.jpg [DEVICE [LARGEST SIDE]], where there is OpenGL without a window\n");
    kst_gl_destroy(&run.mapped);
    kst_gl_destroy(&run.shared);
    kst_image_release(run.context, &picture);
    kst_context_destroy(&run.context);
    free(run.pixels);
    free(data);
    return fine ? 0 : 1;
}
