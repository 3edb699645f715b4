/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the inputs of a batch that were done by an earlier call. */
#ifndef KOSTKA_TOOL_RESUME_H
#define KOSTKA_TOOL_RESUME_H

#include "batch/inputs.h"
#include "print/json_library.h"

/*
 * Skip the inputs that a manifest says succeeded, if all their files exist with the lengths that it says and are what
 * this call would make: of that name in the folder for outputs, and in the target's format (null: any). Lines that are
 * no JSON are ignored. Returns false, with the problem, if the manifest cannot be read or memory runs out.
 */
bool resume_skip(struct inputs *inputs, const struct output_options *output, const struct file_format *target,
    struct problem *problem);

/* Holds what a manifest says about groups of archives, and about outputs that are archives. */
struct resumed;

/*
 * Read a manifest. Of archives that were made it is believed what all of their lines say together: they are appended at
 * once, but that can be cut short. Null, with the problem, if the manifest cannot be read or memory runs out.
 */
struct resumed *resumed_read(const struct output_options *output, struct problem *problem);

/* Return whether an input, or one of its groups if `group` is not null, has its output. False for null. */
bool resumed_has(const struct resumed *resumed, const char *input, const char *group);

/* Return whether an archive is complete and recorded. False for null. */
bool resumed_has_output(const struct resumed *resumed, const char *path);

void resumed_release(struct resumed **resumed);

/* Read each line of a manifest that is JSON, and hand it to a function. */
bool resume_read(const char *path, void (*take)(void *user, const json_t *entry), void *user, struct problem *problem);

/* Return a copy of a member that is a name, from its hexadecimal digits if it has them; null if it is none. */
char *resume_name(const json_t *object, const char *key, const char *key_hex);

/* Return whether there are files, and all of them exist with the lengths that the manifest says. */
bool resume_files_are_there(const json_t *files);

#endif
