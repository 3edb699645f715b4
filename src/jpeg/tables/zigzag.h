/* SPDX-License-Identifier: BSD-2-Clause */
/* States the zig-zag order (T.81 Figure A.6). */
#ifndef KOSTKA_JPEG_TABLES_ZIGZAG_H
#define KOSTKA_JPEG_TABLES_ZIGZAG_H

/* Expands to f(raster index) of each coefficient, in zig-zag order. */
#define JPEG_ZIGZAG(f)                                                                                                 \
    f(0), f(1), f(8), f(16), f(9), f(2), f(3), f(10), f(17), f(24), f(32), f(25), f(18), f(11), f(4), f(5), f(12),     \
        f(19), f(26), f(33), f(40), f(48), f(41), f(34), f(27), f(20), f(13), f(6), f(7), f(14), f(21), f(28), f(35),  \
        f(42), f(49), f(56), f(57), f(50), f(43), f(36), f(29), f(22), f(15), f(23), f(30), f(37), f(44), f(51),       \
        f(58), f(59), f(52), f(45), f(38), f(31), f(39), f(46), f(53), f(60), f(61), f(54), f(47), f(55), f(62), f(63)

#endif
