/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares which device works for the programs of others. */
#ifndef KOSTKA_COMPAT_COMMON_DEVICE_H
#define KOSTKA_COMPAT_COMMON_DEVICE_H

#include <stdbool.h>

/* Return whether a variable of the environment says something. */
bool compat_is_set(const char *variable);

/*
 * Return the device for the options of a context: null, so that KOSTKA_DEVICE names it, or "cpu" where that is not set,
 * and in a child process whose parent had loaded a GPU's driver.
 */
const char *compat_device(void);

#endif
