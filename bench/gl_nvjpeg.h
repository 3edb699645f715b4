/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes with nvJPEG next to OpenGL, for comparison. It is found at run time, and works on CUDA's first device. */
#ifndef KOSTKA_BENCH_GL_NVJPEG_H
#define KOSTKA_BENCH_GL_NVJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Start nvJPEG; an OpenGL context on the same device must be current. Returns false if nvJPEG or CUDA's driver is not
 * installed.
 */
bool nvjpeg_start(void);

/* Register a buffer object with CUDA, for pixels of three channels without padding. */
bool nvjpeg_bind(unsigned buffer);
void nvjpeg_unbind(void);

/* Decode to the registered buffer, before any OpenGL command that follows. */
bool nvjpeg_decode(const uint8_t *data, size_t length, int width);

#endif
