/* SPDX-License-Identifier: BSD-2-Clause */
/* One picture on its way to a JPEG 2000 file. */
#ifndef KOSTKA_J2K_RUN_ENCODE_H
#define KOSTKA_J2K_RUN_ENCODE_H

#include "j2k/cpu/encode.h"
#include "j2k/gpu/encode.h"
#include "j2k/rate/rate.h"
#include "j2k/write/file_writer.h"
#include "j2k/write/profile.h"
#include "run/encoding.h"

enum { J2K_ENCODED_COLOURS = 4, J2K_ENCODED_LAYERS = 1024, J2K_ENCODED_BOXES = 16, J2K_ENCODED_COMMENTS = 16 };

struct j2k_encode_group;
struct j2k_encode_job;
struct j2k_gains;
struct j2k_kept_rows;
struct j2k_pass;

/* How a picture that does not fit is cut: so many tiles together, whole rows of them where there is more than one row;
 * or one tile in cells of the reference grid. */
struct j2k_cut {
    uint32_t tiles;
    uint32_t width, height; /* of cells, whose first ones begin at 0; 0: whole tiles */
    uint32_t rows;          /* of the picture that the largest part takes */
};

/* One picture on its way to a file. Its parts point to each other: it stays where it is. */
struct j2k_encode_work {
    struct encoding *e;
    const kst_image *image; /* in host memory where the CPU encodes it */
    kst_image host;         /* where it was brought there */
    kst_j2k_options options;
    struct j2k_coded coded;
    struct j2k_parameters *tile; /* of each tile, where one has its own; null: none has */
    struct j2k_origin *origin;   /* of each component */
    uint32_t component_count;
    kst_colour colour;
    bool has_alpha; /* the last component */
    bool reversible;
    double step;    /* of the quantiser where it is not, in samples of the picture */
    double *weight; /* of each band */
    struct j2k_encode_source source;
    struct j2k_kept_rows *kept; /* of rows that come in order; null: they do not */
    struct j2k_encoded encoded;
    bool on_gpu, in_windows; /* on the context's GPU: the whole, or one part after another, as `cut` says */
    struct j2k_cut cut;
    struct j2k_encode_group *group;  /* there; coded blocks lie in its memory */
    uint32_t member;                 /* which of its pictures it is */
    kst_status status;               /* of the group's work on it */
    struct j2k_layer_target *target; /* of each layer */
    double *estimate; /* of each layer, for a PSNR: its error as far as gains tell; null: a first guess */
    struct j2k_layer_outcome *outcome; /* likewise what it came to */
    uint8_t *layer_passes;
    struct j2k_profile_limits limits;
    struct j2k_writing writing;
    struct j2k_file_writing file;
    struct j2k_comment comment[J2K_ENCODED_COMMENTS];
    struct j2k_raw_box box[J2K_ENCODED_BOXES];
    uint8_t *box_data[J2K_ENCODED_BOXES];
    struct j2k_channel_definition definition[J2K_ENCODED_COLOURS];
};

/* encode_options.c: everything about options and image that can be said before work begins. */
kst_status kst_j2k_encode_check(struct encoding *e);

/* Append the file to the sink. */
kst_status kst_j2k_encode(struct encoding *e);

/*
 * The same by steps: plan, which says whether the GPU takes it; there, have a group code its blocks; write it, with all
 * that is left to do; release, after an error of the first step, too.
 */
kst_status kst_j2k_encode_plan(struct j2k_encode_work *work, struct encoding *e);
kst_status kst_j2k_encode_settle(struct j2k_encode_work *work);
void kst_j2k_encode_release(struct j2k_encode_work *work);

/* encode_parts.c: see struct encode_parts. */
extern const struct encode_parts kst_j2k_encode_parts;

/* Pictures whose blocks a GPU codes together. It stays where it is. */
struct j2k_encode_group {
    kst_context *context;
    struct gpu_executor *gpu;
    struct j2k_encode_work **work;
    uint32_t count;
    struct j2k_encode_item *item; /* one a picture */
    struct j2k_coding_job *job;
    pthread_mutex_t coding; /* of blocks, while pictures are settled */
};

/* encode_gpu.c: whether the context's GPU encodes what is planned. */
bool kst_j2k_gpu_encodes(const struct j2k_encode_work *work);

/* Code the blocks of pictures, which it borrows; each has a status. To be ended in any case, after the pictures. */
void kst_j2k_encode_group_code(struct j2k_encode_group *group, struct j2k_encode_work **work, uint32_t count);
void kst_j2k_encode_group_end(struct j2k_encode_group *group);
/* Before blocks' bytes are read, of which it is told then whether they came; thread-safe. */
kst_status kst_j2k_encode_group_arrive(struct j2k_encode_work *work);
/* Those of one of them once more, as its source now says; thread-safe. */
kst_status kst_j2k_encode_group_again(struct j2k_encode_work *work);
/* Say in the picture's report what its group did. */
void kst_j2k_gpu_report_encoding(struct j2k_encode_work *work);

/* Code blocks as the source says. */
kst_status kst_j2k_encode_blocks(struct j2k_encode_work *work);

/* encode_rates.c: the picture's samples, of all components, and their bits. */
double kst_j2k_encode_samples(const struct j2k_encode_work *work);
double kst_j2k_encode_sample_bits(const struct j2k_encode_work *work);
/* Whether what a block gets depends on others. */
bool kst_j2k_encode_needs_rates(const struct j2k_encode_work *work);
/* Of the quantiser; and how far blocks need be coded, into the source. */
double kst_j2k_encode_step(const struct j2k_encode_work *work);
void kst_j2k_encode_set_goal(struct j2k_encode_work *work);
/* The layers' passes, of blocks that are coded; for their targets: blocks are coded farther where that has to be. */
kst_status kst_j2k_encode_layers(struct j2k_encode_work *work);
kst_status kst_j2k_encode_rates(struct j2k_encode_work *work);

/*
 * encode_psnr.c: the squared error of the picture that gains should estimate where a layer's PSNR is reached; and
 * find passes with which layers reach it.
 */
double kst_j2k_estimated_error(const struct j2k_encode_work *work, uint32_t layer);
kst_status kst_j2k_encode_reach(struct j2k_encode_work *work);

/* encode_measure.c: decode what there is, and tell the squared error of the picture at the end of wanted layers. */
kst_status kst_j2k_encode_measure(struct j2k_encode_work *work, const bool *wanted, double *error);

/*
 * encode_windows.c: whether the context's GPU encodes it in parts, of which the memory limit has room for one; then
 * work->cut says how. And code all blocks so, as often as it is asked for.
 */
bool kst_j2k_gpu_cuts(struct j2k_encode_work *work);
kst_status kst_j2k_gpu_code_windows(struct j2k_encode_work *work);

/*
 * encode_tiles.c: whether tiles can be written as soon as they are coded, so that the others need not be in memory,
 * and there is need for that; and do so, to the end of the file.
 */
bool kst_j2k_encode_goes_by_tiles(const struct j2k_encode_work *work);
kst_status kst_j2k_encode_by_tiles(struct j2k_encode_work *work);

/*
 * encode_rows.c: keep as many rows that come in order as are looked at side by side, and have the encoding read
 * those, once it is settled where it runs.
 */
kst_status kst_j2k_encode_keep_rows(struct j2k_encode_work *work);
void kst_j2k_encode_drop_rows(struct j2k_encode_work *work);

/* encode_gpu.c: what both have in common. The image as the kernels see it; where pixels are read from. */
void kst_j2k_gpu_describe(const struct j2k_encode_work *work, struct j2k_encode_item *item);
/* What the kernels are told of a block's region of interest, and how the block's result is told by theirs, all but the
 * passes; then these. */
struct j2k_rect kst_j2k_gpu_region(const struct j2k_encode_job *job, uint32_t index);
void kst_j2k_gpu_take(struct j2k_encode_job *job, uint32_t block, const struct j2k_block_outcome *outcome);
void kst_j2k_gpu_take_passes(const struct j2k_block_outcome *outcome, struct j2k_pass *pass);
/* And what a sampled block's planes would gain. */
void kst_j2k_gpu_take_gains(
    struct j2k_encode_job *job, uint32_t block, const struct j2k_block_gains *measured, struct j2k_gains *gains);
kst_status kst_j2k_gpu_fail(const struct j2k_encode_work *work, const struct gpu_error *error);
void kst_j2k_gpu_report_times(
    struct j2k_encode_work *work, const struct gpu *gpu, const struct j2k_encode_times *times, double share);

/* encode_components.c: components; and where their samples are in work->image. */
kst_status kst_j2k_encode_components(struct j2k_encode_work *work);
void kst_j2k_encode_find_samples(struct j2k_encode_work *work);

/* encode_plan.c: headers and weights. */
kst_status kst_j2k_encode_headers(struct j2k_encode_work *work);
void kst_j2k_encode_drop_tiles(struct j2k_encode_work *work);
kst_status kst_j2k_encode_weights(struct j2k_encode_work *work);

/* encode_profile.c: whether what is to be written keeps the profile's rules; and the limits that remain. */
kst_status kst_j2k_encode_profile(struct j2k_encode_work *work);

/* encode_file.c: what stands around the packets. */
kst_status kst_j2k_encode_file(struct j2k_encode_work *work);

#endif
