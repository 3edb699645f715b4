/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes and decodes with libopenjp2 through streams in memory. */
#include "openjpeg.h"

#include <stdlib.h>
#include <string.h>

#include <openjpeg.h>

/* Describes a file in memory. */
struct file {
    uint8_t *data;
    size_t length, capacity, place;
};

static OPJ_SIZE_T read_bytes(void *to, OPJ_SIZE_T count, void *user)
{
    struct file *file = user;
    size_t left = file->length - file->place;
    if (left == 0)
        return (OPJ_SIZE_T)-1;
    count = count < left ? count : left;
    memcpy(to, file->data + file->place, count);
    file->place += count;
    return count;
}

static OPJ_SIZE_T write_bytes(void *from, OPJ_SIZE_T count, void *user)
{
    struct file *file = user;
    if (file->place + count > file->capacity) {
        size_t capacity = 2 * (file->place + count);
        uint8_t *data = realloc(file->data, capacity);
        if (data == NULL)
            return (OPJ_SIZE_T)-1;
        file->data = data;
        file->capacity = capacity;
    }
    memcpy(file->data + file->place, from, count);
    file->place += count;
    file->length = file->length > file->place ? file->length : file->place;
    return count;
}

static OPJ_OFF_T skip_bytes(OPJ_OFF_T count, void *user)
{
    struct file *file = user;
    file->place += (size_t)count;
    return count;
}

static OPJ_BOOL seek_to(OPJ_OFF_T place, void *user)
{
    struct file *file = user;
    file->place = (size_t)place;
    return OPJ_TRUE;
}

static opj_stream_t *open_stream(struct file *file, bool input)
{
    opj_stream_t *stream = opj_stream_default_create(input);
    opj_stream_set_user_data(stream, file, NULL);
    opj_stream_set_user_data_length(stream, file->length);
    opj_stream_set_read_function(stream, read_bytes);
    opj_stream_set_write_function(stream, write_bytes);
    opj_stream_set_skip_function(stream, skip_bytes);
    opj_stream_set_seek_function(stream, seek_to);
    return stream;
}

static int32_t sample_of(const struct opj_picture *picture, size_t index)
{
    if (picture->sample != NULL)
        return picture->sample[index];
    return picture->depth > 8 ? ((const uint16_t *)(const void *)picture->packed)[index] : picture->packed[index];
}

static opj_image_t *make_image(const struct opj_picture *picture)
{
    opj_image_cmptparm_t parameter[4] = {{0}};
    for (uint32_t c = 0; c < picture->components; c++)
        parameter[c] =
            (opj_image_cmptparm_t){.dx = 1, .dy = 1, .w = picture->width, .h = picture->height, .prec = picture->depth};
    opj_image_t *image =
        opj_image_create(picture->components, parameter, picture->components == 3 ? OPJ_CLRSPC_SRGB : OPJ_CLRSPC_GRAY);
    if (image == NULL)
        return NULL;
    image->x1 = picture->width;
    image->y1 = picture->height;
    for (uint32_t c = 0; c < picture->components; c++)
        for (size_t i = 0; i < (size_t)picture->width * picture->height; i++)
            image->comps[c].data[i] = sample_of(picture, i * picture->components + c);
    return image;
}

uint8_t *openjpeg_encode(const struct opj_picture *picture, float ratio, int threads, size_t *length)
{
    struct file file = {0};
    opj_cparameters_t parameters;
    opj_image_t *image = make_image(picture);
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_J2K);
    opj_stream_t *stream = open_stream(&file, false);
    opj_set_default_encoder_parameters(&parameters);
    parameters.tcp_numlayers = 1;
    parameters.cp_disto_alloc = 1;
    parameters.tcp_rates[0] = ratio;
    parameters.irreversible = ratio > 0;
    parameters.tcp_mct = picture->components == 3;
    bool good = image != NULL && opj_setup_encoder(codec, &parameters, image);
    if (good && threads > 1)
        opj_codec_set_threads(codec, threads);
    good = good && opj_start_compress(codec, image, stream) && opj_encode(codec, stream) &&
           opj_end_compress(codec, stream);
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
    if (!good) {
        free(file.data);
        return NULL;
    }
    *length = file.length;
    return file.data;
}

bool openjpeg_decode(const uint8_t *data, size_t length, int threads)
{
    struct file file = {.data = (uint8_t *)(uintptr_t)data, .length = length};
    opj_dparameters_t parameters;
    opj_image_t *image = NULL;
    opj_stream_t *stream = open_stream(&file, true);
    opj_codec_t *codec = opj_create_decompress(OPJ_CODEC_J2K);
    opj_set_default_decoder_parameters(&parameters);
    bool good = opj_setup_decoder(codec, &parameters);
    if (threads > 1)
        opj_codec_set_threads(codec, threads);
    good = good && opj_read_header(stream, codec, &image) && opj_decode(codec, stream, image) &&
           opj_end_decompress(codec, stream);
    opj_image_destroy(image);
    opj_destroy_codec(codec);
    opj_stream_destroy(stream);
    return good;
}
