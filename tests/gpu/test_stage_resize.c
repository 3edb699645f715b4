/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks each kernel of resizing by itself, on steps of several planes in one launch, against the CPU's functions in
 * plain C. Rows lie at places by chance, and all bytes between them must stay as they are.
 */
#include <stdlib.h>
#include <string.h>

#include "resize/cpu/finish.h"
#include "resize/cpu/rows.h"
#include "resize/gpu/axis.h"
#include "resize/gpu/modules.h"
#include "resize/kernels/work.h"
#include "support/gpu/pictures.h"
#include "support/gpu/stage.h"
#include "support/random.h"
#include "support/test.h"

enum { STEPS = 3, WORK_WORDS = 1 << 18, ROOM = 1 << 18, STEP_WORDS = sizeof(struct resize_work_step) / 4 };

/* What a launch works on. */
struct stage {
    uint32_t *work, words;
    uint8_t *from, *to, *wanted;
    size_t from_length, to_length;
    uint32_t groups;
    struct resize_gpu_axes axes;
};

static void stage_begin(struct stage *stage)
{
    *stage = (struct stage){.work = stage_poisoned(WORK_WORDS * 4),
        .words = STEPS * (STEP_WORDS + 1),
        .from = stage_poisoned(ROOM),
        .to = stage_poisoned(ROOM),
        .wanted = stage_poisoned(ROOM),
        .from_length = 16,
        .to_length = 16};
    for (size_t i = 0; i < ROOM; i++)
        stage->from[i] = (uint8_t)(next_random() >> 8);
    kst_resize_gpu_axes_begin(&stage->axes);
}

static void stage_end(struct stage *stage)
{
    kst_resize_gpu_axes_end(&stage->axes, &memory);
    free(stage->work);
    free(stage->from);
    free(stage->to);
    free(stage->wanted);
}

static void set_step(struct stage *stage, uint32_t index, const struct resize_work_step *step, uint32_t rows_of_groups)
{
    stage->work[STEPS * STEP_WORDS + index] = stage->groups;
    stage->groups += step->groups_of_row * rows_of_groups;
    memcpy(stage->work + (size_t)index * STEP_WORDS, step, sizeof *step);
}

static void launch(struct gpu_runtime *runtime, const struct stage *stage, enum resize_gpu_kernel kernel)
{
    assert_true(stage->words <= WORK_WORDS && stage->from_length <= ROOM && stage->to_length <= ROOM);
    const struct stage_argument arguments[] = {STAGE_IN("work", stage->work, stage->words * 4),
        STAGE_IN("from", stage->from, ROOM), STAGE_OUT("to", stage->to, stage->wanted, ROOM),
        {.name = "list", .value = STEPS * STEP_WORDS}, {.name = "steps", .value = 0},
        {.name = "count", .value = STEPS}};
    stage_run(runtime, &kst_resize_gpu_module, kernel, stage->groups, arguments, 6);
}

/* Rows by chance: their first byte, and their pitch. */
static struct resize_rows place_rows(struct stage *stage, struct resize_work_step *step, uint32_t row_bytes,
    uint32_t rows, size_t unit, size_t to_row, uint32_t to_rows, size_t to_unit)
{
    size_t from = (stage->from_length + 15) / 16 * 16 + next_random() % 5 * unit;
    size_t to = (stage->to_length + 15) / 16 * 16 + next_random() % 5 * to_unit;
    step->from_pitch = (uint32_t)((row_bytes + unit - 1) / unit * unit + next_random() % 3 * unit);
    step->to_pitch = (uint32_t)((to_row + to_unit - 1) / to_unit * to_unit + next_random() % 3 * to_unit);
    step->from[0] = (uint32_t)from;
    step->to[0] = (uint32_t)to;
    stage->from_length = from + (size_t)step->from_pitch * rows;
    stage->to_length = to + (size_t)step->to_pitch * to_rows;
    assert_true(stage->from_length <= ROOM && stage->to_length <= ROOM);
    return (struct resize_rows){.from = stage->from + from,
        .to = stage->wanted + to,
        .from_pitch = step->from_pitch,
        .to_pitch = step->to_pitch,
        .count = to_rows,
        .channels = step->channels,
        .greatest = step->greatest};
}

/* The weights of an axis, as the CPU and as the kernels have them. */
struct stage_axis {
    struct resize_weights weights;
    struct resize_gpu_axis *axis;
    struct resize_span span;
};

static struct stage_axis add_axis(
    struct stage *stage, struct resize_work_step *step, bool wide, bool down, uint32_t size, uint32_t count)
{
    struct stage_axis a;
    struct resize_gpu_axis_key key = {.wide = wide, .down = down, .filter = (kst_resize_filter)(next_random() % 5)};
    key.axis = (struct resize_axis){size, count, next_random() % 2 ? 0.25 * size : 0, size};
    assert_int_equal(
        kst_resize_weights_make(&memory, &key.axis, key.filter, wide ? RESIZE_BITS_WIDE : RESIZE_BITS, &a.weights),
        KST_OK);
    assert_int_equal(kst_resize_gpu_axis_take(&stage->axes, &memory, &memory, &key, &a.axis), KST_OK);
    a.span = kst_resize_needed(&key.axis, key.filter);
    for (uint32_t i = 0; i < count; i++)
        a.weights.window[i].first -= a.span.first;
    stage->words = (stage->words + 3) / 4 * 4;
    step->window = stage->words;
    step->weights = stage->words + a.axis->weights;
    step->quads = a.axis->quads;
    assert_true(stage->words + a.axis->length <= WORK_WORDS);
    memcpy(stage->work + stage->words, a.axis->words, a.axis->length * 4);
    stage->words += a.axis->length;
    return a;
}

static void drop_axis(struct stage *stage, struct stage_axis *a)
{
    kst_resize_gpu_axis_give(&stage->axes, a->axis);
    kst_resize_weights_drop(&memory, &a->weights);
}

static uint32_t side(void)
{
    return 1 + next_random() % (simulated() ? 24 : next_random() % 4 == 0 ? 400 : 90);
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

static void check_across(struct gpu_runtime *runtime, enum resize_gpu_kernel kernel, uint32_t channels, bool wide)
{
    struct stage stage;
    struct resize_dsp dsp;
    stage_begin(&stage);
    kst_resize_dsp_init(&dsp, CPU_C, wide);
    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t width = side(), height = 1 + next_random() % 20, sample = wide ? 2 : 1, pixel = channels * sample;
        struct resize_work_step step = {.channels = channels, .width = width, .height = height};
        struct stage_axis a = add_axis(&stage, &step, wide, false, side(), width);
        step.greatest = wide ? 4095 : 255;
        step.length = a.span.count * pixel;
        uint32_t room = RESIZE_ACROSS_TILE / RESIZE_ACROSS_ROWS / channels, reach = a.axis->reach;
        step.quads = next_random() % 2 ? 1 + next_random() % room : reach < room ? reach : room;
        struct resize_rows rows =
            place_rows(&stage, &step, step.length, height, sample, (size_t)width * pixel, height, wide ? 2 : 4);
        step.groups_of_row = divide_up(width, wide ? RESIZE_GROUP_ITEMS : RESIZE_ACROSS_COLUMNS);
        dsp.across(&a.weights, &rows, 0, width);
        set_step(&stage, i, &step, wide ? height : divide_up(height, RESIZE_ACROSS_ROWS));
        drop_axis(&stage, &a);
    }
    launch(runtime, &stage, kernel);
    stage_end(&stage);
}

static void check_down(struct gpu_runtime *runtime, enum resize_gpu_kernel kernel, bool wide)
{
    struct stage stage;
    struct resize_dsp dsp;
    stage_begin(&stage);
    kst_resize_dsp_init(&dsp, CPU_C, wide);
    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t width = side(), height = 1 + next_random() % 60, sample = wide ? 2 : 1;
        uint32_t channels = next_random() % 2 ? 1 : 3 + next_random() % 2, samples = width * channels;
        struct resize_work_step step = {.channels = channels, .width = width, .height = height};
        struct stage_axis a = add_axis(&stage, &step, wide, true, 1 + next_random() % 60, height);
        step.greatest = wide ? 65535 : 255;
        step.length = samples * sample;
        struct resize_rows rows = place_rows(
            &stage, &step, step.length, a.span.count, wide ? 2 : 4, (size_t)samples * sample, height, wide ? 2 : 4);
        step.groups_of_row = wide ? divide_up(samples, RESIZE_GROUP_ITEMS) : divide_up(samples, 4 * RESIZE_DOWN_WORDS);
        for (uint32_t y = 0; y < height; y++) {
            struct resize_rows row = rows;
            row.from += (size_t)a.weights.window[y].first * step.from_pitch;
            row.to += (size_t)y * step.to_pitch;
            dsp.down(&a.weights, y, &row, samples);
        }
        set_step(&stage, i, &step, wide ? height : divide_up(height, RESIZE_DOWN_ROWS));
        drop_axis(&stage, &a);
    }
    launch(runtime, &stage, kernel);
    stage_end(&stage);
}

/* Pixels of four channels: weighed, or divided and mirrored, or kept, to rows or to planes. */
static void want_pixels(const struct resize_rows *rows, const struct resize_work_step *step, size_t plane)
{
    uint8_t line[8 * 512];
    for (uint32_t y = 0; y < step->height; y++) {
        const uint8_t *from = rows->from + (size_t)y * step->from_pitch;
        memcpy(line, from, (size_t)step->width * 4 * step->length);
        if (step->alpha == RESIZE_ALPHA_WEIGHED)
            kst_resize_weigh_by_alpha(from, line, step->width, step->length, step->greatest);
        if (step->alpha == RESIZE_ALPHA_DIVIDED)
            kst_resize_divide_by_alpha(line, step->width, step->length, step->greatest);
        if (step->mirror)
            kst_resize_mirror(line, step->width, 4 * step->length);
        for (uint32_t x = 0; x < step->width; x++)
            for (uint32_t c = 0; c < 4; c++)
                memcpy(rows->to + (size_t)y * step->to_pitch + (size_t)x * step->pixel +
                           (plane > 0 ? c * plane : (size_t)c * step->length),
                    line + ((size_t)x * 4 + c) * step->length, step->length);
    }
}

static void check_pixels(struct gpu_runtime *runtime)
{
    struct stage stage;
    stage_begin(&stage);
    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t width = 1 + next_random() % 200, height = 1 + next_random() % 9, sample = 1 + next_random() % 2;
        struct resize_work_step step = {.channels = 4,
            .width = width,
            .height = height,
            .length = sample,
            .greatest = sample == 1 ? 255 : 65535,
            .groups_of_row = divide_up(width, RESIZE_GROUP_ITEMS),
            .alpha = next_random() % 3,
            .mirror = next_random() % 2,
            .sample = sample == 1 ? RESIZE_BYTES : RESIZE_WORDS};
        bool planes = next_random() % 2;
        size_t row = (size_t)width * sample * (planes ? 1 : 4);
        struct resize_rows rows =
            place_rows(&stage, &step, width * 4 * sample, height, sample, row, planes ? 4 * height : height, sample);
        step.pixel = planes ? sample : 4 * sample;
        size_t plane = planes ? (size_t)step.to_pitch * height : 0;
        for (uint32_t c = 0; c < 4; c++) {
            step.plane[c][0] = step.to[0] + (uint32_t)(planes ? c * plane : (size_t)c * sample);
            step.plane_pitch[c] = step.to_pitch;
        }
        want_pixels(&rows, &step, plane);
        set_step(&stage, i, &step, height);
    }
    launch(runtime, &stage, RESIZE_PIXELS);
    stage_end(&stage);
}

static void each_device(void (*check)(struct gpu_runtime *runtime))
{
    for (uint32_t g = 0; g < gpu_count; g++)
        for (int i = 0; i < (simulated() ? 2 : 30); i++)
            check(runtimes[g]);
}

static void across_all(struct gpu_runtime *runtime)
{
    check_across(runtime, RESIZE_ACROSS_ONE, 1, false);
    check_across(runtime, RESIZE_ACROSS_THREE, 3, false);
    check_across(runtime, RESIZE_ACROSS_FOUR, 4, false);
    check_across(runtime, RESIZE_ACROSS_WIDE, 3, true);
}

static void down_all(struct gpu_runtime *runtime)
{
    check_down(runtime, RESIZE_DOWN, false);
    check_down(runtime, RESIZE_DOWN_WIDE, true);
}

static void test_across(void **state)
{
    (void)state;
    each_device(across_all);
}

static void test_down(void **state)
{
    (void)state;
    each_device(down_all);
}

static void test_pixels(void **state)
{
    (void)state;
    each_device(check_pixels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_across), cmocka_unit_test(test_down), cmocka_unit_test(test_pixels)};
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}
