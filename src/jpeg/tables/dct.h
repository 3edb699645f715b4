/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * States the constants of the DCTs of 8 values, in 13-bit fixed point. A name gives the value that the constant stands
 * for.
 */
#ifndef KOSTKA_JPEG_TABLES_DCT_H
#define KOSTKA_JPEG_TABLES_DCT_H

enum {
    DCT_BITS = 13,     /* fraction bits of the constants */
    DCT_PASS_BITS = 2, /* fraction bits between the two passes */

    F_0_298 = 2446,
    F_0_390 = 3196,
    F_0_541 = 4433,
    F_0_765 = 6270,
    F_0_899 = 7373,
    F_1_175 = 9633,
    F_1_501 = 12299,
    F_1_847 = 15137,
    F_1_961 = 16069,
    F_2_053 = 16819,
    F_2_562 = 20995,
    F_3_072 = 25172,

    /*
     * The odd half multiplied out, which is exact for 16-bit values. ODD_ij is the factor of value j (of 7, 5, 3, 1) in
     * sum i. That sum is added to the even half of output 3 − i, and subtracted for output 4 + i.
     */
    ODD_00 = F_0_298 - F_0_899 + F_1_175 - F_1_961,
    ODD_01 = F_1_175,
    ODD_02 = F_1_175 - F_1_961,
    ODD_03 = F_1_175 - F_0_899,
    ODD_10 = F_1_175,
    ODD_11 = F_2_053 - F_2_562 + F_1_175 - F_0_390,
    ODD_12 = F_1_175 - F_2_562,
    ODD_13 = F_1_175 - F_0_390,
    ODD_20 = F_1_175 - F_1_961,
    ODD_21 = F_1_175 - F_2_562,
    ODD_22 = F_3_072 - F_2_562 + F_1_175 - F_1_961,
    ODD_23 = F_1_175,
    ODD_30 = F_1_175 - F_0_899,
    ODD_31 = F_1_175 - F_0_390,
    ODD_32 = F_1_175,
    ODD_33 = F_1_501 - F_0_899 + F_1_175 - F_0_390,

    /* The constants below are used only in the reduced transforms. */
    F_0_211 = 1730,
    F_0_509 = 4176,
    F_0_601 = 4926,
    F_0_720 = 5906,
    F_0_850 = 6967,
    F_1_061 = 8697,
    F_1_272 = 10426,
    F_1_451 = 11893,
    F_2_172 = 17799,
    F_3_624 = 29692
};

#endif
