/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares contexts to decode and encode with in each world, pictures, and textures for them. */
#ifndef KOSTKA_TESTS_SUPPORT_GL_SURFACES_H
#define KOSTKA_TESTS_SUPPORT_GL_SURFACES_H

#include "support/gl/worlds.h"

enum { MOST_BENCHES = 8 };

/* A context of each device, the CPU's first. Each of them is bound to all worlds. */
extern kst_context *device_context[MOST_BENCHES];
extern uint32_t device_contexts;

/* Start the worlds and the contexts. The program exits with 77 where there is no OpenGL. */
int start_surfaces(void **state);
int stop_surfaces(void **state);

/* Bind a context to the world, after entering that. */
kst_gl *bind_context(kst_context *c, const struct world *w, kst_gl_sharing sharing);

/* Return whether the context's device and the world's share memory. */
bool can_share(kst_context *c, const struct world *w);

/* Encode noise on slopes, grey or in colour, with the CPU. */
kst_buffer make_jpeg(uint32_t width, uint32_t height, bool grey, const kst_encode_options *options);

struct texture_format {
    const char *name;
    int internal;
    unsigned format;
    kst_format pixels;
    bool es; /* whether OpenGL ES can read it back */
};

enum { TEXTURE_FORMATS = 5 };

extern const struct texture_format texture_format[TEXTURE_FORMATS];

/* Make a texture of these pixels, which have no padding; null: all samples are 0xA5. delete_texture() deletes it. */
unsigned make_texture(
    const struct world *w, const struct texture_format *format, uint32_t width, uint32_t height, const void *pixels);
void delete_texture(const struct world *w, unsigned name);

/* Read all pixels of a texture, without padding. The caller frees them. */
uint8_t *read_texture(
    const struct world *w, unsigned name, const struct texture_format *format, uint32_t width, uint32_t height);

unsigned make_buffer(const struct world *w, size_t length, const void *bytes);
void delete_buffer(const struct world *w, unsigned name);
uint8_t *read_buffer(const struct world *w, unsigned name, size_t length);

/* Make a framebuffer to which a texture is attached. */
unsigned make_framebuffer(const struct world *w, unsigned texture);
void delete_framebuffer(const struct world *w, unsigned name);

void expect_no_gl_error(const struct world *w);

#endif
