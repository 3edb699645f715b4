/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes frames of either codec. Each frame is decoded into the buffer that goes downstream before the next frame is
 * accepted, by all threads or on the GPU, so there is no latency, and nothing to drain.
 */
#include "decoder.h"
#include "cuda_memory.h"
#include "gl.h"
#include "shape.h"

/* Says where frames are decoded to. */
typedef enum { IN_SYSTEM, IN_TEXTURES, IN_CUDA } Place;

typedef struct {
    KostkaEngine engine;
    kst_decoder *stream;
    GstVideoCodecState *input;
    Shape shape;
    const KostkaFormat *format; /* null: not chosen yet */
    guint depth;                /* depth of the decoded samples */
    KostkaGl gl;
    KostkaCuda cuda;
    Place prefers; /* what the next element prefers */
    Place place;
} KostkaDecoderPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(KostkaDecoder, kostka_decoder, GST_TYPE_VIDEO_DECODER)

static KostkaDecoderPrivate *private_of(gpointer decoder)
{
    return kostka_decoder_get_instance_private(KOSTKA_DECODER(decoder));
}

const GstCaps *kostka_decoder_caps(KostkaDecoder *decoder)
{
    KostkaDecoderPrivate *own = private_of(decoder);

    return own->input == NULL ? NULL : own->input->caps;
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
    if (!engine_set(&private_of(object)->engine, object, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
    if (!engine_get(&private_of(object)->engine, object, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

static void finalize(GObject *object)
{
    g_free(private_of(object)->engine.device);
    kostka_gl_clear(&private_of(object)->gl);
    kostka_cuda_clear(&private_of(object)->cuda);
    G_OBJECT_CLASS(kostka_decoder_parent_class)->finalize(object);
}

static gboolean start(GstVideoDecoder *base)
{
    KostkaDecoderPrivate *own = private_of(base);

    own->format = NULL;
    if (!engine_start(&own->engine, GST_ELEMENT(base)))
        return FALSE;
    kst_status status = kst_decoder_create(own->engine.context, &own->stream);
    if (status) {
        engine_post(GST_ELEMENT(base), NULL, status);
        engine_stop(&own->engine);
    } else {
        kostka_cuda_open(&own->cuda, own->engine.context, FALSE); /* so that it can be offered to neighbours */
    }
    return !status;
}

static gboolean stop(GstVideoDecoder *base)
{
    KostkaDecoderPrivate *own = private_of(base);

    kst_decoder_destroy(&own->stream);
    kostka_cuda_stop(&own->cuda);
    engine_stop(&own->engine);
    kostka_gl_stop(&own->gl);
    g_clear_pointer(&own->input, gst_video_codec_state_unref);
    return TRUE;
}

static gboolean set_format(GstVideoDecoder *base, GstVideoCodecState *state)
{
    KostkaDecoderPrivate *own = private_of(base);

    g_clear_pointer(&own->input, gst_video_codec_state_unref);
    own->input = gst_video_codec_state_ref(state);
    own->format = NULL;
    return TRUE;
}

/* Return whether the elements downstream accept frames of a format in the system's memory. */
static gboolean is_allowed(const GstCaps *allowed, GstVideoFormat video)
{
    GstCaps *one = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, gst_video_format_to_string(video), NULL);
    gboolean can = gst_caps_can_intersect(allowed, one);

    gst_caps_unref(one);
    return can;
}

/*
 * Return whether the elements downstream accept frames of a format: in memory of CUDA or as textures, if they prefer
 * these or accept nothing else, or in the system's memory. Samples that are to be shifted are always decoded into the
 * latter, because mapped textures are not for reading, and so are four planes, which are interleaved by the processor.
 */
static gboolean is_wanted(
    GstVideoDecoder *base, const GstCaps *allowed, const KostkaFormat *format, const kst_image *image)
{
    KostkaDecoderPrivate *own = private_of(base);
    gboolean plain = is_allowed(allowed, format->video);

    own->place = IN_SYSTEM;
    if (format->scaled || (own->prefers == IN_SYSTEM && plain))
        return plain;
    if ((own->prefers == IN_CUDA || !plain) && image->plane_count < 4 &&
        kostka_cuda_can(&own->cuda, own->engine.context, allowed, format->video))
        own->place = IN_CUDA;
    else if ((own->prefers == IN_TEXTURES || !plain) &&
             kostka_gl_can(&own->gl, GST_ELEMENT(base), allowed, format->video))
        own->place = IN_TEXTURES;
    return own->place != IN_SYSTEM || plain;
}

/*
 * Find the first format that can hold the picture and is accepted downstream. If the picture has alpha, formats with
 * alpha are tried first.
 */
static const KostkaFormat *find_format(
    GstVideoDecoder *base, const GstCaps *allowed, const kst_image *image, gboolean rgb, gboolean alpha)
{
    kst_codec codec = KOSTKA_DECODER_GET_CLASS(base)->codec;

    for (const KostkaFormat *format = kostka_formats; format->video != GST_VIDEO_FORMAT_UNKNOWN; format++)
        if ((format->codecs & codec) != 0 && kostka_format_fits(format, image, rgb) &&
            (!alpha || GST_VIDEO_FORMAT_INFO_HAS_ALPHA(gst_video_format_get_info(format->video))) &&
            is_wanted(base, allowed, format, image))
            return format;
    return alpha ? find_format(base, allowed, image, rgb, FALSE) : NULL;
}

/* Describe how frames of the chosen format are to be displayed. */
static void describe_output(GstVideoDecoder *base, const Shape *shape, GstVideoCodecState *output)
{
    GstVideoInfo *info = &output->info;

    if (KOSTKA_DECODER_GET_CLASS(base)->codec == KST_CODEC_JPEG && GST_VIDEO_INFO_IS_YUV(info)) { /* T.871 */
        info->colorimetry.range = shape->limited ? GST_VIDEO_COLOR_RANGE_16_235 : GST_VIDEO_COLOR_RANGE_0_255;
        info->colorimetry.matrix = GST_VIDEO_COLOR_MATRIX_BT601;
        info->colorimetry.transfer = GST_VIDEO_TRANSFER_UNKNOWN;
        info->colorimetry.primaries = GST_VIDEO_COLOR_PRIMARIES_UNKNOWN;
    }
    if (shape->fields) {
        info->interlace_mode = GST_VIDEO_INTERLACE_MODE_INTERLEAVED;
        GST_VIDEO_INFO_FIELD_ORDER(info) =
            shape->bottom ? GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST : GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST;
    }
}

static void post_no_format(GstVideoDecoder *base, const kst_image *image, const GstCaps *allowed)
{
    gchar *wanted = gst_caps_to_string(allowed);

    GST_ELEMENT_ERROR(base, STREAM, FORMAT, ("No format holds these frames that the next element takes."),
        ("%u components of %u bits; wanted: %s. Put videoconvert behind this element; if that does not help, "
         "'kostka video' takes frames of other depths.",
            image->plane_count, image->plane[0].depth == 0 ? 8u : image->plane[0].depth, wanted));
    g_free(wanted);
}

/* Find out what the next element lists first. */
static void look_behind(GstVideoDecoder *base)
{
    GstCaps *behind = gst_pad_peer_query_caps(GST_VIDEO_DECODER_SRC_PAD(base), NULL);

    private_of(base)->prefers = kostka_cuda_is(behind) ? IN_CUDA : kostka_gl_is(behind) ? IN_TEXTURES : IN_SYSTEM;
    gst_clear_caps(&behind);
}

/* Choose the format of the output, and negotiate it. */
static GstFlowReturn negotiate(GstVideoDecoder *base, const kst_image *image, const Shape *shape)
{
    KostkaDecoderPrivate *own = private_of(base);
    GstPad *pad = GST_VIDEO_DECODER_SRC_PAD(base);
    GstCaps *allowed = gst_pad_get_allowed_caps(pad);
    guint height = image->height * (shape->fields ? 2 : 1);

    if (allowed == NULL)
        allowed = gst_pad_get_pad_template_caps(pad);
    look_behind(base);
    own->format = find_format(base, allowed, image, shape->rgb, shape->alpha);
    if (own->format == NULL)
        post_no_format(base, image, allowed);
    gst_caps_unref(allowed);
    if (own->format == NULL)
        return GST_FLOW_NOT_NEGOTIATED;
    own->shape = *shape;
    own->depth = image->plane[0].depth;
    GstVideoCodecState *output =
        gst_video_decoder_set_output_state(base, own->format->video, image->width, height, own->input);
    if (output == NULL) {
        GST_ELEMENT_ERROR(base, STREAM, FORMAT, ("A frame is too large for GStreamer."),
            ("%u columns, %u rows", image->width, height));
        return GST_FLOW_NOT_NEGOTIATED;
    }
    describe_output(base, shape, output);
    if (own->place != IN_SYSTEM)
        output->caps = own->place == IN_CUDA ? kostka_cuda_caps(&output->info) : kostka_gl_caps(&output->info);
    gst_video_codec_state_unref(output);
    return gst_video_decoder_negotiate(base) ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
}

/* Renegotiate if the frames have changed, or if the elements downstream request something else. */
static GstFlowReturn follow_shape(GstVideoDecoder *base, const kst_image *image, const KostkaCoded *coded)
{
    KostkaDecoderPrivate *own = private_of(base);
    gboolean rgb = KOSTKA_DECODER_GET_CLASS(base)->is_rgb(KOSTKA_DECODER(base), own->stream);
    gboolean alpha = kst_decoder_info(own->stream)->alpha || (rgb && image->plane_count == 4);
    Shape shape = shape_of(image, coded, rgb, alpha);
    gboolean asked = gst_pad_check_reconfigure(GST_VIDEO_DECODER_SRC_PAD(base));

    if (own->format != NULL && !asked && shape_equal(&shape, &own->shape))
        return GST_FLOW_OK;
    GstFlowReturn flow = negotiate(base, image, &shape);
    if (flow != GST_FLOW_OK) {
        own->format = NULL;
        gst_pad_mark_reconfigure(GST_VIDEO_DECODER_SRC_PAD(base));
    }
    return GST_PAD_IS_FLUSHING(GST_VIDEO_DECODER_SRC_PAD(base)) && flow != GST_FLOW_OK ? GST_FLOW_FLUSHING : flow;
}

/* Open a picture and describe its planes. */
static kst_status open_picture(KostkaDecoderPrivate *own, const guint8 *data, gsize length, kst_image *image)
{
    kst_decode_options options;

    kst_image_init(image);
    kst_status status = kst_decoder_open(own->stream, data, length);
    if (status)
        return status;
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    return kst_decoder_describe(own->stream, &options, image);
}

static void note_warnings(GstVideoDecoder *base, GstVideoCodecFrame *frame, const kst_report *report)
{
    if (report->warnings == 0)
        return;
    GST_WARNING_OBJECT(base, "frame %u: %s", frame->system_frame_number, report->message);
    GST_BUFFER_FLAG_SET(frame->output_buffer, GST_BUFFER_FLAG_CORRUPTED);
}

/* Return whether all planes have the size and the depth of the first one. */
static gboolean are_alike(const kst_image *planes)
{
    const kst_plane *first = &planes->plane[0];

    for (guint i = 1; i < planes->plane_count; i++) {
        const kst_plane *plane = &planes->plane[i];
        if (plane->width != first->width || plane->height != first->height || plane->depth != first->depth)
            return FALSE;
    }
    return TRUE;
}

/*
 * Decode four components of a bare codestream as planes first, because the codestream does not say that they are
 * colours and alpha.
 */
static kst_status decode_planes(KostkaDecoderPrivate *own, const kst_image *image)
{
    kst_decode_options options;
    kst_image planes;

    kst_image_init(&planes);
    kst_decode_options_init(&options);
    options.format = KST_FORMAT_RAW;
    kst_status status = kst_decoder_decode(own->stream, &options, &planes);
    if (!status && !are_alike(&planes))
        status = KST_ERROR_IMAGE_SIZE;
    if (!status)
        kostka_image_interleave(&planes, image);
    kst_image_release(own->engine.context, &planes);
    return status;
}

/* Decode the open picture to an image. */
static kst_status decode_open(KostkaDecoderPrivate *own, kst_image *image)
{
    const kst_info *info = kst_decoder_info(own->stream);
    kst_decode_options options;

    if (own->shape.rgb && info->codec == KST_CODEC_JPEG2000 && !info->jp2 && own->shape.planes == 4)
        return decode_planes(own, image);
    kst_decode_options_init(&options);
    options.format = own->format->pixels;
    return kst_decoder_decode(own->stream, &options, image);
}

/* Decode the open picture, and the second field of it. */
static kst_status decode_picture(
    GstVideoDecoder *base, GstVideoCodecFrame *frame, const KostkaCoded *coded, const kst_image *image)
{
    KostkaDecoderPrivate *own = private_of(base);
    kst_image rows = *image, second;

    if (coded->second != NULL)
        kostka_image_field(image, coded->bottom ? 1 : 0, &rows);
    kst_status status = decode_open(own, &rows);
    if (!status)
        note_warnings(base, frame, kst_decoder_report(own->stream));
    if (status || coded->second == NULL)
        return status;
    status = open_picture(own, coded->second, coded->second_length, &second);
    kostka_image_field(image, coded->bottom ? 0 : 1, &rows);
    if (!status)
        status = decode_open(own, &rows);
    if (!status)
        note_warnings(base, frame, kst_decoder_report(own->stream));
    return status;
}

static void flag_fields(GstBuffer *buffer, const KostkaCoded *coded)
{
    if (coded->second == NULL)
        return;
    GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
    if (!coded->bottom)
        GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_TFF);
}

/* Decode into the buffer of a frame. */
static kst_status fill_frame(GstVideoDecoder *base, GstVideoCodecFrame *frame, const KostkaCoded *coded,
    GstVideoFrame *pixels, kst_memory memory)
{
    KostkaDecoderPrivate *own = private_of(base);
    kst_image image;

    kostka_frame_image(pixels, own->depth, &image);
    image.memory = memory;
    kst_status status = decode_picture(base, frame, coded, &image);
    if (!status && own->format->scaled)
        kostka_image_shift(&image, (guint)GST_VIDEO_FRAME_COMP_DEPTH(pixels, 0) - own->depth);
    flag_fields(frame->output_buffer, coded);
    return status;
}

/* Get a buffer downstream and decode into it. */
static GstFlowReturn decode_into(
    GstVideoDecoder *base, GstVideoCodecFrame *frame, const KostkaCoded *coded, kst_status *status)
{
    GstVideoCodecState *output = gst_video_decoder_get_output_state(base);
    KostkaDecoderPrivate *own = private_of(base);
    GstVideoFrame pixels;
    kst_memory memory;
    GstFlowReturn flow = gst_video_decoder_allocate_output_frame(base, frame);

    GstMapFlags access = own->place == IN_SYSTEM ? GST_MAP_READWRITE : GST_MAP_WRITE;
    if (flow == GST_FLOW_OK && !kostka_cuda_map(&own->cuda, own->engine.context, &pixels, &output->info,
                                   frame->output_buffer, access, &memory)) {
        GST_ELEMENT_ERROR(base, RESOURCE, WRITE, ("A buffer of the next element cannot be written."),
            ("put a queue or videoconvert behind this element"));
        flow = GST_FLOW_ERROR;
    }
    gst_video_codec_state_unref(output);
    if (flow != GST_FLOW_OK)
        return flow;
    *status = fill_frame(base, frame, coded, &pixels, memory);
    gst_video_frame_unmap(&pixels);
    return GST_FLOW_OK;
}

/* Drop a frame that cannot be decoded. A damaged frame is counted; any other failure ends the stream. */
static GstFlowReturn drop_failed(GstVideoDecoder *base, GstVideoCodecFrame *frame, kst_status status)
{
    const kst_report *report = kst_decoder_report(private_of(base)->stream);
    const char *message = engine_message(report, status);
    gint64 offset = report == NULL ? -1 : (gint64)report->offset; /* −1: not known */
    GstFlowReturn flow = GST_FLOW_ERROR;

    if (engine_is_damage(status))
        GST_VIDEO_DECODER_ERROR(base, 1, STREAM, DECODE, ("A frame is damaged."),
            ("frame %u, byte %" G_GINT64_FORMAT ": %s; max-errors=-1 goes on behind it", frame->system_frame_number,
                offset, message),
            flow);
    else
        engine_post(GST_ELEMENT(base), report, status);
    gst_video_decoder_drop_frame(base, frame);
    return flow;
}

/* Decode the bytes of a frame. */
static GstFlowReturn decode_bytes(
    GstVideoDecoder *base, GstVideoCodecFrame *frame, const KostkaCoded *coded, kst_status *status)
{
    kst_image image;

    *status = open_picture(private_of(base), coded->data, coded->length, &image);
    if (*status)
        return GST_FLOW_OK;
    GstFlowReturn flow = follow_shape(base, &image, coded);
    return flow != GST_FLOW_OK ? flow : decode_into(base, frame, coded, status);
}

static GstFlowReturn handle_frame(GstVideoDecoder *base, GstVideoCodecFrame *frame)
{
    GstMapInfo map;
    kst_status status = KST_OK;

    if (gst_video_decoder_get_max_decode_time(base, frame) < 0)
        return gst_video_decoder_drop_frame(base, frame); /* too late to be displayed */
    if (!gst_buffer_map(frame->input_buffer, &map, GST_MAP_READ)) {
        GST_ELEMENT_ERROR(base, RESOURCE, READ, ("A buffer cannot be read."), (NULL));
        gst_video_decoder_release_frame(base, frame);
        return GST_FLOW_ERROR;
    }
    KostkaCoded coded = {.data = map.data, .length = map.size};
    KOSTKA_DECODER_GET_CLASS(base)->prepare(KOSTKA_DECODER(base), &coded);
    GST_VIDEO_CODEC_FRAME_SET_SYNC_POINT(frame);
    GstFlowReturn flow = decode_bytes(base, frame, &coded, &status);
    gst_buffer_unmap(frame->input_buffer, &map);
    if (flow != GST_FLOW_OK) {
        gst_video_decoder_drop_frame(base, frame);
        return flow;
    }
    return status ? drop_failed(base, frame, status) : gst_video_decoder_finish_frame(base, frame);
}

/* Drain nothing, because no frame is kept back. */
static GstFlowReturn drain(GstVideoDecoder *base)
{
    (void)base;
    return GST_FLOW_OK;
}

static gboolean decide_allocation(GstVideoDecoder *base, GstQuery *query)
{
    GstBufferPool *pool = NULL;

    KostkaDecoderPrivate *own = private_of(base);

    if ((own->place == IN_TEXTURES && !kostka_gl_decide(&own->gl, query)) ||
        (own->place == IN_CUDA && !kostka_cuda_decide(&own->cuda, query)))
        return FALSE;
    if (!GST_VIDEO_DECODER_CLASS(kostka_decoder_parent_class)->decide_allocation(base, query))
        return FALSE;
    if (gst_query_get_n_allocation_pools(query) == 0 ||
        !gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL))
        return TRUE;
    gst_query_parse_nth_allocation_pool(query, 0, &pool, NULL, NULL, NULL);
    if (pool != NULL) {
        GstStructure *config = gst_buffer_pool_get_config(pool);
        gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
        gst_buffer_pool_set_config(pool, config);
        gst_object_unref(pool);
    }
    return TRUE;
}

static void set_context(GstElement *element, GstContext *context)
{
    kostka_gl_set_context(&private_of(element)->gl, element, context);
    GST_ELEMENT_CLASS(kostka_decoder_parent_class)->set_context(element, context);
}

/* Answer a query of a neighbour for a context. */
static gboolean answer(GstVideoDecoder *base, GstQuery *query)
{
    KostkaDecoderPrivate *own = private_of(base);

    return kostka_cuda_query(&own->cuda, GST_ELEMENT(base), query) ||
           kostka_gl_query(&own->gl, GST_ELEMENT(base), query);
}

static gboolean sink_query(GstVideoDecoder *base, GstQuery *query)
{
    return answer(base, query) || GST_VIDEO_DECODER_CLASS(kostka_decoder_parent_class)->sink_query(base, query);
}

static gboolean src_query(GstVideoDecoder *base, GstQuery *query)
{
    return answer(base, query) || GST_VIDEO_DECODER_CLASS(kostka_decoder_parent_class)->src_query(base, query);
}

static void kostka_decoder_class_init(KostkaDecoderClass *class)
{
    GObjectClass *objects = G_OBJECT_CLASS(class);
    GstVideoDecoderClass *base = GST_VIDEO_DECODER_CLASS(class);

    objects->set_property = set_property;
    objects->get_property = get_property;
    objects->finalize = finalize;
    base->start = start;
    base->stop = stop;
    base->set_format = set_format;
    base->handle_frame = handle_frame;
    base->drain = drain;
    base->finish = drain;
    base->decide_allocation = decide_allocation;
    base->sink_query = sink_query;
    base->src_query = src_query;
    GST_ELEMENT_CLASS(class)->set_context = set_context;
    engine_install_properties(objects, "max-threads");
    gst_type_mark_as_plugin_api(KOSTKA_TYPE_DECODER, 0);
}

static void kostka_decoder_init(KostkaDecoder *decoder)
{
    kostka_gl_init(&private_of(decoder)->gl);
    kostka_cuda_init(&private_of(decoder)->cuda);
    gst_video_decoder_set_packetized(GST_VIDEO_DECODER(decoder), TRUE);
    gst_video_decoder_set_use_default_pad_acceptcaps(GST_VIDEO_DECODER(decoder), TRUE);
    GST_PAD_SET_ACCEPT_TEMPLATE(GST_VIDEO_DECODER_SINK_PAD(GST_VIDEO_DECODER(decoder)));
}

void kostka_decoder_class_setup(KostkaDecoderClass *class, const char *name, const char *description, GstCaps *sink)
{
    engine_describe(GST_ELEMENT_CLASS(class), name, "Codec/Decoder/Image", description, sink,
        kostka_cuda_extend(kostka_gl_extend(kostka_format_caps(class->codec, G_MAXINT))));
}
