/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernels are told of a picture's pixels, and how these come to the caller's image. */
#include <string.h>

#include "gpu/jpeg_builder.h"

static bool is_raw(const struct jpeg_output *output)
{
    return output->conversion == JPEG_CONVERT_RAW;
}

/* Bytes of a row of the output. Rows have room for whole fours of pixels. */
static uint32_t output_pitch(const struct jpeg_output *output, uint32_t channels)
{
    return kst_divide_up((output->region.width + 3) / 4 * 4 * (uint64_t)channels, 16) * 16;
}

void kst_gpu_output_size(const struct jpeg_gpu_item *item, struct jpeg_gpu_size *size)
{
    const struct jpeg_output *output = &item->output;
    const struct jpeg_scan_geometry *geometry = &item->plan->scan->geometry;
    uint64_t blocks = (uint64_t)geometry->mcus_w * geometry->mcus_h * geometry->mcu_blocks;
    size->planes += blocks * 8;
    size->groups[WORK_OF_BLOCKS] += kst_divide_up(blocks, WORK_BLOCKS);
    if (is_raw(output))
        return;
    uint32_t channels = kst_format_channels(output->image.format);
    uint32_t planes = channels ? 1 : output->image.plane_count;
    if (!item->direct.buffer)
        size->pixels += (uint64_t)output_pitch(output, channels ? channels : 1) * output->region.height * planes / 16;
    size->groups[WORK_OF_PIXELS] += (uint64_t)kst_divide_up(output->region.width, WORK_PIXELS) * output->region.height;
}

static uint32_t upsampling_of(enum jpeg_upsampling upsampling)
{
    static const uint32_t kinds[] = {[JPEG_UPSAMPLE_NONE] = WORK_NONE,
        [JPEG_UPSAMPLE_H2V1] = WORK_H2V1,
        [JPEG_UPSAMPLE_H1V2] = WORK_H1V2,
        [JPEG_UPSAMPLE_H2V2] = WORK_H2V2,
        [JPEG_REPLICATE] = WORK_REPLICATE};
    return kinds[upsampling];
}

static void write_components(struct builder *builder, const struct jpeg_gpu_item *item, struct work_picture *picture)
{
    const struct jpeg_output *output = &item->output;
    const struct jpeg_scan *scan = item->plan->scan;
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_component *c = &output->frame.component[i];
        const struct jpeg_view *view = &output->view[i];
        struct work_component *out = &picture->component[i];
        *out = (struct work_component){.plane = (uint32_t)builder->used.planes,
            .pitch = scan->geometry.mcus_w * c->h,
            .width = view->width,
            .height = view->height,
            .h = c->h,
            .v = c->v,
            .upsampling = upsampling_of(view->upsampling),
            .h_in = view->h_in,
            .h_out = view->h_out,
            .v_in = view->v_in,
            .v_out = view->v_out};
        for (uint32_t j = 0; j < 64; j++)
            out->quant[j] = c->quant[j % 8 * 8 + j / 8];
        builder->used.planes += (uint64_t)out->pitch * scan->geometry.mcus_h * c->v * 8;
    }
}

static uint32_t conversion_of(enum jpeg_conversion conversion)
{
    static const uint32_t kinds[] = {[JPEG_CONVERT_RAW] = WORK_COPY,
        [JPEG_CONVERT_COPY] = WORK_COPY,
        [JPEG_CONVERT_GREY] = WORK_GREY,
        [JPEG_CONVERT_YCC] = WORK_YCC,
        [JPEG_CONVERT_RGB] = WORK_COPY,
        [JPEG_CONVERT_RGB_GREY] = WORK_RGB_TO_GREY,
        [JPEG_CONVERT_YCC_PLANAR] = WORK_YCC,
        [JPEG_CONVERT_CMYK] = WORK_COPY,
        [JPEG_CONVERT_YCCK] = WORK_YCCK,
        [JPEG_CONVERT_YCCK_PLANAR] = WORK_YCCK,
        [JPEG_CONVERT_CMYK_RGB] = WORK_CMYK_TO_RGB,
        [JPEG_CONVERT_YCCK_RGB] = WORK_YCCK_TO_RGB};
    return kinds[conversion];
}

static void write_direct(const struct jpeg_gpu_direct *direct, struct work_picture *picture)
{
    picture->output = (uint32_t)(direct->offset / 4);
    picture->output_address[0] = (uint32_t)direct->address;
    picture->output_address[1] = (uint32_t)(direct->address >> 32);
    picture->output_pitch = direct->pitch;
    picture->output_plane = direct->plane;
}

static void write_buffered(struct builder *builder, const struct jpeg_output *output, struct work_picture *picture)
{
    bool planar = kst_format_channels(output->image.format) == 0;
    picture->output = (uint32_t)builder->used.pixels * 4;
    picture->output_pitch = output_pitch(output, planar ? 1 : picture->channels);
    picture->output_plane = planar ? picture->output_pitch * picture->height : 0;
    builder->used.pixels += (uint64_t)picture->output_pitch * picture->height * (planar ? picture->channels : 1) / 16;
}

static void write_pixels(struct builder *builder, const struct jpeg_gpu_item *item, struct work_picture *picture)
{
    const struct jpeg_output *output = &item->output;
    uint32_t channels = kst_format_channels(output->image.format);
    bool planar = channels == 0;
    bool first_only = output->conversion == JPEG_CONVERT_GREY || output->image.format == KST_FORMAT_GREY;
    picture->x = output->region.x;
    picture->y = output->region.y;
    picture->width = output->region.width;
    picture->height = output->region.height;
    picture->components = output->frame.component_count;
    if (first_only && output->conversion != JPEG_CONVERT_RGB_GREY)
        picture->components = 1;
    picture->channels = planar ? output->image.plane_count : channels;
    picture->conversion = conversion_of(output->conversion);
    picture->red = output->layout == JPEG_LAYOUT_BGR || output->layout == JPEG_LAYOUT_BGRA ? 2 : 0;
    picture->alpha = output->alpha;
    if (is_raw(output))
        return;
    if (item->direct.buffer)
        write_direct(&item->direct, picture);
    else
        write_buffered(builder, output, picture);
    builder->used.groups[WORK_OF_PIXELS] += (uint64_t)kst_divide_up(picture->width, WORK_PIXELS) * picture->height;
}

void kst_gpu_output_write(struct builder *builder, const struct jpeg_gpu_item *item, struct work_picture *picture)
{
    write_components(builder, item, picture);
    write_pixels(builder, item, picture);
    builder->used.groups[WORK_OF_BLOCKS] += kst_divide_up(picture->blocks, WORK_BLOCKS);
}

static void fetch_plane(const kst_plane *plane, size_t row, const uint8_t *from, size_t pitch)
{
    for (uint32_t y = 0; y < plane->height; y++)
        memcpy((uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch, from + y * pitch, row);
}

static uint32_t minimum(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void fetch_raw(const struct jpeg_output *output, const struct work_picture *picture, const uint8_t *from)
{
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_component *c = &output->frame.component[i];
        const struct work_component *w = &picture->component[i];
        uint32_t left = minimum(output->region.x * c->h / output->frame.hmax, w->width - 1);
        uint32_t top = minimum(output->region.y * c->v / output->frame.vmax, w->height - 1);
        size_t pitch = (size_t)w->pitch * 8;
        fetch_plane(&output->image.plane[i], output->image.plane[i].width,
            from + (size_t)w->plane * 8 + top * pitch + left, pitch);
    }
}

void kst_gpu_jpeg_fetch(
    const struct jpeg_gpu_item *item, const struct work_picture *picture, const uint8_t *pixels, const uint8_t *planes)
{
    const struct jpeg_output *output = &item->output;
    if (is_raw(output)) {
        fetch_raw(output, picture, planes);
        return;
    }
    const uint8_t *from = pixels + (size_t)picture->output * 4;
    size_t row = (size_t)picture->width * (picture->output_plane ? 1 : picture->channels);
    for (uint32_t i = 0; i < output->image.plane_count; i++)
        fetch_plane(&output->image.plane[i], row, from + (size_t)i * picture->output_plane, picture->output_pitch);
}
