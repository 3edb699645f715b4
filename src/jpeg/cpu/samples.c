/* SPDX-License-Identifier: BSD-2-Clause */
/* Prepares samples for the forward transform: fetches picture rows, converts colours, downsamples and pads. */
#include "jpeg/cpu/samples.h"

#include <string.h>

static const uint8_t *image_row(const struct jpeg_sample_rows *rows, uint32_t plane, uint32_t row)
{
    const struct jpeg_lines *lines = &rows->picture[plane];
    return lines->data + (ptrdiff_t)(row - lines->first) * lines->pitch;
}

static void convert_ycc(
    const struct jpeg_sampler *s, const struct jpeg_sample_rows *rows, uint32_t row, uint8_t *const out[])
{
    s->dsp->rgb_to_ycc[kst_jpeg_layout(s->image->format)](
        image_row(rows, 0, row), out[0], out[1], out[2], s->frame->width);
}

static void convert_grey(
    const struct jpeg_sampler *s, const struct jpeg_sample_rows *rows, uint32_t row, uint8_t *const out[])
{
    s->dsp->rgb_to_grey[kst_jpeg_layout(s->image->format)](image_row(rows, 0, row), out[0], s->frame->width);
}

static void convert_split(
    const struct jpeg_sampler *s, const struct jpeg_sample_rows *rows, uint32_t row, uint8_t *const out[])
{
    s->dsp->rgb_split[kst_jpeg_layout(s->image->format)](
        image_row(rows, 0, row), out[0], out[1], out[2], s->frame->width);
}

static void convert_ycck(
    const struct jpeg_sampler *s, const struct jpeg_sample_rows *rows, uint32_t row, uint8_t *const out[])
{
    s->dsp->cmyk_to_ycck(image_row(rows, 0, row), out[0], out[1], out[2], out[3], s->frame->width);
}

static void convert_cmyk(
    const struct jpeg_sampler *s, const struct jpeg_sample_rows *rows, uint32_t row, uint8_t *const out[])
{
    s->dsp->cmyk_split(image_row(rows, 0, row), out[0], out[1], out[2], out[3], s->frame->width);
}

/* Copy one plane per component: grey, or planar without a change of colour. */
static void convert_copy(
    const struct jpeg_sampler *s, const struct jpeg_sample_rows *rows, uint32_t row, uint8_t *const out[])
{
    for (uint32_t c = 0; c < s->frame->component_count; c++)
        memcpy(out[c], image_row(rows, c, row), s->frame->width);
}

/* Interleave planes to pixels of `count` channels. */
static void interleave(const struct jpeg_sampler *s, const struct jpeg_sample_rows *rows, uint32_t row, uint32_t count)
{
    for (uint32_t c = 0; c < count; c++) {
        const uint8_t *in = image_row(rows, c, row);
        for (uint32_t x = 0; x < s->frame->width; x++)
            rows->spare[(size_t)x * count + c] = in[x];
    }
}

static void convert_planar_ycc(
    const struct jpeg_sampler *s, const struct jpeg_sample_rows *rows, uint32_t row, uint8_t *const out[])
{
    interleave(s, rows, row, 3);
    s->dsp->rgb_to_ycc[JPEG_LAYOUT_RGB](rows->spare, out[0], out[1], out[2], s->frame->width);
}

static void convert_planar_grey(
    const struct jpeg_sampler *s, const struct jpeg_sample_rows *rows, uint32_t row, uint8_t *const out[])
{
    interleave(s, rows, row, 3);
    s->dsp->rgb_to_grey[JPEG_LAYOUT_RGB](rows->spare, out[0], s->frame->width);
}

static void convert_planar_ycck(
    const struct jpeg_sampler *s, const struct jpeg_sample_rows *rows, uint32_t row, uint8_t *const out[])
{
    interleave(s, rows, row, 4);
    s->dsp->cmyk_to_ycck(rows->spare, out[0], out[1], out[2], out[3], s->frame->width);
}

typedef void (*conversion)(const struct jpeg_sampler *, const struct jpeg_sample_rows *, uint32_t, uint8_t *const *);

/* Return the function that converts rows of the image to the coded colours; null if there is no such conversion. */
static conversion find_conversion(const kst_image *image, kst_colour coded)
{
    const bool planar = image->format == KST_FORMAT_PLANAR;
    const kst_colour given = image->colour;
    if (given == coded) {
        if (planar || given == KST_COLOUR_GREY)
            return convert_copy;
        return image->format == KST_FORMAT_CMYK ? convert_cmyk : convert_split;
    }
    if (given == KST_COLOUR_RGB && coded == KST_COLOUR_YCBCR)
        return planar ? convert_planar_ycc : convert_ycc;
    if (given == KST_COLOUR_RGB && coded == KST_COLOUR_GREY)
        return planar ? convert_planar_grey : convert_grey;
    if (given == KST_COLOUR_YCBCR && coded == KST_COLOUR_GREY && planar)
        return convert_copy;
    if (given == KST_COLOUR_CMYK && coded == KST_COLOUR_YCCK)
        return planar ? convert_planar_ycck : convert_ycck;
    return NULL;
}

static bool full_size(const struct jpeg_sampler *sampler, uint32_t component)
{
    return sampler->h[component] == sampler->hmax && sampler->v[component] == sampler->vmax;
}

kst_status kst_jpeg_cpu_sampler_init(
    struct jpeg_sampler *sampler, const kst_image *image, const struct jpeg_frame *frame, const struct jpeg_dsp *dsp)
{
    *sampler = (struct jpeg_sampler){.image = image, .frame = frame, .dsp = dsp, .hmax = 1, .vmax = 1};
    const bool single = frame->component_count == 1;
    if (!single) {
        sampler->hmax = frame->hmax;
        sampler->vmax = frame->vmax;
    }
    for (uint32_t c = 0; c < frame->component_count; c++) {
        sampler->h[c] = single ? 1 : frame->component[c].h;
        sampler->v[c] = single ? 1 : frame->component[c].v;
    }
    if (image->format == KST_FORMAT_RAW)
        return KST_OK;
    for (uint32_t c = 0; c < frame->component_count; c++) {
        if (sampler->hmax % sampler->h[c] != 0 || sampler->vmax % sampler->v[c] != 0)
            return KST_ERROR_JPEG_SAMPLING;
    }
    sampler->convert = find_conversion(image, frame->colour);
    return sampler->convert ? KST_OK : KST_ERROR_JPEG_COLOUR;
}

uint32_t kst_jpeg_cpu_sampler_rows(const struct jpeg_sampler *sampler)
{
    return sampler->frame->component_count == 1 ? sampler->frame->component[0].blocks_h : sampler->frame->mcus_h;
}

enum { ALIGNMENT = 64 };

static size_t padded(size_t length)
{
    return (length + JPEG_ROW_PADDING + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t kst_jpeg_cpu_sampler_width(const struct jpeg_sampler *sampler)
{
    size_t width = sampler->frame->width;
    for (uint32_t c = 0; c < sampler->frame->component_count; c++) {
        size_t reach = 8 * (size_t)sampler->frame->component[c].blocks_w * sampler->hmax / sampler->h[c];
        width = reach > width ? reach : width;
    }
    return width;
}

/* Return the number of bytes of a plane's row, and below, the number of its rows that make up an MCU row. */
static size_t row_bytes(const struct jpeg_sampler *sampler, uint32_t plane)
{
    uint32_t channels = kst_format_channels(sampler->image->format);
    return (size_t)sampler->image->plane[plane].width * (channels ? channels : 1);
}

static uint32_t lines_of(const struct jpeg_sampler *sampler, uint32_t plane)
{
    return 8 * (sampler->image->format == KST_FORMAT_RAW ? sampler->v[plane] : sampler->vmax);
}

/*
 * Set where each buffer starts in one block of memory; returns the block's length. With a null `base` only the length
 * is meaningful.
 */
static size_t lay_out(const struct jpeg_sampler *sampler, struct jpeg_sample_rows *rows, uint8_t *base)
{
    const bool raw = sampler->image->format == KST_FORMAT_RAW;
    size_t used = 0;
    rows->full_pitch = padded(kst_jpeg_cpu_sampler_width(sampler));
    for (uint32_t c = 0; c < sampler->frame->component_count; c++) {
        rows->pitch[c] = padded(8 * (size_t)sampler->frame->component[c].blocks_w);
        rows->row[c] = base ? base + used : NULL;
        used += rows->pitch[c] * 8 * sampler->v[c];
        if (raw || full_size(sampler, c))
            continue;
        rows->full[c] = base ? base + used : NULL;
        used += rows->full_pitch * sampler->vmax;
    }
    if (sampler->image->format == KST_FORMAT_PLANAR) {
        rows->spare = base ? base + used : NULL;
        used += padded(4 * (size_t)sampler->frame->width);
    }
    for (uint32_t i = 0; sampler->rows && i < sampler->image->plane_count; i++) {
        size_t pitch = padded(row_bytes(sampler, i));
        rows->brought[i] = base ? base + used : NULL;
        rows->picture[i] = (struct jpeg_lines){.data = rows->brought[i], .pitch = (ptrdiff_t)pitch};
        used += pitch * lines_of(sampler, i);
    }
    return used;
}

/* Point to the lines of a picture that is in memory. */
static void look_at_picture(const struct jpeg_sampler *sampler, struct jpeg_sample_rows *rows)
{
    for (uint32_t i = 0; i < sampler->image->plane_count; i++) {
        const kst_plane *plane = &sampler->image->plane[i];
        rows->picture[i] = (struct jpeg_lines){.data = plane->data, .pitch = plane->pitch};
    }
}

kst_status kst_jpeg_cpu_sample_rows_create(
    struct memory *memory, const struct jpeg_sampler *sampler, struct jpeg_sample_rows *rows)
{
    kst_status status = KST_OK;
    memset(rows, 0, sizeof *rows);
    size_t length = lay_out(sampler, rows, NULL);
    rows->memory = kst_memory_zeroed(memory, length, 1, &status);
    if (!rows->memory)
        return status;
    lay_out(sampler, rows, rows->memory);
    if (!sampler->rows)
        look_at_picture(sampler, rows);
    return KST_OK;
}

void kst_jpeg_cpu_sample_rows_release(struct memory *memory, struct jpeg_sample_rows *rows)
{
    kst_memory_release(memory, rows->memory);
    memset(rows, 0, sizeof *rows);
}

/* Repeat the last of the first `from` samples up to sample `to`. */
static void pad_right(uint8_t *row, size_t from, size_t to)
{
    if (to > from)
        memset(row + from, row[from - 1], to - from);
}

/*
 * Holds 2^16 / area, rounded up. Multiplying by it and dropping 16 bits divides sums up to 255·16 + 8 exactly. Boxes of
 * one sample are not downsampled.
 */
static const uint16_t reciprocal[17] = {
    [2] = 32768, [3] = 21846, [4] = 16384, [6] = 10923, [8] = 8192, [9] = 7282, [12] = 5462, [16] = 4096};

/* Make each output sample the mean of a box of input samples, halves rounded up. */
static inline void downsample_box(
    const uint8_t *in, size_t pitch, uint32_t box_w, uint32_t box_h, uint8_t *out, uint32_t width)
{
    const uint32_t half = box_w * box_h / 2, factor = reciprocal[box_w * box_h];
    for (uint32_t x = 0; x < width; x++) {
        uint32_t sum = half;
        for (uint32_t j = 0; j < box_h; j++) {
            for (uint32_t i = 0; i < box_w; i++)
                sum += in[j * pitch + (size_t)x * box_w + i];
        }
        out[x] = (uint8_t)(sum * factor >> 16);
    }
}

/*
 * Downsample to one row. `in` and `out` do not overlap. The usual box sizes are spelt out so that compilers unroll
 * their loops.
 */
static void downsample_row(const struct jpeg_dsp *dsp, const uint8_t *restrict in, size_t pitch, uint32_t box_w,
    uint32_t box_h, uint8_t *restrict out, uint32_t n)
{
    if (box_w == 2 && box_h == 1)
        dsp->downsample_h2v1(in, out, n);
    else if (box_w == 2 && box_h == 2)
        dsp->downsample_h2v2(in, in + pitch, out, n);
    else if (box_w == 1 && box_h == 2)
        downsample_box(in, pitch, 1, 2, out, n);
    else if (box_w == 4 && box_h == 1)
        downsample_box(in, pitch, 4, 1, out, n);
    else if (box_w == 4 && box_h == 2)
        downsample_box(in, pitch, 4, 2, out, n);
    else
        downsample_box(in, pitch, box_w, box_h, out, n);
}

/* Convert the vmax picture rows from `first` on and downsample them to row group `group` (v rows of each component). */
static void fill_group(
    const struct jpeg_sampler *sampler, uint32_t first, uint32_t group, struct jpeg_sample_rows *rows)
{
    const struct jpeg_frame *frame = sampler->frame;
    for (uint32_t j = 0; j < sampler->vmax; j++) {
        uint8_t *out[JPEG_COMPONENTS] = {NULL};
        for (uint32_t c = 0; c < frame->component_count; c++)
            out[c] = rows->full[c] ? rows->full[c] + j * rows->full_pitch
                                   : rows->row[c] + (size_t)(group * sampler->v[c] + j) * rows->pitch[c];
        uint32_t row = first + j < frame->height ? first + j : frame->height - 1;
        sampler->convert(sampler, rows, row, out);
        for (uint32_t c = 0; c < frame->component_count; c++) {
            size_t reach = 8 * (size_t)frame->component[c].blocks_w * sampler->hmax / sampler->h[c];
            pad_right(out[c], frame->width, reach);
        }
    }
    for (uint32_t c = 0; c < frame->component_count; c++) {
        const uint32_t box_w = sampler->hmax / sampler->h[c], box_h = sampler->vmax / sampler->v[c];
        for (uint32_t j = 0; rows->full[c] && j < sampler->v[c]; j++)
            downsample_row(sampler->dsp, rows->full[c] + j * box_h * rows->full_pitch, rows->full_pitch, box_w, box_h,
                rows->row[c] + (size_t)(group * sampler->v[c] + j) * rows->pitch[c], 8 * frame->component[c].blocks_w);
    }
}

/* Repeat the last row of a component in all its rows from `from` on. */
static void pad_bottom(
    const struct jpeg_sampler *sampler, uint32_t component, uint32_t from, struct jpeg_sample_rows *rows)
{
    const size_t width = 8 * (size_t)sampler->frame->component[component].blocks_w;
    uint8_t *row = rows->row[component] + from * rows->pitch[component];
    for (uint32_t j = from; j < 8 * sampler->v[component]; j++, row += rows->pitch[component])
        memcpy(row, row - rows->pitch[component], width);
}

static void fill_raw(const struct jpeg_sampler *sampler, uint32_t index, struct jpeg_sample_rows *rows)
{
    for (uint32_t c = 0; c < sampler->frame->component_count; c++) {
        const struct jpeg_component *component = &sampler->frame->component[c];
        const uint32_t height = 8 * sampler->v[c], first = index * height;
        const uint32_t count = component->height - first < height ? component->height - first : height;
        for (uint32_t j = 0; j < count; j++) {
            uint8_t *row = rows->row[c] + j * rows->pitch[c];
            memcpy(row, image_row(rows, c, first + j), component->width);
            pad_right(row, component->width, 8 * (size_t)component->blocks_w);
        }
        pad_bottom(sampler, c, count, rows);
    }
}

/* Return the number of rows of a plane that MCU row `index` needs, and the first one. */
static uint32_t lines_at(const struct jpeg_sampler *sampler, uint32_t plane, uint32_t index, uint32_t *first)
{
    uint32_t height = sampler->image->plane[plane].height, count = lines_of(sampler, plane);
    *first = index * count;
    return height - *first < count ? height - *first : count;
}

static bool bring_plane(
    const struct jpeg_sampler *sampler, uint32_t plane, uint32_t first, uint32_t count, struct jpeg_sample_rows *rows)
{
    const kst_rows *from = sampler->rows;
    struct jpeg_lines *lines = &rows->picture[plane];
    uint32_t width = sampler->image->plane[plane].width;
    lines->first = first;
    if (from->read_band)
        return from->read_band(from->user, plane, first, count, rows->brought[plane], (size_t)lines->pitch);
    for (uint32_t i = 0; i < count; i++)
        if (!from->read(from->user, plane, 0, first + i, width, rows->brought[plane] + (ptrdiff_t)i * lines->pitch))
            return false;
    return true;
}

bool kst_jpeg_cpu_sample_rows_bring(const struct jpeg_sampler *sampler, uint32_t index, struct jpeg_sample_rows *rows)
{
    for (uint32_t i = 0; sampler->rows && i < sampler->image->plane_count; i++) {
        uint32_t first, count = lines_at(sampler, i, index, &first);
        if (!bring_plane(sampler, i, first, count, rows))
            return false;
    }
    return true;
}

uint32_t kst_jpeg_cpu_sample_rows_expect(
    const struct jpeg_sampler *sampler, uint32_t index, struct jpeg_sample_rows *rows)
{
    return lines_at(sampler, 0, index, &rows->picture[0].first);
}

/*
 * Return a checksum that depends on every bit of a row. It is made of four sums, each of every fourth word, which a
 * processor computes side by side.
 */
static uint64_t sum_of_row(const uint8_t *row, size_t length, uint64_t seed)
{
    enum { LANES = 4, WORD = sizeof(uint64_t), STEP = LANES * WORD };
    static const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t sum[LANES] = {seed, seed + 1, seed + 2, seed + 3}, word[LANES];
    for (; length > 0; row += STEP, length -= STEP) {
        if (length < STEP) {
            memset(word, 0, STEP);
            memcpy(word, row, length);
            length = STEP;
        } else {
            memcpy(word, row, STEP);
        }
        for (int i = 0; i < LANES; i++)
            sum[i] = (sum[i] ^ word[i]) * factor;
    }
    return sum[0] + 3 * sum[1] + 5 * sum[2] + 7 * sum[3];
}

uint64_t kst_jpeg_cpu_sample_rows_sum(
    const struct jpeg_sampler *sampler, uint32_t index, const struct jpeg_sample_rows *rows)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sampler->image->plane_count; i++) {
        uint32_t first, count = lines_at(sampler, i, index, &first),
                        channels = kst_format_channels(sampler->image->format);
        size_t length = (size_t)sampler->image->plane[i].width * (channels ? channels : 1);
        for (uint32_t j = 0; j < count; j++)
            sum += sum_of_row(
                rows->brought[i] + (ptrdiff_t)j * rows->picture[i].pitch, length, (uint64_t)(first + j) << 2 | i);
    }
    return sum;
}

void kst_jpeg_cpu_sample_rows_fill(const struct jpeg_sampler *sampler, uint32_t index, struct jpeg_sample_rows *rows)
{
    if (sampler->image->format == KST_FORMAT_RAW) {
        fill_raw(sampler, index, rows);
        return;
    }
    uint32_t group = 0;
    for (; group < 8; group++) {
        uint32_t first = (8 * index + group) * sampler->vmax;
        if (first >= sampler->frame->height)
            break;
        fill_group(sampler, first, group, rows);
    }
    /* Below the last row group libjpeg repeats the downsampled rows, not those of the picture. */
    for (uint32_t c = 0; c < sampler->frame->component_count; c++)
        pad_bottom(sampler, c, group * sampler->v[c], rows);
}
