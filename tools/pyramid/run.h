/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the actions of 'kostka tiff'. */
#ifndef KOSTKA_TOOL_PYRAMID_RUN_H
#define KOSTKA_TOOL_PYRAMID_RUN_H

#include "options/options.h"
#include "pyramid/pyramid.h"

struct pyramid_settings {
    struct common_options common;
    struct file_settings files; /* with the context, the limits, and the options of decoding */
    struct resize_settings resize;
    kst_region region; /* no width and height: the whole picture */
    uint32_t level;
    bool level_given;
    const char *image;                /* the name of an associated picture; null: a level */
    const char *directory;            /* folder for tiles */
    const struct file_format *format; /* format of outputs; null: chosen by the name; for tiles: as they are coded */
    bool json;
};

/* The actions. Each returns an exit code. */
int pyramid_info(struct pyramid_settings *settings, char **names);
int pyramid_decode_file(struct pyramid_settings *settings, char **names);
int pyramid_tiles(struct pyramid_settings *settings, char **names);

/* Opens a file, and complains about directories that cannot be read. Returns an exit code. */
int pyramid_open_named(struct pyramid *pyramid, const struct pyramid_settings *settings, const char *name);

/* Prints the problem. Returns EXIT_FAILED. */
int pyramid_fail(const char *name, const struct problem *problem);

/*
 * Keeps the file's ICC profile with a picture, unless the profile is longer than 16 MB. Returns false if out of memory.
 */
bool pyramid_keep_profile(const struct pyramid *pyramid, struct picture *picture);

/* Complains about tiles that were damaged or missing. */
void pyramid_report_losses(const char *name, const struct pyramid_losses *losses);

#endif
