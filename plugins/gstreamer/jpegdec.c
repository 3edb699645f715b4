/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the element kostkajpegdec, which decodes JPEG and MJPEG. A buffer may have two fields, and streams without
 * Huffman tables.
 */
#include "decoder.h"
#include "elements.h"
#include "jpeg_stream.h"

struct _KostkaJpegDec {
    KostkaDecoder parent;
    GByteArray *completed[2]; /* copies of streams with Huffman tables */
    JpegStream parsed;        /* state of parsing the current picture of a byte stream */
};

G_DEFINE_TYPE(KostkaJpegDec, kostka_jpeg_dec, KOSTKA_TYPE_DECODER)

/* Add Huffman tables to a stream that has none. */
static void complete(const guint8 **data, gsize *length, const JpegStream *stream, GByteArray *copy)
{
    if (stream->tables || stream->scan == 0 || *length > G_MAXUINT / 2)
        return;
    jpeg_stream_complete(*data, *length, stream->scan, copy);
    *data = copy->data;
    *length = copy->len;
}

/* Return whether the caps say that the picture is interlaced, so that a buffer can have both fields. */
static gboolean is_interlaced(KostkaDecoder *decoder)
{
    const GstCaps *caps = kostka_decoder_caps(decoder);
    const char *mode =
        caps == NULL ? NULL : gst_structure_get_string(gst_caps_get_structure(caps, 0), "interlace-mode");

    return mode != NULL && g_strcmp0(mode, "progressive") != 0;
}

/*
 * Find the pictures in a buffer. A second stream is the other field if the first stream (AVI1) or the caps say so.
 * Anything else behind the first picture is a preview or padding.
 */
static void prepare(KostkaDecoder *decoder, KostkaCoded *coded)
{
    KostkaJpegDec *own = KOSTKA_JPEG_DEC(decoder);
    JpegStream first = jpeg_stream_examine(coded->data, coded->length), other = {.scan = 0};
    gsize at = first.end == 0 ? coded->length : jpeg_stream_begin(coded->data, coded->length, first.end);

    coded->limited = first.limited;
    if (at < coded->length && (first.polarity != 0 || is_interlaced(decoder))) {
        coded->second = coded->data + at;
        coded->second_length = coded->length - at;
        coded->length = at;
        coded->bottom = first.polarity == 2;
        other = jpeg_stream_examine(coded->second, coded->second_length);
        complete(&coded->second, &coded->second_length, &other, own->completed[1]);
    }
    complete(&coded->data, &coded->length, &first, own->completed[0]);
}

static gboolean is_rgb(KostkaDecoder *decoder, kst_decoder *stream)
{
    (void)decoder;
    return kst_decoder_info(stream)->colour == KST_COLOUR_RGB;
}

/* Divide a byte stream, such as a file, into pictures. */
static GstFlowReturn parse(GstVideoDecoder *base, GstVideoCodecFrame *frame, GstAdapter *adapter, gboolean at_eos)
{
    KostkaJpegDec *own = KOSTKA_JPEG_DEC(base);
    gsize had = gst_adapter_available(adapter);
    GstFlowReturn flow = GST_VIDEO_DECODER_FLOW_NEED_DATA;

    (void)frame;
    if (had < 2)
        return flow;
    if (had > G_MAXINT) {
        GST_ELEMENT_ERROR(
            base, STREAM, DECODE, ("A picture does not end."), ("more than %d bytes were kept", G_MAXINT));
        return GST_FLOW_ERROR;
    }
    const guint8 *data = gst_adapter_map(adapter, had);
    gsize from = own->parsed.at > 0 ? 0 : jpeg_stream_begin(data, had, 0);
    if (from < had)
        jpeg_stream_continue(&own->parsed, data + from, had - from);
    gst_adapter_unmap(adapter);
    if (from > 0)
        gst_adapter_flush(adapter, from < had ? from : had - 1);
    gsize length = own->parsed.end != 0 ? own->parsed.end : at_eos ? had - from : 0;
    if (length > 0) {
        own->parsed = (JpegStream){.at = 0};
        gst_video_decoder_add_to_frame(base, (int)length);
        flow = gst_video_decoder_have_frame(base);
    }
    return flow;
}

static gboolean start(GstVideoDecoder *base)
{
    KOSTKA_JPEG_DEC(base)->parsed = (JpegStream){.at = 0};
    return GST_VIDEO_DECODER_CLASS(kostka_jpeg_dec_parent_class)->start(base);
}

/* Forget the bytes before a flush. */
static gboolean flush(GstVideoDecoder *base)
{
    KOSTKA_JPEG_DEC(base)->parsed = (JpegStream){.at = 0};
    return TRUE;
}

/* With a segment in time, each buffer is a picture; otherwise the buffers are bytes of a file. */
static gboolean sink_event(GstVideoDecoder *base, GstEvent *event)
{
    const GstSegment *segment;

    if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT) {
        gst_event_parse_segment(event, &segment);
        gst_video_decoder_set_packetized(base, segment->format == GST_FORMAT_TIME);
    }
    return GST_VIDEO_DECODER_CLASS(kostka_jpeg_dec_parent_class)->sink_event(base, event);
}

static void finalize(GObject *object)
{
    KostkaJpegDec *own = KOSTKA_JPEG_DEC(object);

    for (int i = 0; i < 2; i++)
        g_byte_array_unref(own->completed[i]);
    G_OBJECT_CLASS(kostka_jpeg_dec_parent_class)->finalize(object);
}

static void kostka_jpeg_dec_init(KostkaJpegDec *own)
{
    for (int i = 0; i < 2; i++)
        own->completed[i] = g_byte_array_new();
}

static void kostka_jpeg_dec_class_init(KostkaJpegDecClass *class)
{
    KostkaDecoderClass *decoders = KOSTKA_DECODER_CLASS(class);
    GstVideoDecoderClass *base = GST_VIDEO_DECODER_CLASS(class);

    G_OBJECT_CLASS(class)->finalize = finalize;
    base->start = start;
    base->flush = flush;
    base->parse = parse;
    base->sink_event = sink_event;
    decoders->codec = KST_CODEC_JPEG;
    decoders->prepare = prepare;
    decoders->is_rgb = is_rgb;
    kostka_decoder_class_setup(decoders, "Kostka JPEG decoder",
        "Decodes JPEG and MJPEG on a GPU (CUDA, OpenCL) or on all processors, to the same samples as libjpeg-turbo",
        gst_caps_new_empty_simple("image/jpeg"));
}
