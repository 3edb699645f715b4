/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes some code-blocks of a batch on the CPU while a GPU decodes the others (j2k/plan/given.h). */
#ifndef KOSTKA_J2K_CPU_GIVEN_H
#define KOSTKA_J2K_CPU_GIVEN_H

#include "j2k/plan/given.h"

j2k_decode_given kst_j2k_cpu_decode_given;

#endif
