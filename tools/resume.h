/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the inputs of a batch that were done by an earlier call. */
#ifndef KOSTKA_TOOL_RESUME_H
#define KOSTKA_TOOL_RESUME_H

#include "inputs.h"

/*
 * Skip the inputs that a manifest says succeeded, if all their files exist with the lengths that it says and are what
 * this call would make: of that name in the folder for outputs, and in the target's format (null: any). Lines that are
 * no JSON are ignored. Returns false, with the problem, if the manifest cannot be read or memory runs out.
 */
bool resume_skip(struct inputs *inputs, const struct output_options *output, const struct file_format *target,
    struct problem *problem);

#endif
