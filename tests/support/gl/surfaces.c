/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes textures, buffers and framebuffers of OpenGL, and reads them back. */
#include "support/gl/surfaces.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/context.h"
#include "support/test.h"

kst_context *device_context[MOST_BENCHES];
uint32_t device_contexts;

const struct texture_format texture_format[TEXTURE_FORMATS] = {
    {"R8", GL_R8, GL_RED, KST_FORMAT_GREY, true},
    {"RGB8", GL_RGB8, GL_RGB, KST_FORMAT_RGB, true},
    {"RGBA8", GL_RGBA8, GL_RGBA, KST_FORMAT_RGBA, true},
    {"SRGB8", GL_SRGB8, GL_RGB, KST_FORMAT_RGB, false},
    {"SRGB8_ALPHA8", GL_SRGB8_ALPHA8, GL_RGBA, KST_FORMAT_RGBA, true},
};

int start_surfaces(void **state)
{
    start_worlds(state);
    for (uint32_t i = 0; i < kst_device_count() && i < MOST_BENCHES; i++) {
        kst_device_info info = {.size = sizeof info};
        assert_int_equal(kst_device_get(i, &info), KST_OK);
        device_context[device_contexts++] = context_create(info.name, 2, NULL);
    }
    for (uint32_t c = 0; c < device_contexts; c++)
        for (uint32_t i = 0; i < worlds; i++) {
            kst_device_info info = {.size = sizeof info};
            assert_int_equal(kst_context_device(device_context[c], &info), KST_OK);
            if (can_share(device_context[c], &world[i]))
                printf("%s shares with %s\n", info.name, world[i].name);
        }
    return 0;
}

int stop_surfaces(void **state)
{
    while (device_contexts > 0)
        kst_context_destroy(&device_context[--device_contexts]);
    return stop_worlds(state);
}

kst_gl *bind_context(kst_context *c, const struct world *w, kst_gl_sharing sharing)
{
    kst_gl_options options;
    kst_report report;
    kst_gl *gl;
    kst_gl_options_init(&options);
    kst_report_init(&report);
    options.load = load_gl;
    options.sharing = sharing;
    enter_world(w);
    if (kst_gl_create(c, &options, &gl, &report))
        fail_msg("%s: %s", w->name, report.message);
    return gl;
}

bool can_share(kst_context *c, const struct world *w)
{
    kst_gl_options options;
    kst_gl *gl;
    kst_gl_options_init(&options);
    options.load = load_gl;
    options.sharing = KST_GL_SHARING_REQUIRED;
    enter_world(w);
    kst_status status = kst_gl_create(c, &options, &gl, NULL);
    kst_gl_destroy(&gl);
    if (status)
        assert_int_equal(status, KST_ERROR_GL_DEVICE);
    return !status;
}

kst_buffer make_jpeg(uint32_t width, uint32_t height, bool grey, const kst_encode_options *options)
{
    uint32_t random = width * 77 + height;
    size_t length = (size_t)width * height * (grey ? 1 : 3);
    uint8_t *pixels = malloc(length);
    kst_buffer buffer = {.data = NULL};
    kst_image image;
    assert_non_null(pixels);
    for (size_t i = 0; i < length; i++) {
        random = random * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(i / 50 + (random >> 27));
    }
    kst_format format = grey ? KST_FORMAT_GREY : KST_FORMAT_RGB;
    assert_int_equal(kst_image_wrap(&image, format, width, height, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(device_context[0], &image, options, &buffer, NULL), KST_OK);
    free(pixels);
    return buffer;
}

static void store_tightly(const struct world *w, bool unpack)
{
    w->gl.store(unpack ? GL_UNPACK_ALIGNMENT : GL_PACK_ALIGNMENT, 1);
}

static void store_as_usual(const struct world *w)
{
    w->gl.store(GL_UNPACK_ALIGNMENT, 4);
    w->gl.store(GL_PACK_ALIGNMENT, 4);
}

unsigned make_texture(
    const struct world *w, const struct texture_format *format, uint32_t width, uint32_t height, const void *pixels)
{
    enum { MIN_FILTER = 0x2801, NEAREST = 0x2600 };
    unsigned name = 0;
    size_t length = (size_t)width * height * kst_format_channels(format->pixels);
    uint8_t *poison = malloc(length);
    memset(poison, 0xA5, length);
    w->more.textures_make(1, &name);
    w->gl.bind_texture(GL_TEXTURE_2D, name);
    store_tightly(w, true);
    w->more.texture_image(GL_TEXTURE_2D, 0, format->internal, (int)width, (int)height, 0, format->format,
        GL_UNSIGNED_BYTE, pixels ? pixels : poison);
    w->more.texture_parameter(GL_TEXTURE_2D, MIN_FILTER, NEAREST);
    store_as_usual(w);
    w->gl.bind_texture(GL_TEXTURE_2D, 0);
    free(poison);
    expect_no_gl_error(w);
    return name;
}

void delete_texture(const struct world *w, unsigned name)
{
    w->more.textures_delete(1, &name);
}

unsigned make_framebuffer(const struct world *w, unsigned texture)
{
    unsigned name = 0;
    w->gl.framebuffers_make(1, &name);
    w->gl.bind_framebuffer(GL_READ_FRAMEBUFFER, name);
    w->gl.framebuffer_texture(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    assert_int_equal(w->gl.framebuffer_check(GL_READ_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    w->gl.bind_framebuffer(GL_READ_FRAMEBUFFER, 0);
    return name;
}

void delete_framebuffer(const struct world *w, unsigned name)
{
    w->gl.framebuffers_delete(1, &name);
}

/* Read the pixels of a texture through a framebuffer. OpenGL ES returns four channels, whatever the texture has. */
static uint8_t *read_by_framebuffer(
    const struct world *w, unsigned name, uint32_t channels, uint32_t width, uint32_t height)
{
    uint8_t *all = malloc((size_t)width * height * 4);
    unsigned framebuffer = make_framebuffer(w, name);
    w->gl.bind_framebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    w->gl.read(0, 0, (int)width, (int)height, GL_RGBA, GL_UNSIGNED_BYTE, all);
    w->gl.bind_framebuffer(GL_READ_FRAMEBUFFER, 0);
    delete_framebuffer(w, framebuffer);
    for (size_t i = 0; i < (size_t)width * height; i++)
        memmove(all + i * channels, all + i * 4, channels);
    return all;
}

uint8_t *read_texture(
    const struct world *w, unsigned name, const struct texture_format *format, uint32_t width, uint32_t height)
{
    uint32_t channels = kst_format_channels(format->pixels);
    uint8_t *pixels;
    if (w->gl.es) {
        pixels = read_by_framebuffer(w, name, channels, width, height);
    } else {
        pixels = malloc((size_t)width * height * channels);
        store_tightly(w, false);
        w->gl.bind_texture(GL_TEXTURE_2D, name);
        w->gl.texture_read(GL_TEXTURE_2D, 0, format->format, GL_UNSIGNED_BYTE, pixels);
        w->gl.bind_texture(GL_TEXTURE_2D, 0);
        store_as_usual(w);
    }
    expect_no_gl_error(w);
    return pixels;
}

unsigned make_buffer(const struct world *w, size_t length, const void *bytes)
{
    unsigned name = 0;
    w->gl.buffers_make(1, &name);
    w->gl.bind_buffer(GL_PIXEL_UNPACK_BUFFER, name);
    w->gl.buffer_data(GL_PIXEL_UNPACK_BUFFER, (intptr_t)length, bytes, GL_STREAM_DRAW);
    w->gl.bind_buffer(GL_PIXEL_UNPACK_BUFFER, 0);
    expect_no_gl_error(w);
    return name;
}

void delete_buffer(const struct world *w, unsigned name)
{
    w->gl.buffers_delete(1, &name);
}

uint8_t *read_buffer(const struct world *w, unsigned name, size_t length)
{
    uint8_t *bytes = malloc(length);
    w->gl.bind_buffer(GL_PIXEL_UNPACK_BUFFER, name);
    void *memory = w->gl.map(GL_PIXEL_UNPACK_BUFFER, 0, (intptr_t)length, GL_MAP_READ_BIT);
    assert_non_null(memory);
    memcpy(bytes, memory, length);
    assert_true(w->gl.unmap(GL_PIXEL_UNPACK_BUFFER));
    w->gl.bind_buffer(GL_PIXEL_UNPACK_BUFFER, 0);
    return bytes;
}

void expect_no_gl_error(const struct world *w)
{
    unsigned error = kst_gl_clear_errors(&w->gl);
    if (error != GL_NO_ERROR)
        fail_msg("%s: %s", w->name, kst_gl_error_name(error));
}
