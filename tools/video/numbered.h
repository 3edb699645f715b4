/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares sequences of files with numbers in their names. */
#ifndef KOSTKA_TOOL_VIDEO_NUMBERED_H
#define KOSTKA_TOOL_VIDEO_NUMBERED_H

#include "video/video.h"

extern const struct video_format video_numbered;

/* Return whether a name contains one number such as %d or %05d. */
bool numbered_is(const char *path);

/*
 * Return what files with a pattern's extension can hold: combined 1 << enum video_payload; 0 if such files are not
 * written.
 */
unsigned numbered_payloads(const char *path);

#endif
