/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands in for the functions of the command line that the readers of sequences need, in tests of these readers alone.
 */
#include <stdarg.h>
#include <stdio.h>

#include "files/samples.h"
#include "system/interrupt.h"
#include "tool.h"

bool interrupt_came(void)
{
    return false;
}

bool samples_swap(enum byte_order order)
{
    return order == ORDER_BIG;
}

static void set_text(struct problem *problem, enum problem_kind kind, const char *format, va_list arguments)
{
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    problem->kind = kind;
}

bool problem_set(struct problem *problem, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_text(problem, PROBLEM_CONTENT, format, arguments);
    va_end(arguments);
    return false;
}

bool problem_set_kind(struct problem *problem, enum problem_kind kind, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_text(problem, kind, format, arguments);
    va_end(arguments);
    return false;
}
