/* SPDX-License-Identifier: BSD-2-Clause */
/* States the factors of JFIF between RGB and YCbCr, with 16 fraction bits, without their signs. */
#ifndef KOSTKA_JPEG_TABLES_COLOUR_H
#define KOSTKA_JPEG_TABLES_COLOUR_H

enum {
    /* A name gives what is computed and from what: YCC_GREEN_CB is the factor of Cb in green. */
    YCC_Y_RED = 19595,
    YCC_Y_GREEN = 38470,
    YCC_Y_BLUE = 7471,
    YCC_CB_RED = 11059,   /* subtracted */
    YCC_CB_GREEN = 21709, /* subtracted */
    YCC_CR_GREEN = 27439, /* subtracted */
    YCC_CR_BLUE = 5329,   /* subtracted */
    YCC_RED_CR = 91881,
    YCC_GREEN_CB = 22554, /* subtracted */
    YCC_GREEN_CR = 46802, /* subtracted */
    YCC_BLUE_CB = 116130
};

#endif
