/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes JP2 files (T.800 Annex I): the boxes around a codestream. */
#ifndef KOSTKA_J2K_WRITE_FILE_WRITER_H
#define KOSTKA_J2K_WRITE_FILE_WRITER_H

#include "j2k/write/write.h"

/* Describes a box to be copied into the file, without its header. */
struct j2k_raw_box {
    uint32_t type; /* made by J2K_BOX() */
    const uint8_t *data;
    size_t length;
    bool behind; /* the box goes behind the codestream; otherwise between jp2h and the codestream */
};

/*
 * Lists the widths of a box's length field: chosen by the size of the code-blocks, or, before they are coded, fixed at
 * 4 bytes (narrow) or 8 bytes (wide).
 */
enum j2k_box_width { J2K_WIDTH_BY_BLOCKS, J2K_WIDTH_NARROW, J2K_WIDTH_WIDE };

struct j2k_file_writing {
    /* ENUMERATED uses colour_space, ICC uses icc, POINTS uses points; NONE is not allowed. */
    enum j2k_colour_method colour;
    uint32_t colour_space; /* EnumCS: J2K_COLOUR_SPACE_… */
    const uint8_t *icc;
    size_t icc_length;
    kst_code_points points;
    bool unknown_colour; /* UnkC of ihdr: the colour space is a guess */
    struct {
        uint16_t entries;     /* 1–1,024; 0: no palette */
        uint8_t columns;      /* 1–255 */
        const uint8_t *depth; /* for each column: bits − 1, plus 0x80 if signed */
        const int64_t *value; /* entry by entry, each with all of its columns */
    } palette;
    const struct j2k_channel_mapping *mapping; /* cmap, which exists if and only if there is a palette */
    uint32_t mapping_count;
    const struct j2k_channel_definition *definition; /* cdef */
    uint32_t definition_count;
    struct j2k_resolution_box capture, display;
    const struct j2k_raw_box *box; /* further boxes, such as xml and uuid */
    uint32_t box_count;
    enum j2k_box_width width; /* width of the length field of jp2c */
};

/*
 * Append a JP2 file with the codestream that kst_j2k_write() makes. Fails as that does, and with KST_ERROR_OPTIONS if
 * the boxes contradict each other or the components.
 */
kst_status kst_j2k_write_file(const struct operation *op, const struct j2k_coded *coded,
    const struct j2k_writing *writing, const struct j2k_file_writing *file, struct sink *sink);

/* Do the same with a codestream that was made before. */
kst_status kst_j2k_put_file(const struct j2k_coded *coded, const struct j2k_codestream *stream,
    const struct j2k_file_writing *file, struct sink *sink, kst_report *report);

/*
 * Do the same in steps, for codestreams that are written some tiles at a time. kst_j2k_file_begin() writes everything
 * in front of jp2c, and the header of jp2c, whose length field must have a fixed width. Once the codestream has been
 * written, kst_j2k_file_end() sets the box's length, and writes everything behind. `box` is the position of jp2c in the
 * sink.
 */
kst_status kst_j2k_file_begin(const struct j2k_coded *coded, const struct j2k_file_writing *file, struct sink *sink,
    uint64_t *box, kst_report *report);
kst_status kst_j2k_file_end(const struct j2k_file_writing *file, struct sink *sink, uint64_t box, kst_report *report);

/* Write the signature box, and a file type box with brand and compatibility `jp2 `, or `jph ` (T.814 Annex D). */
void kst_j2k_put_signature(struct sink *sink, bool has_ht);

/* Write the header box jp2h. */
void kst_j2k_put_file_header(struct sink *sink, const struct j2k_stream *headers, const struct j2k_file_writing *file);

/* Write ihdr, and bpcc if components have different depths. */
void kst_j2k_put_image_header(struct sink *sink, const struct j2k_stream *headers, bool unknown_colour, bool rights);

/* Write the box jp2c with the codestream. */
kst_status kst_j2k_put_codestream_box(
    const struct operation *op, const struct j2k_coded *coded, const struct j2k_writing *writing, struct sink *sink);

/* Begin and end a box. Its contents are what is written in between; its length must fit in 32 bits. */
size_t kst_j2k_box_begin(struct sink *sink, uint32_t type);
void kst_j2k_box_end(struct sink *sink, size_t begin);

/* Write a whole box of any length. */
void kst_j2k_put_box(struct sink *sink, uint32_t type, const void *data, size_t length);

#endif
