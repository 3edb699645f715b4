/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines for people on standard error. */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "progress.h"
#include "tool.h"

bool problem_set(struct problem *problem, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    return false;
}

void complain(const char *subject, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    progress_pause();
    if (subject != NULL)
        fprintf(stderr, "kostka: %s: %s\n", subject, text);
    else
        fprintf(stderr, "kostka: %s\n", text);
    progress_resume();
}

int complain_usage(const char *verb, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "kostka %s: %s; see 'kostka help %s'\n", verb, text, verb);
    return EXIT_USAGE;
}

double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
