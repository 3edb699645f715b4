/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the fields of CAP: the bit of Pcap for T.814, and the bits of its word Ccap15 (T.814 A.3). */
#ifndef KOSTKA_J2K_SYNTAX_CCAP_H
#define KOSTKA_J2K_SYNTAX_CCAP_H

#include <stdint.h>

enum {
    J2K_PCAP_HT = 0x00020000,       /* there is Ccap15 */
    J2K_CCAP_ABOVE_HT = 18,         /* bits of Pcap from this one on belong to words in front of Ccap15 */
    J2K_CCAP_KIND = 14,             /* lowest of the two bits with an enum j2k_ccap_kind */
    J2K_CCAP_SEVERAL = 0x2000,      /* MULTIHT: a code-block may have several HT sets */
    J2K_CCAP_REGIONS = 0x1000,      /* RGN: there may be regions of interest */
    J2K_CCAP_PARTS = 0x0800,        /* HETEROGENEOUS: headers of tile-parts may have parameters */
    J2K_CCAP_RESERVED = 0x07C0,     /* these bits are 0 */
    J2K_CCAP_IRREVERSIBLE = 0x0020, /* HTIRV: HT code-blocks may go with the irreversible transform */
    J2K_CCAP_BOUND = 0x001F         /* the parameter P of the magnitude bound */
};

/* Lists which code-blocks are those of T.814. */
enum j2k_ccap_kind {
    J2K_CCAP_ALL = 0,      /* HTONLY: all of them */
    J2K_CCAP_DECLARED = 2, /* HTDECLARED: all or none of a tile-component */
    J2K_CCAP_MIXED = 3     /* MIXED: some of a tile-component */
};

/* Return the most bits of a magnitude that a cleanup pass may code, for a parameter P of 0–31 (T.814 Table A.3). */
static inline uint32_t j2k_ccap_bound(uint32_t parameter)
{
    return parameter == 0 ? 8 : parameter < 20 ? parameter + 8 : parameter < 31 ? 4 * (parameter - 19) + 27 : 74;
}

/* Return the parameter P for a bound, or for the next greater one that there is. */
static inline uint32_t j2k_ccap_parameter(uint32_t bound)
{
    if (bound <= 8)
        return 0;
    if (bound <= 27)
        return bound - 8;
    return bound <= 71 ? 19 + (bound - 27 + 3) / 4 : 31;
}

#endif
