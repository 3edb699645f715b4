/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the module that encodes JPEG 2000: its kernels, in the order in which they run. */
#include "kernels/portable.h"

#include "j2k/kernels/intake.h"
#include "j2k/kernels/analyse_columns.h"
#include "j2k/kernels/analyse.h"
#include "j2k/kernels/begin.h"
#include "j2k/kernels/survey.h"
#include "j2k/kernels/segments.h"
#include "j2k/kernels/order.h"
#include "j2k/kernels/ht_code.h"
#include "j2k/kernels/ht_code_refine.h"
#include "j2k/kernels/ht_count.h"
#include "j2k/kernels/collect.h"
#include "j2k/kernels/assemble.h"
#include "j2k/kernels/packets.h"
