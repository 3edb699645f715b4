/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns decoded rows of component samples into lines of the picture: upsampling, colour conversion and seams. */
#include "jpeg/cpu/rows.h"

#include <string.h>

#include "jpeg/cpu/row_buffers.h"

static size_t round_up(size_t n)
{
    return (n + 63) / 64 * 64;
}

static size_t row_pitch(const struct jpeg_scaled *scaled)
{
    return round_up((size_t)scaled->block_count * scaled->block + JPEG_ROW_PADDING);
}

/* Upsampled lines start at the first MCU and may extend past the last one by the pixels of one sample. */
static size_t line_length(const struct jpeg_output *output)
{
    size_t longest = output->region.width;
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_scaled *scaled = &output->scaled[i];
        size_t length = 2 * (size_t)scaled->block_count * scaled->block;
        if (length > longest)
            longest = length;
    }
    return round_up(longest + 2 * JPEG_ROW_PADDING);
}

kst_status kst_jpeg_cpu_rows_create(struct memory *memory, const struct jpeg_making *making, struct jpeg_rows *rows)
{
    const struct jpeg_output *output = making->output;
    kst_status status = KST_OK;
    size_t line = line_length(output);
    size_t total = JPEG_COMPONENTS * line;
    *rows = (struct jpeg_rows){.output = output, .making = making, .kept = making->kept ? making->kept : 2};
    for (uint32_t i = 0; i < output->frame.component_count; i++)
        total += (size_t)rows->kept * output->scaled[i].mcu_rows * row_pitch(&output->scaled[i]);
    rows->memory = kst_memory_zeroed(memory, total, 1, &status);
    if (!rows->memory)
        return status;
    uint8_t *at = rows->memory;
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        rows->ring[i] = at;
        rows->pitch[i] = (ptrdiff_t)row_pitch(&output->scaled[i]);
        at += (size_t)rows->kept * output->scaled[i].mcu_rows * row_pitch(&output->scaled[i]);
    }
    for (uint32_t i = 0; i < JPEG_COMPONENTS; i++, at += line)
        rows->line[i] = at;
    return KST_OK;
}

void kst_jpeg_cpu_rows_release(struct memory *memory, struct jpeg_rows *rows)
{
    kst_memory_release(memory, rows->memory);
    rows->memory = NULL;
}

kst_status kst_jpeg_cpu_seam_create(struct memory *memory, const struct jpeg_output *output, struct jpeg_seam *seam)
{
    kst_status status = KST_OK;
    size_t total = 0;
    for (uint32_t i = 0; i < output->frame.component_count; i++)
        total += 2 * row_pitch(&output->scaled[i]);
    seam->memory = kst_memory_array(memory, total, 1, &status);
    if (!seam->memory)
        return status;
    uint8_t *at = seam->memory;
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        size_t pitch = row_pitch(&output->scaled[i]);
        seam->row[0][i] = at;
        seam->row[1][i] = at + pitch;
        at += 2 * pitch;
    }
    return KST_OK;
}

void kst_jpeg_cpu_seam_release(struct memory *memory, struct jpeg_seam *seam)
{
    kst_memory_release(memory, seam->memory);
    seam->memory = NULL;
}

static uint8_t *ring_row(const struct jpeg_rows *rows, uint32_t component, uint32_t y)
{
    uint32_t height = rows->kept * rows->output->scaled[component].mcu_rows;
    /* Most heights are powers of two, and a line needs up to eight of these rows. */
    uint32_t place = (height & (height - 1)) == 0 ? y & (height - 1) : y % height;
    return rows->ring[component] + (ptrdiff_t)place * rows->pitch[component];
}

uint8_t *kst_jpeg_cpu_rows_at(const struct jpeg_rows *rows, uint32_t component, uint32_t mcu_row)
{
    return ring_row(rows, component, mcu_row * rows->output->scaled[component].mcu_rows);
}

/* Repeat samples: out[x] = in[x · h_in / h_out] for the region's pixels. */
static void replicate(
    const struct jpeg_output *output, const struct jpeg_scaled *scaled, const uint8_t *in, uint8_t *out)
{
    uint64_t place = (uint64_t)output->region.x * scaled->h_in;
    uint32_t sample = (uint32_t)(place / scaled->h_out) - scaled->first;
    uint32_t rest = (uint32_t)(place % scaled->h_out);
    for (uint32_t x = 0; x < output->region.width; x++) {
        out[x] = in[sample < scaled->count ? sample : scaled->count - 1];
        rest += scaled->h_in;
        while (rest >= scaled->h_out) {
            rest -= scaled->h_out;
            sample++;
        }
    }
}

/* Upsample a component's line to the picture's width; the result starts with the region's first pixel. */
static const uint8_t *upsample(
    const struct jpeg_rows *rows, uint32_t component, uint32_t y, const uint8_t *near, const uint8_t *far)
{
    const struct jpeg_output *output = rows->output;
    const struct jpeg_scaled *scaled = &output->scaled[component];
    uint8_t *line = rows->line[component];
    uint32_t skip = output->region.x - scaled->first;
    switch (scaled->upsampling) {
    case JPEG_UPSAMPLE_NONE:
        return near + skip;
    case JPEG_UPSAMPLE_H1V2:
        rows->making->dsp->upsample_h1v2(near, far, line, scaled->count, y & 1);
        return line + skip;
    case JPEG_UPSAMPLE_H2V1:
        rows->making->dsp->upsample_h2v1(near, line, scaled->count);
        return line + (output->region.x - 2 * scaled->first);
    case JPEG_UPSAMPLE_H2V2:
        rows->making->dsp->upsample_h2v2(near, far, line, scaled->count);
        return line + (output->region.x - 2 * scaled->first);
    default:
        break;
    }
    if (scaled->h_in == scaled->h_out)
        return near + skip;
    if (2 * scaled->h_in == scaled->h_out) {
        rows->making->dsp->replicate_h2(near, line, scaled->count);
        return line + (output->region.x - 2 * scaled->first);
    }
    replicate(output, scaled, near, line);
    return line;
}

static uint8_t *image_row(const struct jpeg_output *output, uint32_t plane, uint32_t row)
{
    const kst_plane *p = &output->image.plane[plane];
    return (uint8_t *)p->data + (ptrdiff_t)row * p->pitch;
}

enum { CHUNK = 256 };

/* Compute c · k / 255, rounded: the ink is coded inverted. */
static void cmyk_to_planes(const uint8_t *cmyk, uint8_t plane[3][CHUNK + JPEG_ROW_PADDING], uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < 3; j++)
            plane[j][i] = (uint8_t)((2U * cmyk[4 * i + j] * cmyk[4 * i + 3] + 255) / 510);
}

static void convert_cmyk_rgb(const struct jpeg_making *making, const uint8_t *const line[JPEG_COMPONENTS], uint8_t *out)
{
    const struct jpeg_output *output = making->output;
    uint32_t channels = kst_format_channels(output->image.format);
    for (uint32_t at = 0; at < output->region.width; at += CHUNK) {
        uint8_t cmyk[4 * CHUNK + JPEG_ROW_PADDING], plane[3][CHUNK + JPEG_ROW_PADDING];
        uint32_t n = output->region.width - at < CHUNK ? output->region.width - at : CHUNK;
        if (output->conversion == JPEG_CONVERT_YCCK_RGB)
            making->dsp->ycck_to_cmyk(line[0] + at, line[1] + at, line[2] + at, line[3] + at, cmyk, n);
        else
            making->dsp->cmyk_to_cmyk(line[0] + at, line[1] + at, line[2] + at, line[3] + at, cmyk, n);
        cmyk_to_planes(cmyk, plane, n);
        making->dsp->rgb_to_rgb[output->layout](
            plane[0], plane[1], plane[2], out + (size_t)at * channels, n, output->alpha);
    }
}

static void convert_rgb_grey(const struct jpeg_making *making, const uint8_t *const line[JPEG_COMPONENTS], uint8_t *out)
{
    const struct jpeg_output *output = making->output;
    for (uint32_t at = 0; at < output->region.width; at += CHUNK) {
        uint8_t rgb[3 * CHUNK], grey[CHUNK + JPEG_ROW_PADDING];
        uint32_t n = output->region.width - at < CHUNK ? output->region.width - at : CHUNK;
        making->dsp->rgb_to_rgb[JPEG_LAYOUT_RGB](line[0] + at, line[1] + at, line[2] + at, rgb, n, 0);
        making->dsp->rgb_to_grey[JPEG_LAYOUT_RGB](rgb, grey, n);
        memcpy(out + at, grey, n);
    }
}

/* Colour conversion makes interleaved pixels; the planes are split from them, one chunk at a time. */
static void convert_planar(
    const struct jpeg_making *making, const uint8_t *const line[JPEG_COMPONENTS], uint8_t *const out[JPEG_COMPONENTS])
{
    const struct jpeg_output *output = making->output;
    for (uint32_t at = 0; at < output->region.width; at += CHUNK) {
        uint8_t pixels[4 * CHUNK], plane[4][CHUNK + JPEG_ROW_PADDING];
        uint32_t n = output->region.width - at < CHUNK ? output->region.width - at : CHUNK;
        if (output->conversion == JPEG_CONVERT_YCC_PLANAR) {
            making->dsp->ycc_to_rgb[JPEG_LAYOUT_RGB](line[0] + at, line[1] + at, line[2] + at, pixels, n, 0);
            making->dsp->rgb_split[JPEG_LAYOUT_RGB](pixels, plane[0], plane[1], plane[2], n);
        } else {
            making->dsp->ycck_to_cmyk(line[0] + at, line[1] + at, line[2] + at, line[3] + at, pixels, n);
            making->dsp->cmyk_split(pixels, plane[0], plane[1], plane[2], plane[3], n);
        }
        for (uint32_t i = 0; i < output->image.plane_count; i++)
            memcpy(out[i] + at, plane[i], n);
    }
}

void kst_jpeg_cpu_rows_convert(
    const struct jpeg_making *making, uint32_t row, uint8_t *out, const uint8_t *const line[JPEG_COMPONENTS])
{
    const struct jpeg_output *output = making->output;
    uint32_t n = output->region.width;
    switch (output->conversion) {
    case JPEG_CONVERT_YCC:
        making->dsp->ycc_to_rgb[output->layout](line[0], line[1], line[2], out, n, output->alpha);
        break;
    case JPEG_CONVERT_RGB:
        making->dsp->rgb_to_rgb[output->layout](line[0], line[1], line[2], out, n, output->alpha);
        break;
    case JPEG_CONVERT_GREY:
        making->dsp->grey_to_rgb[output->layout](line[0], out, n, output->alpha);
        break;
    case JPEG_CONVERT_CMYK:
        making->dsp->cmyk_to_cmyk(line[0], line[1], line[2], line[3], out, n);
        break;
    case JPEG_CONVERT_YCCK:
        making->dsp->ycck_to_cmyk(line[0], line[1], line[2], line[3], out, n);
        break;
    case JPEG_CONVERT_CMYK_RGB:
    case JPEG_CONVERT_YCCK_RGB:
        convert_cmyk_rgb(making, line, out);
        break;
    case JPEG_CONVERT_RGB_GREY:
        convert_rgb_grey(making, line, out);
        break;
    case JPEG_CONVERT_YCC_PLANAR:
    case JPEG_CONVERT_YCCK_PLANAR: {
        uint8_t *plane[JPEG_COMPONENTS] = {0};
        for (uint32_t i = 0; i < output->image.plane_count; i++)
            plane[i] = image_row(output, i, row);
        convert_planar(making, line, plane);
        break;
    }
    default: /* JPEG_CONVERT_COPY */
        memcpy(out, line[0], n);
        for (uint32_t i = 1; i < output->image.plane_count; i++)
            memcpy(image_row(output, i, row), line[i], n);
    }
}

/*
 * Holds the position in a buffer of rows: its rows [from, to) have been written, and it ends at row `end`. To begin
 * with, all members are 0.
 */
struct in_buffer {
    uint8_t *data; /* where row `from` is; null after a failure */
    uint32_t from, to, end;
};

static void leave_buffer(const struct jpeg_making *making, struct in_buffer *at)
{
    if (at->data)
        kst_jpeg_cpu_row_buffers_done(making->buffers, at->from, at->to - at->from);
    at->data = NULL;
}

/*
 * Return the address of row `row`, which is written after the row before. A buffer is asked for once, for all of its
 * rows that follow.
 */
static uint8_t *next_in_buffer(const struct jpeg_making *making, struct in_buffer *at, uint32_t row)
{
    if (row != at->to || row == at->end) {
        uint32_t count;
        leave_buffer(making, at);
        at->data = kst_jpeg_cpu_row_buffers_rows(making->buffers, row, &count);
        at->from = row;
        at->end = row + count;
    }
    at->to = row + 1;
    return at->data ? at->data + (ptrdiff_t)(row - at->from) * making->buffers->shape.plane[0].pitch : NULL;
}

static void emit_line(const struct jpeg_rows *rows, uint32_t y, const uint8_t *const near[JPEG_COMPONENTS],
    const uint8_t *const far[JPEG_COMPONENTS], struct in_buffer *at)
{
    const uint8_t *line[JPEG_COMPONENTS] = {0};
    for (uint32_t i = 0; i < rows->output->frame.component_count; i++)
        if (rows->output->scaled[i].needed)
            line[i] = upsample(rows, i, y, near[i], far[i]);
    const struct jpeg_output *output = rows->output;
    uint32_t row = y - output->region.y;
    uint8_t *out = rows->making->buffers ? next_in_buffer(rows->making, at, row) : image_row(output, 0, row);
    if (out)
        kst_jpeg_cpu_rows_convert(rows->making, row, out, line);
}

/* Copy the components' rows unchanged, as raw output wants them, for the MCU rows that lines [from, to) cover. */
static void emit_raw(const struct jpeg_rows *rows, uint32_t from, uint32_t to)
{
    const struct jpeg_output *output = rows->output;
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_scaled *scaled = &output->scaled[i];
        const kst_plane *plane = &output->image.plane[i];
        uint32_t left = (uint32_t)((uint64_t)output->region.x * output->frame.component[i].h / output->frame.hmax);
        uint32_t top = (uint32_t)((uint64_t)output->region.y * output->frame.component[i].v / output->frame.vmax);
        uint32_t first = from / output->mcu_lines * scaled->mcu_rows;
        uint32_t end = to / output->mcu_lines * scaled->mcu_rows;
        left = left < scaled->width ? left : scaled->width - 1;
        top = top < scaled->height ? top : scaled->height - 1;
        for (uint32_t y = first > top ? first : top; y < end && y - top < plane->height; y++)
            memcpy(image_row(output, i, y - top), ring_row(rows, i, y) + (left - scaled->first), plane->width);
    }
}

void kst_jpeg_cpu_rows_emit(const struct jpeg_rows *rows, uint32_t from, uint32_t to)
{
    const struct jpeg_output *output = rows->output;
    if (output->conversion == JPEG_CONVERT_RAW) {
        emit_raw(rows, from, to);
        return;
    }
    uint32_t end = output->region.y + output->region.height;
    struct in_buffer at = {0};
    for (uint32_t y = from > output->region.y ? from : output->region.y; y < to && y < end; y++) {
        const uint8_t *near[JPEG_COMPONENTS], *far[JPEG_COMPONENTS];
        for (uint32_t i = 0; i < output->frame.component_count; i++) {
            uint32_t n, f;
            kst_jpeg_line_rows(&output->scaled[i], y, &n, &f);
            near[i] = ring_row(rows, i, n);
            far[i] = ring_row(rows, i, f);
        }
        emit_line(rows, y, near, far, &at);
    }
    leave_buffer(rows->making, &at);
}

void kst_jpeg_cpu_seam_keep(const struct jpeg_rows *rows, struct jpeg_seam *seam, uint32_t mcu_row, bool above)
{
    for (uint32_t i = 0; i < rows->output->frame.component_count; i++) {
        const struct jpeg_scaled *scaled = &rows->output->scaled[i];
        uint32_t y = above ? (mcu_row + 1) * scaled->mcu_rows - 1 : mcu_row * scaled->mcu_rows;
        memcpy(seam->row[above ? 0 : 1][i], ring_row(rows, i, y), row_pitch(scaled));
    }
}

void kst_jpeg_cpu_seam_emit(const struct jpeg_rows *rows, const struct jpeg_seam *seam, uint32_t mcu_row)
{
    const struct jpeg_output *output = rows->output;
    uint32_t border = mcu_row * output->mcu_lines;
    uint32_t end = output->region.y + output->region.height;
    struct in_buffer at = {0};
    for (uint32_t y = border - output->lag; y < border + output->lag; y++) {
        const uint8_t *near[JPEG_COMPONENTS], *far[JPEG_COMPONENTS];
        if (y < output->region.y || y >= end)
            continue;
        for (uint32_t i = 0; i < output->frame.component_count; i++) {
            uint32_t n, f, split = mcu_row * output->scaled[i].mcu_rows;
            kst_jpeg_line_rows(&output->scaled[i], y, &n, &f);
            near[i] = seam->row[n < split ? 0 : 1][i];
            far[i] = seam->row[f < split ? 0 : 1][i];
        }
        emit_line(rows, y, near, far, &at);
    }
    leave_buffer(rows->making, &at);
}
