/* SPDX-License-Identifier: BSD-2-Clause */
/* Resizes pictures to the size that options ask for. */
#ifndef KOSTKA_TOOL_RESIZE_H
#define KOSTKA_TOOL_RESIZE_H

#include "files/files.h"

/* Return whether pictures are resized, for which all of their pixels must be in memory. */
bool resize_wanted(const struct file_settings *settings);

/*
 * Choose where a picture is decoded to: if it is resized or filtered afterwards, to the memory of the context's device,
 * which then does that, too; the host gets the result.
 */
void resize_place(kst_decoder *decoder, const struct file_settings *settings, const kst_decode_options *options,
    struct picture *picture);

/* Resize a picture if the settings ask for that. `name` is the file's name. */
bool picture_resize(
    struct picture *picture, const char *name, const struct file_settings *settings, struct problem *problem);

/*
 * Find out how a picture with the described image is resized, and what the result is, without resizing it. `picture`
 * tells what draft_choose() has found.
 */
bool resize_expect(const struct picture *picture, const kst_image *image, const char *name,
    const struct file_settings *settings, kst_resize_options *options, kst_image *to, struct problem *problem);

/*
 * With --draft, reduce the picture as far as its sides stay at least twice as large as wanted. `picture` receives the
 * full size, from which the wanted size follows.
 */
void draft_choose(
    kst_decoder *decoder, const struct file_settings *settings, kst_decode_options *options, struct picture *picture);

#endif
