/* SPDX-License-Identifier: BSD-2-Clause */
/* A caller that is told of progress, and ends what it is told of when so much is done. */
#ifndef KOSTKA_TESTS_TOLD_H
#define KOSTKA_TESTS_TOLD_H

#include <stdbool.h>
#include <stdint.h>

struct told {
    double last, stop;
    uint32_t calls;
};

/* For kst_progress, with a struct told. It fails unless it is told 0 at first, never less than before, and at most 1.
 */
bool told(void *user, double done);

#endif
