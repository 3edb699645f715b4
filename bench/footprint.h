/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that a job takes at its peak, measured in a process of its own. */
#ifndef KOSTKA_BENCH_FOOTPRINT_H
#define KOSTKA_BENCH_FOOTPRINT_H

#include "engine.h"

/* Bytes of resident memory at the peak; 0 where it could not be measured. The pixels, and for decoding the stream, are
 * in the process whichever engine works, and whichever does not (ENGINE_NONE). */
uint64_t footprint_measure(enum engine_kind kind, uint32_t threads, enum work work, const struct picture *picture,
    const struct stream *stream);

/* What the child does: true where argv asked for it, and then *code is what to exit with. */
bool footprint_child(int argc, char **argv, int *code);

#endif
