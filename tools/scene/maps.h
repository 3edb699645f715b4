/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how maps of disparities and depths are written to files. */
#ifndef KOSTKA_TOOL_MAPS_H
#define KOSTKA_TOOL_MAPS_H

#include "files/files.h"

/*
 * Check that the paths of a map and of its confidence (null: not written) differ, and that they name formats that can
 * hold all samples: 16 bits, or, for the map, PFM. Returns false after a message.
 */
bool maps_check_paths(const char *out, const char *confidence);
/*
 * Return whether none of the outputs, of which all but the first may be null, is the source itself; otherwise complain.
 */
bool maps_spare(const char *source, const char *out, const char *confidence, const char *cloud);

/* Copy an image to host memory. */
kst_status maps_bring(kst_context *context, kst_image *image);

/* Write a map whose samples are in units of `unit`; 0: the map is never written as PFM. Returns false after a message.
 */
bool maps_write(struct picture *picture, const char *path, double unit, const struct file_settings *settings);

/* Print why maps could not be made. */
void maps_complain(const char *name, kst_status status, const kst_report *report);

#endif
