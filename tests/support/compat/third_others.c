/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for an original of version 3: all functions that are looked up and are not in third_original.c. */
#include <stdint.h>

#include "support/compat/third_original.h"

#define OTHER(name)                                                                                                    \
    __attribute__((visibility("default"), weak)) intptr_t name(void);                                                  \
    intptr_t name(void)                                                                                                \
    {                                                                                                                  \
        third_calls.last = #name;                                                                                      \
        return 0;                                                                                                      \
    }
#define PASS(name) OTHER(name)
#define TAKE(name) OTHER(name)
#define JAVA(name)
#define PASS3(name) OTHER(name)
#define TAKE3(name) OTHER(name)
#include "turbojpeg/functions.h"
