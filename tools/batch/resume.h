/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the inputs of a batch that were done by an earlier call. */
#ifndef KOSTKA_TOOL_RESUME_H
#define KOSTKA_TOOL_RESUME_H

#include "batch/inputs.h"
#include "print/json_library.h"

/*
 * Skip the inputs that a manifest records as successful, if all their files exist with the recorded lengths and are
 * what this call would make: named like this call's outputs in the folder for outputs, and in the target's format
 * (null: any). Lines that are not JSON are ignored. Returns false, with the problem, if the manifest cannot be read or
 * memory runs out.
 */
bool resume_skip(struct inputs *inputs, const struct output_options *output, const struct file_format *target,
    struct problem *problem);

/* Holds what a manifest says about groups of archives, and about outputs that are archives. */
struct resumed;

/*
 * Read a manifest. An archive counts as made only if all lines that it should have are there: they are appended at
 * once, but that write can be cut short. Returns null, with the problem, if the manifest cannot be read or memory runs
 * out.
 */
struct resumed *resumed_read(const struct output_options *output, struct problem *problem);

/*
 * Return whether an input, or one of its groups if `group` is not null, has its output. Returns false if `resumed` is
 * null.
 */
bool resumed_has(const struct resumed *resumed, const char *input, const char *group);

/* Return whether an archive is complete and recorded. Returns false if `resumed` is null. */
bool resumed_has_output(const struct resumed *resumed, const char *path);

void resumed_release(struct resumed **resumed);

/* Read a manifest, and pass each line that is JSON to a function. */
bool resume_read(const char *path, void (*take)(void *user, const json_t *entry), void *user, struct problem *problem);

/*
 * Return a copy of a name in a JSON object, from the member with hexadecimal digits if there is one; null if there is
 * no name.
 */
char *resume_name(const json_t *object, const char *key, const char *key_hex);

/* Return whether the list has files, and all of them exist with the lengths that the manifest states. */
bool resume_files_are_there(const json_t *files);

#endif
