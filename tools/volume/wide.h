/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns samples of files that have more bits than are coded: double precision, and integers of 32 bits. */
#ifndef KOSTKA_TOOL_VOLUME_WIDE_H
#define KOSTKA_TOOL_VOLUME_WIDE_H

#include "volume/volume.h"

enum { WIDE_BITS = 28 /* the most that integers are coded with */ };
#define WIDE_TOO_WIDE "has more than 28 bits, the most that are coded"

/* Reverse the bytes of each sample in place. */
void samples_reverse(uint8_t *samples, size_t count, size_t bytes);

/*
 * Turn double precision, in the machine's order, to single precision at `to`, and count in `rounded` the samples that
 * change. Returns false, with the number of the sample, if one is finite and too great.
 */
bool doubles_turn(const uint8_t *from, size_t count, uint8_t *to, uint64_t *rounded, size_t *wrong);

/* Return whether integers that lie in four bytes have no more bits than the volume says; if not, the first that has. */
bool integers_fit(const kst_volume *volume, const uint8_t *samples, size_t count, size_t *wrong);

/* Say where sample `number` of a volume is, of which `what` is wrong. Returns false. */
bool wide_refuse(const kst_volume *volume, uint64_t number, const char *what, struct problem *problem);

#endif
