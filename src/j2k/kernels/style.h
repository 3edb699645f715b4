/* SPDX-License-Identifier: BSD-2-Clause */
/* The styles of code-blocks (T.800 Table A.19), and which passes are raw. */
#include "kernels/portable.h"

enum block_style {
    STYLE_BYPASS = 1,
    STYLE_RESET = 2,
    STYLE_TERMALL = 4,
    STYLE_CAUSAL = 8,
    STYLE_PREDICTABLE = 16,
    STYLE_SYMBOLS = 32
};

FUNCTION u32 is_raw_pass(u32 style, u32 pass)
{
    return (style & STYLE_BYPASS) != 0 && pass >= 10 && pass % 3 != 0;
}
