/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the order of packets (T.800 B.12), used both to read and to write codestreams. */
#ifndef KOSTKA_J2K_PACKETS_PROGRESSION_H
#define KOSTKA_J2K_PACKETS_PROGRESSION_H

#include "j2k/packets/builder.h"

/*
 * Is called for each packet of a volume in order, no matter whether an earlier volume had that packet.
 * `precinct` counts from 0 in the grid. Returns false to end the walk.
 */
typedef bool (*j2k_visit)(void *argument, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer);

/*
 * Walk the packets of a volume of the current tile. The work is proportional to the number of packets visited, times
 * the logarithm of the number of resolutions, plus that number.
 */
kst_status kst_j2k_walk(struct j2k_builder *builder, const struct j2k_volume *volume, j2k_visit visit, void *argument);

#endif
