/* SPDX-License-Identifier: BSD-2-Clause */
/* Telling what goes with a picture and is not in the file that it is written to. */
#ifndef KOSTKA_TOOL_LOSSES_H
#define KOSTKA_TOOL_LOSSES_H

#include "files/files.h"

enum metadata_part {
    PART_ICC = 1,
    PART_EXIF = 2,
    PART_XMP = 4,
    PART_IPTC = 8,
    PART_COMMENT = 16,
    PART_LATER_XMP = 32, /* what of it did not fit the first segment of JPEG */
    PART_ALL = 63
};

/*
 * Warn of the parts that the picture has and that are not among those that `format` holds. `path` is the output's;
 * null: standard output. PNM, PGX and raw samples, which are pixels alone, are not warned of.
 */
void losses_tell(const struct picture *picture, unsigned held, const char *format, const char *path);

/* Warn of one part, as "warning: dropped PART, for REASON". */
void loss_tell(const char *path, const char *part, const char *reason);

#endif
