/* SPDX-License-Identifier: BSD-2-Clause */
/* Says what is wrong with a file, as the command line does, for the targets that read files with its code. */
#include <stdarg.h>
#include <stdio.h>

#include "tool.h"

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
