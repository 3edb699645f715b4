/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the pixel layouts; code that is the same for all of them is expanded from this list. */
#ifndef KOSTKA_JPEG_CPU_DSP_LAYOUTS_H
#define KOSTKA_JPEG_CPU_DSP_LAYOUTS_H

/* X(name, LAYOUT, bytes per pixel, offset of red, offset of blue); green is at offset 1, alpha at offset 3. */
#define FOR_EACH_LAYOUT(X)                                                                                             \
    X(rgb, RGB, 3, 0, 2)                                                                                               \
    X(bgr, BGR, 3, 2, 0)                                                                                               \
    X(rgba, RGBA, 4, 0, 2)                                                                                             \
    X(bgra, BGRA, 4, 2, 0)

#endif
