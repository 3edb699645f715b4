/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_GL_H
#define KOSTKA_GL_H

/**
 * @file
 * Kostka next to OpenGL (3.2 or later) and OpenGL ES (3.1 or later): pictures decoded to textures and buffer objects,
 * and encoded from textures, framebuffers and buffer objects.
 *
 * No header and no library of OpenGL is needed: the caller hands over a function that finds OpenGL's functions (by
 * eglGetProcAddress(), glXGetProcAddress(), glfwGetProcAddress() …), and OpenGL's names are plain numbers.
 *
 * **Ways.** Where the context works on the CUDA device that OpenGL draws with, pixels come to OpenGL on the device.
 * Otherwise the codec works in a mapped pixel buffer object, from and to which OpenGL copies. Each call says which way
 * it went (kst_gl_way).
 *
 * **Threads.** A kst_gl belongs to the OpenGL context that was current when it was made. Each call on it, the last one
 * too, is made by a thread in which that context is current. Contexts that share objects have one kst_gl each.
 *
 * **State.** All state of OpenGL that a call changes is as before when it returns: bindings of textures, of pixel and
 * framebuffer objects, and how pixels are stored. The pixel transfer of OpenGL's compatibility profile must be as it is
 * by default.
 *
 * **Errors of OpenGL.** A call first looks at glGetError(). Where that has an error of the caller's to tell, the call
 * does nothing and fails with KST_ERROR_GL_FAILED, and the report names that error: it is cleared thereby, not lost. A
 * call's own errors are in its report, and glGetError() knows nothing of them.
 *
 * **Order.** OpenGL's own: what is drawn after a call with a texture shows the picture. glFinish() is the caller's.
 *
 * **Rows.** As with glTexSubImage2D, the picture's first row is OpenGL's first, at the coordinate 0, which is the lower
 * edge of a framebuffer. `flip` turns that around.
 */

#include <kostka/kostka.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kst_gl kst_gl;

/** Any function of OpenGL. */
typedef void (*kst_gl_function)(void);

/** Finds a function of OpenGL, or of EGL or GLX, by its name; null where there is none. */
typedef kst_gl_function (*kst_gl_loader)(void *user, const char *name);

typedef enum kst_gl_sharing {
    KST_GL_SHARING_AUTO = 0,     /**< on the device where it and OpenGL's are the same, otherwise by way of the host */
    KST_GL_SHARING_REQUIRED = 1, /**< where they are not the same: KST_ERROR_GL_DEVICE */
    KST_GL_SHARING_OFF = 2       /**< by way of the host */
} kst_gl_sharing;

typedef struct kst_gl_options {
    size_t size;
    kst_gl_loader load;
    void *user; /**< for `load` */
    kst_gl_sharing sharing;
} kst_gl_options;

/** Set every member to its default; `load` is null. */
KST_API void kst_gl_options_init(kst_gl_options *options);

/**
 * Bind a context to the OpenGL context that is current.
 *
 * @param options must have `load`, of the interface (EGL, GLX …) that made the OpenGL context
 * @param gl      receives it; ended before both contexts. Null on failure
 * @param report  null, or with its size set
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_OPTIONS, KST_ERROR_MEMORY, KST_ERROR_GL_CONTEXT (none is current, or it
 *         is too old or lacks a function), KST_ERROR_GL_DEVICE, KST_ERROR_GL_FAILED
 */
KST_API kst_status kst_gl_create(kst_context *context, const kst_gl_options *options, kst_gl **gl, kst_report *report);

/**
 * End it and set the pointer to null; null, and a pointer to null, are allowed. Where its OpenGL context is not
 * current, or is gone, the objects that it has there are left to the end of that context.
 */
KST_API void kst_gl_destroy(kst_gl **gl);

typedef enum kst_gl_kind {
    KST_GL_TEXTURE = 1,    /**< level 0 of a GL_TEXTURE_2D */
    KST_GL_BUFFER = 2,     /**< a buffer object of any use */
    KST_GL_FRAMEBUFFER = 3 /**< what its read buffer has; to encode from alone */
} kst_gl_kind;

/** Pixels that OpenGL has. */
typedef struct kst_gl_surface {
    size_t size;
    kst_gl_kind kind;
    uint32_t name; /**< of the object; 0: the default framebuffer, nothing else */
    bool mipmaps;  /**< textures decoded to: make the other levels too (glGenerateMipmap) */
    bool flip;     /**< the picture's first row is the last one; goes by way of the host */
    /**
     * Framebuffers: KST_FORMAT_GREY takes red alone, KST_FORMAT_RGB or AUTO all. Buffers: any interleaved format; AUTO,
     * to decode to, as the options say. Textures: AUTO.
     */
    kst_format format;
    uint32_t x;      /**< framebuffers: the first column and row to take */
    uint32_t y;      /**< likewise */
    uint32_t width;  /**< framebuffers and buffers to encode from; else 0, or the picture's size */
    uint32_t height; /**< likewise */
    size_t offset;   /**< buffers: bytes in front of the first row */
    size_t pitch;    /**< buffers: bytes from row to row; 0: rows without padding */
} kst_gl_surface;

/** Zero everything and set `size`. */
KST_API void kst_gl_surface_init(kst_gl_surface *surface);

/** How pixels came to OpenGL, or from it. */
typedef enum kst_gl_way {
    KST_GL_WAY_NONE = 0,   /**< they did not */
    KST_GL_WAY_SHARED = 1, /**< in memory that CUDA and OpenGL share */
    KST_GL_WAY_MAPPED = 2, /**< the CPU's codec wrote to a mapped buffer object, or read from it */
    KST_GL_WAY_COPIED = 3  /**< a device's codec worked elsewhere, and pixels were copied from or to a mapped one */
} kst_gl_way;

/**
 * Decode a picture to a texture or a buffer object. The size, reduced and cut out and turned as the options say, must
 * be the texture's; its internal format decides what is decoded:
 *
 * | texture | pixels |
 * |---|---|
 * | GL_R8 | KST_FORMAT_GREY |
 * | GL_RGB8, GL_SRGB8 | KST_FORMAT_RGB |
 * | GL_RGBA8, GL_SRGB8_ALPHA8 | KST_FORMAT_RGBA |
 *
 * GL_RED, GL_RGB and GL_RGBA stand for those with 8 bits, if that is what they came to be. No JPEG file holds what
 * GL_RG8 is for. Samples go to sRGB textures as they are: that is what JPEG's are. OpenGL ES does not make mipmaps of
 * GL_SRGB8.
 *
 * @param options null for the defaults; its format is KST_FORMAT_AUTO or the texture's
 * @param way     receives the way; may be null
 * @param report  null, or with its size set
 * @return KST_OK, perhaps with warnings counted; or the error. Before any work: KST_ERROR_GL_CONTEXT (none is current,
 *         another is, or it is lost), KST_ERROR_GL_OBJECT (no texture, none of two dimensions, no storage; no buffer,
 * or it is mapped), KST_ERROR_IMAGE_SIZE, KST_ERROR_IMAGE_FORMAT, KST_ERROR_IMAGE_PITCH, KST_ERROR_IMAGE_BUFFER (too
 *         short). Then a texture is as it was. What a buffer holds after a later error is not defined
 */
KST_API kst_status kst_gl_decode(kst_gl *gl, const void *data, size_t length, const kst_decode_options *options,
    const kst_gl_surface *to, kst_gl_way *way, kst_report *report);

/**
 * Encode a texture of one of those formats, a framebuffer or a buffer object. Alpha is ignored; sRGB texels are taken
 * as they are.
 *
 * Rectangles that reach outside a texture or renderbuffer in the framebuffer are refused with KST_ERROR_IMAGE_SIZE; of
 * the default framebuffer OpenGL does not tell the size, and pixels outside are undefined.
 *
 * @param options null for the defaults
 * @param output  see kst_buffer; on failure an owned buffer is released
 * @return as kst_gl_decode(), or as kst_encode()
 */
KST_API kst_status kst_gl_encode(kst_gl *gl, const kst_gl_surface *from, const kst_encode_options *options,
    kst_buffer *output, kst_gl_way *way, kst_report *report);

#ifdef __cplusplus
}
#endif

#endif
