/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_BENCH_PEAK_H
#define KOSTKA_BENCH_PEAK_H

#include <stdint.h>

/* Bytes of resident memory that this process had at its peak; 0 where the system does not tell. */
uint64_t peak_of_this_process(void);

#endif
