/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes a JPEG stream in a kst_info. */
#ifndef KOSTKA_JPEG_RUN_INFO_H
#define KOSTKA_JPEG_RUN_INFO_H

#include "jpeg/syntax/parse.h"

/* Describe a parsed stream. */
void kst_jpeg_run_info(const struct jpeg_stream *stream, int orientation, kst_info *info);

#endif
