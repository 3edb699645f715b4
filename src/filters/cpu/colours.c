/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes colours: makes RGB of grey, picks one channel, and combines colours by a matrix. */
#include "filters/cpu/colours.h"

#include <stdio.h>

#include "filters/bands.h"
#include "filters/cpu/kinds.h"
#include "filters/cpu/real.h"
#include "image/sample.h"

enum { COLOURS = 3, CHANNEL_ALPHA = 3, MATRIX_BITS = 16 };

/* Holds the source's channel for each channel of the result. */
struct colours_pick {
    uint32_t channel[COLOURS];
};

static kst_status pick_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct colours_pick *pick = arg;
    const struct filter_pixels *from = work->from, *to = work->to;
    const uint32_t bytes = from->bytes, channels = to->channels, step = from->channels;
    for (uint32_t y = first; y < end; y++) {
        const uint8_t *source = kst_filter_row(from, y);
        uint8_t *target = kst_filter_row(to, y);
        for (size_t x = 0; x < to->width; x++)
            for (uint32_t c = 0; c < channels; c++)
                sample_put(target, x * channels + c, bytes, sample_get(source, x * step + pick->channel[c], bytes));
    }
    return KST_OK;
}

static kst_status rgb_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    bool reversed = shape->format == KST_FORMAT_BGR || shape->format == KST_FORMAT_BGRA;
    (void)value;
    (void)reason;
    shape->format = reversed ? KST_FORMAT_BGR : KST_FORMAT_RGB;
    return KST_OK;
}

uint32_t kst_filter_rgb_channel(const struct filter_pixels *from, uint32_t channel)
{
    return from->colours == 1 ? 0 : channel;
}

static kst_status rgb_run(const struct filter_work *work)
{
    struct colours_pick pick;
    for (uint32_t c = 0; c < COLOURS; c++)
        pick.channel[c] = kst_filter_rgb_channel(work->from, c);
    return kst_filter_bands(work, work->to->height, pick_band, &pick);
}

const struct filter_kind kst_filter_rgb = {
    "rgb", "three colours of grey; alpha is dropped", {{.name = NULL}}, NULL, rgb_shape, rgb_run};

static kst_status channel_shape(
    const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    bool has_alpha = shape->format == KST_FORMAT_RGBA || shape->format == KST_FORMAT_BGRA;
    if (shape->format == KST_FORMAT_GREY || (value[0].number == CHANNEL_ALPHA && !has_alpha)) {
        snprintf(reason, FILTER_REASON, "the picture has no such channel: it is %s",
            shape->format == KST_FORMAT_GREY ? "grey" : "without alpha");
        return KST_ERROR_IMAGE_FORMAT;
    }
    shape->format = KST_FORMAT_GREY;
    return KST_OK;
}

uint32_t kst_filter_channel_of(const struct filter_value *value, const struct filter_pixels *from)
{
    uint32_t channel = (uint32_t)value[0].number;
    return from->reversed && channel < COLOURS ? COLOURS - 1 - channel : channel;
}

static kst_status channel_run(const struct filter_work *work)
{
    struct colours_pick pick = {{kst_filter_channel_of(work->value, work->from)}};
    return kst_filter_bands(work, work->to->height, pick_band, &pick);
}

const struct filter_kind kst_filter_channel = {"channel", "one channel, as grey",
    {{"name", "of the channel", KST_FILTER_WORD, true, 0, 0, 0, "red|green|blue|alpha"}}, NULL, channel_shape,
    channel_run};

void kst_filter_matrix_settle(
    const struct filter_value *value, const struct filter_pixels *from, struct filter_matrix *matrix)
{
    for (uint32_t c = 0; c < COLOURS; c++) {
        uint32_t row = from->reversed ? COLOURS - 1 - c : c;
        for (uint32_t k = 0; k < COLOURS; k++) {
            uint32_t column = from->reversed ? COLOURS - 1 - k : k;
            matrix->weight[c][k] = (int32_t)kst_filter_scale(value[row * COLOURS + column].real, 1 << MATRIX_BITS);
        }
        matrix->added[c] =
            kst_filter_scale(value[COLOURS * COLOURS + row].real, (int64_t)from->greatest << MATRIX_BITS);
    }
}

static kst_status matrix_shape(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON])
{
    (void)value;
    if (shape->format != KST_FORMAT_GREY)
        return KST_OK;
    snprintf(reason, FILTER_REASON, "matrix takes colours; rgb before it makes such of grey");
    return KST_ERROR_IMAGE_FORMAT;
}

static uint32_t weigh(
    const struct filter_matrix *matrix, uint32_t channel, const uint32_t sample[COLOURS], uint32_t greatest)
{
    int64_t sum = matrix->added[channel] + (1 << (MATRIX_BITS - 1));
    for (uint32_t k = 0; k < COLOURS; k++)
        sum += (int64_t)matrix->weight[channel][k] * sample[k];
    if (sum < 0)
        return 0;
    sum >>= MATRIX_BITS;
    return sum < greatest ? (uint32_t)sum : greatest;
}

static kst_status matrix_band(const struct filter_work *work, void *arg, uint32_t first, uint32_t end)
{
    const struct filter_pixels *from = work->from;
    for (uint32_t y = first; y < end; y++)
        for (size_t x = 0; x < from->width; x++) {
            uint32_t sample[COLOURS + 1] = {0, 0, 0, 0};
            for (uint32_t c = 0; c < from->channels; c++) {
                sample[c] = sample_get(kst_filter_row(from, y), x * from->channels + c, from->bytes);
                sample[c] = sample[c] < from->greatest ? sample[c] : from->greatest;
            }
            for (uint32_t c = 0; c < from->channels; c++)
                sample_put(kst_filter_row(work->to, y), x * from->channels + c, from->bytes,
                    c < COLOURS ? weigh(arg, c, sample, from->greatest) : sample[c]);
        }
    return KST_OK;
}

static kst_status matrix_run(const struct filter_work *work)
{
    struct filter_matrix matrix;
    kst_filter_matrix_settle(work->value, work->from, &matrix);
    return kst_filter_bands(work, work->to->height, matrix_band, &matrix);
}

#define WEIGHT(name, what)                                                                                             \
    {                                                                                                                  \
        name, what, KST_FILTER_REAL, true, -64, 64, 0, NULL                                                            \
    }
#define ADDED(name, what)                                                                                              \
    {                                                                                                                  \
        name, what, KST_FILTER_REAL, false, -64, 64, 0, NULL                                                           \
    }

const struct filter_kind kst_filter_matrix = {"matrix", "each colour is a sum of all three, clipped",
    {WEIGHT("rr", "red's part of red"), WEIGHT("rg", "green's part of red"), WEIGHT("rb", "blue's part of red"),
        WEIGHT("gr", "red's part of green"), WEIGHT("gg", "green's part of green"),
        WEIGHT("gb", "blue's part of green"), WEIGHT("br", "red's part of blue"), WEIGHT("bg", "green's part of blue"),
        WEIGHT("bb", "blue's part of blue"), ADDED("red", "added to red; 1 is the greatest sample"),
        ADDED("green", "added to green"), ADDED("blue", "added to blue")},
    NULL, matrix_shape, matrix_run};
