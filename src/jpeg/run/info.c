/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes a parsed stream, including the quality that its quantisation tables stand for. */
#include "jpeg/run/info.h"

#include <string.h>

#include "jpeg/plan/encoding.h"

/*
 * Return whether a component's table is that of a quality. Lossless rotation by 90° transposes a picture's tables. The
 * first value rules out nearly all qualities, so that their tables need not be made.
 */
static bool is_table(const struct jpeg_component *component, int quality, uint16_t limit, bool transposed)
{
    int chroma = component->tq == 0 ? 0 : 1;
    for (uint32_t i = 0; i < 64; i++)
        if (component->quant[transposed ? i % 8 * 8 + i / 8 : i] != kst_jpeg_quality_value(quality, chroma, limit, i))
            return false;
    return true;
}

static bool has_quality(const struct jpeg_frame *frame, int quality, uint16_t limit, bool transposed)
{
    for (uint32_t i = 0; i < frame->component_count; i++)
        if (!is_table(&frame->component[i], quality, limit, transposed))
            return false;
    return true;
}

/*
 * Return the highest quality whose table has at least the first value of a component's table; 0 if there is none. A
 * higher quality never has a higher value.
 */
static int first_quality(const struct jpeg_component *component)
{
    int low = 0, high = 101;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (kst_jpeg_quality_value(middle, component->tq != 0, 32767, 0) >= component->quant[0])
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Return the highest quality for which scaling the tables of Annex K gives these tables; 0 if there is none. */
static int find_quality(const struct jpeg_frame *frame)
{
    for (int quality = first_quality(frame->component); quality >= 1; quality--)
        for (int transposed = 0; transposed < 2; transposed++)
            if (has_quality(frame, quality, 255, transposed) || has_quality(frame, quality, 32767, transposed))
                return quality;
    return 0;
}

static void describe_component(const struct jpeg_component *c, uint8_t depth, kst_component_info *info)
{
    *info = (kst_component_info){.width = c->width,
        .height = c->height,
        .id = c->id,
        .h = c->h,
        .v = c->v,
        .depth = depth,
        .quant_table = c->tq};
}

static void describe_headers(const struct jpeg_headers *headers, kst_info *info)
{
    info->jfif = headers->has_jfif;
    info->adobe = headers->has_adobe;
    info->adobe_transform = headers->adobe_transform;
    info->jfif_version = (uint16_t)(headers->jfif.major << 8 | headers->jfif.minor);
    info->density_unit =
        headers->jfif.unit <= KST_DENSITY_CM ? (kst_density_unit)headers->jfif.unit : KST_DENSITY_RATIO;
    info->density_x = headers->jfif.x;
    info->density_y = headers->jfif.y;
}

void kst_jpeg_run_info(const struct jpeg_stream *stream, int orientation, kst_info *info)
{
    const struct jpeg_plan *plan = &stream->plan;
    const struct jpeg_frame *frame = &plan->frame;
    *info = (kst_info){.size = sizeof *info,
        .codec = KST_CODEC_JPEG,
        .process = frame->process,
        .colour = frame->colour,
        .width = frame->width,
        .height = frame->height,
        .component_count = frame->component_count,
        .scans = plan->scan_count,
        .restart_interval = plan->scan[0].restart_interval,
        .orientation = orientation,
        .quality = find_quality(frame)};
    bool one = frame->component_count == 1; /* a data unit, whatever its factors (A.2.2) */
    info->mcu_width = kst_jpeg_frame_unit(frame) * (one ? 1U : frame->hmax);
    info->mcu_height = kst_jpeg_frame_unit(frame) * (one ? 1U : frame->vmax);
    for (uint32_t i = 0; i < frame->component_count; i++) {
        describe_component(&frame->component[i], frame->precision, &info->component[i]);
        memcpy(info->quant_table[i], frame->component[i].quant, sizeof info->quant_table[i]);
    }
    for (uint32_t i = 0; i < plan->segment_count; i++)
        info->entropy_bytes += plan->segment[i].length;
    describe_headers(&stream->headers, info);
}
