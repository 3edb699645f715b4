/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects what becomes of an input: its output files, the warnings and the device. A thread that works on an input
 * notes them from wherever they become known.
 */
#ifndef KOSTKA_TOOL_OUTCOME_H
#define KOSTKA_TOOL_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output_file {
    char *path;
    uint64_t length;
    bool shared; /* it is an archive, whose length counts with another input */
};

struct outcome {
    struct output_file *file; /* those that have their final names */
    size_t file_count;
    char **warning;
    size_t warning_count;
    uint64_t pixels;    /* of the pictures that were read */
    char device[16];    /* that of the last work on pixels or coefficients; empty: there was none */
    bool out_of_memory; /* something could not be noted */
};

/* Begin an outcome, in which the calling thread notes what follows; go on; end that; release what was noted. */
void outcome_begin(struct outcome *outcome);
void outcome_resume(struct outcome *outcome);
void outcome_end(void);
void outcome_release(struct outcome *outcome);

/* Note something; this does nothing if the calling thread has not begun an outcome. */
void outcome_note_file(const char *path, uint64_t length, bool shared);
void outcome_note_pixels(uint64_t pixels);
void outcome_note_warning(const char *text);
void outcome_note_device(const char *name);

#endif
