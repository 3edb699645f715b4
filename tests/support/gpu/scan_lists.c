/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills the lists that kernels of entropy decoding read, from a model. */
#include "support/gpu/scan_lists.h"

#include "support/gpu/pictures.h"
#include "support/test.h"

struct lists make_lists(size_t stride, uint32_t count)
{
    size_t length = stride * count * 4;
    return (struct lists){stage_poisoned(length), stride, length};
}

struct lists copy_lists(const struct lists *from)
{
    return (struct lists){stage_copy(from->word, from->length), from->stride, from->length};
}

uint32_t *list_at(const struct lists *lists, uint32_t list, size_t index)
{
    return &lists->word[list * lists->stride + index];
}

size_t count_groups(const struct model *model)
{
    return (size_t)model->size.groups[WORK_OF_CHUNKS];
}

struct lists chunk_lists(const struct model *model)
{
    return make_lists(count_groups(model) * WORK_CHUNKS, CHUNK_LISTS);
}

uint32_t halves(const struct model *model)
{
    return ((const struct jpeg_work *)(const void *)model->work)->halves;
}

uint32_t spread(const struct model *model)
{
    return ((const struct jpeg_work *)(const void *)model->work)->spread;
}

struct lists group_lists(const struct model *model)
{
    return make_lists(count_groups(model), GROUP_LISTS);
}

size_t bytes_length(const struct model *model)
{
    return (count_groups(model) * WORK_CHUNKS * CHUNK_WORDS + CHUNK_READ_AHEAD) * 4;
}

/* Write the words of all chunks; those of a picture are filled up with zeros to a multiple of four. */
void fill_bytes(const struct model *model, uint32_t *bytes)
{
    for (uint32_t i = 0; i < model->count; i++) {
        uint32_t *to = bytes + model_first_chunk(model, i) * CHUNK_WORDS;
        for (uint32_t p = 0; p < model->picture[i].chunks; p++) {
            const uint8_t *from = model->picture[i].chunk[p].bytes;
            for (uint32_t w = 0; w < CHUNK_WORDS; w++, from += 4)
                *to++ = (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
        }
        for (uint32_t w = model->picture[i].chunks * CHUNK_WORDS; w % 4 != 0; w++)
            *to++ = 0;
    }
}

void fill_chunks(const struct model *model, const struct lists *chunks)
{
    for (uint32_t i = 0; i < model->count; i++)
        for (uint32_t p = 0; p < model->picture[i].chunks; p++) {
            const struct model_chunk *chunk = &model->picture[i].chunk[p];
            size_t place = model_first_chunk(model, i) + p;
            *list_at(chunks, CHUNK_INFO, place) =
                chunk->bits | (chunk->first ? (uint32_t)CHUNK_FIRST : 0) | (chunk->last ? (uint32_t)CHUNK_LAST : 0);
            *list_at(chunks, CHUNK_SEGMENT, place) = chunk->segment;
        }
}

uint32_t half_of(const struct model_picture *picture, uint32_t chunk, uint32_t state)
{
    struct model_chunk half = picture->chunk[chunk];
    uint32_t blocks;
    if (half.last)
        return 0;
    half.bits /= 2;
    uint32_t behind = model_pass(picture, &half, state, &blocks);
    return HALF_KNOWN | blocks << HALF_BLOCKS | behind;
}

static uint32_t turns(void)
{
    return simulated() ? 1 : 66;
}

void each_model(void (*test)(struct gpu_runtime *runtime, const struct model *model))
{
    static const uint32_t lengths[] = {60000, 9000, 30, 300, 100, 9000, 50, 1000, 70, 30, 60000};
    for (uint32_t i = 0; i < turns(); i++) {
        struct model model;
        uint32_t most = lengths[i % (sizeof lengths / sizeof lengths[0])];
        model_make(&model, simulated() ? 2 : 1 + i % MODEL_PICTURES, simulated() ? 2000 : most);
        ((struct jpeg_work *)(void *)model.work)->halves = simulated() || i % 2;
        ((struct jpeg_work *)(void *)model.work)->spread = simulated() ? 2 : i / 2 % (WORK_SPREAD + 1);
        for (uint32_t g = 0; g < gpu_count; g++)
            test(runtimes[g], &model);
        model_release(&model);
        renew_runtimes();
    }
}
