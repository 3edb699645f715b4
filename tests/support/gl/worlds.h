/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes contexts of OpenGL and OpenGL ES without a window, on each of EGL's devices, with libEGL loaded at run time. */
#ifndef KOSTKA_TESTS_SUPPORT_GL_WORLDS_H
#define KOSTKA_TESTS_SUPPORT_GL_WORLDS_H

#include "gl/functions.h"

/* The other functions of OpenGL that the tests need. */
#define TEST_SYMBOLS(X)                                                                                                \
    X(textures_make, "glGenTextures", void, (int count, unsigned *names))                                              \
    X(textures_delete, "glDeleteTextures", void, (int count, const unsigned *names))                                   \
    X(texture_image, "glTexImage2D", void,                                                                             \
        (unsigned target, int level, int internal, int width, int height, int border, unsigned format, unsigned type,  \
            const void *data))                                                                                         \
    X(texture_image_3d, "glTexImage3D", void,                                                                          \
        (unsigned target, int level, int internal, int width, int height, int depth, int border, unsigned format,      \
            unsigned type, const void *data))                                                                          \
    X(framebuffer_layer, "glFramebufferTextureLayer", void,                                                            \
        (unsigned target, unsigned attachment, unsigned name, int level, int layer))                                   \
    X(texture_parameter, "glTexParameteri", void, (unsigned target, unsigned name, int value))                         \
    X(clear_colour, "glClearColor", void, (float red, float green, float blue, float alpha))                           \
    X(clear, "glClear", void, (unsigned mask))                                                                         \
    X(finish, "glFinish", void, (void))                                                                                \
    X(renderbuffers_make, "glGenRenderbuffers", void, (int count, unsigned *names))                                    \
    X(renderbuffers_delete, "glDeleteRenderbuffers", void, (int count, const unsigned *names))                         \
    X(renderbuffer_store, "glRenderbufferStorage", void, (unsigned target, unsigned format, int width, int height))    \
    X(framebuffer_renderbuffer, "glFramebufferRenderbuffer", void,                                                     \
        (unsigned target, unsigned attachment, unsigned kind, unsigned name))

struct world {
    char name[64];
    void *display, *context;
    struct gl_functions gl;
    struct {
        TEST_SYMBOLS(GL_MEMBER)
    } more;
};

enum { MOST_WORLDS = 8 };

extern struct world world[MOST_WORLDS];
extern uint32_t worlds;

/* Make the contexts. The program exits with 77 where there are none. */
int start_worlds(void **state);
int stop_worlds(void **state);

/* Make the world's context current; null: no context is current afterwards. */
void enter_world(const struct world *w);

/* Make another context in the world's display, for tests of misuse; make it current; and destroy it. */
void *add_context(const struct world *w);
void use_context(const struct world *w, void *context);
void end_context(const struct world *w, void *context);

kst_gl_function load_gl(void *user, const char *name);

#endif
