/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks whether a handle is a CUDA stream, because the driver dereferences any handle without checking it
 * (cuStreamGetCtx()).
 */
#ifndef KOSTKA_DEVICE_CUDA_STREAM_H
#define KOSTKA_DEVICE_CUDA_STREAM_H

#include <stdbool.h>

#include "device/cuda/driver.h"

/*
 * Return whether a stream is alive: false if it was destroyed, was never made, or belongs to another context. `own` is
 * a live stream of `context`, by which the layout of the driver's records is found. If the records are not laid out as
 * expected, the result is true for every handle.
 */
bool kst_cuda_stream_lives(cu_stream stream, cu_stream own, cu_context context);

#endif
