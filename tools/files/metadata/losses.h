/* SPDX-License-Identifier: BSD-2-Clause */
/* Warns of metadata that a picture has and that the output cannot hold. */
#ifndef KOSTKA_TOOL_LOSSES_H
#define KOSTKA_TOOL_LOSSES_H

#include "files/files.h"

enum metadata_part {
    PART_ICC = 1,
    PART_EXIF = 2,
    PART_XMP = 4,
    PART_IPTC = 8,
    PART_COMMENT = 16,
    PART_LATER_XMP = 32, /* the part of XMP that did not fit into the first segment of a JPEG */
    PART_ALL = 63
};

/*
 * Warn of the parts that the picture has but that are not in `held`, the parts that `format` can hold. `path` is the
 * output's; null: standard output.
 */
void losses_tell(const struct picture *picture, unsigned held, const char *format, const char *path);

/* Warn likewise of the metadata of an open stream. */
void losses_tell_stream(kst_decoder *decoder, unsigned held, const char *format, const char *path);

/*
 * Note the metadata that PNM, PAM, PGX and raw samples lose, since they hold only pixels. As users expect that, this is
 * a note instead of a warning, and printed only for the first picture of a run.
 */
void losses_note(const struct picture *picture, const char *path);

/* Warn of one part, as "warning: dropped PART, for REASON". */
void loss_tell(const char *path, const char *part, const char *reason);

#endif
