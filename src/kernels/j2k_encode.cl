/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding of JPEG 2000: the kernels in the order in which they run. */
#include "portable.h"

#include "j2k_intake.h"
#include "j2k_analyse.h"
#include "j2k_survey.h"
#include "j2k_segments.h"
#include "j2k_order.h"
#include "j2k_collect.h"
