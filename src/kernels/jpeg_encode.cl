/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoding of sequential JPEG pictures. */
#include "jpeg_encode_tile.h"
#include "jpeg_encode_samples.h"
#include "jpeg_encode_blocks.h"
#include "jpeg_encode_code.h"
#include "jpeg_encode_stream.h"
