/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists what a batch works on: files, and the pictures in folders. */
#ifndef KOSTKA_TOOL_INPUTS_H
#define KOSTKA_TOOL_INPUTS_H

#include "options/options.h"

/*
 * Check the operands of a verb that makes files: inputs if the options have a folder for outputs, otherwise IN and OUT.
 * Prints what is wrong, and returns an exit code.
 */
int operands_check(const char *verb, const struct output_options *output, char **operands, size_t count);

struct input {
    char *name;                    /* "-" is standard input */
    size_t tree;                   /* offset in the name at which the part begins that the output's name takes over */
    char *failure;                 /* why the input cannot be read, usually a folder's error; null: it can */
    bool archive;                  /* the input is an archive, whose members are worked on */
    bool inner;                    /* found in a folder: the archive is to its members what that folder is to files */
    bool done;                     /* an earlier call has made its outputs */
    bool elsewhere;                /* the input belongs to another shard, and is listed so that no output replaces it */
    const struct input *same_stem; /* previous input whose output's name differs in its extension only; null: none */
    const struct input *later;     /* the next such input, whose same_stem is this one; null: none */
    size_t rank;                   /* number of earlier inputs that same_stem leads to */
    char *output;                  /* the output's path, once that is known */
    uint64_t size;                 /* bytes of the file; 0: the input is not a file, or does not exist */
    uint64_t device, inode;        /* identify the file; both 0: the input is not a file, or does not exist */
};

struct inputs {
    struct input *input;
    size_t count;
    size_t own;      /* inputs to work on: neither done nor elsewhere */
    size_t resumed;  /* inputs that are done */
    size_t archives; /* inputs that are archives */
    bool apart;      /* with a manifest: an output must not replace its input, which --resume could convert twice */
    bool lasting;    /* an output must not replace its own input: no transcoding, and no --in-place */
    size_t *by_rank; /* indices, in order of rank, then as listed */
    size_t *by_file; /* indices, in order of device and inode */
};

/*
 * List the inputs that operands name, then those of the options' list. If there is a folder for outputs, a folder
 * stands for the pictures in it, in the order of their names: files that are pictures by their first bytes or their
 * extension, except hidden ones; a recursive walk takes archives, too, except those that this call makes. With `coded`
 * only JPEG and JPEG 2000 are taken. With `raw`, samples without a header count as pictures by their extension. A
 * folder that cannot be read, or has no pictures, is an input that fails. Returns false, with the problem, if the list
 * cannot be read or memory runs out.
 */
struct input_choice {
    const struct output_options *output;
    bool coded, raw;
};
bool inputs_collect(
    struct inputs *inputs, char **operands, size_t count, const struct input_choice *choice, struct problem *problem);
void inputs_release(struct inputs *inputs);

/*
 * Return whether a member of an archive is a picture that the verb works on, by its first bytes or its extension, as
 * with files in folders.
 */
bool input_is_picture(const char *name, const uint8_t *data, size_t length, const struct input_choice *choice);

/* Return the input that is the file at `path`; null if there is none. */
const struct input *input_of_file(const struct inputs *inputs, const char *path);

/*
 * Return the part of the input's name that the output's name takes over, without the extension: the path below the
 * folder that was walked through, otherwise the file's name without its folder.
 */
const char *input_stem(const struct input *input, size_t *length);

/*
 * Record the output of an input. Returns false, with the problem, if another input of lower rank has that output, or if
 * the output would replace an input. Thread-safe for inputs of one rank once all inputs of lower ranks are done.
 */
bool input_claim(const struct inputs *inputs, struct input *input, const char *path, struct problem *problem);

#endif
