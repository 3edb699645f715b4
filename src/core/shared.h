/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks the functions that libkostka exports for libkostka_filters, and for nobody else. src/kostka.map lists them
 * under a name that has the version, so that a library of another version is refused when it is loaded.
 */
#ifndef KOSTKA_CORE_SHARED_H
#define KOSTKA_CORE_SHARED_H

#include <kostka/kostka_status.h>

#define KST_SHARED KST_API

#endif
