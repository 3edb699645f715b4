/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes which code-blocks a packet has, for code that writes packets of pictures with one layer. */
#ifndef KOSTKA_J2K_PLAN_PACKET_BLOCKS_H
#define KOSTKA_J2K_PLAN_PACKET_BLOCKS_H

#include <stdint.h>

/* The blocks of a band follow each other in raster order. Columns and rows are both 0 if a band has none. */
struct j2k_packet_blocks {
    uint32_t first_block[3]; /* in the plan */
    uint16_t columns[3], rows[3];
};

#endif
