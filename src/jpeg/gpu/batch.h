/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans of pictures put together as the kernels want them. */
#ifndef KOSTKA_JPEG_GPU_BATCH_H
#define KOSTKA_JPEG_GPU_BATCH_H

#include "device/image.h"
#include "image/normalise.h"
#include "jpeg/gpu/tables.h"
#include "jpeg/kernels/work.h"
#include "jpeg/plan/output.h"
#include "jpeg/plan/plan.h"

/*
 * Device memory that the kernels write a picture's pixels to instead of the batch's buffer of pixels. Pitch, plane and
 * the first byte's place are multiples of WORK_OUTPUT_ALIGNMENT, the width is one of WORK_OUTPUT_PIXELS; but those of
 * floating-point samples are whatever suits these.
 */
struct jpeg_gpu_direct {
    const struct gpu_buffer *buffer; /* null: the batch's */
    uint64_t address;                /* CUDA: of the first byte; otherwise 0 */
    uint64_t offset;                 /* OpenCL: of the first byte in the buffer, below 16 GiB; otherwise 0 */
    uint32_t pitch;                  /* bytes from row to row */
    uint32_t plane;                  /* planar: bytes from plane to plane; 0: interleaved */
    bool ragged;                     /* samples are written one by one */
};

/* Quantised coefficients that are decoded elsewhere. */
struct jpeg_gpu_coefficients {
    const void *source;
    /*
     * Copy `count` blocks of a component from (x, y) on to the right, each in raster order. Null: the picture's scans
     * are decoded on the device.
     */
    void (*copy)(const void *source, uint32_t component, uint32_t x, uint32_t y, uint32_t count, int16_t *out);
};

/* A picture to decode. */
struct jpeg_gpu_item {
    const struct jpeg_plan *plan;
    struct jpeg_output output; /* its image is the caller's, turned if the picture is */
    int orientation;           /* Exif's, that the picture is to be turned by; 0 or 1: it stays as it is stored */
    struct normal normal;      /* where the output's image has floating-point samples */
    struct jpeg_gpu_coefficients coefficients;
    bool pinned;  /* the stream of bytes is */
    bool ordered; /* pixels are read in the order of the caller's stream, too soon for the CPU to make them */
    enum gpu_sink sink;
    struct gpu_image image;        /* of all sinks but the first */
    struct jpeg_gpu_direct direct; /* of the last one, where that can be */
};

/* What a batch needs, in units of the buffers' elements. */
struct jpeg_gpu_size {
    uint64_t pictures; /* of the work: one for each item, behind those one for each scan of an item but its first */
    uint64_t words;    /* of the work: 32 bits */
    uint64_t stream;   /* 16 bytes */
    uint64_t blocks;   /* of 64 coefficients, decoded on the device */
    uint64_t copied;   /* blocks behind those, which come with their coefficients */
    uint64_t planes;   /* 16 samples */
    uint64_t pixels;   /* 16 bytes */
    uint64_t groups[WORK_KINDS];
};

/*
 * Whether the kernels can decode it. Of several scans only those of sequential pictures that hold no component twice;
 * others with coefficients that are decoded elsewhere.
 */
bool kst_gpu_jpeg_supports(const struct jpeg_gpu_item *item);

/* Whether they can if its data lie as kst_jpeg_compact() puts them: fill bytes or what is between scans is in the way.
 */
bool kst_gpu_jpeg_wants_compact(const struct jpeg_gpu_item *item);

struct jpeg_gpu_size kst_gpu_jpeg_size(const struct jpeg_gpu_item *items, uint32_t count);

/* 1: parts are decoded in halves, by two work-items each, as there are too few to keep a device busy; otherwise 0. */
uint32_t kst_gpu_jpeg_halves(const struct jpeg_gpu_size *size);

/*
 * Fill the work. Returns how many words it has: `size->words`, or fewer, as pictures share tables. What was kept is
 * used, and what was made is kept.
 */
uint32_t kst_gpu_jpeg_work(const struct jpeg_gpu_item *items, uint32_t count, const struct jpeg_gpu_size *size,
    struct memory *memory, struct jpeg_gpu_tables *kept, uint32_t *work);

/* How many scans of a picture are decoded on the device: components that no scan holds have an empty one each. */
uint32_t kst_gpu_scan_count(const struct jpeg_plan *plan);

/* The bytes of the stream from the first segment of all scans to the last: what belongs into the buffer of streams. */
const uint8_t *kst_gpu_scan_data(const struct jpeg_plan *plan, uint64_t *length);

/* Where a plane of a picture comes to lie: in the buffer of pixels, or for raw output in that of planes. */
struct jpeg_gpu_plane {
    size_t offset;
    size_t pitch;
    size_t row; /* bytes */
    uint32_t rows;
};

bool kst_gpu_jpeg_is_raw(const struct jpeg_gpu_item *item);
bool kst_gpu_jpeg_is_turned(const struct jpeg_gpu_item *item);
struct jpeg_gpu_plane kst_gpu_jpeg_plane(
    const struct jpeg_gpu_item *item, const struct work_picture *picture, uint32_t index);

/* The picture of the work at `index`: that of an item, with its first scan. */
const struct work_picture *kst_gpu_jpeg_picture(const uint32_t *work, uint32_t index);

#endif
