/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the program that decodes sequential JPEG pictures, with its kernels in the order in which they run. */
#include "kernels/portable.h"

#include "jpeg/kernels/maps.h"
#include "jpeg/kernels/chain.h"
#include "jpeg/kernels/entropy.h"
#include "jpeg/kernels/transform.h"
#include "jpeg/kernels/tiles.h"
#include "jpeg/kernels/pixels.h"
#include "jpeg/kernels/turn.h"
