/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the table of MQ coder states (T.800 Table C.2), shared by kernels and the CPU; it needs only the
 * preprocessor.
 */
#ifndef KOSTKA_J2K_TABLES_MQ_H
#define KOSTKA_J2K_TABLES_MQ_H

/*
 * A row of Table C.2 in 32 bits: Qe in bits 16–31, the state that follows a less probable symbol in bits 8–14, the
 * state that follows a more probable symbol with renormalisation in bits 1–7, and the more probable symbol in bit 0.
 * States are numbered 2 × row + the more probable symbol; a switch of the symbol's sense is included in the number of
 * the following state.
 */
#define J2K_MQ_ROW(estimate, more, less, change, symbol)                                                               \
    (65536u * (estimate) + 256u * (2u * (less) + ((symbol) ^ (change))) + 2u * (2u * (more) + (symbol)) + (symbol))
#define J2K_MQ_ROWS(row, estimate, more, less, change)                                                                 \
    J2K_MQ_ROW(estimate, more, less, change, 0u), J2K_MQ_ROW(estimate, more, less, change, 1u),

/*
 * Each row: its number, Qe, the rows after a more and after a less probable symbol, and whether the sense is switched.
 */
#define J2K_MQ_TABLE(F)                                                                                                \
    F(0, 0x5601, 1, 1, 1)                                                                                              \
    F(1, 0x3401, 2, 6, 0)                                                                                              \
    F(2, 0x1801, 3, 9, 0)                                                                                              \
    F(3, 0x0AC1, 4, 12, 0)                                                                                             \
    F(4, 0x0521, 5, 29, 0)                                                                                             \
    F(5, 0x0221, 38, 33, 0)                                                                                            \
    F(6, 0x5601, 7, 6, 1)                                                                                              \
    F(7, 0x5401, 8, 14, 0)                                                                                             \
    F(8, 0x4801, 9, 14, 0)                                                                                             \
    F(9, 0x3801, 10, 14, 0)                                                                                            \
    F(10, 0x3001, 11, 17, 0)                                                                                           \
    F(11, 0x2401, 12, 18, 0)                                                                                           \
    F(12, 0x1C01, 13, 20, 0)                                                                                           \
    F(13, 0x1601, 29, 21, 0)                                                                                           \
    F(14, 0x5601, 15, 14, 1)                                                                                           \
    F(15, 0x5401, 16, 14, 0)                                                                                           \
    F(16, 0x5101, 17, 15, 0)                                                                                           \
    F(17, 0x4801, 18, 16, 0)                                                                                           \
    F(18, 0x3801, 19, 17, 0)                                                                                           \
    F(19, 0x3401, 20, 18, 0)                                                                                           \
    F(20, 0x3001, 21, 19, 0)                                                                                           \
    F(21, 0x2801, 22, 19, 0)                                                                                           \
    F(22, 0x2401, 23, 20, 0)                                                                                           \
    F(23, 0x2201, 24, 21, 0)                                                                                           \
    F(24, 0x1C01, 25, 22, 0)                                                                                           \
    F(25, 0x1801, 26, 23, 0)                                                                                           \
    F(26, 0x1601, 27, 24, 0)                                                                                           \
    F(27, 0x1401, 28, 25, 0)                                                                                           \
    F(28, 0x1201, 29, 26, 0)                                                                                           \
    F(29, 0x1101, 30, 27, 0)                                                                                           \
    F(30, 0x0AC1, 31, 28, 0)                                                                                           \
    F(31, 0x09C1, 32, 29, 0)                                                                                           \
    F(32, 0x08A1, 33, 30, 0)                                                                                           \
    F(33, 0x0521, 34, 31, 0)                                                                                           \
    F(34, 0x0441, 35, 32, 0)                                                                                           \
    F(35, 0x02A1, 36, 33, 0)                                                                                           \
    F(36, 0x0221, 37, 34, 0)                                                                                           \
    F(37, 0x0141, 38, 35, 0)                                                                                           \
    F(38, 0x0111, 39, 36, 0)                                                                                           \
    F(39, 0x0085, 40, 37, 0)                                                                                           \
    F(40, 0x0049, 41, 38, 0)                                                                                           \
    F(41, 0x0025, 42, 39, 0)                                                                                           \
    F(42, 0x0015, 43, 40, 0)                                                                                           \
    F(43, 0x0009, 44, 41, 0)                                                                                           \
    F(44, 0x0005, 45, 42, 0)                                                                                           \
    F(45, 0x0001, 45, 43, 0)                                                                                           \
    F(46, 0x5601, 46, 46, 0)

#endif
