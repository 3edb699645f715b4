/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the tolerances of T.803, and reads rows of its tables. */
#include <stdlib.h>
#include <string.h>

#include "support/j2k/tolerances.h"
#include "support/test.h"

const struct j2k_tolerance j2k_class_1[J2K_CLASS_1] = {
    {"p0_01.j2k", "c1p0_01_0.pgx", 0, 0, 0, 0},
    {"p0_02.j2k", "c1p0_02_0.pgx", 0, 0, 0, 0},
    {"p0_03.j2k", "c1p0_03_0.pgx", 0, 0, 0, 0},
    {"p0_04.j2k", "c1p0_04_0.pgx", 0, 0, 5, 0.776},
    {"p0_04.j2k", "c1p0_04_1.pgx", 1, 0, 4, 0.626},
    {"p0_04.j2k", "c1p0_04_2.pgx", 2, 0, 6, 1.070},
    {"p0_06.j2k", "c1p0_06_0.pgx", 0, 0, 635, 11287},
    {"p0_06.j2k", "c1p0_06_1.pgx", 1, 0, 403, 6124},
    {"p0_06.j2k", "c1p0_06_2.pgx", 2, 0, 378, 3968},
    {"p0_06.j2k", "c1p0_06_3.pgx", 3, 0, 0, 0},
    {"p0_09.j2k", "c1p0_09_0.pgx", 0, 0, 0, 0},
    {"p0_10.j2k", "c1p0_10_0.pgx", 0, 0, 0, 0},
    {"p0_10.j2k", "c1p0_10_1.pgx", 1, 0, 0, 0},
    {"p0_10.j2k", "c1p0_10_2.pgx", 2, 0, 0, 0},
    {"p0_12.j2k", "c1p0_12_0.pgx", 0, 0, 0, 0},
    {"p0_14.j2k", "c1p0_14_0.pgx", 0, 0, 0, 0},
    {"p0_14.j2k", "c1p0_14_1.pgx", 1, 0, 0, 0},
    {"p0_14.j2k", "c1p0_14_2.pgx", 2, 0, 0, 0},
    {"p0_15.j2k", "c1p0_15_0.pgx", 0, 0, 0, 0},
    {"p1_01.j2k", "c1p1_01_0.pgx", 0, 0, 0, 0},
    {"p1_03.j2k", "c1p1_03_0.pgx", 0, 0, 2, 0.311},
    {"p1_03.j2k", "c1p1_03_1.pgx", 1, 0, 2, 0.280},
    {"p1_03.j2k", "c1p1_03_2.pgx", 2, 0, 1, 0.267},
    {"p1_03.j2k", "c1p1_03_3.pgx", 3, 0, 0, 0},
    {"p1_05.j2k", "c1p1_05_0.pgx", 0, 0, 40, 8.458},
    {"p1_05.j2k", "c1p1_05_1.pgx", 1, 0, 40, 9.816},
    {"p1_05.j2k", "c1p1_05_2.pgx", 2, 0, 40, 10.154},
    {"p1_07.j2k", "c1p1_07_0.pgx", 0, 0, 0, 0},
    {"p1_07.j2k", "c1p1_07_1.pgx", 1, 0, 0, 0},
};

const struct j2k_tolerance j2k_class_0[J2K_CLASS_0] = {
    {"p0_01.j2k", "c0p0_01.pgx", J2K_CLASS_0_COMPONENT, 0, 0, 0},
    {"p0_02.j2k", "c0p0_02.pgx", J2K_CLASS_0_COMPONENT, 0, 0, 0},
    {"p0_03.j2k", "c0p0_03r0.pgx", J2K_CLASS_0_COMPONENT, 0, 0, 0},
    {"p0_03.j2k", "c0p0_03r1.pgx", J2K_CLASS_0_COMPONENT, 1, 0, 0},
    {"p0_04.j2k", "c0p0_04.pgx", J2K_CLASS_0_COMPONENT, 3, 33, 55.8},
    {"p0_06.j2k", "c0p0_06.pgx", J2K_CLASS_0_COMPONENT, 3, 109, 743},
    {"p0_09.j2k", "c0p0_09.pgx", J2K_CLASS_0_COMPONENT, 2, 4, 1.47},
    {"p0_10.j2k", "c0p0_10.pgx", J2K_CLASS_0_COMPONENT, 0, 10, 2.84},
    {"p0_12.j2k", "c0p0_12.pgx", J2K_CLASS_0_COMPONENT, 0, 0, 0},
    {"p0_14.j2k", "c0p0_14.pgx", J2K_CLASS_0_COMPONENT, 2, 0, 0},
    {"p0_15.j2k", "c0p0_15r0.pgx", J2K_CLASS_0_COMPONENT, 0, 0, 0},
    {"p0_15.j2k", "c0p0_15r1.pgx", J2K_CLASS_0_COMPONENT, 1, 0, 0},
    {"p1_01.j2k", "c0p1_01.pgx", J2K_CLASS_0_COMPONENT, 0, 0, 0},
    {"p1_03.j2k", "c0p1_03.pgx", J2K_CLASS_0_COMPONENT, 3, 28, 18.8},
    {"p1_05.j2k", "c0p1_05.pgx", J2K_CLASS_0_COMPONENT, 4, 128, 16384},
    {"p1_07.j2k", "c0p1_07.pgx", J2K_CLASS_0_COMPONENT, 0, 0, 0},
};

const struct j2k_tolerance j2k_lossless[J2K_LOSSLESS] = {
    {"a1_mono.j2c", "a1_mono.ppm", J2K_ALL_COMPONENTS, 0, 0, 0},
    {"a3_mono.j2c", "a3_mono.ppm", J2K_ALL_COMPONENTS, 0, 0, 0},
    {"b1_mono.j2c", "b1_mono.ppm", J2K_ALL_COMPONENTS, 0, 0, 0},
    {"d1_colr.j2c", "d1_colr.ppm", J2K_ALL_COMPONENTS, 0, 0, 0},
    {"e1_colr.j2c", "e1_colr.ppm", J2K_ALL_COMPONENTS, 0, 0, 0},
    {"f1_mono.j2c", "f1_mono.ppm", J2K_ALL_COMPONENTS, 0, 0, 0},
    {"g1_colr.j2c", "g1_colr.ppm", J2K_ALL_COMPONENTS, 0, 0, 0},
    {"g2_colr.j2c", "g2_colr.ppm", J2K_ALL_COMPONENTS, 0, 0, 0},
};

static const char *word_of(char **row)
{
    const char *word = strtok_r(NULL, " ", row);
    assert_non_null(word);
    return word;
}

struct j2k_tolerance j2k_tolerance_of(char *row)
{
    char *rest;
    struct j2k_tolerance tolerance = {.stream = strtok_r(row, " ", &rest)};
    tolerance.reference = word_of(&rest);
    tolerance.component = (int)strtol(word_of(&rest), NULL, 10);
    tolerance.reduce = (uint8_t)strtoul(word_of(&rest), NULL, 10);
    tolerance.peak = (uint32_t)strtoul(word_of(&rest), NULL, 10);
    tolerance.mse = strtod(word_of(&rest), NULL);
    return tolerance;
}
