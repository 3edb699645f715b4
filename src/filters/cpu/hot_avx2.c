/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiles the loops of filters for AVX2. */
#define TIER(name) name##_avx2
#include "filters/cpu/hot_template.h"
