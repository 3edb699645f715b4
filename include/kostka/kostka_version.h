/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_VERSION_H
#define KOSTKA_VERSION_H

/**
 * @file
 * Defines the version of the headers; kst_version() returns that of the library. Versions are semantic. The SONAME has
 * a number of its own, which rises if programs that are built already would break.
 */

#define KST_VERSION_MAJOR 0
#define KST_VERSION_MINOR 1
#define KST_VERSION_PATCH 0
#define KST_VERSION_STRING "0.1.0"
#define KST_VERSION_NUMBER (KST_VERSION_MAJOR * 10000 + KST_VERSION_MINOR * 100 + KST_VERSION_PATCH)

#endif
