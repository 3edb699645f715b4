/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes frames with either codec. Each frame goes downstream before the next one is accepted, so there is no latency,
 * and nothing to drain.
 */
#include "encoder.h"

#include <string.h>

#include "cuda_memory.h"

typedef struct {
    KostkaEngine engine;
    KostkaCuda cuda;
    GstVideoCodecState *input;
} KostkaEncoderPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(KostkaEncoder, kostka_encoder, GST_TYPE_VIDEO_ENCODER)

static KostkaEncoderPrivate *private_of(gpointer encoder)
{
    return kostka_encoder_get_instance_private(KOSTKA_ENCODER(encoder));
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
    if (id >= PROPERTY_OWN) {
        GST_OBJECT_LOCK(object);
        KOSTKA_ENCODER_GET_CLASS(object)->set_own(KOSTKA_ENCODER(object), id, value);
        GST_OBJECT_UNLOCK(object);
    } else if (!engine_set(&private_of(object)->engine, object, id, value)) {
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
    if (id >= PROPERTY_OWN) {
        GST_OBJECT_LOCK(object);
        KOSTKA_ENCODER_GET_CLASS(object)->get_own(KOSTKA_ENCODER(object), id, value);
        GST_OBJECT_UNLOCK(object);
    } else if (!engine_get(&private_of(object)->engine, object, id, value)) {
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

void kostka_encoder_allow_properties(GObjectClass *objects)
{
    objects->set_property = set_property;
    objects->get_property = get_property;
}

static void finalize(GObject *object)
{
    g_free(private_of(object)->engine.device);
    kostka_cuda_clear(&private_of(object)->cuda);
    G_OBJECT_CLASS(kostka_encoder_parent_class)->finalize(object);
}

static gboolean start(GstVideoEncoder *base)
{
    KostkaEncoderPrivate *own = private_of(base);

    if (!engine_start(&own->engine, GST_ELEMENT(base)))
        return FALSE;
    kostka_cuda_open(&own->cuda, own->engine.context, FALSE); /* so that it can be offered to neighbours */
    return TRUE;
}

static gboolean stop(GstVideoEncoder *base)
{
    KostkaEncoderPrivate *own = private_of(base);

    kostka_cuda_stop(&own->cuda);
    engine_stop(&own->engine);
    g_clear_pointer(&own->input, gst_video_codec_state_unref);
    return TRUE;
}

static gboolean set_format(GstVideoEncoder *base, GstVideoCodecState *state)
{
    KostkaEncoderPrivate *own = private_of(base);
    KostkaEncoderClass *class = KOSTKA_ENCODER_GET_CLASS(base);
    GstCaps *allowed = gst_pad_get_allowed_caps(GST_VIDEO_ENCODER_SRC_PAD(base));

    g_clear_pointer(&own->input, gst_video_codec_state_unref);
    own->input = gst_video_codec_state_ref(state);
    if (allowed == NULL)
        allowed = gst_pad_get_pad_template_caps(GST_VIDEO_ENCODER_SRC_PAD(base));
    GstCaps *caps = class->choose_caps(KOSTKA_ENCODER(base), allowed, &state->info);
    gst_caps_unref(allowed);
    if (caps == NULL)
        return FALSE;
    gst_video_codec_state_unref(gst_video_encoder_set_output_state(base, caps, state));
    return gst_video_encoder_negotiate(base);
}

/* Copy the coded bytes into the frame's buffer, behind the codec's header. */
static GstFlowReturn take_output(GstVideoEncoder *base, GstVideoCodecFrame *frame, const kst_buffer *coded)
{
    KostkaEncoderClass *class = KOSTKA_ENCODER_GET_CLASS(base);
    guint8 header[16];
    gsize before = class->header == NULL ? 0 : class->header(KOSTKA_ENCODER(base), header, coded->length);
    GstFlowReturn flow = gst_video_encoder_allocate_output_frame(base, frame, before + coded->length);

    if (flow != GST_FLOW_OK)
        return flow;
    gst_buffer_fill(frame->output_buffer, 0, header, before);
    gst_buffer_fill(frame->output_buffer, before, coded->data, coded->length);
    GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT(frame);
    return GST_FLOW_OK;
}

/* Encode the pixels of a mapped frame. */
static kst_status encode_pixels(
    GstVideoEncoder *base, const GstVideoFrame *pixels, kst_memory memory, kst_buffer *coded, kst_report *report)
{
    kst_encode_options options;
    kst_image image;

    kst_encode_options_init(&options);
    GST_OBJECT_LOCK(base);
    KOSTKA_ENCODER_GET_CLASS(base)->choose_options(KOSTKA_ENCODER(base), &pixels->info, &options);
    GST_OBJECT_UNLOCK(base);
    kostka_frame_image(pixels, 0, &image);
    image.memory = memory;
    return kst_encode(private_of(base)->engine.context, &image, &options, coded, report);
}

static GstFlowReturn encode_frame(GstVideoEncoder *base, GstVideoCodecFrame *frame)
{
    KostkaEncoderPrivate *own = private_of(base);
    GstVideoFrame pixels;
    kst_buffer coded = {.data = NULL};
    kst_report report;
    kst_memory memory;

    if (!kostka_cuda_map(
            &own->cuda, own->engine.context, &pixels, &own->input->info, frame->input_buffer, GST_MAP_READ, &memory)) {
        GST_ELEMENT_ERROR(base, RESOURCE, READ, ("A frame cannot be read."),
            ("its buffer is smaller than its caps say, or is no system memory"));
        return GST_FLOW_ERROR;
    }
    kst_report_init(&report);
    kst_status status = encode_pixels(base, &pixels, memory, &coded, &report);
    gst_video_frame_unmap(&pixels);
    if (status) {
        engine_post(GST_ELEMENT(base), &report, status);
        return GST_FLOW_ERROR;
    }
    GstFlowReturn flow = take_output(base, frame, &coded);
    kst_buffer_release(own->engine.context, &coded);
    return flow;
}

static GstFlowReturn handle_frame(GstVideoEncoder *base, GstVideoCodecFrame *frame)
{
    KostkaEncoderClass *class = KOSTKA_ENCODER_GET_CLASS(base);
    gboolean late = gst_video_encoder_is_qos_enabled(base) && gst_video_encoder_get_max_encode_time(base, frame) < 0;
    GstFlowReturn flow = late ? GST_FLOW_OK : encode_frame(base, frame);

    if (flow != GST_FLOW_OK) {
        gst_video_codec_frame_unref(frame);
        return flow;
    }
    flow = gst_video_encoder_finish_frame(base, frame); /* a frame without output is dropped */
    return flow == GST_FLOW_OK && !late && class->ends != NULL && class->ends(KOSTKA_ENCODER(base)) ? GST_FLOW_EOS
                                                                                                    : flow;
}

static gboolean propose_allocation(GstVideoEncoder *base, GstQuery *query)
{
    gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
    return GST_VIDEO_ENCODER_CLASS(kostka_encoder_parent_class)->propose_allocation(base, query);
}

static gboolean sink_query(GstVideoEncoder *base, GstQuery *query)
{
    return kostka_cuda_query(&private_of(base)->cuda, GST_ELEMENT(base), query) ||
           GST_VIDEO_ENCODER_CLASS(kostka_encoder_parent_class)->sink_query(base, query);
}

static void kostka_encoder_class_init(KostkaEncoderClass *class)
{
    GObjectClass *objects = G_OBJECT_CLASS(class);
    GstVideoEncoderClass *base = GST_VIDEO_ENCODER_CLASS(class);

    kostka_encoder_allow_properties(objects);
    objects->finalize = finalize;
    base->start = start;
    base->stop = stop;
    base->set_format = set_format;
    base->handle_frame = handle_frame;
    base->propose_allocation = propose_allocation;
    base->sink_query = sink_query;
    engine_install_properties(objects, "num-threads");
    gst_type_mark_as_plugin_api(KOSTKA_TYPE_ENCODER, 0);
}

static void kostka_encoder_init(KostkaEncoder *encoder)
{
    kostka_cuda_init(&private_of(encoder)->cuda);
    GST_PAD_SET_ACCEPT_TEMPLATE(GST_VIDEO_ENCODER_SINK_PAD(GST_VIDEO_ENCODER(encoder)));
}

void kostka_encoder_class_setup(
    KostkaEncoderClass *class, const char *name, const char *description, GstCaps *source, gint side)
{
    engine_describe(GST_ELEMENT_CLASS(class), name, "Codec/Encoder/Image", description,
        kostka_cuda_extend(kostka_format_caps(class->codec, side)), source);
}
