/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * States the constants of the DCTs after Arai, Agui and Nakajima, which libjpeg calls IFAST: five multiplications for 8
 * values, in 8-bit fixed point. The remaining factors are part of the quantisers.
 */
#ifndef KOSTKA_JPEG_TABLES_DCT_FAST_H
#define KOSTKA_JPEG_TABLES_DCT_FAST_H

enum {
    FAST_BITS = 8, /* fraction bits of the constants */
    FAST_0_382 = 98,
    FAST_0_541 = 139,
    FAST_0_707 = 181,
    FAST_1_082 = 277,
    FAST_1_306 = 334,
    FAST_1_414 = 362,
    FAST_1_613 = 413, /* 2.613 − 1, which fits into 16 bits when it is scaled */
    FAST_1_847 = 473,
    /* Values are multiplied by 2^2 and constants by 2^6, so that a product's upper 16 bits are the result. */
    FAST_VALUE_SHIFT = 2,
    FAST_CONSTANT_SHIFT = 16 - FAST_VALUE_SHIFT - FAST_BITS,
    FAST_PASS_BITS = 2,  /* fraction bits of the inverse transform's multipliers, and between its passes */
    FAST_SCALE_BITS = 14 /* fraction bits of the factors below */
};

/*
 * The factor of each coefficient (u, v), in raster order: the product of a factor for u and one for v, which is 1 for 0
 * and √2·cos(kπ/16) for k > 0.
 */
#define JPEG_FAST_SCALES                                                                                               \
    16384, 22725, 21407, 19266, 16384, 12873, 8867, 4520, 22725, 31521, 29692, 26722, 22725, 17855, 12299, 6270,       \
        21407, 29692, 27969, 25172, 21407, 16819, 11585, 5906, 19266, 26722, 25172, 22654, 19266, 15137, 10426, 5315,  \
        16384, 22725, 21407, 19266, 16384, 12873, 8867, 4520, 12873, 17855, 16819, 15137, 12873, 10114, 6967, 3552,    \
        8867, 12299, 11585, 10426, 8867, 6967, 4799, 2446, 4520, 6270, 5906, 5315, 4520, 3552, 2446, 1247

#endif
