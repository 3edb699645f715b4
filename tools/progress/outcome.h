/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects the outcome of an input: its output files, warnings and device. The thread that works on an input records
 * these wherever they become known.
 */
#ifndef KOSTKA_TOOL_OUTCOME_H
#define KOSTKA_TOOL_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output_file {
    char *path;
    uint64_t length;
    bool shared; /* an archive whose length another input counts */
};

struct outcome {
    struct output_file *file; /* files that have their final names */
    size_t file_count;
    char **warning;
    size_t warning_count;
    uint64_t pixels;    /* pixels of the pictures that were read */
    char device[16];    /* device of the last work on pixels or coefficients; empty: there was no such work */
    bool out_of_memory; /* something could not be recorded */
};

/*
 * Begin an outcome, in which the calling thread records what follows; resume it; end recording; release what was
 * recorded.
 */
void outcome_begin(struct outcome *outcome);
void outcome_resume(struct outcome *outcome);
void outcome_end(void);
void outcome_release(struct outcome *outcome);

/* Record a result. Does nothing if the calling thread has not begun an outcome. */
void outcome_note_file(const char *path, uint64_t length, bool shared);
void outcome_note_pixels(uint64_t pixels);
void outcome_note_warning(const char *text);
void outcome_note_device(const char *name);

#endif
