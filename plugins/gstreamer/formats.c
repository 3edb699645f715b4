/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps GStreamer's formats of frames to images. */
#include "formats.h"

#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define NATIVE(name) GST_VIDEO_FORMAT_##name##LE
#else
#define NATIVE(name) GST_VIDEO_FORMAT_##name##BE
#endif
#define BOTH ((kst_codec)(KST_CODEC_JPEG | KST_CODEC_JPEG2000))

/* Planes come first, because the codecs code planes, so that nothing is converted. */
const KostkaFormat kostka_formats[] = {
    {GST_VIDEO_FORMAT_I420, KST_FORMAT_RAW, BOTH, FALSE},
    {GST_VIDEO_FORMAT_YV12, KST_FORMAT_RAW, BOTH, FALSE},
    {GST_VIDEO_FORMAT_Y42B, KST_FORMAT_RAW, BOTH, FALSE},
    {GST_VIDEO_FORMAT_Y444, KST_FORMAT_RAW, BOTH, FALSE},
    {GST_VIDEO_FORMAT_Y41B, KST_FORMAT_RAW, BOTH, FALSE},
    {GST_VIDEO_FORMAT_GRAY8, KST_FORMAT_RAW, BOTH, FALSE},
    {NATIVE(I420_10), KST_FORMAT_RAW, KST_CODEC_JPEG2000, FALSE},
    {NATIVE(I422_10), KST_FORMAT_RAW, KST_CODEC_JPEG2000, FALSE},
    {NATIVE(Y444_10), KST_FORMAT_RAW, KST_CODEC_JPEG2000, FALSE},
    {NATIVE(I420_12), KST_FORMAT_RAW, KST_CODEC_JPEG2000, FALSE},
    {NATIVE(I422_12), KST_FORMAT_RAW, KST_CODEC_JPEG2000, FALSE},
    {NATIVE(Y444_12), KST_FORMAT_RAW, KST_CODEC_JPEG2000, FALSE},
    {NATIVE(Y444_16), KST_FORMAT_RAW, KST_CODEC_JPEG2000, FALSE},
    {NATIVE(GRAY16_), KST_FORMAT_RAW, KST_CODEC_JPEG2000, TRUE},
    {NATIVE(GBR_10), KST_FORMAT_RAW, KST_CODEC_JPEG2000, FALSE},
    {NATIVE(GBR_12), KST_FORMAT_RAW, KST_CODEC_JPEG2000, FALSE},
    {NATIVE(RGBA64_), KST_FORMAT_RGBA, KST_CODEC_JPEG2000, TRUE},
    {GST_VIDEO_FORMAT_RGB, KST_FORMAT_RGB, BOTH, FALSE},
    {GST_VIDEO_FORMAT_BGR, KST_FORMAT_BGR, BOTH, FALSE},
    {GST_VIDEO_FORMAT_RGBx, KST_FORMAT_RGBA, BOTH, FALSE},
    {GST_VIDEO_FORMAT_BGRx, KST_FORMAT_BGRA, BOTH, FALSE},
    {GST_VIDEO_FORMAT_RGBA, KST_FORMAT_RGBA, BOTH, FALSE},
    {GST_VIDEO_FORMAT_BGRA, KST_FORMAT_BGRA, BOTH, FALSE},
    {GST_VIDEO_FORMAT_UNKNOWN, KST_FORMAT_AUTO, KST_CODEC_NONE, FALSE},
};

const KostkaFormat *kostka_format_of(GstVideoFormat video)
{
    const KostkaFormat *format = kostka_formats;

    while (format->video != GST_VIDEO_FORMAT_UNKNOWN && format->video != video)
        format++;
    return format->video == GST_VIDEO_FORMAT_UNKNOWN ? NULL : format;
}

GstCaps *kostka_format_caps(kst_codec codec, gint side)
{
    GValue list = G_VALUE_INIT, name = G_VALUE_INIT;
    GstCaps *caps = gst_caps_new_simple("video/x-raw", "width", GST_TYPE_INT_RANGE, 1, side, "height",
        GST_TYPE_INT_RANGE, 1, side, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, NULL);

    g_value_init(&list, GST_TYPE_LIST);
    g_value_init(&name, G_TYPE_STRING);
    for (const KostkaFormat *format = kostka_formats; format->video != GST_VIDEO_FORMAT_UNKNOWN; format++)
        if ((format->codecs & codec) != 0) {
            g_value_set_string(&name, gst_video_format_to_string(format->video));
            gst_value_list_append_value(&list, &name);
        }
    gst_caps_set_value(caps, "format", &list);
    g_value_unset(&name);
    g_value_unset(&list);
    return caps;
}

static kst_colour colour_of(const GstVideoFormatInfo *info)
{
    return GST_VIDEO_FORMAT_INFO_IS_RGB(info)    ? KST_COLOUR_RGB
           : GST_VIDEO_FORMAT_INFO_IS_GRAY(info) ? KST_COLOUR_GREY
                                                 : KST_COLOUR_YCBCR;
}

void kostka_frame_image(const GstVideoFrame *frame, guint depth, kst_image *image)
{
    const KostkaFormat *format = kostka_format_of(GST_VIDEO_FRAME_FORMAT(frame));
    gboolean planes = format->pixels == KST_FORMAT_RAW;

    kst_image_init(image);
    image->format = format->pixels;
    image->colour = colour_of(frame->info.finfo);
    image->width = (uint32_t)GST_VIDEO_FRAME_WIDTH(frame);
    image->height = (uint32_t)GST_VIDEO_FRAME_HEIGHT(frame);
    image->plane_count = planes ? GST_VIDEO_FRAME_N_COMPONENTS(frame) : 1;
    for (guint i = 0; i < image->plane_count; i++) {
        kst_plane *plane = &image->plane[i];
        plane->data = planes ? GST_VIDEO_FRAME_COMP_DATA(frame, i) : GST_VIDEO_FRAME_PLANE_DATA(frame, 0);
        plane->pitch = planes ? GST_VIDEO_FRAME_COMP_STRIDE(frame, i) : GST_VIDEO_FRAME_PLANE_STRIDE(frame, 0);
        plane->width = planes ? (uint32_t)GST_VIDEO_FRAME_COMP_WIDTH(frame, i) : image->width;
        plane->height = planes ? (uint32_t)GST_VIDEO_FRAME_COMP_HEIGHT(frame, i) : image->height;
        plane->depth = (uint8_t)(depth != 0 ? depth : GST_VIDEO_FRAME_COMP_DEPTH(frame, i));
    }
}

void kostka_image_field(const kst_image *whole, guint first, kst_image *rows)
{
    *rows = *whole;
    rows->height = whole->height / 2;
    for (guint i = 0; i < whole->plane_count; i++) {
        kst_plane *plane = &rows->plane[i];
        plane->data = (uint8_t *)plane->data + (ptrdiff_t)first * plane->pitch;
        plane->pitch *= 2;
        plane->height /= 2;
    }
}

static gboolean planes_fit(const KostkaFormat *format, const GstVideoFormatInfo *info, const kst_image *image)
{
    for (guint i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        guint depth = plane->depth == 0 ? 8 : plane->depth, full = GST_VIDEO_FORMAT_INFO_DEPTH(info, i);
        gboolean deep = format->scaled ? depth > 8 && depth <= full : depth == full;
        if (plane->is_signed || !deep ||
            plane->width != (guint)GST_VIDEO_FORMAT_INFO_SCALE_WIDTH(info, i, image->width) ||
            plane->height != (guint)GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(info, i, image->height))
            return FALSE;
    }
    return TRUE;
}

/* Return whether an image can be converted to a format of interleaved pixels. */
static gboolean converts(const KostkaFormat *format, const GstVideoFormatInfo *info, const kst_image *image)
{
    guint depth = image->plane[0].depth == 0 ? 8 : image->plane[0].depth, full = GST_VIDEO_FORMAT_INFO_DEPTH(info, 0);

    return image->plane_count <= 4 && (format->scaled ? depth > 8 && depth <= full : depth == full);
}

gboolean kostka_format_fits(const KostkaFormat *format, const kst_image *image, gboolean rgb)
{
    const GstVideoFormatInfo *info = gst_video_format_get_info(format->video);

    if (format->pixels != KST_FORMAT_RAW)
        return converts(format, info, image);
    return image->plane_count == GST_VIDEO_FORMAT_INFO_N_COMPONENTS(info) &&
           (image->plane_count == 1 || rgb == (gboolean)GST_VIDEO_FORMAT_INFO_IS_RGB(info)) &&
           planes_fit(format, info, image);
}

/* Copy a row of samples of one or two bytes to every `step`-th sample. */
static void spread_row(const guint8 *from, guint8 *to, guint count, guint bytes, guint step)
{
    for (guint x = 0; x < count; x++)
        for (guint i = 0; i < bytes; i++)
            to[x * step * bytes + i] = from[x * bytes + i];
}

void kostka_image_interleave(const kst_image *planes, const kst_image *pixels)
{
    const kst_plane *to = &pixels->plane[0];
    guint channels = kst_format_channels(pixels->format), bytes = to->depth > 8 ? 2 : 1;
    gboolean reversed = pixels->format == KST_FORMAT_BGR || pixels->format == KST_FORMAT_BGRA;

    for (guint c = 0; c < channels; c++) {
        const kst_plane *from = &planes->plane[reversed && c < 3 ? 2 - c : c];
        for (guint y = 0; y < pixels->height; y++)
            spread_row((const guint8 *)from->data + (ptrdiff_t)y * from->pitch,
                (guint8 *)to->data + (ptrdiff_t)y * to->pitch + c * bytes, pixels->width, bytes, channels);
    }
}

void kostka_image_shift(const kst_image *image, guint bits)
{
    for (guint i = 0; i < image->plane_count; i++) {
        const kst_plane *plane = &image->plane[i];
        guint count = plane->width * (image->format == KST_FORMAT_RAW ? 1 : kst_format_channels(image->format));
        for (guint y = 0; y < plane->height; y++) {
            uint16_t *row = (uint16_t *)(void *)((uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch);
            for (guint x = 0; x < count; x++)
                row[x] = (uint16_t)(row[x] << bits);
        }
    }
}
