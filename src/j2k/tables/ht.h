/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * States the numbers of T.814's block coder: its limits, the exponents of the MEL coder, and the code of u. C, CUDA and
 * OpenCL read it; the codes of quads are in ht_vlc.h.
 */
#ifndef KOSTKA_J2K_TABLES_HT_H
#define KOSTKA_J2K_TABLES_HT_H

enum {
    J2K_HT_MEL_STATES = 13,
    J2K_HT_SUFFIX_LEAST = 2, /* fewest and most bytes of MEL and VLC together, Scup (7.1.1) */
    J2K_HT_SUFFIX_MOST = 4079,
    J2K_HT_CLEANUP_MOST = 65534,   /* most bytes of a cleanup segment, Lcup */
    J2K_HT_REFINEMENT_MOST = 2046, /* most bytes of SigProp and MagRef together, Lref */
    J2K_HT_U_EXTENDED = 28         /* suffixes from this one on have an extension (7.3.6) */
};

/*
 * Lists are arguments of a macro that the including code chooses, because OpenCL has no macros with a variable number
 * of arguments: kernels pack a list into a word, C makes an array of it.
 */
#define J2K_HT_LIST_8(a, b, c, d, e, f, g, h) a, b, c, d, e, f, g, h
#define J2K_HT_LIST_13(a, b, c, d, e, f, g, h, i, j, k, l, m) a, b, c, d, e, f, g, h, i, j, k, l, m

/* The exponents of the MEL coder's states, from state 0 on (Table 2 of T.814). */
#define J2K_HT_MEL_EXPONENTS_IN(form) form(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5)
#define J2K_HT_MEL_EXPONENTS J2K_HT_MEL_EXPONENTS_IN(J2K_HT_LIST_13)

/*
 * The prefixes of u, indexed by the next three bits of VLC, whose lowest bit came first (Table 3 of T.814). An entry
 * holds the prefix's length in bits 0–1, the suffix's length in bits 2–4, and from bit 5 on the value that the suffix
 * is added to. A suffix of 5 bits whose value is J2K_HT_U_EXTENDED or more is followed by 4 bits; 4 times their value
 * is added.
 */
#define J2K_HT_U_PREFIX(length, suffix, value) ((length) | (suffix) << 2 | (value) << 5)
#define J2K_HT_U_PREFIXES_IN(form)                                                                                     \
    form(J2K_HT_U_PREFIX(3, 5, 5), J2K_HT_U_PREFIX(1, 0, 1), J2K_HT_U_PREFIX(2, 0, 2), J2K_HT_U_PREFIX(1, 0, 1),       \
        J2K_HT_U_PREFIX(3, 1, 3), J2K_HT_U_PREFIX(1, 0, 1), J2K_HT_U_PREFIX(2, 0, 2), J2K_HT_U_PREFIX(1, 0, 1))
#define J2K_HT_U_PREFIXES J2K_HT_U_PREFIXES_IN(J2K_HT_LIST_8)

/*
 * The fields of an entry of ht_vlc.h. Samples of a quad have bit 0 at the top left, 1 below it, 2 at the top right and
 * 3 below that one.
 */
#define J2K_HT_VLC_LENGTH(entry) ((entry)&7u)        /* bits of the codeword, 1–7 */
#define J2K_HT_VLC_OFFSET(entry) ((entry) >> 3 & 1u) /* u_off: a code of u follows */
#define J2K_HT_VLC_RHO(entry) ((entry) >> 4 & 15u)   /* which samples are significant */
#define J2K_HT_VLC_ONE(entry) ((entry) >> 8 & 15u)   /* e_1, inside e_k: the bits that e_k leaves out of MagSgn */
#define J2K_HT_VLC_KNOWN(entry) ((entry) >> 12)      /* e_k, inside rho */

#endif
