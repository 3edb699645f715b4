/* SPDX-License-Identifier: BSD-2-Clause */
/* JP2 files (T.800 Annex I): the boxes around a codestream. */
#ifndef KOSTKA_J2K_WRITE_FILE_WRITER_H
#define KOSTKA_J2K_WRITE_FILE_WRITER_H

#include "j2k/write/write.h"

/* A box as it stands in the file, its header aside. */
struct j2k_raw_box {
    uint32_t type; /* J2K_BOX() */
    const uint8_t *data;
    size_t length;
    bool behind; /* the codestream; else between jp2h and it */
};

/* Of a box's length: by what code-blocks take, or as is settled before they are coded. */
enum j2k_box_width { J2K_WIDTH_BY_BLOCKS, J2K_WIDTH_NARROW, J2K_WIDTH_WIDE };

struct j2k_file_writing {
    enum j2k_colour_method colour; /* ENUMERATED: colour_space; ICC: icc; NONE is not allowed */
    uint32_t colour_space;         /* EnumCS: J2K_COLOUR_SPACE_… */
    const uint8_t *icc;
    size_t icc_length;
    bool unknown_colour; /* UnkC of ihdr: the colour space is a guess */
    struct {
        uint16_t entries;     /* 1–1,024; 0: no palette */
        uint8_t columns;      /* 1–255 */
        const uint8_t *depth; /* of each column: bits − 1, and 0x80 where signed */
        const int64_t *value; /* entry by entry, column by column */
    } palette;
    const struct j2k_channel_mapping *mapping; /* cmap; goes with a palette and only with one */
    uint32_t mapping_count;
    const struct j2k_channel_definition *definition; /* cdef */
    uint32_t definition_count;
    struct j2k_resolution_box capture, display;
    const struct j2k_raw_box *box; /* xml, uuid and the like */
    uint32_t box_count;
    enum j2k_box_width width; /* of the length of jp2c */
};

/*
 * Append a JP2 file with the codestream that kst_j2k_write() gives. Fails as that does, and with KST_ERROR_OPTIONS
 * where the boxes contradict each other or the components.
 */
kst_status kst_j2k_write_file(struct memory *memory, const struct j2k_coded *coded, const struct j2k_writing *writing,
    const struct j2k_file_writing *file, struct sink *sink, kst_report *report);

/* The same around a codestream that is made. */
kst_status kst_j2k_put_file(const struct j2k_coded *coded, const struct j2k_codestream *stream,
    const struct j2k_file_writing *file, struct sink *sink, kst_report *report);

/*
 * The same in steps, for codestreams that are written some tiles at a time: all in front of jp2c and its header, whose
 * width must be settled; when the codestream is there, the box's length and what stands behind it. `box`: where it
 * begins.
 */
kst_status kst_j2k_file_begin(const struct j2k_coded *coded, const struct j2k_file_writing *file, struct sink *sink,
    uint64_t *box, kst_report *report);
kst_status kst_j2k_file_end(const struct j2k_file_writing *file, struct sink *sink, uint64_t box, kst_report *report);

/* The signature box and a file type box: brand and compatibility `jp2 `. */
void kst_j2k_put_signature(struct sink *sink);

/* The header box jp2h. */
void kst_j2k_put_file_header(struct sink *sink, const struct j2k_stream *headers, const struct j2k_file_writing *file);

/* ihdr, and bpcc where components have different depths. */
void kst_j2k_put_image_header(struct sink *sink, const struct j2k_stream *headers, bool unknown_colour, bool rights);

/* The box jp2c around the codestream. */
kst_status kst_j2k_put_codestream_box(struct memory *memory, const struct j2k_coded *coded,
    const struct j2k_writing *writing, struct sink *sink, kst_report *report);

/* A box whose contents are what comes between these; its length must fit 32 bits. */
size_t kst_j2k_box_begin(struct sink *sink, uint32_t type);
void kst_j2k_box_end(struct sink *sink, size_t begin);

/* A whole box, of any length. */
void kst_j2k_put_box(struct sink *sink, uint32_t type, const void *data, size_t length);

#endif
