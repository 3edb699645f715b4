/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what T.800 says about code-blocks: their sizes, bit-planes, styles, and which coding passes are raw. */
#ifndef KOSTKA_J2K_TABLES_BLOCKS_H
#define KOSTKA_J2K_TABLES_BLOCKS_H

#if defined(KERNEL)
#define J2K_FUNCTION FUNCTION
#else
#define J2K_FUNCTION static inline
#endif

enum {
    J2K_BLOCK_SIDE = 1024,    /* most columns or rows (Table A.18) */
    J2K_BLOCK_SAMPLES = 4096, /* most samples (Table A.18) */
    J2K_BLOCK_COLUMNS = 1024, /* most columns of a stripe; a column has four samples */
    J2K_BLOCK_PLANES = 74,    /* most bit-planes: 37 of a band, and 37 of a region of interest's shift */
    J2K_PASSES_MAX = 3 * J2K_BLOCK_PLANES - 2,
    J2K_CODED_PLANES = 31, /* most bit-planes that encoders here code */
    J2K_CODED_PASSES = 3 * J2K_CODED_PLANES - 2
};

/* The code-block style: the bits of Table A.19, and those of T.814 above them. */
enum j2k_style {
    J2K_STYLE_BYPASS = 1,       /* selective arithmetic coding bypass */
    J2K_STYLE_RESET = 2,        /* contexts are reset after each pass */
    J2K_STYLE_TERMALL = 4,      /* each pass ends its segment */
    J2K_STYLE_CAUSAL = 8,       /* vertically causal contexts */
    J2K_STYLE_PREDICTABLE = 16, /* predictable termination: errors can be detected */
    J2K_STYLE_SYMBOLS = 32,     /* a segmentation symbol ends each cleanup pass */
    J2K_STYLES = 63,            /* all bits above, which are all that T.800 has */
    J2K_STYLE_HT = 64,          /* code-blocks of T.814 */
    J2K_STYLE_MIXED = 128,      /* with J2K_STYLE_HT: code-blocks of T.800 among them */
    J2K_STYLES_HT = 72          /* what T.814 without MIXED can have: HT and CAUSAL */
};

enum j2k_orientation { J2K_LL = 0, J2K_HL = 1, J2K_LH = 2, J2K_HH = 3 };

/* Return log2 of the gain of a subband's samples over those of the picture (Table E.1). */
J2K_FUNCTION unsigned j2k_log2_gain(unsigned orientation)
{
    return (orientation & 1u) + (orientation >> 1);
}

/* The component transform of the first three components (Annex G). */
enum j2k_transform { J2K_TRANSFORM_NONE = 0, J2K_TRANSFORM_RCT = 1, J2K_TRANSFORM_ICT = 2 };

/*
 * Passes of a block are counted from 0, which is a cleanup pass; after it each plane has a significance, a refinement
 * and a cleanup pass (D.2). With bypass the first two of these are raw from the fifth plane on (Table D.9).
 */
J2K_FUNCTION unsigned j2k_pass_is_raw(unsigned style, unsigned pass)
{
    return (style & J2K_STYLE_BYPASS) != 0 && pass >= 10 && pass % 3 != 0;
}

/* Return whether a codeword segment ends with a pass (Table D.9). */
J2K_FUNCTION unsigned j2k_pass_ends_segment(unsigned style, unsigned pass)
{
    return (style & J2K_STYLE_TERMALL) != 0 || ((style & J2K_STYLE_BYPASS) != 0 && pass >= 9 && pass % 3 != 1);
}

#endif
