/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The extremes of each field of each marker segment (T.800 Annex A) and box (Annex I): the error or warning that they
 * must give, its offset, and that decoding, listing and transcoding come to an end in a short time.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "support/j2k/anatomy.h"
#include "support/jpeg/streams.h"
#include "support/machines.h"
#include "support/shared_context.h"
#include "support/test.h"

/* A change to a field, of `bytes` bytes from `at` in the contents on; lengths stand in front of those. */
struct change {
    int8_t at;
    uint8_t bytes;
    uint32_t value;
};

struct row {
    const char *part;  /* marker or box */
    const char *field; /* as the standard calls it */
    struct change change;
    kst_status opened;  /* of kst_decoder_open(); where it is an error that ends in the part */
    kst_status decoded; /* an error, the first warning, or KST_OK for no warning; SOME if the table does not say */
    uint8_t number;     /* of the part, among those of its name */
};

enum { SOME = 9999, L = -2, BOX = -8 };

#define OPENS(status) KST_OK, (kst_status)(status)
#define FAILS(status) KST_ERROR_##status, (kst_status)SOME

static const struct row main_rows[] = {
    {"SOC", "SOC", {-1, 1, 0x50}, FAILS(JPEG_SOI), 0},
    {"SIZ", "SIZ", {-3, 1, 0x52}, FAILS(JPEG_SOI), 0},
    {"SIZ", "Lsiz", {L, 2, 0}, FAILS(J2K_LENGTH), 0},
    {"SIZ", "Lsiz", {L, 2, 1}, FAILS(J2K_LENGTH), 0},
    {"SIZ", "Lsiz", {L, 2, 37}, FAILS(J2K_LENGTH), 0},
    {"SIZ", "Lsiz", {L, 2, 46}, FAILS(J2K_LENGTH), 0},
    {"SIZ", "Lsiz", {L, 2, 48}, FAILS(J2K_LENGTH), 0},
    {"SIZ", "Lsiz", {L, 2, 65535}, FAILS(TRUNCATED), 0},
    {"SIZ", "Rsiz", {0, 2, 0x4000}, OPENS(KST_OK), 0},
    {"SIZ", "Rsiz", {0, 2, 0x7FFF}, OPENS(KST_OK), 0},
    {"SIZ", "Rsiz", {0, 2, 0x8000}, FAILS(J2K_EXTENSION), 0},
    {"SIZ", "Rsiz", {0, 2, 0xFFFF}, FAILS(J2K_EXTENSION), 0},
    {"SIZ", "Xsiz", {2, 4, 0}, FAILS(J2K_DIMENSIONS), 0},
    {"SIZ", "Xsiz", {2, 4, 1}, OPENS(SOME), 0},
    {"SIZ", "Xsiz", {2, 4, 16 * 32767}, OPENS(KST_WARNING_J2K_TILE_MISSING), 0},
    {"SIZ", "Xsiz", {2, 4, 16 * 32767 + 1}, FAILS(J2K_TILES), 0},
    {"SIZ", "Xsiz", {2, 4, 1 << 25}, FAILS(J2K_TILES), 0},
    {"SIZ", "Xsiz", {2, 4, (1 << 25) + 1}, FAILS(LIMIT_PIXELS), 0},
    {"SIZ", "Xsiz", {2, 4, UINT32_MAX}, FAILS(LIMIT_PIXELS), 0},
    {"SIZ", "Ysiz", {6, 4, 0}, FAILS(J2K_DIMENSIONS), 0},
    {"SIZ", "Ysiz", {6, 4, 1}, OPENS(SOME), 0},
    {"SIZ", "Ysiz", {6, 4, 8 * 65535}, OPENS(KST_WARNING_J2K_TILE_MISSING), 0},
    {"SIZ", "Ysiz", {6, 4, 8 * 65535 + 1}, FAILS(J2K_TILES), 0},
    {"SIZ", "Ysiz", {6, 4, UINT32_MAX}, FAILS(LIMIT_PIXELS), 0},
    {"SIZ", "XOsiz", {10, 4, 15}, OPENS(SOME), 0},
    {"SIZ", "XOsiz", {10, 4, 16}, FAILS(J2K_DIMENSIONS), 0},
    {"SIZ", "XOsiz", {10, 4, UINT32_MAX}, FAILS(J2K_DIMENSIONS), 0},
    {"SIZ", "YOsiz", {14, 4, 7}, OPENS(SOME), 0},
    {"SIZ", "YOsiz", {14, 4, 8}, FAILS(J2K_DIMENSIONS), 0}, /* the first tile ends there */
    {"SIZ", "YOsiz", {14, 4, UINT32_MAX}, FAILS(J2K_DIMENSIONS), 0},
    {"SIZ", "XTsiz", {18, 4, 0}, FAILS(J2K_DIMENSIONS), 0},
    {"SIZ", "XTsiz", {18, 4, 1}, OPENS(SOME), 0},
    {"SIZ", "XTsiz", {18, 4, UINT32_MAX}, OPENS(SOME), 0},
    {"SIZ", "YTsiz", {22, 4, 0}, FAILS(J2K_DIMENSIONS), 0},
    {"SIZ", "YTsiz", {22, 4, 1}, OPENS(SOME), 0},
    {"SIZ", "YTsiz", {22, 4, UINT32_MAX}, OPENS(SOME), 0},
    {"SIZ", "XTOsiz", {26, 4, 1}, FAILS(J2K_DIMENSIONS), 0},
    {"SIZ", "XTOsiz", {26, 4, UINT32_MAX}, FAILS(J2K_DIMENSIONS), 0},
    {"SIZ", "YTOsiz", {30, 4, 1}, FAILS(J2K_DIMENSIONS), 0},
    {"SIZ", "YTOsiz", {30, 4, UINT32_MAX}, FAILS(J2K_DIMENSIONS), 0},
    {"SIZ", "Csiz", {34, 2, 0}, FAILS(J2K_COMPONENTS), 0},
    {"SIZ", "Csiz", {34, 2, 2}, FAILS(J2K_LENGTH), 0},
    {"SIZ", "Csiz", {34, 2, 4}, FAILS(J2K_LENGTH), 0},
    {"SIZ", "Csiz", {34, 2, 16384}, FAILS(J2K_LENGTH), 0},
    {"SIZ", "Csiz", {34, 2, 16385}, FAILS(J2K_COMPONENTS), 0},
    {"SIZ", "Csiz", {34, 2, 65535}, FAILS(J2K_COMPONENTS), 0},
    {"SIZ", "Ssiz", {36, 1, 0}, OPENS(KST_OK), 0},
    {"SIZ", "Ssiz", {36, 1, 37}, OPENS(SOME), 0},
    {"SIZ", "Ssiz", {36, 1, 38}, FAILS(J2K_DEPTH), 0},
    {"SIZ", "Ssiz", {36, 1, 127}, FAILS(J2K_DEPTH), 0},
    {"SIZ", "Ssiz", {36, 1, 0x80}, OPENS(KST_OK), 0},
    {"SIZ", "Ssiz", {36, 1, 0x80 | 37}, OPENS(SOME), 0},
    {"SIZ", "Ssiz", {36, 1, 255}, FAILS(J2K_DEPTH), 0},
    {"SIZ", "XRsiz", {37, 1, 0}, FAILS(J2K_SAMPLING), 0},
    {"SIZ", "XRsiz", {37, 1, 255}, OPENS(SOME), 0},
    {"SIZ", "YRsiz", {38, 1, 0}, FAILS(J2K_SAMPLING), 0},
    {"SIZ", "YRsiz", {38, 1, 255}, OPENS(SOME), 0},
    {"COD", "Lcod", {L, 2, 0}, FAILS(J2K_LENGTH), 0},
    {"COD", "Lcod", {L, 2, 1}, FAILS(J2K_LENGTH), 0},
    {"COD", "Lcod", {L, 2, 2}, FAILS(J2K_LENGTH), 0},
    {"COD", "Lcod", {L, 2, 13}, FAILS(J2K_LENGTH), 0},
    {"COD", "Lcod", {L, 2, 15}, FAILS(J2K_LENGTH), 0},
    {"COD", "Lcod", {L, 2, 65535}, FAILS(TRUNCATED), 0},
    {"COD", "Scod", {0, 1, 0}, FAILS(J2K_LENGTH), 0},           /* the sizes of precincts are left */
    {"COD", "Scod", {0, 1, 1}, OPENS(KST_WARNING_J2K_LEFT), 0}, /* its EPH are bytes of bodies now */
    {"COD", "Scod", {0, 1, 8}, FAILS(J2K_CODING), 0},
    {"COD", "Scod", {0, 1, 255}, FAILS(J2K_CODING), 0},
    {"COD", "progression", {1, 1, 4}, OPENS(KST_OK), 0},
    {"COD", "progression", {1, 1, 5}, FAILS(J2K_CODING), 0},
    {"COD", "progression", {1, 1, 255}, FAILS(J2K_CODING), 0},
    {"COD", "layers", {2, 2, 0}, FAILS(J2K_CODING), 0},
    {"COD", "layers", {2, 2, 65535}, OPENS(KST_OK), 0},
    {"COD", "component transform", {4, 1, 1}, OPENS(KST_OK), 0},
    {"COD", "component transform", {4, 1, 2}, FAILS(J2K_CODING), 0},
    {"COD", "component transform", {4, 1, 255}, FAILS(J2K_CODING), 0},
    {"COD", "levels", {5, 1, 0}, FAILS(J2K_LENGTH), 0}, /* a precinct too many */
    {"COD", "levels", {5, 1, 2}, FAILS(J2K_LENGTH), 0}, /* one too few */
    {"COD", "levels", {5, 1, 32}, FAILS(J2K_LENGTH), 0},
    {"COD", "levels", {5, 1, 33}, FAILS(J2K_CODING), 0},
    {"COD", "levels", {5, 1, 255}, FAILS(J2K_CODING), 0},
    {"COD", "xcb", {6, 1, 8}, OPENS(KST_OK), 0},
    {"COD", "xcb", {6, 1, 9}, FAILS(J2K_CODING), 0},
    {"COD", "xcb", {6, 1, 16}, FAILS(J2K_CODING), 0},
    {"COD", "xcb", {6, 1, 255}, FAILS(J2K_CODING), 0},
    {"COD", "ycb", {7, 1, 8}, OPENS(KST_OK), 0},
    {"COD", "ycb", {7, 1, 9}, FAILS(J2K_CODING), 0},
    {"COD", "ycb", {7, 1, 255}, FAILS(J2K_CODING), 0},
    {"COD", "xcb and ycb", {6, 2, 0x0404}, OPENS(KST_OK), 0},
    {"COD", "xcb and ycb", {6, 2, 0x0504}, FAILS(J2K_CODING), 0}, /* more than 4,096 samples */
    {"COD", "xcb and ycb", {6, 2, 0x0808}, FAILS(J2K_CODING), 0},
    {"COD", "style", {8, 1, 0x3F}, OPENS(KST_OK), 0},
    {"COD", "style", {8, 1, 0x40}, OPENS(KST_OK), 0},
    {"COD", "style", {8, 1, 0x44}, FAILS(J2K_CODING), 0},
    {"COD", "style", {8, 1, 0x80}, FAILS(J2K_CODING), 0},
    {"COD", "style", {8, 1, 255}, OPENS(KST_OK), 0},
    {"COD", "transform", {9, 1, 0}, OPENS(KST_OK), 0},
    {"COD", "transform", {9, 1, 2}, FAILS(J2K_CODING), 0},
    {"COD", "transform", {9, 1, 255}, FAILS(J2K_CODING), 0},
    {"COD", "precinct of r = 0", {10, 1, 0}, OPENS(SOME), 0},
    {"COD", "precinct of r = 0", {10, 1, 255}, OPENS(KST_OK), 0},
    {"COD", "precinct of r = 1", {11, 1, 0x04}, FAILS(J2K_CODING), 0},
    {"COD", "precinct of r = 1", {11, 1, 0x40}, FAILS(J2K_CODING), 0},
    {"COD", "precinct of r = 1", {11, 1, 0x11}, OPENS(SOME), 0},
    {"COD", "precinct of r = 1", {11, 1, 255}, OPENS(KST_OK), 0},
    {"COC", "Lcoc", {L, 2, 0}, FAILS(J2K_LENGTH), 0},
    {"COC", "Lcoc", {L, 2, 1}, FAILS(J2K_LENGTH), 0},
    {"COC", "Lcoc", {L, 2, 2}, FAILS(J2K_LENGTH), 0},
    {"COC", "Lcoc", {L, 2, 3}, FAILS(J2K_LENGTH), 0},
    {"COC", "Lcoc", {L, 2, 10}, FAILS(J2K_LENGTH), 0},
    {"COC", "Lcoc", {L, 2, 12}, FAILS(J2K_LENGTH), 0},
    {"COC", "Lcoc", {L, 2, 65535}, FAILS(TRUNCATED), 0},
    {"COC", "Ccoc", {0, 1, 2}, OPENS(KST_OK), 0},
    {"COC", "Ccoc", {0, 1, 3}, FAILS(J2K_COMPONENT), 0},
    {"COC", "Ccoc", {0, 1, 255}, FAILS(J2K_COMPONENT), 0},
    {"COC", "Scoc", {1, 1, 0}, FAILS(J2K_LENGTH), 0},
    {"COC", "Scoc", {1, 1, 2}, FAILS(J2K_CODING), 0},
    {"COC", "Scoc", {1, 1, 255}, FAILS(J2K_CODING), 0},
    {"COC", "levels", {2, 1, 0}, FAILS(J2K_LENGTH), 0},
    {"COC", "levels", {2, 1, 32}, FAILS(J2K_LENGTH), 0},
    {"COC", "levels", {2, 1, 33}, FAILS(J2K_CODING), 0},
    {"COC", "xcb", {3, 1, 8}, OPENS(KST_OK), 0},
    {"COC", "xcb", {3, 1, 9}, FAILS(J2K_CODING), 0},
    {"COC", "ycb", {4, 1, 9}, FAILS(J2K_CODING), 0},
    {"COC", "style", {5, 1, 0x3F}, OPENS(KST_OK), 0},
    {"COC", "style", {5, 1, 0x40}, OPENS(KST_OK), 0},
    {"COC", "style", {5, 1, 0x80}, FAILS(J2K_CODING), 0},
    {"COC", "transform", {6, 1, 0}, OPENS(KST_OK), 0},
    {"COC", "transform", {6, 1, 2}, FAILS(J2K_CODING), 0},
    {"COC", "precinct of r = 1", {8, 1, 0x0F}, FAILS(J2K_CODING), 0},
    {"QCD", "Lqcd", {L, 2, 0}, FAILS(J2K_LENGTH), 0},
    {"QCD", "Lqcd", {L, 2, 2}, FAILS(J2K_LENGTH), 0},
    {"QCD", "Lqcd", {L, 2, 3}, FAILS(J2K_LENGTH), 0},
    {"QCD", "Lqcd", {L, 2, 65535}, FAILS(TRUNCATED), 0},
    {"QCD", "style", {0, 1, 0x41}, FAILS(J2K_LENGTH), 0},                 /* derived, but of four bytes */
    {"QCD", "style", {0, 1, 0x42}, OPENS(KST_ERROR_J2K_QUANTISATION), 0}, /* two steps for four subbands */
    {"QCD", "style", {0, 1, 0x43}, FAILS(J2K_QUANTISATION), 0},
    {"QCD", "style", {0, 1, 0x5F}, FAILS(J2K_QUANTISATION), 0},
    {"QCD", "guard bits", {0, 1, 0}, OPENS(KST_OK), 0},
    {"QCD", "guard bits", {0, 1, 0xE0}, OPENS(KST_OK), 0},
    {"QCD", "exponents", {1, 4, 0}, OPENS(KST_OK), 0},
    {"QCD", "exponents", {1, 4, UINT32_MAX}, OPENS(KST_OK), 0},
    {"QCC", "Lqcc", {L, 2, 0}, FAILS(J2K_LENGTH), 0},
    {"QCC", "Lqcc", {L, 2, 3}, FAILS(J2K_LENGTH), 0},
    {"QCC", "Cqcc", {0, 1, 3}, FAILS(J2K_COMPONENT), 0},
    {"QCC", "Cqcc", {0, 1, 255}, FAILS(J2K_COMPONENT), 0},
    {"QCC", "style", {1, 1, 0x42}, OPENS(KST_ERROR_J2K_QUANTISATION), 0},
    {"QCC", "style", {1, 1, 0x43}, FAILS(J2K_QUANTISATION), 0},
    {"QCC", "guard bits", {1, 1, 0xE0}, OPENS(KST_OK), 0},
    {"QCC", "exponents", {2, 4, UINT32_MAX}, OPENS(KST_OK), 0},
    {"RGN", "Lrgn", {L, 2, 0}, FAILS(J2K_LENGTH), 0},
    {"RGN", "Lrgn", {L, 2, 4}, FAILS(J2K_LENGTH), 0},
    {"RGN", "Lrgn", {L, 2, 6}, FAILS(J2K_LENGTH), 0},
    {"RGN", "Crgn", {0, 1, 2}, OPENS(KST_OK), 0},
    {"RGN", "Crgn", {0, 1, 3}, FAILS(J2K_COMPONENT), 0},
    {"RGN", "Crgn", {0, 1, 255}, FAILS(J2K_COMPONENT), 0},
    {"RGN", "Srgn", {1, 1, 1}, FAILS(J2K_ROI), 0},
    {"RGN", "Srgn", {1, 1, 255}, FAILS(J2K_ROI), 0},
    {"RGN", "SPrgn", {2, 1, 0}, OPENS(KST_OK), 0},
    {"RGN", "SPrgn", {2, 1, 37}, OPENS(KST_OK), 0},
    {"RGN", "SPrgn", {2, 1, 38}, FAILS(J2K_ROI), 0},
    {"RGN", "SPrgn", {2, 1, 255}, FAILS(J2K_ROI), 0},
    {"POC", "Lpoc", {L, 2, 0}, FAILS(J2K_LENGTH), 0},
    {"POC", "Lpoc", {L, 2, 2}, FAILS(J2K_LENGTH), 0},
    {"POC", "Lpoc", {L, 2, 8}, FAILS(J2K_LENGTH), 0},
    {"POC", "Lpoc", {L, 2, 10}, FAILS(J2K_LENGTH), 0},
    {"POC", "RSpoc", {0, 1, 2}, FAILS(J2K_PROGRESSION), 0},
    {"POC", "RSpoc", {0, 1, 255}, FAILS(J2K_PROGRESSION), 0},
    {"POC", "CSpoc", {1, 1, 2}, OPENS(SOME), 0},
    {"POC", "CSpoc", {1, 1, 3}, FAILS(J2K_PROGRESSION), 0},
    {"POC", "CSpoc", {1, 1, 255}, FAILS(J2K_PROGRESSION), 0},
    {"POC", "LYEpoc", {2, 2, 0}, FAILS(J2K_PROGRESSION), 0},
    {"POC", "LYEpoc", {2, 2, 65535}, OPENS(KST_OK), 0},
    {"POC", "REpoc", {4, 1, 0}, FAILS(J2K_PROGRESSION), 0},
    {"POC", "REpoc", {4, 1, 255}, OPENS(KST_OK), 0},
    {"POC", "CEpoc", {5, 1, 0}, OPENS(KST_OK), 0}, /* all */
    {"POC", "CEpoc", {5, 1, 255}, OPENS(KST_OK), 0},
    {"POC", "Ppoc", {6, 1, 4}, OPENS(KST_OK), 0},
    {"POC", "Ppoc", {6, 1, 5}, FAILS(J2K_PROGRESSION), 0},
    {"POC", "Ppoc", {6, 1, 255}, FAILS(J2K_PROGRESSION), 0},
    {"TLM", "Ltlm", {L, 2, 0}, FAILS(J2K_LENGTH), 0},
    {"TLM", "Ltlm", {L, 2, 2}, FAILS(J2K_MARKER), 0}, /* what follows it is none */
    {"TLM", "Ltlm", {L, 2, 65535}, FAILS(TRUNCATED), 0},
    {"TLM", "Ztlm", {0, 1, 255}, OPENS(KST_OK), 0},
    {"TLM", "Stlm", {1, 1, 0}, OPENS(KST_OK), 0},
    {"TLM", "Stlm", {1, 1, 0x70}, OPENS(KST_OK), 0},
    {"TLM", "Stlm", {1, 1, 255}, OPENS(KST_OK), 0},
    {"TLM", "Ttlm", {2, 1, 255}, OPENS(KST_OK), 0},
    {"TLM", "Ptlm", {3, 3, 0}, OPENS(KST_OK), 0},
    {"TLM", "Ptlm", {3, 3, 0xFFFFFF}, OPENS(KST_OK), 0},
    {"PLM", "Lplm", {L, 2, 1}, FAILS(J2K_LENGTH), 0},
    {"PLM", "Zplm", {0, 1, 255}, OPENS(KST_OK), 0},
    {"PLM", "Nplm", {1, 1, 0}, OPENS(KST_WARNING_J2K_LENGTHS), 0},
    {"PLM", "Nplm", {1, 1, 255}, OPENS(KST_WARNING_J2K_LENGTHS), 0},
    {"PLM", "Iplm", {2, 2, 0xFFFF}, OPENS(KST_OK), 0},
    {"CRG", "Lcrg", {L, 2, 0}, FAILS(J2K_LENGTH), 0},
    {"CRG", "Lcrg", {L, 2, 13}, FAILS(J2K_MARKER), 0},
    {"CRG", "Xcrg", {0, 2, 65535}, OPENS(KST_OK), 0},
    {"CRG", "Ycrg", {2, 2, 65535}, OPENS(KST_OK), 0},
    {"COM", "Lcom", {L, 2, 1}, FAILS(J2K_LENGTH), 0},
    {"COM", "Lcom", {L, 2, 2}, FAILS(J2K_MARKER), 0},
    {"COM", "Rcom", {0, 2, 0}, OPENS(KST_OK), 0},
    {"COM", "Rcom", {0, 2, 65535}, OPENS(KST_OK), 0},
    {"unknown", "marker SOC", {-3, 1, 0x4F}, FAILS(J2K_MARKER), 0},
    {"unknown", "marker SIZ", {-3, 1, 0x51}, FAILS(J2K_MARKER), 0},
    {"unknown", "marker COD", {-3, 1, 0x52}, FAILS(J2K_MARKER), 0},
    {"unknown", "marker QCD", {-3, 1, 0x5C}, FAILS(J2K_MARKER), 0},
    {"unknown", "marker PLT", {-3, 1, 0x58}, FAILS(J2K_MARKER), 0},
    {"unknown", "marker PPT", {-3, 1, 0x61}, FAILS(J2K_MARKER), 0},
    {"unknown", "marker SOP", {-3, 1, 0x91}, FAILS(J2K_MARKER), 0},
    {"unknown", "marker EPH", {-3, 1, 0x92}, FAILS(J2K_MARKER), 0},
    {"unknown", "marker SOD", {-3, 1, 0x93}, FAILS(J2K_MARKER), 0},
    {"unknown", "marker EOC", {-3, 1, 0xD9}, FAILS(J2K_MARKER), 0},
    {"unknown", "no marker", {-4, 1, 0x7F}, FAILS(J2K_MARKER), 0},
    {"unknown", "marker 0xFF00", {-3, 1, 0}, FAILS(J2K_MARKER), 0},
    {"unknown", "marker 0xFF2F", {-3, 1, 0x2F}, FAILS(J2K_MARKER), 0},
    {"unknown", "marker 0xFF30", {-3, 1, 0x30}, FAILS(J2K_MARKER), 0}, /* without a length, so that none follows */
    {"unknown", "marker 0xFFFF", {-3, 1, 0xFF}, OPENS(KST_OK), 0},
    {"unknown", "length", {L, 2, 0}, FAILS(J2K_LENGTH), 0},
    {"unknown", "length", {L, 2, 65535}, FAILS(TRUNCATED), 0},
};

static const struct row tile_rows[] = {
    {"SOT", "Lsot", {L, 2, 0}, FAILS(J2K_NO_TILE), 0},
    {"SOT", "Lsot", {L, 2, 9}, FAILS(J2K_NO_TILE), 0},
    {"SOT", "Lsot", {L, 2, 11}, FAILS(J2K_NO_TILE), 0},
    {"SOT", "Lsot", {L, 2, 65535}, FAILS(J2K_NO_TILE), 0},
    {"SOT", "Lsot", {L, 2, 11}, OPENS(KST_WARNING_J2K_TILE_PART), 1},
    {"SOT", "Isot", {0, 2, 1}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOT", "Isot", {0, 2, 2}, FAILS(J2K_NO_TILE), 0},
    {"SOT", "Isot", {0, 2, 65535}, FAILS(J2K_NO_TILE), 0},
    {"SOT", "Isot", {0, 2, 2}, OPENS(KST_WARNING_J2K_TILE_PART), 1},
    {"SOT", "Psot", {2, 4, 0}, OPENS(SOME), 0}, /* up to EOC: the second tile's packets are the first's */
    {"SOT", "Psot", {2, 4, 0}, OPENS(KST_OK), 1},
    {"SOT", "Psot", {2, 4, 1}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOT", "Psot", {2, 4, 11}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOT", "Psot", {2, 4, 13}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOT", "Psot", {2, 4, 14}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOT", "Psot", {2, 4, 0x7FFFFFFF}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOT", "Psot", {2, 4, UINT32_MAX}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOT", "TPsot", {6, 1, 1}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOT", "TPsot", {6, 1, 254}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOT", "TPsot", {6, 1, 255}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOT", "TNsot", {7, 1, 0}, OPENS(KST_OK), 0},
    {"SOT", "TNsot", {7, 1, 2}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOT", "TNsot", {7, 1, 255}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"PLT", "Lplt", {L, 2, 0}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"PLT", "Lplt", {L, 2, 1}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"PLT", "Lplt", {L, 2, 2}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"PLT", "Lplt", {L, 2, 65535}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"PLT", "Zplt", {0, 1, 255}, OPENS(KST_OK), 0},
    {"PLT", "Iplt", {1, 4, 0}, OPENS(KST_OK), 0},
    {"PLT", "Iplt", {1, 4, UINT32_MAX}, OPENS(KST_OK), 0},
    {"PLT", "marker SOT", {-3, 1, 0x90}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"PLT", "marker COD", {-3, 1, 0x52}, OPENS(KST_WARNING_J2K_TILE_HEADER), 0},
    {"PLT", "marker POC", {-3, 1, 0x5F}, OPENS(KST_WARNING_J2K_TILE_HEADER), 0},
    {"PLT", "marker QCD", {-3, 1, 0x5C}, OPENS(KST_OK), 0}, /* exponents of 1 */
    {"SOD", "marker EOC", {-1, 1, 0xD9}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOD", "no marker", {-2, 1, 0}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"SOP", "Lsop", {L, 2, 0}, OPENS(KST_WARNING_J2K_SOP), 0},
    {"SOP", "Lsop", {L, 2, 65535}, OPENS(KST_WARNING_J2K_SOP), 3},
    {"SOP", "Nsop", {0, 2, 1}, OPENS(KST_WARNING_J2K_SOP), 0},
    {"SOP", "Nsop", {0, 2, 65535}, OPENS(KST_WARNING_J2K_SOP), 3},
    {"EPH", "none", {-2, 2, 0}, OPENS(KST_WARNING_J2K_PACKET), 0},
    {"EOC", "none", {-2, 2, 0}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
};

static const struct row ppm_rows[] = {
    {"PPM", "Lppm", {L, 2, 0}, FAILS(J2K_LENGTH), 0}, {"PPM", "Lppm", {L, 2, 2}, FAILS(J2K_LENGTH), 0}, /* no Zppm */
    {"PPM", "Lppm", {L, 2, 65535}, FAILS(TRUNCATED), 0}, {"PPM", "Zppm", {0, 1, 2}, OPENS(KST_OK), 1},
    {"PPM", "Zppm", {0, 1, 255}, OPENS(KST_OK), 1}, {"PPM", "Zppm", {0, 1, 0}, FAILS(J2K_PACKED_HEADERS), 1},
    {"PPM", "Nppm", {1, 4, 0}, OPENS(SOME), 0}, {"PPM", "Nppm", {1, 4, 1}, OPENS(SOME), 0},
    {"PPM", "Nppm", {1, 4, 19}, OPENS(KST_WARNING_J2K_TILE_PART), 1},
    {"PPM", "Nppm", {1, 4, UINT32_MAX}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"PLT", "marker PPT", {-3, 1, 0x61}, OPENS(KST_WARNING_J2K_TILE_HEADER), 0}, /* one or the other (A.7.4) */
};

static const struct row ppt_rows[] = {
    {"PPT", "Lppt", {L, 2, 0}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"PPT", "Lppt", {L, 2, 2}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"PPT", "Lppt", {L, 2, 65535}, OPENS(KST_WARNING_J2K_TILE_PART), 0},
    {"PPT", "Zppt", {0, 1, 255}, OPENS(KST_OK), 1},
    {"PPT", "Zppt", {0, 1, 0}, OPENS(KST_WARNING_J2K_TILE_HEADER), 1},
};

static const struct row box_rows[] = {
    {"jP  ", "LBox", {BOX, 4, 13}, FAILS(JPEG_SOI), 0},
    {"jP  ", "signature", {0, 4, 0}, FAILS(JPEG_SOI), 0},
    {"ftyp", "LBox", {BOX, 4, 0}, FAILS(J2K_NO_CODESTREAM), 0}, /* all that is left */
    {"ftyp", "LBox", {BOX, 4, 1}, FAILS(J2K_NO_CODESTREAM), 0}, /* XLBox is the brand */
    {"ftyp", "LBox", {BOX, 4, 2}, FAILS(J2K_NO_CODESTREAM), 0},
    {"ftyp", "LBox", {BOX, 4, 7}, FAILS(J2K_NO_CODESTREAM), 0},
    {"ftyp", "LBox", {BOX, 4, UINT32_MAX}, FAILS(J2K_NO_CODESTREAM), 0},
    {"ftyp", "BR", {0, 4, 0}, OPENS(KST_OK), 0},
    {"ftyp", "MinV", {4, 4, UINT32_MAX}, OPENS(KST_OK), 0},
    {"ftyp", "CL", {8, 4, 0}, OPENS(KST_OK), 0},
    {"jp2h", "LBox", {BOX, 4, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"jp2h", "LBox", {BOX, 4, 7}, FAILS(J2K_NO_CODESTREAM), 0},
    {"jp2h", "LBox", {BOX, 4, UINT32_MAX}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "LBox", {BOX, 4, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "LBox", {BOX, 4, 1}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "LBox", {BOX, 4, 21}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "LBox", {BOX, 4, UINT32_MAX}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "HEIGHT", {0, 4, 0}, OPENS(KST_WARNING_J2K_BOX), 0}, /* not what SIZ says, as the following */
    {"ihdr", "HEIGHT", {0, 4, UINT32_MAX}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "WIDTH", {4, 4, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "WIDTH", {4, 4, UINT32_MAX}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "NC", {8, 2, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "NC", {8, 2, 65535}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "BPC", {10, 1, 7}, OPENS(KST_OK), 0},
    {"ihdr", "BPC", {10, 1, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "BPC", {10, 1, 0x87}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "C", {11, 1, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "C", {11, 1, 255}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"ihdr", "UnkC", {12, 1, 255}, OPENS(KST_OK), 0},
    {"ihdr", "IPR", {13, 1, 255}, OPENS(KST_OK), 0},
    {"bpcc", "LBox", {BOX, 4, 8}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"bpcc", "LBox", {BOX, 4, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"bpcc", "BPC", {0, 1, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"bpcc", "BPC", {2, 1, 255}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"colr", "LBox", {BOX, 4, 8}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"colr", "LBox", {BOX, 4, 0}, OPENS(KST_OK), 0},
    {"colr", "METH", {0, 1, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"colr", "METH", {0, 1, 2}, OPENS(KST_OK), 0},
    {"colr", "METH", {0, 1, 4}, OPENS(KST_OK), 0},
    {"colr", "METH", {0, 1, 255}, OPENS(KST_OK), 0},
    {"colr", "PREC", {1, 1, 255}, OPENS(KST_OK), 0},
    {"colr", "APPROX", {2, 1, 255}, OPENS(KST_OK), 0},
    {"colr", "EnumCS", {3, 4, 0}, OPENS(KST_OK), 0},
    {"colr", "EnumCS", {3, 4, 12}, OPENS(KST_OK), 0},
    {"colr", "EnumCS", {3, 4, 18}, OPENS(KST_OK), 0},
    {"colr", "EnumCS", {3, 4, UINT32_MAX}, OPENS(KST_OK), 0},
    {"pclr", "LBox", {BOX, 4, 8}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"pclr", "LBox", {BOX, 4, 13}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"pclr", "NE", {0, 2, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"pclr", "NE", {0, 2, 1}, OPENS(KST_OK), 0},
    {"pclr", "NE", {0, 2, 3}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"pclr", "NE", {0, 2, 1025}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"pclr", "NE", {0, 2, 65535}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"pclr", "NPC", {2, 1, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"pclr", "NPC", {2, 1, 255}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"pclr", "B", {3, 1, 0}, OPENS(KST_OK), 0},
    {"pclr", "B", {3, 1, 0x87}, OPENS(KST_OK), 0},
    {"pclr", "B", {3, 1, 8}, OPENS(KST_WARNING_J2K_BOX), 0}, /* two bytes each */
    {"pclr", "B", {3, 1, 38}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"pclr", "B", {3, 1, 255}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cmap", "LBox", {BOX, 4, 8}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cmap", "LBox", {BOX, 4, 19}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cmap", "CMP", {0, 2, 3}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cmap", "CMP", {0, 2, 65535}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cmap", "MTYP", {2, 1, 2}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cmap", "MTYP", {2, 1, 255}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cmap", "PCOL", {11, 1, 1}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cmap", "PCOL", {11, 1, 255}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cdef", "LBox", {BOX, 4, 8}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cdef", "N", {0, 2, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cdef", "N", {0, 2, 2}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cdef", "N", {0, 2, 65535}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cdef", "Cn", {2, 2, 3}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cdef", "Cn", {2, 2, 65535}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"cdef", "Typ", {4, 2, 1}, OPENS(KST_OK), 0},
    {"cdef", "Typ", {4, 2, 65535}, OPENS(KST_OK), 0},
    {"cdef", "Asoc", {6, 2, 0}, OPENS(KST_OK), 0},
    {"cdef", "Asoc", {6, 2, 65535}, OPENS(KST_OK), 0},
    {"res ", "LBox", {BOX, 4, 8}, OPENS(SOME), 0},
    {"res ", "LBox", {BOX, 4, 7}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"resc", "LBox", {BOX, 4, 17}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"resc", "VRcN", {0, 2, 0}, OPENS(KST_OK), 0},
    {"resc", "VRcN", {0, 2, 65535}, OPENS(KST_OK), 0},
    {"resc", "VRcD", {2, 2, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"resc", "HRcD", {6, 2, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"resc", "HRcD", {6, 2, 65535}, OPENS(KST_OK), 0},
    {"resc", "VRcE", {8, 1, 0x80}, OPENS(KST_OK), 0},
    {"resd", "VRdD", {2, 2, 0}, OPENS(KST_WARNING_J2K_BOX), 0},
    {"resd", "HRdE", {9, 1, 0x7F}, OPENS(KST_OK), 0},
    {"xml ", "LBox", {BOX, 4, 8}, FAILS(J2K_NO_CODESTREAM), 0},
    {"xml ", "LBox", {BOX, 4, 1}, FAILS(J2K_NO_CODESTREAM), 0},
    {"uuid", "LBox", {BOX, 4, 9}, FAILS(J2K_NO_CODESTREAM), 0},
    {"uuid", "LBox", {BOX, 4, UINT32_MAX}, FAILS(J2K_NO_CODESTREAM), 0},
    {"what", "LBox", {BOX, 4, 0}, FAILS(J2K_NO_CODESTREAM), 0},
    {"jp2c", "LBox", {BOX, 4, 0}, OPENS(KST_OK), 0},
    {"jp2c", "LBox", {BOX, 4, 8}, FAILS(J2K_NO_CODESTREAM), 0},
    {"jp2c", "LBox", {BOX, 4, 12}, FAILS(TRUNCATED), 0},
    {"jp2c", "LBox", {BOX, 4, UINT32_MAX}, OPENS(KST_WARNING_J2K_TRUNCATED), 0},
};

static uint32_t complaints; /* each row is checked, so that one run reports all of them */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); /* other programs on the machine do not count */
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void apply(struct anatomy *a, const struct row *row)
{
    size_t at = anatomy_find(a, row->part, row->number)->offset + (size_t)row->change.at;
    for (uint32_t i = 0; i < row->change.bytes; i++)
        a->bytes.data[at + i] = (uint8_t)(row->change.value >> 8 * (row->change.bytes - 1U - i));
}

static const char *describe(const struct row *row, char text[96])
{
    snprintf(text, 96, "%s %s = %lu", row->part, row->field, (unsigned long)row->change.value);
    return text;
}

/* Every element that the stream has; their number is bounded. */
static void tell(kst_decoder *decoder)
{
    kst_element element;
    memset(&element, 0, sizeof element);
    element.size = sizeof element;
    for (uint32_t i = 0; i < 10000; i++)
        if (!kst_decoder_next_element(decoder, &element))
            return;
    fail_msg("elements without end");
}

#define complain(...) (print_error(__VA_ARGS__), print_error("\n"), complaints++)

/* Check the offset of an error: in the part, or behind it if something is missing there. */
static bool is_inside(const struct row *row, const struct anatomy *a, uint64_t offset)
{
    const struct anatomy_part *part = anatomy_find(a, row->part, row->number);
    if (row->opened == KST_ERROR_JPEG_SOI)
        return offset <= part->offset;
    bool missing = row->opened == KST_ERROR_J2K_NO_CODESTREAM || row->opened == KST_ERROR_TRUNCATED;
    return offset + 8 >= part->offset && (missing || offset <= part->offset + part->length);
}

static void check_open(const struct row *row, const struct anatomy *a, const char *name)
{
    kst_decoder *decoder = NULL;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    kst_status status = kst_decoder_open(decoder, a->bytes.data, a->bytes.length);
    const kst_report *report = kst_decoder_report(decoder);
    if (status != row->opened || report->status != status)
        complain("%s: opening gives %s: %s", name, kst_status_name(status), report->message);
    if (status && !is_inside(row, a, report->offset))
        complain("%s: %s", name, report->message);
    if (!status)
        tell(decoder);
    kst_decoder_destroy(&decoder);
}

static void check_decoded(const struct row *row, const struct anatomy *a, const char *name)
{
    kst_decode_options options;
    kst_image image;
    kst_report report;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    kst_image_init(&image);
    kst_report_init(&report);
    kst_status status = kst_decode(context, a->bytes.data, a->bytes.length, &options, &image, &report);
    kst_status found = status ? status : report.first_warning;
    if ((int)row->decoded != SOME && found != row->decoded)
        complain("%s: decoding gives %s, not %s: %s", name, kst_status_name(found), kst_status_name(row->decoded),
            report.message);
    kst_image_release(context, &image);
    options.format = KST_FORMAT_AUTO; /* with palettes and colours */
    if (!kst_decode(context, a->bytes.data, a->bytes.length, &options, &image, NULL))
        kst_image_release(context, &image);
}

static void check_transcoded(const struct anatomy *a, const char *name)
{
    kst_buffer buffer = {0};
    kst_transcode_options options;
    kst_report report;
    kst_transcode_options_init(&options);
    kst_report_init(&report);
    kst_status status = kst_transcode(context, a->bytes.data, a->bytes.length, &options, &buffer, &report);
    if (status != report.status || !status != !!buffer.data)
        complain("%s: transcoding gives %s", name, report.message);
    kst_buffer_release(context, &buffer);
}

static void check(enum anatomy_kind kind, const struct row *row)
{
    struct anatomy a;
    char name[96];
    anatomy_make(&a, kind);
    apply(&a, row);
    describe(row, name);
    double start = seconds();
    check_open(row, &a, name);
    if (!row->opened)
        check_decoded(row, &a, name);
    check_transcoded(&a, name);
    if (seconds() - start > (SANITIZED ? 8.0 : 2.0))
        complain("%s: %.2f seconds", name, seconds() - start);
    bytes_free(&a.bytes);
}

static void check_all(enum anatomy_kind kind, const struct row *rows, size_t count)
{
    const struct row nothing = {.part = "SIZ", .field = "nothing"};
    complaints = 0;
    check(kind, &nothing);
    for (size_t i = 0; i < count; i++)
        check(kind, &rows[i]);
    assert_int_equal(complaints, 0);
}

static void main_header(void **state)
{
    (void)state;
    check_all(ANATOMY_PLAIN, main_rows, COUNT(main_rows));
}

static void tile_headers(void **state)
{
    (void)state;
    check_all(ANATOMY_PLAIN, tile_rows, COUNT(tile_rows));
}

static void packed_headers(void **state)
{
    (void)state;
    check_all(ANATOMY_PPM, ppm_rows, COUNT(ppm_rows));
    check_all(ANATOMY_PPT, ppt_rows, COUNT(ppt_rows));
}

static void boxes(void **state)
{
    (void)state;
    check_all(ANATOMY_FILE, box_rows, COUNT(box_rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(main_header),
        cmocka_unit_test(tile_headers),
        cmocka_unit_test(packed_headers),
        cmocka_unit_test(boxes),
    };
    return run_with_context(1, tests, NULL, NULL);
}
