/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each kernel of entropy decoding by itself, on data and tables that no encoder would make, against plain C that reads
 * a bit after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "pictures.h"
#include "scan_model.h"
#include "stage.h"
#include "support.h"

/* Lists of one word a part, or a group, in a batch. */
struct lists {
    uint32_t *word;
    size_t stride, length; /* words from list to list; bytes in all */
};

static struct lists make_lists(size_t stride, uint32_t count)
{
    size_t length = stride * count * 4;
    return (struct lists){stage_poisoned(length), stride, length};
}

static struct lists copy_lists(const struct lists *from)
{
    return (struct lists){stage_copy(from->word, from->length), from->stride, from->length};
}

static uint32_t *at(const struct lists *lists, uint32_t list, size_t index)
{
    return &lists->word[list * lists->stride + index];
}

static size_t count_groups(const struct model *model)
{
    return (size_t)model->size.groups[WORK_OF_PARTS];
}

static struct lists part_lists(const struct model *model)
{
    return make_lists(count_groups(model) * WORK_PARTS, PART_LISTS);
}

static struct lists map_lists(const struct model *model)
{
    return make_lists(count_groups(model) * WORK_PARTS, 2 * MAP_LISTS);
}

/* 1: parts are decoded in halves. */
static uint32_t halves(const struct model *model)
{
    return ((const struct jpeg_work *)(const void *)model->work)->halves;
}

/* Lists of stretches: a part, or two. */
static uint32_t *stretch_at(const struct lists *parts, uint32_t list, size_t index)
{
    return &parts->word[(PART_STRETCHES + 2 * (size_t)list) * parts->stride + index];
}

static uint32_t write_groups(const struct model *model)
{
    return (uint32_t)count_groups(model) * WRITE_RATIO << halves(model);
}

static struct lists group_lists(const struct model *model)
{
    return make_lists(count_groups(model), GROUP_LISTS);
}

static size_t bytes_length(const struct model *model)
{
    return (count_groups(model) * WORK_PARTS * PART_WORDS + PART_READ_AHEAD) * 4;
}

/* Parts as the kernels have them, the first byte of a word the highest. */
static void fill_bytes(const struct model *model, uint32_t *bytes)
{
    for (uint32_t i = 0; i < model->count; i++)
        for (uint32_t p = 0; p < model->picture[i].parts; p++) {
            const uint8_t *from = model->picture[i].part[p].bytes;
            uint32_t *to = bytes + (model_first_part(model, i) + p) * PART_WORDS;
            for (uint32_t w = 0; w < PART_WORDS; w++, from += 4)
                to[w] = (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
        }
}

static void fill_parts(const struct model *model, const struct lists *parts)
{
    for (uint32_t i = 0; i < model->count; i++)
        for (uint32_t p = 0; p < model->picture[i].parts; p++) {
            const struct model_part *part = &model->picture[i].part[p];
            size_t place = model_first_part(model, i) + p;
            *at(parts, PART_INFO, place) =
                part->bits | (part->first ? (uint32_t)PART_FIRST : 0) | (part->last ? (uint32_t)PART_LAST : 0);
            *at(parts, PART_SEGMENT, place) = part->segment;
        }
}

/* Where a part entered in a state is half-way. */
static uint32_t half_of(const struct model_picture *picture, uint32_t part, uint32_t state)
{
    struct model_part half = picture->part[part];
    uint32_t blocks;
    if (half.last)
        return 0;
    half.bits /= 2;
    uint32_t behind = model_pass(picture, &half, state, &blocks);
    return HALF_KNOWN | blocks << HALF_BLOCKS | behind;
}

/* Whose states decoding comes to; now and then not where it is half-way. */
static void fill_entries(const struct model *model, const struct lists *parts)
{
    for (uint32_t i = 0; i < model->count; i++)
        for (uint32_t p = 0; p < model->picture[i].parts; p++) {
            const struct model_part *part = &model->picture[i].part[p];
            size_t place = model_first_part(model, i) + p;
            *at(parts, PART_ENTRY, place) = part->state << MAP_STATE | (part->first ? MAP_FIRST : 0);
            *at(parts, PART_BEFORE, place) = part->before;
            if (halves(model))
                *at(parts, PART_HALF, place) = next_random() % 5 ? half_of(&model->picture[i], p, part->state) : 0;
        }
}

/* What a work-item decodes, as struct model_part has it. */
struct stretch {
    uint32_t start; /* block that it would start with, were there one */
    uint32_t block, blocks;
    uint16_t dc[WORK_COMPONENTS];
};

/* The place in the picture of a block of a part's segment. */
static size_t segment_block(const struct model_picture *picture, uint32_t part)
{
    const struct jpeg_scan *scan = picture->stream.plan.scan;
    const struct jpeg_segment *segment =
        &picture->stream.plan.segment[scan->first_segment + picture->part[part].segment];
    uint32_t interval = scan->restart_interval ? scan->restart_interval : picture->blocks;
    return (size_t)segment->interval * interval * picture->blocks_in_mcu;
}

/* A part, or where `half` tells where decoding is half-way, its first or second half. */
static struct stretch find_stretch(const struct model_picture *picture, uint32_t p, uint32_t half, bool second)
{
    const struct model_part *part = &picture->part[p];
    struct stretch first = {part->before + (part->state >> STATE_INDEX > 0), part->block, part->blocks, {0}};
    memcpy(first.dc, part->dc, sizeof first.dc);
    if (!(half & HALF_KNOWN))
        return second ? (struct stretch){.start = 0} : first;
    struct stretch rest = first;
    uint32_t ended = half >> HALF_BLOCKS & HALF_MOST_BLOCKS;
    rest.start = part->before + ended + ((half & MAP_STATES) >> STATE_INDEX > 0);
    first.blocks = rest.start - first.start < part->blocks ? rest.start - first.start : part->blocks;
    rest.block += first.blocks;
    rest.blocks -= first.blocks;
    memset(first.dc, 0, sizeof first.dc);
    for (uint32_t b = 0; b < first.blocks; b++)
        first.dc[picture->component[(part->block + b) % picture->blocks_in_mcu]] =
            picture->block[segment_block(picture, p) + part->block + b].dc;
    for (int c = 0; c < WORK_COMPONENTS; c++)
        rest.dc[c] = (uint16_t)(part->dc[c] - first.dc[c]);
    return second ? rest : first;
}

/* Entries of a picture's maps. */
static uint32_t count_lists(const struct model_picture *picture)
{
    uint32_t wanted = 2 * picture->blocks_in_mcu + 3;
    return wanted < MAP_LISTS ? wanted : MAP_LISTS;
}

/* The states that a part leads to from its first bit, entered as each block of the MCU: each once. */
static uint32_t find_candidates(const struct model_picture *picture, uint32_t part, uint32_t *state)
{
    const struct model_part *before = part > 0 ? &picture->part[part - 1] : NULL;
    uint32_t count = 0, blocks;
    if (picture->part[part].first) {
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

/* Whether what an entry says is so: where it leads to, and how many blocks end on the way. */
static void check_entry(
    const struct model_picture *picture, const struct lists *maps, size_t place, uint32_t part, uint32_t entry)
{
    uint32_t blocks = 0, next = entry & MAP_NEXT, candidates[WORK_MCU_BLOCKS];
    assert_int_equal((entry & MAP_FIRST) != 0, picture->part[part].first);
    if (picture->part[part].last) {
        assert_int_equal(next | (entry >> MAP_BLOCKS & MAP_MOST_BLOCKS), 0);
        return;
    }
    uint32_t state = model_pass(picture, &picture->part[part], state_of(entry), &blocks);
    assert_int_equal(entry >> MAP_BLOCKS & MAP_MOST_BLOCKS, blocks);
    if (next != MAP_UNKNOWN) {
        assert_true(next < count_lists(picture));
        assert_int_equal(state_of(*at(maps, next, place + 1)), state);
        return;
    }
    for (uint32_t i = find_candidates(picture, part + 1, candidates); i-- > 0;)
        assert_int_not_equal(candidates[i], state);
}

/* Maps of a picture's parts: the candidates first, others as they were found, what nothing leads to unknown. */
static void check_maps(const struct model *model, uint32_t index, const struct lists *maps)
{
    const struct model_picture *picture = &model->picture[index];
    size_t first = model_first_part(model, index), end = model_first_part(model, index + 1);
    uint32_t lists = count_lists(picture);
    for (uint32_t p = 0; first + p < end; p++)
        for (uint32_t list = 0; list < MAP_LISTS; list++) {
            uint32_t entry = *at(maps, list, first + p), state[WORK_MCU_BLOCKS];
            uint32_t count = p < picture->parts ? find_candidates(picture, p, state) : 0;
            uint32_t half = *at(maps, MAP_LISTS + list, first + p);
            if (list >= lists || !halves(model) || p >= picture->parts)
                assert_int_equal(half, STAGE_POISON * 0x01010101U);
            else if (entry != MAP_UNKNOWN)
                assert_int_equal(half, half_of(picture, p, state_of(entry)));
            if (list >= lists)
                assert_int_equal(entry, STAGE_POISON * 0x01010101U);
            else if (list < count)
                assert_int_equal(state_of(entry), state[list]);
            else if (p >= picture->parts || list < picture->blocks_in_mcu)
                assert_int_equal(entry, MAP_UNKNOWN);
            if (list < lists && p < picture->parts && entry != MAP_UNKNOWN)
                check_entry(picture, maps, first + p, p, entry);
        }
}

static void test_map_parts(struct gpu_executor *executor, const struct model *model)
{
    size_t length = bytes_length(model), dc_length = (size_t)model->size.blocks * 4;
    uint32_t *bytes = stage_poisoned(length), *wanted_bytes = stage_poisoned(length);
    void *dc = stage_poisoned(dc_length), *wanted_dc = calloc(dc_length + 1, 1);
    uint32_t damage[MODEL_PICTURES * WORK_DAMAGE], none[MODEL_PICTURES * WORK_DAMAGE] = {0};
    struct lists parts = part_lists(model), maps = map_lists(model);
    struct lists wanted_parts = copy_lists(&parts), found = copy_lists(&maps);
    memset(damage, STAGE_POISON, sizeof damage);
    fill_bytes(model, wanted_bytes);
    fill_parts(model, &wanted_parts);
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("stream", model->stream, (size_t)model->size.stream * 16),
        STAGE_OUT("bytes", bytes, wanted_bytes, length),
        STAGE_OUT("parts", parts.word, wanted_parts.word, parts.length),
        STAGE_FOUND("maps", maps.word, found.word, maps.length), STAGE_OUT("dc", dc, wanted_dc, dc_length),
        STAGE_OUT("damage", damage, none, (size_t)model->count * WORK_DAMAGE * 4)};
    stage_run(executor, &executor->kernel[JPEG_MAP_PARTS],
        (uint32_t)count_groups(model) * (WORK_PARTS / WORK_MAP_PARTS), arguments, 7);
    for (uint32_t i = 0; i < model->count; i++)
        check_maps(model, i, &found);
    free(bytes);
    free(wanted_bytes);
    free(dc);
    free(wanted_dc);
    free(parts.word);
    free(wanted_parts.word);
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

/* Over the parts of a group that come before part `end` of the picture. */
static void follow_parts(
    const struct model *model, uint32_t picture, size_t group, uint32_t end, const struct lists *maps, struct way *way)
{
    size_t first = model_first_part(model, picture);
    for (size_t i = group * WORK_PARTS; i < (group + 1) * WORK_PARTS && i < first + end; i++)
        if (way->which != MAP_UNKNOWN)
            follow(way, *at(maps, way->which, i), MAP_MOST_BLOCKS);
}

/* What the groups' maps then are. */
static void fill_groups(const struct model *model, const struct lists *maps, const struct lists *groups)
{
    for (uint32_t i = 0; i < model->count; i++)
        for (size_t g = model_first_part(model, i) / WORK_PARTS; g < model_first_part(model, i + 1) / WORK_PARTS; g++)
            for (uint32_t list = 0; list < count_lists(&model->picture[i]); list++) {
                struct way way = {list, 0, 0};
                follow_parts(model, i, g, model->picture[i].parts, maps, &way);
                *at(groups, list, g) = way.which | (way.blocks & GROUP_BLOCKS_MASK) << MAP_BLOCKS | way.passed;
            }
}

/* Entries that lead anywhere, now and then nowhere; a few are of a segment's first part. */
static void random_maps(const struct model *model, const struct lists *maps)
{
    for (uint32_t i = 0; i < model->count; i++)
        for (size_t p = model_first_part(model, i); p < model_first_part(model, i + 1); p++)
            for (uint32_t list = 0; list < count_lists(&model->picture[i]); list++) {
                uint32_t next = next_random() % 100 ? next_random() % count_lists(&model->picture[i]) : MAP_UNKNOWN;
                *at(maps, list, p) = (next_random() << MAP_BLOCKS & ~MAP_FIRST) | next;
                if (next_random() % 64 == 0)
                    *at(maps, list, p) |= MAP_FIRST;
                *at(maps, MAP_LISTS + list, p) = next_random();
            }
}

static void test_map_groups(struct gpu_executor *executor, const struct model *model)
{
    struct lists maps = map_lists(model), groups = group_lists(model), wanted = copy_lists(&groups);
    random_maps(model, &maps);
    fill_groups(model, &maps, &wanted);
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("maps", maps.word, maps.length), STAGE_OUT("groups", groups.word, wanted.word, groups.length)};
    stage_run(executor, &executor->kernel[JPEG_MAP_GROUPS], (uint32_t)count_groups(model), arguments, 3);
    free(maps.word);
    free(groups.word);
    free(wanted.word);
}

/* Each part's entry, and the blocks before it, of a group that is entered somehow. */
static void test_place_parts(struct gpu_executor *executor, const struct model *model)
{
    struct lists maps = map_lists(model), groups = group_lists(model), parts = part_lists(model);
    struct lists wanted = copy_lists(&parts);
    random_maps(model, &maps);
    for (uint32_t i = 0; i < model->count; i++)
        for (size_t p = model_first_part(model, i), end = model_first_part(model, i + 1); p < end; p++) {
            uint32_t lists = count_lists(&model->picture[i]);
            struct way way;
            size_t group = p / WORK_PARTS;
            if (p % WORK_PARTS == 0) {
                *at(&groups, GROUP_ENTRY, group) = next_random() % lists;
                *at(&groups, GROUP_BLOCKS, group) = next_random() & GROUP_BLOCKS_MASK;
            }
            way = (struct way){*at(&groups, GROUP_ENTRY, group), *at(&groups, GROUP_BLOCKS, group), 0};
            follow_parts(model, i, group, (uint32_t)(p - model_first_part(model, i)), &maps, &way);
            bool exists = p < model_first_part(model, i) + model->picture[i].parts;
            uint32_t entry = exists && way.which != MAP_UNKNOWN ? *at(&maps, way.which, p) : MAP_UNKNOWN;
            *at(&wanted, PART_ENTRY, p) = entry;
            *at(&wanted, PART_BEFORE, p) = entry & MAP_FIRST ? 0 : way.blocks;
            if (exists && halves(model))
                *at(&wanted, PART_HALF, p) = way.which != MAP_UNKNOWN ? *at(&maps, MAP_LISTS + way.which, p) : 0;
            if (!exists) { /* anything */
                struct way all = {*at(&groups, GROUP_ENTRY, group), *at(&groups, GROUP_BLOCKS, group), 0};
                follow_parts(model, i, group, model->picture[i].parts, &maps, &all);
                *at(&wanted, PART_BEFORE, p) = all.blocks;
            }
        }
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("maps", maps.word, maps.length), STAGE_IN("groups", groups.word, groups.length),
        STAGE_OUT("parts", parts.word, wanted.word, parts.length)};
    stage_run(executor, &executor->kernel[JPEG_PLACE_PARTS], (uint32_t)count_groups(model), arguments, 4);
    free(maps.word);
    free(groups.word);
    free(parts.word);
    free(wanted.word);
}

/* True entries of a part's map in some order, the true state's among them but for a few. */
static uint32_t choose_states(const struct model_picture *picture, uint32_t part, uint32_t holes, uint32_t *state)
{
    uint32_t count = find_candidates(picture, part, state), place = next_random() % (count + 1), i = 0;
    bool hole = holes && (next_random() % holes == 0 || (part % WORK_PARTS == 0 && next_random() % 2));
    if (picture->part[part].first || hole)
        return count;
    while (i < count && state[i] != picture->part[part].state)
        i++;
    if (i < count)
        return count;
    for (i = count; i > place; i--)
        state[i] = state[i - 1];
    state[place] = picture->part[part].state;
    return count + 1;
}

/* Maps that say nothing wrong. One in `holes` does not say where an entry leads to, or lacks the state,
 * as every other one that starts a group; 0: all is told.
 */
static void true_maps(const struct model *model, uint32_t holes, const struct lists *maps)
{
    for (uint32_t i = 0; i < model->count; i++) {
        const struct model_picture *picture = &model->picture[i];
        size_t first = model_first_part(model, i), end = model_first_part(model, i + 1);
        uint32_t state[2][WORK_MCU_BLOCKS + 1], count = 0, next_count = 0;
        for (size_t p = first; p < end; p++)
            for (uint32_t list = 0; list < count_lists(picture); list++)
                *at(maps, list, p) = MAP_UNKNOWN;
        for (uint32_t p = 0; p < picture->parts; p++, count = next_count) {
            if (p == 0)
                count = choose_states(picture, p, holes, state[0]);
            if (p + 1 < picture->parts)
                next_count = choose_states(picture, p + 1, holes, state[(p + 1) % 2]);
            for (uint32_t list = 0; list < count; list++) {
                uint32_t blocks = 0, next = 0, own = state[p % 2][list];
                if (!picture->part[p].last) {
                    uint32_t behind = model_pass(picture, &picture->part[p], own, &blocks);
                    while (next < next_count && state[(p + 1) % 2][next] != behind)
                        next++;
                    if (next == next_count || (holes && next_random() % holes == 0))
                        next = MAP_UNKNOWN;
                }
                *at(maps, list, first + p) =
                    next | blocks << MAP_BLOCKS | own << MAP_STATE | (picture->part[p].first ? MAP_FIRST : 0);
                *at(maps, MAP_LISTS + list, first + p) = half_of(picture, p, own);
            }
        }
    }
}

/* With what the kernel found, following the maps gives the states that decoding from the start gives. */
static void check_way(const struct model *model, const struct lists *maps, const struct lists *groups)
{
    for (uint32_t i = 0; i < model->count; i++) {
        size_t first = model_first_part(model, i);
        struct way way = {0, 0, 0};
        for (uint32_t p = 0; p < model->picture[i].parts; p++) {
            const struct model_part *part = &model->picture[i].part[p];
            if (p % WORK_PARTS == 0) {
                way.which = *at(groups, GROUP_ENTRY, (first + p) / WORK_PARTS);
                way.blocks = *at(groups, GROUP_BLOCKS, (first + p) / WORK_PARTS);
            }
            assert_true(way.which < count_lists(&model->picture[i]));
            uint32_t entry = *at(maps, way.which, first + p);
            uint32_t half = halves(model) ? *at(maps, MAP_LISTS + way.which, first + p) : 0;
            assert_int_equal(state_of(entry), part->state);
            if (half != 0)
                assert_int_equal(half, half_of(&model->picture[i], p, part->state));
            assert_int_equal(entry & MAP_FIRST ? 0 : way.blocks, part->before);
            follow(&way, entry, MAP_MOST_BLOCKS);
        }
    }
}

static void test_follow_pictures(struct gpu_executor *executor, const struct model *model, uint32_t holes)
{
    size_t length = bytes_length(model);
    uint32_t *bytes = stage_poisoned(length);
    struct lists maps = map_lists(model), groups = group_lists(model), parts = part_lists(model);
    fill_bytes(model, bytes);
    fill_parts(model, &parts);
    true_maps(model, holes, &maps);
    fill_groups(model, &maps, &groups);
    struct lists found_maps = copy_lists(&maps), found_groups = copy_lists(&groups);
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("bytes", bytes, length), STAGE_IN("parts", parts.word, parts.length),
        STAGE_FOUND("maps", maps.word, found_maps.word, maps.length),
        STAGE_FOUND("groups", groups.word, found_groups.word, groups.length)};
    stage_run(executor, &executor->kernel[JPEG_FOLLOW_PICTURES], model->count, arguments, 5);
    check_way(model, &found_maps, &found_groups);
    for (size_t g = 0; g < count_groups(model); g++) /* what is found goes beside the maps */
        for (uint32_t list = 0; list < GROUP_LISTS; list++)
            if (list != GROUP_ENTRY && list != GROUP_BLOCKS)
                assert_int_equal(*at(&found_groups, list, g), *at(&groups, list, g));
    if (holes == 0)
        assert_memory_equal(found_maps.word, maps.word, maps.length);
    free(bytes);
    free(maps.word);
    free(groups.word);
    free(parts.word);
    free(found_maps.word);
    free(found_groups.word);
}

/* The sums of DC differences that write_blocks keeps for write_dc, of groups of WORK_WRITE_PARTS stretches. */
static void fill_sums(const struct model *model, const struct lists *parts, const struct lists *groups)
{
    size_t all = count_groups(model);
    uint32_t shift = halves(model);
    for (uint32_t i = 0; i < model->count; i++) {
        size_t first = model_first_part(model, i) << shift, end = model_first_part(model, i + 1) << shift;
        size_t behind = first + ((size_t)model->picture[i].parts << shift);
        for (size_t group = first; group < end; group += WORK_WRITE_PARTS)
            for (uint32_t c = 0; c < kst_gpu_jpeg_picture(model->work, i)->scan_components; c++) {
                uint32_t sum = 0;
                size_t stop = behind < group + WORK_WRITE_PARTS ? behind : group + WORK_WRITE_PARTS;
                for (size_t s = group; s < stop; s++)
                    if (*at(parts, PART_SEGMENT, s >> shift) == *at(parts, PART_SEGMENT, (stop - 1) >> shift))
                        sum += *stretch_at(parts, STRETCH_DC + c, s);
                groups->word[all * (GROUP_DC + (c * WRITE_RATIO << shift)) + group / WORK_WRITE_PARTS] = sum;
            }
    }
}

static struct stretch stretch_of(const struct model *model, uint32_t picture, size_t index, const struct lists *parts)
{
    size_t part = index >> halves(model);
    uint32_t half = halves(model) ? *at(parts, PART_HALF, model_first_part(model, picture) + part) : 0;
    return find_stretch(&model->picture[picture], (uint32_t)part, half, index & halves(model));
}

/* As write_blocks leaves the stretches' lists. Sums count modulo 2^16, as differences do. */
static void fill_blocks(const struct model *model, const struct lists *parts)
{
    uint32_t shift = halves(model);
    for (uint32_t i = 0; i < model->count; i++) {
        size_t first = model_first_part(model, i) << shift, count = (model_first_part(model, i + 1) << shift) - first;
        for (size_t s = 0; s < count; s++) {
            bool exists = s >> shift < model->picture[i].parts;
            struct stretch stretch = exists ? stretch_of(model, i, s, parts) : (struct stretch){.start = 0};
            for (uint32_t c = 0; c < kst_gpu_jpeg_picture(model->work, i)->scan_components; c++)
                *stretch_at(parts, STRETCH_DC + c, first + s) = stretch.dc[c];
            if (!exists)
                continue;
            *stretch_at(parts, STRETCH_BLOCK, first + s) = stretch.start;
            *stretch_at(parts, STRETCH_BLOCKS, first + s) = stretch.blocks;
            assert_true(stretch.blocks == 0 || stretch.block == stretch.start);
        }
    }
}

/* As write_blocks leaves the blocks: sums of differences in their stretches. */
static void fill_dc(const struct model *model, const struct lists *parts, uint32_t *dc)
{
    for (uint32_t i = 0; i < model->count; i++) {
        const struct model_picture *picture = &model->picture[i];
        uint32_t *own = dc + kst_gpu_jpeg_picture(model->work, i)->block;
        for (uint32_t b = 0; b < picture->blocks; b++)
            if (picture->block[b].coded)
                own[b] = picture->block[b].dc | DC_CODED;
        for (size_t s = 1; halves(model) && s < 2 * (size_t)picture->parts; s += 2) {
            struct stretch first = stretch_of(model, i, s - 1, parts), rest = stretch_of(model, i, s, parts);
            uint32_t *of_segment = own + segment_block(picture, (uint32_t)(s / 2));
            for (uint32_t b = rest.block; b < rest.block + rest.blocks; b++)
                of_segment[b] =
                    ((of_segment[b] - first.dc[picture->component[b % picture->blocks_in_mcu]]) & 0xFFFF) | DC_CODED;
        }
    }
}

static void keep_halves(const struct lists *parts, uint32_t list)
{
    for (size_t p = 0; p < parts->stride; p++)
        *at(parts, list, p) &= 0xFFFF;
}

static void test_write_blocks(struct gpu_executor *executor, const struct model *model)
{
    size_t length = bytes_length(model), blocks = (size_t)model->size.blocks;
    uint32_t *bytes = stage_poisoned(length), damage[MODEL_PICTURES * WORK_DAMAGE],
             counted[MODEL_PICTURES * WORK_DAMAGE];
    int16_t *coefficients = stage_poisoned(blocks * 128), *wanted = stage_poisoned(blocks * 128);
    uint32_t *dc = stage_poisoned(blocks * 4), *wanted_dc = stage_poisoned(blocks * 4);
    struct lists parts = part_lists(model), groups = group_lists(model);
    fill_bytes(model, bytes);
    fill_parts(model, &parts);
    fill_entries(model, &parts);
    struct lists wanted_parts = copy_lists(&parts), wanted_groups = copy_lists(&groups);
    fill_blocks(model, &wanted_parts);
    fill_sums(model, &wanted_parts, &wanted_groups);
    fill_dc(model, &wanted_parts, wanted_dc);
    for (uint32_t i = 0; i < model->count; i++) {
        const struct model_picture *picture = &model->picture[i];
        for (uint32_t d = 0; d < WORK_DAMAGE; d++) {
            damage[i * WORK_DAMAGE + d] = next_random() % 100;
            counted[i * WORK_DAMAGE + d] = damage[i * WORK_DAMAGE + d] + picture->damage[d];
        }
        for (uint32_t b = 0, first = kst_gpu_jpeg_picture(model->work, i)->block; b < picture->blocks; b++)
            if (picture->block[b].coded)
                memcpy(wanted + (size_t)(first + b) * 64, picture->block[b].coefficient, 128);
    }
    struct lists found_parts = copy_lists(&parts), found_groups = copy_lists(&groups);
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("bytes", bytes, length), STAGE_FOUND("parts", parts.word, found_parts.word, parts.length),
        STAGE_FOUND("groups", groups.word, found_groups.word, groups.length),
        STAGE_OUT("coefficients", coefficients, wanted, blocks * 128), STAGE_OUT("dc", dc, wanted_dc, blocks * 4),
        STAGE_OUT("damage", damage, counted, (size_t)model->count * WORK_DAMAGE * 4)};
    stage_run(executor, &executor->kernel[JPEG_WRITE_BLOCKS], write_groups(model), arguments, 7);
    for (uint32_t list = PART_STRETCHES + 2 * STRETCH_DC; list < PART_LISTS; list++) {
        keep_halves(&found_parts, list);
        keep_halves(&wanted_parts, list);
    }
    assert_memory_equal(found_parts.word, wanted_parts.word, parts.length);
    for (size_t i = 0; i < groups.length / 4; i++)
        assert_int_equal(found_groups.word[i] & 0xFFFF, wanted_groups.word[i] & 0xFFFF);
    free(bytes);
    free(coefficients);
    free(wanted);
    free(dc);
    free(wanted_dc);
    free(parts.word);
    free(groups.word);
    free(wanted_parts.word);
    free(wanted_groups.word);
    free(found_parts.word);
    free(found_groups.word);
}

/* What comes before a stretch in its segment, of a component. */
static uint32_t dc_before(
    const struct model *model, uint32_t picture, const struct lists *parts, size_t index, uint32_t component)
{
    const struct model_part *part = model->picture[picture].part;
    uint32_t sum = 0, shift = halves(model);
    for (size_t s = index; s-- > 0 && part[s >> shift].segment == part[index >> shift].segment;)
        sum += *stretch_at(parts, STRETCH_DC + component, (model_first_part(model, picture) << shift) + s);
    return sum;
}

/* DC coefficients of differences by chance. */
static void test_write_dc(struct gpu_executor *executor, const struct model *model)
{
    size_t length = (size_t)model->size.blocks * 4;
    uint32_t *dc = stage_poisoned(length);
    struct lists parts = part_lists(model), groups = group_lists(model);
    for (size_t i = 0; i < length / 4; i++)
        dc[i] = next_random() & (DC_CODED | 0xFFFF);
    uint32_t *wanted = stage_copy(dc, length);
    fill_parts(model, &parts);
    fill_entries(model, &parts);
    fill_blocks(model, &parts);
    for (uint32_t c = 0; c < WORK_COMPONENTS; c++)
        for (size_t s = 0; s < 2 * parts.stride; s++)
            *stretch_at(&parts, STRETCH_DC + c, s) = next_random();
    fill_sums(model, &parts, &groups);
    for (uint32_t i = 0; i < model->count; i++) {
        const struct model_picture *picture = &model->picture[i];
        for (size_t s = 0; s < (size_t)picture->parts << halves(model); s++) {
            struct stretch stretch = stretch_of(model, i, s, &parts);
            size_t first = kst_gpu_jpeg_picture(model->work, i)->block;
            first += segment_block(picture, (uint32_t)(s >> halves(model))) + stretch.block;
            for (uint32_t b = 0; b < stretch.blocks; b++) {
                uint32_t component = picture->component[(stretch.block + b) % picture->blocks_in_mcu];
                uint32_t sum = dc[first + b] + dc_before(model, i, &parts, s, component);
                wanted[first + b] = (sum & 0xFFFF) | DC_CODED;
            }
        }
    }
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("parts", parts.word, parts.length), STAGE_IN("groups", groups.word, groups.length),
        STAGE_OUT("dc", dc, wanted, length)};
    stage_run(executor, &executor->kernel[JPEG_WRITE_DC], write_groups(model), arguments, 4);
    free(dc);
    free(wanted);
    free(parts.word);
    free(groups.word);
}

static uint32_t turns(void)
{
    return simulated() ? 1 : 66;
}

static void each_model(void (*test)(struct gpu_executor *executor, const struct model *model))
{
    static const uint32_t lengths[] = {60000, 9000, 30, 300, 100, 9000, 50, 1000, 70, 30, 60000};
    for (uint32_t i = 0; i < turns(); i++) {
        struct model model;
        uint32_t most = lengths[i % (sizeof lengths / sizeof lengths[0])];
        model_make(&model, simulated() ? 2 : 1 + i % MODEL_PICTURES, simulated() ? 2000 : most);
        ((struct jpeg_work *)(void *)model.work)->halves = simulated() || i % 2;
        for (uint32_t g = 0; g < gpu_count; g++)
            test(executors[g], &model);
        model_release(&model);
        renew_executors();
    }
}

static void check_map_parts(void **state)
{
    (void)state;
    each_model(test_map_parts);
}

static void check_map_groups(void **state)
{
    (void)state;
    each_model(test_map_groups);
}

static void follow_all(struct gpu_executor *executor, const struct model *model)
{
    test_follow_pictures(executor, model, 0);
    test_follow_pictures(executor, model, 700);
    test_follow_pictures(executor, model, 3);
}

static void check_follow_pictures(void **state)
{
    (void)state;
    each_model(follow_all);
}

static void check_place_parts(void **state)
{
    (void)state;
    each_model(test_place_parts);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_map_parts), cmocka_unit_test(check_map_groups),
        cmocka_unit_test(check_follow_pictures), cmocka_unit_test(check_place_parts),
        cmocka_unit_test(check_write_blocks), cmocka_unit_test(check_write_dc)};
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}
