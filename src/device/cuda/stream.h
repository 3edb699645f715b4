/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks whether a handle is a CUDA stream, because the driver follows whatever it is passed (cuStreamGetCtx()). */
#ifndef KOSTKA_DEVICE_CUDA_STREAM_H
#define KOSTKA_DEVICE_CUDA_STREAM_H

#include <stdbool.h>

#include "device/cuda/driver.h"

/*
 * Returns false for a stream that was destroyed, that was never made, or that is of another context. `own` is a live
 * stream of `context`, by which the layout of the driver's records is found. If they are not laid out as expected, the
 * result is true for every handle.
 */
bool kst_cuda_stream_lives(cu_stream stream, cu_stream own, cu_context context);

#endif
