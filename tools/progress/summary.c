/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts inputs, bytes and failures, and prints them as a table. */
#include "progress/summary.h"

#include <stdio.h>
#include <stdlib.h>

#include "progress/progress.h"

void summary_begin(struct summary *summary)
{
    *summary = (struct summary){.began = seconds_now()};
    pthread_mutex_init(&summary->lock, NULL);
}

void summary_end(struct summary *summary)
{
    pthread_mutex_destroy(&summary->lock);
}

void summary_add(struct summary *summary, uint64_t bytes, const struct outcome *outcome, const struct problem *failure)
{
    pthread_mutex_lock(&summary->lock);
    if (failure != NULL) {
        summary->failed[failure->kind]++;
    } else {
        summary->made++;
        summary->warned += outcome->warning_count > 0;
        summary->read += bytes;
        summary->pixels += outcome->pixels;
        for (size_t i = 0; i < outcome->file_count; i++)
            summary->written += outcome->file[i].shared ? 0 : outcome->file[i].length;
    }
    pthread_mutex_unlock(&summary->lock);
}

/* Print a line of the table for a number of inputs, unless it is 0. */
static void print_count(FILE *to, const char *name, size_t count)
{
    if (count > 0)
        fprintf(to, "%-28s %10zu\n", name, count);
}

static void print_bytes(FILE *to, const char *name, uint64_t bytes, double seconds)
{
    fprintf(to, "%-28s %10.1f MB %10.1f MB/s\n", name, 1e-6 * (double)bytes, 1e-6 * (double)bytes / seconds);
}

static void print_table(FILE *to, const struct summary *summary, size_t before, size_t left)
{
    static const char *const kinds[PROBLEM_KINDS] = {
        [PROBLEM_CONTENT] = "  damaged or unsuitable",
        [PROBLEM_READ] = "  cannot be read",
        [PROBLEM_LIMIT] = "  beyond a limit",
        [PROBLEM_NAME] = "  output's name is taken",
        [PROBLEM_WRITE] = "  cannot be written",
    };
    double seconds = seconds_now() - summary->began;
    seconds = seconds > 1e-6 ? seconds : 1e-6;
    size_t failed = 0;

    for (size_t i = 0; i < PROBLEM_KINDS; i++)
        failed += summary->failed[i];
    fprintf(
        to, "%-28s %10zu %13.1f a second\n", "inputs that succeeded", summary->made, (double)summary->made / seconds);
    print_count(to, "  with warnings", summary->warned);
    print_count(to, "inputs that failed", failed);
    for (size_t i = 0; i < PROBLEM_KINDS; i++)
        print_count(to, kinds[i], summary->failed[i]);
    print_count(to, "done before", before);
    print_count(to, "left", left);
    if (summary->pixels > 0)
        fprintf(to, "%-28s %10.1f MPix %8.1f MPix/s\n", "pixels", 1e-6 * (double)summary->pixels,
            1e-6 * (double)summary->pixels / seconds);
    print_bytes(to, "read", summary->read, seconds);
    print_bytes(to, "written", summary->written, seconds);
    fprintf(to, "%-28s %10.1f s\n", "time", seconds);
}

void summary_print(const struct summary *summary, size_t before, size_t left)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);

    if (to == NULL)
        return;
    print_table(to, summary, before, left);
    if (fclose(to) == 0) {
        progress_pause();
        fwrite(text, 1, length, stderr);
        progress_resume();
    }
    free(text);
}
