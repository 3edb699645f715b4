/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the codecs have in common: a table of functions each, so that nothing else asks which codec a stream is of. A
 * function works on a decoder whose stream is open, or on one decoding of it, unless it says otherwise.
 */
#ifndef KOSTKA_API_CODEC_H
#define KOSTKA_API_CODEC_H

#include <kostka/kostka.h>

#include "core/pool.h"
#include "core/sink.h"

struct decoding;

/* One call of kst_transcode(), which owns everything in it: the options were checked as far as they concern every
 * codec. */
struct transcoding {
    kst_context *context;
    struct memory memory;
    const kst_transcode_options *options;
    kst_report *report;
    struct sink sink;
};

struct codec {
    /*
     * What "auto" goes by: seconds that one thread of the CPU takes for a byte of entropy-coded data, and those that a
     * GPU takes for a picture so small that the CPU is done first, with plain memory at both ends. More threads do not
     * share in such pictures. docs/performance.md, "Where a GPU pays", has the measurements.
     */
    double decode_seconds, decode_least;

    /* Whether data begin as this codec's streams and files do. Not of the last codec, which takes what no other
     * recognises. */
    bool (*recognises)(const uint8_t *data, size_t length);

    /*
     * Parse a stream, described then in the decoder's info and metadata. `presuming`: where the data end may be
     * presumed, for confirm(). After an error nothing is left of it.
     */
    kst_status (*open)(kst_decoder *decoder, const uint8_t *data, size_t length, bool presuming);
    void (*close)(kst_decoder *decoder);

    /* The picture as it is stored, in the format and size that the options ask for; and refuse options by the stream.
     */
    kst_status (*describe)(kst_decoder *decoder, const kst_decode_options *options, kst_image *stored);
    /* Optional: parse what opening left for later and this decoding needs. */
    kst_status (*read_further)(struct decoding *d);

    /* With a GPU: settle whether it carries the decoding out. */
    kst_status (*place)(struct decoding *d);
    /* Optional: make sure of what was presumed of the stream, and set d->mistaken where it is wrong. */
    void (*confirm)(struct decoding *d, struct pool *threads);
    /* Optional: whether that is still to be done. */
    bool (*presumes)(const kst_decoder *decoder);

    /* Decode on the CPU to an image in host memory, as describe() has it. */
    kst_status (*decode_on_cpu)(struct decoding *d, const kst_image *image);
    /* Carry out and end what place() gave to the GPU. */
    kst_status (*run_on_gpu)(struct decoding *d);
    /* Release what place() made. */
    void (*release)(struct decoding *d);

    /* Optional: decode on the CPU to a writer of interleaved integers, a band at a time. */
    kst_status (*decode_rows)(
        kst_decoder *decoder, const kst_decode_options *options, const kst_image *image, const kst_row_writer *writer);
    /* Optional: what the file holds beside the picture; false: no such part. */
    bool (*other)(kst_decoder *decoder, size_t index, kst_other *other);

    kst_status (*transcode)(struct transcoding *transcoding, const uint8_t *data, size_t length);
};

extern const struct codec kst_jpeg_codec, kst_j2k_codec;

/* Whose stream the data are; JPEG's parser says what is wrong with data of no codec. */
const struct codec *kst_codec_of(const void *data, size_t length);

#endif
