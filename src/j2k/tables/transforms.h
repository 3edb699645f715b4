/* SPDX-License-Identifier: BSD-2-Clause */
/* States the factors of the 9/7 filter and of the irreversible component transform, in single and double precision. */
#ifndef KOSTKA_J2K_TABLES_TRANSFORMS_H
#define KOSTKA_J2K_TABLES_TRANSFORMS_H

/* The literal of a factor in single precision. */
#define J2K_SINGLE(x) J2K_SINGLE_OF(x)
#define J2K_SINGLE_OF(x) x##F

/* The lifting parameters of Table F.4, and K of F.3.8.2 and F.4.8.2. */
#define J2K_ALPHA 1.586134342059924 /* negative in the table */
#define J2K_BETA 0.052980118572961  /* negative in the table */
#define J2K_GAMMA 0.882911075530934
#define J2K_DELTA 0.443506852043971
#define J2K_K 1.230174104914001

#define J2K_DWT_ALPHA (-J2K_SINGLE(J2K_ALPHA))
#define J2K_DWT_BETA (-J2K_SINGLE(J2K_BETA))
#define J2K_DWT_GAMMA J2K_SINGLE(J2K_GAMMA)
#define J2K_DWT_DELTA J2K_SINGLE(J2K_DELTA)
#define J2K_DWT_SCALE J2K_SINGLE(J2K_K)
/* 1 ÷ K, divided in single precision: not all compilers of kernels round a division. */
#define J2K_DWT_INVERSE_SCALE 0x1.a03386p-1F

/* The forward transform of G.3.1: the factors of red, green and blue in Y; those in Cb and Cr that are not a half. */
#define J2K_ICT_Y_RED 0.299F
#define J2K_ICT_Y_GREEN 0.587F
#define J2K_ICT_Y_BLUE 0.114F
#define J2K_ICT_CB_RED 0.16875F
#define J2K_ICT_CB_GREEN 0.33126F
#define J2K_ICT_CR_GREEN 0.41869F
#define J2K_ICT_CR_BLUE 0.08131F

/* The inverse transform of G.3.2: the factors of Cr in red, of Cb and Cr in green, and of Cb in blue. */
#define J2K_ICT_RED_CR 1.402
#define J2K_ICT_GREEN_CB 0.34413
#define J2K_ICT_GREEN_CR 0.71414
#define J2K_ICT_BLUE_CB 1.772

/* The factors of sYCC (IEC 61966-2-1 Annex F) with 16 fraction bits: of Cr in red, and so on. */
#define J2K_SYCC_RED_CR 91881
#define J2K_SYCC_GREEN_CB 22554 /* subtracted */
#define J2K_SYCC_GREEN_CR 46802 /* subtracted */
#define J2K_SYCC_BLUE_CB 116130

#endif
