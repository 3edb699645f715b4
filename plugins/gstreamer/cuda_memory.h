/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how elements use memory of CUDA, in which frames stay from one element to the next. GStreamer makes contexts
 * of CUDA of its own, and Kostka works in the primary context of a device: so an element wraps that in a context of
 * GStreamer's, makes its frames there, and offers it to its neighbours. cuda_memory.c implements this;
 * cuda_memory_none.c does if the headers of gstreamer-cuda-1.0 or of CUDA are missing.
 */
#ifndef KOSTKA_GST_CUDA_H
#define KOSTKA_GST_CUDA_H

#include <gst/video/video.h>
#include <kostka/kostka.h>

/*
 * Holds an element's context. Neighbours request it from their own threads: the lock guards the pointer, and is never
 * held while another element is asked.
 */
typedef struct KostkaCuda {
    GMutex lock;
    struct _GstCudaContext *context; /* null: none yet, or the device is none of CUDA */
} KostkaCuda;

/* Add frames in memory of CUDA to caps of frames, of the formats that it supports. */
GstCaps *kostka_cuda_extend(GstCaps *caps);

/*
 * Make the context, for the device of the library's context. If that is to choose its device itself, it does so now if
 * `now` is set. Returns whether there is a context.
 */
gboolean kostka_cuda_open(KostkaCuda *cuda, kst_context *context, gboolean now);

/* Return whether the elements downstream accept frames of a format in memory of CUDA, and there is a context. */
gboolean kostka_cuda_can(KostkaCuda *cuda, kst_context *context, const GstCaps *allowed, GstVideoFormat video);

/* Make the caps of frames in memory of CUDA. */
GstCaps *kostka_cuda_caps(const GstVideoInfo *info);

/* Return whether the first structure of caps is of frames in memory of CUDA. */
gboolean kostka_cuda_is(const GstCaps *caps);

/* Let an allocation query have a pool of frames in the context, because those of others cannot be reached from it. */
gboolean kostka_cuda_decide(KostkaCuda *cuda, GstQuery *query);

/* Answer a query for the context. Returns whether the query is answered. */
gboolean kostka_cuda_query(KostkaCuda *cuda, GstElement *element, GstQuery *query);

/*
 * Map a frame where it lies if that is memory of the context, and otherwise in the system's memory, for which
 * GStreamer downloads it. *memory says which.
 */
gboolean kostka_cuda_map(KostkaCuda *cuda, kst_context *context, GstVideoFrame *frame, const GstVideoInfo *info,
    GstBuffer *buffer, GstMapFlags access, kst_memory *memory);

/* Initialise the structure; release the context; and destroy the structure. */
void kostka_cuda_init(KostkaCuda *cuda);
void kostka_cuda_stop(KostkaCuda *cuda);
void kostka_cuda_clear(KostkaCuda *cuda);

#endif
