/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the files of the verb 'volume' share: options, and volumes in files. */
#ifndef KOSTKA_TOOL_VOLUME_H
#define KOSTKA_TOOL_VOLUME_H

#include <kostka/kostka_volume.h>

#include "options/options.h"

enum { VOLUME_SIDE_MAX = 1 << 27 /* samples along an axis */ };

/* Says where the samples of a volume lie in space. */
struct volume_grid {
    double spacing[3]; /* from sample to sample along z, y and x; 1 where it is not known */
    uint8_t unit;      /* as in NIfTI-1: 1 metre, 2 millimetre, 3 micrometre; 0: not known */
};

/* volume/nifti.c: the name that OME-Zarr has for a unit (null: none), and the unit of a name. */
const char *volume_unit_name(uint8_t unit);
uint8_t volume_unit(const char *name);

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
    uint32_t brick[3];  /* of a store: samples of a brick along z, y and x; 0: by default */
    uint32_t shards[3]; /* bricks of a shard; 0: there are no shards */
    double error;       /* the most by which a sample of single precision may differ; 0: not asked for */
    uint32_t repeat;    /* how often is measured */
    bool by_slices;     /* a store's bricks are slices, for other readers */
};

/* Return the bytes of a sample in memory. */
static inline size_t volume_sample_bytes(const kst_volume *volume)
{
    return volume->bits > 16 ? 4 : volume->bits > 8 ? 2 : 1;
}

struct store;
struct segy;

/* A volume in a file. After volume_read() its samples may be the file's own bytes. */
struct volume_file {
    struct source source;
    struct store *store; /* null: the file is no store */
    struct segy *segy;   /* null: it is no SEG-Y file */
    bool stack;          /* it is a TIFF file: `samples` has all pages */
    void *samples;       /* from malloc, if they are not the file's bytes; otherwise null */
    uint64_t offset;     /* of the first sample */
    bool swapped;        /* samples are in the other order of bytes than the machine's */
    kst_volume volume;
    struct volume_grid grid;
};

/*
 * volume/files.c: open raw samples if the settings have a shape, or else what the name says: a Zarr store, a SEG-Y,
 * TIFF or NIfTI-1 file. `volume` has its size and type, but no samples.
 */
bool volume_open(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem);

/* volume/files.c: read rows `y` to `y + height` of slices `z` to `z + depth`, which are whole, to `to` without padding.
 */
bool volume_read_rows(const struct volume_file *file, const struct volume_settings *settings, const kst_box *rows,
    uint8_t *to, struct problem *problem);

/* volume/files.c: open a volume and read all of its samples. */
bool volume_read(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem);
void volume_release(struct volume_file *file);

/* volume/files.c: write a SEG-Y, TIFF or NIfTI-1 file, or raw samples, by the name. */
bool volume_write(const char *name, const kst_volume *volume, const struct volume_grid *grid,
    const struct volume_settings *settings, struct problem *problem);

/*
 * volume/files.c: write the volume of a store as such a file, some of its bricks at a time (all of a TIFF file). `box`
 * is a part of the reduced volume.
 */
bool volume_write_store(const char *name, const struct store *store, const kst_box *box,
    const struct volume_settings *settings, struct problem *problem);

/* volume/files.c: write bytes at an offset of a file, or behind the others where bytes must be in order. */
bool volume_put(struct output *output, uint64_t at, const void *data, size_t length, struct problem *problem);

/*
 * volume/names.c: check the name of an output that is coded (.jhc asks for code-blocks of HTJ2K), or that has samples.
 * Return an exit code, after a message if it is not 0.
 */
int volume_check_coded(const char *name, kst_j2k_options *options);
int volume_check_samples(const char *name);

/* Return whether a name ends as those of NIfTI-1 files do. */
bool volume_is_nifti(const char *name);

/* volume/nifti.c: describe the volume of an open NIfTI-1 file, and write the header of one, up to its samples. */
enum { NIFTI_HEADER = 352 /* with the bytes that say that no extension follows */ };
bool nifti_read(struct volume_file *file, struct problem *problem);
bool nifti_write(
    const kst_volume *volume, const struct volume_grid *grid, uint8_t header[NIFTI_HEADER], struct problem *problem);

/* volume/run.c: the actions. Each returns an exit code, after a message if it is not 0. */
int volume_encode(struct volume_settings *settings, char **names);
int volume_decode(struct volume_settings *settings, char **names);
int volume_info(struct volume_settings *settings, char **names);
int volume_slice(struct volume_settings *settings, char **names);

/* volume/bench.c: encode and decode a volume in memory, and print sizes, errors and times. Returns an exit code. */
int volume_bench(struct volume_settings *settings, char **names);

#endif
