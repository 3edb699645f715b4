/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the tables of tier-1 coding (T.800 Annexes C and D). */
#include "j2k/tables/contexts.h"
#include "j2k/tables/mq.h"
#include "kernels/portable.h"

/* context_tables.h takes words of portable.h. */
#include "j2k/kernels/context_tables.h"

/* The states of the MQ coder, indexed by 2 × row + the more probable symbol. */
SPREAD_TABLE u32 mq_rows[J2K_MQ_STATES] = {J2K_MQ_TABLE(J2K_MQ_ROWS)};
