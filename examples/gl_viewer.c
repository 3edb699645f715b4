/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows the JPEG files of a folder in a window, each as a texture. Any key shows the next one; Escape quits.
 *
 *     gl_viewer FOLDER
 */
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <dirent.h>
#include <stdio.h>

#include "drawing.h"

enum { LONGEST = 2048 };

static struct drawing gl;
static bool wanted = true; /* show the next picture */

static kst_gl_function load_gl(void *user, const char *name)
{
    return user ? NULL : glfwGetProcAddress(name);
}

static void on_key(GLFWwindow *window, int key, int code, int action, int modifiers)
{
    (void)code, (void)modifiers;
    glfwSetWindowShouldClose(window, key == GLFW_KEY_ESCAPE);
    wanted = wanted || action == GLFW_PRESS;
}

/* Show a file. The texture gets the picture's size, halved until it is suitable for a screen. */
static bool show_file(kst_decoder *decoder, kst_gl *bound, const uint8_t *data, size_t length, kst_gl_surface *surface)
{
    kst_decode_options options;
    kst_image image;
    kst_decode_options_init(&options);
    options.orient = true;
    if (kst_decoder_open(decoder, data, length))
        return false;
    while (!kst_decoder_describe(decoder, &options, &image) && options.reduce < 3 &&
           (image.width > LONGEST || image.height > LONGEST))
        options.reduce++;
    gl.delete_textures(1, &surface->name);
    surface->name = drawing_texture(&gl, image.width, image.height);
    surface->width = image.width;
    surface->height = image.height;
    gl.attach(READ_FRAMEBUFFER, COLOUR_0, TEXTURE_2D, surface->name, 0);
    return !kst_gl_decode(bound, data, length, &options, surface, NULL, NULL);
}

static bool show_next(kst_decoder *decoder, kst_gl *bound, const char *folder, DIR *files, kst_gl_surface *surface)
{
    static uint8_t data[64 << 20]; /* the largest file */
    char path[4096];
    struct dirent *entry = readdir(files);
    if (!entry) {
        rewinddir(files);
        return false;
    }
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t length = fread(data, 1, sizeof data, file);
    fclose(file);
    return length > 0 && show_file(decoder, bound, data, length, surface);
}

static void draw(GLFWwindow *window, const kst_gl_surface *surface)
{
    int width, height;
    glfwGetFramebufferSize(window, &width, &height);
    drawing_show(&gl, surface, width, height);
    glfwSwapBuffers(window);
}

int main(int argc, char **argv)
{
    DIR *files = argc == 2 ? opendir(argv[1]) : NULL;
    if (!files || !glfwInit())
        return fprintf(stderr, "usage: gl_viewer FOLDER\n"), 2;
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    GLFWwindow *window = glfwCreateWindow(1024, 768, "Kostka", NULL, NULL);
    kst_gl_surface surface;
    kst_gl_surface_init(&surface);
    surface.kind = KST_GL_TEXTURE;
    kst_gl_options options = {.size = sizeof options, .load = load_gl};
    kst_context *context = NULL;
    kst_decoder *decoder = NULL;
    kst_gl *bound = NULL;
    glfwMakeContextCurrent(window);
    bool fine = window && drawing_find(&gl, load_gl) && !kst_context_create(NULL, &context) &&
                !kst_decoder_create(context, &decoder) && !kst_gl_create(context, &options, &bound, NULL);
    if (fine) {
        unsigned framebuffer;
        gl.make_framebuffers(1, &framebuffer);
        gl.bind_framebuffer(READ_FRAMEBUFFER, framebuffer);
        glfwSetKeyCallback(window, on_key);
    }
    while (fine && !glfwWindowShouldClose(window)) {
        if (wanted)
            wanted = !show_next(decoder, bound, argv[1], files, &surface);
        if (surface.width > 0)
            draw(window, &surface);
        glfwWaitEventsTimeout(wanted ? 0.001 : 0.1);
    }
    kst_gl_destroy(&bound);
    kst_decoder_destroy(&decoder);
    kst_context_destroy(&context);
    closedir(files);
    glfwTerminate();
    return !fine;
}
