/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Describes the transform of a volume along z in the headers of its codestream (T.801), computes how much errors of its
 * components count, and measures the error of the volume.
 */
#include <math.h>

#include "core/report.h"
#include "image/volume.h"
#include "j2k/run/encode.h"
#include "run/decoding.h"

enum { ARRAY = 1 };

/* Allocate the lists of a description with one wavelet over all components. */
static kst_status allocate_multi(struct j2k_encoder *encoder, struct j2k_multi *multi)
{
    struct memory *memory = &encoder->e->memory;
    const uint32_t count = encoder->component_count;
    kst_status status = KST_OK;
    multi->sample = kst_memory_zeroed(memory, count, sizeof *multi->sample, &status);
    multi->array = kst_memory_zeroed(memory, 1, sizeof *multi->array, &status);
    multi->collection = kst_memory_zeroed(memory, 1, sizeof *multi->collection, &status);
    multi->stage = kst_memory_zeroed(memory, 1, sizeof *multi->stage, &status);
    multi->index = kst_memory_zeroed(memory, count, sizeof *multi->index, &status);
    if (!status) {
        multi->array_count = 1;
        multi->array->value = kst_memory_zeroed(memory, count, sizeof *multi->array->value, &status);
    }
    encoder->slice_norm = kst_memory_array(memory, count, sizeof *encoder->slice_norm, &status);
    return status ? kst_report_error(&encoder->e->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}

kst_status kst_j2k_run_encode_describe_volume(struct j2k_encoder *encoder)
{
    const struct j2k_volume_coding *coding = encoder->e->volume;
    const kst_volume *volume = coding->volume;
    struct j2k_multi *multi = &encoder->coded.headers.multi;
    const uint32_t count = encoder->component_count;
    kst_status status = allocate_multi(encoder, multi);
    if (status)
        return status;
    multi->allowed = true;
    multi->sample_count = multi->index_count = count;
    multi->collection_count = multi->stage_count = 1;
    multi->stage->collection_count = 1;
    multi->array->kind = 2;
    multi->array->index = ARRAY;
    multi->array->count = count;
    for (uint32_t i = 0; i < count; i++) {
        multi->index[i] = i;
        multi->sample[i] = (struct j2k_multi_sample){.depth = volume->bits, .is_signed = volume->is_signed};
        multi->array->value[i] = volume->is_signed ? 0 : ldexp(1, volume->bits - 1);
    }
    *multi->collection = (struct j2k_multi_collection){.kind = J2K_MULTI_WAVELET,
        .reversible = coding->reversible,
        .levels = (uint8_t)coding->levels,
        .count = count,
        .array = -1};
    encoder->coded.headers.main.multi = J2K_MULTI_BY_WAVELETS;
    kst_j2k_z_norms(multi->collection, encoder->slice_norm);
    return KST_OK;
}

void kst_j2k_run_encode_weigh_volume(struct j2k_encoder *encoder)
{
    const struct j2k_plan *plan = &encoder->coded.plan;
    for (uint32_t b = 0; b < plan->band_count; b++) {
        const double norm = encoder->slice_norm[plan->band[b].tile_component % plan->component_count];
        encoder->weight[b] *= norm * norm;
    }
}

/* Return the sum of the squared differences of two rows. */
static double squares(const kst_volume *volume, const uint8_t *a, const uint8_t *b)
{
    const uint32_t bytes = kst_volume_sample_bytes(volume);
    double sum = 0;
    for (uint32_t x = 0; x < volume->width; x++) {
        int64_t left, right;
        if (bytes == 1) {
            left = volume->is_signed ? (int64_t)(int8_t)a[x] : (int64_t)a[x];
            right = volume->is_signed ? (int64_t)(int8_t)b[x] : (int64_t)b[x];
        } else if (bytes == 2) {
            const uint16_t l = ((const uint16_t *)(const void *)a)[x], r = ((const uint16_t *)(const void *)b)[x];
            left = volume->is_signed ? (int64_t)(int16_t)l : (int64_t)l;
            right = volume->is_signed ? (int64_t)(int16_t)r : (int64_t)r;
        } else {
            left = ((const int32_t *)(const void *)a)[x];
            right = ((const int32_t *)(const void *)b)[x];
        }
        sum += (double)((left - right) * (left - right));
    }
    return sum;
}

kst_status kst_j2k_run_encode_measure_volume(
    struct j2k_encoder *encoder, kst_decoder *decoder, uint32_t layers, double *error)
{
    const kst_volume *volume = encoder->e->volume->volume;
    kst_volume_decode_options options = {.size = sizeof options, .layers = layers};
    kst_volume decoded = *volume;
    decoded.pitch = decoded.slice_pitch = 0;
    kst_status status = kst_volume_make(&decoder->memory, &decoded);
    if (!status)
        status = decoder->codec->decode_volume(decoder, &options, &decoded, NULL);
    *error = 0;
    for (uint32_t z = 0; z < volume->depth && !status; z++)
        for (uint32_t y = 0; y < volume->height; y++)
            *error += squares(volume, (const uint8_t *)volume->data + z * volume->slice_pitch + y * volume->pitch,
                (const uint8_t *)decoded.data + z * decoded.slice_pitch + y * decoded.pitch);
    kst_memory_release(&decoder->memory, decoded.owned);
    return status ? kst_report_error(&encoder->e->report, status, KST_NO_OFFSET, NULL) : KST_OK;
}
