/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_CPU_J2K_GIVEN_H
#define KOSTKA_CPU_J2K_GIVEN_H

#include "j2k/given.h"

j2k_decode_given kst_j2k_cpu_decode_given;

#endif
