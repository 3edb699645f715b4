/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a handle is a stream's: cuStreamGetCtx() itself follows whatever it is given. */
#ifndef KOSTKA_DEVICE_CUDA_STREAM_H
#define KOSTKA_DEVICE_CUDA_STREAM_H

#include <stdbool.h>

#include "device/cuda/driver.h"

/*
 * False for one that was destroyed, that was never made, or that is of another context. `own` is a stream of `context`
 * that lives, by which the driver's records are read. Where those are not as known, true for every handle.
 */
bool kst_cuda_stream_lives(cu_stream stream, cu_stream own, cu_context context);

#endif
