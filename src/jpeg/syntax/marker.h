/* SPDX-License-Identifier: BSD-2-Clause */
/* Marker codes: the second byte of each marker (T.81 table B.1). */
#ifndef KOSTKA_JPEG_SYNTAX_MARKER_H
#define KOSTKA_JPEG_SYNTAX_MARKER_H

enum jpeg_marker {
    JPEG_TEM = 0x01,
    JPEG_SOF0 = 0xC0,
    JPEG_SOF1 = 0xC1,
    JPEG_SOF2 = 0xC2,
    JPEG_SOF3 = 0xC3,
    JPEG_DHT = 0xC4,
    JPEG_SOF5 = 0xC5,
    JPEG_SOF7 = 0xC7,
    JPEG_JPG = 0xC8,
    JPEG_SOF9 = 0xC9,
    JPEG_SOF10 = 0xCA,
    JPEG_SOF11 = 0xCB,
    JPEG_DAC = 0xCC,
    JPEG_SOF13 = 0xCD,
    JPEG_SOF15 = 0xCF,
    JPEG_RST0 = 0xD0,
    JPEG_RST7 = 0xD7,
    JPEG_SOI = 0xD8,
    JPEG_EOI = 0xD9,
    JPEG_SOS = 0xDA,
    JPEG_DQT = 0xDB,
    JPEG_DNL = 0xDC,
    JPEG_DRI = 0xDD,
    JPEG_DHP = 0xDE,
    JPEG_EXP = 0xDF,
    JPEG_APP0 = 0xE0,
    JPEG_APP1 = 0xE1,
    JPEG_APP2 = 0xE2,
    JPEG_APP14 = 0xEE,
    JPEG_APP15 = 0xEF,
    JPEG_COM = 0xFE
};

#endif
