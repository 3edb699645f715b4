/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes the numbers of samples, blocks and MCUs that follow from a frame header. */
#include "jpeg/plan/frame.h"

#include "jpeg/tables/zigzag.h"

#define RASTER(i) i

const uint8_t kst_jpeg_natural[64 + 16] = {
    JPEG_ZIGZAG(RASTER), 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63};

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

uint32_t kst_jpeg_frame_unit(const struct jpeg_frame *frame)
{
    return frame->process == KST_PROCESS_LOSSLESS ? 1 : 8;
}

void kst_jpeg_frame_geometry(struct jpeg_frame *frame)
{
    uint32_t unit = kst_jpeg_frame_unit(frame);
    frame->hmax = 1;
    frame->vmax = 1;
    for (uint32_t i = 0; i < frame->component_count; i++) {
        if (frame->component[i].h > frame->hmax)
            frame->hmax = frame->component[i].h;
        if (frame->component[i].v > frame->vmax)
            frame->vmax = frame->component[i].v;
    }
    frame->mcus_w = divide_up(frame->width, unit * frame->hmax);
    frame->mcus_h = divide_up(frame->height, unit * frame->vmax);
    for (uint32_t i = 0; i < frame->component_count; i++) {
        struct jpeg_component *c = &frame->component[i];
        c->width = divide_up(frame->width * c->h, frame->hmax);
        c->height = divide_up(frame->height * c->v, frame->vmax);
        c->blocks_w = divide_up(c->width, unit);
        c->blocks_h = divide_up(c->height, unit);
        c->padded_w = frame->mcus_w * c->h;
        c->padded_h = frame->mcus_h * c->v;
    }
}

void kst_jpeg_scan_geometry(
    const struct jpeg_frame *frame, const uint8_t *component, uint32_t count, struct jpeg_scan_geometry *geometry)
{
    if (count == 1) {
        geometry->mcus_w = frame->component[component[0]].blocks_w;
        geometry->mcus_h = frame->component[component[0]].blocks_h;
        geometry->mcu_blocks = 1;
        return;
    }
    geometry->mcus_w = frame->mcus_w;
    geometry->mcus_h = frame->mcus_h;
    geometry->mcu_blocks = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct jpeg_component *c = &frame->component[component[i]];
        geometry->mcu_blocks += (uint32_t)c->h * c->v;
    }
}
