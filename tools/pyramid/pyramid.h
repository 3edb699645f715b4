/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares pyramids in TIFF files, as scanners of microscope slides write them: a picture in several sizes, its levels,
 * each cut into tiles that are JPEG or JPEG 2000 streams; and associated pictures such as a label.
 */
#ifndef KOSTKA_TOOL_PYRAMID_H
#define KOSTKA_TOOL_PYRAMID_H

#include "files/files.h"
#include "files/tiff/ifd.h"

enum {
    PYRAMID_DIRECTORIES_MAX = 4096, /* as many are read of a file */
    PYRAMID_ENTRIES_MAX = 1 << 17,  /* of all directories; directories that overlap could have many more */
    PYRAMID_LEVELS_MAX = 64,
    PYRAMID_HEADERS_MAX = 1 << 14 /* bytes of JPEGTables or of a stream's headers, which are copied for each tile */
};

/* Values of the tag Compression. */
enum pyramid_compression {
    COMPRESSED_JPEG_OLD = 6, /* TIFF 6.0, section 22 */
    COMPRESSED_JPEG = 7,     /* TIFF Technical Note 2 */
    COMPRESSED_J2K_YCBCR = 33003,
    COMPRESSED_J2K_LOSSY = 33004,
    COMPRESSED_J2K_RGB = 33005,
    COMPRESSED_J2K = 34712
};

/* Values of the tag PhotometricInterpretation that are decoded. */
enum pyramid_photometric { PHOTOMETRIC_BLACK_IS_ZERO = 1, PHOTOMETRIC_OF_RGB = 2, PHOTOMETRIC_OF_YCBCR = 6 };

enum pyramid_role { ROLE_OTHER, ROLE_LEVEL, ROLE_THUMBNAIL, ROLE_LABEL, ROLE_MACRO };

/* A level of NDPI: one JPEG stream whose restart intervals are tiles as high as an MCU. */
struct pyramid_strip {
    const uint8_t *data;           /* null: it is none */
    uint64_t at, end;              /* where the stream begins and ends in the file */
    size_t header;                 /* bytes up to the first interval */
    struct ifd_entry starts, high; /* of intervals, from the stream's beginning: low halves; and high ones, if any */
};

/* One directory's picture. Strips count as tiles that are as wide as the picture. */
struct pyramid_image {
    uint64_t at;        /* the offset of its directory */
    uint64_t directory; /* its number along the chain; for one below another, the other's */
    enum pyramid_role role;
    uint32_t width, height;
    uint32_t tile_width, tile_height;
    uint32_t across, down; /* tiles in a row and in a column; 0: it has a fault */
    uint32_t compression, photometric, samples, bits, subfile;
    bool tiled;
    float lens;                        /* NDPI: the magnification of a level; 0: it is none */
    struct ifd_entry offsets, lengths; /* of tiles, an element each */
    struct pyramid_strip strip;
    struct ifd_entry tables; /* JPEGTables; no elements: there are none */
    char fault[128];         /* why its tiles are not decoded; empty: they are */
};

struct pyramid {
    struct source source;
    struct ifd_bytes bytes;
    struct pyramid_image *image; /* from malloc, in the order of the file */
    size_t count;
    size_t level[PYRAMID_LEVELS_MAX]; /* indices of images, the largest first */
    size_t level_count;
    const char *kind;             /* who writes such files: "aperio", "ome", "hamamatsu" … or "generic" */
    struct ifd_entry description; /* the first directory's; no elements: none */
    struct ifd_entry icc;         /* likewise */
    double microns_x, microns_y, magnification; /* 0: not known */
    uint64_t entries;                           /* of all directories that were read */
    uint64_t damage;                            /* directories that cannot be read, or that follow in a circle */
    uint64_t damage_at;                         /* the offset of the first of them */
};

/* pyramid/levels.c: reads the directories of a file that has been read or mapped as a whole. */
bool pyramid_open(struct pyramid *pyramid, const char *name, uint64_t max_memory, struct problem *problem);
void pyramid_release(struct pyramid *pyramid);

/*
 * Returns a level, or an associated picture by its name, "label", "macro" or "thumbnail", whose tiles can be decoded,
 * or which is plain (pyramid_is_plain); null after a problem.
 */
const struct pyramid_image *pyramid_level(const struct pyramid *pyramid, uint32_t level, struct problem *problem);
const struct pyramid_image *pyramid_named(const struct pyramid *pyramid, const char *name, struct problem *problem);
const char *pyramid_role_name(enum pyramid_role role);

/* pyramid/directory.c: reads a directory into `image`. Faults are noted there. */
void pyramid_read_image(const struct ifd_bytes *bytes, const struct ifd *ifd, struct pyramid_image *image);
const char *pyramid_compression_name(uint32_t compression);

/*
 * pyramid/ndpi.c: returns whether the directory is one of NDPI. Lets the restart intervals of a picture be its tiles,
 * if it has any and the file says where they are. Finds the bytes of an interval; false: the file does not say where.
 */
bool pyramid_is_ndpi(const struct ifd_bytes *bytes, uint64_t at);
void pyramid_read_ndpi(const struct ifd_bytes *bytes, const struct ifd *ifd, struct pyramid_image *image);
bool pyramid_interval(
    const struct pyramid *pyramid, const struct pyramid_image *image, uint64_t index, uint64_t *at, uint64_t *length);

/* pyramid/text.c: finds the size of a pixel and the magnification in the first directory. */
void pyramid_read_scale(struct pyramid *pyramid, const struct ifd *ifd);

/* Returns whether an entry of text contains a word. */
bool pyramid_text_has(const struct ifd_entry *entry, const char *word);

/* Holds the bytes of a tile in the file. */
struct pyramid_tile {
    const uint8_t *data; /* null: there are none, or not in the file */
    size_t length;
    uint64_t at;            /* their offset as the file says it */
    bool missing;           /* the file says that it has no such tile */
    uint32_t x, y;          /* of its top left pixel in the picture */
    uint32_t width, height; /* its part of the picture */
};

/* pyramid/stream.c: finds what the directory says of the bytes of a tile or strip, which may be outside of the file. */
bool pyramid_bytes(
    const struct pyramid *pyramid, const struct pyramid_image *image, uint64_t index, uint64_t *at, uint64_t *length);

/* Finds tile number `index`, in raster order. */
void pyramid_tile(
    const struct pyramid *pyramid, const struct pyramid_image *image, uint64_t index, struct pyramid_tile *tile);

/*
 * Makes a stream of a tile that stands by itself: a JPEG file with the tables, and a marker that says which colours the
 * directory has; or JPEG 2000 in a JP2 file that says so, if its codestream alone does not. Returns false, with a
 * problem, if the bytes are no such stream or hold another picture than the directory says.
 */
struct pyramid_stream {
    uint8_t *made; /* from malloc; null: the stream is the bytes of the file */
    const uint8_t *data;
    size_t length;
};
bool pyramid_stream(const struct pyramid_image *image, const struct pyramid_tile *tile, struct pyramid_stream *stream,
    struct problem *problem);

/* Returns whether tiles are JPEG 2000. */
bool pyramid_is_j2k(const struct pyramid_image *image);

/* Returns whether tiles of JPEG 2000 have samples of YCbCr. */
bool pyramid_j2k_ycbcr(const struct pyramid_image *image);

/* Counts tiles that were not decoded as they should, and says what is wrong with the first damaged one. */
struct pyramid_losses {
    uint64_t damaged, missing;
    char first[256];
};

/*
 * pyramid/plain.c: returns whether this is an associated picture of a compression that other TIFF files have, and reads
 * such a picture as a whole.
 */
bool pyramid_is_plain(const struct pyramid_image *image);
bool pyramid_read_plain(const struct pyramid *pyramid, const struct pyramid_image *image,
    const struct file_settings *settings, struct picture *picture, struct problem *problem);

/* pyramid/decode.c: returns whether a region lies within an image; one without a width becomes the whole. */
bool pyramid_fit_region(const struct pyramid_image *image, kst_region *region, struct problem *problem);

/* Decodes a part of an image, within it, to a picture where what is missing is white. */
bool pyramid_decode(const struct pyramid *pyramid, const struct pyramid_image *image, const kst_region *region,
    const struct file_settings *settings, struct picture *picture, struct pyramid_losses *losses,
    struct problem *problem);

#endif
