/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares arrays of Zarr stores: their metadata, their bricks, and reading them (docs/formats/zarr.md). */
#ifndef KOSTKA_TOOL_VOLUME_STORE_H
#define KOSTKA_TOOL_VOLUME_STORE_H

#include "print/json.h"
#include "progress/progress.h"
#include "volume/unpack.h"
#include "volume/volume.h"

enum {
    AXES = 3,                 /* z, y, x: the order of all arrays in this header */
    STORE_SHARD_MAX = 1 << 12 /* the most bricks of a shard */
};

/* Says what the bytes of a brick are. */
enum brick_coder {
    BRICK_VOLUME, /* a codestream of the codec "kostka" */
    BRICK_IMAGE,  /* a picture of JPEG 2000, which is one slice; "ht" or not makes no difference to a reader */
    BRICK_BYTES   /* samples as they are, perhaps packed */
};

/* Holds the index of the shard that was read last, for further bricks of that shard. */
struct shard_index {
    uint32_t shard[AXES]; /* the shard's index along each axis */
    uint8_t *entries;     /* from malloc; null: none has been read */
};

/* Holds the packed brick that was expanded last, because rows of a large one are read a few at a time. */
struct expanded_brick {
    uint32_t at[AXES];
    uint8_t *samples; /* from malloc; null: none has been expanded */
};

/* An array in a folder: `shape` samples in bricks, some of which may lie in shards. */
struct store {
    char *folder; /* from malloc */
    uint32_t shape[AXES];
    uint32_t brick[AXES];
    uint32_t shard[AXES]; /* bricks of a shard along each axis */
    bool sharded;
    bool index_first;    /* a shard begins with its index instead of ending with it */
    bool index_checked;  /* the index has a CRC-32C */
    bool bricks_checked; /* each brick is followed by a CRC-32C */
    uint8_t bits;        /* bits of the data type: 8, 16 or 32 */
    bool is_signed;
    bool is_float; /* samples are of single precision, bits 32 */
    bool scaled;   /* samples are integers in the codestreams: x = q / scale + offset (floats.c) */
    double scale, offset;
    int64_t fill; /* the value of the samples of missing bricks */
    enum brick_coder coder;
    bool ht;              /* BRICK_IMAGE: the codec's name says HTJ2K */
    bool big_endian;      /* BRICK_BYTES */
    enum packing packing; /* BRICK_BYTES: how they are compressed */
    uint32_t reduce;      /* levels across slices, and along z, that the array's codec leaves out of each codestream */
    uint32_t reduce_z;
    char separator;  /* '/' or '.' in a brick's key */
    bool plain_keys; /* keys do not begin with "c" */
    struct volume_grid grid;
    uint64_t max_memory;
    struct shard_index *known;       /* from malloc, of a store that was opened */
    struct expanded_brick *expanded; /* from malloc, of a store that was opened */
};

/* Return whether a name is that of a store: it ends in .zarr, or is a folder with metadata of Zarr. */
bool store_is_named(const char *name);

/*
 * Open an array whose metadata are in the folder `name`, or the first array of an OME-Zarr group there. All metadata
 * are validated. The caller always releases the store.
 */
bool store_open(struct store *store, const char *name, uint64_t max_memory, struct problem *problem);
void store_release(struct store *store);

/*
 * metadata.c: read the metadata of an array, version 3 (zarr.json) or 2 (.zarray), into a store whose folder and limit
 * are set.
 */
bool metadata_read_array(struct store *store, const json_t *root, struct problem *problem);
bool metadata_read_v2(struct store *store, const json_t *root, struct problem *problem);

/* metadata.c: find the first array of a group. `path` receives a name of one or more folders below it, from malloc. */
bool metadata_find_array(const json_t *root, char **path, struct volume_grid *grid, struct problem *problem);

/* metadata_write.c: write the metadata of an array, or of a group of `levels` arrays named 0, 1, ... */
bool metadata_write_array(const struct store *store, const char *folder, struct problem *problem);
bool metadata_write_group(const struct store *store, const char *folder, uint32_t levels, struct problem *problem);

/* Holds the bytes of a brick; no data if the brick is missing. */
struct brick_bytes {
    uint8_t *data; /* from malloc */
    size_t length;
};

/* shards.c: read the bytes of brick `at` from its file or its shard. */
bool brick_fetch(
    const struct store *store, const uint32_t at[AXES], struct brick_bytes *bytes, struct problem *problem);

/* Return the path of the file with brick `at` (of the shard with it), from malloc; null if out of memory. */
char *brick_path(const struct store *store, const uint32_t at[AXES]);

/* Writes a shard: its bricks one after the other, then the index. */
struct shard_writer;
struct shard_writer *shard_begin(const struct store *store, const uint32_t at[AXES], struct problem *problem);
bool shard_add(struct shard_writer *shard, const uint32_t at[AXES], const kst_buffer *coded, struct problem *problem);
bool shard_end(struct shard_writer *shard, bool good, struct problem *problem); /* always frees the writer */

/* Describes a part of a brick that is requested. */
struct brick_part {
    uint32_t at[AXES]; /* the brick's number in the store */
    kst_box box;       /* counted in its samples after the store's reduction and `reduce` */
    kst_volume target; /* where its samples go; its size is the box's */
    struct brick_bytes coded;
};

/*
 * bricks.c: decode parts of bricks whose bytes were read, all codestreams in one call. A problem is that of the first
 * bad brick in their order. `counted`: each brick is a step of progress.
 */
bool bricks_decode(const struct store *store, const struct volume_settings *settings, const struct brick_part *parts,
    size_t count, bool counted, struct problem *problem);

/* bricks.c: return whether a brick's expanded samples are kept, so that its bytes need not be read again. */
bool brick_is_expanded(const struct store *store, const uint32_t at[AXES]);

/*
 * store.c: return the bytes of samples that are worth more than a row of bricks: a GPU codes many bricks sooner than
 * few. `without` are those without a GPU; memory may have room for less.
 */
uint64_t store_band_bytes(const struct store *store, const struct volume_settings *settings, uint64_t without);

/*
 * store.c: read a box of an array that settings->decode reduces, some bricks at a time. `volume` describes the box and
 * has room for it: store_describe() sets its size and type. `counted`: each brick of store_bricks() is a step of
 * progress.
 */
bool store_describe(
    const struct store *store, const struct volume_settings *settings, kst_volume *whole, struct problem *problem);
bool store_read(const struct store *store, const struct volume_settings *settings, const kst_box *box,
    const kst_volume *volume, bool counted, struct problem *problem);
size_t store_bricks(const struct store *store, const struct volume_settings *settings, const kst_box *box);

/* encode_store.c: run the action "encode" for a store. */
int store_encode(struct volume_settings *settings, char **names);

/* floats.c: return the sample that an integer stands for in a store of scaled samples. */
float float_of(const struct store *store, int32_t value);

struct float_range {
    double low, high;
};

/*
 * Widen a range to include samples. Returns false, with the index of the first sample that is not finite, if there is
 * one.
 */
bool floats_look(struct float_range *range, const uint8_t *samples, size_t count, size_t *wrong);

/*
 * Choose how samples in a range are converted to integers of `bits` bits: such that none changes by more than `error`;
 * if that is 0, finely enough for lossy coding.
 */
bool floats_plan(
    struct store *store, const struct float_range *range, double error, uint8_t *bits, struct problem *problem);

/*
 * Convert samples to integers in place. Returns false, with the index of the sample, if one would change by more than
 * `error`.
 */
bool floats_quantise(const struct store *store, uint8_t *samples, size_t count, double error, size_t *wrong);

/* Convert samples to grey of 16 bits in place: the least becomes 0, the greatest 65535. */
void floats_show(uint8_t *samples, size_t count);

/* crc32c.c: return the CRC-32C (Castagnoli) of bytes. */
uint32_t crc32c(const void *data, size_t length);

#endif
