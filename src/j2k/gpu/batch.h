/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans of JPEG 2000 pictures put together as the kernels want them. */
#ifndef KOSTKA_J2K_GPU_BATCH_H
#define KOSTKA_J2K_GPU_BATCH_H

#include "core/pool.h"
#include "device/image.h"
#include "image/normalise.h"
#include "j2k/gpu/modules.h"
#include "j2k/kernels/work.h"
#include "j2k/plan/plan.h"

/* Where a channel of the image comes from. */
struct j2k_gpu_channel {
    uint32_t component; /* with a conversion: the number of a source instead; J2K_CONSTANT: `value` */
    uint32_t value;
};

/* What channels are made of that are not components as they are: of each pixel of the reference grid the sample that
 * j2k_sample_at() names, looked up or turned to RGB; made upright, and a number. */
struct j2k_gpu_conversion {
    uint32_t sources; /* 0: there is nothing to convert */
    struct {
        uint32_t component;
        const uint16_t *palette; /* what samples stand for; null: themselves */
    } source[J2K_WORK_CHANNELS]; /* by colour, and then alpha */
    uint32_t entries;            /* of palettes */
    uint32_t ycc;                /* bits of a sample of sYCC; 0: it is not */
    uint32_t x, y;               /* where the first pixel as stored lies on the reduced reference grid */
    int orientation;             /* 1: the image is as stored */
    struct normal normal;        /* for an image of floating-point samples */
};

/* A picture to decode. */
struct j2k_gpu_item {
    const struct j2k_plan *plan;
    kst_image output;                                  /* describes the image, which takes integers */
    struct j2k_gpu_channel channel[J2K_WORK_CHANNELS]; /* in the order of the image's: interleaved, or its planes */
    uint32_t channels;                                 /* more than those: of RAW in host memory */
    const uint32_t *listed;                            /* their components then; null: all in order */
    struct j2k_gpu_conversion conversion;
    uint64_t stream; /* bytes of it that go to the device, as kst_gpu_j2k_stream_bytes() says */
    bool pinned;     /* the stream of bytes is */
    enum gpu_sink sink;
    struct gpu_image image; /* of all sinks but the first */
    bool in_place;          /* the kernels write to the image: with CUDA */
};

/* Kernels of levels and outputs, each over a list of groups in the work. */
struct j2k_launch {
    uint32_t kernel; /* enum j2k_kernel */
    uint32_t list, count, first, groups;
    uint64_t bytes; /* of samples that it reads and writes */
};

enum { J2K_LAUNCHES = 3 * J2K_LEVELS + 6 };

/* What a picture's parts add up to. */
struct j2k_sums {
    uint64_t bits; /* words of gathered segments */
    uint64_t area; /* coefficients of its blocks */
    uint32_t runs; /* of bytes that lie side by side; 0: all of the stream goes */
};

/* Where a plane lies in the buffer of pixels: bytes. */
struct j2k_plane_place {
    size_t at, pitch;
};

/* Where a picture's parts lie in the buffers. */
struct j2k_place {
    uint32_t stream;          /* bytes */
    uint32_t first_run, runs; /* of the batch's; none: all of the stream is there */
    uint32_t segment;         /* counted in the batch, as the others */
    uint32_t piece, block, band, tile;
    uint32_t bits;                    /* words */
    uint32_t samples;                 /* words */
    uint32_t levels;                  /* words behind the bands, where levels start */
    uint32_t view;                    /* the first of its struct work_view */
    struct j2k_plane_place *plane;    /* the image's */
    size_t source[J2K_WORK_CHANNELS]; /* of a conversion: bytes, behind all images */
};

/* Bytes of a stream that lie side by side. */
struct j2k_run {
    uint64_t from, to; /* from the stream's start; from that of its place */
    uint64_t length;
};

/* A block to be sorted: where it is from, and what it is sorted by. */
struct j2k_entry {
    uint32_t item, block;
    uint16_t shape, cost; /* least first: the longest */
};

/* Of a shape's higher bits: which power of two of planes is decoded at once, counted from 1; 0: none. */
enum { J2K_SHAPE_FLIGHTS = 8 };

enum { J2K_STATE_WORDS = 6 }; /* of a block's word, beside those of planes: see j2k/kernels/passes.h */

struct j2k_batch {
    struct memory *memory;
    const struct j2k_gpu_item *items;
    uint32_t count;
    struct j2k_sums *sums;
    struct j2k_place *place;
    struct j2k_plane_place *plane; /* of all images */
    struct j2k_run *run;
    struct j2k_entry *entry; /* all blocks, sorted; those that the host decodes behind the others */
    uint32_t *band;          /* of each, where its window lies in the buffer of samples */
    bool *narrow;            /* of each tile, whether its samples have 16 bits; null: none */
    struct work_bundle *bundle;
    uint32_t *store_group; /* of each bundle, the first */
    uint32_t views, blocks, segments, pieces, bands, tiles, bundles, levels, outputs, store_groups;
    uint32_t wave;         /* the first bundle of blocks with several passes at once, which are last */
    uint32_t given;        /* blocks that the host decodes, which `blocks` does not count */
    uint32_t *given_at;    /* of each, where its coefficients lie: words of their buffer, */
    uint32_t given_words;  /* which has so many */
    uint32_t words;        /* of the work */
    uint32_t bits, states; /* words of those buffers; exact */
    uint64_t samples;
    size_t stream, pixels; /* bytes */
    size_t planes;         /* bytes behind those pixels, of components that are to be converted */
    uint32_t conversions;
    uint64_t unit_bytes; /* coded bytes that there are for each unit of the device, with what is beside */
    bool covered;        /* blocks fill all bands */
    bool finishes;       /* the last levels of three components are made when they are put out */
    struct j2k_launch launch[J2K_LAUNCHES];
    uint32_t launches;
};

/* What kernels can count: bytes of all, and of streams. */
#define J2K_GPU_MEMORY_MAX ((uint64_t)INT32_MAX * 4)
#define J2K_GPU_STREAM_MAX ((uint64_t)INT32_MAX)

/* Bytes of device memory, about. */
struct j2k_gpu_need {
    uint64_t memory;
    uint64_t largest; /* of all buffers */
};

/* need.c: what a picture takes by itself that was routed, where threads may decode some blocks; words of the buffer
 * of samples, where those of bands are first; and from row to row of a plane in the buffer of pixels. */
struct j2k_gpu_need kst_gpu_j2k_need(const struct j2k_gpu_item *item, uint32_t threads);
uint64_t kst_gpu_j2k_sample_words(const struct j2k_plan *plan, uint64_t *bands);
size_t kst_gpu_j2k_pixel_pitch(const kst_image *image, uint32_t index);

/* How blocks are to be decoded, and on what. */
struct j2k_wish {
    uint32_t units;  /* of the device; 0: unknown */
    uint32_t beside; /* as in struct j2k_gpu_order, and so are these: */
    uint32_t lanes, flights;
    uint32_t threads; /* that decode some blocks meanwhile; 0: none do */
    uint32_t given;
};

/* Measure and sort. `threads`: null, or those that help. False where memory is missing or the batch too large; it is to
 * be released in any case. */
bool kst_gpu_j2k_batch(struct j2k_batch *batch, struct memory *memory, struct pool *threads,
    const struct j2k_gpu_item *items, uint32_t count, const struct j2k_wish *wish);
/* Likewise without blocks: levels and outputs alone. */
bool kst_gpu_j2k_batch_geometry(
    struct j2k_batch *batch, struct memory *memory, const struct j2k_gpu_item *items, uint32_t count);
void kst_gpu_j2k_batch_release(struct j2k_batch *batch);

/* bundles.c: all blocks by shape, and by cost, and otherwise as they are; and in bundles. False where memory is
 * missing, or where bundles would take too much of it. */
bool kst_gpu_j2k_sort_blocks(struct j2k_batch *batch, struct pool *threads, const struct j2k_wish *wish);
bool kst_gpu_j2k_choose_bundles(struct j2k_batch *batch, struct pool *threads, const struct j2k_wish *wish);

/* split.c: those of the longest blocks that the wish's threads have decoded before the device has the others go
 * behind them, false where memory is missing; and at most so many of a picture's coefficients are such blocks'. */
bool kst_gpu_j2k_split_blocks(struct j2k_batch *batch, const struct j2k_wish *wish);
uint64_t kst_gpu_j2k_given_most(uint32_t threads, uint64_t coefficients);

/* A bundle of few blocks is over sooner, one of many leaves more of the device to others: the most blocks, a power of
 * two, with which there are still so many bundles. */
uint32_t kst_gpu_j2k_choose_lanes(uint32_t blocks, uint32_t bundles);

/* waves.c: planes of such blocks that are decoded at once, a power of two, where the device has so many coded bytes
 * for each of its units; 0: passes follow each other. And how many blocks a bundle of them takes. */
uint32_t kst_gpu_j2k_flights(const struct j2k_tile_component *tc, uint64_t bytes);
uint32_t kst_gpu_j2k_wave_lanes(uint32_t flights, uint64_t bytes);

/* Of struct j2k_gpu_order: all blocks pass by pass. */
#define J2K_NO_FLIGHTS UINT32_MAX

/* Fill the work, batch->words words, and the list of launches. `threads`: null, or those that help. */
void kst_gpu_j2k_work(struct j2k_batch *batch, struct pool *threads, uint32_t *work);

/*
 * runs.c: bytes of the stream that go to the device, plan->length where all do; how many runs pieces are; the
 * batch's runs, false where memory is missing; and where pieces lie.
 */
uint64_t kst_gpu_j2k_stream_bytes(const struct j2k_plan *plan);
uint32_t kst_gpu_j2k_count_runs(const struct j2k_plan *plan);
bool kst_gpu_j2k_find_runs(struct j2k_batch *batch);
void kst_gpu_j2k_write_pieces(const struct j2k_batch *batch, uint32_t index, struct work_piece *to);

/* j2k_batch_levels.c: levels and outputs: count them, and write them from word `at` on. Returns the word behind. */
void kst_gpu_j2k_count_levels(struct j2k_batch *batch);
uint32_t kst_gpu_j2k_write_levels(struct j2k_batch *batch, uint32_t *work, uint32_t at);

/* A channel of an image: its memory, or its place in the buffer of pixels. */
struct work_channel kst_gpu_j2k_channel(const struct j2k_batch *batch, uint32_t index, uint32_t k);

/* convert.c: components that are to be converted have planes; their bytes, their places, and how they are put out.
 */
uint64_t kst_gpu_j2k_plane_bytes(const struct j2k_gpu_item *item);
void kst_gpu_j2k_place_sources(struct j2k_batch *batch);
/* Whether they are just the first three components, alike and of bytes, which then take turns as in pixels. */
bool kst_gpu_j2k_sources_interleaved(const struct j2k_gpu_item *item);
struct work_view kst_gpu_j2k_source_view(const struct j2k_batch *batch, uint32_t index);

/* Words of the conversions; and write them from word `at` on. Returns the word behind. */
uint32_t kst_gpu_j2k_conversion_words(const struct j2k_batch *batch);
uint32_t kst_gpu_j2k_write_conversions(struct j2k_batch *batch, uint32_t *work, uint32_t at);

/* What a channel is. */
static inline struct j2k_gpu_channel j2k_gpu_channel_of(const struct j2k_gpu_item *item, uint32_t k)
{
    if (item->channels <= J2K_WORK_CHANNELS)
        return item->channel[k];
    return (struct j2k_gpu_channel){.component = item->listed ? item->listed[k] : k};
}

/* A picture's views, and which of them has a component's channel. */
static inline uint32_t j2k_gpu_views(const struct j2k_gpu_item *item)
{
    return item->channels <= J2K_WORK_CHANNELS ? 1 : (item->plan->component_count - 1) / J2K_WORK_CHANNELS + 1;
}

static inline uint32_t j2k_gpu_view_of(const struct j2k_batch *batch, uint32_t index, uint32_t component)
{
    bool one = batch->items[index].channels <= J2K_WORK_CHANNELS;
    return batch->place[index].view + (one ? 0 : component / J2K_WORK_CHANNELS);
}

/* Bit planes that a block's passes begin. */
static inline uint32_t j2k_gpu_planes(const struct j2k_block *block)
{
    uint32_t planes = block->passes > 0 ? (block->passes + 4U) / 3 : 0;
    return planes < J2K_PLANES_MOST ? planes : J2K_PLANES_MOST;
}

/* The bits of a segment with its head, in words; one bit is in front of those of the MQ coder. */
static inline uint64_t j2k_gpu_segment_words(const struct j2k_segment *segment)
{
    return J2K_SEGMENT_HEAD + segment->length / 4 + 1;
}

/* The tile that a block is of. */
static inline const struct j2k_tile *j2k_gpu_tile_of(const struct j2k_plan *plan, const struct j2k_block *block)
{
    return &plan->tile[plan->band[block->band].tile_component / plan->component_count];
}

/* Whether samples of a picture's tile have 16 bits: places in the buffer then count those. */
static inline bool j2k_gpu_is_narrow(const struct j2k_batch *batch, uint32_t index, const struct j2k_tile *tile)
{
    return batch->narrow && batch->narrow[batch->place[index].tile + (tile - batch->items[index].plan->tile)];
}

static inline const struct j2k_tile_component *j2k_gpu_component_of(
    const struct j2k_plan *plan, const struct j2k_block *block)
{
    return &plan->tile_component[plan->band[block->band].tile_component];
}

static inline uint32_t j2k_gpu_width(struct j2k_rect rect)
{
    return rect.x0 < rect.x1 ? rect.x1 - rect.x0 : 0;
}

static inline uint32_t j2k_gpu_height(struct j2k_rect rect)
{
    return rect.y0 < rect.y1 ? rect.y1 - rect.y0 : 0;
}

static inline uint64_t j2k_gpu_area(struct j2k_rect rect)
{
    return (uint64_t)j2k_gpu_width(rect) * j2k_gpu_height(rect);
}

#endif
