/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses restart intervals that let a device decode in parallel at little cost in bytes. */
#include "jpeg/plan/restart.h"

/*
 * A marker costs about four bytes whatever the interval, so the bounds are in pixels. Small pictures get intervals of
 * eight MCUs of 16×16. Above that the number of intervals grows like the side of the picture, so that their relative
 * cost falls as pictures grow. From four million pixels on there are as many intervals as it takes to keep a device
 * busy. A progressive stream pays for an interval in every scan, of which the usual script has ten.
 */
enum {
    PIXELS_LEAST = 2048,
    SIDE_PER_INTERVAL = 4,
    INTERVALS_ENOUGH = 512,
    PROGRESSIVE_SCANS = 10,
    INTERVAL_MOST = 65535
};

/* Holds the area of an MCU: a number of blocks of the densest component, divided by a divisor. */
struct area {
    uint32_t blocks;  /* 1–16 */
    uint32_t divisor; /* 1–16; other than 1 only in a scan of one component, whose MCU is one block (A.2.2) */
};

static struct area mcu_area(const struct jpeg_frame *frame, uint8_t first, uint32_t count)
{
    const struct jpeg_component *c = &frame->component[first];
    return (struct area){(uint32_t)frame->hmax * frame->vmax, count == 1 ? (uint32_t)c->h * c->v : 1};
}

/*
 * Return the divisor of n nearest to `wanted`, so that each row of MCUs starts an interval; `wanted` itself if none is
 * near.
 */
static uint32_t divisor_near(uint32_t n, uint32_t wanted)
{
    for (uint32_t d = 0; d <= wanted / 2; d++) {
        if (d <= wanted / 4 && n % (wanted - d) == 0)
            return wanted - d;
        if (n % (wanted + d) == 0)
            return wanted + d;
    }
    return wanted;
}

static uint64_t pixels_between_markers(const struct jpeg_frame *frame)
{
    const uint64_t pixels = (uint64_t)frame->width * frame->height;
    uint64_t intervals = INTERVALS_ENOUGH;
    while (intervals > 1 && intervals * intervals * SIDE_PER_INTERVAL * SIDE_PER_INTERVAL > pixels)
        intervals--;
    return pixels / intervals > PIXELS_LEAST ? pixels / intervals : PIXELS_LEAST;
}

kst_restart kst_jpeg_restart_choose(const struct jpeg_frame *frame, kst_restart restart, bool progressive)
{
    if (restart.unit != KST_RESTART_AUTO)
        return restart;
    const uint64_t pixels = pixels_between_markers(frame);
    struct jpeg_scan_geometry scan;
    kst_jpeg_scan_geometry(frame, (const uint8_t[]){0, 1, 2, 3}, frame->component_count, &scan);
    if (progressive) {
        uint64_t rows = pixels * PROGRESSIVE_SCANS * scan.mcus_h / ((uint64_t)frame->width * frame->height) + 1;
        return (kst_restart){.unit = KST_RESTART_ROWS, .interval = (uint32_t)rows};
    }
    struct area mcu = mcu_area(frame, 0, frame->component_count);
    uint64_t mcus = pixels * mcu.divisor / (64U * mcu.blocks);
    uint32_t row = scan.mcus_w;
    uint32_t interval = mcus == 0 ? 1 : mcus >= row ? row : divisor_near(row, (uint32_t)mcus);
    return (kst_restart){.unit = KST_RESTART_MCUS, .interval = interval};
}

uint32_t kst_jpeg_restart_keep(
    const struct jpeg_frame *source, uint8_t first, uint32_t count, uint32_t interval, const struct jpeg_frame *result)
{
    struct area from = mcu_area(source, first, count), to = mcu_area(result, 0, result->component_count);
    uint64_t area = (uint64_t)interval * from.blocks * to.divisor;
    uint32_t unit = from.divisor * to.blocks;
    return area % unit == 0 && area / unit <= INTERVAL_MOST ? (uint32_t)(area / unit) : 0;
}
