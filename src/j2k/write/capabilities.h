/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the marker segments that say what a decoder must know beyond T.800: CAP and CPF (T.814 A.3 and A.6). */
#ifndef KOSTKA_J2K_WRITE_CAPABILITIES_H
#define KOSTKA_J2K_WRITE_CAPABILITIES_H

#include "core/sink.h"
#include "j2k/write/coded.h"

enum {
    J2K_RSIZ_CAP = 0x4000,  /* there is CAP */
    J2K_RSIZ_MULTI = 0x8100 /* T.801: extensions, which are a multiple component transform */
};

/* Return whether any tile-component has code-blocks of T.814. */
bool kst_j2k_coded_has_ht(const struct j2k_coded *coded);

/* Write CAP and, if Rsiz would name a profile were it not for T.814, CPF. The image must have its code-blocks. */
void kst_j2k_put_capabilities(struct sink *sink, const struct j2k_coded *coded);

#endif
