/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes the pixels of a picture for the kernels, and their way to the caller's image. */
#include <string.h>

#include "device/float_bits.h"
#include "image/format.h"
#include "image/orient.h"
#include "jpeg/gpu/builder.h"

static bool is_raw(const struct jpeg_output *output)
{
    return output->conversion == JPEG_CONVERT_RAW;
}

/*
 * Return the number of bytes from one row of the output to the next, for pixels of `pixel` bytes. Rows have room for a
 * multiple of four pixels.
 */
static uint32_t output_pitch(uint32_t width, uint32_t pixel)
{
    return jpeg_gpu_divide_up((width + 3) / 4 * 4 * (uint64_t)pixel, 16) * 16;
}

static uint32_t minimum(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

bool kst_jpeg_gpu_is_turned(const struct jpeg_gpu_item *item)
{
    return item->orientation > 1;
}

/* Holds width and height in pixels, either as stored or as they come out after turning, and the bytes of a sample. */
struct sides {
    uint32_t width, height, sample;
};

/* Return the sides before turning. A picture that is to be turned is first stored as bytes. */
static struct sides stored_sides(const struct jpeg_gpu_item *item)
{
    return (struct sides){item->output.region.width, item->output.region.height,
        kst_jpeg_gpu_is_turned(item) ? 1 : kst_plane_sample_bytes(&item->output.image.plane[0])};
}

static struct sides turned_sides(const struct jpeg_gpu_item *item)
{
    struct sides sides = stored_sides(item);
    sides.sample = kst_plane_sample_bytes(&item->output.image.plane[0]);
    if (kst_orientation_swaps(item->orientation)) {
        sides.width = item->output.region.height;
        sides.height = item->output.region.width;
    }
    return sides;
}

/* Return the number of blocks in a row, and of rows of blocks, in the wanted part of a component. */
static uint32_t blocks_w(const struct jpeg_output *output, uint32_t component)
{
    return output->mcu_count * output->frame.component[component].h;
}

static uint32_t blocks_h(const struct jpeg_output *output, uint32_t component)
{
    return output->row_count * output->frame.component[component].v;
}

/* Return the pitch of a plane in units of 16 samples, as lengths of planes are. */
static uint32_t plane_pitch(const struct jpeg_output *output, uint32_t component)
{
    return jpeg_gpu_divide_up((uint64_t)blocks_w(output, component) * output->scaled[component].block, 16);
}

static uint64_t plane_length(const struct jpeg_output *output, uint32_t component)
{
    return (uint64_t)plane_pitch(output, component) * blocks_h(output, component) * output->scaled[component].block;
}

/* Return whether the first component alone makes the pixels. */
static bool is_grey(const struct jpeg_output *output)
{
    bool grey = output->conversion == JPEG_CONVERT_GREY || output->image.format == KST_FORMAT_GREY;
    return (grey && output->conversion != JPEG_CONVERT_RGB_GREY) || output->frame.component_count == 1;
}

static uint32_t channels_of(const struct jpeg_output *output)
{
    uint32_t channels = kst_format_channels(output->image.format);
    return channels ? channels : output->image.plane_count;
}

/* Return the left edge of the region, in pixels from the left of the wanted MCUs. */
static uint32_t region_left(const struct jpeg_output *output)
{
    return output->region.x - output->first_mcu * output->frame.hmax * (output->mcu_lines / output->frame.vmax);
}

static uint32_t region_top(const struct jpeg_output *output)
{
    return output->region.y - output->first_row * output->mcu_lines;
}

/* Return whether the kernel of jpeg/kernels/tiles.h can make the pixels. */
static bool is_tiled(const struct jpeg_output *output)
{
    const struct jpeg_scaled *scaled = output->scaled;
    enum jpeg_upsampling chroma = scaled[1].upsampling;
    if (scaled[0].upsampling != JPEG_UPSAMPLE_NONE || region_left(output) % 16 != 0)
        return false;
    if (is_grey(output))
        return true;
    return output->frame.component_count == 3 && channels_of(output) >= 3 && scaled[2].upsampling == chroma &&
           (chroma == JPEG_UPSAMPLE_NONE || chroma == JPEG_UPSAMPLE_H2V1 || chroma == JPEG_UPSAMPLE_H2V2);
}

static void add_groups(const struct jpeg_gpu_item *item, struct jpeg_gpu_size *size)
{
    const struct jpeg_output *output = &item->output;
    const kst_region *region = &output->region;
    const struct sides turned = turned_sides(item);
    if (kst_jpeg_gpu_is_turned(item))
        size->groups[WORK_OF_TURNS] += (uint64_t)jpeg_gpu_divide_up(turned.width, WORK_TURN_SIDE) *
                                       jpeg_gpu_divide_up(turned.height, WORK_TURN_SIDE);
    if (is_tiled(output))
        size->groups[WORK_OF_TILES] += (uint64_t)jpeg_gpu_divide_up(region->width, WORK_TILE_WIDTH) *
                                       jpeg_gpu_divide_up(region->height, WORK_TILE_HEIGHT);
    else
        size->groups[WORK_OF_PIXELS] += (uint64_t)jpeg_gpu_divide_up(region->width, WORK_PIXELS) * region->height;
}

/* Return the units of 16 bytes that the pixels take in the buffer of pixels. */
static uint64_t buffered_pixels(const struct jpeg_output *output, struct sides sides)
{
    uint32_t channels = kst_format_channels(output->image.format);
    uint32_t planes = channels ? 1 : output->image.plane_count;
    return (uint64_t)output_pitch(sides.width, (channels ? channels : 1) * sides.sample) * sides.height * planes / 16;
}

/* Describes a scan that the device decodes and that holds a component. */
struct found_scan {
    uint32_t index;
    uint32_t in_mcu;     /* place in an MCU at which the component's blocks begin */
    uint32_t components; /* number of components in the scan */
    struct jpeg_scan_geometry geometry;
};

static struct found_scan find_scan(const struct jpeg_gpu_item *item, uint32_t component)
{
    for (uint32_t index = 0;; index++) {
        struct jpeg_scan room;
        const struct jpeg_scan *scan = kst_jpeg_gpu_scan(item->plan, index, &room);
        uint32_t in_mcu = 0;
        for (uint32_t i = 0; i < scan->component_count; i++) {
            const struct jpeg_component *c = &item->output.frame.component[scan->component[i]];
            if (scan->component[i] == component)
                return (struct found_scan){index, in_mcu, scan->component_count, scan->geometry};
            in_mcu += (uint32_t)c->h * c->v;
        }
    }
}

/*
 * Holds the wanted blocks of a component, horizontally and vertically, as far as they exist. A scan of one component
 * has only the blocks that hold samples (T.81 A.2.2), and nothing is made of the others.
 */
struct extent {
    uint32_t w, h;
};

static struct extent find_extent(const struct jpeg_gpu_item *item, uint32_t component)
{
    const struct jpeg_output *output = &item->output;
    const struct jpeg_component *c = &output->frame.component[component];
    struct extent extent = {blocks_w(output, component), blocks_h(output, component)};
    if (item->coefficients.copy || find_scan(item, component).components > 1)
        return extent;
    extent.w = minimum(extent.w, c->blocks_w - output->first_mcu * c->h);
    extent.h = minimum(extent.h, c->blocks_h - output->first_row * c->v);
    return extent;
}

void kst_jpeg_gpu_output_size(const struct jpeg_gpu_item *item, struct jpeg_gpu_size *size)
{
    const struct jpeg_output *output = &item->output;
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        if (!output->scaled[i].needed)
            continue;
        struct extent extent = find_extent(item, i);
        uint64_t blocks = (uint64_t)extent.w * extent.h;
        size->planes += plane_length(output, i);
        size->groups[WORK_OF_BLOCKS] += jpeg_gpu_divide_up(blocks, WORK_BLOCKS);
        size->copied += item->coefficients.copy ? blocks : 0;
    }
    if (is_raw(output))
        return;
    if (kst_jpeg_gpu_is_turned(item) || !item->direct.buffer)
        size->pixels += buffered_pixels(output, stored_sides(item));
    if (kst_jpeg_gpu_is_turned(item) && !item->direct.buffer)
        size->pixels += buffered_pixels(output, turned_sides(item));
    add_groups(item, size);
}

/* Describe where scans that were decoded on the device left the component's blocks: MCU after MCU. */
static void place_decoded(const struct jpeg_gpu_item *item, const struct jpeg_work_picture *picture,
    const struct jpeg_work_picture *others, uint32_t component, struct jpeg_work_component *out)
{
    const struct jpeg_output *output = &item->output;
    const struct jpeg_component *c = &output->frame.component[component];
    const struct found_scan scan = find_scan(item, component);
    uint32_t mcu = scan.geometry.mcu_blocks, row = scan.geometry.mcus_w * mcu;
    out->block = scan.index > 0 ? others[scan.index - 1].block : picture->block;
    if (scan.components == 1) {
        out->block += output->first_row * c->v * row + output->first_mcu * c->h;
        out->below = row;
        return;
    }
    out->block += output->first_row * row + output->first_mcu * mcu + scan.in_mcu;
    out->below = c->h;
    out->next_mcu = mcu - c->h;
    out->next_row = row - (uint32_t)c->h * c->v;
}

/* Describe where coefficients from elsewhere are placed: the wanted blocks, one row after the other. */
static void place_copied(struct jpeg_gpu_builder *builder, struct jpeg_work_component *out)
{
    out->below = out->blocks_w;
    out->block = (uint32_t)(builder->decoded + builder->used.copied);
    builder->used.copied += out->blocks;
}

static void describe_component(const struct jpeg_gpu_item *item, uint32_t component, struct jpeg_work_component *out)
{
    const struct jpeg_output *output = &item->output;
    const struct extent extent = find_extent(item, component);
    const struct jpeg_component *c = &output->frame.component[component];
    const struct jpeg_scaled *scaled = &output->scaled[component];
    uint32_t lines = output->row_count * scaled->mcu_rows;
    *out = (struct jpeg_work_component){.pitch = plane_pitch(output, component),
        .width = scaled->count,
        .height = minimum(scaled->height - output->first_row * scaled->mcu_rows, lines),
        .width_share = jpeg_gpu_divide_up(1 << 16, c->h),
        .height_share = jpeg_gpu_divide_up(1 << 16, c->v),
        .blocks_w = extent.w,
        .blocks = extent.w * extent.h,
        .scale = (uint32_t)__builtin_ctz(8 / scaled->block),
        .upsampling = scaled->upsampling,
        .h_in = scaled->h_in,
        .h_out = scaled->h_out,
        .v_in = scaled->v_in,
        .v_out = scaled->v_out};
    for (uint32_t i = 0; i < 32; i++) { /* kernels read them by columns, two in a word */
        const uint16_t *upper = &c->quant[2 * i % 8 * 8 + i / 4];
        out->quant[i] = upper[0] | (uint32_t)upper[8] << 16;
    }
}

static void write_components(struct jpeg_gpu_builder *builder, const struct jpeg_gpu_item *item,
    const struct jpeg_work_picture *others, struct jpeg_work_picture *picture)
{
    const struct jpeg_output *output = &item->output;
    uint64_t first = builder->used.groups[WORK_OF_BLOCKS];
    picture->raster = item->coefficients.copy != NULL;
    for (uint32_t i = 0; i < WORK_COMPONENTS; i++) {
        struct jpeg_work_component *out = &picture->component[i];
        picture->component_group[i] = (uint32_t)(builder->used.groups[WORK_OF_BLOCKS] - first);
        if (i >= output->frame.component_count || !output->scaled[i].needed)
            continue;
        describe_component(item, i, out);
        out->plane = (uint32_t)builder->used.planes;
        if (item->coefficients.copy)
            place_copied(builder, out);
        else
            place_decoded(item, picture, others, i, out);
        builder->used.planes += plane_length(output, i);
        builder->used.groups[WORK_OF_BLOCKS] += jpeg_gpu_divide_up(out->blocks, WORK_BLOCKS);
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

/* Holds the place in a buffer, or the address, that pixels go to. */
struct output_place {
    uint32_t first, pitch, plane; /* `first` is in units of 4 bytes, the others are in bytes */
    uint32_t address[2];
};

static struct output_place direct_place(const struct jpeg_gpu_direct *direct)
{
    return (struct output_place){.first = (uint32_t)(direct->offset / 4),
        .pitch = direct->pitch,
        .plane = direct->plane,
        .address = {(uint32_t)direct->address, (uint32_t)(direct->address >> 32)}};
}

/* Take the next place in the buffer of pixels. */
static struct output_place buffered_place(
    struct jpeg_gpu_builder *builder, const struct jpeg_output *output, struct sides sides)
{
    uint32_t channels = kst_format_channels(output->image.format);
    struct output_place place = {.first = (uint32_t)builder->used.pixels * 4,
        .pitch = output_pitch(sides.width, (channels ? channels : 1) * sides.sample)};
    place.plane = channels ? 0 : place.pitch * sides.height;
    builder->used.pixels += buffered_pixels(output, sides);
    return place;
}

/* A picture that is turned is first written to the buffer of pixels as it is stored. */
static void write_places(
    struct jpeg_gpu_builder *builder, const struct jpeg_gpu_item *item, struct jpeg_work_picture *picture)
{
    bool turned = kst_jpeg_gpu_is_turned(item), direct = item->direct.buffer;
    struct output_place place =
        direct && !turned ? direct_place(&item->direct) : buffered_place(builder, &item->output, stored_sides(item));
    picture->output = place.first;
    picture->output_pitch = place.pitch;
    picture->output_plane = place.plane;
    memcpy(picture->output_address, place.address, sizeof place.address);
    if (!turned)
        return;
    place = direct ? direct_place(&item->direct) : buffered_place(builder, &item->output, turned_sides(item));
    picture->orientation = (uint32_t)item->orientation;
    picture->turned = place.first;
    picture->turned_pitch = place.pitch;
    picture->turned_plane = place.plane;
    memcpy(picture->turned_address, place.address, sizeof place.address);
}

static void write_normal(const struct jpeg_gpu_item *item, struct jpeg_work_picture *picture)
{
    static const uint32_t kinds[] = {
        [KST_SAMPLE_INTEGER] = WORK_BYTES, [KST_SAMPLE_FLOAT16] = WORK_HALVES, [KST_SAMPLE_FLOAT32] = WORK_FLOATS};
    uint32_t sample = kinds[item->output.image.plane[0].sample];
    picture->sample = kst_jpeg_gpu_is_turned(item) ? WORK_BYTES : sample;
    picture->turned_sample = sample;
    picture->ragged = item->direct.buffer && item->direct.ragged;
    for (int i = 0; i < 4 && sample != WORK_BYTES; i++) {
        picture->mean[i] = gpu_float_bits(item->normal.mean[i]);
        picture->scale[i] = gpu_float_bits(item->normal.scale[i]);
    }
}

static void write_pixels(
    struct jpeg_gpu_builder *builder, const struct jpeg_gpu_item *item, struct jpeg_work_picture *picture)
{
    const struct jpeg_output *output = &item->output;
    picture->x = region_left(output);
    picture->y = region_top(output);
    picture->width = output->region.width;
    picture->height = output->region.height;
    picture->components = is_grey(output) ? 1 : output->frame.component_count;
    picture->channels = channels_of(output);
    picture->conversion = conversion_of(output->conversion);
    picture->red = kst_pixel_place(kst_pixel_layout(output->image.format), 0);
    picture->alpha = output->alpha;
    if (is_raw(output))
        return;
    write_places(builder, item, picture);
    write_normal(item, picture);
    add_groups(item, &builder->used);
}

void kst_jpeg_gpu_output_write(struct jpeg_gpu_builder *builder, const struct jpeg_gpu_item *item,
    const struct jpeg_work_picture *others, struct jpeg_work_picture *picture)
{
    write_components(builder, item, others, picture);
    write_pixels(builder, item, picture);
}

static struct jpeg_gpu_plane raw_plane(
    const struct jpeg_output *output, const struct jpeg_work_picture *picture, uint32_t index)
{
    const struct jpeg_component *c = &output->frame.component[index];
    const struct jpeg_scaled *scaled = &output->scaled[index];
    const struct jpeg_work_component *w = &picture->component[index];
    const kst_plane *plane = &output->image.plane[index];
    size_t left = minimum(output->region.x * c->h / output->frame.hmax, scaled->width - 1) - scaled->first;
    size_t top = minimum(output->region.y * c->v / output->frame.vmax, scaled->height - 1) -
                 output->first_row * scaled->mcu_rows;
    size_t pitch = (size_t)w->pitch * 16;
    return (struct jpeg_gpu_plane){.offset = (size_t)w->plane * 16 + top * pitch + left,
        .pitch = pitch,
        .row = plane->width,
        .rows = plane->height};
}

bool kst_jpeg_gpu_is_raw(const struct jpeg_gpu_item *item)
{
    return is_raw(&item->output);
}

struct jpeg_gpu_plane kst_jpeg_gpu_plane(
    const struct jpeg_gpu_item *item, const struct jpeg_work_picture *picture, uint32_t index)
{
    if (is_raw(&item->output))
        return raw_plane(&item->output, picture, index);
    bool turned = kst_jpeg_gpu_is_turned(item);
    uint32_t first = turned ? picture->turned : picture->output;
    uint32_t step = turned ? picture->turned_plane : picture->output_plane;
    struct sides sides = turned_sides(item);
    return (struct jpeg_gpu_plane){.offset = (size_t)first * 4 + (size_t)index * step,
        .pitch = turned ? picture->turned_pitch : picture->output_pitch,
        .row = (size_t)sides.width * (step ? 1 : picture->channels) * sides.sample,
        .rows = sides.height};
}
