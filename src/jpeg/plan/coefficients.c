/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates and releases the coefficients of a picture. */
#include "jpeg/plan/coefficients.h"

#include <string.h>

typedef void *allocate(struct memory *memory, size_t count, size_t size, kst_status *status);

/* Allocate the blocks of mcus_w × mcus_h MCUs of the frame by `allocate_blocks`. */
static kst_status create(struct memory *memory, const struct jpeg_frame *frame, uint32_t mcus_w, uint32_t mcus_h,
    struct jpeg_coefficients *coefficients, allocate *allocate_blocks)
{
    memset(coefficients, 0, sizeof *coefficients);
    for (uint32_t i = 0; i < frame->component_count; i++) {
        const struct jpeg_component *c = &frame->component[i];
        kst_status status = KST_OK;
        coefficients->stride[i] = mcus_w * c->h;
        coefficients->blocks[i] =
            allocate_blocks(memory, (size_t)mcus_w * c->h * mcus_h * c->v, 64 * sizeof(int16_t), &status);
        if (!coefficients->blocks[i]) {
            kst_jpeg_coefficients_release(memory, coefficients);
            return status;
        }
    }
    return KST_OK;
}

kst_status kst_jpeg_coefficients_create(
    struct memory *memory, const struct jpeg_frame *frame, struct jpeg_coefficients *coefficients)
{
    return create(memory, frame, frame->mcus_w, frame->mcus_h, coefficients, kst_memory_zeroed);
}

kst_status kst_jpeg_coefficients_reserve(
    struct memory *memory, const struct jpeg_frame *frame, struct jpeg_coefficients *coefficients)
{
    return create(memory, frame, frame->mcus_w, frame->mcus_h, coefficients, kst_memory_array);
}

kst_status kst_jpeg_coefficients_create_part(struct memory *memory, const struct jpeg_frame *frame, uint32_t mcus_w,
    uint32_t mcus_h, struct jpeg_coefficients *coefficients)
{
    return create(memory, frame, mcus_w, mcus_h, coefficients, kst_memory_zeroed);
}

uint64_t kst_jpeg_coefficients_length(const struct jpeg_frame *frame)
{
    uint64_t blocks = 0;
    for (uint32_t i = 0; i < frame->component_count; i++)
        blocks += (uint64_t)frame->component[i].padded_w * frame->component[i].padded_h;
    return blocks * 64 * sizeof(int16_t);
}

void kst_jpeg_coefficients_release(struct memory *memory, struct jpeg_coefficients *coefficients)
{
    for (uint32_t i = 0; i < JPEG_COMPONENTS; i++)
        kst_memory_release(memory, coefficients->blocks[i]);
    memset(coefficients, 0, sizeof *coefficients);
}
