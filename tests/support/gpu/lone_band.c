/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes plans of code-blocks. */
#include "support/gpu/lone_band.h"

#include <string.h>

#include "support/test.h"

void lone_band_codeword(struct lone_band *made, const struct j2k_codeword *codeword, bool raw, uint32_t pieces)
{
    struct j2k_plan *plan = &made->plan;
    struct j2k_segment *segment = &made->segment[plan->segment_count++];
    uint32_t first = pieces > 1 ? codeword->length / 3 : 0;
    *segment = (struct j2k_segment){
        .first_piece = plan->piece_count, .length = codeword->length, .passes = (uint8_t)codeword->passes, .raw = raw};
    assert_true(plan->segment_count <= LONE_BAND_SEGMENTS && plan->length + codeword->length <= sizeof made->data);
    for (uint32_t at = 0, part; at < codeword->length; at += part) {
        part = at == 0 && first > 0 ? first : codeword->length - at;
        made->piece[plan->piece_count++] = (struct j2k_piece){.offset = plan->length + at, .length = part};
        segment->piece_count++;
    }
    if (codeword->length > 0)
        memcpy(made->data + plan->length, codeword->data, codeword->length);
    plan->length += codeword->length;
}

void lone_band_finish(
    struct lone_band *made, uint32_t width, uint32_t height, uint32_t planes, uint32_t style, bool reversible)
{
    struct j2k_plan *plan = &made->plan;
    struct j2k_rect rect = {0, 0, width, height};
    made->component =
        (struct j2k_component){.depth = 15, .is_signed = true, .dx = 1, .dy = 1, .wanted = true, .area = rect};
    made->tile = (struct j2k_tile){.rect = rect, .layers = 1};
    made->tile_component = (struct j2k_tile_component){.rect = rect,
        .area = rect,
        .resolution_count = 1,
        .reversible = reversible,
        .style = (uint8_t)style,
        .block_width = 6,
        .block_height = 6};
    made->resolution = (struct j2k_resolution){.rect = rect, .computed = rect, .valid = rect, .band_count = 1};
    made->band.rect = made->band.window = rect;
    made->band.planes = made->band.magnitude = (uint8_t)planes;
    made->band.step = reversible ? 1.0F : 0.3F;
    made->band.block_count = plan->block_count;
    plan->data = made->data;
    plan->component = &made->component;
    plan->tile = &made->tile;
    plan->tile_component = &made->tile_component;
    plan->resolution = &made->resolution;
    plan->band = &made->band;
    plan->block = made->block;
    plan->segment = made->segment;
    plan->piece = made->piece;
    plan->component_count = plan->tile_count = plan->tile_component_count = plan->resolution_count = 1;
    plan->band_count = 1;
    plan->image = rect;
}
