/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a part: the plans of several JPEG 2000 pictures, laid out in the flat buffers that the kernels use
 * (j2k/kernels/work.h). A bundle is a set of up to J2K_BUNDLE code-blocks that neighbouring work-items ("lanes") decode
 * side by side, one block each. Where several bit-planes of a block are decoded at the same time, the number of these
 * planes is called its flights.
 */
#ifndef KOSTKA_J2K_GPU_PART_H
#define KOSTKA_J2K_GPU_PART_H

#include <math.h>

#include "core/pool.h"
#include "device/image.h"
#include "image/normalise.h"
#include "image/volume.h"
#include "j2k/gpu/modules.h"
#include "j2k/gpu/stages.h"
#include "j2k/kernels/work.h"
#include "j2k/plan/block_coder.h"
#include "j2k/plan/multi.h"
#include "j2k/plan/plan.h"

/* Holds the source of one channel of the image. */
struct j2k_gpu_channel {
    uint32_t component; /* component, or with a conversion index of a source; J2K_CONSTANT: `value` */
    uint32_t value;
};

/*
 * Describes a conversion, for an image whose channels are not simply components. Each pixel of the reference grid takes
 * the samples that j2k_sample_at() names, which are looked up in a palette or converted to RGB; then the image is
 * turned upright, and samples become floating-point numbers if the caller wants these.
 */
struct j2k_gpu_conversion {
    uint32_t sources; /* 0: no conversion */
    struct {
        uint32_t component;
        const uint16_t *palette; /* table that samples are looked up in; null: none */
    } source[J2K_WORK_CHANNELS]; /* the colours in order, and then alpha */
    uint32_t entries;            /* number of entries of the palettes */
    uint32_t ycc;                /* bits of a sample if the colours are sYCC; 0: another colour space */
    uint32_t x, y;               /* position of the first stored pixel on the reduced reference grid */
    int orientation;             /* Exif orientation; 1: the image is not turned */
    struct normal normal;        /* used if the image has floating-point samples */
};

/* Describes a volume; the components of its item are coefficients of the transform along z. */
struct j2k_gpu_volume {
    const struct j2k_multi_collection *wavelet; /* null: no transform along z, the components are the slices */
    const struct j2k_z_layout *layout;          /* layout of the wavelet's components */
    const struct j2k_z_need *need;
    const double *offset;     /* added to each slice before it is reduced; null: no offsets */
    struct j2k_z_range shown; /* slices that are decoded */
    const uint32_t *slot;     /* for each wanted component: its row in a column */
    uint32_t rows;            /* number of rows of a column */
    bool reversible;          /* all tiles are reversible */
    float scale, add;         /* for floating-point samples */
    kst_volume output;        /* describes the volume, with its pitches */
    /* Any stages instead of a wavelet, with all components wanted; null: none. `reversible` does not count then. */
    const struct j2k_gpu_stages *stages;
};

/* Describes a picture to decode. */
struct j2k_gpu_item {
    const struct j2k_plan *plan;
    kst_image output;                                  /* describes the image, which has integer samples */
    struct j2k_gpu_channel channel[J2K_WORK_CHANNELS]; /* in the order of the image: interleaved, or by planes */
    uint32_t channels; /* number of channels; more than J2K_WORK_CHANNELS only for RAW in host memory */
    /* If `channels` is larger than J2K_WORK_CHANNELS, the component of each channel; null: all components in order. */
    const uint32_t *listed;
    struct j2k_gpu_conversion conversion;
    /*
     * A volume instead of a picture; null: none. The image then describes no planes, and all items of a part have
     * volumes, in one buffer of the device if their memory has offsets.
     */
    const struct j2k_gpu_volume *volume;
    /*
     * The kernels decode only indices of the quantiser, with 32 bits each, to the samples of code-blocks. The plan is
     * one whose transform is reversible, and has no reduced resolution.
     */
    bool indices;
    bool real;   /* samples to be encoded are in single precision, and are read without conversion */
    bool placed; /* planes to be encoded are already on the device, the first one at byte `at` of their buffer */
    size_t at;
    uint64_t stream; /* bytes of the stream that are uploaded: kst_j2k_gpu_stream_bytes() */
    bool pinned;     /* the stream lies in pinned memory */
    enum gpu_delivery delivery;
    struct gpu_image image; /* for all deliveries except GPU_DELIVERY_HOST */
    bool in_place;          /* the kernels write directly to the image; of pictures only with CUDA */
};

/* Describes one launch of a kernel for levels or outputs, over a list of work-groups that lies in the work. */
struct j2k_gpu_launch {
    uint32_t kernel; /* enum j2k_gpu_kernel */
    uint32_t list, count, first, groups;
    uint64_t bytes; /* bytes of samples that the kernel reads and writes */
};

enum { J2K_GPU_LEVEL_KERNELS = 4, J2K_LAUNCHES = J2K_GPU_LEVEL_KERNELS * J2K_LEVELS + 14 };

/* Holds the sums over all levels of a launch. */
struct j2k_gpu_level_sums {
    uint64_t bytes; /* as in struct j2k_gpu_launch */
    uint32_t records, groups;
};

/* Holds sums over the segments, runs, bands and code-blocks of a picture. */
struct j2k_gpu_sums {
    uint64_t bits;                 /* words of its gathered segments; 0 if none must be gathered */
    uint32_t segments;             /* 0: no segment must be gathered, because no block is coded with T.800's coder */
    uint64_t area;                 /* coefficients of its code-blocks */
    uint64_t bands, samples;       /* words of its bands, and of its bands and levels */
    uint32_t runs;                 /* runs of consecutive bytes; 0: the whole stream is uploaded */
    uint64_t ht_states;            /* words of the states of its T.814 code-blocks */
    uint32_t refined;              /* number of T.814 code-blocks with refinement passes */
    uint32_t gaps;                 /* number of records of gaps between code-blocks */
    struct j2k_work_ht_block *gap; /* the records of gaps; null: gaps were not looked for */
};

/* Holds what kst_j2k_gpu_level_words() says of a tile-component. */
struct j2k_gpu_level_words {
    uint32_t all, top;
};

/* Says where a plane lies in the buffer of pixels, and its pitch; both in bytes. */
struct j2k_gpu_plane_place {
    size_t at, pitch;
};

/* Says where the data of a picture lie in the part's buffers. */
struct j2k_gpu_place {
    uint32_t stream;          /* offset of its stream in bytes */
    uint32_t first_run, runs; /* in the part's runs; 0 runs: the whole stream is there */
    uint32_t segment;         /* index of its first segment in the part; the next five are indices too */
    uint32_t piece, block, band, tile, component;
    uint32_t bits;                     /* offset of its gathered bits in words */
    uint32_t gap;                      /* index of the record of its first gap */
    uint32_t ht_state;                 /* offset of the states of its T.814 code-blocks in words */
    uint32_t samples;                  /* offset of its samples in words */
    uint32_t levels;                   /* words of the bands; the levels follow them */
    uint32_t view;                     /* index of its first struct j2k_work_view */
    struct j2k_gpu_plane_place *plane; /* for each plane of the image */
    size_t volume;                     /* offset of a volume in the buffer of pixels, where it has no padding */
    size_t source[J2K_WORK_CHANNELS];  /* sources of a conversion: offset in bytes, behind all images */
};

/*
 * Says where a code-block has its record, among all records for its coder in the part, and a T.814 code-block its
 * state, among the states of its picture.
 */
struct j2k_gpu_block_place {
    uint32_t state;
    uint32_t record; /* J2K_NO_RECORD: the host decodes it; not set without a list of blocks */
};

#define J2K_NO_RECORD UINT32_MAX

enum { J2K_GPU_BITS = 31 /* most bits of a magnitude in the kernels */ };

/* Describes a run of consecutive bytes of a stream that is uploaded. */
struct j2k_gpu_run {
    uint64_t from, to; /* offset in the stream, and offset in the stream's place in the buffer */
    uint64_t length;
};

/* Describes an entry of the list of blocks: the code-block, and the keys by which the list is sorted. */
struct j2k_gpu_entry {
    uint32_t item, block;
    uint16_t shape, cost; /* sort keys, ascending; the block that takes longest has the least cost */
    uint16_t width, height;
};

/*
 * In a shape, the bits from J2K_SHAPE_FLIGHTS on hold log2 of the flights plus 1, or 0 if passes follow each other. Bit
 * J2K_SHAPE_HT is set for T.814 blocks, so that these come last.
 */
enum { J2K_SHAPE_FLIGHTS = 8, J2K_SHAPE_HT = 11 };

/* Words of state per word of a block, besides the words of its bit-planes; see j2k/kernels/passes.h. */
enum { J2K_STATE_WORDS = 6 };

struct j2k_gpu_part {
    struct memory *memory;
    const struct j2k_gpu_item *items;
    uint32_t count;
    struct j2k_gpu_sums *sums;
    struct j2k_gpu_place *place;
    struct j2k_gpu_plane_place *plane; /* array that holds the planes of all images */
    struct j2k_gpu_run *run;
    /*
     * All blocks, sorted; the blocks that the host decodes come last. Null: all blocks are T.814 blocks in the order of
     * the plans, and the host decodes none.
     */
    struct j2k_gpu_entry *entry;
    uint32_t *band;                          /* for each band, where its window lies in the buffer of samples */
    struct j2k_gpu_level_words *level_words; /* for each tile-component */
    bool *narrow;  /* for each tile, whether its samples have 16 bits; null: all tiles have 32 */
    bool *indices; /* for each band, whether it holds quantiser indices of 16 bits; null: no band does */
    struct j2k_work_bundle *bundle;
    uint32_t *store_group; /* for each bundle, its first work-group of store_blocks */
    uint32_t views, blocks, segments, pieces, bands, tiles, bundles, levels, outputs, store_groups;
    uint32_t ebcot_blocks; /* number of T.800 blocks, which precede those of T.814; only they are in bundles */
    struct j2k_gpu_block_place *block_place; /* for each block in the order of the plans */
    uint32_t ht_lanes;                       /* as in struct j2k_part_work */
    uint32_t refined;                        /* number of blocks of T.814 with refinement passes */
    uint32_t wave;         /* index of the first bundle whose blocks have flights; such bundles come last */
    uint32_t host_blocks;  /* number of blocks that the host decodes; `blocks` does not include them */
    uint32_t *host_at;     /* for each host block, where its coefficients lie in their buffer, in words */
    uint32_t host_words;   /* words of the buffer of host blocks' coefficients */
    uint32_t words;        /* words of the work */
    uint32_t bits, states; /* words of the buffers of bits and states; exact */
    uint64_t samples;
    size_t stream, pixels; /* bytes of the buffers of streams and of pixels */
    size_t planes;         /* bytes behind the pixels, for components that are to be converted */
    uint32_t conversions;
    uint32_t columns;    /* number of struct j2k_work_columns */
    uint64_t unit_bytes; /* coded bytes for each compute unit of the device, including those of other jobs */
    uint32_t gaps;       /* number of records of gaps, which follow the records of T.814 blocks */
    bool covered;        /* the blocks and gaps cover all bands */
    /*
     * The last level of three components is computed in the kernel that writes their pixels, if they suit; once levels
     * have been counted, whether any do.
     */
    bool finishes;
    bool encodes;
    uint32_t units;   /* compute units of the device */
    uint64_t at_once; /* pictures, or in decoding components of volumes, whose levels one launch transforms */
    /* The sums for each resolution but the lowest, and for each kernel from J2K_KERNEL_SYNTHESISE_53 on. */
    struct j2k_gpu_level_sums level[J2K_LEVELS][J2K_GPU_LEVEL_KERNELS];
    struct j2k_gpu_launch launch[J2K_LAUNCHES];
    uint32_t launches;
};

/* Limits of the kernels' offsets: bytes of all buffers, and bytes of streams. */
#define J2K_GPU_MEMORY_MAX ((uint64_t)INT32_MAX * 4)
#define J2K_GPU_STREAM_MAX ((uint64_t)INT32_MAX)

/* Holds the words that the code-blocks of a picture take in the buffers of states and of gathered bits. */
struct j2k_gpu_block_words {
    uint64_t states, bits;
};

/* Holds an estimate of device memory, in bytes. */
struct j2k_gpu_need {
    uint64_t memory;
    uint64_t largest; /* bytes of the largest buffer */
};

/*
 * need.c: kst_j2k_gpu_need() returns the memory that decoding one routed picture takes, if `threads` threads may decode
 * some blocks; `words` come from kst_j2k_gpu_can_decode(). kst_j2k_gpu_sample_words() returns the words of the buffer
 * of samples, and sets *bands to the words of the bands, which come first. kst_j2k_gpu_level_words() returns the words
 * of the levels of a tile-component, and sets *top to how many of them, at the start, belong to the highest resolution
 * and every second one below it. kst_j2k_gpu_pixel_pitch() returns the pitch of a plane in the buffer of pixels.
 */
struct j2k_gpu_need kst_j2k_gpu_need(
    const struct j2k_gpu_item *item, const struct j2k_gpu_block_words *words, uint32_t threads);
uint64_t kst_j2k_gpu_sample_words(const struct j2k_plan *plan, uint64_t *bands);
uint64_t kst_j2k_gpu_level_words(const struct j2k_plan *plan, const struct j2k_tile_component *tc, uint64_t *top);
size_t kst_j2k_gpu_pixel_pitch(const kst_image *image, uint32_t index);

/* Says how the caller wants blocks to be decoded, and how large the device is. */
struct j2k_gpu_wish {
    uint32_t units;  /* compute units of the device; 0: unknown */
    uint32_t beside; /* this and the next three members are as in struct j2k_gpu_order */
    bool followed;
    uint32_t lanes, flights;
    uint32_t threads; /* threads that decode some blocks while the device decodes the others; 0: none */
    uint32_t host_bytes;
};

/*
 * Measure the plans and sort their blocks. `threads`: a pool that helps, or null. Returns false if memory is missing or
 * the part is too large; it must be released in any case.
 */
bool kst_j2k_gpu_part_make(struct j2k_gpu_part *part, struct memory *memory, struct pool *threads,
    const struct j2k_gpu_item *items, uint32_t count, const struct j2k_gpu_wish *wish);
/*
 * Do the same for levels and outputs only, without blocks, as encoding uses them. `units`: as in struct j2k_gpu_wish.
 */
bool kst_j2k_gpu_part_geometry(
    struct j2k_gpu_part *part, struct memory *memory, const struct j2k_gpu_item *items, uint32_t count, uint32_t units);
void kst_j2k_gpu_part_release(struct j2k_gpu_part *part);

/*
 * bundles.c: kst_j2k_gpu_sort_blocks() sorts all blocks by shape and cost, and otherwise keeps their order; then
 * kst_j2k_gpu_choose_bundles() divides them into bundles. Both return false if memory is missing; the second one also
 * if bundles would take too much memory.
 */
bool kst_j2k_gpu_sort_blocks(struct j2k_gpu_part *part, struct pool *threads, const struct j2k_gpu_wish *wish);
bool kst_j2k_gpu_choose_bundles(struct j2k_gpu_part *part, struct pool *threads, const struct j2k_gpu_wish *wish);

/*
 * ht.c: kst_j2k_gpu_add_ht_blocks() adds the room that the T.814 blocks of a picture need to its sums, and notes where
 * the state of each lies among the states of the picture; `places` has an entry for each block of the plan.
 * kst_j2k_gpu_place_ht_blocks() places the states of all T.814 blocks behind the states of bundles, and returns false
 * if they take too much. kst_j2k_gpu_choose_ht_lanes() chooses how many blocks are decoded side by side.
 * kst_j2k_gpu_write_ht_blocks() writes the blocks to word `block_at` of the work; the pieces must already have been
 * written, to word `piece_at`.
 */
void kst_j2k_gpu_add_ht_blocks(
    const struct j2k_plan *plan, struct j2k_gpu_block_place *places, struct j2k_gpu_sums *sums);
bool kst_j2k_gpu_place_ht_blocks(struct j2k_gpu_part *part);
uint32_t kst_j2k_gpu_choose_ht_lanes(uint32_t blocks, const struct j2k_gpu_wish *wish);
void kst_j2k_gpu_write_ht_blocks(
    const struct j2k_gpu_part *part, struct pool *threads, uint32_t *work, uint32_t block_at, uint32_t piece_at);

/*
 * blocks.c: write the T.800 blocks from word `block_at` of the work on, and their segments from `segment_at` on. The
 * pieces are written to word `piece_at`.
 */
void kst_j2k_gpu_write_segments(
    const struct j2k_gpu_part *part, struct pool *threads, uint32_t *work, uint32_t segment_at, uint32_t piece_at);
void kst_j2k_gpu_write_ebcot_blocks(
    const struct j2k_gpu_part *part, struct pool *threads, uint32_t *work, uint32_t block_at, uint32_t segment_at);

/*
 * gaps.c: kst_j2k_gpu_find_gaps() lists the coefficients that no block covers, if all blocks are T.814 blocks, so that
 * the part is covered. kst_j2k_gpu_write_gaps() writes the part->gaps records of gaps, and kst_j2k_gpu_release_gaps()
 * releases the lists.
 */
void kst_j2k_gpu_find_gaps(struct j2k_gpu_part *part, struct pool *threads);
void kst_j2k_gpu_write_gaps(const struct j2k_gpu_part *part, struct j2k_work_ht_block *to);
void kst_j2k_gpu_release_gaps(struct j2k_gpu_part *part);

/* indices.c: choose the bands that hold quantiser indices. Returns false if memory is missing. */
bool kst_j2k_gpu_choose_indices(struct j2k_gpu_part *part, struct pool *threads, const struct j2k_gpu_wish *wish);

/* Return the most blocks that a picture of the part has. */
static inline uint32_t j2k_gpu_most_blocks(const struct j2k_gpu_part *part)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < part->count; i++)
        most = part->items[i].plan->block_count > most ? part->items[i].plan->block_count : most;
    return most;
}

/* Return the offset of a block's first byte in the stream; UINT32_MAX if the block has no bytes. */
static inline uint32_t j2k_gpu_first_byte(const struct j2k_plan *plan, const struct j2k_block *block)
{
    for (uint32_t i = 0; i < block->segment_count; i++) {
        const struct j2k_segment *segment = &plan->segment[block->first_segment + i];
        if (segment->piece_count > 0)
            return (uint32_t)plan->piece[segment->first_piece].offset;
    }
    return UINT32_MAX;
}

/* part.c: return the number of fraction bits of a block's coefficients. */
int32_t kst_j2k_gpu_fraction_of(const struct j2k_plan *plan, const struct j2k_block *block);

/*
 * split.c: kst_j2k_gpu_split_blocks() chooses those of the longest blocks that the wish's threads can decode before the
 * device has decoded the others, and moves them to the end of the list; it returns false if memory is missing.
 * kst_j2k_gpu_host_most() returns the most coefficients that such blocks of a picture can have.
 */
bool kst_j2k_gpu_split_blocks(struct j2k_gpu_part *part, const struct j2k_gpu_wish *wish);
uint64_t kst_j2k_gpu_host_most(uint32_t threads, uint64_t coefficients);

/*
 * Choose the number of lanes of a bundle. A bundle of few blocks is finished sooner; one of many blocks leaves more of
 * the device to others. The result is the largest power of two with which there are still at least `bundles` bundles.
 */
uint32_t kst_j2k_gpu_choose_lanes(uint32_t blocks, uint32_t bundles);

/* A value of `flights` in struct j2k_gpu_order: decode all blocks pass by pass. */
#define J2K_NO_FLIGHTS UINT32_MAX

/* Write the work, which has part->words words, and the list of launches. `threads`: a pool that helps, or null. */
void kst_j2k_gpu_work(struct j2k_gpu_part *part, struct pool *threads, uint32_t *work);

/*
 * runs.c: kst_j2k_gpu_stream_bytes() returns how many bytes of a stream are uploaded, plan->length if all are.
 * kst_j2k_gpu_count_runs() returns the number of runs that the stream's pieces form. kst_j2k_gpu_find_runs() finds the
 * runs of the part, and returns false if memory is missing. kst_j2k_gpu_write_pieces() writes where the pieces of a
 * picture lie.
 */
uint64_t kst_j2k_gpu_stream_bytes(const struct j2k_plan *plan);
uint32_t kst_j2k_gpu_count_runs(const struct j2k_plan *plan);
bool kst_j2k_gpu_find_runs(struct j2k_gpu_part *part);
void kst_j2k_gpu_write_pieces(const struct j2k_gpu_part *part, uint32_t index, struct j2k_work_piece *to);

/*
 * levels.c: count the levels and outputs, and write them from word `at` on. kst_j2k_gpu_write_levels() returns the
 * index of the word behind them.
 */
void kst_j2k_gpu_count_levels(struct j2k_gpu_part *part);
uint32_t kst_j2k_gpu_write_levels(struct j2k_gpu_part *part, uint32_t *work, uint32_t at);

/*
 * Find where the samples of the last resolution of a tile-component lie, at the start of its area, and their pitch.
 * *levels_at is where the levels of the component lie; the function advances it to the next component's.
 */
void kst_j2k_gpu_find_samples(const struct j2k_gpu_part *part, uint32_t index, const struct j2k_tile *tile,
    const struct j2k_tile_component *tc, uint32_t *levels_at, uint32_t *place, uint32_t *pitch);

/*
 * columns.c: return whether the columns of an item are too deep for a work-group's memory; count all columns; return
 * the most words that they take in the work; and write them from word `at` on.
 */
bool kst_j2k_gpu_is_deep(const struct j2k_gpu_item *item);
uint64_t kst_j2k_gpu_volume_bytes(const struct j2k_gpu_item *item);      /* bytes in the buffer of pixels */
uint64_t kst_j2k_gpu_item_column_words(const struct j2k_gpu_item *item); /* words of one item */
/* Return the words of the rows that stages make, which follow an item's bands and levels in the buffer of samples. */
uint64_t kst_j2k_gpu_stage_words(const struct j2k_gpu_item *item);
void kst_j2k_gpu_count_columns(struct j2k_gpu_part *part);
uint32_t kst_j2k_gpu_column_words(const struct j2k_gpu_part *part);
void kst_j2k_gpu_write_columns(struct j2k_gpu_part *part, uint32_t *work, uint32_t at);

/* Describe a channel of an image: its address, or its place in the buffer of pixels. */
struct j2k_work_channel kst_j2k_gpu_channel(const struct j2k_gpu_part *part, uint32_t index, uint32_t k);

/*
 * convert.c: components that are to be converted have planes of their own. These functions return the bytes of a
 * picture's planes, place the planes of all pictures, and describe how a picture's planes are written.
 */
uint64_t kst_j2k_gpu_plane_bytes(const struct j2k_gpu_item *item);
void kst_j2k_gpu_place_sources(struct j2k_gpu_part *part);
/*
 * Return whether the sources are exactly the first three components, equal in area and with samples of one byte, which
 * are then stored interleaved.
 */
bool kst_j2k_gpu_sources_interleaved(const struct j2k_gpu_item *item);
struct j2k_work_view kst_j2k_gpu_source_view(const struct j2k_gpu_part *part, uint32_t index);

/*
 * Return how many words the conversions take in the work; and write them from word `at` on, and return the index of the
 * word behind them.
 */
uint32_t kst_j2k_gpu_conversion_words(const struct j2k_gpu_part *part);
uint32_t kst_j2k_gpu_write_conversions(struct j2k_gpu_part *part, uint32_t *work, uint32_t at);

/* Return the source of channel k of an image. */
static inline struct j2k_gpu_channel j2k_gpu_channel_of(const struct j2k_gpu_item *item, uint32_t k)
{
    if (item->channels <= J2K_WORK_CHANNELS)
        return item->channel[k];
    return (struct j2k_gpu_channel){.component = item->listed ? item->listed[k] : k};
}

/* Return the number of a picture's views; and the index of the view that contains the channel of a component. */
static inline uint32_t j2k_gpu_views(const struct j2k_gpu_item *item)
{
    return item->channels <= J2K_WORK_CHANNELS ? 1 : (item->plan->component_count - 1) / J2K_WORK_CHANNELS + 1;
}

static inline uint32_t j2k_gpu_view_of(const struct j2k_gpu_part *part, uint32_t index, uint32_t component)
{
    bool one = part->items[index].channels <= J2K_WORK_CHANNELS;
    return part->place[index].view + (one ? 0 : component / J2K_WORK_CHANNELS);
}

/*
 * Return whether the kernels, or the host, look up pieces of a picture's stream: not if each T.814 block has only one,
 * at its place in the stream.
 */
static inline bool j2k_gpu_has_pieces(const struct j2k_gpu_sums *sums)
{
    return sums->segments > 0 || sums->refined > 0 || sums->runs > 0;
}

/* Return the number of bit-planes in which a block of so many passes has some. */
static inline uint32_t j2k_gpu_planes(uint32_t passes)
{
    uint32_t planes = passes > 0 ? (passes + 4) / 3 : 0;
    return planes < J2K_BLOCK_PLANES ? planes : J2K_BLOCK_PLANES;
}

/*
 * Return how many words the bits of a segment take, with their head. In front of the bits of the MQ coder there
 * is one more bit. The bits of T.814 are not gathered.
 */
static inline uint64_t j2k_gpu_segment_words(bool ht, const struct j2k_segment *segment)
{
    return J2K_SEGMENT_HEAD + (ht ? 0 : segment->length / 4) + 1;
}

/*
 * part.c: return whether the stream of the next volume follows this volume's in pinned memory. It then does so in the
 * buffer of streams, too, so that one copy uploads both.
 */
bool kst_j2k_gpu_is_followed(const struct j2k_gpu_part *part, uint32_t index);

/*
 * Return how many words the bits of a block's segments take. j2k_gpu_ht_bit_words() does so for T.814 blocks only.
 */
static inline uint64_t j2k_gpu_ht_bit_words(const struct j2k_block *block)
{
    return block->segment_count * (J2K_SEGMENT_HEAD + UINT64_C(1));
}

static inline uint64_t j2k_gpu_bit_words(const struct j2k_plan *plan, const struct j2k_block *block)
{
    uint64_t sum = 0;
    if (block->coder == J2K_HT)
        return j2k_gpu_ht_bit_words(block);
    for (uint32_t i = 0; i < block->segment_count; i++)
        sum += j2k_gpu_segment_words(false, &plan->segment[block->first_segment + i]);
    return sum;
}

/* Return the tile that a block belongs to. */
static inline const struct j2k_tile *j2k_gpu_tile_of(const struct j2k_plan *plan, const struct j2k_block *block)
{
    if (plan->tile_count == 1)
        return plan->tile;
    return &plan->tile[plan->band[block->band].tile_component / plan->component_count];
}

/*
 * Return whether the samples of a picture's tile have 16 bits. Places in the buffer of samples then count half-words.
 */
static inline bool j2k_gpu_is_narrow(const struct j2k_gpu_part *part, uint32_t index, const struct j2k_tile *tile)
{
    return part->narrow && part->narrow[part->place[index].tile + (tile - part->items[index].plan->tile)];
}

/* Return whether a band holds quantiser indices of 16 bits. Its places then count half-words. */
static inline bool j2k_gpu_has_indices(const struct j2k_gpu_part *part, uint32_t index, uint32_t band)
{
    return part->indices && part->indices[part->place[index].band + band];
}

static inline const struct j2k_tile_component *j2k_gpu_component_of(
    const struct j2k_plan *plan, const struct j2k_block *block)
{
    return &plan->tile_component[plan->band[block->band].tile_component];
}

/* Return the number of fraction bits of 9/7 coefficients that have `bits` integer bits. */
static inline int32_t j2k_gpu_fraction(uint32_t bits)
{
    const int32_t room = J2K_GPU_BITS - (int32_t)bits;
    return room < 1 ? room : 1;
}

static inline uint32_t j2k_gpu_width(struct j2k_rect rect)
{
    return rect.x0 < rect.x1 ? rect.x1 - rect.x0 : 0;
}

/* Return the factor by which coefficients with `fraction` fraction bits are multiplied. */
static inline float j2k_gpu_factor_of(const struct j2k_band *band, int32_t fraction)
{
    return fraction == 1 ? band->step * 0.5F : ldexpf(band->step, -fraction);
}

static inline uint32_t j2k_gpu_height(struct j2k_rect rect)
{
    return rect.y0 < rect.y1 ? rect.y1 - rect.y0 : 0;
}

static inline uint64_t j2k_gpu_area(struct j2k_rect rect)
{
    return (uint64_t)j2k_gpu_width(rect) * j2k_gpu_height(rect);
}

/*
 * Return where the wanted part of a block begins in the buffer of samples; `narrow`: places count half-words, as they
 * do in a tile of 16-bit samples.
 */
static inline uint32_t j2k_gpu_place_in_band(const struct j2k_gpu_part *part, uint32_t item,
    const struct j2k_block *block, struct j2k_rect wanted, uint32_t narrow)
{
    const struct j2k_rect window = part->items[item].plan->band[block->band].window;
    return (part->band[part->place[item].band + block->band] << narrow) +
           (wanted.y0 - window.y0) * j2k_gpu_width(window) + (wanted.x0 - window.x0);
}

#endif
