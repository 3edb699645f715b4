/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the block coders, and chooses one by the style of code-blocks. */
#include "j2k/plan/block_coder.h"

#include <stddef.h>

/* The segments of EBCOT (D.4, D.6). */
static uint32_t ebcot_room(uint32_t style, uint32_t pass)
{
    enum { MORE_THAN_ANY = 1000 };
    uint32_t room = 1;
    if ((style & (J2K_STYLE_TERMALL | J2K_STYLE_BYPASS)) == 0)
        return MORE_THAN_ANY;
    while (!j2k_pass_ends_segment(style, pass + room - 1))
        room++;
    return room;
}

static bool ebcot_starts(uint32_t style, uint32_t pass)
{
    return pass == 0 || j2k_pass_ends_segment(style, pass - 1);
}

static bool ebcot_is_raw(uint32_t style, uint32_t pass)
{
    return j2k_pass_is_raw(style, pass);
}

static const struct j2k_block_coder coders[J2K_BLOCK_CODERS] = {
    [J2K_EBCOT] = {J2K_EBCOT, J2K_STYLES, ebcot_room, ebcot_starts, ebcot_is_raw}};

const struct j2k_block_coder *kst_j2k_block_coder(uint32_t style)
{
    return (style & J2K_STYLE_HT) != 0 ? NULL : &coders[J2K_EBCOT];
}

bool kst_j2k_has_style(uint32_t style)
{
    const struct j2k_block_coder *coder = kst_j2k_block_coder(style);
    return coder && (style & ~(uint32_t)coder->styles) == 0;
}

uint32_t kst_j2k_segment_room(uint32_t style, uint32_t pass)
{
    return kst_j2k_block_coder(style)->room(style, pass);
}

bool kst_j2k_segment_starts(uint32_t style, uint32_t pass)
{
    return kst_j2k_block_coder(style)->starts(style, pass);
}

bool kst_j2k_segment_is_raw(uint32_t style, uint32_t pass)
{
    return kst_j2k_block_coder(style)->is_raw(style, pass);
}
