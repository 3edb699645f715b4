/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compresses UltraGrid's frames to JPEG, JPEG 2000 or HTJ2K. Between push and pop the frames go through a flow of
 * Kostka, which uses all devices and returns the frames in order. UltraGrid's interface for compression is C++.
 */
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include <kostka/kostka.h>
#include <kostka/kostka_flow.h>
#include <kostka/kostka_j2k.h>

#include "debug.h"
#include "host.h"
#include "lib_common.h"
#include "video_compress.h"
#include "video_frame.h"

#include "kostka_codecs.h"
#include "kostka_devices.h"

namespace
{

const char name[] = "[Kostka enc.] ";
const unsigned window = 8; /* frames in flight unless the option sets another number */

struct wishes {
    codec_t codec = JPEG;
    bool ht = false;
    bool lossless = false;
    int quality = 0; /* 0: not set */
    double bits = 0; /* bits per second; 0: not set */
    unsigned most = window;
    std::string devices;
};

/* Holds a frame in flight. It is never moved, because the flow has pointers into it. */
struct job {
    std::shared_ptr<video_frame> frame;
    std::vector<uint8_t> samples;
    kst_image image;
    kst_encode_options encode;
    kst_j2k_options j2k;
    kst_metadata comment;
};

struct state {
    wishes wanted;
    kst_flow *flow = nullptr;
    std::mutex lock; /* guards the following members */
    std::condition_variable changed;
    std::deque<job *> waiting;
    unsigned under_way = 0;
    bool ended = false;
};

void set_plane(
    kst_image *image, unsigned index, uint8_t **at, uint32_t width, uint32_t height, uint32_t depth, uint32_t channels)
{
    kst_plane *plane = &image->plane[index];
    const size_t pitch = static_cast<size_t>(width) * channels * (depth > 8 ? 2 : 1);
    plane->data = *at;
    plane->pitch = static_cast<ptrdiff_t>(pitch);
    plane->width = width;
    plane->height = height;
    plane->depth = static_cast<uint8_t>(depth);
    *at += pitch * height;
}

/* Allocate the job's samples, and describe them as an image. */
void describe(job *work, enum packing packing, uint32_t width, uint32_t height)
{
    kst_image *image = &work->image;
    const uint32_t depth = packing_depth(packing), chroma = (width + 1) / 2;
    const bool rgb = packing_is_rgb(packing);
    kst_image_init(image);
    image->format = rgb ? KST_FORMAT_RGB : KST_FORMAT_RAW;
    image->colour = rgb ? KST_COLOUR_RGB : KST_COLOUR_YCBCR;
    image->width = width;
    image->height = height;
    image->plane_count = rgb ? 1 : 3;
    work->samples.resize(static_cast<size_t>(width + 1) * (height + 1) * 3 * (depth > 8 ? 2 : 1));
    uint8_t *at = work->samples.data();
    set_plane(image, 0, &at, width, height, depth, rgb ? 3 : 1);
    for (unsigned i = 1; i < image->plane_count; i++)
        set_plane(image, i, &at, chroma, packing == PACKING_I420 ? (height + 1) / 2 : height, depth, 1);
}

void unpack(job *work, enum packing packing)
{
    const uint8_t *from = reinterpret_cast<const uint8_t *>(work->frame->tiles[0].data);
    const kst_image *image = &work->image;
    if (packing == PACKING_I420) {
        memcpy(work->samples.data(), from, packing_frame(packing, image->width, image->height));
        return;
    }
    const size_t row = packing_row(packing, image->width);
    for (uint32_t y = 0; y < image->height; y++) {
        void *planes[3] = {nullptr, nullptr, nullptr};
        for (unsigned i = 0; i < image->plane_count; i++)
            planes[i] = static_cast<uint8_t *>(image->plane[i].data) + y * image->plane[i].pitch;
        packing_unpack(packing, from + y * row, image->width, planes);
    }
}

/*
 * Set the options for JPEG. Planes are encoded as they are: a comment, which other programs read, too, says that the
 * range is limited.
 */
void choose_jpeg(job *work, enum packing packing, const wishes &wanted)
{
    static const char limited[] = "CS=ITU601";
    kst_encode_options *encode = &work->encode;
    encode->quality = wanted.quality > 0 ? wanted.quality : 85;
    encode->subsampling = KST_SUBSAMPLING_444;
    encode->restart.unit = KST_RESTART_AUTO; /* so that receivers can decode with many threads */
    if (packing_is_rgb(packing))
        return;
    memset(encode->h, 1, sizeof encode->h);
    memset(encode->v, 1, sizeof encode->v);
    encode->h[0] = 2;
    encode->v[0] = packing == PACKING_I420 ? 2 : 1;
    work->comment.kind = KST_METADATA_COMMENT;
    work->comment.marker = 0xFE;
    work->comment.data = reinterpret_cast<const uint8_t *>(limited);
    work->comment.length = sizeof limited - 1;
    encode->metadata = &work->comment;
    encode->metadata_count = 1;
}

void choose_j2k(job *work, const wishes &wanted)
{
    kst_j2k_options *j2k = &work->j2k;
    const double pixels = static_cast<double>(work->image.width) * work->image.height;
    kst_j2k_options_init(j2k);
    j2k->codestream = true;
    j2k->target = KST_J2K_QUALITY;
    j2k->value = wanted.quality > 0 ? wanted.quality : 85;
    if (wanted.bits > 0) {
        j2k->target = KST_J2K_RATE;
        j2k->value = wanted.bits / (work->frame->fps > 0 ? work->frame->fps : 25) / pixels;
    }
    if (wanted.lossless)
        j2k->target = KST_J2K_LOSSLESS;
    if (wanted.ht)
        j2k->style |= KST_J2K_HT;
    work->encode.codec = KST_CODEC_JPEG2000;
    work->encode.jpeg2000 = j2k;
}

/* Return why a frame cannot be compressed; null if it can. */
const char *check(const video_frame *frame, enum packing packing, const wishes &wanted)
{
    if (frame->tile_count != 1)
        return "frames of several tiles are not compressed";
    if (packing == PACKING_NONE)
        return "this pixel format is not compressed: UYVY, YUYV, v210, I420, RGB, RGBA, RG48 and R10k are";
    if (frame->tiles[0].width == 0 || frame->tiles[0].height == 0 ||
        frame->tiles[0].data_len < packing_frame(packing, frame->tiles[0].width, frame->tiles[0].height))
        return "a frame has fewer bytes than its size says";
    if (wanted.codec == JPEG && packing_depth(packing) > 8)
        return "JPEG has 8 bits; codec=j2k keeps all";
    return nullptr;
}

std::unique_ptr<job> make_job(const state *s, std::shared_ptr<video_frame> frame)
{
    const enum packing packing = packing_of(frame->color_spec);
    const char *reason = check(frame.get(), packing, s->wanted);
    if (reason != nullptr) {
        log_msg(LOG_LEVEL_ERROR, "%s%s\n", name, reason);
        return nullptr;
    }
    auto work = std::make_unique<job>();
    work->frame = std::move(frame);
    describe(work.get(), packing, work->frame->tiles[0].width, work->frame->tiles[0].height);
    unpack(work.get(), packing);
    kst_encode_options_init(&work->encode);
    if (s->wanted.codec == JPEG)
        choose_jpeg(work.get(), packing, s->wanted);
    else
        choose_j2k(work.get(), s->wanted);
    return work;
}

/* Provide the flow with the next frame, waiting for it. */
bool next(void *user, kst_flow_item *item)
{
    auto *s = static_cast<state *>(user);
    std::unique_lock<std::mutex> held(s->lock);
    s->changed.wait(held, [s] { return s->ended || !s->waiting.empty(); });
    if (s->waiting.empty())
        return false;
    job *work = s->waiting.front();
    s->waiting.pop_front();
    item->user = work;
    item->picture = &work->image;
    item->encode = &work->encode;
    return true;
}

void push(void *user, std::shared_ptr<video_frame> frame)
{
    auto *s = static_cast<state *>(user);
    std::unique_ptr<job> work;
    try {
        if (frame && !(work = make_job(s, std::move(frame))))
            return;
    } catch (const std::bad_alloc &) {
        log_msg(LOG_LEVEL_ERROR, "%sout of memory\n", name);
        return;
    }
    std::unique_lock<std::mutex> held(s->lock);
    if (work) {
        s->changed.wait(held, [s] { return s->under_way < s->wanted.most; });
        s->under_way++;
        s->waiting.push_back(work.release());
    } else {
        s->ended = true;
    }
    s->changed.notify_all();
}

/* Make a frame of UltraGrid from a stream. */
std::shared_ptr<video_frame> make_frame(const state *s, const job *work, const kst_buffer *stream)
{
    video_desc desc = video_desc_from_frame(work->frame.get());
    const bool rgb = work->image.format == KST_FORMAT_RGB;
    desc.color_spec = s->wanted.codec == JPEG ? JPEG : rgb ? J2KR : J2K;
    video_frame *frame = vf_alloc_desc(desc);
    char *data = static_cast<char *>(malloc(stream->length));
    if (frame == nullptr || data == nullptr) {
        log_msg(LOG_LEVEL_ERROR, "%sout of memory\n", name);
        free(data);
        if (frame != nullptr)
            vf_free(frame);
        return {};
    }
    memcpy(data, stream->data, stream->length);
    frame->tiles[0].data = data;
    frame->tiles[0].data_len = static_cast<unsigned>(stream->length);
    frame->callbacks.data_deleter = vf_data_deleter;
    vf_copy_metadata(frame, work->frame.get());
    return {frame, vf_free};
}

/*
 * Return the next compressed frame. A frame that cannot be encoded is left out. An empty pointer means that no more
 * will come.
 */
std::shared_ptr<video_frame> pop(void *user)
{
    auto *s = static_cast<state *>(user);
    kst_flow_item item;
    while (kst_flow_take(s->flow, &item)) {
        std::unique_ptr<job> work(static_cast<job *>(item.user));
        std::shared_ptr<video_frame> frame;
        if (item.report.status == KST_OK)
            frame = make_frame(s, work.get(), &item.output);
        else
            log_msg(LOG_LEVEL_ERROR, "%s%s\n", name,
                item.report.message[0] != '\0' ? item.report.message : kst_status_text(item.report.status));
        kst_flow_release(s->flow, &item);
        {
            std::lock_guard<std::mutex> held(s->lock);
            s->under_way--;
        }
        s->changed.notify_all();
        if (frame)
            return frame;
    }
    return {};
}

void help()
{
    printf("Kostka compresses to JPEG, JPEG 2000 and HTJ2K on GPUs (CUDA, OpenCL) and processors:\n"
           "\t-c kostka[:codec=jpeg|j2k|ht][:quality=1-100][:bitrate=BITS][:lossless][:device=DEVICE,...][:frames=N]\n"
           "\t\tbitrate\tbits a second, such as 200M; j2k and ht\n"
           "\t\tdevice\tauto (default), all, cpu, cuda:0,cuda:1 ...; otherwise --cuda-device\n"
           "\t\tframes\tframes under way, %u: fewer wait less, more keep GPUs busy\n",
        window);
}

/* Read a number; a k, M or G may follow it. */
bool set_bits(const char *text, double *bits)
{
    char *end = nullptr;
    *bits = strtod(text, &end);
    if (*end == 'k' || *end == 'M' || *end == 'G')
        *bits *= *end == 'k' ? 1e3 : *end == 'M' ? 1e6 : 1e9, end++;
    return *bits > 0 && *bits < 1e15 && *end == '\0';
}

bool set_number(const char *text, unsigned least, unsigned most, unsigned *number)
{
    char *end = nullptr;
    unsigned long value = strtoul(text, &end, 10);
    *number = static_cast<unsigned>(value);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && value >= least && value <= most;
}

bool set_codec(const char *text, wishes *wanted)
{
    wanted->ht = strcmp(text, "ht") == 0;
    wanted->codec = strcmp(text, "jpeg") == 0 ? JPEG : J2K;
    return wanted->codec == JPEG || wanted->ht || strcmp(text, "j2k") == 0;
}

/* Set one option, "key=value" or "key". */
bool set(const std::string &option, wishes *wanted)
{
    const size_t equal = option.find('=');
    const std::string key = option.substr(0, equal);
    const char *value = equal == std::string::npos ? "" : option.c_str() + equal + 1;
    unsigned number = 0;
    if (key == "codec")
        return set_codec(value, wanted);
    if (key == "bitrate")
        return set_bits(value, &wanted->bits);
    if (key == "lossless" && equal == std::string::npos)
        return wanted->lossless = true;
    if (key == "device")
        return !(wanted->devices = value).empty();
    if (key == "frames")
        return set_number(value, 1, 256, &wanted->most);
    if (key != "quality" || !set_number(value, 1, 100, &number))
        return false;
    wanted->quality = static_cast<int>(number);
    return true;
}

/*
 * Read all options, separated by colons. Names of devices contain colons, too, so a part that begins with a digit
 * belongs to the option before it.
 */
bool parse(const char *text, wishes *wanted)
{
    const std::string all = text != nullptr ? text : "";
    for (size_t at = 0; at < all.size();) {
        size_t end = all.find(':', at);
        while (end != std::string::npos && end + 1 < all.size() && all[end + 1] >= '0' && all[end + 1] <= '9')
            end = all.find(':', end + 1);
        const std::string option = all.substr(at, end == std::string::npos ? end : end - at);
        if (!set(option, wanted)) {
            log_msg(LOG_LEVEL_ERROR, "%sunknown option or wrong value: %s\n", name, option.c_str());
            return false;
        }
        at = end == std::string::npos ? all.size() : end + 1;
    }
    if (wanted->codec == JPEG && (wanted->lossless || wanted->bits > 0)) {
        log_msg(LOG_LEVEL_ERROR, "%slossless and bitrate are for codec=j2k and codec=ht\n", name);
        return false;
    }
    if (wanted->lossless + (wanted->bits > 0) + (wanted->quality > 0) > 1) {
        log_msg(LOG_LEVEL_ERROR, "%sonly one of quality, bitrate and lossless can be kept\n", name);
        return false;
    }
    return true;
}

void *init(struct module *parent, const char *text)
{
    (void)parent;
    if (text != nullptr && strcmp(text, "help") == 0) {
        help();
        return INIT_NOERR;
    }
    auto s = std::make_unique<state>();
    if (!parse(text, &s->wanted))
        return nullptr;
    char listed[DEVICES_TEXT];
    kst_flow_options options;
    kst_flow_options_init(&options);
    options.work = KST_FLOW_ENCODE;
    options.devices = s->wanted.devices.empty() ? devices_of(listed) : s->wanted.devices.c_str();
    options.readers = 1;
    options.in_order = true;
    options.most = s->wanted.most;
    options.next = next;
    options.user = s.get();
    const kst_status status = kst_flow_start(&options, &s->flow);
    if (status != KST_OK) {
        log_msg(LOG_LEVEL_ERROR, "%scannot start on %s: %s\n", name,
            options.devices != nullptr ? options.devices : "any device", kst_status_text(status));
        return nullptr;
    }
    return s.release();
}

/* Release the state. Frames that have not been popped are released with the flow. */
void done(void *user)
{
    std::unique_ptr<state> s(static_cast<state *>(user));
    push(s.get(), {});
    kst_flow_cancel(s->flow);
    kst_flow_item item;
    while (kst_flow_take(s->flow, &item)) {
        kst_flow_release(s->flow, &item);
        delete static_cast<job *>(item.user);
    }
    kst_flow_end(&s->flow);
    for (job *work : s->waiting)
        delete work;
}

compress_module_info describe_module()
{
    compress_module_info info;
    codec jpeg, j2k;
    info.name = "kostka";
    jpeg.name = "JPEG";
    jpeg.priority = 400;
    jpeg.encoders.emplace_back(encoder{"Kostka", ":codec=jpeg"});
    j2k.name = "JPEG 2000";
    j2k.priority = 400;
    j2k.encoders.emplace_back(encoder{"Kostka", ":codec=j2k"});
    j2k.encoders.emplace_back(encoder{"Kostka, HT", ":codec=ht"});
    info.codecs = {jpeg, j2k};
    return info;
}

const video_compress_info info = [] {
    video_compress_info made{};
    made.init_func = init;
    made.done = done;
    made.compress_frame_async_push_func = push;
    made.compress_frame_async_pop_func = pop;
    made.get_module_info = describe_module;
    return made;
}();

REGISTER_MODULE(kostka, &info, LIBRARY_CLASS_VIDEO_COMPRESS, VIDEO_COMPRESS_ABI_VERSION);

} // namespace
