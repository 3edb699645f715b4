/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares 'kostka filter stereo', the filter of two pictures. */
#ifndef KOSTKA_TOOL_STEREO_H
#define KOSTKA_TOOL_STEREO_H

#include "tool.h"

/* Read options and operands, and match two pictures; argv[0] is "stereo". Returns the exit code. */
int stereo_run(int argc, char **argv);

#endif
