/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the element kostkaj2kdec, which decodes JPEG 2000, HTJ2K (T.814) included, from codestreams and JP2 files.
 */
#include <string.h>

#include "elements.h"

struct _KostkaJ2kDec {
    KostkaDecoder parent;
};

G_DEFINE_TYPE(KostkaJ2kDec, kostka_j2k_dec, KOSTKA_TYPE_DECODER)

/*
 * Find the codestream in a buffer. A buffer of image/x-j2c is a box: its length and its name precede SOC. The name is
 * not compared, because openjpegenc writes it backwards.
 */
static void prepare(KostkaDecoder *decoder, KostkaCoded *coded)
{
    static const guint8 soc[] = {0xFF, 0x4F};

    (void)decoder;
    if (coded->length < 10 || memcmp(coded->data, soc, 2) == 0 || memcmp(coded->data + 8, soc, 2) != 0)
        return;
    coded->data += 8;
    coded->length -= 8;
}

/* Return whether a component transform is used, which would be of no use for Y, Cb and Cr. */
static gboolean has_transform(kst_decoder *stream)
{
    kst_element element = {.size = sizeof element};

    while (kst_decoder_next_element(stream, &element))
        if (strcmp(element.name, "COD") == 0)
            return strstr(element.text, "component transform") != NULL;
    return FALSE;
}

/*
 * Return whether the components are RGB. A bare codestream does not say so: the caps do, or its component transform
 * suggests it.
 */
static gboolean is_rgb(KostkaDecoder *decoder, kst_decoder *stream)
{
    const GstCaps *caps = kostka_decoder_caps(decoder);
    const GstStructure *says = caps == NULL ? NULL : gst_caps_get_structure(caps, 0);
    const char *sampling = says == NULL ? NULL : gst_structure_get_string(says, "sampling");
    const char *space = says == NULL ? NULL : gst_structure_get_string(says, "colorspace");
    const kst_info *info = kst_decoder_info(stream);

    if (info->component_count < 3)
        return FALSE;
    if (sampling != NULL)
        return !g_str_has_prefix(sampling, "YCbCr");
    if (space != NULL)
        return g_strcmp0(space, "sYUV") != 0;
    return info->colour == KST_COLOUR_RGB && (info->jp2 || has_transform(stream));
}

static void kostka_j2k_dec_init(KostkaJ2kDec *own)
{
    (void)own;
}

static void kostka_j2k_dec_class_init(KostkaJ2kDecClass *class)
{
    KostkaDecoderClass *decoders = KOSTKA_DECODER_CLASS(class);

    decoders->codec = KST_CODEC_JPEG2000;
    decoders->prepare = prepare;
    decoders->is_rgb = is_rgb;
    kostka_decoder_class_setup(decoders, "Kostka JPEG 2000 decoder",
        "Decodes JPEG 2000 and HTJ2K on a GPU (CUDA, OpenCL) or on all processors",
        gst_caps_from_string("image/x-j2c; image/x-jpc; image/jp2"));
}
