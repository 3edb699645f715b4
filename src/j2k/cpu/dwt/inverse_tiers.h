/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the functions that fill the table of inverse.h for the x86-64 tiers. */
#ifndef KOSTKA_J2K_CPU_DWT_INVERSE_TIERS_H
#define KOSTKA_J2K_CPU_DWT_INVERSE_TIERS_H

#include "j2k/cpu/dwt/inverse.h"

#if defined(__x86_64__)
void kst_j2k_cpu_inverse_avx2(struct j2k_inverse *inverse);
void kst_j2k_cpu_inverse_avx512(struct j2k_inverse *inverse);
#endif

#endif
