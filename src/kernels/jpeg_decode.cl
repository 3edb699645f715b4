/* SPDX-License-Identifier: BSD-2-Clause */
/* Decoding of sequential JPEG pictures: the kernels in the order in which they run. */
#include "jpeg_maps.h"
#include "jpeg_chain.h"
#include "jpeg_entropy.h"
#include "jpeg_transform.h"
#include "jpeg_tiles.h"
#include "jpeg_pixels.h"
#include "jpeg_turn.h"
