/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the geometry of a frame (T.81 A.1, A.2, B.2.2) and its quantisation tables. */
#ifndef KOSTKA_JPEG_PLAN_FRAME_H
#define KOSTKA_JPEG_PLAN_FRAME_H

#include <kostka/kostka.h>

enum { JPEG_COMPONENTS = 4, JPEG_TABLES = 4, JPEG_MCU_BLOCKS = 10 };

enum { JPEG_DEEP = 12 }; /* bits of a sample in the processes with a DCT, where it is not 8 (table B.2) */

/*
 * Maps a zig-zag index to a raster index (figure A.6). The 16 entries behind the first 64 are all 63, for damaged runs
 * that leave the block.
 */
extern const uint8_t kst_jpeg_natural[64 + 16];

struct jpeg_component {
    uint8_t id;
    uint8_t h, v;           /* sampling factors, 1–4 */
    uint8_t tq;             /* destination of the quantisation table, 0–3 */
    uint32_t width, height; /* samples: ⌈X·h/hmax⌉, ⌈Y·v/vmax⌉ */
    /*
     * Data units that hold samples: blocks, ⌈width/8⌉ and ⌈height/8⌉, or in the lossless process the samples
     * themselves. These are what a scan of this component alone codes.
     */
    uint32_t blocks_w, blocks_h;
    uint32_t padded_w, padded_h; /* data units including the padding to whole MCUs: mcus_w·h, mcus_h·v */
    uint16_t quant[64];          /* raster order; 0 only in damaged streams */
};

struct jpeg_frame {
    kst_process process;
    kst_colour colour;
    uint32_t width, height; /* 1–65535 */
    uint8_t hmax, vmax;
    uint8_t component_count; /* 1–4 */
    uint8_t precision; /* bits of a sample, of a stream that was parsed: 8 or 12, or 2–16 in the lossless process */
    /* MCUs of an interleaved scan: ⌈X/(8·hmax)⌉, ⌈Y/(8·vmax)⌉; in the lossless process ⌈X/hmax⌉, ⌈Y/vmax⌉ */
    uint32_t mcus_w, mcus_h;
    struct jpeg_component component[JPEG_COMPONENTS];
};

/* Return the samples along the side of a data unit: 8, or 1 in the lossless process (A.1.3, A.2). */
uint32_t kst_jpeg_frame_unit(const struct jpeg_frame *frame);

/* Compute all members that follow from process, width, height and the components' h and v, which must be valid. */
void kst_jpeg_frame_geometry(struct jpeg_frame *frame);

/*
 * Holds the number of MCUs in a scan, and of data units in an MCU (A.2). In a scan of one component an MCU is one
 * block.
 */
struct jpeg_scan_geometry {
    uint32_t mcus_w, mcus_h;
    uint32_t mcu_blocks; /* data units in an MCU, 1–10 */
};
void kst_jpeg_scan_geometry(
    const struct jpeg_frame *frame, const uint8_t *component, uint32_t count, struct jpeg_scan_geometry *geometry);

#endif
