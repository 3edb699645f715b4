/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the chain of filters that the user asks for. */
#ifndef KOSTKA_TOOL_FILTER_H
#define KOSTKA_TOOL_FILTER_H

#include "files/files.h"

/*
 * Return whether a chain ends with `histogram`, which is not a filter of the library, since its result is not a
 * picture. *length receives the length of the chain without it.
 */
bool filters_count(const char *chain, size_t *length);

/* Return whether the last filter of a chain is `lines`, which finds lines in addition to making a picture. */
bool filters_find_lines(const char *chain);

/*
 * Check a chain of filters, which may end with `histogram` if `may_count`. Returns false after a message if the chain
 * is wrong.
 */
bool filters_check(const char *verb, const char *chain, bool may_count);

/*
 * Describe what a relay's chain will make of a picture that is decoded to the image `from`. Adapts the picture's
 * metadata, but not its image. Returns false, with the problem, if the filters do not accept such an image.
 */
bool filters_expect(struct picture *picture, const kst_image *from, const char *name,
    const struct file_settings *settings, kst_image *to, struct problem *problem);

/* Apply the settings' filters, if there are any, to a picture. `name` is that of the file. */
bool picture_filter(
    struct picture *picture, const char *name, const struct file_settings *settings, struct problem *problem);

#endif
