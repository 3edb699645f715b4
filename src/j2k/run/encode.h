/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how one picture becomes a JPEG 2000 file, and the state that the steps share. */
#ifndef KOSTKA_J2K_RUN_ENCODE_H
#define KOSTKA_J2K_RUN_ENCODE_H

#include "j2k/cpu/encode.h"
#include "j2k/gpu/encode.h"
#include "j2k/plan/norms.h"
#include "j2k/rate/rate.h"
#include "j2k/write/file_writer.h"
#include "j2k/write/profile.h"
#include "run/encoding.h"

enum { J2K_ENCODED_COLOURS = 4, J2K_ENCODED_LAYERS = 1024, J2K_ENCODED_BOXES = 16, J2K_ENCODED_COMMENTS = 16 };

/* Describes a volume that was transformed along z, if an encoding's components are its coefficients. */
struct j2k_volume_coding {
    const kst_volume *volume; /* the caller's volume */
    uint32_t levels;          /* levels of the transform along z */
    bool reversible;
    uint8_t bits; /* bits of the coded components, which are signed */
    /*
     * The buffer of the device that contains the components, as kst_j2k_gpu_slices_analyse() makes it; null: the image
     * does.
     */
    const struct gpu_buffer *components;
    size_t at; /* where they begin in that buffer, in bytes */
    /* Transforms the slices again, to the image, for when the CPU encodes after all. */
    kst_status (*bring)(const struct j2k_volume_coding *coding);
    void *user; /* argument of bring() */
};

struct j2k_encode_gpu_part;
struct j2k_encoding;
struct j2k_gains;
struct j2k_kept_rows;
struct j2k_pass;
struct j2k_step_search;

/*
 * Says how a picture that does not fit into memory is cut: into groups of tiles, which are whole rows of tiles if a
 * group has more than one row; or into cells of one tile, on the reference grid.
 */
struct j2k_cut {
    uint32_t tiles;
    uint32_t width, height; /* size of a cell; the first cell begins at 0; 0: cut into whole tiles */
    uint32_t rows;          /* number of rows of the picture in the largest excerpt */
};

/* Describes one picture that is being encoded. It must not be moved, because its members point to each other. */
struct j2k_encoder {
    struct encoding *e;
    const kst_image *image; /* in host memory if the CPU encodes it */
    kst_image host;         /* the copy in host memory, if one was made */
    kst_j2k_options options;
    struct j2k_coded coded;
    struct j2k_parameters *tile; /* parameters of each tile, if any tile has its own; otherwise null */
    struct j2k_origin *origin;   /* for each component */
    uint32_t component_count;
    kst_colour colour;
    bool has_alpha; /* the last component is alpha */
    bool reversible;
    double step;            /* step of an irreversible quantiser, in samples of the picture */
    double *weight;         /* for each band */
    struct j2k_norms norms; /* norms of the 9/7 transform */
    double *slice_norm;     /* for each component of a volume, its norm along z; null: it is a picture */
    struct j2k_encode_request request;
    struct j2k_kept_rows *kept; /* the last rows, if rows come in order; otherwise null */
    struct j2k_encoded encoded;
    bool on_gpu, in_excerpts; /* the context's GPU encodes the picture as a whole, or in excerpts as `cut` says */
    struct j2k_cut cut;
    struct j2k_encode_gpu_part *part; /* pictures that the GPU codes together with it; coded blocks lie in its memory */
    uint32_t member;                  /* the picture's index in the part */
    kst_status status;                /* status of the part's work on this picture */
    struct j2k_layer_target *target;  /* for each layer */
    double *estimate; /* with a PSNR, each layer's error as estimated from gains of passes; null: first guess */
    struct j2k_layer_outcome *outcome; /* for each layer, what was achieved */
    uint8_t *layer_passes;
    struct j2k_step_search *search; /* null: no search has begun */
    uint32_t counted; /* in a search together with others: index of its first block among the blocks that are counted */
    struct j2k_packet_blocks *packet; /* for each packet, if the device is to write packets; otherwise null */
    uint32_t packets;
    uint32_t placed;             /* bytes of packets that the device wrote when blocks were last coded; 0: none */
    struct j2k_codestream *made; /* codestream made from what is coded now; null: not made yet */
    struct j2k_profile_limits limits;
    struct j2k_writing writing;
    struct j2k_file_writing file;
    struct j2k_comment comment[J2K_ENCODED_COMMENTS];
    struct j2k_raw_box box[J2K_ENCODED_BOXES];
    uint8_t *box_data[J2K_ENCODED_BOXES];
    struct j2k_channel_definition definition[J2K_ENCODED_COLOURS];
};

/* encode_options.c: check everything about the options and the image that can be checked before work begins. */
kst_status kst_j2k_run_encode_check(struct encoding *e);

/* Append the file to the sink. */
kst_status kst_j2k_run_encode(struct encoding *e);

/*
 * The same in steps: kst_j2k_run_encode_plan() plans, which includes the decision whether the GPU encodes the picture;
 * then a part may code its blocks on the GPU; kst_j2k_run_encode_settle() does all remaining work and writes the file;
 * kst_j2k_run_encode_release() must be called even if planning failed.
 */
kst_status kst_j2k_run_encode_plan(struct j2k_encoder *encoder, struct encoding *e);
kst_status kst_j2k_run_encode_settle(struct j2k_encoder *encoder);
void kst_j2k_run_encode_release(struct j2k_encoder *encoder);

/* encode_parts.c: see struct encode_parts. */
extern const struct encode_parts kst_j2k_run_encode_parts;

/* Holds pictures whose blocks a GPU codes together. It must not be moved. */
struct j2k_encode_gpu_part {
    kst_context *context;
    struct gpu_runtime *gpu;
    struct j2k_encoder **encoder;
    uint32_t count;
    struct j2k_gpu_encode_item *item; /* one for each picture */
    struct j2k_gpu_encode_job *job;
    struct j2k_gpu_encode_job **again; /* for each picture, the job that codes its blocks again; null: none does */
    pthread_mutex_t coding;            /* held while `job` codes blocks: several threads finish pictures */
};

/*
 * encode_gpu.c: kst_j2k_run_encode_gpu_codes() returns whether kernels can code the picture's blocks as its options
 * say; kst_j2k_run_encode_gpu_suits() returns whether the context's GPU can encode the planned picture as a whole.
 */
bool kst_j2k_run_encode_gpu_codes(const struct j2k_encoder *encoder);
bool kst_j2k_run_encode_gpu_suits(const struct j2k_encoder *encoder);

/*
 * Code the blocks of some pictures, each of which gets a status. The part borrows the pictures, and must be ended in
 * any case, after them.
 */
void kst_j2k_run_encode_gpu_code(struct j2k_encode_gpu_part *part, struct j2k_encoder **encoder, uint32_t count);
void kst_j2k_run_encode_gpu_end(struct j2k_encode_gpu_part *part);
/*
 * Download the blocks' bytes, which must be done before the host reads them. Returns whether that succeeded.
 * Thread-safe.
 */
kst_status kst_j2k_run_encode_gpu_arrive(struct j2k_encoder *encoder);
/* Return the job that last coded the picture's blocks. */
const struct j2k_gpu_encode_job *kst_j2k_run_encode_gpu_job(const struct j2k_encoder *encoder);
/* Code the blocks of one of the pictures again, according to its current request. Thread-safe. */
kst_status kst_j2k_run_encode_gpu_again(struct j2k_encoder *encoder);
/* Return the job that codes or counts the blocks of this picture only; null: it failed, with the picture's status. */
struct j2k_gpu_encode_job *kst_j2k_run_encode_gpu_own_job(struct j2k_encoder *encoder);
/* Code the blocks of several of the part's pictures again, with the same launches. For one thread at a time. */
void kst_j2k_run_encode_gpu_code_some(struct j2k_encode_gpu_part *part, const bool *wanted);
/*
 * encode_gpu_count.c: kst_j2k_run_encode_gpu_count() counts the bits of the picture's blocks (thread-safe).
 * kst_j2k_run_encode_gpu_count_some() does so for the pictures of a part that have a true entry in `wanted`, and sets
 * the status of each; in its first call these must be all pictures whose request says that bits are counted.
 */
kst_status kst_j2k_run_encode_gpu_count(struct j2k_encoder *encoder);
void kst_j2k_run_encode_gpu_count_some(struct j2k_encode_gpu_part *part, const bool *wanted);
/*
 * encode_search_together.c: search the steps of those pictures of a part whose bits are counted, with the same
 * launches, and code them with the steps that were found.
 */
void kst_j2k_run_encode_search_together(struct j2k_encode_gpu_part *part);
/* Add the work of the part to the picture's report. */
void kst_j2k_run_encode_gpu_report(struct j2k_encoder *encoder);

/* encode_packets.c: return whether all code-blocks are T.814 blocks. */
bool kst_j2k_run_encode_has_only_ht(const struct j2k_encoder *encoder);

/*
 * encode_packets.c: kst_j2k_run_encode_list_packets() lists the packets if the device is to write them, and
 * kst_j2k_run_encode_places() returns whether it still is. kst_j2k_run_encode_place() takes the number of bytes of the
 * packets that the device wrote; 0: the host must write them from now on. It returns whether the host need not.
 */
kst_status kst_j2k_run_encode_list_packets(struct j2k_encoder *encoder);
bool kst_j2k_run_encode_places(const struct j2k_encoder *encoder);
bool kst_j2k_run_encode_place(struct j2k_encoder *encoder, uint32_t bytes);
/* Make the codestream from what was coded last. */
kst_status kst_j2k_run_encode_make(struct j2k_encoder *encoder, struct j2k_codestream **stream);

/* Code or count blocks as the request says. */
kst_status kst_j2k_run_encode_blocks(struct j2k_encoder *encoder);

/* encode_rates.c: return the number of the picture's samples in all components; and the number of their bits. */
double kst_j2k_run_encode_samples(const struct j2k_encoder *encoder);
double kst_j2k_run_encode_sample_bits(const struct j2k_encoder *encoder);
/* Return whether the passes that are kept of a block depend on other blocks. */
bool kst_j2k_run_encode_needs_rates(const struct j2k_encoder *encoder);
/* Return whether all planes that the quantiser leaves are coded, regardless of length and error. */
bool kst_j2k_run_encode_takes_all(const struct j2k_encoder *encoder);
/* Return the quantiser's step; and set in the request how far blocks must be coded. */
double kst_j2k_run_encode_step(const struct j2k_encoder *encoder);
void kst_j2k_run_encode_goal(struct j2k_encoder *encoder);
/*
 * Assign the passes of coded blocks to layers. kst_j2k_run_encode_rates() does so to meet the layers' targets, and
 * codes blocks further if that is necessary.
 */
kst_status kst_j2k_run_encode_layers(struct j2k_encoder *encoder);
/* Allocate the lists that these functions work on, unless a search was begun, which has done so. */
kst_status kst_j2k_run_encode_layer_lists(struct j2k_encoder *encoder);
kst_status kst_j2k_run_encode_rates(struct j2k_encoder *encoder);

/* Count the bytes of the boxes around the codestream; and return the most bytes that the last layer's target allows. */
kst_status kst_j2k_run_encode_around(const struct j2k_encoder *encoder, uint64_t *bytes);
uint64_t kst_j2k_run_encode_budget(const struct j2k_encoder *encoder, uint64_t around);

/*
 * encode_search.c: return whether the quantiser's step is searched to meet the target, because a block's only cleanup
 * pass cannot be cut; return the first step to try; and find the step.
 */
bool kst_j2k_run_encode_searches(const struct j2k_encoder *encoder);
double kst_j2k_run_encode_first_step(const struct j2k_encoder *encoder);
/*
 * Return whether, at the steps that are tried, only the bits of the planned picture's blocks are counted, from which
 * its bytes are estimated (encode_estimate.c), and only the step that was found is coded. The result does not depend on
 * the device.
 */
bool kst_j2k_run_encode_counts(const struct j2k_encoder *encoder);
/*
 * kst_j2k_run_encode_finer() returns log2 of the ratio of the sought step to the step that is set, which is finer so
 * that samples can be rounded for fewer bits; kst_j2k_run_encode_value_bits() sets in the request what a bit is then
 * worth.
 */
uint32_t kst_j2k_run_encode_finer(const struct j2k_encoder *encoder);
void kst_j2k_run_encode_value_bits(struct j2k_encoder *encoder);
/* Return whether the errors of Cb and Cr are fed to Y (struct j2k_encode_request). */
bool kst_j2k_run_encode_feeds(const struct j2k_encoder *encoder);
kst_status kst_j2k_run_encode_search(struct j2k_encoder *encoder);
/*
 * The same search in steps. kst_j2k_run_encode_search_begin() begins. After blocks were coded or counted,
 * kst_j2k_run_encode_search_on() judges the result; if it sets *more, blocks must be coded or counted again, with the
 * new step and as the request now says. At the end kst_j2k_run_encode_search_found() sets the step that was found, and
 * *codes if everything must still be coded with it.
 */
kst_status kst_j2k_run_encode_search_begin(struct j2k_encoder *encoder);
kst_status kst_j2k_run_encode_search_on(struct j2k_encoder *encoder, bool *more);
kst_status kst_j2k_run_encode_search_found(struct j2k_encoder *encoder, bool *codes);
void kst_j2k_run_encode_search_end(struct j2k_encoder *encoder);

/* encode_estimate.c: return an estimate of the bytes that the blocks counted last add to an empty codestream. */
uint64_t kst_j2k_run_encode_estimate(const struct j2k_encoder *encoder);

/* Release what was made from lengths that are no longer valid. */
void kst_j2k_run_encode_unmake(struct j2k_encoder *encoder);

/*
 * kst_j2k_run_encode_take_all() assigns all passes to the last layer. Then kst_j2k_run_encode_share() counts the file's
 * bytes as a share of the budget, and kst_j2k_run_encode_error_share() measures its error as a share of the wanted one.
 */
void kst_j2k_run_encode_take_all(struct j2k_encoder *encoder);
kst_status kst_j2k_run_encode_share(struct j2k_encoder *encoder, uint64_t around, uint64_t budget, double *share);
kst_status kst_j2k_run_encode_error_share(struct j2k_encoder *encoder, double *share);

/*
 * encode_candidates.c: code each block with cleanup passes of `count` planes from `plane` on; and choose for each block
 * one of these, such that the target is met.
 */
kst_status kst_j2k_run_encode_candidates(struct j2k_encoder *encoder, uint32_t plane, uint32_t count);
kst_status kst_j2k_run_encode_choose(struct j2k_encoder *encoder);

/*
 * encode_psnr.c: return the squared error that a layer's PSNR allows; return the error, as estimated from gains of
 * passes, at which a layer is expected to reach its PSNR; and find passes with which the layers reach theirs.
 */
double kst_j2k_run_wanted_error(const struct j2k_encoder *encoder, uint32_t layer);
double kst_j2k_run_estimated_error(const struct j2k_encoder *encoder, uint32_t layer);
kst_status kst_j2k_run_encode_reach(struct j2k_encoder *encoder);

/* encode_measure.c: decode what has been coded, and measure the picture's squared error after each wanted layer. */
kst_status kst_j2k_run_encode_measure(struct j2k_encoder *encoder, const bool *wanted, double *error);

/*
 * encode_excerpts.c: return whether the context's GPU can encode the picture in excerpts that each fit into the memory
 * limit, and set encoder->cut; and code all blocks this way, which may be done more than once.
 */
bool kst_j2k_run_encode_gpu_cuts(struct j2k_encoder *encoder);
kst_status kst_j2k_run_encode_gpu_excerpts(struct j2k_encoder *encoder);

/*
 * encode_tiles.c: return whether tiles can and should be written as soon as they are coded, so that not all tiles are
 * in memory; and write the whole file this way.
 */
bool kst_j2k_run_encode_goes_by_tiles(const struct j2k_encoder *encoder);
kst_status kst_j2k_run_encode_by_tiles(struct j2k_encoder *encoder);

/*
 * encode_rows.c: if the caller provides rows in order, keep as many of the latest rows as threads read at the same
 * time, and let the encoder read the kept rows. To be called once it is decided whether the GPU or the CPU encodes.
 */
kst_status kst_j2k_run_encode_keep_rows(struct j2k_encoder *encoder);
void kst_j2k_run_encode_drop_rows(struct j2k_encoder *encoder);

/*
 * encode_gpu.c: functions that are common to whole pictures and excerpts. Describe the image, and where its pixels are
 * read from, to the kernels.
 */
void kst_j2k_run_describe_gpu_item(const struct j2k_encoder *encoder, struct j2k_gpu_encode_item *item);
/*
 * Return a block's region of interest for the kernels; take a block's result, except its passes, from the kernels'
 * outcome; and take its passes.
 */
struct j2k_rect kst_j2k_run_encode_gpu_region(const struct j2k_encoding *encoding, uint32_t index);
void kst_j2k_run_encode_gpu_take(
    struct j2k_encoding *encoding, uint32_t block, const struct j2k_gpu_block_outcome *outcome);
void kst_j2k_run_encode_gpu_take_passes(const struct j2k_gpu_block_outcome *outcome, struct j2k_pass *pass);
/* Take what the planes of a sampled block would gain. */
void kst_j2k_run_encode_gpu_take_gains(
    struct j2k_encoding *encoding, uint32_t block, const struct j2k_gpu_block_gains *measured, struct j2k_gains *gains);
kst_status kst_j2k_run_encode_gpu_fail(const struct j2k_encoder *encoder, const struct gpu_error *error);
void kst_j2k_run_encode_gpu_report_times(
    struct j2k_encoder *encoder, const struct gpu *gpu, const struct j2k_gpu_encode_times *times, double share);

/* encode_components.c: choose the components; and find their samples in encoder->image. */
kst_status kst_j2k_run_encode_components(struct j2k_encoder *encoder);
void kst_j2k_run_encode_find_samples(struct j2k_encoder *encoder);

/* encode_plan.c: choose what the headers say, and the bands' weights in the error. */
kst_status kst_j2k_run_encode_headers(struct j2k_encoder *encoder);
void kst_j2k_run_encode_drop_tiles(struct j2k_encoder *encoder);
/* Change the quantiser's step, before blocks are coded again; and compute the bands' weights. */
kst_status kst_j2k_run_encode_take_step(struct j2k_encoder *encoder, double step);
kst_status kst_j2k_run_encode_weights(struct j2k_encoder *encoder);

/*
 * encode_vision.c: return the step of a quality, in samples of the picture; return how visible an error in a band is, 1
 * unless the options ask for visual weights; and multiply the bands' weights accordingly.
 */
double kst_j2k_run_quality_step(double quality, uint32_t depth);
double kst_j2k_run_encode_seen(const struct j2k_encoder *encoder, const struct j2k_parameters *parameters,
    uint32_t component, uint32_t orientation, uint32_t level);
void kst_j2k_run_encode_weigh(struct j2k_encoder *encoder);

/* encode_profile.c: check that the planned codestream obeys the profile's rules. */
kst_status kst_j2k_run_encode_profile(struct j2k_encoder *encoder);

/*
 * encode_volume_headers.c: describe the transform along z in the headers; multiply the bands' weights by the effect of
 * errors of the components in the volume; and measure the volume's squared error after the first layers of the stream
 * that a decoder has opened.
 */
kst_status kst_j2k_run_encode_describe_volume(struct j2k_encoder *encoder);
void kst_j2k_run_encode_weigh_volume(struct j2k_encoder *encoder);
kst_status kst_j2k_run_encode_measure_volume(
    struct j2k_encoder *encoder, kst_decoder *decoder, uint32_t layers, double *error);

/* encode_volumes.c: the codec's encode_volumes(); see struct codec. */
struct volume_encoding;
void kst_j2k_run_encode_volumes(struct volume_encoding *volumes, uint32_t count);

/* Return the bits of a sample of the picture, or of the volume from which its components were made. */
static inline uint32_t j2k_encode_sample_depth(const struct j2k_encoder *encoder, uint32_t component)
{
    return encoder->e->volume ? encoder->e->volume->volume->bits : encoder->origin[component].depth;
}

/* encode_file.c: choose what the file contains besides packets. */
kst_status kst_j2k_run_encode_file(struct j2k_encoder *encoder);

#endif
