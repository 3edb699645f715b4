/* SPDX-License-Identifier: BSD-2-Clause */
/* Wraps the primary context of a device for GStreamer, and makes pools of frames in it. */
#define GST_USE_UNSTABLE_API
#include <gmodule.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudautils.h>
#include <kostka/kostka_device.h>

#include "cuda_memory.h"
#include "engine.h"
#include "pool.h"

/* Formats that both GStreamer's memory of CUDA and the codecs support. */
#define FORMATS                                                                                                        \
    "{ I420, YV12, Y42B, Y444, I420_10LE, I422_10LE, I422_12LE, Y444_16LE, RGB, BGR, RGBx, BGRx, RGBA, BGRA }"

static GstCaps *frame_caps(void)
{
    static GstStaticCaps all =
        GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE_WITH_FEATURES(GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY, FORMATS));

    return gst_static_caps_get(&all);
}

static void set_features(GstCaps *caps)
{
    gst_caps_set_features_simple(caps, gst_caps_features_from_string(GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY));
}

GstCaps *kostka_cuda_extend(GstCaps *caps)
{
    GstCaps *frames = gst_caps_copy_nth(caps, 0), *supported = frame_caps();

    set_features(frames);
    gst_caps_append(caps, gst_caps_intersect(frames, supported));
    gst_caps_unref(frames);
    gst_caps_unref(supported);
    return caps;
}

/* Functions of CUDA's driver that GStreamer does not load. */
static struct {
    CUresult(CUDAAPI *device_get)(CUdevice *device, int number);
    CUresult(CUDAAPI *retain)(CUcontext *context, CUdevice device);
    CUresult(CUDAAPI *release)(CUdevice device);
} driver;

static gpointer load(gpointer unused)
{
    GModule *module = g_module_open("libcuda.so.1", G_MODULE_BIND_LAZY);

    (void)unused;
    gst_cuda_memory_init_once();
    return GINT_TO_POINTER(module != NULL && g_module_symbol(module, "cuDeviceGet", (gpointer *)&driver.device_get) &&
                           g_module_symbol(module, "cuDevicePrimaryCtxRetain", (gpointer *)&driver.retain) &&
                           g_module_symbol(module, "cuDevicePrimaryCtxRelease_v2", (gpointer *)&driver.release));
}

static gboolean has_driver(void)
{
    static GOnce once = G_ONCE_INIT;

    return gst_cuda_load_library() && GPOINTER_TO_INT(g_once(&once, load, NULL));
}

/* Return the number of the device of CUDA on which the library's context works; −1: it is none of CUDA. */
static int device_of(kst_context *context, gboolean now)
{
    kst_device_info info = {.size = sizeof info};
    void *memory = NULL;

    if (now && !kst_pinned_allocate(context, 1, &memory)) /* opens the GPU that "auto" stands for */
        kst_pinned_release(context, memory);
    if (kst_context_device(context, &info) || info.kind != KST_DEVICE_CUDA)
        return -1;
    return (int)g_ascii_strtoll(strchr(info.name, ':') + 1, NULL, 10);
}

/* Release the primary context once no frame needs the context that wraps it. */
static void release_primary(gpointer device, GObject *gone)
{
    (void)gone;
    driver.release((CUdevice)GPOINTER_TO_INT(device));
}

static GstCudaContext *wrap_primary(int number)
{
    CUdevice device;
    CUcontext primary;

    if (!has_driver() || driver.device_get(&device, number) != CUDA_SUCCESS ||
        driver.retain(&primary, device) != CUDA_SUCCESS)
        return NULL;
    GstCudaContext *context = gst_cuda_context_new_wrapped(primary, device);
    if (context == NULL)
        driver.release(device);
    else
        g_object_weak_ref(G_OBJECT(context), release_primary, GINT_TO_POINTER(device));
    return context;
}

/* Return a reference to the context; null: there is none. */
static GstCudaContext *take_context(KostkaCuda *cuda)
{
    g_mutex_lock(&cuda->lock);
    GstCudaContext *context = cuda->context == NULL ? NULL : gst_object_ref(cuda->context);
    g_mutex_unlock(&cuda->lock);
    return context;
}

gboolean kostka_cuda_open(KostkaCuda *cuda, kst_context *context, gboolean now)
{
    if (cuda->context != NULL) /* only this thread sets it */
        return TRUE;
    const int device = device_of(context, now);
    GstCudaContext *made = device < 0 ? NULL : wrap_primary(device);
    g_mutex_lock(&cuda->lock);
    cuda->context = made;
    g_mutex_unlock(&cuda->lock);
    return made != NULL;
}

gboolean kostka_cuda_can(KostkaCuda *cuda, kst_context *context, const GstCaps *allowed, GstVideoFormat video)
{
    GstCaps *one = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, gst_video_format_to_string(video), NULL);
    GstCaps *all = frame_caps();

    set_features(one);
    gboolean can = gst_caps_can_intersect(allowed, one) && gst_caps_can_intersect(all, one);
    gst_caps_unref(one);
    gst_caps_unref(all);
    return can && kostka_cuda_open(cuda, context, TRUE);
}

GstCaps *kostka_cuda_caps(const GstVideoInfo *info)
{
    GstCaps *caps = gst_video_info_to_caps(info);

    set_features(caps);
    return caps;
}

gboolean kostka_cuda_is(const GstCaps *caps)
{
    gboolean none = caps == NULL || gst_caps_is_any(caps) || gst_caps_is_empty(caps);
    const GstCapsFeatures *features = none ? NULL : gst_caps_get_features(caps, 0);

    return features != NULL && gst_caps_features_contains(features, GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
}

/* Configure a pool for caps. *size receives the bytes of its buffers. */
static gboolean configure(GstBufferPool *pool, GstCaps *caps, guint *size)
{
    GstStructure *config = gst_buffer_pool_get_config(pool);

    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
    gst_buffer_pool_config_set_params(config, caps, *size, 0, 0);
    if (!gst_buffer_pool_set_config(pool, config))
        return FALSE;
    config = gst_buffer_pool_get_config(pool);
    gst_buffer_pool_config_get_params(config, NULL, size, NULL, NULL);
    gst_structure_free(config);
    return TRUE;
}

gboolean kostka_cuda_decide(KostkaCuda *cuda, GstQuery *query)
{
    GstCaps *caps;
    GstVideoInfo info;

    gst_query_parse_allocation(query, &caps, NULL);
    if (cuda->context == NULL || !gst_video_info_from_caps(&info, caps))
        return FALSE;
    GstBufferPool *pool = gst_cuda_buffer_pool_new(cuda->context);
    guint size = (guint)info.size;
    gboolean good = configure(pool, caps, &size);
    if (good)
        pool_offer(query, pool, size);
    gst_object_unref(pool);
    return good;
}

/* Answer a query with a reference to the current context, which stop() may release meanwhile. */
gboolean kostka_cuda_query(KostkaCuda *cuda, GstElement *element, GstQuery *query)
{
    GstCudaContext *now = GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT ? take_context(cuda) : NULL;
    gboolean answered = now != NULL && gst_cuda_handle_context_query(element, query, now);

    gst_clear_object(&now);
    return answered;
}

/* Return whether a buffer is one piece of memory in the context, whatever wraps that. */
static gboolean is_there(const KostkaCuda *cuda, GstBuffer *buffer)
{
    GstMemory *memory = gst_buffer_n_memory(buffer) == 1 ? gst_buffer_peek_memory(buffer, 0) : NULL;

    return memory != NULL && gst_is_cuda_memory(memory) && cuda->context != NULL &&
           gst_cuda_context_get_handle(GST_CUDA_MEMORY_CAST(memory)->context) ==
               gst_cuda_context_get_handle(cuda->context);
}

gboolean kostka_cuda_map(KostkaCuda *cuda, kst_context *context, GstVideoFrame *frame, const GstVideoInfo *info,
    GstBuffer *buffer, GstMapFlags access, kst_memory *memory)
{
    if (gst_buffer_n_memory(buffer) == 1 && gst_is_cuda_memory(gst_buffer_peek_memory(buffer, 0)))
        kostka_cuda_open(cuda, context, FALSE);
    const gboolean there = is_there(cuda, buffer);
    *memory = there ? KST_MEMORY_CUDA : KST_MEMORY_HOST;
    return gst_video_frame_map(frame, info, buffer, there ? (GstMapFlags)(access | GST_MAP_CUDA) : access);
}

void kostka_cuda_init(KostkaCuda *cuda)
{
    g_mutex_init(&cuda->lock);
}

void kostka_cuda_stop(KostkaCuda *cuda)
{
    g_mutex_lock(&cuda->lock);
    GstCudaContext *context = g_steal_pointer(&cuda->context);
    g_mutex_unlock(&cuda->lock);
    gst_clear_object(&context);
}

void kostka_cuda_clear(KostkaCuda *cuda)
{
    kostka_cuda_stop(cuda);
    g_mutex_clear(&cuda->lock);
}
