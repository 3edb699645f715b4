/* SPDX-License-Identifier: BSD-2-Clause */
/* Decompresses JPEG, JPEG 2000 and HTJ2K to UltraGrid's frames, one frame after the other. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "debug.h"
#include "host.h"
#include "lib_common.h"
#include "video_decompress.h"
#include "video_frame.h"

#include "kostka_codecs.h"
#include "kostka_devices.h"

static const char name[] = "[Kostka dec.] ";

/* UltraGrid uses the decoder with the lowest number. */
enum { PRIORITY_NONE = -1, PRIORITY_PROBE = 50, PRIORITY_PREFERRED = 200, PRIORITY_UNKNOWN = 900 };

struct state {
    kst_context *context;
    kst_decoder *decoder; /* for headers */
    kst_image planes;     /* planes of the last frame, whose memory is used again; no planes: none yet */
    uint8_t *rows;        /* room for three rows with samples of two bytes */
    codec_t out;
    enum packing packing;
    kst_format format; /* for packings of RGB, which are decoded in place */
    uint32_t width, height;
    size_t pitch;
};

static bool is_coded(codec_t codec)
{
    return codec == JPEG || codec == J2K || codec == J2KR;
}

/* Return the packing to decompress to. R10k is not supported as output. */
static enum packing packing_made(codec_t out)
{
    enum packing packing = packing_of(out);

    return packing == PACKING_R10K ? PACKING_NONE : packing;
}

static void *init(void)
{
    struct state *s = calloc(1, sizeof *s);
    char listed[DEVICES_TEXT];
    kst_context_options options;

    if (s == NULL)
        return NULL;
    kst_image_init(&s->planes);
    kst_context_options_init(&options);
    options.device = devices_of(listed);
    if (options.device != NULL)
        listed[strcspn(listed, ",")] = '\0'; /* a single device, since frames are decoded one by one */
    kst_status status = kst_context_create(&options, &s->context);
    if (!status)
        status = kst_decoder_create(s->context, &s->decoder);
    if (!status)
        return s;
    log_msg(LOG_LEVEL_ERROR, "%scannot start on %s: %s\n", name, options.device != NULL ? options.device : "any device",
        kst_status_text(status));
    kst_context_destroy(&s->context);
    free(s);
    return NULL;
}

static void drop_planes(struct state *s)
{
    kst_image_release(s->context, &s->planes);
    kst_image_init(&s->planes);
}

static void done(void *user)
{
    struct state *s = user;

    drop_planes(s);
    kst_decoder_destroy(&s->decoder);
    kst_context_destroy(&s->context);
    free(s->rows);
    free(s);
}

/* Choose the format by the shifts of the colours. RGBA may have its colours in either order. */
static bool choose_format(struct state *s, int red, int green, int blue)
{
    bool forward = red == 0 && green == 8 && blue == 16, backward = red == 16 && green == 8 && blue == 0;

    s->format = s->packing == PACKING_RGB ? KST_FORMAT_RGB : forward ? KST_FORMAT_RGBA : KST_FORMAT_BGRA;
    return s->packing != PACKING_RGBA || forward || backward;
}

static int reconfigure(void *user, struct video_desc desc, int red, int green, int blue, int pitch, codec_t out)
{
    struct state *s = user;

    s->out = out;
    s->packing = packing_made(out);
    s->width = desc.width;
    s->height = desc.height;
    s->pitch = pitch > 0 ? (size_t)pitch : packing_row(s->packing, desc.width);
    drop_planes(s);
    free(s->rows);
    s->rows = malloc(6 * ((size_t)desc.width + 1));
    return s->rows != NULL && desc.width > 0 && desc.height > 0 && is_coded(desc.color_spec) &&
           (out == VIDEO_CODEC_NONE || (s->packing != PACKING_NONE && choose_format(s, red, green, blue)));
}

/* Return whether JPEG samples have the limited range, which a comment of UltraGrid, GPUJPEG and FFmpeg says. */
static bool is_limited(kst_decoder *decoder)
{
    static const char sign[] = "CS=ITU601";
    const kst_metadata *metadata;

    for (size_t i = 0; (metadata = kst_decoder_metadata(decoder, i)) != NULL; i++)
        if (metadata->kind == KST_METADATA_COMMENT && metadata->length >= sizeof sign - 1 &&
            memcmp(metadata->data, sign, sizeof sign - 1) == 0)
            return true;
    return false;
}

/*
 * Describe what a stream holds. Full-range JPEG, such as that of cameras, is decoded to RGB, because UltraGrid's YCbCr
 * has the limited range.
 */
static void describe(struct state *s, struct pixfmt_desc *internal)
{
    const kst_info *info = kst_decoder_info(s->decoder);
    const kst_component_info *luma = &info->component[0], *chroma = &info->component[info->component_count > 1 ? 1 : 0];
    bool jpeg = info->codec == KST_CODEC_JPEG, across = luma->width > chroma->width,
         down = luma->height > chroma->height;

    memset(internal, 0, sizeof *internal);
    internal->depth = luma->depth > 12 ? 16 : luma->depth > 10 ? 12 : luma->depth > 8 ? 10 : 8;
    internal->rgb = jpeg ? !is_limited(s->decoder) : !across && info->colour != KST_COLOUR_YCBCR;
    internal->subsampling = internal->rgb || !across ? 4440 : down ? 4200 : 4220;
}

/* Log the error of a frame, which is then left out. */
static decompress_status fail(const kst_report *report, kst_status status)
{
    log_msg(LOG_LEVEL_WARNING, "%s%s\n", name,
        report != NULL && report->message[0] != '\0' ? report->message : kst_status_text(status));
    return DECODER_NO_FRAME;
}

/* Decode to RGB or RGBA directly into the frame. */
static decompress_status decode_in_place(struct state *s, uint8_t *to, const void *data, size_t length)
{
    kst_decode_options options;
    kst_image image;
    kst_report report;

    kst_decode_options_init(&options);
    kst_report_init(&report);
    options.format = s->format;
    kst_image_wrap(&image, s->format, s->width, s->height, to, (ptrdiff_t)s->pitch);
    kst_status status = kst_decode(s->context, data, length, &options, &image, &report);
    return status ? fail(&report, status) : DECODER_GOT_FRAME;
}

/* Decode to planes, using the memory of the previous frame's planes if they fit. */
static kst_status decode_planes(struct state *s, const void *data, size_t length, kst_report *report)
{
    kst_decode_options options;

    kst_decode_options_init(&options);
    kst_report_init(report);
    options.format = KST_FORMAT_RAW;
    kst_status status = kst_decode(s->context, data, length, &options, &s->planes, report);
    if (!status || s->planes.plane_count == 0 ||
        (status != KST_ERROR_IMAGE_SIZE && status != KST_ERROR_IMAGE_DEPTH && status != KST_ERROR_IMAGE_FORMAT))
        return status;
    drop_planes(s);
    kst_report_init(report);
    return kst_decode(s->context, data, length, &options, &s->planes, report);
}

/*
 * Return whether a frame has the announced size. Other frames are not decoded, so that they cannot claim any amount of
 * memory.
 */
static bool has_size(struct state *s, const void *data, size_t length)
{
    if (kst_decoder_open(s->decoder, data, length))
        return true; /* decoding reports the error */
    const kst_info *info = kst_decoder_info(s->decoder);
    if (info->width == s->width && info->height == s->height)
        return true;
    log_msg(LOG_LEVEL_WARNING, "%sa frame has %u x %u pixels instead of %u x %u\n", name, (unsigned)info->width,
        (unsigned)info->height, (unsigned)s->width, (unsigned)s->height);
    return false;
}

/* Return whether the planes are grey or three components of a sampling that the packing can hold. */
static bool fits(const struct state *s)
{
    const kst_image *image = &s->planes;
    bool good = image->plane_count == 1 || image->plane_count == 3;

    for (uint32_t i = 0; good && i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        good = !plane->is_signed && plane->depth <= 16 &&
               (plane->width == s->width || (i > 0 && plane->width == (s->width + 1) / 2)) &&
               (plane->height == s->height || (i > 0 && plane->height == (s->height + 1) / 2));
    }
    return good;
}

/*
 * Return a plane's row with the width and depth of the packing, converted in one of the rows kept for that if
 * necessary. Grey gets neutral chroma.
 */
static const void *fit_row(struct state *s, uint32_t index, uint32_t y)
{
    uint8_t *to = s->rows + (size_t)index * 2 * (s->width + 1);
    uint32_t depth = packing_depth(s->packing);
    uint32_t width = index == 0 || packing_is_rgb(s->packing) ? s->width : (s->width + 1) / 2;
    bool grey = index >= s->planes.plane_count;
    const kst_plane *plane = &s->planes.plane[grey ? 0 : index];

    if (grey && !packing_is_rgb(s->packing)) {
        for (uint32_t x = 0; x < width; x++)
            if (depth > 8)
                ((uint16_t *)(void *)to)[x] = (uint16_t)(1u << (depth - 1));
            else
                to[x] = 128;
        return to;
    }
    uint32_t row = plane->height < s->height ? y / 2 : y;
    const uint8_t *from = (const uint8_t *)plane->data + (ptrdiff_t)row * plane->pitch;
    if (plane->width == width && plane->depth == depth)
        return from;
    packing_fit(from, plane->width, plane->depth, to, width, depth);
    return to;
}

/* Copy planes to I420, which stores them one after the other without gaps. */
static bool copy_planes(const struct state *s, uint8_t *to)
{
    for (uint32_t i = 0; i < 3; i++) {
        const kst_plane *plane = &s->planes.plane[i];
        uint32_t width = i == 0 ? s->width : (s->width + 1) / 2, height = i == 0 ? s->height : (s->height + 1) / 2;
        if (s->planes.plane_count != 3 || plane->width != width || plane->height != height || plane->depth != 8)
            return false;
        for (uint32_t y = 0; y < height; y++, to += width)
            memcpy(to, (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch, width);
    }
    return true;
}

static decompress_status decode_packed(struct state *s, uint8_t *to, const void *data, size_t length)
{
    kst_report report;

    if (!has_size(s, data, length))
        return DECODER_NO_FRAME;
    kst_status status = decode_planes(s, data, length, &report);
    if (status)
        return fail(&report, status);
    if (!fits(s))
        return DECODER_UNSUPP_PIXFMT;
    if (s->packing == PACKING_I420)
        return copy_planes(s, to) ? DECODER_GOT_FRAME : DECODER_UNSUPP_PIXFMT;
    for (uint32_t y = 0; y < s->height; y++) {
        const void *planes[3];
        for (uint32_t i = 0; i < 3; i++)
            planes[i] = fit_row(s, i, y);
        packing_pack(s->packing, planes, s->width, to + y * s->pitch);
    }
    return DECODER_GOT_FRAME;
}

static decompress_status decompress(void *user, unsigned char *to, unsigned char *data, unsigned length, int number,
    struct video_frame_callbacks *callbacks, struct pixfmt_desc *internal)
{
    struct state *s = user;
    (void)number, (void)callbacks;

    if (s->out == VIDEO_CODEC_NONE) {
        kst_status status = kst_decoder_open(s->decoder, data, length);
        if (status)
            return fail(kst_decoder_report(s->decoder), status);
        describe(s, internal);
        return DECODER_GOT_CODEC;
    }
    return s->packing == PACKING_RGB || s->packing == PACKING_RGBA ? decode_in_place(s, to, data, length)
                                                                   : decode_packed(s, to, data, length);
}

/* Frames of which packets were lost are accepted, and decoded as far as possible. */
static int get_property(void *user, int property, void *value, size_t *length)
{
    (void)user;
    if (property != DECOMPRESS_PROPERTY_ACCEPTS_CORRUPTED_FRAME || *length < sizeof(int))
        return 0;
    *(int *)value = 1;
    *length = sizeof(int);
    return 1;
}

static int get_priority(codec_t compression, struct pixfmt_desc internal, codec_t out)
{
    enum packing packing = packing_made(out);

    if (!is_coded(compression))
        return PRIORITY_NONE;
    if (out == VIDEO_CODEC_NONE)
        return PRIORITY_PROBE;
    if (packing == PACKING_NONE || (packing == PACKING_RG48 && compression == JPEG)) /* because its planes are YCbCr */
        return PRIORITY_NONE;
    if (internal.depth == 0)
        return PRIORITY_UNKNOWN;
    if (internal.rgb != packing_is_rgb(packing) || (packing == PACKING_I420 && (int)internal.subsampling != 4200))
        return PRIORITY_NONE;
    bool deep = packing_depth(packing) > 8;
    return deep == (internal.depth > 8) ? PRIORITY_PREFERRED : PRIORITY_PREFERRED + 1;
}

static const struct video_decompress_info info = {
    .init = init,
    .reconfigure = reconfigure,
    .decompress = decompress,
    .get_property = get_property,
    .done = done,
    .get_decompress_priority = get_priority,
};

REGISTER_MODULE(kostka, &info, LIBRARY_CLASS_VIDEO_DECOMPRESS, VIDEO_DECOMPRESS_ABI_VERSION);
