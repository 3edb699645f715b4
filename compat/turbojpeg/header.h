/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how functions of version 3 read headers. */
#ifndef KOSTKA_COMPAT_TURBOJPEG_HEADER_H
#define KOSTKA_COMPAT_TURBOJPEG_HEADER_H

#include "instance.h"

/*
 * Read the header of a picture, set the parameters that describe it, and check the limits on pixels and scans. Tables
 * alone are an error. Returns 0, or −1 after an error in the name of `function`.
 */
int turbojpeg_read_header(
    struct turbojpeg_instance *instance, const char *function, const unsigned char *jpeg, size_t length);

#endif
