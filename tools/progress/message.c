/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints messages on standard error. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "print/plain.h"
#include "progress/outcome.h"
#include "progress/progress.h"
#include "tool.h"

enum { TEXT = 2 * sizeof(struct problem) /* room for two paths */ };

bool problem_set(struct problem *problem, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    problem->kind = PROBLEM_CONTENT;
    return false;
}

bool problem_set_kind(struct problem *problem, enum problem_kind kind, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    problem->kind = kind;
    return false;
}

/* Print a line on standard error by one system call, so that lines of several processes do not mix either. */
static void print_line(const char *head, const char *subject, const char *text)
{
    char *line = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&line, &length);

    if (to == NULL)
        return;
    fputs(head, to);
    if (subject != NULL) {
        fputs(": ", to);
        plain_puts(to, *subject != '\0' ? subject : "''");
    }
    fputs(": ", to);
    plain_puts(to, text);
    fputc('\n', to);
    if (fclose(to) == 0)
        fwrite(line, 1, length, stderr);
    free(line);
}

void complain(const char *subject, const char *format, ...)
{
    static const char warning[] = "warning: ";
    char text[TEXT];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (strncmp(text, warning, sizeof warning - 1) == 0)
        outcome_note_warning(text + sizeof warning - 1);
    progress_pause();
    print_line("kostka", subject, text);
    progress_resume();
}

int complain_usage(const char *verb, const char *format, ...)
{
    char text[TEXT], head[64];
    va_list arguments;
    int used;

    va_start(arguments, format);
    used = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (used >= 0 && used < (int)sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, "; see 'kostka help %s'", verb);
    snprintf(head, sizeof head, "kostka %s", verb);
    print_line(head, NULL, text);
    return EXIT_USAGE;
}

double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
