/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how JPEG is decoded line by line while its bytes arrive. */
#ifndef KOSTKA_JPEG_RUN_LINES_H
#define KOSTKA_JPEG_RUN_LINES_H

#include "run/lines.h"

extern const struct line_decoding kst_jpeg_run_lines;

#endif
