/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives pictures the size that options ask for. */
#ifndef KOSTKA_TOOL_RESIZE_H
#define KOSTKA_TOOL_RESIZE_H

#include "files/files.h"

/* Return whether pictures get another size, for which all of their pixels must be in memory. */
bool resize_wanted(const struct file_settings *settings);

/*
 * Let a picture be decoded to the memory of the context's device if it is resized or filtered afterwards, so that the
 * device does that, too, and the host gets the result.
 */
void resize_place(kst_decoder *decoder, const struct file_settings *settings, const kst_decode_options *options,
    struct picture *picture);

/* Resize a picture if that is wanted. `name` is that of the file. */
bool picture_resize(
    struct picture *picture, const char *name, const struct file_settings *settings, struct problem *problem);

/*
 * Find out how a picture that will be decoded as `image` says is resized, and what it becomes, without doing it. The
 * picture is used for what draft_choose() has noted.
 */
bool resize_expect(const struct picture *picture, const kst_image *image, const char *name,
    const struct file_settings *settings, kst_resize_options *options, kst_image *to, struct problem *problem);

/*
 * With --draft, reduce as often as leaves at least twice the sides that are wanted. `picture` receives the size of the
 * whole, from which the wanted one follows.
 */
void draft_choose(
    kst_decoder *decoder, const struct file_settings *settings, kst_decode_options *options, struct picture *picture);

#endif
