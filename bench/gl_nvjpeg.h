/* SPDX-License-Identifier: BSD-2-Clause */
/* nvJPEG next to OpenGL, to measure against: found at run time, on CUDA's first device. */
#ifndef KOSTKA_BENCH_GL_NVJPEG_H
#define KOSTKA_BENCH_GL_NVJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False where nvJPEG, or CUDA's driver, is not there. Within an OpenGL context on the same device. */
bool nvjpeg_start(void);

/* Have CUDA know a buffer object that pixels of three channels without padding are to go to. */
bool nvjpeg_bind(unsigned buffer);
void nvjpeg_unbind(void);

/* Decode to it. What OpenGL is told afterwards comes after it. */
bool nvjpeg_decode(const uint8_t *data, size_t length, int width);

#endif
