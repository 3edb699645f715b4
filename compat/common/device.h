/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares which device works for the programs of others. */
#ifndef KOSTKA_COMPAT_COMMON_DEVICE_H
#define KOSTKA_COMPAT_COMMON_DEVICE_H

#include <stdbool.h>

/*
 * Return whether a variable of the environment is set and not empty. None counts in a process with more rights than its
 * user (setuid), for which the library follows none either.
 */
bool compat_is_set(const char *variable);

/*
 * Return the device for the options of a context: null, so that KOSTKA_DEVICE names it, or "cpu" where that is not set,
 * and in a child process whose parent had loaded a GPU's driver.
 */
const char *compat_device(void);

#endif
