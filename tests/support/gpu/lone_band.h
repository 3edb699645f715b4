/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares plans that tests make of code-blocks side by side in one band. */
#ifndef KOSTKA_TESTS_SUPPORT_GPU_LONE_BAND_H
#define KOSTKA_TESTS_SUPPORT_GPU_LONE_BAND_H

#include "j2k/cpu/blocks/block_coder.h"
#include "j2k/plan/plan.h"

enum { LONE_BAND_BLOCKS = 16, LONE_BAND_SEGMENTS = 8 * 240, LONE_BAND_BYTES = 1 << 19 };

/*
 * Holds a plan of one component that is one band of code-blocks side by side, without a transform, and all its lists.
 */
struct lone_band {
    struct j2k_plan plan;
    struct j2k_component component;
    struct j2k_tile tile;
    struct j2k_tile_component tile_component;
    struct j2k_resolution resolution;
    struct j2k_band band;
    struct j2k_block block[LONE_BAND_BLOCKS];
    struct j2k_segment segment[LONE_BAND_SEGMENTS];
    struct j2k_piece piece[2 * LONE_BAND_SEGMENTS];
    uint8_t data[LONE_BAND_BYTES];
};

/* Add a segment, whose bytes are in 1 or 2 adjacent pieces, or in none if it has no bytes. */
void lone_band_codeword(struct lone_band *made, const struct j2k_codeword *codeword, bool raw, uint32_t pieces);

/* Fill in everything but the blocks, their segments and the band's orientation. */
void lone_band_finish(
    struct lone_band *made, uint32_t width, uint32_t height, uint32_t planes, uint32_t style, bool reversible);

#endif
