/* SPDX-License-Identifier: BSD-2-Clause */
/* Saves and restores the OpenGL state that moving pixels changes. */
#include "gl/state.h"

static const struct stored {
    unsigned name;
    int wanted;
    bool es; /* OpenGL ES has it too */
} stored[GL_STORED] = {{GL_UNPACK_SWAP_BYTES, 0, false}, {GL_UNPACK_ROW_LENGTH, 0, true},
    {GL_UNPACK_SKIP_ROWS, 0, true}, {GL_UNPACK_SKIP_PIXELS, 0, true}, {GL_UNPACK_SKIP_IMAGES, 0, true},
    {GL_UNPACK_IMAGE_HEIGHT, 0, true}, {GL_UNPACK_ALIGNMENT, 4, true}, {GL_PACK_SWAP_BYTES, 0, false},
    {GL_PACK_ROW_LENGTH, 0, true}, {GL_PACK_SKIP_ROWS, 0, true}, {GL_PACK_SKIP_PIXELS, 0, true},
    {GL_PACK_ALIGNMENT, 4, true}};

void kst_gl_enter(const struct gl_functions *gl, struct gl_state *state)
{
    gl->get(GL_TEXTURE_BINDING_2D, &state->texture);
    gl->get(GL_TEXTURE_BINDING_3D, &state->texture_3d);
    gl->get(GL_PIXEL_PACK_BUFFER_BINDING, &state->pack);
    gl->get(GL_PIXEL_UNPACK_BUFFER_BINDING, &state->unpack);
    gl->get(GL_READ_FRAMEBUFFER_BINDING, &state->framebuffer);
    gl->get(GL_RENDERBUFFER_BINDING, &state->renderbuffer);
    for (int i = 0; i < GL_STORED; i++) {
        if (gl->es && !stored[i].es)
            continue;
        gl->get(stored[i].name, &state->stored[i]);
        gl->store(stored[i].name, stored[i].wanted);
    }
}

void kst_gl_leave(const struct gl_functions *gl, const struct gl_state *state)
{
    gl->bind_texture(GL_TEXTURE_2D, (unsigned)state->texture);
    gl->bind_texture(GL_TEXTURE_3D, (unsigned)state->texture_3d);
    gl->bind_buffer(GL_PIXEL_PACK_BUFFER, (unsigned)state->pack);
    gl->bind_buffer(GL_PIXEL_UNPACK_BUFFER, (unsigned)state->unpack);
    gl->bind_framebuffer(GL_READ_FRAMEBUFFER, (unsigned)state->framebuffer);
    gl->bind_renderbuffer(GL_RENDERBUFFER, (unsigned)state->renderbuffer);
    for (int i = 0; i < GL_STORED; i++)
        if (!gl->es || stored[i].es)
            gl->store(stored[i].name, state->stored[i]);
}
