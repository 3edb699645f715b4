/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how maps of disparities and depths get to files. */
#ifndef KOSTKA_TOOL_MAPS_H
#define KOSTKA_TOOL_MAPS_H

#include "files/files.h"

/*
 * Check that the paths of a map, and of how sure it is (null: that is not written), differ and name formats that hold
 * all samples: 16 bits, or for the map PFM. Returns false after a message.
 */
bool maps_check_paths(const char *out, const char *confidence);
/* Return whether no output, of which all but the first may be null, is that source; otherwise complain. */
bool maps_spare(const char *source, const char *out, const char *confidence, const char *cloud);

/* Return the memory for results: that of a GPU that was chosen, which then does the work. */
kst_memory maps_memory(const kst_context *context);

/* Bring an image to host memory. */
kst_status maps_bring(kst_context *context, kst_image *image);

/* Write a map whose samples count `unit`; 0: they are never floating-point numbers. Returns false after a message. */
bool maps_write(struct picture *picture, const char *path, double unit, const struct file_settings *settings);

/* Say why maps could not be made. */
void maps_complain(const char *name, kst_status status, const kst_report *report);

#endif
