/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans the steps by which kernels resize a plane. */
#include "resize/gpu/steps.h"

#include "device/float_bits.h"
#include "image/location.h"

enum { ALIGNMENT = 16, WORD = 4 };

static bool is_in_place(const kst_image *image, const struct gpu_image *at)
{
    return kst_memory_is_device(image->memory) && !at->picture;
}

/* Return whether one launch can write all planes. */
static bool in_one_buffer(const kst_image *image, const struct gpu_image *at)
{
    for (uint32_t i = 1; i < image->plane_count; i++)
        if (at->buffer[i].handle != at->buffer[0].handle)
            return false;
    return true;
}

/* Return whether kernels can write the result directly to the caller's memory. */
static bool writes_in_place(const struct resize_gpu_item *item)
{
    bool together = item->to->format == item->from->format || kst_memory_has_addresses(item->to->memory);
    return is_in_place(item->to, &item->to_at) && (together || in_one_buffer(item->to, &item->to_at));
}

static kst_status take_axis(struct gpu *gpu, struct resize_gpu_axes *axes, struct memory *work,
    const struct resize_gpu_axis_key *key, struct resize_span *span, struct resize_gpu_axis **axis)
{
    *span = kst_resize_needed(&key->axis, key->filter);
    return kst_resize_is_same(&key->axis) ? KST_OK : kst_resize_gpu_axis_take(axes, gpu->memory, work, key, axis);
}

/* Return whether the bytes of a row can be counted in 31 bits, as kernels count them. */
static bool rows_fit(const struct resize_gpu_item *item)
{
    uint64_t from = (uint64_t)kst_format_samples(item->from->format) * kst_plane_sample_bytes(&item->from->plane[0]);
    uint64_t to = (uint64_t)kst_format_samples(item->to->format) * kst_plane_sample_bytes(&item->to->plane[0]);
    return item->from->width * from <= INT32_MAX && item->to->width * (from > to ? from : to) <= INT32_MAX;
}

static kst_status import(
    struct gpu_runtime *runtime, const kst_image *image, struct gpu_image *at, struct gpu_error *error)
{
    if (!kst_memory_is_device(image->memory))
        return KST_OK;
    kst_gpu_image_import(runtime, image, at, error);
    return error->status;
}

kst_status kst_resize_gpu_plan(struct gpu_runtime *runtime, struct resize_gpu_axes *axes, struct memory *work,
    struct resize_gpu_item *item, struct gpu_error *error)
{
    const struct resize_geometry *geometry = item->geometry;
    struct resize_gpu_axis_key x = {geometry->x, item->options->filter, kst_resize_is_wide(item->from), false};
    struct resize_gpu_axis_key y = {geometry->y, x.filter, x.wide, true};
    item->passes = kst_resize_passes_of(item->from, item->options, geometry);
    item->status = rows_fit(item) ? import(runtime, item->from, &item->from_at, error) : KST_ERROR_IMAGE_PITCH;
    if (!item->status)
        item->status = import(runtime, item->to, &item->to_at, error);
    item->to_in_place = !item->status && writes_in_place(item);
    if (!item->status)
        item->status = take_axis(runtime->gpu, axes, work, &x, &item->columns, &item->across);
    if (!item->status)
        item->status = take_axis(runtime->gpu, axes, work, &y, &item->rows, &item->down);
    return item->status;
}

/* Holds the work on a plane, while its steps are added. */
struct resize_gpu_plane {
    struct resize_gpu_steps *steps;
    struct resize_gpu_item *item;
    uint32_t index;
    uint32_t channels, sample, pixel; /* `sample` and `pixel` in bytes */
    uint32_t width, height;           /* size of the latest result */
    struct gpu_rows at;               /* where the latest result lies */
    kst_status status;
};

static uint64_t align(uint64_t length)
{
    return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Reserve rows in the intermediate memory. */
static struct gpu_rows take_room(struct resize_gpu_steps *steps, uint64_t row, uint32_t rows)
{
    struct gpu_rows taken = {steps->room, (size_t)steps->room_length, (size_t)align(row)};
    steps->room_length += align(row) * rows;
    return taken;
}

static bool is_room(const struct resize_gpu_plane *p, const struct gpu_rows *rows)
{
    return rows->buffer == p->steps->room;
}

/* Return whether rows begin at multiples of a word; rows in the intermediate memory do. */
static bool is_aligned(const struct resize_gpu_plane *p, const struct gpu_rows *rows, uint32_t count)
{
    if (!rows->buffer || is_room(p, rows))
        return true;
    bool address = kst_memory_has_addresses(
        kst_memory_is_device(p->item->from->memory) ? p->item->from->memory : p->item->to->memory);
    uint64_t first = rows->offset + (address ? rows->buffer->handle : 0);
    return first % WORD == 0 && (rows->pitch % WORD == 0 || count == 1);
}

static struct resize_gpu_step *add_step(struct resize_gpu_plane *p, enum resize_gpu_phase phase,
    enum resize_gpu_kernel kernel, const struct gpu_rows *to, uint64_t groups_of_row, uint64_t groups_of_column)
{
    uint32_t depth = kst_plane_depth(&p->item->from->plane[p->index]);
    struct resize_gpu_step *step = &p->steps->step[p->steps->count];
    *step = (struct resize_gpu_step){
        .phase = phase, .kernel = kernel, .from = p->at, .to = *to, .number = p->steps->count++};
    step->work = (struct resize_work_step){.from_pitch = (uint32_t)p->at.pitch,
        .to_pitch = (uint32_t)to->pitch,
        .length = p->width * p->pixel,
        .channels = p->channels,
        .greatest = (1U << depth) - 1,
        .groups_of_row = (uint32_t)groups_of_row};
    if (groups_of_row * groups_of_column > INT32_MAX)
        p->status = KST_ERROR_LIMIT_PIXELS;
    step->groups = (uint32_t)(groups_of_row * groups_of_column);
    return step;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* End a step, whose result is `width` × `height` pixels at its `to`. */
static void made(struct resize_gpu_plane *p, struct resize_gpu_step *step, uint32_t width, uint32_t height)
{
    step->work.width = p->width = width;
    step->work.height = p->height = height;
    p->at = step->to;
}

static struct gpu_rows plane_rows(const kst_image *image, const struct gpu_image *at, uint32_t index)
{
    size_t pitch = image->plane[index].height > 1 ? (size_t)image->plane[index].pitch : 0;
    return (struct gpu_rows){&at->buffer[index], at->offset[index], pitch};
}

/* Begin with the pixels that are needed, in place or where they are uploaded to. */
static void begin(struct resize_gpu_plane *p)
{
    struct resize_gpu_item *item = p->item;
    uint32_t left = item->columns.first - item->left, top = item->rows.first - item->top;
    p->width = item->columns.count;
    p->height = item->rows.count;
    if (is_in_place(item->from, &item->from_at)) {
        p->at = plane_rows(item->from, &item->from_at, p->index);
        p->at.offset += (size_t)top * p->at.pitch + (size_t)left * p->pixel;
    } else if (item->from_at.picture) { /* image objects are copied as a whole */
        p->at = take_room(p->steps, (uint64_t)item->from->width * p->pixel, item->from->height);
        item->upload[p->index] = p->at;
        p->at.offset += (size_t)top * p->at.pitch + (size_t)left * p->pixel;
    } else {
        p->at = take_room(p->steps, (uint64_t)p->width * p->pixel, p->height);
        item->upload[p->index] = p->at;
    }
}

static uint64_t groups_of_pixels(uint32_t width)
{
    return divide_up(width, RESIZE_GROUP_ITEMS);
}

/* Add a step that converts pixels; at first it writes rows in the form of those that it reads. */
static struct resize_gpu_step *add_pixels(
    struct resize_gpu_plane *p, enum resize_gpu_phase phase, const struct gpu_rows *to)
{
    struct resize_gpu_step *step = add_step(p, phase, RESIZE_PIXELS, to, groups_of_pixels(p->width), p->height);
    step->work.length = p->sample;
    step->work.sample = p->sample == 1 ? RESIZE_BYTES : RESIZE_WORDS;
    step->work.pixel = p->pixel;
    for (uint32_t c = 0; c < p->channels; c++) {
        step->plane_buffer[c] = to->buffer;
        step->plane_at[c] = to->offset + (uint64_t)c * p->sample;
        step->work.plane_pitch[c] = (uint32_t)to->pitch;
    }
    made(p, step, p->width, p->height);
    return step;
}

static void weigh(struct resize_gpu_plane *p)
{
    struct gpu_rows to = take_room(p->steps, (uint64_t)p->width * p->pixel, p->height);
    struct resize_gpu_step *step = add_pixels(p, RESIZE_PREPARE, &to);
    step->work.alpha = p->item->passes.weighed ? RESIZE_ALPHA_WEIGHED : RESIZE_ALPHA_KEPT;
}

static enum resize_gpu_kernel kernel_across(const struct resize_gpu_plane *p)
{
    if (p->sample > 1)
        return RESIZE_ACROSS_WIDE;
    return p->channels == 1 ? RESIZE_ACROSS_ONE : p->channels == 3 ? RESIZE_ACROSS_THREE : RESIZE_ACROSS_FOUR;
}

static void go_across(struct resize_gpu_plane *p, const struct gpu_rows *to)
{
    const struct resize_gpu_axis *axis = p->item->across;
    bool wide = p->sample > 1, again = p->item->passes.down_first;
    uint64_t row = divide_up(axis->key.axis.count, wide ? RESIZE_GROUP_ITEMS : RESIZE_ACROSS_COLUMNS);
    uint64_t column = wide ? p->height : divide_up(p->height, RESIZE_ACROSS_ROWS);
    struct resize_gpu_step *step =
        add_step(p, again ? RESIZE_LAST_ACROSS : RESIZE_FIRST_ACROSS, kernel_across(p), to, row, column);
    uint32_t room = RESIZE_ACROSS_TILE / RESIZE_ACROSS_ROWS / p->channels;
    step->axis = axis;
    step->work.quads = axis->reach < room ? axis->reach : room;
    made(p, step, axis->key.axis.count, p->height);
}

static void go_down(struct resize_gpu_plane *p, const struct gpu_rows *to)
{
    const struct resize_gpu_axis *axis = p->item->down;
    bool wide = p->sample > 1;
    uint64_t length = (uint64_t)p->width * p->pixel;
    uint64_t row = wide ? divide_up(length / 2, RESIZE_GROUP_ITEMS) : divide_up(length, WORD * RESIZE_DOWN_WORDS);
    uint64_t column = wide ? axis->key.axis.count : divide_up(axis->key.axis.count, RESIZE_DOWN_ROWS);
    struct resize_gpu_step *step = add_step(p, RESIZE_ALL_DOWN, wide ? RESIZE_DOWN_WIDE : RESIZE_DOWN, to, row, column);
    step->axis = axis;
    step->work.quads = axis->quads;
    made(p, step, p->width, axis->key.axis.count);
}

/* Return whether the pixels that the passes make must be converted. */
static bool is_finished(const struct resize_gpu_item *item)
{
    const struct resize_passes *passes = &item->passes;
    return passes->weighed || passes->mirror || item->normal || item->to->format != item->from->format ||
           !(passes->across || passes->down);
}

/* Return whether each channel of interleaved pixels becomes a plane. */
static bool separates(const struct resize_gpu_plane *p)
{
    return kst_format_samples(p->item->to->format) < p->channels;
}

/* Return the plane that a channel becomes; planes hold R, G, B and alpha in that order. */
static uint32_t plane_of(const struct resize_gpu_plane *p, uint32_t channel)
{
    return kst_pixel_place(kst_pixel_layout(p->item->from->format), channel);
}

/* Set where the channels of pixels are written. */
static void set_target(struct resize_gpu_plane *p, struct resize_gpu_step *step, const struct gpu_rows *target)
{
    const kst_image *image = p->item->to;
    uint32_t sample = kst_plane_sample_bytes(&image->plane[0]);
    step->work.pixel = sample * kst_format_samples(image->format);
    for (uint32_t c = 0; c < p->channels; c++) {
        const struct gpu_rows *to = &target[separates(p) ? plane_of(p, c) : p->index];
        step->plane_buffer[c] = to->buffer;
        step->plane_at[c] = to->offset + (separates(p) ? 0 : (uint64_t)c * sample);
        step->work.plane_pitch[c] = (uint32_t)to->pitch;
    }
}

/* Set the mean and scale of each channel, which belong to planes, or to the places of interleaved channels. */
static void set_numbers(const struct resize_gpu_plane *p, struct resize_work_step *work)
{
    const struct normal *normal = p->item->normal;
    work->sample = normal->sample == KST_SAMPLE_FLOAT16 ? RESIZE_HALVES : RESIZE_FLOATS;
    for (uint32_t c = 0; c < p->channels; c++) {
        uint32_t channel = separates(p) ? plane_of(p, c) : p->channels > 1 ? c : p->index;
        work->mean[c] = gpu_float_bits(normal->mean[channel]);
        work->scale[c] = gpu_float_bits(normal->scale[channel]);
    }
}

/* Add the last step, which converts pixels; `target` has the rows of all planes. */
static void finish(struct resize_gpu_plane *p, const struct gpu_rows *target)
{
    struct resize_gpu_step *step = add_pixels(p, RESIZE_FINISH, &target[p->index]);
    step->work.alpha = p->item->passes.weighed ? RESIZE_ALPHA_DIVIDED : RESIZE_ALPHA_KEPT;
    step->work.mirror = p->item->passes.mirror;
    set_target(p, step, target);
    if (p->item->normal)
        set_numbers(p, &step->work);
}

/* Return the rows of the caller's plane, or intermediate rows from which they are copied. */
static struct gpu_rows target_of(struct resize_gpu_plane *p, uint32_t index)
{
    struct resize_gpu_item *item = p->item;
    const kst_plane *plane = &item->to->plane[index];
    if (item->to_in_place)
        return plane_rows(item->to, &item->to_at, index);
    uint64_t pixel = (uint64_t)kst_plane_sample_bytes(plane) * kst_format_samples(item->to->format);
    item->download[index] = take_room(p->steps, plane->width * pixel, plane->height);
    return item->download[index];
}

static struct gpu_rows next_target(
    struct resize_gpu_plane *p, const struct gpu_rows *target, bool last, uint32_t width, uint32_t height)
{
    return last ? *target : take_room(p->steps, (uint64_t)width * p->pixel, height);
}

/* Add the steps of a plane; `target` has the rows of all planes. */
static void add_passes(struct resize_gpu_plane *p, const struct gpu_rows *target)
{
    const struct resize_passes *passes = &p->item->passes;
    const struct gpu_rows *own = &target[p->index];
    uint32_t width = p->item->geometry->x.count, height = p->item->geometry->y.count;
    bool finished = is_finished(p->item) || (p->sample == 1 && !is_aligned(p, own, height));
    bool begins_down = passes->down && (passes->down_first || !passes->across);
    begin(p);
    if (passes->weighed || (begins_down && p->sample == 1 && !is_aligned(p, &p->at, p->height)))
        weigh(p);
    if (passes->across && !passes->down_first) {
        struct gpu_rows to = next_target(p, own, !finished && !passes->down, width, p->height);
        go_across(p, &to);
    }
    if (passes->down) {
        struct gpu_rows to = next_target(p, own, !finished && !passes->down_first, p->width, height);
        go_down(p, &to);
    }
    if (passes->down_first) {
        struct gpu_rows to = next_target(p, own, !finished, width, p->height);
        go_across(p, &to);
    }
    if (finished)
        finish(p, target);
}

/* More intermediate memory than this is refused, so that sums of lengths cannot wrap. */
static const uint64_t MOST_ROOM = (uint64_t)1 << 48;

kst_status kst_resize_gpu_add(struct resize_gpu_steps *steps, struct resize_gpu_item *item)
{
    struct gpu_rows target[KST_IMAGE_PLANES_MAX] = {{.buffer = NULL}};
    struct resize_gpu_plane p = {.steps = steps, .item = item, .status = KST_OK};
    for (uint32_t i = 0; i < item->to->plane_count; i++)
        target[i] = target_of(&p, i);
    for (p.index = 0; p.index < item->from->plane_count && !p.status; p.index++) {
        p.channels = kst_format_samples(item->from->format);
        p.sample = kst_plane_sample_bytes(&item->from->plane[0]);
        p.pixel = p.channels * p.sample;
        add_passes(&p, target);
        if (steps->room_length > MOST_ROOM)
            p.status = KST_ERROR_LIMIT_MEMORY;
    }
    return p.status;
}
