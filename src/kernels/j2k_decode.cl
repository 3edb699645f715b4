/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding of JPEG 2000: the kernels in the order in which they run. */
#include "portable.h"

#include "j2k_gather.h"
#include "j2k_waves.h"
#include "j2k_blocks.h"
#include "j2k_store.h"
#include "j2k_given.h"
#include "j2k_levels.h"
#include "j2k_output.h"
#include "j2k_finish.h"
#include "j2k_convert.h"
