/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the module that decodes JPEG 2000: its kernels, in the order in which they run. */
#include "kernels/portable.h"

#include "j2k/kernels/gather.h"
#include "j2k/kernels/waves.h"
#include "j2k/kernels/blocks.h"
#include "j2k/kernels/store.h"
#include "j2k/kernels/ht_quads.h"
#include "j2k/kernels/ht_samples.h"
#include "j2k/kernels/ht_refine.h"
#include "j2k/kernels/host_blocks.h"
#include "j2k/kernels/levels.h"
#include "j2k/kernels/output.h"
#include "j2k/kernels/finish.h"
#include "j2k/kernels/columns.h"
#include "j2k/kernels/stages.h"
#include "j2k/kernels/convert.h"
