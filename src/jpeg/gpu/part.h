/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds the work of a part: the plans of the pictures to decode, put together in the form that the kernels read
 * (jpeg/kernels/work.h).
 */
#ifndef KOSTKA_JPEG_GPU_PART_H
#define KOSTKA_JPEG_GPU_PART_H

#include "device/image.h"
#include "image/normalise.h"
#include "jpeg/gpu/tables.h"
#include "jpeg/kernels/work.h"
#include "jpeg/plan/output.h"
#include "jpeg/plan/plan.h"

/*
 * Holds device memory to which the kernels write a picture's pixels directly instead of to the part's buffer of pixels.
 * The pitch, the distance of planes and the place of the first byte are multiples of WORK_OUTPUT_ALIGNMENT, and the
 * width is a multiple of WORK_OUTPUT_PIXELS. For floating-point samples only the alignment of their type is required.
 */
struct jpeg_gpu_direct {
    const struct gpu_buffer *buffer; /* null: the part's buffer of pixels */
    uint64_t address;                /* CUDA: address of the first byte; otherwise 0 */
    uint64_t offset;                 /* OpenCL: offset of the first byte in the buffer, below 16 GiB; otherwise 0 */
    uint32_t pitch;                  /* bytes from one row to the next */
    uint32_t plane;                  /* planar: bytes from one plane to the next; 0: interleaved */
    /* Samples are written one by one, because the memory is not aligned for groups of four. */
    bool ragged;
};

/* Holds quantised coefficients that come from elsewhere, such as the CPU's decoding of a progressive picture. */
struct jpeg_gpu_coefficients {
    const void *source;
    /*
     * Copy `count` blocks of a component from (x, y) on to the right, each in raster order. If the function is null,
     * the picture's scans are decoded on the device.
     */
    void (*copy)(const void *source, uint32_t component, uint32_t x, uint32_t y, uint32_t count, int16_t *out);
};

/* Describes a picture to decode. */
struct jpeg_gpu_item {
    const struct jpeg_plan *plan;
    struct jpeg_output output; /* its image is the caller's, turned if the picture is turned */
    int orientation;           /* Exif orientation by which the picture is turned; 0 or 1: it stays as it is stored */
    struct normal normal;      /* used if the output's image has floating-point samples */
    struct jpeg_gpu_coefficients coefficients;
    /*
     * Chunks have WORK_CHUNK bytes shifted right by this number, at most WORK_CHUNK_BITS − WORK_SHORTEST_BITS. In
     * shorter chunks fewer codes are decoded one after the other, but more are decoded in vain.
     */
    uint32_t shorter;
    bool pinned;  /* the bytes of the stream are pinned, and enough of them to be uploaded without staging */
    bool ordered; /* a caller's stream reads the pixels in its order, too soon for the CPU to replace them */
    enum gpu_delivery delivery;
    struct gpu_image image;        /* used with all deliveries except GPU_DELIVERY_HOST */
    struct jpeg_gpu_direct direct; /* used with GPU_DELIVERY_DEVICE, if the kernels can write the pixels in place */
};

/* Holds what a part needs, in units of the elements of its buffers. */
struct jpeg_gpu_size {
    /* Pictures in the work: one for each item, and behind these one for each further scan of an item. */
    uint64_t pictures;
    uint64_t words;         /* words of the work, of 32 bits */
    uint64_t stream;        /* units of 16 bytes of the streams */
    uint64_t before_stream; /* such units in front of the streams, if these lie in one buffer behind the work */
    uint64_t blocks;        /* blocks of 64 coefficients that are decoded on the device */
    uint64_t copied;        /* blocks behind those, whose coefficients are copied from elsewhere */
    uint64_t planes;        /* units of 16 samples of the planes */
    uint64_t pixels;        /* units of 16 bytes of the pixels */
    uint64_t groups[WORK_KINDS];
    uint64_t most_groups; /* most groups of chunks that a picture of the work has */
    uint32_t units;       /* execution units of the device; 0: not known yet, for which the sizes are the greatest */
};

/*
 * Return whether the kernels can decode an item. Pictures of several scans can be decoded if they are sequential and
 * hold no component twice; any picture can if its coefficients are decoded elsewhere.
 */
bool kst_jpeg_gpu_supports(const struct jpeg_gpu_item *item);

/*
 * Return whether the kernels can decode an item only after kst_jpeg_compact() has rearranged its data, because fill
 * bytes or data between the scans are in the way.
 */
bool kst_jpeg_gpu_wants_compact(const struct jpeg_gpu_item *item);

struct jpeg_gpu_size kst_jpeg_gpu_size(const struct jpeg_gpu_item *items, uint32_t count);

/*
 * Return 1 if chunks are decoded in halves, by two work-items each, because there are too few chunks to keep a device
 * busy; otherwise 0.
 */
uint32_t kst_jpeg_gpu_halves(const struct jpeg_gpu_size *size);

/*
 * Return the base-2 logarithm of the factor by which the work-items that decode coefficients are spread over more
 * work-groups, the others being idle: if they are few, fewer of them in a warp then wait for each other. A device of
 * few units has no use for many groups.
 */
uint32_t kst_jpeg_gpu_spread(const struct jpeg_gpu_size *size);

/* Return the number of work-groups that decode coefficients. */
uint64_t kst_jpeg_gpu_write_groups(const struct jpeg_gpu_size *size);

/*
 * Fill the work. Returns the number of its words: `size->words`, or fewer if pictures share tables. Tables kept from
 * earlier parts are used, and tables made here are kept.
 */
uint32_t kst_jpeg_gpu_work(const struct jpeg_gpu_item *items, uint32_t count, const struct jpeg_gpu_size *size,
    struct memory *memory, struct jpeg_gpu_tables *kept, uint32_t *work);

/*
 * Return the number of scans of a picture that are decoded on the device. A component that no scan holds has an empty
 * scan of its own.
 */
uint32_t kst_jpeg_gpu_scan_count(const struct jpeg_plan *plan);

/*
 * Return the bytes of the stream from the first segment of all scans to the end of the last one: this is what the
 * buffer of streams receives.
 */
const uint8_t *kst_jpeg_gpu_scan_data(const struct jpeg_plan *plan, uint64_t *length);

/* Holds the place of a picture's plane in the buffer of pixels, or for raw output in the buffer of planes; in bytes. */
struct jpeg_gpu_plane {
    size_t offset;
    size_t pitch;
    size_t row; /* bytes of a row */
    uint32_t rows;
};

bool kst_jpeg_gpu_is_raw(const struct jpeg_gpu_item *item);
bool kst_jpeg_gpu_is_turned(const struct jpeg_gpu_item *item);
struct jpeg_gpu_plane kst_jpeg_gpu_plane(
    const struct jpeg_gpu_item *item, const struct jpeg_work_picture *picture, uint32_t index);

/* Return the picture of the work at `index`: that of an item, with its first scan. */
const struct jpeg_work_picture *kst_jpeg_gpu_picture(const uint32_t *work, uint32_t index);

#endif
