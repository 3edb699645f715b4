/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how counts of a picture's samples are written. */
#ifndef KOSTKA_TOOL_COUNTS_H
#define KOSTKA_TOOL_COUNTS_H

#include "files/files.h"

/* Count the samples of a picture, where it lies, and write the counts. */
bool counts_write_json(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem);
bool counts_write_csv(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem);

#endif
