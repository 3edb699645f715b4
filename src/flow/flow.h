/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a flow's entries, queues, lanes and threads. Readers ask the source for items and read their files; lanes,
 * one for each device, decode and encode them; writers hand the results to the sink. One lock guards what these threads
 * share.
 */
#ifndef KOSTKA_FLOW_FLOW_H
#define KOSTKA_FLOW_FLOW_H

#include <pthread.h>

#include <kostka/kostka_device.h>
#include <kostka/kostka_flow.h>

#include "core/memory.h"

enum { FLOW_LANES = 64, FLOW_MOST = 1024 /* the most entries that a GPU takes at once */ };

/* Describes an item on its way. */
struct flow_entry {
    kst_flow_item item;
    struct flow_entry *next, *previous; /* in a queue */
    uint8_t *file;                      /* the stream that was read from a file; null: the stream is the caller's */
    uint64_t input;                     /* bytes of `file` */
    uint64_t pixels;                    /* bytes of the image or the result, the larger one; 0: not known */
    uint64_t work;                      /* bytes that the CPU takes for a volume while it codes it */
    uint64_t result;                    /* bytes that will wait for the sink: with DECODE those of the image */
    uint32_t failures;                  /* how many devices have failed with this item */
};

/* Holds entries in ascending order of their indices. */
struct flow_queue {
    struct flow_entry *first, *last;
    uint32_t count;
};

/* Holds a device, with the threads that give it work. */
struct flow_lane {
    struct kst_flow *flow;
    kst_context *context;
    kst_context *alone; /* CPU: a context of one thread, used while there are pictures for all threads */
    kst_device_kind kind;
    uint32_t workers; /* threads that give it work */
    uint32_t busy;    /* threads that give it work now; this and the next members are guarded by the flow's lock */
    uint32_t volumes; /* volumes that it codes now */
    uint64_t work;    /* bytes that these take on the CPU */
    bool failed;      /* it takes no more items */
};

struct kst_flow {
    kst_flow_options options; /* the caller's, with the defaults filled in */
    struct memory memory;
    kst_decode_options decode; /* these two are what `options` points to where the caller has none */
    kst_encode_options encode;
    struct flow_lane lane[FLOW_LANES];
    uint32_t lanes;
    pthread_t *thread;
    uint32_t threads;       /* threads that were started and have not been joined */
    pthread_mutex_t source; /* held while the source is asked for an item */
    pthread_mutex_t lock;   /* guards all members below */
    pthread_cond_t room;    /* streams that were read ahead have been used, or the flow ends: for readers */
    pthread_cond_t work;    /* an entry is ready, results have gone, or no more will come: for lanes */
    pthread_cond_t more;    /* a GPU's call can be full, or no more will come: for lanes that wait for more entries */
    pthread_cond_t results; /* an entry is done, or no more will come: for the sink */
    struct flow_queue ready, done;
    uint64_t input;      /* bytes of streams that were read and are still needed */
    uint64_t result;     /* bytes of results that are being made or wait for the sink */
    uint64_t items;      /* items that came from the source */
    uint64_t taken;      /* results that were handed to the sink, or to the caller */
    uint64_t failed;     /* results among `taken` that report an error */
    uint64_t moved;      /* items that another device took over */
    uint32_t readers;    /* threads that may still bring entries */
    uint32_t lanes_left; /* devices that have not failed */
    uint32_t gpus;       /* GPUs that have not failed */
    uint32_t busy;       /* threads that give a device work now */
    uint32_t idle;       /* GPUs' threads that wait for work */
    bool exhausted;      /* the source is not asked for more items */
    bool cancelled;      /* items that no device has begun with are cancelled */
    kst_status first;    /* the first error of an item */
};

/* Return whether all entries have left the ready queue for good. The caller holds the lock. */
static inline bool kst_flow_is_dry(const struct kst_flow *flow)
{
    return flow->readers == 0 && !flow->ready.first;
}

/* Return whether an entry is the one that others wait for, because results come in order. The caller holds the lock. */
static inline bool kst_flow_is_due(const struct kst_flow *flow, const struct flow_entry *entry)
{
    return flow->options.in_order && entry->item.index == flow->taken;
}

/* queue.c */
void kst_flow_insert(struct flow_queue *queue, struct flow_entry *entry);
void kst_flow_remove(struct flow_queue *queue, struct flow_entry *entry);

/* devices.c: make a lane for each device that the options name. After an error the lanes made before it remain. */
kst_status kst_flow_open_devices(struct kst_flow *flow);
void kst_flow_close_devices(struct kst_flow *flow);

/* flow.c: note that there is one more thread that may bring entries (1), or one fewer (UINT32_MAX). */
void kst_flow_change_readers(struct kst_flow *flow, uint32_t change);

/* read.c: the thread that asks the source and reads files; `arg` is the flow. */
void *kst_flow_read(void *arg);

/*
 * lane.c: kst_flow_offer() queues an entry for the lanes, or for the sink with an error if no device is left for it;
 * the caller holds the lock. kst_flow_work_on() is a thread that gives a device work; `arg` is its lane.
 */
void kst_flow_offer(struct kst_flow *flow, struct flow_entry *entry);
void *kst_flow_work_on(void *arg);

/* Return whether an item becomes an image, and not a stream. */
static inline bool kst_flow_makes_image(kst_flow_work work)
{
    return work == KST_FLOW_DECODE || work == KST_FLOW_CHANGE;
}

/* Return whether an item is a volume, or becomes one. */
static inline bool kst_flow_is_volume(kst_flow_work work)
{
    return work == KST_FLOW_DECODE_VOLUME || work == KST_FLOW_ENCODE_VOLUME;
}

/* Return how an item's image is resized; null: it is not. */
static inline const kst_resize_options *kst_flow_resize_of(const struct kst_flow *flow, const kst_flow_item *item)
{
    return item->resize ? item->resize : flow->options.resize;
}

/* Return whether a stage, which may be missing, has all that it needs. */
static inline bool kst_flow_stage_is_fine(const kst_flow_stage *stage)
{
    return !stage || (stage->size == sizeof *stage && stage->describe && stage->run);
}

/* Return the stage that an item's image goes through; null: none. */
static inline const kst_flow_stage *kst_flow_stage_of(const struct kst_flow *flow, const kst_flow_item *item)
{
    return item->stage ? item->stage : flow->options.stage;
}

/*
 * make.c: decode, encode or transcode entries of one kind of work in a lane's context. Their reports are set in any
 * case.
 */
void kst_flow_make(struct flow_lane *lane, kst_context *context, struct flow_entry *const *entry, uint32_t count);

/*
 * volumes.c: kst_flow_look_at_volume() finds out how large an entry's volume is, and how much memory the CPU takes for
 * it. kst_flow_make_volumes() does the work of kst_flow_make() for entries with volumes.
 */
void kst_flow_look_at_volume(struct kst_flow *flow, struct flow_entry *entry);
void kst_flow_make_volumes(
    struct kst_flow *flow, kst_context *context, struct flow_entry *const *entry, uint32_t count);

/*
 * results.c: kst_flow_finish() queues an entry for the sink. kst_flow_announce() then wakes the threads that wait for
 * results, or for room for streams. The caller of both holds the lock. kst_flow_write(flow) is the sink's thread.
 */
void kst_flow_finish(struct kst_flow *flow, struct flow_entry *entry);
void kst_flow_announce(struct kst_flow *flow);
void *kst_flow_write(void *arg);

/*
 * keep.c: holds the options with which an image is encoded, with the metadata and the resolution of the stream that it
 * comes from.
 */
struct flow_kept {
    kst_decoder *decoder;
    kst_metadata *metadata; /* copies that own their bytes */
    size_t count;
    kst_encode_options options;
};

/* Fill in a zeroed structure, which kst_flow_forget() frees even after an error. */
kst_status kst_flow_keep(struct kst_flow *flow, kst_context *context, const kst_flow_item *item, const kst_image *image,
    struct flow_kept *kept);

/* Let the options of a further encoding have the same metadata and resolution. */
void kst_flow_keep_for(const struct flow_kept *kept, kst_encode_options *options);
void kst_flow_forget(struct kst_flow *flow, struct flow_kept *kept);

#endif
