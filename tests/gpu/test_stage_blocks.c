/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of entropy decoding that write blocks, each by itself, on data and tables that no encoder would make,
 * against plain C that reads a bit after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "jpeg/gpu/modules.h"
#include "support/gpu/pictures.h"
#include "support/gpu/scan_lists.h"
#include "support/random.h"
#include "support/test.h"

/* Lists of stretches: a chunk, or two. */
static uint32_t *stretch_at(const struct lists *chunks, uint32_t list, size_t index)
{
    return &chunks->word[(CHUNK_STRETCHES + 2 * (size_t)list) * chunks->stride + index];
}

static uint32_t write_groups(const struct model *model)
{
    return (uint32_t)count_groups(model) * WRITE_RATIO << (halves(model) + spread(model));
}

/* Fill in the states that decoding reaches, now and then without the one half-way. */
static void fill_entries(const struct model *model, const struct lists *chunks)
{
    for (uint32_t i = 0; i < model->count; i++)
        for (uint32_t p = 0; p < model->picture[i].chunks; p++) {
            const struct model_chunk *chunk = &model->picture[i].chunk[p];
            size_t place = model_first_chunk(model, i) + p;
            *list_at(chunks, CHUNK_ENTRY, place) = chunk->state << MAP_STATE | (chunk->first ? MAP_FIRST : 0);
            *list_at(chunks, CHUNK_BEFORE, place) = chunk->before;
            if (halves(model))
                *list_at(chunks, CHUNK_HALF, place) =
                    next_random() % 5 ? half_of(&model->picture[i], p, chunk->state) : 0;
        }
}

/* The chunk that a work-item decodes, in the form of struct model_chunk. */
struct stretch {
    uint32_t start; /* block that it would start with, were there one */
    uint32_t block, blocks;
    uint16_t dc[WORK_COMPONENTS];
};

/* Return the place in the picture of a block of a chunk's segment. */
static size_t segment_block(const struct model_picture *picture, uint32_t chunk)
{
    const struct jpeg_scan *scan = picture->stream.plan.scan;
    const struct jpeg_segment *segment =
        &picture->stream.plan.segment[scan->first_segment + picture->chunk[chunk].segment];
    uint32_t interval = scan->restart_interval ? scan->restart_interval : picture->blocks;
    return (size_t)segment->interval * interval * picture->blocks_in_mcu;
}

/* A chunk, or where `half` tells where decoding is half-way, its first or second half. */
static struct stretch find_stretch(const struct model_picture *picture, uint32_t p, uint32_t half, bool second)
{
    const struct model_chunk *chunk = &picture->chunk[p];
    struct stretch first = {chunk->before + (chunk->state >> STATE_INDEX > 0), chunk->block, chunk->blocks, {0}};
    memcpy(first.dc, chunk->dc, sizeof first.dc);
    if (!(half & HALF_KNOWN))
        return second ? (struct stretch){.start = 0} : first;
    struct stretch rest = first;
    uint32_t ended = half >> HALF_BLOCKS & HALF_MOST_BLOCKS;
    rest.start = chunk->before + ended + ((half & MAP_STATES) >> STATE_INDEX > 0);
    first.blocks = rest.start - first.start < chunk->blocks ? rest.start - first.start : chunk->blocks;
    rest.block += first.blocks;
    rest.blocks -= first.blocks;
    memset(first.dc, 0, sizeof first.dc);
    for (uint32_t b = 0; b < first.blocks; b++)
        first.dc[picture->component[(chunk->block + b) % picture->blocks_in_mcu]] =
            picture->block[segment_block(picture, p) + chunk->block + b].dc;
    for (int c = 0; c < WORK_COMPONENTS; c++)
        rest.dc[c] = (uint16_t)(chunk->dc[c] - first.dc[c]);
    return second ? rest : first;
}

/* The sums of DC differences that write_blocks keeps for write_dc, of the stretches of each group. */
static void fill_sums(const struct model *model, const struct lists *chunks, const struct lists *groups)
{
    size_t all = count_groups(model), most = WORK_WRITE_CHUNKS >> spread(model);
    uint32_t shift = halves(model), lists = (uint32_t)WRITE_RATIO << (shift + spread(model));
    for (uint32_t i = 0; i < model->count; i++) {
        size_t first = model_first_chunk(model, i) << shift, end = model_first_chunk(model, i + 1) << shift;
        size_t behind = first + ((size_t)model->picture[i].chunks << shift);
        for (size_t group = first; group < end; group += most)
            for (uint32_t c = 0; c < kst_jpeg_gpu_picture(model->work, i)->scan_components; c++) {
                uint32_t sum = 0;
                size_t stop = behind < group + most ? behind : group + most;
                for (size_t s = group; s < stop; s++)
                    if (*list_at(chunks, CHUNK_SEGMENT, s >> shift) ==
                        *list_at(chunks, CHUNK_SEGMENT, (stop - 1) >> shift))
                        sum += *stretch_at(chunks, STRETCH_DC + c, s);
                groups->word[all * (GROUP_DC + c * lists) + group / most] = sum;
            }
    }
}

static struct stretch stretch_of(const struct model *model, uint32_t picture, size_t index, const struct lists *chunks)
{
    size_t chunk = index >> halves(model);
    uint32_t half = halves(model) ? *list_at(chunks, CHUNK_HALF, model_first_chunk(model, picture) + chunk) : 0;
    return find_stretch(&model->picture[picture], (uint32_t)chunk, half, index & halves(model));
}

/* Compare the lists of stretches as write_blocks leaves them. Sums count modulo 2^16, like differences. */
static void fill_blocks(const struct model *model, const struct lists *chunks)
{
    uint32_t shift = halves(model);
    for (uint32_t i = 0; i < model->count; i++) {
        size_t first = model_first_chunk(model, i) << shift, count = (model_first_chunk(model, i + 1) << shift) - first;
        for (size_t s = 0; s < count; s++) {
            bool exists = s >> shift < model->picture[i].chunks;
            struct stretch stretch = exists ? stretch_of(model, i, s, chunks) : (struct stretch){.start = 0};
            for (uint32_t c = 0; c < kst_jpeg_gpu_picture(model->work, i)->scan_components; c++)
                *stretch_at(chunks, STRETCH_DC + c, first + s) = stretch.dc[c];
            if (!exists)
                continue;
            *stretch_at(chunks, STRETCH_BLOCK, first + s) = stretch.start;
            *stretch_at(chunks, STRETCH_BLOCKS, first + s) = stretch.blocks;
            assert_true(stretch.blocks == 0 || stretch.block == stretch.start);
        }
    }
}

/* Compare the blocks as write_blocks leaves them: sums of differences in their stretches. */
static void fill_dc(const struct model *model, const struct lists *chunks, uint32_t *dc)
{
    for (uint32_t i = 0; i < model->count; i++) {
        const struct model_picture *picture = &model->picture[i];
        uint32_t *own = dc + kst_jpeg_gpu_picture(model->work, i)->block;
        for (uint32_t b = 0; b < picture->blocks; b++)
            if (picture->block[b].coded)
                own[b] = picture->block[b].dc | DC_CODED;
        for (size_t s = 1; halves(model) && s < 2 * (size_t)picture->chunks; s += 2) {
            struct stretch first = stretch_of(model, i, s - 1, chunks), rest = stretch_of(model, i, s, chunks);
            uint32_t *of_segment = own + segment_block(picture, (uint32_t)(s / 2));
            for (uint32_t b = rest.block; b < rest.block + rest.blocks; b++)
                of_segment[b] =
                    ((of_segment[b] - first.dc[picture->component[b % picture->blocks_in_mcu]]) & 0xFFFF) | DC_CODED;
        }
    }
}

static void keep_halves(const struct lists *chunks, uint32_t list)
{
    for (size_t p = 0; p < chunks->stride; p++)
        *list_at(chunks, list, p) &= 0xFFFF;
}

static void test_write_blocks(struct gpu_runtime *runtime, const struct model *model)
{
    size_t length = bytes_length(model), blocks = (size_t)model->size.blocks;
    uint32_t *bytes = stage_poisoned(length), damage[MODEL_PICTURES * WORK_DAMAGE],
             counted[MODEL_PICTURES * WORK_DAMAGE];
    int16_t *coefficients = stage_poisoned(blocks * 128), *wanted = stage_poisoned(blocks * 128);
    uint32_t *dc = stage_poisoned(blocks * 4), *wanted_dc = stage_poisoned(blocks * 4);
    struct lists chunks = chunk_lists(model), groups = group_lists(model);
    fill_bytes(model, bytes);
    fill_chunks(model, &chunks);
    fill_entries(model, &chunks);
    struct lists wanted_chunks = copy_lists(&chunks), wanted_groups = copy_lists(&groups);
    fill_blocks(model, &wanted_chunks);
    fill_sums(model, &wanted_chunks, &wanted_groups);
    fill_dc(model, &wanted_chunks, wanted_dc);
    for (uint32_t i = 0; i < model->count; i++) {
        const struct model_picture *picture = &model->picture[i];
        for (uint32_t d = 0; d < WORK_DAMAGE; d++) {
            damage[i * WORK_DAMAGE + d] = next_random() % 100;
            counted[i * WORK_DAMAGE + d] = damage[i * WORK_DAMAGE + d] + picture->damage[d];
        }
        for (uint32_t b = 0, first = kst_jpeg_gpu_picture(model->work, i)->block; b < picture->blocks; b++)
            if (picture->block[b].coded)
                memcpy(wanted + (size_t)(first + b) * 64, picture->block[b].coefficient, 128);
    }
    struct lists found_chunks = copy_lists(&chunks), found_groups = copy_lists(&groups);
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("bytes", bytes, length), STAGE_FOUND("chunks", chunks.word, found_chunks.word, chunks.length),
        STAGE_FOUND("groups", groups.word, found_groups.word, groups.length),
        STAGE_OUT("coefficients", coefficients, wanted, blocks * 128), STAGE_OUT("dc", dc, wanted_dc, blocks * 4),
        STAGE_OUT("damage", damage, counted, (size_t)model->count * WORK_DAMAGE * 4)};
    stage_run(runtime, &kst_jpeg_gpu_decoding, JPEG_WRITE_BLOCKS, write_groups(model), arguments, 7);
    for (uint32_t list = CHUNK_STRETCHES + 2 * STRETCH_DC; list < CHUNK_LISTS; list++) {
        keep_halves(&found_chunks, list);
        keep_halves(&wanted_chunks, list);
    }
    assert_memory_equal(found_chunks.word, wanted_chunks.word, chunks.length);
    for (size_t i = 0; i < groups.length / 4; i++)
        assert_int_equal(found_groups.word[i] & 0xFFFF, wanted_groups.word[i] & 0xFFFF);
    free(bytes);
    free(coefficients);
    free(wanted);
    free(dc);
    free(wanted_dc);
    free(chunks.word);
    free(groups.word);
    free(wanted_chunks.word);
    free(wanted_groups.word);
    free(found_chunks.word);
    free(found_groups.word);
}

/* Sum what precedes a stretch in its segment, for a component. */
static uint32_t dc_before(
    const struct model *model, uint32_t picture, const struct lists *chunks, size_t index, uint32_t component)
{
    const struct model_chunk *chunk = model->picture[picture].chunk;
    uint32_t sum = 0, shift = halves(model);
    for (size_t s = index; s-- > 0 && chunk[s >> shift].segment == chunk[index >> shift].segment;)
        sum += *stretch_at(chunks, STRETCH_DC + component, (model_first_chunk(model, picture) << shift) + s);
    return sum;
}

/* DC coefficients of differences by chance. */
static void test_write_dc(struct gpu_runtime *runtime, const struct model *model)
{
    size_t length = (size_t)model->size.blocks * 4;
    uint32_t *dc = stage_poisoned(length);
    struct lists chunks = chunk_lists(model), groups = group_lists(model);
    for (size_t i = 0; i < length / 4; i++)
        dc[i] = next_random() & (DC_CODED | 0xFFFF);
    uint32_t *wanted = stage_copy(dc, length);
    fill_chunks(model, &chunks);
    fill_entries(model, &chunks);
    fill_blocks(model, &chunks);
    for (uint32_t c = 0; c < WORK_COMPONENTS; c++)
        for (size_t s = 0; s < 2 * chunks.stride; s++)
            *stretch_at(&chunks, STRETCH_DC + c, s) = next_random();
    fill_sums(model, &chunks, &groups);
    for (uint32_t i = 0; i < model->count; i++) {
        const struct model_picture *picture = &model->picture[i];
        for (size_t s = 0; s < (size_t)picture->chunks << halves(model); s++) {
            struct stretch stretch = stretch_of(model, i, s, &chunks);
            size_t first = kst_jpeg_gpu_picture(model->work, i)->block;
            first += segment_block(picture, (uint32_t)(s >> halves(model))) + stretch.block;
            for (uint32_t b = 0; b < stretch.blocks; b++) {
                uint32_t component = picture->component[(stretch.block + b) % picture->blocks_in_mcu];
                uint32_t sum = dc[first + b] + dc_before(model, i, &chunks, s, component);
                wanted[first + b] = (sum & 0xFFFF) | DC_CODED;
            }
        }
    }
    uint32_t damage[MODEL_PICTURES * WORK_DAMAGE], report[MODEL_PICTURES * WORK_DAMAGE];
    uint32_t *work = stage_copy(model->work, (size_t)model->size.words * 4);
    bool reports = next_random() % 2;
    ((struct jpeg_work *)(void *)work)->reports = reports;
    memset(report, STAGE_POISON, sizeof report);
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++)
        damage[i] = next_random();
    const struct stage_argument arguments[] = {STAGE_IN("work", work, (size_t)model->size.words * 4),
        STAGE_IN("chunks", chunks.word, chunks.length), STAGE_IN("groups", groups.word, groups.length),
        STAGE_OUT("dc", dc, wanted, length), STAGE_IN("damage", damage, (size_t)model->size.pictures * WORK_DAMAGE * 4),
        STAGE_OUT("report", report, reports ? damage : report, (size_t)model->size.pictures * WORK_DAMAGE * 4)};
    stage_run(runtime, &kst_jpeg_gpu_decoding, JPEG_WRITE_DC, write_groups(model), arguments, 6);
    free(work);
    free(dc);
    free(wanted);
    free(chunks.word);
    free(groups.word);
}

static void check_write_blocks(void **state)
{
    (void)state;
    each_model(test_write_blocks);
}

static void check_write_dc(void **state)
{
    (void)state;
    each_model(test_write_dc);
}

/* Few chunks are spread over as many groups as the device's units can use; of an unknown device, over the most. */
static void check_spread(void **state)
{
    static const struct {
        uint32_t groups, units, spread;
    } cases[] = {{1, 0, 5}, {1, 132, 5}, {1, 1, 1}, {1, 2, 2}, {2, 132, 4}, {2, 1, 0}, {400, 132, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct jpeg_gpu_size size = {.groups[WORK_OF_CHUNKS] = cases[i].groups, .units = cases[i].units};
        assert_int_equal(kst_jpeg_gpu_spread(&size), cases[i].spread);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_spread), cmocka_unit_test(check_write_blocks), cmocka_unit_test(check_write_dc)};
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}
