/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the element kostkaj2kenc, which encodes each frame independently as JPEG 2000 or HTJ2K (T.814). */
#include <string.h>

#include "elements.h"

enum {
    PROPERTY_LAYERS = PROPERTY_OWN,
    PROPERTY_RESOLUTIONS,
    PROPERTY_PROGRESSION,
    PROPERTY_TILE_WIDTH,
    PROPERTY_TILE_HEIGHT,
    PROPERTY_RATE,
    PROPERTY_HT
};

struct _KostkaJ2kEnc {
    KostkaEncoder parent;
    /* The object's lock guards the members up to `ht`. */
    gint layers, resolutions, tile_width, tile_height;
    gint progression; /* a kst_progression */
    gdouble rate;     /* bits per pixel; 0: lossless */
    gboolean ht;
    /* The remaining members are used only by the thread that encodes. */
    gboolean boxed, file;    /* the output is a box with a codestream; or a JP2 file */
    kst_j2k_options options; /* options for the current frame */
};

G_DEFINE_TYPE(KostkaJ2kEnc, kostka_j2k_enc, KOSTKA_TYPE_ENCODER)

static GType progression_type(void)
{
    static const GEnumValue values[] = {{KST_PROGRESSION_LRCP, "LRCP", "lrcp"}, {KST_PROGRESSION_RLCP, "RLCP", "rlcp"},
        {KST_PROGRESSION_RPCL, "RPCL", "rpcl"}, {KST_PROGRESSION_PCRL, "PCRL", "pcrl"},
        {KST_PROGRESSION_CPRL, "CPRL", "cprl"}, {0, NULL, NULL}};
    static gsize type;

    if (g_once_init_enter(&type)) {
        GType made = g_enum_register_static("KostkaJ2kEncProgressionOrder", values);
        gst_type_mark_as_plugin_api(made, 0);
        g_once_init_leave(&type, made);
    }
    return type;
}

static void set_own(KostkaEncoder *encoder, guint id, const GValue *value)
{
    KostkaJ2kEnc *own = KOSTKA_J2K_ENC(encoder);

    switch (id) {
    case PROPERTY_LAYERS:
        own->layers = g_value_get_int(value);
        break;
    case PROPERTY_RESOLUTIONS:
        own->resolutions = g_value_get_int(value);
        break;
    case PROPERTY_PROGRESSION:
        own->progression = g_value_get_enum(value);
        break;
    case PROPERTY_TILE_WIDTH:
        own->tile_width = g_value_get_int(value);
        break;
    case PROPERTY_TILE_HEIGHT:
        own->tile_height = g_value_get_int(value);
        break;
    case PROPERTY_RATE:
        own->rate = g_value_get_double(value);
        break;
    default:
        own->ht = g_value_get_boolean(value);
    }
}

static void get_own(KostkaEncoder *encoder, guint id, GValue *value)
{
    KostkaJ2kEnc *own = KOSTKA_J2K_ENC(encoder);

    switch (id) {
    case PROPERTY_LAYERS:
        g_value_set_int(value, own->layers);
        break;
    case PROPERTY_RESOLUTIONS:
        g_value_set_int(value, own->resolutions);
        break;
    case PROPERTY_PROGRESSION:
        g_value_set_enum(value, own->progression);
        break;
    case PROPERTY_TILE_WIDTH:
        g_value_set_int(value, own->tile_width);
        break;
    case PROPERTY_TILE_HEIGHT:
        g_value_set_int(value, own->tile_height);
        break;
    case PROPERTY_RATE:
        g_value_set_double(value, own->rate);
        break;
    default:
        g_value_set_boolean(value, own->ht);
    }
}

/* Return the name of the frames' components in the caps of a codestream. */
static const char *sampling_of(const GstVideoInfo *info)
{
    static const char *const names[3][2] = {
        {"YCbCr-4:4:4", NULL}, {"YCbCr-4:2:2", "YCbCr-4:2:0"}, {"YCbCr-4:1:1", NULL}};

    if (GST_VIDEO_INFO_IS_GRAY(info))
        return "GRAYSCALE";
    if (GST_VIDEO_INFO_IS_RGB(info))
        return GST_VIDEO_INFO_HAS_ALPHA(info) ? "RGBA" : "RGB";
    return names[GST_VIDEO_FORMAT_INFO_W_SUB(info->finfo, 1)][GST_VIDEO_FORMAT_INFO_H_SUB(info->finfo, 1)];
}

/* Return the number of coded components, which is three for RGBx. */
static gint components_of(const GstVideoInfo *info)
{
    return GST_VIDEO_INFO_IS_GRAY(info) ? 1 : GST_VIDEO_INFO_HAS_ALPHA(info) ? 4 : 3;
}

static GstCaps *choose_caps(KostkaEncoder *encoder, GstCaps *allowed, const GstVideoInfo *info)
{
    KostkaJ2kEnc *own = KOSTKA_J2K_ENC(encoder);

    if (gst_caps_is_empty(allowed))
        return NULL;
    const char *name = gst_structure_get_name(gst_caps_get_structure(allowed, 0));
    GstCaps *caps = gst_caps_new_empty_simple(name);
    own->boxed = strcmp(name, "image/x-j2c") == 0;
    own->file = strcmp(name, "image/jp2") == 0;
    if (!own->file)
        gst_caps_set_simple(caps, "num-components", G_TYPE_INT, components_of(info), "sampling", G_TYPE_STRING,
            sampling_of(info), "colorspace", G_TYPE_STRING,
            GST_VIDEO_INFO_IS_GRAY(info)  ? "GRAY"
            : GST_VIDEO_INFO_IS_RGB(info) ? "sRGB"
                                          : "sYUV",
            NULL);
    if (!own->file && !own->boxed)
        gst_caps_set_simple(caps, "alignment", G_TYPE_STRING, "frame", "num-stripes", G_TYPE_INT, 1, NULL);
    return caps;
}

/* Reduce the rate by the header of a box. If nothing is left, the library refuses the rate as too low. */
static gdouble boxed_rate(gdouble rate, const GstVideoInfo *info)
{
    gdouble left = rate - 8 * 8 / ((gdouble)info->width * info->height);

    return left > 0 ? left : rate;
}

static void choose_options(KostkaEncoder *encoder, const GstVideoInfo *info, kst_encode_options *options)
{
    KostkaJ2kEnc *own = KOSTKA_J2K_ENC(encoder);
    kst_j2k_options *j2k = &own->options;

    kst_j2k_options_init(j2k);
    j2k->codestream = !own->file;
    j2k->layers = (uint32_t)own->layers;
    j2k->levels = (uint32_t)own->resolutions - 1;
    j2k->progression = (kst_progression)own->progression;
    j2k->tile_width = (uint32_t)own->tile_width;
    j2k->tile_height = (uint32_t)own->tile_height;
    if (own->rate > 0) {
        j2k->target = KST_J2K_RATE;
        j2k->value = own->boxed ? boxed_rate(own->rate, info) : own->rate;
    }
    if (own->ht)
        j2k->style |= KST_J2K_HT;
    options->codec = KST_CODEC_JPEG2000;
    options->jpeg2000 = j2k;
}

/* Write the header of a box with a codestream (T.800 I.5.4), if the output is one. */
static gsize header(KostkaEncoder *encoder, guint8 *bytes, gsize length)
{
    if (!KOSTKA_J2K_ENC(encoder)->boxed)
        return 0;
    for (guint i = 0; i < 4; i++)
        bytes[i] = (guint8)((length + 8) >> (24 - 8 * i));
    memcpy(bytes + 4, "jp2c", 4);
    return 8;
}

static void install_properties(GObjectClass *objects)
{
    GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS, live = flags | GST_PARAM_MUTABLE_PLAYING;

    g_object_class_install_property(objects, PROPERTY_LAYERS,
        g_param_spec_int("num-layers", "Number of layers", "Number of layers", 1, 1024, 1, flags));
    g_object_class_install_property(objects, PROPERTY_RESOLUTIONS,
        g_param_spec_int("num-resolutions", "Number of resolutions", "Number of resolutions", 1, 33, 6, flags));
    g_object_class_install_property(objects, PROPERTY_PROGRESSION,
        g_param_spec_enum("progression-order", "Progression order", "Order of packets", progression_type(),
            KST_PROGRESSION_LRCP, flags));
    g_object_class_install_property(objects, PROPERTY_TILE_WIDTH,
        g_param_spec_int("tile-width", "Tile width", "Width of tiles (0: one tile)", 0, G_MAXINT, 0, flags));
    g_object_class_install_property(objects, PROPERTY_TILE_HEIGHT,
        g_param_spec_int("tile-height", "Tile height", "Height of tiles (0: one tile)", 0, G_MAXINT, 0, flags));
    g_object_class_install_property(objects, PROPERTY_RATE,
        g_param_spec_double(
            "rate", "Rate", "The most bits for each pixel of a frame (0: without loss)", 0, 256, 0, live));
    g_object_class_install_property(objects, PROPERTY_HT,
        g_param_spec_boolean("ht", "High throughput", "Code-blocks of T.814 (HTJ2K)", FALSE, live));
}

static void kostka_j2k_enc_init(KostkaJ2kEnc *own)
{
    own->layers = 1;
    own->resolutions = 6;
}

static void kostka_j2k_enc_class_init(KostkaJ2kEncClass *class)
{
    static const char sides[] = "width=[1,max],height=[1,max],framerate=[0/1,2147483647/1]",
                      colours[] = "num-components=[1,4],sampling={RGB,RGBA,\"YCbCr-4:4:4\",\"YCbCr-4:2:2\","
                                  "\"YCbCr-4:2:0\",\"YCbCr-4:1:1\",GRAYSCALE},colorspace={sRGB,sYUV,GRAY}";
    KostkaEncoderClass *encoders = KOSTKA_ENCODER_CLASS(class);
    GObjectClass *objects = G_OBJECT_CLASS(class);
    gchar *caps = g_strdup_printf("image/x-j2c,%s,%s;image/x-jpc,%s,%s,num-stripes=1,alignment=frame;image/jp2,%s",
        sides, colours, sides, colours, sides);

    kostka_encoder_allow_properties(objects);
    install_properties(objects);
    encoders->set_own = set_own;
    encoders->get_own = get_own;
    encoders->codec = KST_CODEC_JPEG2000;
    encoders->choose_caps = choose_caps;
    encoders->choose_options = choose_options;
    encoders->header = header;
    kostka_encoder_class_setup(encoders, "Kostka JPEG 2000 encoder",
        "Encodes JPEG 2000 and HTJ2K on a GPU (CUDA, OpenCL) or on all processors", gst_caps_from_string(caps),
        G_MAXINT);
    g_free(caps);
}
