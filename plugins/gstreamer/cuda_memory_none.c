/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces cuda_memory.c if headers are missing: no frames are in memory of CUDA. */
#include "cuda_memory.h"

GstCaps *kostka_cuda_extend(GstCaps *caps)
{
    return caps;
}

gboolean kostka_cuda_open(KostkaCuda *cuda, kst_context *context, gboolean now)
{
    (void)cuda, (void)context, (void)now;
    return FALSE;
}

gboolean kostka_cuda_can(KostkaCuda *cuda, kst_context *context, const GstCaps *allowed, GstVideoFormat video)
{
    (void)cuda, (void)context, (void)allowed, (void)video;
    return FALSE;
}

GstCaps *kostka_cuda_caps(const GstVideoInfo *info)
{
    return gst_video_info_to_caps(info);
}

gboolean kostka_cuda_is(const GstCaps *caps)
{
    (void)caps;
    return FALSE;
}

gboolean kostka_cuda_decide(KostkaCuda *cuda, GstQuery *query)
{
    (void)cuda, (void)query;
    return FALSE;
}

gboolean kostka_cuda_query(KostkaCuda *cuda, GstElement *element, GstQuery *query)
{
    (void)cuda, (void)element, (void)query;
    return FALSE;
}

gboolean kostka_cuda_map(KostkaCuda *cuda, kst_context *context, GstVideoFrame *frame, const GstVideoInfo *info,
    GstBuffer *buffer, GstMapFlags access, kst_memory *memory)
{
    (void)cuda, (void)context;
    *memory = KST_MEMORY_HOST;
    return gst_video_frame_map(frame, info, buffer, access);
}

void kostka_cuda_init(KostkaCuda *cuda)
{
    (void)cuda;
}

void kostka_cuda_stop(KostkaCuda *cuda)
{
    (void)cuda;
}

void kostka_cuda_clear(KostkaCuda *cuda)
{
    (void)cuda;
}
