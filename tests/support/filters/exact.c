/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares filters with models, for images of several pitches, some of them upside down, with bytes around them. */
#include "support/filters/exact.h"

#include <stdlib.h>
#include <string.h>

#include <kostka/kostka_filter.h>

#include "support/machines.h"
#include "support/random.h"
#include "support/test.h"

enum { SENTINEL = 0xA5 };

const uint32_t sizes[SIZES][2] = {{1, 1}, {1, 6}, {9, 1}, {2, 3}, {5, 4}, {17, 35}, {70, 19}, {133, 66}};

struct model model_make(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth)
{
    struct model model = {width, height, channels, depth, calloc((size_t)width * height * channels, sizeof(uint32_t))};
    assert_non_null(model.value);
    return model;
}

uint32_t *model_at(const struct model *model, int64_t x, int64_t y, uint32_t channel)
{
    return &model->value[((size_t)y * model->width + (size_t)x) * model->channels + channel];
}

uint32_t model_near(const struct model *model, int64_t x, int64_t y, uint32_t channel)
{
    x = x < 0 ? 0 : x >= model->width ? (int64_t)model->width - 1 : x;
    y = y < 0 ? 0 : y >= model->height ? (int64_t)model->height - 1 : y;
    return *model_at(model, x, y, channel);
}

int64_t model_reflect(int64_t i, int64_t count)
{
    while (count > 1 && (i < 0 || i >= count))
        i = i < 0 ? -i : 2 * (count - 1) - i;
    return count > 1 ? i : 0;
}

struct model model_random(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth)
{
    struct model model = model_make(width, height, channels, depth);
    uint32_t greatest = (1u << depth) - 1;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < channels; c++) {
                uint32_t noise = next_random() % 3 ? 0 : next_random() % 40;
                *model_at(&model, x, y, c) = (((x / 5 + y / 7) * 77 + c * 31 + noise) << 8 >> (16 - depth)) & greatest;
            }
    return model;
}

struct model model_random_fine(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth)
{
    struct model model = model_random(width, height, channels, depth);
    for (size_t i = 0; i < (size_t)width * height * channels && depth > 8; i++)
        model.value[i] |= next_random() % (1u << (depth - 8));
    return model;
}

/* Holds a picture whose rows have their own pitch, with bytes around them that must not change. */
struct buffer {
    kst_image image;
    uint8_t *memory;
    size_t length, row;
};

static kst_format format_of(uint32_t channels)
{
    return channels == 1 ? KST_FORMAT_GREY : channels == 3 ? KST_FORMAT_RGB : KST_FORMAT_RGBA;
}

static struct buffer buffer_make(const struct model *like, ptrdiff_t padding, bool upside_down)
{
    struct buffer buffer = {.memory = NULL};
    size_t bytes = like->depth > 8 ? 2 : 1;
    buffer.row = (size_t)like->width * like->channels * bytes;
    size_t pitch = buffer.row + (size_t)padding * bytes;
    buffer.length = pitch * like->height + 2 * (size_t)padding * bytes;
    buffer.memory = malloc(buffer.length);
    assert_non_null(buffer.memory);
    memset(buffer.memory, SENTINEL, buffer.length);
    uint8_t *first = buffer.memory + (size_t)padding * bytes;
    if (upside_down)
        first += pitch * (like->height - 1);
    kst_image_init(&buffer.image);
    buffer.image.format = format_of(like->channels);
    buffer.image.width = like->width;
    buffer.image.height = like->height;
    buffer.image.plane_count = 1;
    buffer.image.plane[0] = (kst_plane){.data = first,
        .pitch = upside_down ? -(ptrdiff_t)pitch : (ptrdiff_t)pitch,
        .width = like->width,
        .height = like->height,
        .depth = (uint8_t)like->depth};
    return buffer;
}

static uint8_t *row_of(const struct buffer *buffer, uint32_t y)
{
    return (uint8_t *)buffer->image.plane[0].data + (ptrdiff_t)y * buffer->image.plane[0].pitch;
}

static void store(const struct model *model, const struct buffer *buffer)
{
    for (uint32_t y = 0; y < model->height; y++)
        for (uint32_t i = 0; i < model->width * model->channels; i++) {
            uint32_t value = model->value[(size_t)y * model->width * model->channels + i];
            if (model->depth > 8)
                ((uint16_t *)(void *)row_of(buffer, y))[i] = (uint16_t)value;
            else
                row_of(buffer, y)[i] = (uint8_t)value;
        }
}

/*
 * Compare the samples, and then overwrite them with the sentinel, so that all bytes must be sentinels unless others
 * were changed.
 */
static void compare(const struct model *model, const struct buffer *buffer, const char *chain, const char *machine)
{
    for (uint32_t y = 0; y < model->height; y++) {
        for (uint32_t i = 0; i < model->width * model->channels; i++) {
            uint32_t wanted = model->value[(size_t)y * model->width * model->channels + i];
            uint32_t found = model->depth > 8 ? ((uint16_t *)(void *)row_of(buffer, y))[i] : row_of(buffer, y)[i];
            if (wanted != found)
                fail_msg("%s on %s, %ux%u of %u channels and %u bits: sample %u of row %u is %u, not %u", chain,
                    machine, model->width, model->height, model->channels, model->depth, i, y, found, wanted);
        }
        memset(row_of(buffer, y), SENTINEL, buffer->row);
    }
    for (size_t i = 0; i < buffer->length; i++)
        assert_int_equal(buffer->memory[i], SENTINEL);
}

static void run(kst_context *context, const char *machine, const char *chain, const struct buffer *from,
    const struct buffer *to, const struct model *expected)
{
    kst_filter *filter;
    kst_report report;
    kst_report_init(&report);
    assert_int_equal(kst_filter_open(context, chain, &filter, &report), KST_OK);
    kst_status status = kst_filter_run(filter, &from->image, (kst_image *)(uintptr_t)&to->image, &report);
    if (status)
        fail_msg("%s on %s: %s", chain, machine, report.message);
    compare(expected, to, chain, machine);
    kst_filter_close(&filter);
}

void model_check(const char *chain, struct model source, struct model expected)
{
    bool turned = source.width % 2 == 1;
    struct buffer from = buffer_make(&source, source.width % 3, turned);
    struct buffer to = buffer_make(&expected, 3, !turned);
    store(&source, &from);
    for (uint32_t i = 0; i < contexts.count; i++)
        run(contexts.context[i], contexts.name[i], chain, &from, &to, &expected);
    free(from.memory);
    free(to.memory);
    free(source.value);
    free(expected.value);
}
