/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KOSTKA_FLOW_H
#define KOSTKA_FLOW_H

/**
 * @file
 * Declares flows: many pictures, or bricks of volumes, on their way from a source through reading, decoding and
 * encoding to a sink, on several devices at once and in bounded memory.
 */

#include <kostka/kostka.h>
#include <kostka/kostka_volume.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Says what a flow makes of its items. */
typedef enum kst_flow_work {
    KST_FLOW_DECODE = 0,        /**< a stream becomes an image */
    KST_FLOW_CONVERT = 1,       /**< a stream is decoded and encoded again; its pixels stay in the device's memory */
    KST_FLOW_ENCODE = 2,        /**< an image becomes a stream */
    KST_FLOW_TRANSCODE = 3,     /**< a stream is rewritten from its coefficients; see kst_transcode_batch() */
    KST_FLOW_CHANGE = 4,        /**< an image is resized, or goes through a stage, or both, and becomes another image */
    KST_FLOW_DECODE_VOLUME = 5, /**< a stream becomes a volume; see kst_decode_volumes() */
    KST_FLOW_ENCODE_VOLUME = 6  /**< a volume becomes a stream; see kst_encode_volumes() */
} kst_flow_work;

/** One image of a stage. */
typedef struct kst_flow_image {
    const kst_image *from; /**< what was decoded or resized, or the source's picture */
    kst_image *to;         /**< receives the result, as for kst_resize(): `memory` says where it is to lie */
    kst_report report;     /**< result */
} kst_flow_image;

/**
 * A step between decoding and encoding, which a program or another library provides: kst_filter_stage() of
 * kostka_filter.h makes one of a chain of filters. Both functions may be called by several threads at once.
 */
typedef struct kst_flow_stage {
    size_t size;
    /**
     * Describe what `run` would make of `from`: format, size and depth, without a buffer. The flow asks before any
     * pixel is there, to know how much memory an item takes; what fails here fails again in `run`.
     */
    kst_status (*describe)(void *user, const kst_image *from, kst_image *to);
    /**
     * Make all results, in the context of a device of the flow, and set all reports. The buffer of a result is one
     * that the library allocated for this context, or the item's own; the flow releases it. An image that fails is
     * left as it was.
     */
    kst_status (*run)(void *user, kst_context *context, kst_flow_image *images, size_t count);
    void *user;
} kst_flow_stage;

/** Another stream that an item's image becomes, beside the item's own. */
typedef struct kst_flow_encoding {
    const kst_encode_options *encode; /**< null for the flow's own options */
    kst_buffer output;                /**< as kst_flow_item.output */
    kst_report report;                /**< result; it says nothing if the item failed before it was encoded */
} kst_flow_encoding;

/** One picture or volume of a flow. */
typedef struct kst_flow_item {
    size_t size;
    /* These members are the source's. What they point to must stay as it is until the item's result has come. */
    void *user;
    /**
     * The flow's own work; the source may choose another for the item, so that some pictures are decoded and others
     * encoded. A flow of KST_FLOW_TRANSCODE does no other work, and no other flow transcodes: an item that asks for it
     * fails with KST_ERROR_OPTIONS.
     */
    kst_flow_work work;
    const char *path; /**< the file to read, which a thread of the flow does; null: `data` is the stream */
    const void *data;
    size_t length;
    const kst_image *picture; /**< KST_FLOW_ENCODE, KST_FLOW_CHANGE: the image, in host memory or of a device of the
                                 flow, which keeps the item to the devices of that kind */
    const kst_decode_options *decode; /**< null for the flow's own options; the same holds for the next four members */
    const kst_resize_options *resize;
    const kst_flow_stage *stage;
    const kst_encode_options *encode;
    const kst_transcode_options *transcode;
    /**
     * KST_FLOW_DECODE, KST_FLOW_CHANGE: the image, as for kst_decoder_decode(): the source may choose its kind of
     * memory, or provide the buffers, which share no byte with the picture's. Device memory keeps the item to the
     * devices of that kind. KST_FLOW_CONVERT: the flow sets format, colour, width and height of the image that it
     * encoded.
     */
    kst_image image;
    /**
     * KST_FLOW_CONVERT, KST_FLOW_ENCODE: an array of other streams that the image becomes, with options of their own,
     * such as several qualities. The image is decoded, changed and uploaded once for all of them. If the device fails
     * with one of them, the item goes to another device as a whole.
     */
    kst_flow_encoding *further;
    uint32_t further_count; /**< 0: none */
    /**
     * KST_FLOW_DECODE_VOLUME: the volume, as for kst_decode_volume(): the source may choose its kind of memory, or
     * provide the buffer. KST_FLOW_ENCODE_VOLUME: the source's volume. Device memory keeps the item to the devices of
     * that kind. Volumes are neither resized nor taken through stages.
     */
    kst_volume volume;
    const kst_volume_decode_options *decode_volume; /**< null for the defaults, as is the next one */
    const kst_volume_options *encode_volume;
    /* These members are the flow's. */
    uint64_t index;       /**< the item's number, in the order of the source */
    kst_buffer output;    /**< the stream that was made */
    kst_report report;    /**< of the last step; KST_ERROR_READ if the file could not be read */
    kst_context *context; /**< of the device that made the image or output, for calls on them; valid until
                               kst_flow_end(). Null if no device began with the item */
} kst_flow_item;

typedef struct kst_flow_options {
    size_t size;
    kst_flow_work work;
    /**
     * The devices to work on, separated by commas: "cuda:0,cuda:1,cpu". "all" stands for each GPU of the best driver,
     * and the CPU. "auto" stands for each GPU of the best driver, or the CPU if there is none; so does null, unless
     * the environment variable KOSTKA_DEVICE names devices. A flow that transcodes works on the CPU unless `transcode`
     * asks for other code-blocks (`jpeg2000.ht`); a GPU that is named then is KST_ERROR_OPTIONS. Each item goes to a
     * device that has nothing to do.
     */
    const char *devices;
    uint32_t threads; /**< threads that decode and encode on the CPU, and that help GPUs; 0 as for a context */
    uint32_t readers; /**< threads that read files; default 4 */
    uint32_t writers; /**< threads that call `put`, one with `in_order`; default 2 */
    bool in_order;    /**< results come in the order of the source */
    /**
     * The most bytes of streams that are read ahead and of results that wait, images included; default 1 GiB. One item
     * at a time may exceed it.
     */
    uint64_t memory;
    uint32_t most;    /**< the most items that a GPU takes at once; default 256 */
    uint32_t wait_us; /**< how long a GPU waits for more items before it begins with fewer; default 200 µs */
    bool keep; /**< KST_FLOW_CONVERT: metadata and resolution of the stream go to the new one, unless it has some. An
                  ICC profile of colours does not go to a grey picture */
    const kst_decode_options *decode; /**< for items without options of their own; null for the defaults */
    /**
     * Null, or how images are resized between decoding and encoding; see kst_resize_batch(). A GPU that gets an item
     * resizes it, too, and its pixels stay in the device's memory. Of a picture that a box or KST_RESIZE_COVER cuts
     * only what the result needs is decoded; see kst_decode_resized(). KST_FLOW_TRANSCODE has none.
     */
    const kst_resize_options *resize;
    /**
     * Null, or what is done to images behind resizing. It works where the pixels are, which stay there.
     * KST_FLOW_TRANSCODE has none.
     */
    const kst_flow_stage *stage;
    const kst_encode_options *encode;
    const kst_transcode_options *transcode;
    kst_allocator allocator;
    kst_log log;
    kst_limits limits; /**< on each operation; and all volumes that the CPU works on at once stay within `memory` */
    /**
     * Get the next item, which is initialised. One thread at a time calls this. @return false: there are no more
     */
    bool (*next)(void *user, kst_flow_item *item);
    /**
     * Take a result: with `in_order` one at a time, otherwise several threads may call this at once. The flow frees the
     * item's image, volume and outputs afterwards. Null: the caller takes the results by kst_flow_take().
     * @return false: the flow ends as after kst_flow_cancel()
     */
    bool (*put)(void *user, kst_flow_item *item);
    void *user;
} kst_flow_options;

/** Set every member to its default. */
KST_API void kst_flow_options_init(kst_flow_options *options);

typedef struct kst_flow kst_flow;

/**
 * Start a flow. Its threads begin at once.
 *
 * @param options what its pointers point to must stay until kst_flow_end()
 * @param flow receives the flow; null on failure
 * @return KST_OK, KST_ERROR_ARGUMENT, KST_ERROR_OPTIONS, KST_ERROR_MEMORY, KST_ERROR_THREAD, KST_ERROR_DEVICE_NAME, or
 *         what kst_context_create() returns for one of the devices
 */
KST_API kst_status kst_flow_start(const kst_flow_options *options, kst_flow **flow);

/**
 * Take the next result of a flow without `put`, and wait for it if need be. Any number of threads may call this.
 * @param item receives the item; the caller frees what it holds by kst_flow_release()
 * @return false after the last result
 */
KST_API bool kst_flow_take(kst_flow *flow, kst_flow_item *item);

/**
 * Free an item's image, volume and output, and the outputs of further encodings, unless their buffers are the caller's.
 * Thread-safe; before kst_flow_end().
 */
KST_API void kst_flow_release(kst_flow *flow, kst_flow_item *item);

/**
 * End a flow early: the source is not asked for more, and items that no device has begun with get the status
 * KST_ERROR_CANCELLED. All results come nevertheless. Thread-safe.
 */
KST_API void kst_flow_cancel(kst_flow *flow);

/**
 * Return the context of one of the flow's devices, in the order in which the options name them, for calls beside the
 * flow's own work, so that they need not open the device a second time. Thread-safe.
 * @param index the number of the device, from 0 on
 * @return the context, which belongs to the flow and is valid until kst_flow_end(); null if there is no such device
 */
KST_API kst_context *kst_flow_context(kst_flow *flow, uint32_t index);

/** Counts what a flow has done so far. */
typedef struct kst_flow_counts {
    size_t size;
    uint64_t items;  /**< items that came from the source */
    uint64_t done;   /**< items whose results have been taken */
    uint64_t failed; /**< items whose results have been taken and report an error */
    uint64_t moved;  /**< items that one device failed to process and another took over */
} kst_flow_counts;

/** Get the counts; their `size` must be set. Thread-safe. @return KST_OK or KST_ERROR_ARGUMENT */
KST_API kst_status kst_flow_count(kst_flow *flow, kst_flow_counts *counts);

/**
 * Wait until all results have been taken by `put`. The flow's threads end, and its contexts stay usable until
 * kst_flow_end(), which then has nothing to wait for. One thread may call this.
 * @return as kst_flow_end(); or KST_ERROR_ARGUMENT if the flow has no `put`
 */
KST_API kst_status kst_flow_wait(kst_flow *flow);

/**
 * Wait until all results have been taken by `put`, or, if there is no `put`, drop the results that nobody took; then
 * free the flow and set the pointer to null. Null, and a pointer to null, are allowed.
 * @return KST_OK if every item succeeded, otherwise the status of one that did not
 */
KST_API kst_status kst_flow_end(kst_flow **flow);

#ifdef __cplusplus
}
#endif

#endif
