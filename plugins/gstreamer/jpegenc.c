/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the element kostkajpegenc, which encodes each frame independently as baseline JPEG. */
#include "elements.h"

enum { QUALITY_DEFAULT = 85, SIDE_MOST = 65535 };
enum { PROPERTY_QUALITY = PROPERTY_OWN, PROPERTY_SNAPSHOT };

struct _KostkaJpegEnc {
    KostkaEncoder parent;
    gint quality; /* the object's lock guards both */
    gboolean snapshot;
};

G_DEFINE_TYPE(KostkaJpegEnc, kostka_jpeg_enc, KOSTKA_TYPE_ENCODER)

static void set_own(KostkaEncoder *encoder, guint id, const GValue *value)
{
    KostkaJpegEnc *own = KOSTKA_JPEG_ENC(encoder);

    if (id == PROPERTY_QUALITY)
        own->quality = g_value_get_int(value);
    else
        own->snapshot = g_value_get_boolean(value);
}

static void get_own(KostkaEncoder *encoder, guint id, GValue *value)
{
    const KostkaJpegEnc *own = KOSTKA_JPEG_ENC(encoder);

    if (id == PROPERTY_QUALITY)
        g_value_set_int(value, own->quality);
    else
        g_value_set_boolean(value, own->snapshot);
}

static GstCaps *choose_caps(KostkaEncoder *encoder, GstCaps *allowed, const GstVideoInfo *info)
{
    (void)encoder;
    (void)allowed;
    (void)info;
    return gst_caps_new_simple("image/jpeg", "sof-marker", G_TYPE_INT, 0, NULL);
}

/* Planes are encoded with their own sampling, and pixels of RGB without chroma subsampling. */
static void choose_options(KostkaEncoder *encoder, const GstVideoInfo *info, kst_encode_options *options)
{
    const KostkaJpegEnc *own = KOSTKA_JPEG_ENC(encoder);

    options->codec = KST_CODEC_JPEG;
    options->quality = own->quality < 1 ? 1 : own->quality;
    for (guint i = 0; i < 4; i++)
        options->h[i] = options->v[i] = 1;
    if (!GST_VIDEO_INFO_IS_YUV(info))
        return;
    options->h[0] = (uint8_t)(1 << GST_VIDEO_FORMAT_INFO_W_SUB(info->finfo, 1));
    options->v[0] = (uint8_t)(1 << GST_VIDEO_FORMAT_INFO_H_SUB(info->finfo, 1));
}

static gboolean ends(KostkaEncoder *encoder)
{
    GST_OBJECT_LOCK(encoder);
    gboolean snapshot = KOSTKA_JPEG_ENC(encoder)->snapshot;
    GST_OBJECT_UNLOCK(encoder);
    return snapshot;
}

static void install_properties(GObjectClass *objects)
{
    GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

    g_object_class_install_property(objects, PROPERTY_QUALITY,
        g_param_spec_int("quality", "Quality", "Quality of encoding (0 counts as 1)", 0, 100, QUALITY_DEFAULT,
            flags | GST_PARAM_MUTABLE_PLAYING));
    g_object_class_install_property(objects, PROPERTY_SNAPSHOT,
        g_param_spec_boolean("snapshot", "Snapshot", "End the stream behind one frame", FALSE, flags));
}

static void kostka_jpeg_enc_init(KostkaJpegEnc *own)
{
    own->quality = QUALITY_DEFAULT;
}

static void kostka_jpeg_enc_class_init(KostkaJpegEncClass *class)
{
    KostkaEncoderClass *encoders = KOSTKA_ENCODER_CLASS(class);
    GObjectClass *objects = G_OBJECT_CLASS(class);

    kostka_encoder_allow_properties(objects);
    install_properties(objects);
    encoders->set_own = set_own;
    encoders->get_own = get_own;
    encoders->codec = KST_CODEC_JPEG;
    encoders->choose_caps = choose_caps;
    encoders->choose_options = choose_options;
    encoders->ends = ends;
    kostka_encoder_class_setup(encoders, "Kostka JPEG encoder",
        "Encodes JPEG and MJPEG on a GPU (CUDA, OpenCL) or on all processors, as libjpeg-turbo does",
        gst_caps_new_simple("image/jpeg", "width", GST_TYPE_INT_RANGE, 1, SIDE_MOST, "height", GST_TYPE_INT_RANGE, 1,
            SIDE_MOST, "framerate", GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, "sof-marker", G_TYPE_INT, 0, NULL),
        SIDE_MOST);
}
