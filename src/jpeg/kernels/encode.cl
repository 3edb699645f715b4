/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the program that encodes sequential JPEG pictures. */
#include "kernels/portable.h"

#include "jpeg/kernels/encode_tile.h"
#include "jpeg/kernels/encode_samples.h"
#include "jpeg/kernels/encode_blocks.h"
#include "jpeg/kernels/encode_code.h"
#include "jpeg/kernels/encode_stream.h"
