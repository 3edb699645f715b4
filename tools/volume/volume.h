/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the source files of the verb 'volume' share: options, and volumes in files. */
#ifndef KOSTKA_TOOL_VOLUME_H
#define KOSTKA_TOOL_VOLUME_H

#include <kostka/kostka_volume.h>

#include "options/options.h"

enum { VOLUME_SIDE_MAX = 1 << 27 /* the most samples along an axis */ };

/* Describes the position of a volume's samples in space. */
struct volume_grid {
    double spacing[3]; /* distance of samples along z, y and x; 1 if not known */
    uint8_t unit;      /* as in NIfTI-1: 1 metre, 2 millimetre, 3 micrometre; 0: not known */
};

/* volume/nifti.c: return OME-Zarr's name of a unit (null: none), and the unit with a name. */
const char *volume_unit_name(uint8_t unit);
uint8_t volume_unit(const char *name);

struct volume_settings {
    struct common_options common;
    struct j2k_settings j2k;
    kst_context *context; /* of the device, or of the first one */
    struct relay *relay;  /* several devices, which share the bricks of a store; null: there is one (devices.c) */
    kst_volume raw;       /* shape and type of raw samples to read; a width or number of bits of 0: not known */
    enum byte_order order;
    uint32_t z_levels;
    const char *layers; /* how many are made, or decoded, as text; null: it is not said */
    kst_volume_decode_options decode;
    char axis; /* axis of a slice: x, y or z */
    uint32_t index;
    bool json;
    uint32_t brick[3];  /* samples of a brick of a store along z, y and x; 0: default */
    uint32_t shards[3]; /* bricks of a shard; 0: there are no shards */
    double error;       /* the most by which a sample of single precision may differ; 0: not asked for */
    uint32_t repeat;    /* how often is measured */
    bool resume;        /* a store that was not finished goes on */
    struct shard shard; /* the share of a store's files that is made */
    const char *words;  /* the options as the user wrote them, by which calls are compared */
    bool by_slices;     /* a store's bricks are slices, for other readers */
};

/* Return the bytes of a sample in memory. */
static inline size_t volume_sample_bytes(const kst_volume *volume)
{
    return volume->bits > 16 ? 4 : volume->bits > 8 ? 2 : 1;
}

struct store;
struct segy;

/* Describes a volume in a file. After volume_read() its samples may be the file's own bytes. */
struct volume_file {
    struct source source;
    struct store *store; /* null: the file is no store */
    struct segy *segy;   /* null: it is no SEG-Y file */
    bool whole;          /* `samples` has all of them, in the machine's order: of TIFF and compressed files */
    void *samples;       /* from malloc, if they are not the file's bytes; otherwise null */
    uint64_t offset;     /* of the first sample */
    bool swapped;        /* samples are in the other order of bytes than the machine's */
    bool narrowed;       /* they are integers of 32 bits, of which the volume has fewer: each is checked */
    bool doubles;        /* they have double precision in the file, and single precision in the volume */
    uint64_t rounded;    /* how many of these are not the same in single precision */
    kst_volume volume;
    struct volume_grid grid;
};

/*
 * volume/files.c: open raw samples if the settings have a shape, otherwise a file of the format that the name states: a
 * Zarr store, a SEG-Y, TIFF or NIfTI-1 file. `volume` receives its size and type, but no samples.
 */
bool volume_open(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem);

/* volume/files.c: read whole rows `y` to `y + height` of slices `z` to `z + depth` to `to`, without padding. */
bool volume_read_rows(const struct volume_file *file, const struct volume_settings *settings, const kst_box *rows,
    uint8_t *to, struct problem *problem);

/* volume/files.c: open a volume and read all of its samples. */
bool volume_read(
    const char *name, const struct volume_settings *settings, struct volume_file *file, struct problem *problem);
void volume_release(struct volume_file *file);

/* volume/files_write.c: write a SEG-Y, TIFF or NIfTI-1 file, or raw samples, as the name states. */
bool volume_write(const char *name, const kst_volume *volume, const struct volume_grid *grid,
    const struct volume_settings *settings, struct problem *problem);

/*
 * volume/files_write.c: write the volume of a store as such a file, some bricks at a time (for TIFF, all at once).
 * `box` is a part of the reduced volume.
 */
bool volume_write_store(const char *name, const struct store *store, const kst_box *box,
    const struct volume_settings *settings, struct problem *problem);

/* volume/files_write.c: write bytes at an offset of a file, or behind the previous bytes if bytes must be in order. */
bool volume_put(struct output *output, uint64_t at, const void *data, size_t length, struct problem *problem);

/*
 * volume/names.c: check the name of an output that is coded (.jhc means code-blocks of HTJ2K), or that has samples.
 * Returns an exit code, after a message if it is not 0.
 */
int volume_check_coded(const char *name, kst_j2k_options *options);
int volume_check_samples(const char *name);

/* Return whether a name ends as those of NIfTI-1 files do (.nii or .nii.gz), and whether such a file is compressed. */
bool volume_is_nifti(const char *name);
bool volume_is_packed(const char *name);

/*
 * volume/nifti.c: describe the volume of an open NIfTI-1 file, or by the header of one that has `length` bytes or
 * fewer, and write the header of one, up to its samples.
 */
enum { NIFTI_READ = 348, NIFTI_HEADER = 352 /* with the bytes that say that no extension follows */ };
bool nifti_read(struct volume_file *file, struct problem *problem);
bool nifti_describe(
    const uint8_t header[NIFTI_READ], uint64_t length, struct volume_file *file, struct problem *problem);
bool nifti_write(
    const kst_volume *volume, const struct volume_grid *grid, uint8_t header[NIFTI_HEADER], struct problem *problem);

/*
 * volume/nifti_samples.c: read all samples of an open NIfTI-1 file that is compressed; turn `count` samples of double
 * precision from sample `from` on; and count those of a file that is not compressed which single precision changes.
 */
bool nifti_unpack(struct volume_file *file, uint64_t max_memory, struct problem *problem);
bool nifti_read_doubles(const struct volume_file *file, uint64_t from, size_t count, uint8_t *to, uint64_t *rounded,
    struct problem *problem);
bool nifti_count_rounded(struct volume_file *file, struct problem *problem);

/* volume/run.c: the actions. Each returns an exit code, after a message if it is not 0. */
int volume_encode(struct volume_settings *settings, char **names);
int volume_decode(struct volume_settings *settings, char **names);
int volume_info(struct volume_settings *settings, char **names);
int volume_slice(struct volume_settings *settings, char **names);

/* volume/bench.c: encode and decode a volume in memory, and print sizes, errors and times. Returns an exit code. */
int volume_bench(struct volume_settings *settings, char **names);

#endif
