/* SPDX-License-Identifier: BSD-2-Clause */
/* Verbs that make a file of each input: one IN and OUT, or many inputs and --out-dir. */
#ifndef KOSTKA_TOOL_BATCH_H
#define KOSTKA_TOOL_BATCH_H

#include "inputs.h"
#include "options.h"

/* One input's work. */
struct task {
    const struct source *source;
    const char *path; /* of the output; null: task_path() makes it when the extension is known */
    const char *directory;
    const struct inputs *inputs;
    struct input *input;        /* this one of them */
    struct file_settings files; /* the context among them */
};

/* Does the work of one input. Warnings it tells itself; false with the problem where there is no output. */
typedef bool (*task_function)(const void *settings, struct task *task, struct problem *problem);

struct batch {
    const struct verb *verb;
    const struct common_options *common;
    const struct output_options *output;
    const struct file_settings *files; /* copied to each task, its context set */
    task_function work;
    const void *settings;
    bool unread; /* the source has a name alone, and is for the work to read */
    bool coded;  /* of the files in a folder only JPEG and JPEG 2000 are taken */
};

/*
 * Checks the operands in argv from optind on, and does the work for each input, several at a time where there are many.
 * The exit code of the verb.
 */
int batch_run(const struct batch *batch, int argc, char **argv);

/*
 * Where the output goes: the path of the call, or DIRECTORY/STEM.EXTENSION. To be freed. Null with the problem where
 * another input goes there, or lies there.
 */
char *task_path(const struct task *task, const char *extension, struct problem *problem);

/* Write a picture there, in the format that the task's files say. */
bool task_write(struct task *task, struct picture *picture, struct problem *problem);

/*
 * task_rows.c: whether the picture is one that some rows of are written while others are read. Then it has been, and
 * *good tells whether all went well.
 */
bool task_by_rows(const struct task *task, bool *good, struct problem *problem);

/* The work of verbs that read any picture and write it. */
bool task_convert(const void *settings, struct task *task, struct problem *problem);

#endif
