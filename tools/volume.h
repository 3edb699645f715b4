/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the files of the verb 'volume' share: options, and volumes in files. */
#ifndef KOSTKA_TOOL_VOLUME_H
#define KOSTKA_TOOL_VOLUME_H

#include <kostka/kostka_volume.h>

#include "options.h"

struct volume_settings {
    struct common_options common;
    struct j2k_settings j2k;
    kst_context *context;
    kst_volume raw; /* the shape and type of raw samples to read; a width or a number of bits of 0: not known */
    enum byte_order order;
    uint32_t z_levels;
    kst_volume_decode_options decode;
    char axis; /* of a slice: x, y or z */
    uint32_t index;
    bool json;
};

/* A volume that was read from a file, whose samples may be the file's own bytes. */
struct volume_file {
    struct source source;
    void *samples; /* from malloc, if they are not the file's bytes; otherwise null */
    kst_volume volume;
};

/* volume_files.c: read a NIfTI-1 file, or raw samples if the settings have a shape; and write either by its name. */
bool volume_read(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem);
void volume_release(struct volume_file *file);
bool volume_write(
    const char *name, const kst_volume *volume, const struct volume_settings *settings, struct problem *problem);

/* Return whether a name ends as those of NIfTI-1 files do. */
bool volume_is_nifti(const char *name);

/*
 * volume_nifti.c: describe the volume of a NIfTI-1 file, whose samples begin at `offset`; `swapped` if their bytes are
 * in the other order than the machine's. And write the header of one, up to its samples.
 */
enum { NIFTI_HEADER = 352 /* with the bytes that say that no extension follows */ };
bool nifti_read(
    const struct source *source, kst_volume *volume, uint64_t *offset, bool *swapped, struct problem *problem);
bool nifti_write(const kst_volume *volume, uint8_t header[NIFTI_HEADER], struct problem *problem);

/* volume_run.c: the actions. Each returns an exit code, after a message if it is not 0. */
int volume_encode(struct volume_settings *settings, char **names);
int volume_decode(struct volume_settings *settings, char **names);
int volume_info(struct volume_settings *settings, char **names);
int volume_slice(struct volume_settings *settings, char **names);

#endif
