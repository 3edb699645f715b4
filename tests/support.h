/* SPDX-License-Identifier: BSD-2-Clause */
/* cmocka with what it needs in front of it. */
#ifndef KOSTKA_TESTS_SUPPORT_H
#define KOSTKA_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
