/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands for the header of UltraGrid with this name. */
#include "ultragrid.h"
