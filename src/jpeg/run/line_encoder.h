/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the encoding of a JPEG file while the picture's lines arrive. */
#ifndef KOSTKA_JPEG_RUN_LINE_ENCODER_H
#define KOSTKA_JPEG_RUN_LINE_ENCODER_H

#include "run/line_encoder.h"

extern const struct line_encoding kst_jpeg_run_encoded_lines;

#endif
