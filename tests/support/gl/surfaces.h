/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts to decode and encode with in each world, pictures, and textures to put them in. */
#ifndef KOSTKA_TESTS_SUPPORT_GL_SURFACES_H
#define KOSTKA_TESTS_SUPPORT_GL_SURFACES_H

#include "support/gl/worlds.h"

enum { MOST_BENCHES = 8 };

/* A context of each device, the CPU's first; each goes into all worlds. */
extern kst_context *device_context[MOST_BENCHES];
extern uint32_t device_contexts;

/* Worlds and contexts. Exits with 77 where there is no OpenGL. */
int start_surfaces(void **state);
int stop_surfaces(void **state);

/* Bind a context to the world, which is entered. */
kst_gl *bind_context(kst_context *c, const struct world *w, kst_gl_sharing sharing);

/* Return whether the context's device and the world's share memory. */
bool can_share(kst_context *c, const struct world *w);

/* Noise on slopes, coded by the CPU; grey or colour. */
kst_buffer make_jpeg(uint32_t width, uint32_t height, bool grey, const kst_encode_options *options);

struct texture_format {
    const char *name;
    int internal;
    unsigned format;
    kst_format pixels;
    bool es; /* OpenGL ES reads it back */
};

enum { TEXTURE_FORMATS = 5 };

extern const struct texture_format texture_format[TEXTURE_FORMATS];

/* With every sample 0xA5, or the pixels given, which have no padding. Deleted by delete_texture(). */
unsigned make_texture(
    const struct world *w, const struct texture_format *format, uint32_t width, uint32_t height, const void *pixels);
void delete_texture(const struct world *w, unsigned name);

/* All of its pixels, without padding; freed by the caller. */
uint8_t *read_texture(
    const struct world *w, unsigned name, const struct texture_format *format, uint32_t width, uint32_t height);

unsigned make_buffer(const struct world *w, size_t length, const void *bytes);
void delete_buffer(const struct world *w, unsigned name);
uint8_t *read_buffer(const struct world *w, unsigned name, size_t length);

/* A framebuffer with a texture in it. */
unsigned make_framebuffer(const struct world *w, unsigned texture);
void delete_framebuffer(const struct world *w, unsigned name);

void expect_no_gl_error(const struct world *w);

#endif
