/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes a texture that a shader has painted. If CUDA shares the device with OpenGL, the pixels never come to the
 * host.
 *
 *     gl_texture_to_jpeg OUT.jpg [SIDE]
 */
#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "headless.h"

enum { TEXTURE_2D = 0x0DE1, RGBA = 0x1908, RGBA8 = 0x8058, BYTES = 0x1401, DRAW_FRAMEBUFFER = 0x8CA9 };
enum { COLOUR_0 = 0x8CE0, VERTEX = 0x8B31, FRAGMENT = 0x8B30, LINKED = 0x8B82, TRIANGLES = 4 };

static const char *const names[] = {"glGenTextures", "glBindTexture", "glTexImage2D", "glGenFramebuffers",
    "glBindFramebuffer", "glFramebufferTexture2D", "glCreateShader", "glShaderSource", "glCompileShader",
    "glCreateProgram", "glAttachShader", "glLinkProgram", "glGetProgramiv", "glUseProgram", "glGenVertexArrays",
    "glBindVertexArray", "glViewport", "glDrawArrays"};

static struct {
    void (*make_textures)(int count, unsigned *names);
    void (*bind)(unsigned target, unsigned name);
    void (*store)(unsigned target, int level, int internal, int width, int height, int border, unsigned format,
        unsigned type, const void *pixels);
    void (*make_framebuffers)(int count, unsigned *names);
    void (*bind_framebuffer)(unsigned target, unsigned name);
    void (*attach)(unsigned target, unsigned attachment, unsigned kind, unsigned name, int level);
    unsigned (*shader)(unsigned kind);
    void (*source)(unsigned shader, int count, const char *const *texts, const int *lengths);
    void (*compile)(unsigned shader);
    unsigned (*program)(void);
    void (*add)(unsigned program, unsigned shader);
    void (*link)(unsigned program);
    void (*get_program)(unsigned program, unsigned what, int *value);
    void (*use)(unsigned program);
    void (*make_arrays)(int count, unsigned *names);
    void (*bind_array)(unsigned name);
    void (*viewport)(int x, int y, int width, int height);
    void (*draw)(unsigned mode, int first, int count);
} gl;

/* The vertex shader draws one triangle that covers everything. */
static const char *const vertex = "#version 330 core\n"
                                  "out vec2 at;\n"
                                  "void main() {\n"
                                  "    at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;\n"
                                  "    gl_Position = vec4(at, 0.0, 1.0);\n"
                                  "}\n";

/* The fragment shader paints a Julia set. */
static const char *const fragment = "#version 330 core\n"
                                    "in vec2 at;\n"
                                    "out vec4 colour;\n"
                                    "void main() {\n"
                                    "    vec2 z = at * 1.5;\n"
                                    "    int i = 0;\n"
                                    "    for (; i < 200 && dot(z, z) < 16.0; i++)\n"
                                    "        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + vec2(-0.79, 0.15);\n"
                                    "    float t = float(i) / 200.0;\n"
                                    "    colour = vec4(sqrt(t), t * t * 0.8, 0.3 + 0.5 * sin(9.0 * t), 1.0);\n"
                                    "}\n";

static bool use_shaders(void)
{
    int linked = 0;
    unsigned program = gl.program();
    const unsigned kinds[2] = {VERTEX, FRAGMENT};
    const char *const texts[2] = {vertex, fragment};
    for (int i = 0; i < 2; i++) {
        unsigned shader = gl.shader(kinds[i]);
        gl.source(shader, 1, &texts[i], NULL);
        gl.compile(shader);
        gl.add(program, shader);
    }
    gl.link(program);
    gl.get_program(program, LINKED, &linked);
    gl.use(program);
    return linked != 0;
}

static unsigned paint(int side)
{
    unsigned texture, framebuffer, array;
    gl.make_textures(1, &texture);
    gl.bind(TEXTURE_2D, texture);
    gl.store(TEXTURE_2D, 0, RGBA8, side, side, 0, RGBA, BYTES, NULL);
    gl.make_framebuffers(1, &framebuffer);
    gl.bind_framebuffer(DRAW_FRAMEBUFFER, framebuffer);
    gl.attach(DRAW_FRAMEBUFFER, COLOUR_0, TEXTURE_2D, texture, 0);
    gl.make_arrays(1, &array);
    gl.bind_array(array);
    gl.viewport(0, 0, side, side);
    gl.draw(TRIANGLES, 0, 3);
    return texture;
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"not", "on the device", "in mapped memory", "copied from mapped memory"};
    long side = argc > 2 ? strtol(argv[2], NULL, 10) : 1024;
    kst_context *context;
    if (argc < 2 || side < 1 || side > 16384) {
        fprintf(stderr, "usage: gl_texture_to_jpeg OUT.jpg [SIDE]\n");
        return 2;
    }
    if (!headless_start() || !headless_find(names, sizeof names / sizeof names[0], &gl) || !use_shaders()) {
        fprintf(stderr, "gl_texture_to_jpeg: no OpenGL without a window\n");
        return 1;
    }
    kst_gl *bound = kst_context_create(NULL, &context) ? NULL : headless_bind(context);
    if (!bound)
        return 1;
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.quality = 90;
    kst_gl_surface surface;
    kst_gl_surface_init(&surface);
    surface.kind = KST_GL_TEXTURE;
    surface.name = paint((int)side);

    kst_buffer coded = {.data = NULL};
    kst_gl_way way;
    kst_report report;
    kst_report_init(&report);
    bool fine = !kst_gl_encode(bound, &surface, &options, &coded, &way, &report);
    if (fine)
        printf("%zu bytes, %s\n", coded.length, ways[way]);
    else
        fprintf(stderr, "gl_texture_to_jpeg: %s\n", report.message);
    fine = fine && file_write(argv[1], &coded);
    kst_buffer_release(context, &coded);
    kst_gl_destroy(&bound);
    kst_context_destroy(&context);
    return fine ? 0 : 1;
}
