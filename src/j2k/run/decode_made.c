/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes pictures whose components a multiple component transform makes (T.801), in the main header's way or in a
 * tile's own: the components are decoded as the slices of a volume, on the device that suits, and then stored where the
 * picture wants them.
 */
#include <string.h>

#include "core/report.h"
#include "j2k/run/decode.h"
#include "j2k/run/decode_volume_gpu.h"
#include "j2k/syntax/geometry.h"
#include "run/volume_memory.h"

/* Holds the volume whose slices are the components from `first` on, and where their samples go. */
struct made_components {
    const kst_volume *volume;
    const struct j2k_target *target;
    uint32_t first;
};

static int32_t sample_at(const uint8_t *row, uint32_t x, const kst_volume *volume)
{
    const bool is_signed = volume->is_signed;
    uint16_t half;
    int32_t word;
    switch (kst_volume_sample_bytes(volume)) {
    case 1:
        return is_signed ? (int8_t)row[x] : row[x];
    case 2:
        memcpy(&half, row + x * sizeof half, sizeof half);
        return is_signed ? (int16_t)half : half;
    default:
        memcpy(&word, row + x * sizeof word, sizeof word);
        return word;
    }
}

/* Store a sample with the target's number of bytes, of which it needs no more. */
static void put_sample(const struct j2k_target *target, uint8_t *row, uint32_t x, int32_t sample)
{
    uint8_t *to = row + x * target->stride * target->bytes;
    const uint16_t half = (uint16_t)sample;
    if (target->bytes == 1)
        *to = (uint8_t)sample;
    else if (target->bytes == 2)
        memcpy(to, &half, sizeof half);
    else
        memcpy(to, &sample, sizeof sample);
}

static void store_component(void *argument, uint32_t index)
{
    const struct made_components *made = argument;
    const kst_volume *volume = made->volume;
    const struct j2k_target *target = &made->target[made->first + index];
    const bool same = target->stride == 1 && target->bytes == kst_volume_sample_bytes(volume);
    if (!target->data)
        return;
    for (uint32_t y = 0; y < volume->height; y++) {
        const uint8_t *row = (const uint8_t *)volume->data + index * volume->slice_pitch + y * volume->pitch;
        uint8_t *to = (uint8_t *)target->data + (ptrdiff_t)y * target->pitch;
        if (same)
            memcpy(to, row, (size_t)volume->width * target->bytes);
        for (uint32_t x = 0; x < volume->width && !same; x++)
            put_sample(target, to, x, sample_at(row, x, volume));
    }
}

/* Find the components that are wanted: those from *first to before *end, of which some may have no target. */
static void find_wanted(
    const struct j2k_stream *stream, const struct j2k_target *target, uint32_t *first, uint32_t *end)
{
    const uint32_t count = kst_j2k_made_count(stream);
    *first = count;
    *end = 0;
    for (uint32_t i = 0; i < count; i++)
        if (target[i].data) {
            *first = i < *first ? i : *first;
            *end = i + 1;
        }
}

/* Decode the volume that v->options ask for to host memory, and store its slices. */
static kst_status decode(struct volume_decoding *v, struct made_components *made)
{
    struct volume_decoding *only = v;
    if (v->planned)
        kst_j2k_run_volumes_end(kst_j2k_run_volumes_begin(&only, 1));
    else
        v->status = kst_volume_decoding_on_cpu(v);
    if (!v->status)
        kst_pool_run(v->decoder->context->pool, made->volume->depth, store_component, made);
    return v->status;
}

kst_status kst_j2k_run_decode_made(kst_decoder *decoder, const kst_decode_options *options, struct j2k_rect region,
    const struct j2k_target *target, struct progress *progress)
{
    const struct j2k_stream *stream = &j2k_state(decoder)->stream;
    const struct j2k_rect image = kst_j2k_reduced_image(stream, options->reduce);
    struct volume_decoding v = {.decoder = decoder, .progress = progress};
    kst_volume_info info = {.size = sizeof info};
    kst_volume described, volume;
    uint32_t first, end;
    find_wanted(stream, target, &first, &end);
    kst_volume_init(&described);
    kst_volume_init(&volume);
    kst_volume_decode_options_init(&v.options);
    v.options.reduce = options->reduce;
    v.options.layers = options->layers;
    v.options.strict = options->strict;
    v.options.region = (kst_box){.x = region.x0 - image.x0,
        .y = region.y0 - image.y0,
        .z = first,
        .width = region.x1 - region.x0,
        .height = region.y1 - region.y0,
        .depth = end - first};
    kst_status status = kst_j2k_run_describe_volume(decoder, &v.options, &described, &info);
    if (status)
        return status;
    struct made_components made = {&volume, target, first};
    status = kst_volume_decoding_begin(&v, &described, &volume);
    if (!status)
        status = decode(&v, &made);
    status = kst_volume_decoding_end(&v, status);
    if (!status)
        kst_volume_run_release(decoder->context, &volume);
    return status;
}
