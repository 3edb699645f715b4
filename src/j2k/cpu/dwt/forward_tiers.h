/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the functions that fill the table of forward.h for the x86-64 tiers. */
#ifndef KOSTKA_J2K_CPU_DWT_FORWARD_TIERS_H
#define KOSTKA_J2K_CPU_DWT_FORWARD_TIERS_H

#include "j2k/cpu/dwt/forward.h"

#if defined(__x86_64__)
void kst_j2k_cpu_forward_avx2(struct j2k_forward *forward);
void kst_j2k_cpu_forward_avx512(struct j2k_forward *forward);
#endif

#endif
