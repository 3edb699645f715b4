/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares 'kostka filter sweep', the filter of pictures with their cameras. */
#ifndef KOSTKA_TOOL_SWEEP_H
#define KOSTKA_TOOL_SWEEP_H

#include "tool.h"

/* Read options and operands, and find depths; argv[0] is "sweep". Returns the exit code. */
int sweep_run(int argc, char **argv);

#endif
