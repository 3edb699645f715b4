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
#ifdef HAS_GLFW
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#endif

#include "camera.h"
#include "drawing.h"
#include "files.h"
#include "filtered.h"
#include "headless.h"

enum { WIDTH = 1280, HEIGHT = 720 };

static struct drawing gl;

struct show {
    struct camera camera;
    struct filtered filtered;
    kst_gl_surface surface; /* the texture */
    unsigned frames, left_out;
};

/* Decode and filter a frame, and upload it to the texture. */
static bool show_frame(struct show *show, const uint8_t *data, size_t length)
{
    const kst_image *image = &show->filtered.shown;
    if (!filtered_frame(&show->filtered, data, length))
        return false;
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
    kst_gl_surface_init(&show->surface);
    show->surface.kind = KST_GL_TEXTURE;
    show->surface.name = drawing_texture(&gl, 1, 1);
    return filtered_begin(&show->filtered, chain) && camera_open(&show->camera, name, WIDTH, HEIGHT);
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
    kst_gl *bound = show->frames > 0 ? headless_bind(show->filtered.context) : NULL;
    bool fine = bound && !kst_gl_encode(bound, &show->surface, NULL, &coded, NULL, NULL) && file_write(path, &coded);
    kst_buffer_release(show->filtered.context, &coded);
    kst_gl_destroy(&bound);
    return fine;
}

#ifdef HAS_GLFW
static kst_gl_function load_gl(void *user, const char *name)
{
    return user ? NULL : glfwGetProcAddress(name);
}

static void draw(GLFWwindow *window, const kst_gl_surface *surface)
{
    int width, height;
    glfwGetFramebufferSize(window, &width, &height);
    gl.attach(READ_FRAMEBUFFER, COLOUR_0, TEXTURE_2D, surface->name, 0);
    drawing_show(&gl, surface, width, height);
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
    camera_close(&show.camera);
    filtered_end(&show.filtered);
    fprintf(stderr, "%u frames, %u left out\n", show.frames, show.left_out);
#ifdef HAS_GLFW
    glfwTerminate();
#endif
    return fine ? 0 : 1;
}
