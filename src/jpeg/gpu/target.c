/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides how a picture's bytes get to the device and whether kernels write its pixels in place. */
#include "jpeg/gpu/target.h"

#include "image/location.h"

/*
 * Find the number of bytes from one plane to the next. Returns false if the distances differ, or if the kernels cannot
 * work with them.
 */
static bool plane_step(const struct jpeg_gpu_item *item, const struct gpu_image *image, uint32_t *step)
{
    const kst_image *to = &item->output.image;
    uint64_t first = image->buffer[0].handle + image->offset[0];
    *step = 0;
    for (uint32_t i = 1; i < to->plane_count; i++) {
        bool one_buffer = kst_memory_has_addresses(to->memory) || image->buffer[i].handle == image->buffer[0].handle;
        uint64_t at = kst_memory_has_addresses(to->memory) ? image->buffer[i].handle : image->buffer[0].handle;
        at += image->offset[i];
        if (i == 1)
            *step = (uint32_t)(at - first);
        if (!one_buffer || at - first != (uint64_t)*step * i || to->plane[i].pitch != to->plane[0].pitch)
            return false;
    }
    return to->plane_count == 1 || *step > 0;
}

/* Return whether rows of pixels are aligned so that four pixels can be stored at once. */
static bool suits_fours(const kst_image *to, uint64_t at, uint32_t step)
{
    uint64_t alignment = (uint64_t)WORK_OUTPUT_ALIGNMENT * kst_plane_sample_bytes(&to->plane[0]);
    return to->width % WORK_OUTPUT_PIXELS == 0 && at % alignment == 0 && step % alignment == 0 &&
           ((uint64_t)to->plane[0].pitch % alignment == 0 || to->height == 1);
}

/*
 * Let the kernels write in place if they can. Integers that are not aligned for this are copied instead; floating-point
 * samples are then written one by one.
 */
static void write_in_place(struct jpeg_gpu_item *item)
{
    const kst_image *to = &item->output.image;
    const struct gpu_image *image = &item->image;
    bool address = kst_memory_has_addresses(to->memory), bytes = to->plane[0].sample == KST_SAMPLE_INTEGER;
    uint64_t at = address ? image->buffer[0].handle : image->offset[0];
    uint32_t step;
    if (kst_jpeg_gpu_is_raw(item) || image->picture || !plane_step(item, image, &step))
        return;
    bool fours = suits_fours(to, at, step);
    if ((bytes && !fours) || (!address && (at / 4 > UINT32_MAX || at % 4 != 0)))
        return;
    item->direct = (struct jpeg_gpu_direct){.buffer = &item->image.buffer[0],
        .address = address ? at : 0,
        .offset = address ? 0 : at,
        .pitch = (uint32_t)to->plane[0].pitch,
        .plane = step,
        .ragged = !fours};
}

/*
 * Streams that are shorter than this are uploaded through staging buffers even if they are pinned: a thread copies such
 * a stream in less time than the driver takes to queue its upload, or to find out whether its memory is pinned.
 */
enum { LEAST_PINNED = 1 << 16 };

void kst_jpeg_gpu_route(struct gpu_runtime *runtime, struct jpeg_gpu_item *item)
{
    uint64_t length;
    const uint8_t *data = kst_jpeg_gpu_scan_data(item->plan, &length);
    item->pinned = length >= LEAST_PINNED && kst_gpu_is_pinned(runtime, data, (size_t)length);
    item->direct = (struct jpeg_gpu_direct){.buffer = NULL};
    if (item->delivery == GPU_DELIVERY_DEVICE)
        write_in_place(item);
}
