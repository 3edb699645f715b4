/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plays UltraGrid to the modules for it: they register, frames of every pixel format go through compression in order
 * and come back equal where nothing is lost, streams say what they hold, and what is wrong is refused.
 */
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kostka_pixels.h"
#include "ultragrid.h"

#define CHECK(condition) check((condition), #condition, __LINE__)

static unsigned failures, complaints;

static void check(bool good, const char *text, int line)
{
    if (!good)
        fprintf(stderr, "line %d: %s\n", line, text);
    failures += !good;
}

/* What UltraGrid has. */
static const video_compress_info *compression;
static const video_decompress_info *decompression;
unsigned cuda_devices[4] = {0};
unsigned cuda_devices_count = 1;

void register_library(const char *name, const void *info, enum library_class kind, int abi, unsigned flag)
{
    CHECK(strcmp(name, "kostka") == 0 && flag == 0);
    CHECK(abi == (kind == LIBRARY_CLASS_VIDEO_COMPRESS ? VIDEO_COMPRESS_ABI_VERSION : VIDEO_DECOMPRESS_ABI_VERSION));
    if (kind == LIBRARY_CLASS_VIDEO_COMPRESS)
        compression = static_cast<const video_compress_info *>(info);
    else
        decompression = static_cast<const video_decompress_info *>(info);
}

void log_msg(int level, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    CHECK(level <= LOG_LEVEL_WARNING && strlen(text) > 16 && text[strlen(text) - 1] == '\n');
    complaints++;
}

struct video_frame *vf_alloc_desc(struct video_desc desc)
{
    auto *frame = static_cast<video_frame *>(calloc(1, sizeof(video_frame)));
    frame->color_spec = desc.color_spec;
    frame->interlacing = desc.interlacing;
    frame->fps = desc.fps;
    frame->tile_count = desc.tile_count;
    frame->tiles[0].width = desc.width;
    frame->tiles[0].height = desc.height;
    return frame;
}

void vf_data_deleter(struct video_frame *frame)
{
    free(frame->tiles[0].data);
}

void vf_free(struct video_frame *frame)
{
    if (frame->callbacks.data_deleter != nullptr)
        frame->callbacks.data_deleter(frame);
    free(frame);
}

void vf_copy_metadata(struct video_frame *to, const struct video_frame *from)
{
    to->seq = from->seq;
}

struct video_desc video_desc_from_frame(const struct video_frame *frame)
{
    return {frame->tiles[0].width, frame->tiles[0].height, frame->color_spec, frame->fps, frame->interlacing,
        frame->tile_count};
}

struct format {
    codec_t codec;
    enum packing packing;
    codec_t j2k; /* as which it is compressed without loss */
    int subsampling, depth;
};

static const format formats[] = {{UYVY, PACKING_UYVY, J2K, 4220, 8}, {YUYV, PACKING_YUYV, J2K, 4220, 8},
    {v210, PACKING_V210, J2K, 4220, 10}, {I420, PACKING_I420, J2K, 4200, 8}, {RGB, PACKING_RGB, J2KR, 4440, 8},
    {RGBA, PACKING_RGBA, J2KR, 4440, 8}, {RG48, PACKING_RG48, J2KR, 4440, 16}, {R10k, PACKING_R10K, J2KR, 4440, 10}};

/* Waves, which differ from frame to frame; the first one's phase is the number. Padding is zero, alpha is full. */
static void fill(const format &form, uint32_t width, uint32_t height, unsigned number, std::vector<uint8_t> *bytes)
{
    const size_t row = packing_row(form.packing, width);
    bytes->assign(packing_frame(form.packing, width, height), 0);
    for (size_t i = 0; i < bytes->size(); i++)
        (*bytes)[i] = static_cast<uint8_t>(128 + 100 * std::sin(0.05 * static_cast<double>(i % row) + number) *
                                                     std::cos(0.1 * static_cast<double>(i / row)));
    for (uint32_t y = 0; y < height && form.packing == PACKING_V210; y++)
        for (size_t i = 0; i < row; i++)
            (*bytes)[y * row + i] = i >= (width + 5) / 6 * 16 ? 0
                                    : i % 4 == 3              ? (*bytes)[y * row + i] & 0x3F
                                                              : (*bytes)[y * row + i];
    for (size_t i = 3; i < bytes->size() && (form.packing == PACKING_RGBA || form.packing == PACKING_R10K); i += 4)
        (*bytes)[i] = form.packing == PACKING_RGBA ? 255 : (*bytes)[i] & 0xFC;
}

static frame_pointer make_frame(const format &form, uint32_t width, uint32_t height, unsigned number)
{
    std::vector<uint8_t> bytes;
    fill(form, width, height, number, &bytes);
    video_frame *frame = vf_alloc_desc({width, height, form.codec, 25, PROGRESSIVE, 1});
    frame->seq = number;
    frame->tiles[0].data = static_cast<char *>(malloc(bytes.size()));
    memcpy(frame->tiles[0].data, bytes.data(), bytes.size());
    frame->tiles[0].data_len = static_cast<unsigned>(bytes.size());
    frame->callbacks.data_deleter = vf_data_deleter;
    return {frame, vf_free};
}

/* Compress frames while others are taken, as UltraGrid's threads do. */
static std::vector<frame_pointer> compress(
    const char *options, const format &form, uint32_t width, uint32_t height, unsigned count)
{
    std::vector<frame_pointer> frames;
    void *state = compression->init_func(nullptr, options);
    CHECK(state != nullptr && state != INIT_NOERR);
    if (state == nullptr)
        return frames;
    std::thread pushing([=] {
        for (unsigned i = 0; i < count; i++)
            compression->compress_frame_async_push_func(state, make_frame(form, width, height, i));
        compression->compress_frame_async_push_func(state, {});
    });
    while (frame_pointer frame = compression->compress_frame_async_pop_func(state))
        frames.push_back(frame);
    pushing.join();
    compression->done(state);
    return frames;
}

static decompress_status decode(
    void *state, const frame_pointer &frame, std::vector<uint8_t> *to, pixfmt_desc *internal)
{
    return decompression->decompress(state, to->data(), reinterpret_cast<unsigned char *>(frame->tiles[0].data),
        frame->tiles[0].data_len, 0, nullptr, internal);
}

/* Ask what a stream holds. */
static pixfmt_desc probe(void *state, const frame_pointer &frame)
{
    pixfmt_desc internal = {};
    std::vector<uint8_t> none(1);
    CHECK(decompression->reconfigure(state, video_desc_from_frame(frame.get()), 0, 8, 16, 0, VIDEO_CODEC_NONE));
    CHECK(decode(state, frame, &none, &internal) == DECODER_GOT_CODEC);
    return internal;
}

/* The largest difference of a decoded frame's bytes from the one that was compressed. */
static int largest_difference(
    void *state, const frame_pointer &frame, const format &form, uint32_t width, uint32_t height)
{
    std::vector<uint8_t> expected, got(packing_frame(form.packing, width, height));
    int most = 0;
    const int pitch = static_cast<int>(packing_row(form.packing, width));
    fill(form, width, height, frame->seq, &expected);
    CHECK(decompression->reconfigure(state, video_desc_from_frame(frame.get()), 0, 8, 16, pitch, form.codec));
    CHECK(decode(state, frame, &got, nullptr) == DECODER_GOT_FRAME);
    for (size_t i = 0; i < got.size(); i++)
        most = std::max(most, std::abs(got[i] - expected[i]));
    return most;
}

static void test_rows()
{
    for (const format &form : formats)
        for (uint32_t width = 1; width < 60 && form.packing != PACKING_I420; width++) {
            std::vector<uint8_t> row, back(packing_row(form.packing, width)), plane[3];
            void *planes[3];
            fill(form, width, 1, width, &row);
            for (int i = 0; i < 3; i++) {
                plane[i].assign(6 * width + 6, 0);
                planes[i] = plane[i].data();
            }
            packing_unpack(form.packing, row.data(), width, planes);
            if (packing_is_rgb(form.packing))
                continue;
            packing_pack(form.packing, planes, width, back.data());
            size_t same =
                width % 2 == 0 && (form.packing != PACKING_V210 || width % 6 == 0) ? row.size() : width / 6 * 12;
            CHECK(memcmp(row.data(), back.data(), same) == 0);
        }
}

static void test_lossless()
{
    void *state = decompression->init();
    CHECK(state != nullptr);
    for (const char *options : {"codec=j2k:lossless", "codec=ht:lossless:device=cpu:frames=3"})
        for (const format &form : formats) {
            const uint32_t width = 96, height = 34;
            unsigned number = 0;
            for (const frame_pointer &frame : compress(options, form, width, height, 12)) {
                CHECK(frame->seq == number++ && frame->color_spec == form.j2k && frame->fps == 25);
                pixfmt_desc internal = probe(state, frame);
                CHECK(internal.depth == form.depth && internal.subsampling == form.subsampling);
                CHECK(internal.rgb == packing_is_rgb(form.packing));
                if (form.codec != R10k) /* which is not decoded to */
                    CHECK(decompression->get_decompress_priority(form.j2k, internal, form.codec) == 200 &&
                          largest_difference(state, frame, form, width, height) == 0);
            }
            CHECK(number == 12);
        }
    decompression->done(state);
}

static void test_jpeg()
{
    void *state = decompression->init();
    for (const format &form : formats) {
        if (form.depth > 8)
            continue;
        unsigned number = 0;
        for (const frame_pointer &frame : compress("quality=97", form, 70, 36, 5)) {
            CHECK(frame->seq == number++ && frame->color_spec == JPEG);
            pixfmt_desc internal = probe(state, frame);
            CHECK(internal.rgb == packing_is_rgb(form.packing) && internal.subsampling == form.subsampling);
            CHECK(largest_difference(state, frame, form, 70, 36) < 40);
        }
        CHECK(number == 5);
    }
    decompression->done(state);
}

/* Samples are fitted: 10 bits to 8, 4:2:0 to 4:2:2. A bit rate holds. */
static void test_fitting()
{
    void *state = decompression->init();
    const format uyvy = formats[0], ten = formats[2], planar = formats[3];
    std::vector<uint8_t> got(packing_frame(PACKING_UYVY, 96, 34));
    const format *const sources[] = {&ten, &planar};
    for (const format *source : sources)
        for (const frame_pointer &frame : compress("codec=j2k:lossless", *source, 96, 34, 1)) {
            CHECK(decompression->reconfigure(state, video_desc_from_frame(frame.get()), 0, 8, 16, 192, UYVY));
            CHECK(decode(state, frame, &got, nullptr) == DECODER_GOT_FRAME);
            CHECK(got[1] ==
                  (source == &ten ? 0xFF & ((frame_pointer(make_frame(ten, 96, 34, 0))->tiles[0].data[1] & 0xFC) >> 4 |
                                               frame_pointer(make_frame(ten, 96, 34, 0))->tiles[0].data[2] << 4)
                                  : static_cast<uint8_t>(make_frame(planar, 96, 34, 0)->tiles[0].data[0])));
        }
    for (const frame_pointer &frame : compress("codec=ht:bitrate=400k", uyvy, 320, 200, 3))
        CHECK(frame->tiles[0].data_len <= 2000 && frame->tiles[0].data_len > 1000);
    decompression->done(state);
}

static void test_refusals()
{
    complaints = 0;
    for (const char *options : {"quality=0", "codec=h264", "lossless", "bitrate=1M", "codec=j2k:bitrate=x", "frames=0",
             "device=cuda:99", "device=", "nothing", "codec=j2k:lossless:bitrate=1M", "codec=ht:quality=50:bitrate=1M"})
        CHECK(compression->init_func(nullptr, options) == nullptr);
    CHECK(complaints == 11);
    CHECK(compression->init_func(nullptr, "help") == INIT_NOERR);
    CHECK(compression->get_module_info().codecs.size() == 2);
    void *state = compression->init_func(nullptr, "device=cpu");
    frame_pointer cut = make_frame(formats[0], 64, 32, 0);
    cut->tiles[0].data_len--;
    complaints = 0;
    compression->compress_frame_async_push_func(state, cut);
    compression->compress_frame_async_push_func(state, make_frame(formats[2], 96, 32, 0)); /* 10 bits, to JPEG */
    CHECK(complaints == 2);
    compression->compress_frame_async_push_func(state, make_frame(formats[0], 64, 32, 7));
    compression->done(state); /* with a frame that nobody takes */
}

static void test_damage()
{
    void *state = decompression->init();
    const format uyvy = formats[0];
    std::vector<uint8_t> got(packing_frame(PACKING_UYVY, 64, 32));
    for (const frame_pointer &frame : compress("", uyvy, 64, 32, 1)) {
        CHECK(decompression->reconfigure(state, video_desc_from_frame(frame.get()), 0, 8, 16, 128, UYVY));
        frame->tiles[0].data_len = 20;
        CHECK(decode(state, frame, &got, nullptr) == DECODER_NO_FRAME);
        video_desc other = video_desc_from_frame(frame.get());
        other.color_spec = H264;
        CHECK(!decompression->reconfigure(state, other, 0, 8, 16, 128, UYVY));
    }
    for (const frame_pointer &frame : compress("", uyvy, 96, 32, 1)) { /* larger than it was announced */
        CHECK(decompression->reconfigure(state, {64, 32, JPEG, 25, PROGRESSIVE, 1}, 0, 8, 16, 128, UYVY));
        CHECK(decode(state, frame, &got, nullptr) == DECODER_NO_FRAME);
        CHECK(decompression->reconfigure(state, {64, 32, JPEG, 25, PROGRESSIVE, 1}, 0, 8, 16, 64 * 3, RGB));
        CHECK(decode(state, frame, &got, nullptr) == DECODER_NO_FRAME);
    }
    pixfmt_desc unknown = {};
    CHECK(decompression->get_decompress_priority(H264, unknown, UYVY) == -1);
    CHECK(decompression->get_decompress_priority(JPEG, unknown, VIDEO_CODEC_NONE) == 50);
    CHECK(decompression->get_decompress_priority(JPEG, unknown, UYVY) == 900);
    CHECK(decompression->get_decompress_priority(JPEG, unknown, DXT1) == -1);
    CHECK(decompression->get_decompress_priority(JPEG, unknown, RG48) == -1); /* it would get YCbCr */
    CHECK(decompression->get_decompress_priority(J2KR, unknown, RG48) == 900);
    CHECK(decompression->get_decompress_priority(J2KR, unknown, R10k) == -1); /* only compression takes it */
    CHECK(!decompression->reconfigure(state, {64, 32, J2KR, 25, PROGRESSIVE, 1}, 0, 8, 16, 256, R10k));
    decompression->done(state);
}

int main()
{
    CHECK(compression != nullptr && decompression != nullptr);
    test_rows();
    test_lossless();
    test_jpeg();
    test_fitting();
    test_refusals();
    test_damage();
    printf("%u failures\n", failures);
    return failures != 0;
}
