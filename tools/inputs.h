/* SPDX-License-Identifier: BSD-2-Clause */
/* What a batch works on: files, and the pictures in folders. */
#ifndef KOSTKA_TOOL_INPUTS_H
#define KOSTKA_TOOL_INPUTS_H

#include "files/files.h"

/* Whether the operands of a verb that makes files are IN and OUT, or inputs where there is a folder for outputs (else
 * null). Gives an exit code, after having said what is wrong. */
int operands_check(const char *verb, const char *directory, char **operands, size_t count);

struct input {
    char *name;                    /* "-" is standard input */
    const struct input *same_stem; /* one before it whose name differs in folder or extension alone; null: none */
    size_t rank;                   /* how many of these there are before it */
    char *output;                  /* where it goes, once that is known */
    uint64_t device, inode;        /* of the file; 0 and 0: it is none, or not there */
};

struct inputs {
    struct input *input;
    size_t count;
    size_t ranks;    /* one more than the highest */
    size_t failures; /* folders that could not be read, or had no pictures, which has been said */
    size_t *by_file; /* indices, in order of device and inode */
};

/*
 * Inputs of the operands. With `folders`, one that is a folder stands for the files in it, in the order of their names,
 * that are pictures by their first bytes or their extension, but for hidden ones; with `coded` JPEG and JPEG 2000
 * alone. With `raw` samples without a header count as pictures by their extension. False: out of memory.
 */
struct input_choice {
    bool folders, coded, raw;
};
bool inputs_collect(struct inputs *inputs, char **operands, size_t count, const struct input_choice *choice);
void inputs_release(struct inputs *inputs);

/* The name without its directory and extension. */
const char *input_stem(const char *name, size_t *length);

/*
 * Note where an input goes. False with the problem where another one of lower rank went, or the place of another input.
 * Thread-safe for inputs of one rank once all of lower ranks are done.
 */
bool input_claim(const struct inputs *inputs, struct input *input, const char *path, struct problem *problem);

#endif
