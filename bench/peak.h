/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how to read the peak of this process's memory. */
#ifndef KOSTKA_BENCH_PEAK_H
#define KOSTKA_BENCH_PEAK_H

#include <stdint.h>

/* Return the peak of this process's resident memory, in bytes; 0 if the system does not report it. */
uint64_t peak_of_this_process(void);

#endif
