/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_GL_H
#define KOSTKA_GL_H

/**
 * @file
 * Decodes pictures to textures and buffer objects of OpenGL (3.2 or later) and OpenGL ES (3.1 or later), and encodes
 * them from textures, framebuffers and buffer objects; and decodes volumes to textures of three dimensions.
 *
 * No header and no library of OpenGL is needed: the caller passes a function that finds OpenGL's functions (by
 * eglGetProcAddress(), glXGetProcAddress(), glfwGetProcAddress() …), and OpenGL's object names are plain numbers.
 *
 * **Transfers.** If the context works on the CUDA device that OpenGL draws with, pixels move to and from OpenGL on the
 * device. Otherwise the codec works in a mapped pixel buffer object, from and to which OpenGL copies. Each call reports
 * which way it took (kst_gl_way).
 *
 * **Threads.** A kst_gl belongs to the OpenGL context that was current when it was made. Each call on it,
 * kst_gl_destroy() included, must come from a thread in which that context is current. Contexts that share objects need
 * one kst_gl each.
 *
 * **State.** Each call restores all state of OpenGL that it changes: bindings of textures, of pixel buffers and
 * framebuffers, and the pixel storage modes. In OpenGL's compatibility profile the pixel transfer modes must have their
 * default values.
 *
 * **Errors of OpenGL.** A call first asks glGetError(). If there is an error of the caller's, the call does nothing and
 * fails with KST_ERROR_GL_FAILED; the error is cleared, and the report names it. A call's own errors are in its report
 * only: glGetError() does not return them.
 *
 * **Order.** Calls keep OpenGL's own order: what is drawn with a texture after a call shows the picture. If glFinish()
 * is needed, the caller calls it.
 *
 * **Rows.** As with glTexSubImage2D, the picture's first row is OpenGL's first, at the coordinate 0, which is the lower
 * edge of a framebuffer. `flip` reverses the rows.
 */

#include <kostka/kostka.h>
#include <kostka/kostka_volume.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kst_gl kst_gl;

/** The type that a loader returns; it stands for any function of OpenGL. */
typedef void (*kst_gl_function)(void);

/** Returns a function of OpenGL, or of EGL or GLX, by its name; null if there is none. */
typedef kst_gl_function (*kst_gl_loader)(void *user, const char *name);

typedef enum kst_gl_sharing {
    KST_GL_SHARING_AUTO = 0,     /**< on the device if OpenGL uses the same one, otherwise through the host */
    KST_GL_SHARING_REQUIRED = 1, /**< on the device; KST_ERROR_GL_DEVICE if OpenGL uses another one */
    KST_GL_SHARING_OFF = 2       /**< always through the host */
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
 * @param gl receives the binding, which must be destroyed before both contexts. Null on failure
 * @param report null, or with its size set
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_OPTIONS, KST_ERROR_MEMORY, KST_ERROR_GL_CONTEXT (none is current, or it
 *         is too old or lacks a function), KST_ERROR_GL_DEVICE, KST_ERROR_GL_FAILED
 */
KST_API kst_status kst_gl_create(kst_context *context, const kst_gl_options *options, kst_gl **gl, kst_report *report);

/**
 * Destroy a kst_gl and set the pointer to null; null, and a pointer to null, are allowed. If its OpenGL context is not
 * current or no longer exists, its OpenGL objects remain until that context ends.
 */
KST_API void kst_gl_destroy(kst_gl **gl);

typedef enum kst_gl_kind {
    KST_GL_TEXTURE = 1,    /**< level 0 of a GL_TEXTURE_2D */
    KST_GL_BUFFER = 2,     /**< a buffer object of any use */
    KST_GL_FRAMEBUFFER = 3 /**< the contents of its read buffer; only to encode from */
} kst_gl_kind;

/** Describes pixels in an object of OpenGL. */
typedef struct kst_gl_surface {
    size_t size;
    kst_gl_kind kind;
    uint32_t name; /**< of the object; 0 is the default framebuffer, and allowed for framebuffers only */
    bool mipmaps;  /**< when decoding to a texture, make the other levels, too (glGenerateMipmap) */
    bool flip;     /**< the picture's first row is OpenGL's last one; such pixels move through the host */
    /**
     * From a framebuffer, KST_FORMAT_GREY takes red alone, and KST_FORMAT_RGB or AUTO takes red, green and blue. A
     * buffer may have any interleaved format; to decode to it, AUTO stands for the format of the options. For textures
     * it must be AUTO.
     */
    kst_format format;
    uint32_t x;      /**< framebuffers: the first column to take */
    uint32_t y;      /**< framebuffers: the first row to take */
    uint32_t width;  /**< framebuffers, and buffers to encode from: columns to take; otherwise 0, or the picture's */
    uint32_t height; /**< framebuffers, and buffers to encode from: rows to take; otherwise 0, or the picture's */
    size_t offset;   /**< buffers: bytes in front of the first row */
    size_t pitch;    /**< buffers: bytes from row to row; 0: rows without padding */
} kst_gl_surface;

/** Zero everything and set `size`. */
KST_API void kst_gl_surface_init(kst_gl_surface *surface);

/** Says how pixels were moved to or from OpenGL. */
typedef enum kst_gl_way {
    KST_GL_WAY_NONE = 0,   /**< they were not moved */
    KST_GL_WAY_SHARED = 1, /**< in memory that CUDA and OpenGL share */
    KST_GL_WAY_MAPPED = 2, /**< the CPU's codec wrote to a mapped buffer object, or read from it */
    KST_GL_WAY_COPIED =
        3 /**< a device's codec worked elsewhere, and pixels were copied from or to a mapped buffer object */
} kst_gl_way;

/**
 * Decode a picture to a texture or a buffer object. The texture must have the size of the picture after the options
 * have reduced, cut and turned it. Its internal format decides which pixels are decoded:
 *
 * | texture                   | pixels          |
 * |---------------------------|-----------------|
 * | GL_R8                     | KST_FORMAT_GREY |
 * | GL_RGB8, GL_SRGB8         | KST_FORMAT_RGB  |
 * | GL_RGBA8, GL_SRGB8_ALPHA8 | KST_FORMAT_RGBA |
 *
 * GL_RED, GL_RGB and GL_RGBA are allowed if OpenGL chose 8 bits for them. GL_RG8 is not, because no JPEG file holds two
 * channels. Samples are stored in sRGB textures unchanged, because JPEG's samples are sRGB. OpenGL ES does not make
 * mipmaps of GL_SRGB8.
 *
 * @param options null for the defaults; its format is KST_FORMAT_AUTO or the texture's
 * @param way receives how the pixels were moved; may be null
 * @param report null, or with its size set
 * @return KST_OK, perhaps with warnings counted; or the error. These errors come before any work, and leave a texture
 *         as it was: KST_ERROR_GL_CONTEXT (no context is current, a wrong one is, or it is lost), KST_ERROR_GL_OBJECT
 *         (no texture, a texture without storage or not of two dimensions; no buffer, or a mapped one),
 *         KST_ERROR_IMAGE_SIZE, KST_ERROR_IMAGE_FORMAT, KST_ERROR_IMAGE_PITCH, KST_ERROR_IMAGE_BUFFER (too short).
 *         After any other error the contents of a buffer are undefined
 */
KST_API kst_status kst_gl_decode(kst_gl *gl, const void *data, size_t length, const kst_decode_options *options,
    const kst_gl_surface *to, kst_gl_way *way, kst_report *report);

/**
 * Encode a framebuffer, a buffer object, or a texture of a format that kst_gl_decode() lists. Alpha is ignored; sRGB
 * texels are encoded unchanged.
 *
 * A rectangle that reaches outside the framebuffer's texture or renderbuffer is refused with KST_ERROR_IMAGE_SIZE.
 * OpenGL does not tell the size of the default framebuffer, and pixels outside of it are undefined.
 *
 * @param options null for the defaults
 * @param output see kst_buffer; on failure an owned buffer is released
 * @return as for kst_gl_decode(), or as for kst_encode()
 */
KST_API kst_status kst_gl_encode(kst_gl *gl, const kst_gl_surface *from, const kst_encode_options *options,
    kst_buffer *output, kst_gl_way *way, kst_report *report);

/** Describes where a volume goes in level 0 of a GL_TEXTURE_3D. */
typedef struct kst_gl_texture_3d {
    size_t size;
    uint32_t name; /**< of the texture */
    bool mipmaps;  /**< make the other levels, too (glGenerateMipmap) */
    uint32_t x;    /**< where its first sample goes, such as the place of a brick in the texture of a larger volume */
    uint32_t y;
    uint32_t z;
} kst_gl_texture_3d;

/** Zero everything and set `size`. */
KST_API void kst_gl_texture_3d_init(kst_gl_texture_3d *texture);

/**
 * Decode a volume, or a part of one, to a box of a texture, which must lie within it. The x of samples is OpenGL's s,
 * y is t and z is r; what lies outside of the box stays. Samples are stored unchanged: those of 12 bits in GL_R16 are
 * from 0 to 4095 ÷ 65535. The texture's internal format decides which samples are decoded:
 *
 * | texture               | samples                                                                          |
 * |-----------------------|----------------------------------------------------------------------------------|
 * | GL_R8, GL_R8UI        | up to 8 bits without signs                                                       |
 * | GL_R8_SNORM, GL_R8I   | up to 8 bits with signs                                                          |
 * | GL_R16, GL_R16UI      | 9 to 16 bits without signs                                                       |
 * | GL_R16_SNORM, GL_R16I | 9 to 16 bits with signs                                                          |
 * | GL_R32UI, GL_R32I     | 17 to 31 bits, without and with signs                                            |
 * | GL_R32F, GL_R16F      | any, as numbers: (integer × kst_volume_decode_options.scale) + offset; OpenGL rounds to
 * GL_R16F |
 *
 * OpenGL ES has neither GL_R16 nor GL_R16_SNORM, and OpenGL makes no mipmaps of integers (…I and …UI). Samples go by
 * way of a buffer object: on the device if OpenGL takes memory of CUDA's (GL_EXT_memory_object_fd), otherwise mapped.
 *
 * @param options null for the defaults; `sample` follows from the texture
 * @param way receives how the samples were moved; may be null
 * @param report null, or with its size set
 * @return KST_OK, perhaps with warnings counted; or the error, after which the texture is as it was:
 *         KST_ERROR_GL_CONTEXT, KST_ERROR_GL_OBJECT (no texture, one without storage or not of three dimensions),
 *         KST_ERROR_IMAGE_FORMAT (of the texture), KST_ERROR_IMAGE_DEPTH (samples of another type than the texture's),
 *         KST_ERROR_IMAGE_SAMPLE (numbers for a texture of integers), KST_ERROR_IMAGE_SIZE (the box reaches outside),
 *         KST_ERROR_GL_FAILED, or as for kst_decode_volume()
 */
KST_API kst_status kst_gl_decode_volume(kst_gl *gl, const void *data, size_t length,
    const kst_volume_decode_options *options, const kst_gl_texture_3d *to, kst_gl_way *way, kst_report *report);

#ifdef __cplusplus
}
#endif

#endif
