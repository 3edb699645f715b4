/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists what a batch works on: files, and the pictures in folders. */
#ifndef KOSTKA_TOOL_INPUTS_H
#define KOSTKA_TOOL_INPUTS_H

#include "files/files.h"

/*
 * Check the operands of a verb that makes files: IN and OUT if `directory` is null, otherwise inputs. Returns an exit
 * code, after a message about what is wrong.
 */
int operands_check(const char *verb, const char *directory, char **operands, size_t count);

struct input {
    char *name;                    /* "-" is standard input */
    const struct input *same_stem; /* an earlier input whose name differs in folder or extension only; null: none */
    size_t rank;                   /* the number of such earlier inputs */
    char *output;                  /* the output's path, once that is known */
    uint64_t device, inode;        /* identify the file; both 0: it is no file or does not exist */
};

struct inputs {
    struct input *input;
    size_t count;
    size_t ranks;    /* one more than the highest rank */
    size_t failures; /* folders that could not be read, or had no pictures; messages have been printed */
    size_t *by_file; /* indices, in order of device and inode */
};

/*
 * List the inputs that operands name. With `folders`, a folder stands for the pictures in it, in the order of their
 * names: files that are pictures by their first bytes or their extension, except hidden ones. With `coded` only JPEG
 * and JPEG 2000 are taken. With `raw`, samples without a header count as pictures by their extension. Returns false if
 * out of memory.
 */
struct input_choice {
    bool folders, coded, raw;
};
bool inputs_collect(struct inputs *inputs, char **operands, size_t count, const struct input_choice *choice);
void inputs_release(struct inputs *inputs);

/* Return the name without its directory and extension. */
const char *input_stem(const char *name, size_t *length);

/*
 * Note the output of an input. Returns false, with the problem, if another input of lower rank has that output, or if
 * it is another input. Thread-safe for inputs of one rank once all of lower ranks are done.
 */
bool input_claim(const struct inputs *inputs, struct input *input, const char *path, struct problem *problem);

#endif
