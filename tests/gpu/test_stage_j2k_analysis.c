/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels that make coefficients of pixels, each by itself, against the processor's functions on random and extreme
 * values.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cpu.h"
#include "j2k/cpu/dwt/analysis.h"
#include "j2k/gpu/modules.h"
#include "j2k/kernels/encode_work.h"
#include "j2k/syntax/geometry.h"
#include "support/gpu/pictures.h"
#include "support/gpu/stage.h"
#include "support/random.h"
#include "support/test.h"

enum { ROOM = 1 << 20, WORDS_MOST = 1 << 16, LEVELS = 12 };

static struct j2k_forward forward;

/* An area of words that a test fills, and knows afterwards. */
struct area {
    uint32_t *before, *after;
    uint32_t words;
};

static void area_make(struct area *area, uint32_t words)
{
    area->before = stage_poisoned(words * 4ULL);
    area->after = stage_poisoned(words * 4ULL);
    area->words = words;
}

static void area_free(struct area *area)
{
    free(area->before);
    free(area->after);
}

/* Rows of a level in an area. */
struct rows {
    const uint32_t *at;
    uint32_t width, y0;
};

static void fetch_row(const void *source, uint32_t y, void *const room[], const void *row[])
{
    const struct rows *rows = source;
    (void)room;
    row[0] = rows->at + (size_t)(y - rows->y0) * rows->width;
}

static uint32_t coefficient(bool reversible, uint32_t kind)
{
    if (reversible)
        return kind == 0 ? next_random() : kind == 1 ? next_random() % 512 - 256 : next_random() % 2 * 0x7FFFFFFF;
    return stage_bits_of(kind == 0 ? ldexpf((float)(int32_t)next_random(), -(int)(next_random() % 40))
                                   : (float)(int32_t)(next_random() % 512 - 256));
}

/* A level in an area from word `at` on, and what it becomes. Returns the word behind. */
static uint32_t add_level(
    struct area *area, uint32_t at, struct j2k_rect rect, bool reversible, struct j2k_work_level *level)
{
    static _Alignas(64) uint8_t room[ROOM];
    uint32_t width = rect.x1 - rect.x0, height = rect.y1 - rect.y0, kind = next_random() % 3;
    const struct rows rows = {area->before + at, width, rect.y0};
    struct j2k_analysis analysis = {.forward = &forward,
        .reversible = reversible,
        .rect = rect,
        .component_count = 1,
        .fetch = fetch_row,
        .source = &rows};
    *level = (struct j2k_work_level){.x0 = rect.x0 % 2,
        .y0 = rect.y0 % 2,
        .x1 = rect.x0 % 2 + width,
        .y1 = rect.y0 % 2 + height,
        .to = at,
        .to_pitch = width,
        .rows = 2 + 2 * (next_random() % 16)};
    for (uint32_t i = 0; i < width * height; i++)
        area->before[at + i] = area->after[at + i] = coefficient(reversible, kind);
    at += width * height;
    for (uint32_t b = 0; b < 4; b++) {
        struct j2k_rect part = kst_j2k_band_of(rect, b & 1, b >> 1);
        uint32_t pitch = part.x1 > part.x0 ? part.x1 - part.x0 : 0;
        level->band[b] = at;
        level->pitch[b] = pitch;
        analysis.split[0].band[b] = area->after + at;
        analysis.split[0].pitch[b] = pitch;
        at += pitch * (part.y1 > part.y0 ? part.y1 - part.y0 : 0);
    }
    assert_true(at <= area->words && kst_j2k_cpu_analysis_room(&analysis) <= ROOM);
    kst_j2k_cpu_analyse(&analysis, rect.y0, rect.y1, room);
    return at + 3;
}

static void check_levels(struct gpu_runtime *runtime, bool reversible)
{
    static const uint16_t sizes[LEVELS][2] = {
        {1, 1}, {2, 1}, {1, 2}, {3, 2}, {57, 33}, {56, 32}, {1, 40}, {70, 1}, {64, 3}, {5, 70}, {113, 65}, {120, 100}};
    struct area area;
    uint32_t count = simulated() ? 7 : LEVELS, at = 0, groups = 0, list = sizeof(struct j2k_part_work) / 4;
    uint32_t words = list + count + count * (uint32_t)(sizeof(struct j2k_work_level) / 4);
    uint32_t *work = stage_poisoned(words * 4ULL);
    struct j2k_part_work *head = (struct j2k_part_work *)(void *)work;
    area_make(&area, WORDS_MOST);
    *head = (struct j2k_part_work){.level = list + count};
    struct j2k_work_level *level = (struct j2k_work_level *)(void *)(work + head->level);
    for (uint32_t i = 0; i < count; i++) {
        struct j2k_rect rect = {next_random() % 5, next_random() % 5, 0, 0};
        rect.x1 = rect.x0 + sizes[i][0];
        rect.y1 = rect.y0 + sizes[i][1];
        at = add_level(&area, at, rect, reversible, &level[i]);
        work[list + i] = groups;
        groups += J2K_STRIPS(level[i].x0, level[i].x1) * ((level[i].y1 + level[i].rows - 1) / level[i].rows);
    }
    const struct stage_argument arguments[] = {STAGE_IN("work", work, words * 4ULL),
        STAGE_OUT("samples", area.before, area.after, area.words * 4ULL), {.value = list}, {.value = count},
        {.value = 0}};
    stage_run(runtime, &kst_j2k_gpu_encoding, reversible ? J2K_ENCODE_ANALYSE_53 : J2K_ENCODE_ANALYSE_97, groups,
        arguments, 5);
    area_free(&area);
    free(work);
}

static void test_levels(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++)
        for (uint32_t again = 0; again < (simulated() ? 1 : 4); again++) {
            check_levels(runtimes[i], true);
            check_levels(runtimes[i], false);
        }
}

/* Three components next to each other in a pixel, or in planes; or one, in rows that begin at multiples of 16. */
struct intake {
    uint32_t width, height, depth, bytes, transform;
    bool is_signed, reversible, planar, single;
};

static void check_intake(struct gpu_runtime *runtime, const struct intake *in)
{
    uint32_t count = in->single ? 1 : 3, step = in->planar ? 1 : 3;
    uint32_t pitch = in->single ? (in->width * in->bytes + 15) / 16 * 16 : in->width * step * in->bytes + 7;
    uint32_t plane = in->planar ? pitch * in->height : in->bytes, area_words = in->width * in->height, list = 16;
    size_t length = ((size_t)pitch * in->height * (in->planar ? 3 : 1) + 3) / 4 * 4;
    uint8_t *pixels = stage_poisoned(length);
    uint32_t words = list + 1 + (uint32_t)(sizeof(struct j2k_work_view) + sizeof(struct j2k_work_output)) / 4;
    uint32_t *work = stage_poisoned(words * 4ULL), *row[3];
    struct j2k_part_work *head = (struct j2k_part_work *)(void *)work;
    struct area area;
    area_make(&area, 3 * area_words + 1);
    for (size_t i = 0; i < length; i++)
        pixels[i] = (uint8_t)(next_random() % 3 ? next_random() : next_random() % 2 * 0xFF);
    *head = (struct j2k_part_work){.view = list + 1, .output = list + 1 + (uint32_t)sizeof(struct j2k_work_view) / 4};
    work[list] = 0;
    struct j2k_work_view *view = (struct j2k_work_view *)(void *)(work + head->view);
    struct j2k_work_output *output = (struct j2k_work_output *)(void *)(work + head->output);
    *view = (struct j2k_work_view){.channels = count};
    *output = (struct j2k_work_output){.width = in->width,
        .height = in->height,
        .transform = in->transform,
        .reversible = in->reversible,
        .count = count};
    for (uint32_t c = 0; c < count; c++) { /* the last component is the first channel */
        view->channel[c] = (struct j2k_work_channel){
            .component = count - 1 - c, .offset = {c * plane}, .pitch = pitch, .stride = step, .bytes = in->bytes};
        output->from[c] = c * area_words;
        output->pitch[c] = in->width;
        output->depth[c] = in->depth;
        output->is_signed[c] = in->is_signed;
    }
    for (uint32_t y = 0; y < in->height; y++) {
        for (uint32_t c = 0; c < count; c++) {
            const uint8_t *from = pixels + (count - 1 - c) * plane + (size_t)y * pitch;
            uint8_t *copy = malloc((size_t)pitch); /* aligned, as the processor's functions want it */
            const struct j2k_origin origin = {.pitch = (ptrdiff_t)pitch,
                .stride = step,
                .bytes = (uint8_t)in->bytes,
                .depth = (uint8_t)in->depth,
                .is_signed = in->is_signed};
            size_t readable = ((size_t)(in->width - 1) * step + 1) * in->bytes;
            row[c] = area.after + c * area_words + (size_t)y * in->width;
            memcpy(copy, from, readable);
            if (in->reversible)
                forward.load_integers(&origin, copy, in->width, (int32_t *)(void *)row[c]);
            else
                forward.load_reals(&origin, copy, in->width, (float *)(void *)row[c]);
            free(copy);
        }
        if (in->transform == 1)
            forward.rct((int32_t *)(void *)row[0], (int32_t *)(void *)row[1], (int32_t *)(void *)row[2], in->width);
        else if (in->transform == 2)
            forward.ict((float *)(void *)row[0], (float *)(void *)row[1], (float *)(void *)row[2], in->width);
    }
    uint32_t groups = ((in->width + J2K_OUTPUT_WIDTH - 1) / J2K_OUTPUT_WIDTH) *
                      ((in->height + J2K_OUTPUT_HEIGHT - 1) / J2K_OUTPUT_HEIGHT);
    const struct stage_argument arguments[] = {STAGE_IN("work", work, words * 4ULL), STAGE_IN("pixels", pixels, length),
        STAGE_OUT("samples", area.before, area.after, area.words * 4ULL), {.value = list}, {.value = 1}, {.value = 0}};
    stage_run(runtime, &kst_j2k_gpu_encoding, J2K_ENCODE_TAKE_IN, groups, arguments, 6);
    area_free(&area);
    free(pixels);
    free(work);
}

static void test_intake(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++)
        for (uint32_t k = 0; k < (simulated() ? 7 : 48); k++) {
            struct intake in = {.width = 1 + next_random() % (simulated() ? 20 : 150),
                .height = 1 + next_random() % 40,
                .transform = k % 3,
                .is_signed = k / 3 % 2,
                .planar = k / 6 % 2};
            in.single = in.planar && in.transform == 0;
            in.width = in.single ? (in.width + 63) / 64 * 64 : in.width;
            in.reversible = in.transform == 1 || (in.transform == 0 && k % 2);
            in.depth = 1 + next_random() % 16;
            in.bytes = in.depth > 8 ? 2 : 1;
            check_intake(runtimes[i], &in);
        }
}

static int start(void **state)
{
    kst_j2k_cpu_forward_init(&forward, kst_cpu_best());
    return open_pictures(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intake),
        cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests(tests, start, close_pictures);
}
