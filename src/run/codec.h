/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the table of functions that a codec consists of, so that no other code asks whether a stream is JPEG or JPEG
 * 2000. Unless its comment says otherwise, a function works on a decoder whose stream is open, or on one decoding of
 * that stream.
 */
#ifndef KOSTKA_RUN_CODEC_H
#define KOSTKA_RUN_CODEC_H

#include <kostka/kostka.h>
#include <kostka/kostka_volume.h>

#include "core/operation.h"
#include "core/sink.h"

struct decoding;
struct encoding;
struct gpu_module;
struct line_decoding;
struct line_encoding;
struct gpu_queue;
struct volume_decoding;
struct volume_encoding;

/*
 * Holds the state of transcoding one stream, which owns everything in it. The options were checked as far as they
 * concern every codec.
 */
struct transcoding {
    kst_context *context;
    struct operation op; /* uses `memory` */
    struct memory memory;
    const kst_transcode_options *options;
    const uint8_t *data;
    size_t length;
    struct sink sink;
    kst_status status;   /* the outcome, if the stream belongs to a batch */
    uint64_t all_length; /* bytes of all streams that are transcoded together; 0: this one is transcoded alone */
};

/* Says where the output of transcoding goes, either a buffer or a writer, and receives the length of the file. */
struct transcoding_target {
    kst_buffer *buffer;
    const kst_writer *writer;
    uint64_t length;
};

/*
 * transcoding.c: do the work of kst_transcode(), and of kst_transcode_batch(), whose arguments have been checked for
 * null.
 */
kst_status kst_transcoding_run(kst_context *context, const void *data, size_t length,
    const kst_transcode_options *options, struct transcoding_target *to, kst_report *report);
kst_status kst_transcoding_run_all(kst_context *context, kst_transcode_item *items, size_t count);

/* Says for what purpose a stream is opened. */
enum opening_purpose {
    OPEN_TO_LOOK,
    OPEN_TO_DECODE,     /* on the GPU if possible: the end of the data may be assumed, so that decoding starts sooner */
    OPEN_TO_DECODE_ONCE /* the same, and decoding follows at once: the data may be uploaded to the GPU before they are
                           parsed */
};

/* Describes a batch of pictures that a GPU decodes, as a codec sees it. */
struct decode_owner {
    kst_context *context;
    uint32_t most; /* the most pictures that the batch may have */
    /* Called by any thread, before and after a picture's decoding is ended. */
    void (*enter)(struct decoding *decoding);
    void (*leave)(struct decoding *decoding);
};

/*
 * Declares how many pictures of one codec are decoded on the GPU, in parts, a few of which are in flight at the same
 * time. `parts` is what make() returned. Unless their comments say otherwise, one thread calls these functions.
 */
struct decode_parts {
    void *(*make)(const struct decode_owner *owner); /* null: there is no memory */
    void (*release)(void *parts);                    /* all have ended */

    /* Add a picture that place() assigned to the GPU, to be decoded together with others. */
    void (*add)(void *parts, struct decoding *decoding);
    /* Begin all parts. With `more`, parts that still have room for further pictures wait. */
    void (*run)(void *parts, bool more);
    /* Make a queue wait for all parts in flight. */
    void (*follow)(const void *parts, struct gpu_queue *queue);
    /* Return whether end() will not have to wait. */
    bool (*done)(const void *parts);
    /* Wait for all parts that have begun, and end them. */
    void (*end)(void *parts);
};

/* Describes a batch of pictures that a GPU encodes, as a codec sees it. */
struct encode_owner {
    kst_context *context;
    uint32_t most;                            /* the most pictures that the batch may have */
    void (*close)(struct encoding *encoding); /* called by any thread once a picture's encoding has ended */
};

/* Declares how many pictures of one codec are encoded on the GPU, in parts. `parts` is what make() returned. */
struct encode_parts {
    void *(*make)(const struct encode_owner *owner); /* null: there is no memory */
    void (*release)(void *parts);                    /* all have ended */

    /*
     * add() adds a picture that the GPU encodes. run(), called once all have been added, encodes and ends pictures
     * until none is left.
     */
    void (*add)(void *parts, struct encoding *encoding);
    void (*run)(void *parts);
    /* Optional: begin to encode the pictures added so far, except those in parts that further pictures may join. */
    void (*feed)(void *parts);
    uint32_t (*threads)(void *parts); /* how many threads are to call run() at the same time; 0: there is no picture */
};

/* Says how the code-blocks of a volume are coded, as far as its main header says so. */
struct volume_blocks {
    bool ht;
    uint32_t samples; /* of a block, at most */
};

struct codec {
    kst_codec kind;

    /*
     * A context with the device "auto" compares these figures to decide whether a GPU decodes a stream: the seconds
     * that one thread of the CPU takes for a byte of entropy-coded data, and the seconds that a GPU takes for even the
     * smallest picture, from and to pageable memory. The CPU's other threads do not help with pictures of that size.
     * The measurements are in docs/performance/gpus.md, "Where a GPU pays".
     */
    double decode_seconds, decode_least;

    /* Optional: kernels that most contexts need, which are built as soon as a GPU is opened that has to compile them.
     */
    const struct gpu_module *kernels;

    /*
     * Returns whether data begin as this codec's streams and files do. It is null for the codec that takes what no
     * other codec recognises.
     */
    bool (*recognises)(const uint8_t *data, size_t length);

    /*
     * Parse a stream, and describe it in the decoder's info and metadata. The decoder's state has `state_size` bytes
     * and is zeroed. If the purpose is decoding, the function may presume where the entropy-coded data end; confirm()
     * then verifies that. After an error nothing is left allocated.
     */
    size_t state_size;
    kst_status (*open)(kst_decoder *decoder, const uint8_t *data, size_t length, enum opening_purpose purpose);
    void (*close)(kst_decoder *decoder);

    /*
     * Describe the picture as it is stored, in the format and size that the options ask for. Options that this stream
     * cannot honour are an error.
     */
    kst_status (*describe)(kst_decoder *decoder, const kst_decode_options *options, kst_image *stored);
    /* Optional: parse headers that opening left for later and that this decoding needs. */
    kst_status (*read_further)(struct decoding *d);

    /* Decide whether the GPU carries out the decoding. Called only if there is a GPU. */
    kst_status (*place)(struct decoding *d);
    /* Optional: verify what was assumed about the stream, and set d->mistaken if it is wrong. */
    void (*confirm)(struct decoding *d, struct pool *threads);
    /* Optional: return whether an assumption is left that confirm() has not verified yet. */
    bool (*presumes)(const kst_decoder *decoder);

    /* Decode on the CPU to an image in host memory that is as describe() describes it. */
    kst_status (*decode_on_cpu)(struct decoding *d, const kst_image *image);
    /* Carry out and end a decoding that place() assigned to the GPU. */
    kst_status (*run_on_gpu)(struct decoding *d);
    /* Release what place() made. */
    void (*release)(struct decoding *d);
    const struct decode_parts *parts;

    /*
     * Optional: decode on the CPU to a writer of interleaved integers, a band at a time. The caller sets `*taken`; the
     * function clears it if the writer got nothing, because the picture has to be decoded as a whole.
     */
    kst_status (*decode_rows)(struct decoding *d, const kst_row_writer *writer, bool *taken);
    const struct line_decoding *lines; /* optional (run/lines.h) */
    kst_status lines_status;           /* the error if `lines` is null; KST_OK stands for KST_ERROR_SIGNATURE */
    /*
     * Optional: describe part number `index` of what the file holds beside the picture. Returns false if there is no
     * such part.
     */
    bool (*other)(kst_decoder *decoder, size_t index, kst_other *other);

    /*
     * Optional, all or none: do the work of kst_decoder_next_element(), kst_decoder_profile_breach() and
     * kst_decoder_claim_breach(), whose arguments were checked.
     */
    bool (*next_element)(kst_decoder *decoder, kst_element *element);
    bool (*profile_breach)(kst_decoder *decoder, size_t index, char *text);
    bool (*claim_breach)(kst_decoder *decoder, size_t index, kst_breach *breach);

    /*
     * Optional, all or none. describe_volume() describes the volume that is decoded with these options, and the
     * codestream. decode_volume() decodes on the CPU to a volume that is as described. encode_volumes() encodes at
     * least one volume, and sets a status in the report of each.
     */
    kst_status (*describe_volume)(
        kst_decoder *decoder, const kst_volume_decode_options *options, kst_volume *volume, kst_volume_info *info);
    kst_status (*decode_volume)(kst_decoder *decoder, const kst_volume_decode_options *options,
        const kst_volume *volume, struct progress *progress);
    /*
     * Present with the functions above: find how the code-blocks of most components are coded, without parsing all
     * headers. Returns false if it is not found.
     */
    bool (*find_blocks)(const uint8_t *data, size_t length, struct volume_blocks *blocks);
    /*
     * Present with the functions above. place_volume() plans a volume for its GPU, or leaves v->planned null if the CPU
     * is to decode it. begin_volumes() begins to decode planned volumes of one GPU; end_volumes() waits until all
     * volumes that were begun together are decoded, and sets their statuses. The list must stay until then.
     * release_volume() releases a plan. Volumes in device memory of one kind may lie in several buffers.
     */
    kst_status (*place_volume)(struct volume_decoding *v);
    void *(*begin_volumes)(struct volume_decoding **volumes, uint32_t count);
    void (*end_volumes)(void *begun); /* null allowed */
    void (*release_volume)(struct volume_decoding *v);
    void (*encode_volumes)(struct volume_encoding *volumes, uint32_t count);

    /* The same two figures for encoding; the first one is for a pixel. */
    double encode_seconds, encode_least;
    size_t encoding_size; /* bytes of the codec's state of an encoding; 0: the codec keeps none */
    bool reads_rows_once; /* each row is read once, in order; other codecs may have to begin again */

    /* Check options and image, and plan the encoding. The codec's state is allocated and zeroed. */
    kst_status (*plan_encoding)(struct encoding *e);
    /* Return whether the GPU encodes the picture. Called only if there is a GPU. */
    bool (*takes_picture)(struct encoding *e);
    /*
     * Choose the device for rows that the caller's function provides. `seconds` is the time that the work takes one
     * thread of the CPU.
     */
    kst_status (*place_rows)(struct encoding *e, double seconds);
    /* Encode on the device that was chosen, and append the file to the sink. */
    kst_status (*encode)(struct encoding *e);
    const struct encode_parts *encode_parts;
    const struct line_encoding *encoded_lines; /* optional (run/line_encoder.h) */

    kst_status (*transcode)(struct transcoding *transcoding);
    /* Optional: transcode many streams in a context that may have a GPU, and set the status of each. */
    void (*transcode_all)(struct transcoding *const *list, uint32_t count);
};

extern const struct codec kst_jpeg_run_codec, kst_jpeg_run_lossless_codec, kst_jpeg_run_deep_codec, kst_j2k_run_codec;

/*
 * All codecs, in the order in which batches begin their work. The first GPU_CODECS have parts, because a GPU works for
 * them; the others lack the members for GPUs and for encoding.
 */
enum { GPU_CODECS = 2, CODECS = 4 };
extern const struct codec *const kst_codecs[CODECS];

/* Find the codec of a stream. Data that no codec recognises go to JPEG, whose parser says what is wrong with them. */
const struct codec *kst_codec_of(const void *data, size_t length);

/*
 * Find the codec that an encoder's options name: the first one of this kind. If there is none, return JPEG, which
 * refuses the options.
 */
const struct codec *kst_codec_named(kst_codec kind);

#endif
