/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the marker segments of a multiple component transform (T.801): CBD, MCT, MCC and MCO. */
#include "j2k/syntax/marker.h"
#include "j2k/write/marker_writer.h"

enum { WIDE = 0x8000, WIDE_FROM = 256 /* components */, INTEGERS = 1, OFFSETS = 2, FIRST = 1 };

static void put_depths(struct sink *sink, const struct j2k_multi *multi)
{
    bool same = true;
    for (uint32_t i = 1; i < multi->sample_count; i++)
        same = same && multi->sample[i].depth == multi->sample->depth &&
               multi->sample[i].is_signed == multi->sample->is_signed;
    const size_t begin = kst_j2k_segment_begin(sink, J2K_CBD);
    kst_sink_u16(sink, (uint16_t)(multi->sample_count | (same ? WIDE : 0)));
    for (uint32_t i = 0; i < (same ? 1 : multi->sample_count); i++)
        kst_sink_u8(sink, (uint8_t)((multi->sample[i].depth - 1) | (multi->sample[i].is_signed ? 0x80 : 0)));
    kst_j2k_segment_end(sink, begin);
}

/* Write an array of whole numbers of 32 bits, such as offsets. */
static void put_array(struct sink *sink, const struct j2k_multi_array *array)
{
    const size_t begin = kst_j2k_segment_begin(sink, J2K_MCT);
    kst_sink_u16(sink, 0);
    kst_sink_u16(sink, (uint16_t)(INTEGERS << 10 | array->kind << 8 | array->index));
    kst_sink_u16(sink, 0);
    for (uint32_t i = 0; i < array->count; i++)
        kst_sink_u32(sink, (uint32_t)(int32_t)array->value[i]);
    kst_j2k_segment_end(sink, begin);
}

static void put_list(struct sink *sink, const uint32_t *index, uint32_t count)
{
    const bool wide = count >= WIDE_FROM;
    kst_sink_u16(sink, (uint16_t)(count | (wide ? WIDE : 0)));
    for (uint32_t i = 0; i < count; i++)
        if (wide)
            kst_sink_u16(sink, (uint16_t)index[i]);
        else
            kst_sink_u8(sink, (uint8_t)index[i]);
}

static void put_wavelet(struct sink *sink, const struct j2k_multi *multi, const struct j2k_multi_collection *collection)
{
    const size_t begin = kst_j2k_segment_begin(sink, J2K_MCC);
    kst_sink_u16(sink, 0);
    kst_sink_u8(sink, FIRST);
    kst_sink_u16(sink, 0);
    kst_sink_u16(sink, 1);
    kst_sink_u8(sink, J2K_MULTI_WAVELET);
    put_list(sink, multi->index + collection->input, collection->count);
    put_list(sink, multi->index + collection->output, collection->count);
    kst_sink_u8(sink, collection->levels);
    kst_sink_u8(sink, collection->offsets < 0 ? 0 : multi->array[collection->offsets].index);
    kst_sink_u8(sink, collection->reversible);
    kst_sink_u32(sink, collection->origin);
    kst_j2k_segment_end(sink, begin);
}

void kst_j2k_put_multi(struct sink *sink, const struct j2k_multi *multi)
{
    const struct j2k_multi_collection *wavelet = kst_j2k_multi_brick(multi);
    if (!wavelet)
        return;
    put_depths(sink, multi);
    for (uint32_t i = 0; i < multi->array_count; i++)
        put_array(sink, &multi->array[i]);
    put_wavelet(sink, multi, wavelet);
    const size_t begin = kst_j2k_segment_begin(sink, J2K_MCO);
    kst_sink_u8(sink, 1);
    kst_sink_u8(sink, FIRST);
    kst_j2k_segment_end(sink, begin);
}
