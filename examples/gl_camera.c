/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows what a camera sees as a cartoon, in a window of OpenGL: frames of MJPEG are decoded and filtered by the same
 * device, and go to a texture.
 *
 *     gl_camera [/dev/video0 [CHAIN]]
 *     ffmpeg -i clip.avi -c copy -f mjpeg - | gl_camera - cartoon
 *     gl_camera - CHAIN SHEET.jpg
 *
 * With a third name there is no window: the last frame's texture is written to that file. A frame that cannot be
 * decoded is left out. Escape quits.
 */
#include <stdlib.h>
#include <string.h>

#ifdef HAS_GLFW
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#endif

#include <kostka/kostka_filter.h>

#include "camera.h"
#include "drawing.h"
#include "files.h"
#include "headless.h"

enum { WIDTH = 1280, HEIGHT = 720 };

static struct drawing gl;

struct show {
    struct camera camera;
    kst_context *context;
    kst_filter *filter;
    kst_memory memory; /* of the device */
    kst_image decoded; /* in that memory */
    kst_image shown;   /* RGBA in the program's memory, from where OpenGL takes it */
    kst_gl_surface surface;
    unsigned frames, left_out;
};

/* Forget images of another size. */
static void forget(struct show *show)
{
    kst_image_release(show->context, &show->decoded);
    kst_image_init(&show->decoded);
    show->decoded.memory = show->memory;
}

/* Make room for what the chain makes of a frame: rows without padding, as OpenGL takes them. */
static bool make_room(struct show *show)
{
    kst_report report;
    kst_report_init(&report);
    free(show->shown.plane[0].data);
    if (kst_filter_describe(show->filter, &show->decoded, &show->shown, &report))
        return fprintf(stderr, "gl_camera: %s\n", report.message), false;
    if (show->shown.format != KST_FORMAT_RGBA || show->shown.plane[0].depth != 8)
        return fprintf(stderr, "gl_camera: the chain must keep four channels of 8 bits\n"), false;
    show->shown.plane[0].data = malloc((size_t)show->shown.plane[0].pitch * show->shown.height);
    return show->shown.plane[0].data != NULL;
}

/* Decode and filter a frame, and bring it to the texture. Images keep their memory while frames keep their size. */
static bool show_frame(struct show *show, const uint8_t *data, size_t length)
{
    kst_decode_options options;
    kst_report report;
    kst_decode_options_init(&options);
    kst_report_init(&report);
    options.format = KST_FORMAT_RGBA;
    if (kst_decode(show->context, data, length, &options, &show->decoded, &report)) {
        forget(show);
        if (kst_decode(show->context, data, length, &options, &show->decoded, &report) || !make_room(show))
            return false;
    } else if (!show->shown.plane[0].data && !make_room(show))
        return false;
    if (kst_filter_run(show->filter, &show->decoded, &show->shown, &report))
        return fprintf(stderr, "gl_camera: %s\n", report.message), false;
    const kst_image *image = &show->shown;
    gl.bind(TEXTURE_2D, show->surface.name);
    gl.store(TEXTURE_2D, 0, RGBA8, (int)image->width, (int)image->height, 0, RGBA, BYTES, image->plane[0].data);
    show->surface.width = image->width;
    show->surface.height = image->height;
    return true;
}

/* Show the next frame. Returns false when there is none. */
static bool next(struct show *show)
{
    const uint8_t *data;
    size_t length;
    if (!camera_next(&show->camera, &data, &length))
        return false;
    bool fine = show_frame(show, data, length);
    show->frames += fine;
    show->left_out += !fine;
    return true;
}

/* Open the camera, a device and the chain; OpenGL is there already. */
static bool begin(struct show *show, const char *name, const char *chain)
{
    kst_context_options options;
    kst_device_info info = {.size = sizeof info};
    kst_report report;
    kst_context_options_init(&options);
    kst_report_init(&report);
    options.device = getenv("KOSTKA_DEVICE");
    if (kst_context_create(&options, &show->context) || kst_context_device(show->context, &info))
        return fprintf(stderr, "gl_camera: no such device\n"), false;
    show->memory = info.kind == KST_DEVICE_CUDA     ? KST_MEMORY_CUDA
                   : info.kind == KST_DEVICE_OPENCL ? KST_MEMORY_OPENCL
                                                    : KST_MEMORY_HOST;
    if (kst_filter_open(show->context, chain, &show->filter, &report))
        return fprintf(stderr, "gl_camera: %s\n", report.message), false;
    kst_gl_surface_init(&show->surface);
    show->surface.kind = KST_GL_TEXTURE;
    show->surface.name = drawing_texture(&gl, 1, 1);
    forget(show);
    return camera_open(&show->camera, name, WIDTH, HEIGHT);
}

static void end(struct show *show)
{
    camera_close(&show->camera);
    if (show->context)
        forget(show);
    free(show->shown.plane[0].data);
    kst_filter_close(&show->filter);
    kst_context_destroy(&show->context);
    fprintf(stderr, "%u frames, %u left out\n", show->frames, show->left_out);
}

/* Show all frames without a window, and write the last one. */
static bool show_unseen(struct show *show, const char *name, const char *chain, const char *path)
{
    kst_buffer coded = {.data = NULL};
    if (!headless_start() || !drawing_find(&gl, headless_load))
        return fprintf(stderr, "gl_camera: no OpenGL without a window\n"), false;
    if (!begin(show, name, chain))
        return false;
    while (next(show)) {
    }
    kst_gl *bound = show->frames > 0 ? headless_bind(show->context) : NULL;
    bool fine = bound && !kst_gl_encode(bound, &show->surface, NULL, &coded, NULL, NULL) && file_write(path, &coded);
    kst_buffer_release(show->context, &coded);
    kst_gl_destroy(&bound);
    return fine;
}

#ifdef HAS_GLFW
static kst_gl_function load_gl(void *user, const char *name)
{
    return user ? NULL : glfwGetProcAddress(name);
}

/* Draw the texture as large as the window, the first row on top. */
static void draw(GLFWwindow *window, const kst_gl_surface *surface)
{
    int width, height, w = (int)surface->width, h = (int)surface->height;
    glfwGetFramebufferSize(window, &width, &height);
    double scale = (double)width / w < (double)height / h ? (double)width / w : (double)height / h;
    int to_w = (int)(w * scale), to_h = (int)(h * scale), x = (width - to_w) / 2, y = (height - to_h) / 2;
    gl.clear(COLOUR_BIT);
    gl.attach(READ_FRAMEBUFFER, COLOUR_0, TEXTURE_2D, surface->name, 0);
    gl.blit(0, 0, w, h, x, y + to_h, x + to_w, y, COLOUR_BIT, LINEAR);
    glfwSwapBuffers(window);
}

static bool show_in_window(struct show *show, const char *name, const char *chain)
{
    unsigned framebuffer;
    if (!glfwInit())
        return fprintf(stderr, "gl_camera: no display\n"), false;
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    GLFWwindow *window = glfwCreateWindow(WIDTH, HEIGHT, "Kostka", NULL, NULL);
    glfwMakeContextCurrent(window);
    bool fine = window && drawing_find(&gl, load_gl) && begin(show, name, chain);
    if (fine) {
        gl.make_framebuffers(1, &framebuffer);
        gl.bind_framebuffer(READ_FRAMEBUFFER, framebuffer);
    }
    while (fine && !glfwWindowShouldClose(window) && glfwGetKey(window, GLFW_KEY_ESCAPE) != GLFW_PRESS && next(show)) {
        if (show->frames > 0)
            draw(window, &show->surface);
        glfwPollEvents();
    }
    return fine;
}
#endif

int main(int argc, char **argv)
{
    static struct show show;
    const char *name = argc > 1 ? argv[1] : "/dev/video0", *chain = argc > 2 ? argv[2] : "cartoon";
    bool fine = false;
    show.camera.device = -1;
    if (argc > 4)
        return fprintf(stderr, "usage: gl_camera [/dev/video0|- [CHAIN [SHEET.jpg]]]\n"), 2;
    if (argc == 4)
        fine = show_unseen(&show, name, chain, argv[3]);
#ifdef HAS_GLFW
    else
        fine = show_in_window(&show, name, chain);
#else
    else
        fprintf(stderr, "gl_camera: was built without GLFW, for a window\n");
#endif
    end(&show);
#ifdef HAS_GLFW
    glfwTerminate();
#endif
    return fine ? 0 : 1;
}
