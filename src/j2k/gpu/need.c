/* SPDX-License-Identifier: BSD-2-Clause */
/* Estimates the device memory that decoding a JPEG 2000 picture takes. */
#include "j2k/gpu/part.h"

enum { PITCH_ALIGNMENT = 16 };

/*
 * Resolutions alternate between two areas of memory, each of which is as large as the largest resolution in it. With a
 * region that need not be the highest one: what a low resolution needs around the region may be larger.
 */
uint64_t kst_j2k_gpu_level_words(const struct j2k_plan *plan, const struct j2k_tile_component *tc, uint64_t *top)
{
    uint64_t words[2] = {0, 0};
    for (uint32_t r = 1; r < tc->resolution_count; r++) {
        const uint64_t area = j2k_gpu_area(plan->resolution[tc->first_resolution + r].computed);
        uint64_t *own = &words[(tc->resolution_count - 1U - r) % 2];
        *own = area > *own ? area : *own;
    }
    *top = words[0];
    return words[0] + words[1];
}

uint64_t kst_j2k_gpu_sample_words(const struct j2k_plan *plan, uint64_t *bands)
{
    uint64_t sum = 0, top;
    for (uint32_t b = 0; b < plan->band_count; b++)
        sum += j2k_gpu_area(plan->band[b].window);
    *bands = sum;
    for (uint32_t i = 0; i < plan->tile_component_count; i++)
        sum += kst_j2k_gpu_level_words(plan, &plan->tile_component[i], &top);
    return sum;
}

size_t kst_j2k_gpu_pixel_pitch(const kst_image *image, uint32_t index)
{
    const kst_plane *plane = kst_image_plane(image, index);
    size_t row = plane->width * kst_format_samples(image->format) * kst_plane_sample_bytes(plane);
    return (row + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT;
}

/* Return the number of bytes of planes that are copied to the image, and of components that are to be converted. */
static uint64_t pixel_bytes(const struct j2k_gpu_item *item)
{
    uint64_t sum = kst_j2k_gpu_plane_bytes(item) + kst_j2k_gpu_volume_bytes(item);
    for (uint32_t i = 0; i < item->output.plane_count && !item->in_place; i++)
        sum += (uint64_t)kst_j2k_gpu_pixel_pitch(&item->output, i) * kst_image_plane(&item->output, i)->height;
    return sum;
}

/* Return the number of bytes of all records and of the lists of work-groups. */
static uint64_t work_bytes(const struct j2k_gpu_item *item)
{
    const struct j2k_plan *plan = item->plan;
    enum {
        LISTED = 4,
        MOST_OF_BLOCK = sizeof(struct j2k_work_ht_block) > sizeof(struct j2k_work_block)
                            ? sizeof(struct j2k_work_ht_block)
                            : sizeof(struct j2k_work_block)
    };
    return (MOST_OF_BLOCK + LISTED) * (uint64_t)plan->block_count +
           sizeof(struct j2k_work_codeword) * (uint64_t)plan->segment_count +
           sizeof(struct j2k_work_piece) * (uint64_t)plan->piece_count +
           (sizeof(struct j2k_work_level) + LISTED) * (uint64_t)plan->resolution_count +
           (sizeof(struct j2k_work_output) + LISTED) * (uint64_t)plan->tile_component_count +
           kst_j2k_gpu_item_column_words(item) * sizeof(uint32_t);
}

struct j2k_gpu_need kst_j2k_gpu_need(
    const struct j2k_gpu_item *item, const struct j2k_gpu_block_words *words, uint32_t threads)
{
    const struct j2k_plan *plan = item->plan;
    uint64_t bands, samples = kst_j2k_gpu_sample_words(plan, &bands) + kst_j2k_gpu_stage_words(item);
    const uint64_t bytes[] = {4 * samples, 4 * (words->states + bands), 4 * words->bits, item->stream, work_bytes(item),
        pixel_bytes(item), 4 * kst_j2k_gpu_host_most(threads, bands)};
    struct j2k_gpu_need need = {0, 0};
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        need.memory += bytes[i];
        need.largest = bytes[i] > need.largest ? bytes[i] : need.largest;
    }
    return need;
}
