/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks descriptions of volumes, and allocates their buffers. */
#include "image/volume.h"

#include "image/location.h"

enum { BITS_MAX = 31 };

void kst_volume_init(kst_volume *volume)
{
    if (volume)
        *volume = (kst_volume){.size = sizeof *volume};
}

static kst_status check_kind(const kst_volume *volume)
{
    if (!volume || volume->size < sizeof *volume)
        return KST_ERROR_ARGUMENT;
    if (volume->width == 0 || volume->height == 0 || volume->depth == 0)
        return KST_ERROR_IMAGE_SIZE;
    if (volume->bits == 0 || volume->bits > BITS_MAX)
        return KST_ERROR_IMAGE_DEPTH;
    if (volume->sample != KST_SAMPLE_INTEGER && volume->sample != KST_SAMPLE_FLOAT32)
        return KST_ERROR_IMAGE_SAMPLE;
    return (unsigned)volume->memory < KST_MEMORY_OPENCL_IMAGE ? KST_OK : KST_ERROR_IMAGE_MEMORY;
}

/* Return the position of the first sample whose alignment counts: its offset in a buffer, or its address. */
static uintptr_t place_of(const kst_volume *volume)
{
    return kst_memory_has_offsets(volume->memory) ? volume->offset : (uintptr_t)volume->data;
}

kst_status kst_volume_check(kst_volume *volume, uint64_t *bytes)
{
    kst_status status = check_kind(volume);
    if (status)
        return status;
    const uint64_t sample = kst_volume_sample_bytes(volume), row = sample * volume->width;
    uint64_t slice, all;
    if (volume->pitch == 0)
        volume->pitch = row;
    if (volume->pitch < row || volume->pitch % sample != 0 ||
        __builtin_mul_overflow((uint64_t)volume->pitch, (uint64_t)(volume->height - 1), &slice) ||
        __builtin_add_overflow(slice, (uint64_t)volume->pitch, &slice))
        return KST_ERROR_IMAGE_PITCH;
    if (volume->slice_pitch == 0)
        volume->slice_pitch = slice;
    if (volume->slice_pitch < slice - volume->pitch + row || volume->slice_pitch % sample != 0 ||
        __builtin_mul_overflow((uint64_t)volume->slice_pitch, (uint64_t)(volume->depth - 1), &all) ||
        __builtin_add_overflow(all, slice - volume->pitch + row, &all) || all > PTRDIFF_MAX ||
        place_of(volume) % sample != 0)
        return KST_ERROR_IMAGE_PITCH;
    *bytes = all;
    return KST_OK;
}

kst_status kst_volume_make(struct memory *memory, kst_volume *volume)
{
    uint64_t bytes;
    if (volume && volume->size >= sizeof *volume)
        volume->data = volume->owned = NULL;
    kst_status status = kst_volume_check(volume, &bytes);
    if (!status)
        volume->data = volume->owned = kst_memory_array(memory, (size_t)bytes, 1, &status);
    return status;
}
