/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses how much to copy, so that measuring takes no longer on a slow device than on a fast one. */
#include "print/copies.h"

enum { LEAST = 4 << 20, MOST = 64 /* MOST: in units of LEAST */ };

kst_status copies_measure(kst_context *context, size_t *length, kst_copy_times *times)
{
    const double most = 0.25;
    kst_device_info info = {.size = sizeof info};

    kst_context_device(context, &info);
    *length = LEAST;
    kst_status status = kst_measure_copies(context, LEAST, 1, times);
    double round = times->up + times->down + times->up_pageable + times->down_pageable + times->across;
    double fit = !status && round > 0 ? most / ((COPIES_COUNT + 1) * round) : 1;
    double room = (double)info.memory / 64 / LEAST;
    fit = !info.gpu ? 1 : fit > room ? room : fit;
    *length *= fit < 1 ? 1 : fit > MOST ? MOST : (size_t)fit;
    return status ? status : kst_measure_copies(context, *length, COPIES_COUNT, times);
}
