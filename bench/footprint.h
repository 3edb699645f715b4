/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures the peak memory of a job, in a separate process. */
#ifndef KOSTKA_BENCH_FOOTPRINT_H
#define KOSTKA_BENCH_FOOTPRINT_H

#include "engine.h"

/*
 * Return the bytes of resident memory at the peak; 0 if they could not be measured. The pixels and, for decoding, the
 * stream are in the process with every engine, ENGINE_NONE included.
 */
uint64_t footprint_measure(enum engine_kind kind, uint32_t threads, enum work work, const struct picture *picture,
    const struct stream *stream);

/* Do the child's work if argv asks for it. Returns whether it does; *code is then the exit code. */
bool footprint_child(int argc, char **argv, int *code);

#endif
