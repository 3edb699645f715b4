/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the part of OpenGL that is used here, from its specifications. The functions are found at run time through
 * the caller's loader.
 */
#ifndef KOSTKA_GL_FUNCTIONS_H
#define KOSTKA_GL_FUNCTIONS_H

#include <kostka/kostka_gl.h>

enum {
    GL_NO_ERROR = 0,
    GL_TEXTURE_2D = 0x0DE1,
    GL_TEXTURE_3D = 0x806F,
    GL_BYTE = 0x1400,
    GL_UNSIGNED_BYTE = 0x1401,
    GL_SHORT = 0x1402,
    GL_UNSIGNED_SHORT = 0x1403,
    GL_INT = 0x1404,
    GL_UNSIGNED_INT = 0x1405,
    GL_FLOAT = 0x1406,
    GL_RED = 0x1903,
    GL_RGB = 0x1907,
    GL_RGBA = 0x1908,
    GL_RED_INTEGER = 0x8D94,
    GL_VERSION = 0x1F02,
    GL_EXTENSIONS = 0x1F03,
    GL_NUM_EXTENSIONS = 0x821D,
    GL_MAJOR_VERSION = 0x821B,
    GL_MINOR_VERSION = 0x821C,
    GL_READ_BUFFER = 0x0C02,
    GL_NONE = 0,
    GL_TEXTURE = 0x1702,
    /* internal formats */
    GL_RGB8 = 0x8051,
    GL_RGBA8 = 0x8058,
    GL_R8 = 0x8229,
    GL_R16 = 0x822A,
    GL_R16F = 0x822D,
    GL_R32F = 0x822E,
    GL_R8I = 0x8231,
    GL_R8UI = 0x8232,
    GL_R16I = 0x8233,
    GL_R16UI = 0x8234,
    GL_R32I = 0x8235,
    GL_R32UI = 0x8236,
    GL_R8_SNORM = 0x8F94,
    GL_R16_SNORM = 0x8F98,
    GL_SRGB8 = 0x8C41,
    GL_SRGB8_ALPHA8 = 0x8C43,
    /* parameters of a level of a texture */
    GL_TEXTURE_WIDTH = 0x1000,
    GL_TEXTURE_HEIGHT = 0x1001,
    GL_TEXTURE_DEPTH = 0x8071,
    GL_TEXTURE_INTERNAL_FORMAT = 0x1003,
    GL_TEXTURE_RED_SIZE = 0x805C,
    /* bindings */
    GL_TEXTURE_BINDING_2D = 0x8069,
    GL_TEXTURE_BINDING_3D = 0x806A,
    GL_PIXEL_PACK_BUFFER = 0x88EB,
    GL_PIXEL_UNPACK_BUFFER = 0x88EC,
    GL_PIXEL_PACK_BUFFER_BINDING = 0x88ED,
    GL_PIXEL_UNPACK_BUFFER_BINDING = 0x88EF,
    GL_READ_FRAMEBUFFER = 0x8CA8,
    GL_READ_FRAMEBUFFER_BINDING = 0x8CAA,
    GL_RENDERBUFFER = 0x8D41,
    GL_RENDERBUFFER_BINDING = 0x8CA7,
    /* pixel storage modes */
    GL_UNPACK_SWAP_BYTES = 0x0CF0,
    GL_UNPACK_ROW_LENGTH = 0x0CF2,
    GL_UNPACK_SKIP_ROWS = 0x0CF3,
    GL_UNPACK_SKIP_PIXELS = 0x0CF4,
    GL_UNPACK_SKIP_IMAGES = 0x806D,
    GL_UNPACK_IMAGE_HEIGHT = 0x806E,
    GL_UNPACK_ALIGNMENT = 0x0CF5,
    GL_PACK_SWAP_BYTES = 0x0D00,
    GL_PACK_ROW_LENGTH = 0x0D02,
    GL_PACK_SKIP_ROWS = 0x0D03,
    GL_PACK_SKIP_PIXELS = 0x0D04,
    GL_PACK_ALIGNMENT = 0x0D05,
    /* buffer objects */
    GL_BUFFER_SIZE = 0x8764,
    GL_BUFFER_MAPPED = 0x88BC,
    GL_STREAM_DRAW = 0x88E0,
    GL_STREAM_READ = 0x88E1,
    GL_DYNAMIC_COPY = 0x88EA,
    GL_MAP_READ_BIT = 1,
    GL_MAP_WRITE_BIT = 2,
    GL_MAP_INVALIDATE_BUFFER_BIT = 8,
    /* framebuffer objects */
    GL_COLOR_ATTACHMENT0 = 0x8CE0,
    GL_FRAMEBUFFER_COMPLETE = 0x8CD5,
    GL_FRAMEBUFFER_UNDEFINED = 0x8219,
    GL_ATTACHMENT_TYPE = 0x8CD0, /* GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE */
    GL_ATTACHMENT_NAME = 0x8CD1,
    GL_ATTACHMENT_LEVEL = 0x8CD2,
    GL_RENDERBUFFER_WIDTH = 0x8D42,
    GL_RENDERBUFFER_HEIGHT = 0x8D43,
    GL_COLOR_READ_FORMAT = 0x8B9B /* GL_IMPLEMENTATION_COLOR_READ_FORMAT */
};

/*
 * The list of functions as X(member, symbol, type of the result, parameters). OpenGL 3.2 and OpenGL ES 3.1 have all of
 * these.
 */
#define GL_SYMBOLS(X)                                                                                                  \
    X(get_error, "glGetError", unsigned, (void))                                                                       \
    X(get_string, "glGetString", const unsigned char *, (unsigned name))                                               \
    X(get_string_at, "glGetStringi", const unsigned char *, (unsigned name, unsigned index))                           \
    X(get, "glGetIntegerv", void, (unsigned name, int *value))                                                         \
    X(is_texture, "glIsTexture", unsigned char, (unsigned name))                                                       \
    X(bind_texture, "glBindTexture", void, (unsigned target, unsigned name))                                           \
    X(get_level, "glGetTexLevelParameteriv", void, (unsigned target, int level, unsigned name, int *value))            \
    X(texture_write, "glTexSubImage2D", void,                                                                          \
        (unsigned target, int level, int x, int y, int width, int height, unsigned format, unsigned type,              \
            const void *data))                                                                                         \
    X(texture_write_3d, "glTexSubImage3D", void,                                                                       \
        (unsigned target, int level, int x, int y, int z, int width, int height, int depth, unsigned format,           \
            unsigned type, const void *data))                                                                          \
    X(make_mipmaps, "glGenerateMipmap", void, (unsigned target))                                                       \
    X(buffers_make, "glGenBuffers", void, (int count, unsigned *names))                                                \
    X(buffers_delete, "glDeleteBuffers", void, (int count, const unsigned *names))                                     \
    X(is_buffer, "glIsBuffer", unsigned char, (unsigned name))                                                         \
    X(bind_buffer, "glBindBuffer", void, (unsigned target, unsigned name))                                             \
    X(buffer_data, "glBufferData", void, (unsigned target, intptr_t length, const void *data, unsigned use))           \
    X(get_buffer, "glGetBufferParameteri64v", void, (unsigned target, unsigned name, int64_t *value))                  \
    X(map, "glMapBufferRange", void *, (unsigned target, intptr_t offset, intptr_t length, unsigned access))           \
    X(unmap, "glUnmapBuffer", unsigned char, (unsigned target))                                                        \
    X(buffer_copy, "glCopyBufferSubData", void,                                                                        \
        (unsigned from, unsigned to, intptr_t from_offset, intptr_t to_offset, intptr_t length))                       \
    X(fence_make, "glFenceSync", void *, (unsigned condition, unsigned flags))                                         \
    X(fence_wait, "glClientWaitSync", unsigned, (void *fence, unsigned flags, uint64_t nanoseconds))                   \
    X(fence_delete, "glDeleteSync", void, (void *fence))                                                               \
    X(store, "glPixelStorei", void, (unsigned name, int value))                                                        \
    X(framebuffers_make, "glGenFramebuffers", void, (int count, unsigned *names))                                      \
    X(framebuffers_delete, "glDeleteFramebuffers", void, (int count, const unsigned *names))                           \
    X(is_framebuffer, "glIsFramebuffer", unsigned char, (unsigned name))                                               \
    X(bind_framebuffer, "glBindFramebuffer", void, (unsigned target, unsigned name))                                   \
    X(framebuffer_texture, "glFramebufferTexture2D", void,                                                             \
        (unsigned target, unsigned attachment, unsigned texture_target, unsigned name, int level))                     \
    X(framebuffer_check, "glCheckFramebufferStatus", unsigned, (unsigned target))                                      \
    X(get_attachment, "glGetFramebufferAttachmentParameteriv", void,                                                   \
        (unsigned target, unsigned attachment, unsigned name, int *value))                                             \
    X(bind_renderbuffer, "glBindRenderbuffer", void, (unsigned target, unsigned name))                                 \
    X(get_renderbuffer, "glGetRenderbufferParameteriv", void, (unsigned target, unsigned name, int *value))            \
    X(read, "glReadPixels", void, (int x, int y, int width, int height, unsigned format, unsigned type, void *data))

#define GL_MEMBER(member, symbol, result, parameters) result(*member) parameters;

struct gl_functions {
    GL_SYMBOLS(GL_MEMBER)
    /* These exist in OpenGL only; they are null in OpenGL ES. */
    void (*texture_read)(unsigned target, int level, unsigned format, unsigned type, void *data);
    /* These exist in OpenGL 4.5 and OpenGL ES 3.2; they are null in earlier versions. */
    unsigned (*reset_status)(void);
    /* These belong to GL_EXT_memory_object_fd; without that extension they are null or of no use. */
    void (*memories_make)(int count, unsigned *names);
    void (*memories_delete)(int count, const unsigned *names);
    void (*memory_import)(unsigned memory, uint64_t length, unsigned kind, int fd);
    void (*memory_to_buffer)(unsigned target, intptr_t length, unsigned memory, uint64_t offset);
    /* Returns the current context, from EGL or GLX; null if the loader knows neither. */
    void *(*current)(void);
    bool es;
    int major, minor;
};

/* Load all functions. KST_ERROR_GL_CONTEXT if no context is current, or the context lacks something. */
kst_status kst_gl_load(struct gl_functions *gl, kst_gl_loader load, void *user, kst_report *report);

/* Return the name of an error without its "GL_"; a static string. */
const char *kst_gl_error_name(unsigned error);

/* Clear all errors that glGetError() has to report. Returns the first of them. */
unsigned kst_gl_clear_errors(const struct gl_functions *gl);

/* Return KST_ERROR_GL_FAILED if OpenGL has an error to report, with `what` and the error's name in the message. */
kst_status kst_gl_check(const struct gl_functions *gl, const char *what, kst_report *report);

#endif
