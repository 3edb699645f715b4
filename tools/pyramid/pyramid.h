/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares pyramids in TIFF files, as scanners of microscope slides write them: a picture in several sizes, its levels,
 * each divided into tiles that are JPEG or JPEG 2000 streams; and associated pictures such as a label.
 */
#ifndef KOSTKA_TOOL_PYRAMID_H
#define KOSTKA_TOOL_PYRAMID_H

#include "files/files.h"
#include "files/tiff/ifd.h"

enum {
    PYRAMID_DIRECTORIES_MAX = 4096, /* the most directories that are read of a file */
    PYRAMID_ENTRIES_MAX = 1 << 17,  /* of all directories; those that overlap could have many more */
    PYRAMID_LEVELS_MAX = 64,
    PYRAMID_HEADERS_MAX = 1 << 14 /* the most bytes of JPEGTables, or of a stream's headers: each tile gets a copy */
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

/* Describes a level of NDPI: one JPEG stream whose restart intervals serve as tiles of the height of an MCU. */
struct pyramid_strip {
    const uint8_t *data;           /* null: the picture is not such a level */
    uint64_t at, end;              /* where the stream begins and ends in the file */
    size_t header;                 /* bytes up to the first interval */
    struct ifd_entry starts, high; /* of intervals, from the stream's beginning: low 32 bits; high ones if present */
};

/* Describes the picture of one directory. Strips count as tiles of the picture's width. */
struct pyramid_image {
    uint64_t at;        /* the offset of its directory */
    uint64_t directory; /* its number in the chain; a subdirectory has that of its parent */
    enum pyramid_role role;
    uint32_t width, height;
    uint32_t tile_width, tile_height;
    uint32_t across, down; /* tiles in a row and in a column; 0: the picture has a fault */
    uint32_t compression, photometric, samples, bits, subfile;
    bool tiled;
    float lens;                        /* NDPI: the magnification of a level; 0: it is no level */
    struct ifd_entry offsets, lengths; /* of tiles, one element each */
    struct pyramid_strip strip;
    struct ifd_entry tables; /* JPEGTables; no elements: there are none */
    char fault[128];         /* why the tiles cannot be decoded; empty: they can */
};

struct pyramid {
    struct source source;
    struct ifd_bytes bytes;
    struct pyramid_image *image; /* from malloc, in the order of the file */
    size_t count;
    size_t level[PYRAMID_LEVELS_MAX]; /* indices of images, the largest first */
    size_t level_count;
    const char *kind;                           /* vendor or format: "aperio", "ome", "hamamatsu" … or "generic" */
    struct ifd_entry description;               /* the first directory's description; no elements: none */
    struct ifd_entry icc;                       /* likewise */
    double microns_x, microns_y, magnification; /* 0: not known */
    uint64_t entries;                           /* number of entries of all directories that were read */
    uint64_t damage;                            /* number of directories that cannot be read, or that form a circle */
    uint64_t damage_at;                         /* the offset of the first of them */
};

/* pyramid/levels.c: reads the directories of a file that has been read or mapped as a whole. */
bool pyramid_open(struct pyramid *pyramid, const char *name, uint64_t max_memory, struct problem *problem);
void pyramid_release(struct pyramid *pyramid);

/*
 * Returns a level; or an associated picture by its name, "label", "macro" or "thumbnail". Its tiles can be decoded, or
 * it is plain (pyramid_is_plain). Returns null, with the problem, if there is no such picture.
 */
const struct pyramid_image *pyramid_level(const struct pyramid *pyramid, uint32_t level, struct problem *problem);
const struct pyramid_image *pyramid_named(const struct pyramid *pyramid, const char *name, struct problem *problem);
const char *pyramid_role_name(enum pyramid_role role);

/* pyramid/directory.c: reads a directory into `image`, which then says what is wrong with it. */
void pyramid_read_image(const struct ifd_bytes *bytes, const struct ifd *ifd, struct pyramid_image *image);
const char *pyramid_compression_name(uint32_t compression);

/*
 * pyramid/ndpi.c: returns whether the directory is one of NDPI. Makes tiles of the restart intervals of a picture, if
 * it has any and the file lists where they begin. Finds the bytes of an interval; false: the file does not list them.
 */
bool pyramid_is_ndpi(const struct ifd_bytes *bytes, uint64_t at);
void pyramid_read_ndpi(const struct ifd_bytes *bytes, const struct ifd *ifd, struct pyramid_image *image);
bool pyramid_interval(
    const struct pyramid *pyramid, const struct pyramid_image *image, uint64_t index, uint64_t *at, uint64_t *length);

/* pyramid/text.c: finds the size of a pixel and the magnification in the first directory. */
void pyramid_read_scale(struct pyramid *pyramid, const struct ifd *ifd);

/* Returns whether an entry of text contains a word. */
bool pyramid_text_has(const struct ifd_entry *entry, const char *word);

/* Describes a tile, and its bytes in the file. */
struct pyramid_tile {
    const uint8_t *data; /* null: the tile has no bytes, or they are not in the file */
    size_t length;
    uint64_t at;            /* their offset according to the file */
    bool missing;           /* the file says that it does not have this tile */
    uint32_t x, y;          /* place of its top left pixel in the picture */
    uint32_t width, height; /* size of the part that lies in the picture */
};

/*
 * pyramid/stream.c: finds the offset and length of a tile or strip according to the directory; they may lie outside of
 * the file.
 */
bool pyramid_bytes(
    const struct pyramid *pyramid, const struct pyramid_image *image, uint64_t index, uint64_t *at, uint64_t *length);

/* Describes tile number `index`, in raster order. */
void pyramid_tile(
    const struct pyramid *pyramid, const struct pyramid_image *image, uint64_t index, struct pyramid_tile *tile);

/*
 * Makes a complete stream of a tile: a JPEG file with the tables, and a marker for the directory's colours; or a JPEG
 * 2000 codestream, in a JP2 file if only that can state the colours. Returns false, with a problem, if the bytes are no
 * such stream, or if they hold another picture than the directory says.
 */
struct pyramid_stream {
    uint8_t *made; /* from malloc; null: the stream is a part of the file */
    const uint8_t *data;
    size_t length;
};
bool pyramid_stream(const struct pyramid_image *image, const struct pyramid_tile *tile, struct pyramid_stream *stream,
    struct problem *problem);

/* Returns whether tiles are JPEG 2000. */
bool pyramid_is_j2k(const struct pyramid_image *image);

/* Returns whether tiles of JPEG 2000 hold samples of YCbCr. */
bool pyramid_j2k_ycbcr(const struct pyramid_image *image);

/* Counts tiles that could not be decoded completely, and says what is wrong with the first damaged one. */
struct pyramid_losses {
    uint64_t damaged, missing;
    char first[256];
};

/*
 * pyramid/plain.c: returns whether an image is an associated picture with a compression that ordinary TIFF files have;
 * and reads such a picture as a whole.
 */
bool pyramid_is_plain(const struct pyramid_image *image);
bool pyramid_read_plain(const struct pyramid *pyramid, const struct pyramid_image *image,
    const struct file_settings *settings, struct picture *picture, struct problem *problem);

/* pyramid/decode.c: returns whether a region lies within an image. A region without a width becomes the whole image. */
bool pyramid_fit_region(const struct pyramid_image *image, kst_region *region, struct problem *problem);

/* Decodes a region of an image to a picture, where missing tiles are white. */
bool pyramid_decode(const struct pyramid *pyramid, const struct pyramid_image *image, const kst_region *region,
    const struct file_settings *settings, struct picture *picture, struct pyramid_losses *losses,
    struct problem *problem);

#endif
