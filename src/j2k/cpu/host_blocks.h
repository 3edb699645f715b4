/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes some code-blocks of a batch on the CPU while a GPU decodes the others (j2k/plan/host_blocks.h). */
#ifndef KOSTKA_J2K_CPU_HOST_BLOCKS_H
#define KOSTKA_J2K_CPU_HOST_BLOCKS_H

#include "j2k/plan/host_blocks.h"

j2k_decode_host_blocks kst_j2k_cpu_decode_host_blocks;

#endif
