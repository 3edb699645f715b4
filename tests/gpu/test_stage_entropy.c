/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of entropy decoding that find where chunks start, each by itself, on data and tables that no encoder
 * would make, against plain C that reads a bit after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "jpeg/gpu/modules.h"
#include "support/gpu/pictures.h"
#include "support/gpu/scan_lists.h"
#include "support/random.h"
#include "support/test.h"

static struct lists map_lists(const struct model *model)
{
    return make_lists(count_groups(model) * WORK_CHUNKS, 2 * MAP_LISTS);
}

/* Entries of a picture's maps. */
static uint32_t count_lists(const struct model_picture *picture)
{
    uint32_t wanted = 2 * picture->blocks_in_mcu + 3;
    return wanted < MAP_LISTS ? wanted : MAP_LISTS;
}

/* The states that a chunk leads to from its first bit, entered as each block of the MCU: each once. */
static uint32_t find_candidates(const struct model_picture *picture, uint32_t chunk, uint32_t *state)
{
    const struct model_chunk *before = chunk > 0 ? &picture->chunk[chunk - 1] : NULL;
    uint32_t count = 0, blocks;
    if (picture->chunk[chunk].first) {
        state[0] = 0;
        return 1;
    }
    for (uint32_t b = 0; b < (before->first ? 1 : picture->blocks_in_mcu); b++) {
        uint32_t found = model_pass(picture, before, b << STATE_BLOCK, &blocks), i = 0;
        while (i < count && state[i] != found)
            i++;
        if (i == count)
            state[count++] = found;
    }
    return count;
}

static uint32_t state_of(uint32_t entry)
{
    return entry >> MAP_STATE & MAP_STATES;
}

/* Return whether an entry is right: where it leads to, and how many blocks end on the way. */
static void check_entry(
    const struct model_picture *picture, const struct lists *maps, size_t place, uint32_t chunk, uint32_t entry)
{
    uint32_t blocks = 0, next = entry & MAP_NEXT, candidates[WORK_MCU_BLOCKS];
    assert_int_equal((entry & MAP_FIRST) != 0, picture->chunk[chunk].first);
    if (picture->chunk[chunk].last) {
        assert_int_equal(next | (entry >> MAP_BLOCKS & MAP_MOST_BLOCKS), 0);
        return;
    }
    uint32_t state = model_pass(picture, &picture->chunk[chunk], state_of(entry), &blocks);
    assert_int_equal(entry >> MAP_BLOCKS & MAP_MOST_BLOCKS, blocks);
    if (next != MAP_UNKNOWN) {
        assert_true(next < count_lists(picture));
        assert_int_equal(state_of(*list_at(maps, next, place + 1)), state);
        return;
    }
    for (uint32_t i = find_candidates(picture, chunk + 1, candidates); i-- > 0;)
        assert_int_not_equal(candidates[i], state);
}

/* Maps of a picture's chunks: the candidates first, others as they were found, what nothing leads to unknown. */
static void check_maps(const struct model *model, uint32_t index, const struct lists *maps)
{
    const struct model_picture *picture = &model->picture[index];
    size_t first = model_first_chunk(model, index), end = model_first_chunk(model, index + 1);
    uint32_t lists = count_lists(picture);
    for (uint32_t p = 0; first + p < end; p++)
        for (uint32_t list = 0; list < MAP_LISTS; list++) {
            uint32_t entry = *list_at(maps, list, first + p), state[WORK_MCU_BLOCKS];
            uint32_t count = p < picture->chunks ? find_candidates(picture, p, state) : 0;
            uint32_t half = *list_at(maps, MAP_LISTS + list, first + p);
            if (list >= lists || !halves(model) || p >= picture->chunks)
                assert_int_equal(half, STAGE_POISON * 0x01010101U);
            else if (entry != MAP_UNKNOWN)
                assert_int_equal(half, half_of(picture, p, state_of(entry)));
            if (list >= lists)
                assert_int_equal(entry, STAGE_POISON * 0x01010101U);
            else if (list < count)
                assert_int_equal(state_of(entry), state[list]);
            else if (p >= picture->chunks || list < picture->blocks_in_mcu)
                assert_int_equal(entry, MAP_UNKNOWN);
            if (list < lists && p < picture->chunks && entry != MAP_UNKNOWN)
                check_entry(picture, maps, first + p, p, entry);
        }
}

static void test_map_chunks(struct gpu_runtime *runtime, const struct model *model)
{
    size_t length = bytes_length(model), dc_length = (size_t)model->size.blocks * 4;
    uint32_t *bytes = stage_poisoned(length), *wanted_bytes = stage_poisoned(length);
    void *dc = stage_poisoned(dc_length), *wanted_dc = calloc(dc_length + 1, 1);
    uint32_t damage[MODEL_PICTURES * WORK_DAMAGE], none[MODEL_PICTURES * WORK_DAMAGE] = {0};
    struct lists chunks = chunk_lists(model), maps = map_lists(model);
    struct lists wanted_chunks = copy_lists(&chunks), found = copy_lists(&maps);
    memset(damage, STAGE_POISON, sizeof damage);
    fill_bytes(model, wanted_bytes);
    fill_chunks(model, &wanted_chunks);
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("stream", model->stream, (size_t)model->size.stream * 16),
        STAGE_OUT("bytes", bytes, wanted_bytes, length),
        STAGE_OUT("chunks", chunks.word, wanted_chunks.word, chunks.length),
        STAGE_FOUND("maps", maps.word, found.word, maps.length), STAGE_OUT("dc", dc, wanted_dc, dc_length),
        STAGE_OUT("damage", damage, none, (size_t)model->count * WORK_DAMAGE * 4)};
    stage_run(runtime, &kst_jpeg_gpu_decoding, JPEG_MAP_CHUNKS,
        (uint32_t)count_groups(model) * (WORK_CHUNKS / WORK_MAP_CHUNKS), arguments, 7);
    for (uint32_t i = 0; i < model->count; i++)
        check_maps(model, i, &found);
    free(bytes);
    free(wanted_bytes);
    free(dc);
    free(wanted_dc);
    free(chunks.word);
    free(wanted_chunks.word);
    free(maps.word);
    free(found.word);
}

/* Following entries: where it has come to, and blocks since the segment's start or that of the way. */
struct way {
    uint32_t which, blocks, passed;
};

static void follow(struct way *way, uint32_t entry, uint32_t most)
{
    if (way->which == MAP_UNKNOWN)
        return;
    way->which = entry & MAP_NEXT;
    way->blocks = (entry & MAP_FIRST ? 0 : way->blocks) + (entry >> MAP_BLOCKS & most);
    way->passed |= entry & MAP_FIRST;
}

/* Over the chunks of a group that come before chunk `end` of the picture. */
static void follow_chunks(
    const struct model *model, uint32_t picture, size_t group, uint32_t end, const struct lists *maps, struct way *way)
{
    size_t first = model_first_chunk(model, picture);
    for (size_t i = group * WORK_CHUNKS; i < (group + 1) * WORK_CHUNKS && i < first + end; i++)
        if (way->which != MAP_UNKNOWN)
            follow(way, *list_at(maps, way->which, i), MAP_MOST_BLOCKS);
}

/* Compute the maps of the groups. */
static void fill_groups(const struct model *model, const struct lists *maps, const struct lists *groups)
{
    for (uint32_t i = 0; i < model->count; i++)
        for (size_t g = model_first_chunk(model, i) / WORK_CHUNKS; g < model_first_chunk(model, i + 1) / WORK_CHUNKS;
             g++)
            for (uint32_t list = 0; list < count_lists(&model->picture[i]); list++) {
                struct way way = {list, 0, 0};
                follow_chunks(model, i, g, model->picture[i].chunks, maps, &way);
                *list_at(groups, list, g) = way.which | (way.blocks & GROUP_BLOCKS_MASK) << MAP_BLOCKS | way.passed;
            }
}

/* Fill in entries that lead anywhere, now and then to no state; a few belong to a segment's first chunk. */
static void random_maps(const struct model *model, const struct lists *maps)
{
    for (uint32_t i = 0; i < model->count; i++)
        for (size_t p = model_first_chunk(model, i); p < model_first_chunk(model, i + 1); p++)
            for (uint32_t list = 0; list < count_lists(&model->picture[i]); list++) {
                uint32_t next = next_random() % 100 ? next_random() % count_lists(&model->picture[i]) : MAP_UNKNOWN;
                *list_at(maps, list, p) = (next_random() << MAP_BLOCKS & ~MAP_FIRST) | next;
                if (next_random() % 64 == 0)
                    *list_at(maps, list, p) |= MAP_FIRST;
                *list_at(maps, MAP_LISTS + list, p) = next_random();
            }
}

static void test_map_groups(struct gpu_runtime *runtime, const struct model *model)
{
    struct lists maps = map_lists(model), groups = group_lists(model), wanted = copy_lists(&groups);
    random_maps(model, &maps);
    fill_groups(model, &maps, &wanted);
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("maps", maps.word, maps.length), STAGE_OUT("groups", groups.word, wanted.word, groups.length)};
    stage_run(runtime, &kst_jpeg_gpu_decoding, JPEG_MAP_GROUPS, (uint32_t)count_groups(model), arguments, 3);
    free(maps.word);
    free(groups.word);
    free(wanted.word);
}

/* Each chunk's entry, and the blocks before it, of a group that is entered somehow. */
static void test_place_chunks(struct gpu_runtime *runtime, const struct model *model)
{
    struct lists maps = map_lists(model), groups = group_lists(model), chunks = chunk_lists(model);
    struct lists wanted = copy_lists(&chunks);
    random_maps(model, &maps);
    for (uint32_t i = 0; i < model->count; i++)
        for (size_t p = model_first_chunk(model, i), end = model_first_chunk(model, i + 1); p < end; p++) {
            uint32_t lists = count_lists(&model->picture[i]);
            struct way way;
            size_t group = p / WORK_CHUNKS;
            if (p % WORK_CHUNKS == 0) {
                *list_at(&groups, GROUP_ENTRY, group) = next_random() % lists;
                *list_at(&groups, GROUP_BLOCKS, group) = next_random() & GROUP_BLOCKS_MASK;
            }
            way = (struct way){*list_at(&groups, GROUP_ENTRY, group), *list_at(&groups, GROUP_BLOCKS, group), 0};
            follow_chunks(model, i, group, (uint32_t)(p - model_first_chunk(model, i)), &maps, &way);
            bool exists = p < model_first_chunk(model, i) + model->picture[i].chunks;
            uint32_t entry = exists && way.which != MAP_UNKNOWN ? *list_at(&maps, way.which, p) : MAP_UNKNOWN;
            *list_at(&wanted, CHUNK_ENTRY, p) = entry;
            *list_at(&wanted, CHUNK_BEFORE, p) = entry & MAP_FIRST ? 0 : way.blocks;
            if (exists && halves(model))
                *list_at(&wanted, CHUNK_HALF, p) =
                    way.which != MAP_UNKNOWN ? *list_at(&maps, MAP_LISTS + way.which, p) : 0;
            if (!exists) { /* anything */
                struct way all = {*list_at(&groups, GROUP_ENTRY, group), *list_at(&groups, GROUP_BLOCKS, group), 0};
                follow_chunks(model, i, group, model->picture[i].chunks, &maps, &all);
                *list_at(&wanted, CHUNK_BEFORE, p) = all.blocks;
            }
        }
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("maps", maps.word, maps.length), STAGE_IN("groups", groups.word, groups.length),
        STAGE_OUT("chunks", chunks.word, wanted.word, chunks.length)};
    stage_run(runtime, &kst_jpeg_gpu_decoding, JPEG_PLACE_CHUNKS, (uint32_t)count_groups(model), arguments, 4);
    free(maps.word);
    free(groups.word);
    free(chunks.word);
    free(wanted.word);
}

/* True entries of a chunk's map in some order, the true state's among them but for a few. */
static uint32_t choose_states(const struct model_picture *picture, uint32_t chunk, uint32_t holes, uint32_t *state)
{
    uint32_t count = find_candidates(picture, chunk, state), place = next_random() % (count + 1), i = 0;
    bool hole = holes && (next_random() % holes == 0 || (chunk % WORK_CHUNKS == 0 && next_random() % 2));
    if (picture->chunk[chunk].first || hole)
        return count;
    while (i < count && state[i] != picture->chunk[chunk].state)
        i++;
    if (i < count)
        return count;
    for (i = count; i > place; i--)
        state[i] = state[i - 1];
    state[place] = picture->chunk[chunk].state;
    return count + 1;
}

/*
 * Make correct maps. One entry in `holes`, and every other one that starts a group, is unknown or lacks the state; 0:
 * all are known.
 */
static void true_maps(const struct model *model, uint32_t holes, const struct lists *maps)
{
    for (uint32_t i = 0; i < model->count; i++) {
        const struct model_picture *picture = &model->picture[i];
        size_t first = model_first_chunk(model, i), end = model_first_chunk(model, i + 1);
        uint32_t state[2][WORK_MCU_BLOCKS + 1], count = 0, next_count = 0;
        for (size_t p = first; p < end; p++)
            for (uint32_t list = 0; list < count_lists(picture); list++)
                *list_at(maps, list, p) = MAP_UNKNOWN;
        for (uint32_t p = 0; p < picture->chunks; p++, count = next_count) {
            if (p == 0)
                count = choose_states(picture, p, holes, state[0]);
            if (p + 1 < picture->chunks)
                next_count = choose_states(picture, p + 1, holes, state[(p + 1) % 2]);
            for (uint32_t list = 0; list < count; list++) {
                uint32_t blocks = 0, next = 0, own = state[p % 2][list];
                if (!picture->chunk[p].last) {
                    uint32_t behind = model_pass(picture, &picture->chunk[p], own, &blocks);
                    while (next < next_count && state[(p + 1) % 2][next] != behind)
                        next++;
                    if (next == next_count || (holes && next_random() % holes == 0))
                        next = MAP_UNKNOWN;
                }
                *list_at(maps, list, first + p) =
                    next | blocks << MAP_BLOCKS | own << MAP_STATE | (picture->chunk[p].first ? MAP_FIRST : 0);
                *list_at(maps, MAP_LISTS + list, first + p) = half_of(picture, p, own);
            }
        }
    }
}

/* With what the kernel found, following the maps gives the states that decoding from the start gives. */
static void check_way(const struct model *model, uint32_t index, const struct lists *maps, const struct lists *groups)
{
    const struct model_picture *picture = &model->picture[index];
    size_t first = model_first_chunk(model, index);
    struct way way = {0, 0, 0};
    for (uint32_t p = 0; p < picture->chunks; p++) {
        const struct model_chunk *chunk = &picture->chunk[p];
        if (p % WORK_CHUNKS == 0) {
            way.which = *list_at(groups, GROUP_ENTRY, (first + p) / WORK_CHUNKS);
            way.blocks = *list_at(groups, GROUP_BLOCKS, (first + p) / WORK_CHUNKS);
        }
        assert_true(way.which < count_lists(picture));
        uint32_t entry = *list_at(maps, way.which, first + p);
        uint32_t half = halves(model) ? *list_at(maps, MAP_LISTS + way.which, first + p) : 0;
        assert_int_equal(state_of(entry), chunk->state);
        if (half != 0)
            assert_int_equal(half, half_of(picture, p, chunk->state));
        assert_int_equal(entry & MAP_FIRST ? 0 : way.blocks, chunk->before);
        follow(&way, entry, MAP_MOST_BLOCKS);
    }
}

/* Chunks on the true way whose maps do not say where it leads. */
static uint32_t count_unknown(const struct model *model, uint32_t picture, const struct lists *maps)
{
    size_t first = model_first_chunk(model, picture);
    const struct model_chunk *chunk = model->picture[picture].chunk;
    uint32_t count = 0;
    for (uint32_t p = 0; p < model->picture[picture].chunks; p++) {
        bool known = false;
        for (uint32_t list = 0; list < count_lists(&model->picture[picture]) && !known; list++) {
            uint32_t entry = *list_at(maps, list, first + p);
            known = (entry & MAP_NEXT) != MAP_UNKNOWN && state_of(entry) == chunk[p].state;
        }
        count += !known;
    }
    return count;
}

/* A picture that is left to the CPU has no group that is entered. */
static void check_left(const struct model *model, uint32_t picture, const struct lists *groups)
{
    for (size_t g = model_first_chunk(model, picture) / WORK_CHUNKS;
         g < model_first_chunk(model, picture + 1) / WORK_CHUNKS; g++) {
        assert_int_equal(*list_at(groups, GROUP_ENTRY, g), MAP_UNKNOWN);
        assert_int_equal(*list_at(groups, GROUP_BLOCKS, g), 0);
    }
}

/* The chunks of a picture have the entries that following the maps gives; if it is left to the CPU, none. */
static void check_placed(const struct model *model, uint32_t index, bool left, const struct lists *maps,
    const struct lists *groups, const struct lists *chunks)
{
    const struct model_picture *picture = &model->picture[index];
    size_t first = model_first_chunk(model, index);
    struct way way = {0, 0, 0};
    for (uint32_t p = 0; p < picture->chunks; p++) {
        if (left) {
            assert_int_equal(*list_at(chunks, CHUNK_ENTRY, first + p) & MAP_NEXT, MAP_UNKNOWN);
            continue;
        }
        if (p % WORK_CHUNKS == 0) {
            way.which = *list_at(groups, GROUP_ENTRY, (first + p) / WORK_CHUNKS);
            way.blocks = *list_at(groups, GROUP_BLOCKS, (first + p) / WORK_CHUNKS);
        }
        uint32_t entry = *list_at(maps, way.which, first + p);
        assert_int_equal(*list_at(chunks, CHUNK_ENTRY, first + p), entry);
        assert_int_equal(*list_at(chunks, CHUNK_BEFORE, first + p), picture->chunk[p].before);
        if (halves(model))
            assert_int_equal(*list_at(chunks, CHUNK_HALF, first + p), *list_at(maps, MAP_LISTS + way.which, first + p));
        follow(&way, entry, MAP_MOST_BLOCKS);
    }
}

/* `most`: maps that may be completed. The kernel is the one that only follows pictures, or the one that does all. */
static void test_follow_pictures(
    struct gpu_runtime *runtime, const struct model *model, uint32_t holes, uint32_t most, enum jpeg_gpu_kernel kernel)
{
    size_t length = bytes_length(model);
    uint32_t *bytes = stage_poisoned(length), damage[MODEL_PICTURES * WORK_DAMAGE],
             counted[MODEL_PICTURES * WORK_DAMAGE];
    uint32_t *work = stage_copy(model->work, (size_t)model->size.words * 4);
    struct lists maps = map_lists(model), groups = group_lists(model), chunks = chunk_lists(model);
    fill_bytes(model, bytes);
    fill_chunks(model, &chunks);
    true_maps(model, holes, &maps);
    fill_groups(model, &maps, &groups);
    memset(damage, STAGE_POISON, sizeof damage);
    memset(counted, STAGE_POISON, sizeof counted);
    for (uint32_t i = 0; i < model->count; i++) {
        uint32_t unknown = count_unknown(model, i, &maps);
        ((struct jpeg_work_picture *)(void *)kst_jpeg_gpu_picture(work, i))->most_completed = most;
        counted[i * WORK_DAMAGE + WORK_COMPLETED] = unknown > most ? most | WORK_LEFT : unknown;
    }
    struct lists found_maps = copy_lists(&maps), found_groups = copy_lists(&groups), found_chunks = copy_lists(&chunks);
    bool chained = kernel == JPEG_CHAIN_PICTURES;
    struct lists before = chained ? group_lists(model) : copy_lists(&groups);
    const struct stage_argument arguments[] = {STAGE_IN("work", work, (size_t)model->size.words * 4),
        STAGE_IN("bytes", bytes, length), STAGE_FOUND("chunks", chunks.word, found_chunks.word, chunks.length),
        STAGE_FOUND("maps", maps.word, found_maps.word, maps.length),
        STAGE_FOUND("groups", before.word, found_groups.word, groups.length),
        STAGE_OUT("damage", damage, counted, (size_t)model->count * WORK_DAMAGE * 4)};
    stage_run(runtime, &kst_jpeg_gpu_decoding, kernel, model->count, arguments, 6);
    for (uint32_t i = 0; i < model->count; i++) {
        bool left = counted[i * WORK_DAMAGE + WORK_COMPLETED] & WORK_LEFT;
        if (left)
            check_left(model, i, &found_groups);
        else
            check_way(model, i, &found_maps, &found_groups);
        if (chained)
            check_placed(model, i, left, &found_maps, &found_groups, &found_chunks);
    }
    if (!chained)
        assert_memory_equal(found_chunks.word, chunks.word, chunks.length);
    /* What is found goes beside the maps of the groups, which the kernel that does all makes only if it needs them. */
    for (size_t g = 0; g < count_groups(model); g++)
        for (uint32_t list = chained ? MAP_LISTS : 0; list < GROUP_LISTS; list++)
            if (list != GROUP_ENTRY && list != GROUP_BLOCKS)
                assert_int_equal(*list_at(&found_groups, list, g), *list_at(&groups, list, g));
    if (holes == 0)
        assert_memory_equal(found_maps.word, maps.word, maps.length);
    free(bytes);
    free(work);
    free(maps.word);
    free(groups.word);
    free(chunks.word);
    free(found_maps.word);
    free(found_groups.word);
    free(found_chunks.word);
    free(before.word);
}

static void check_map_chunks(void **state)
{
    (void)state;
    each_model(test_map_chunks);
}

static void check_map_groups(void **state)
{
    (void)state;
    each_model(test_map_groups);
}

static void follow_all(struct gpu_runtime *runtime, const struct model *model)
{
    test_follow_pictures(runtime, model, 0, 0, JPEG_FOLLOW_PICTURES);
    test_follow_pictures(runtime, model, 700, UINT32_MAX, JPEG_FOLLOW_PICTURES);
    test_follow_pictures(runtime, model, 3, UINT32_MAX, JPEG_FOLLOW_PICTURES);
    test_follow_pictures(runtime, model, 3, next_random() % 40, JPEG_FOLLOW_PICTURES);
}

static void chain_all(struct gpu_runtime *runtime, const struct model *model)
{
    test_follow_pictures(runtime, model, 0, 0, JPEG_CHAIN_PICTURES);
    test_follow_pictures(runtime, model, 3, UINT32_MAX, JPEG_CHAIN_PICTURES);
    test_follow_pictures(runtime, model, 3, next_random() % 40, JPEG_CHAIN_PICTURES);
}

static void check_chain_pictures(void **state)
{
    (void)state;
    each_model(chain_all);
}

static void check_follow_pictures(void **state)
{
    (void)state;
    each_model(follow_all);
}

static void check_place_chunks(void **state)
{
    (void)state;
    each_model(test_place_chunks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_map_chunks), cmocka_unit_test(check_map_groups),
        cmocka_unit_test(check_follow_pictures), cmocka_unit_test(check_place_chunks),
        cmocka_unit_test(check_chain_pictures)};
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}
