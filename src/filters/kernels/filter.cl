/* SPDX-License-Identifier: BSD-2-Clause */
/* Includes all kernels of the program that filters images. */
#include "kernels/portable.h"

#include "filters/kernels/points.h"
#include "filters/kernels/equalise.h"
#include "filters/kernels/blur.h"
#include "filters/kernels/bilateral.h"
#include "filters/kernels/median.h"
#include "filters/kernels/gradient.h"
#include "filters/kernels/canny.h"
#include "filters/kernels/warp.h"
#include "filters/kernels/colours.h"
#include "filters/kernels/histogram.h"
#include "filters/kernels/oil.h"
#include "filters/kernels/cartoon.h"
#include "filters/kernels/painterly.h"
#include "filters/kernels/stereo.h"
#include "filters/kernels/sweep.h"
