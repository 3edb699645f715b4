/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes TIFF files whose pages are the slices of a volume. */
#ifndef KOSTKA_TOOL_VOLUME_STACK_H
#define KOSTKA_TOOL_VOLUME_STACK_H

#include "volume/volume.h"

bool volume_is_stack(const char *name);

/* Read all pages of a file, which has been read as a whole, into samples of the volume's own. */
bool stack_read(struct volume_file *file, const struct volume_settings *settings, struct problem *problem);

/* Write a volume without padding, a page for each slice. */
bool stack_write(struct output *output, const kst_volume *volume, struct problem *problem);

#endif
