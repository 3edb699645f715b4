/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs verbs that make a file of each input: one IN and OUT, or many inputs and --out-dir. */
#ifndef KOSTKA_TOOL_BATCH_H
#define KOSTKA_TOOL_BATCH_H

#include "batch/inputs.h"
#include "options/options.h"

/* Describes the options of many_group() for --help. */
#define BATCH_HELP                                                                                                     \
    "  --in-place          let an output replace its own input, which is an error otherwise\n"                         \
    "  --recursive         with --out-dir: also what is in folders of a folder, in the same folders there\n"           \
    "  --files-from LIST   with --out-dir: also what this file names, one a line, or standard input with '-';\n"       \
    "                      -0, --null: each name ends with a byte of 0\n"                                              \
    "  --shard I/N|auto    with --out-dir: only share I of N, from 0 on, by a hash of names; auto: as Slurm, Open\n"   \
    "                      MPI or Kubernetes say\n"                                                                    \
    "  --manifest FILE     with --out-dir: append a line of JSON for each input that is done\n"                        \
    "  --resume            skip what the manifest and the outputs have\n"                                              \
    "  --fail-fast, --max-failures N   with --out-dir: begin no further input after one failure, after N\n"            \
    "  -o out-%06d.tar     archives instead of --out-dir, with --max-count N groups and --max-size BYTES at most;\n"   \
    "                      inputs ending in .tar, and '-' if it begins like one, are archives of WebDataset's\n"       \
    "                      layout: pictures in them are converted, and what has the same key goes along\n"

/* Holds the work on one input. */
struct task {
    const struct source *source;
    const char *path; /* the output's path; null: task_path() makes it once the extension is known */
    const char *stem; /* the output's name without the extension, if it becomes part of a group; else null */
    const char *directory;
    const struct inputs *inputs;
    struct input *input;        /* the input that this task works on */
    struct file_settings files; /* the settings, the context among them */
};

/* Does the work on one input, and prints its warnings. Returns false, with the problem, if there is no output. */
typedef bool (*task_function)(const void *settings, struct task *task, struct problem *problem);

struct batch {
    const struct verb *verb;
    const struct common_options *common;
    const struct output_options *output;
    const struct file_settings *files; /* copied to each task, with the context set */
    task_function work;
    const void *settings;
    bool unread; /* whether the task itself reads the source, which then has only a name */
    bool coded;  /* whether only JPEG and JPEG 2000 files are taken from folders */
    /* The options of transcoding, which the CPU does alone unless code-blocks are to change; null: the work is not
     * transcoding. */
    const kst_transcode_options *transcode;
};

/*
 * Check the operands in argv from optind on, and do the work on each input; several inputs are worked on at a time if
 * there are many. Returns the exit code of the verb.
 */
int batch_run(const struct batch *batch, int argc, char **argv);

/*
 * Return the output's path: the path of the call, or DIRECTORY/STEM.EXTENSION. The caller frees it. Returns null, with
 * the problem, if another input has the same output, or if the output would replace an input.
 */
char *task_path(const struct task *task, const char *extension, struct problem *problem);

/* Write a picture to the output, in the format of the task's settings. */
bool task_write(struct task *task, struct picture *picture, struct problem *problem);

/*
 * rows.c: convert a picture by writing some rows while others are read, if its formats allow that. Returns whether
 * they do; *good then says whether it succeeded.
 */
bool task_by_rows(const struct task *task, bool *good, struct problem *problem);

/* Do the work on one input for verbs that read any picture and write it in another format. */
bool task_convert(const void *settings, struct task *task, struct problem *problem);

#endif
