/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how far from their references T.803 allows decoded samples to be. */
#ifndef KOSTKA_TESTS_SUPPORT_J2K_TOLERANCES_H
#define KOSTKA_TESTS_SUPPORT_J2K_TOLERANCES_H

#include <stdint.h>

enum {
    J2K_CLASS_0_COMPONENT = -1, /* component 0 before the component transform is undone */
    J2K_ALL_COMPONENTS = -2,
    J2K_CLASS_1 = 29, /* rows of the tables */
    J2K_CLASS_0 = 16,
    J2K_LOSSLESS = 8
};

struct j2k_tolerance {
    const char *stream, *reference; /* files of the corpus's folders "streams" and "references" */
    int component;                  /* or one of the values above */
    uint8_t reduce;                 /* number of resolution levels to leave out */
    uint32_t peak;
    double mse;
};

extern const struct j2k_tolerance j2k_class_1[J2K_CLASS_1], j2k_class_0[J2K_CLASS_0];

/* T.803 has no table for these streams, which are lossless. */
extern const struct j2k_tolerance j2k_lossless[J2K_LOSSLESS];

/* Read a row "STREAM REFERENCE COMPONENT REDUCE PEAK MSE". The row is cut into strings, to which the result points. */
struct j2k_tolerance j2k_tolerance_of(char *row);

#endif
