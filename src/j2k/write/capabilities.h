/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the marker segments that describe what a decoder must support beyond T.800: CAP and CPF (T.814 A.3 and A.6).
 */
#ifndef KOSTKA_J2K_WRITE_CAPABILITIES_H
#define KOSTKA_J2K_WRITE_CAPABILITIES_H

#include "core/sink.h"
#include "j2k/write/coded.h"

enum {
    J2K_RSIZ_CAP = 0x4000,  /* there is CAP */
    J2K_RSIZ_MULTI = 0x8100 /* the extensions of T.801 are used, namely a multiple component transform */
};

/* Return whether any tile-component has T.814 code-blocks. */
bool kst_j2k_coded_has_ht(const struct j2k_coded *coded);

/*
 * Write CAP and, if Rsiz would name a profile without T.814, CPF. The image's code-blocks must have been laid out.
 * `packed` says whether packet headers are in those of tile-parts (PPT).
 */
void kst_j2k_put_capabilities(struct sink *sink, const struct j2k_coded *coded, bool packed);

#endif
