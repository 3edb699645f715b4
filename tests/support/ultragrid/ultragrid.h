/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the part of UltraGrid's interface for modules that Kostka's modules use, from its documentation, so that
 * they can be compiled and tested without UltraGrid: compression of ABI 14, decompression of ABI 6. Structures have the
 * members that modules use in UltraGrid's order; UltraGrid's own structures are longer.
 */
#ifndef KOSTKA_TESTS_ULTRAGRID_H
#define KOSTKA_TESTS_ULTRAGRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <memory>
#include <string>
#include <vector>
extern "C" {
#endif

#define VIDEO_COMPRESS_ABI_VERSION 14
#define VIDEO_DECOMPRESS_ABI_VERSION 6
#define DECOMPRESS_PROPERTY_ACCEPTS_CORRUPTED_FRAME 1
#define INIT_NOERR ((void *)1)

enum { LOG_LEVEL_ERROR = 2, LOG_LEVEL_WARNING = 3 };

typedef enum {
    VIDEO_CODEC_NONE,
    RGBA,
    UYVY,
    YUYV,
    VUYA,
    R10k,
    R12L,
    v210,
    DVS10,
    DXT1,
    DXT1_YUV,
    DXT5,
    RGB,
    JPEG,
    JPEG_XS,
    RAW,
    H264,
    H265,
    VP8,
    VP9,
    BGR,
    J2K,
    J2KR,
    HW_VDPAU,
    HFYU,
    FFV1,
    CFHD,
    RG48,
    AV1,
    I420
} codec_t;

enum interlacing { PROGRESSIVE };
enum subsampling { SUBS_420 = 4200, SUBS_422 = 4220, SUBS_444 = 4440 };

typedef struct pixfmt_desc {
    int depth;
    int subsampling; /* of enum subsampling, which is its type in UltraGrid since 2026 */
    bool rgb;
} pixfmt_desc;

struct video_desc {
    unsigned width, height;
    codec_t color_spec;
    double fps;
    enum interlacing interlacing;
    unsigned tile_count;
};

struct video_frame;
struct video_frame_callbacks {
    void (*dispose)(struct video_frame *frame);
    void *dispose_udata;
    void (*data_deleter)(struct video_frame *frame);
};

struct tile {
    unsigned width, height;
    char *data;
    unsigned data_len;
};

struct video_frame {
    codec_t color_spec;
    enum interlacing interlacing;
    double fps;
    struct video_frame_callbacks callbacks;
    uint32_t seq;
    unsigned tile_count;
    struct tile tiles[1];
};

struct video_frame *vf_alloc_desc(struct video_desc desc);
void vf_free(struct video_frame *frame);
void vf_data_deleter(struct video_frame *frame);
void vf_copy_metadata(struct video_frame *to, const struct video_frame *from);
struct video_desc video_desc_from_frame(const struct video_frame *frame);

extern unsigned cuda_devices[];
extern unsigned cuda_devices_count;
void log_msg(int level, const char *format, ...);

enum library_class { LIBRARY_CLASS_VIDEO_DECOMPRESS = 7, LIBRARY_CLASS_VIDEO_COMPRESS = 8 };
void register_library(const char *name, const void *info, enum library_class kind, int abi, unsigned flag);

#define REGISTER_MODULE(name, info, kind, abi)                                                                         \
    static void register_##name(void) __attribute__((constructor));                                                    \
    static void register_##name(void)                                                                                  \
    {                                                                                                                  \
        register_library(#name, info, kind, abi, 0);                                                                   \
    }                                                                                                                  \
    struct swallows_semicolon

typedef enum { DECODER_NO_FRAME, DECODER_GOT_FRAME, DECODER_GOT_CODEC, DECODER_UNSUPP_PIXFMT } decompress_status;

struct video_decompress_info {
    void *(*init)(void);
    int (*reconfigure)(void *state, struct video_desc desc, int red, int green, int blue, int pitch, codec_t out);
    decompress_status (*decompress)(void *state, unsigned char *to, unsigned char *data, unsigned length, int number,
        struct video_frame_callbacks *callbacks, struct pixfmt_desc *internal);
    int (*get_property)(void *state, int property, void *value, size_t *length);
    void (*done)(void *state);
    int (*get_decompress_priority)(codec_t compression, struct pixfmt_desc internal, codec_t out);
};

#ifdef __cplusplus
}

struct module;

struct module_option {
    std::string display_name, display_desc, placeholder_text, key, opt_str;
    bool is_boolean;
};

struct encoder {
    std::string name, opt_str;
};

struct codec {
    std::string name;
    std::vector<encoder> encoders;
    int priority;
};

struct compress_module_info {
    std::string name;
    std::vector<module_option> opts;
    std::vector<codec> codecs;
};

using frame_pointer = std::shared_ptr<video_frame>;

struct video_compress_info {
    void *(*init_func)(module *parent, const char *text);
    void (*done)(void *state);
    frame_pointer (*compress_frame_func)(void *state, frame_pointer frame);
    frame_pointer (*compress_tile_func)(void *state, frame_pointer frame);
    void (*compress_frame_async_push_func)(void *state, frame_pointer frame);
    frame_pointer (*compress_frame_async_pop_func)(void *state);
    void (*compress_tile_async_push_func)(void *state, frame_pointer frame);
    frame_pointer (*compress_tile_async_pop_func)(void *state);
    compress_module_info (*get_module_info)();
};
#endif

#endif
