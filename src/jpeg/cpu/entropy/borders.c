/* SPDX-License-Identifier: BSD-2-Clause */
/* Records where a guessing decoder found MCUs, and finds the first of these places that another decoder meets. */
#include "jpeg/cpu/entropy/borders.h"

const uint8_t *kst_jpeg_cpu_scan_data(const struct jpeg_entropy *entropy, uint64_t *length)
{
    const struct jpeg_segment *segment = &entropy->plan->segment[entropy->scan->first_segment];
    *length = segment->length;
    return entropy->plan->data + segment->offset;
}

uint64_t kst_jpeg_cpu_guess_place(const struct jpeg_entropy *entropy, uint64_t at)
{
    uint64_t length;
    const uint8_t *data = kst_jpeg_cpu_scan_data(entropy, &length);
    while (at > 0 && at < length && data[at - 1] == 0xFF)
        at++;
    return at;
}

static uint64_t position_of(const struct jpeg_entropy *entropy, const struct jpeg_cursor *cursor)
{
    uint64_t length;
    uint32_t bit;
    const uint8_t *data = kst_jpeg_cpu_scan_data(entropy, &length);
    const uint8_t *at = kst_jpeg_cpu_bits_place(cursor->bits, data, &bit);
    return ((uint64_t)(at - data) << 3) + bit;
}

void kst_jpeg_cpu_borders_keep(
    struct jpeg_borders *borders, const struct jpeg_entropy *entropy, const struct jpeg_cursor *cursor)
{
    if (borders->count == JPEG_BORDERS)
        return;
    borders->position[borders->count] = position_of(entropy, cursor);
    memcpy(borders->dc[borders->count], cursor->dc, sizeof cursor->dc);
    borders->count++;
}

bool kst_jpeg_cpu_borders_meet(const struct jpeg_borders *borders, uint32_t count, const struct jpeg_entropy *entropy,
    const struct jpeg_cursor *cursor, uint32_t *border, struct jpeg_shift *shift)
{
    struct jpeg_cursor own = *cursor;
    uint32_t i = 0;
    while (!jpeg_bits_overrun(&own.bits) && own.mcu < entropy->mcus) {
        uint64_t position = position_of(entropy, &own);
        while (i < count && borders->position[i] < position)
            i++;
        if (i == count)
            return false;
        if (borders->position[i] == position) {
            *border = i;
            shift->mcu = own.mcu - i;
            for (uint32_t c = 0; c < JPEG_COMPONENTS; c++)
                shift->dc[c] = (uint32_t)own.dc[c] - (uint32_t)borders->dc[i][c];
            return true;
        }
        entropy->skip_mcu(entropy, &own);
        own.mcu++;
    }
    return false;
}

void kst_jpeg_cpu_shift_cursor(const struct jpeg_shift *shift, struct jpeg_cursor *cursor)
{
    cursor->mcu += shift->mcu;
    for (uint32_t i = 0; i < JPEG_COMPONENTS; i++)
        cursor->dc[i] = (int32_t)((uint32_t)cursor->dc[i] + shift->dc[i]);
}
