/* SPDX-License-Identifier: BSD-2-Clause */
/* The pixel layouts as a list: what is written once for all of them is expanded from it. */
#ifndef KOSTKA_JPEG_CPU_DSP_LAYOUTS_H
#define KOSTKA_JPEG_CPU_DSP_LAYOUTS_H

/* X(name, LAYOUT, bytes of a pixel, offset of red in it, of blue); green is at 1, alpha at 3. */
#define FOR_EACH_LAYOUT(X)                                                                                             \
    X(rgb, RGB, 3, 0, 2)                                                                                               \
    X(bgr, BGR, 3, 2, 0)                                                                                               \
    X(rgba, RGBA, 4, 0, 2)                                                                                             \
    X(bgra, BGRA, 4, 2, 0)

#endif
