/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the functions of OpenJPEG's interface that encode. */
#include "encoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESOLUTIONS = 6, BLOCK_SIDE = 64, DEPTH_MAX = 31 };

struct openjp2_encoder *openjp2_encoder_create(void)
{
    return calloc(1, sizeof(struct openjp2_encoder));
}

void openjp2_encoder_destroy(struct openjp2_codec *codec)
{
    struct openjp2_encoder *e = codec->encoder;
    if (!e)
        return;
    if (codec->context)
        kst_buffer_release(codec->context, &e->output);
    opj_image_destroy(e->image);
    free(e->colours.profile);
    free(e->comment);
    free(e->front);
    free(e);
    codec->encoder = NULL;
}

void opj_set_default_encoder_parameters(opj_cparameters_t *parameters)
{
    if (!parameters)
        return;
    memset(parameters, 0, sizeof *parameters);
    parameters->numresolution = RESOLUTIONS;
    parameters->cblockw_init = BLOCK_SIDE;
    parameters->cblockh_init = BLOCK_SIDE;
    parameters->prog_order = OPJ_LRCP;
    parameters->roi_compno = -1;
    parameters->subsampling_dx = 1;
    parameters->subsampling_dy = 1;
    parameters->decod_format = -1;
    parameters->cod_format = -1;
}

OPJ_BOOL opj_set_MCT(opj_cparameters_t *parameters, OPJ_FLOAT32 *matrix, OPJ_INT32 *shift, OPJ_UINT32 count)
{
    (void)parameters;
    (void)matrix;
    (void)shift;
    (void)count;
    return OPJ_FALSE; /* a caller's matrices are an extension (T.801) that Kostka does not write */
}

/* Return the index of the component that is the opacity, plus 1; 0, with a warning, if a file cannot express it. */
static uint32_t find_opacity(const struct openjp2_codec *codec, const opj_image_t *image)
{
    uint32_t count = 0, found = 0, colours = image->color_space == OPJ_CLRSPC_GRAY ? 1 : 3;
    bool known = image->color_space == OPJ_CLRSPC_GRAY || image->color_space == OPJ_CLRSPC_SRGB ||
                 image->color_space == OPJ_CLRSPC_SYCC;
    for (uint32_t i = 0; i < image->numcomps; i++)
        if (image->comps[i].alpha) {
            count++;
            found = i + 1;
        }
    if (count == 0 || (count == 1 && known && !image->icc_profile_len && found > colours))
        return found;
    openjp2_warn(codec, "the file cannot say which components are opacities");
    return 0;
}

static bool take_colours(struct openjp2_codec *codec, const opj_image_t *image)
{
    struct openjp2_colours *colours = &codec->encoder->colours;
    free(colours->profile);
    *colours = (struct openjp2_colours){.space = image->color_space};
    if (!codec->is_jp2)
        return true;
    colours->opaque = find_opacity(codec, image);
    if (!image->icc_profile_buf || image->icc_profile_len == 0)
        return true;
    colours->profile = malloc(image->icc_profile_len);
    if (!colours->profile)
        return openjp2_fail(codec, "there is no memory for the ICC profile");
    memcpy(colours->profile, image->icc_profile_buf, image->icc_profile_len);
    colours->profile_length = image->icc_profile_len;
    return true;
}

static bool check_image(const struct openjp2_codec *codec, const opj_image_t *image)
{
    if (image->numcomps < 1 || image->numcomps > 16384 || !image->comps || image->x0 >= image->x1 ||
        image->y0 >= image->y1)
        return openjp2_fail(codec, "the image is empty");
    for (uint32_t i = 0; i < image->numcomps; i++)
        if (image->comps[i].prec < 1 || image->comps[i].prec > DEPTH_MAX || image->comps[i].dx < 1 ||
            image->comps[i].dy < 1)
            return openjp2_fail(codec, "component %u has %u bits and a separation of %u, %u", i, image->comps[i].prec,
                image->comps[i].dx, image->comps[i].dy);
    return true;
}

OPJ_BOOL opj_setup_encoder(opj_codec_t *handle, opj_cparameters_t *parameters, opj_image_t *image)
{
    struct openjp2_codec *codec = openjp2_encoder_of(handle);
    if (!codec || !parameters || !image || !check_image(codec, image))
        return OPJ_FALSE;
    codec->encoder->set_up = openjp2_encoder_options(codec, parameters, image) && take_colours(codec, image);
    return codec->encoder->set_up;
}

static bool read_switch(const char *value, bool *to)
{
    *to = strcmp(value, "YES") == 0;
    return *to || strcmp(value, "NO") == 0;
}

static bool read_option(kst_j2k_options *o, const char *option)
{
    char *end;
    if (strncmp(option, "PLT=", 4) == 0)
        return read_switch(option + 4, &o->packet_lengths);
    if (strncmp(option, "TLM=", 4) == 0)
        return read_switch(option + 4, &o->tile_part_lengths);
    if (strncmp(option, "GUARD_BITS=", 11) != 0)
        return false;
    long bits = strtol(option + 11, &end, 10);
    o->guard_bits = bits >= 1 && bits <= 7 ? (uint32_t)bits : 0;
    return *end == '\0' && o->guard_bits > 0;
}

OPJ_BOOL opj_encoder_set_extra_options(opj_codec_t *handle, const char *const *options)
{
    struct openjp2_codec *codec = openjp2_encoder_of(handle);
    if (!codec)
        return OPJ_FALSE;
    if (!options)
        return OPJ_TRUE;
    if (!codec->encoder->set_up)
        return openjp2_fail(codec, "options are for an encoder that is set up");
    for (size_t i = 0; options[i]; i++)
        if (!read_option(&codec->encoder->j2k, options[i]))
            return openjp2_fail(codec, "the option '%.100s' is not known, or its value is not possible", options[i]);
    return OPJ_TRUE;
}

/* Make an image of the encoder's own, and move the samples to it. */
static bool take_image(struct openjp2_codec *codec, opj_image_t *image)
{
    struct openjp2_encoder *e = codec->encoder;
    e->image = opj_image_tile_create(0, NULL, image->color_space);
    opj_image_comp_t *comps = calloc(image->numcomps, sizeof *comps);
    if (!e->image || !comps) {
        free(comps);
        return openjp2_fail(codec, "there is no memory for the image");
    }
    memcpy(comps, image->comps, image->numcomps * sizeof *comps);
    for (uint32_t i = 0; i < image->numcomps; i++)
        image->comps[i].data = NULL;
    free(e->image->comps);
    e->image->comps = comps;
    e->image->numcomps = image->numcomps;
    e->image->x0 = image->x0;
    e->image->y0 = image->y0;
    e->image->x1 = image->x1;
    e->image->y1 = image->y1;
    return true;
}

OPJ_BOOL opj_start_compress(opj_codec_t *handle, opj_image_t *image, opj_stream_t *stream)
{
    struct openjp2_codec *codec = openjp2_encoder_of(handle);
    if (!codec || !image || !stream)
        return OPJ_FALSE;
    if (!codec->encoder->set_up || codec->encoder->started)
        return openjp2_fail(codec, "encoding begins once, when the encoder is set up");
    if (!check_image(codec, image) || !take_image(codec, image))
        return OPJ_FALSE;
    codec->encoder->started = true;
    return OPJ_TRUE;
}

OPJ_BOOL opj_encode(opj_codec_t *handle, opj_stream_t *stream)
{
    struct openjp2_codec *codec = openjp2_encoder_of(handle);
    if (!codec || !stream)
        return OPJ_FALSE;
    struct openjp2_encoder *e = codec->encoder;
    if (!e->started || e->encoded || e->next_tile > 0)
        return openjp2_fail(codec, "the picture is encoded once, after opj_start_compress()");
    e->encoded = openjp2_encoder_run(codec);
    return e->encoded;
}

OPJ_BOOL opj_end_compress(opj_codec_t *handle, opj_stream_t *stream)
{
    struct openjp2_codec *codec = openjp2_encoder_of(handle);
    if (!codec || !stream)
        return OPJ_FALSE;
    struct openjp2_encoder *e = codec->encoder;
    bool by_tiles = e->next_tile > 0 && !e->encoded;
    if (by_tiles && e->next_tile < e->columns * e->rows)
        return openjp2_fail(codec, "%u of %u tiles were written", e->next_tile, e->columns * e->rows);
    if (by_tiles)
        e->encoded = openjp2_encoder_run(codec);
    if (!e->encoded)
        return by_tiles ? OPJ_FALSE : openjp2_fail(codec, "no picture has been encoded");
    bool fine = openjp2_encoder_write(codec, openjp2_stream_of(stream));
    kst_buffer_release(codec->context, &e->output);
    e->encoded = e->started = false;
    return fine;
}
