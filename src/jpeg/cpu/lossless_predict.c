/* SPDX-License-Identifier: BSD-2-Clause */
/* Predicts the samples of a line from those on the left and above (T.81 H.1.2.1). */
#include "jpeg/cpu/lossless.h"

static void predict_from_left(uint16_t *line, uint32_t width, uint32_t value)
{
    for (uint32_t x = 0; x < width; x++) {
        value += line[x];
        line[x] = (uint16_t)value;
    }
}

static void predict_from_above(uint16_t *line, const uint16_t *above, uint32_t width)
{
    for (uint32_t x = 0; x < width; x++)
        line[x] = (uint16_t)(line[x] + above[x]);
}

static void predict_mean(uint16_t *line, const uint16_t *above, uint32_t width)
{
    int32_t a = line[0];
    for (uint32_t x = 1; x < width; x++) {
        a = (uint16_t)(line[x] + ((a + above[x]) >> 1));
        line[x] = (uint16_t)a;
    }
}

/* Predict a line whose samples depend on each other: `prediction` is made of Ra, Rb and Rc of figure H.1. */
#define PREDICT(prediction)                                                                                            \
    for (uint32_t x = 1; x < width; x++) {                                                                             \
        int32_t b = above[x], c = above[x - 1];                                                                        \
        a = (uint16_t)(line[x] + (prediction));                                                                        \
        line[x] = (uint16_t)a;                                                                                         \
    }

void kst_jpeg_cpu_lossless_predict(
    uint16_t *line, const uint16_t *above, uint32_t width, uint32_t predictor, uint16_t origin)
{
    if (!above) {
        predict_from_left(line, width, origin);
        return;
    }
    line[0] = (uint16_t)(line[0] + above[0]);
    int32_t a = line[0];
    switch (predictor) {
    case 1:
        predict_from_left(line + 1, width - 1, line[0]);
        break;
    case 2:
        predict_from_above(line + 1, above + 1, width - 1);
        break;
    case 3:
        predict_from_above(line + 1, above, width - 1);
        break;
    case 4:
        PREDICT(a + b - c)
        break;
    case 5:
        PREDICT(a + ((b - c) >> 1))
        break;
    case 6:
        PREDICT(b + ((a - c) >> 1))
        break;
    default:
        predict_mean(line, above, width);
        break;
    }
}
