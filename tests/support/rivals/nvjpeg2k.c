/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for nvJPEG2000 where there is no GPU, as nvjpeg.c does for nvJPEG. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#define EXPORT __attribute__((visibility("default")))

enum { FAILED = 6, RESOLUTIONS = 33 };

struct component {
    uint32_t width, height;
    uint8_t precision, is_signed;
};

struct config {
    int stream_type, colour;
    uint16_t rsiz;
    uint32_t width, height, tiled, tile_width, tile_height, components;
    struct component *component;
    uint32_t sop, eph;
    int progression;
    uint32_t layers, colour_transform, resolutions, block_width, block_height, modes, irreversible, precincts;
    uint32_t precinct_width[RESOLUTIONS], precinct_height[RESOLUTIONS];
};

struct image {
    void **data;
    size_t *pitch;
    int type;
    uint32_t components;
};

struct stream {
    const unsigned char *data;
    size_t length;
};

struct parameters {
    struct config config;
    double step;
};

struct state {
    atomic_flag busy;
    kst_buffer made;
};

static kst_context *context;

EXPORT int nvjpeg2kCreateSimple(void **handle);
EXPORT int nvjpeg2kDestroy(void *handle);
EXPORT int nvjpeg2kDecodeStateCreate(void *handle, void **state);
EXPORT int nvjpeg2kDecodeStateDestroy(void *state);
EXPORT int nvjpeg2kStreamCreate(void **stream);
EXPORT int nvjpeg2kStreamDestroy(void *stream);
EXPORT int nvjpeg2kStreamParse(
    void *handle, const unsigned char *data, size_t length, int metadata, int save, void *stream);
EXPORT int nvjpeg2kDecodeParamsCreate(void **parameters);
EXPORT int nvjpeg2kDecodeParamsDestroy(void *parameters);
EXPORT int nvjpeg2kDecodeParamsSetOutputFormat(void *parameters, int format);
EXPORT int nvjpeg2kDecodeImage(
    void *handle, void *state, void *stream, void *parameters, struct image *image, void *queue);
EXPORT int nvjpeg2kEncoderCreateSimple(void **handle);
EXPORT int nvjpeg2kEncoderDestroy(void *handle);
EXPORT int nvjpeg2kEncodeStateCreate(void *handle, void **state);
EXPORT int nvjpeg2kEncodeStateDestroy(void *state);
EXPORT int nvjpeg2kEncodeParamsCreate(void **parameters);
EXPORT int nvjpeg2kEncodeParamsDestroy(void *parameters);
EXPORT int nvjpeg2kEncodeParamsSetEncodeConfig(void *parameters, const struct config *config);
EXPORT int nvjpeg2kEncodeParamsSpecifyQuality(void *parameters, int type, double value);
EXPORT int nvjpeg2kEncodeParamsSetInputFormat(void *parameters, int format);
EXPORT int nvjpeg2kEncode(void *handle, void *state, const void *parameters, const struct image *image, void *queue);
EXPORT int nvjpeg2kEncodeRetrieveBitstream(void *handle, void *state, unsigned char *data, size_t *length, void *queue);

int nvjpeg2kCreateSimple(void **handle)
{
    if (context == NULL && kst_context_create(NULL, &context))
        return FAILED;
    *handle = context;
    return 0;
}

int nvjpeg2kDestroy(void *handle)
{
    return handle == context ? 0 : FAILED;
}

static int make(void **to, size_t length)
{
    *to = calloc(1, length);
    return *to != NULL ? 0 : FAILED;
}

static int drop(void *made)
{
    free(made);
    return 0;
}

int nvjpeg2kDecodeStateCreate(void *handle, void **state)
{
    return handle == context ? make(state, sizeof(struct state)) : FAILED;
}

int nvjpeg2kDecodeStateDestroy(void *state)
{
    return drop(state);
}

int nvjpeg2kStreamCreate(void **stream)
{
    return make(stream, sizeof(struct stream));
}

int nvjpeg2kStreamDestroy(void *stream)
{
    return drop(stream);
}

int nvjpeg2kStreamParse(void *handle, const unsigned char *data, size_t length, int metadata, int save, void *stream)
{
    (void)metadata;
    (void)save;
    *(struct stream *)stream = (struct stream){data, length};
    return handle == context ? 0 : FAILED;
}

int nvjpeg2kDecodeParamsCreate(void **parameters)
{
    return make(parameters, sizeof(struct parameters));
}

int nvjpeg2kDecodeParamsDestroy(void *parameters)
{
    return drop(parameters);
}

int nvjpeg2kDecodeParamsSetOutputFormat(void *parameters, int format)
{
    return parameters != NULL && format == 1 ? 0 : FAILED;
}

int nvjpeg2kDecodeImage(void *handle, void *state, void *stream, void *parameters, struct image *image, void *queue)
{
    struct state *own = state;
    const struct stream *from = stream;
    kst_decode_options options;
    kst_image target;
    (void)handle;
    (void)parameters;
    (void)queue;
    if (atomic_flag_test_and_set(&own->busy))
        return FAILED;
    kst_decode_options_init(&options);
    kst_image_init(&target);
    options.format = KST_FORMAT_RGB;
    kst_status status = kst_decode(context, from->data, from->length, &options, &target, NULL);
    for (uint32_t y = 0; y < target.height && !status; y++)
        memcpy((unsigned char *)image->data[0] + y * image->pitch[0],
            (const unsigned char *)target.plane[0].data + (ptrdiff_t)y * target.plane[0].pitch,
            (size_t)target.width * 3);
    kst_image_release(context, &target);
    atomic_flag_clear(&own->busy);
    return status ? FAILED : 0;
}

int nvjpeg2kEncoderCreateSimple(void **handle)
{
    return nvjpeg2kCreateSimple(handle);
}

int nvjpeg2kEncoderDestroy(void *handle)
{
    return nvjpeg2kDestroy(handle);
}

int nvjpeg2kEncodeStateCreate(void *handle, void **state)
{
    return nvjpeg2kDecodeStateCreate(handle, state);
}

int nvjpeg2kEncodeStateDestroy(void *state)
{
    struct state *own = state;
    kst_buffer_release(context, &own->made);
    return drop(own);
}

int nvjpeg2kEncodeParamsCreate(void **parameters)
{
    return make(parameters, sizeof(struct parameters));
}

int nvjpeg2kEncodeParamsDestroy(void *parameters)
{
    return drop(parameters);
}

int nvjpeg2kEncodeParamsSetEncodeConfig(void *parameters, const struct config *config)
{
    ((struct parameters *)parameters)->config = *config;
    return config->components == 3 && config->component[2].width == config->width ? 0 : FAILED;
}

int nvjpeg2kEncodeParamsSpecifyQuality(void *parameters, int type, double value)
{
    ((struct parameters *)parameters)->step = value;
    return type == 1 ? 0 : FAILED;
}

int nvjpeg2kEncodeParamsSetInputFormat(void *parameters, int format)
{
    return parameters != NULL && format == 1 ? 0 : FAILED;
}

int nvjpeg2kEncode(void *handle, void *state, const void *parameters, const struct image *image, void *queue)
{
    const struct parameters *set = parameters;
    struct state *own = state;
    kst_encode_options options;
    kst_j2k_options j2k;
    kst_image from;
    (void)handle;
    (void)queue;
    if (atomic_flag_test_and_set(&own->busy) || kst_image_wrap(&from, KST_FORMAT_RGB, set->config.width,
                                                    set->config.height, image->data[0], (ptrdiff_t)image->pitch[0]))
        return FAILED;
    kst_encode_options_init(&options);
    kst_j2k_options_init(&j2k);
    j2k.block_width = set->config.block_width;
    j2k.block_height = set->config.block_height;
    j2k.levels = set->config.resolutions - 1;
    j2k.target = set->config.irreversible ? KST_J2K_STEP : KST_J2K_LOSSLESS;
    j2k.value = set->step;
    if (set->config.modes != 0) {
        if (set->config.modes != 0x40 || set->config.rsiz != 0x4000)
            return FAILED;
        j2k.style |= KST_J2K_HT;
    }
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &j2k;
    return kst_encode(context, &from, &options, &own->made, NULL) ? FAILED : 0;
}

int nvjpeg2kEncodeRetrieveBitstream(void *handle, void *state, unsigned char *data, size_t *length, void *queue)
{
    struct state *own = state;
    (void)handle;
    (void)queue;
    size_t room = *length;
    *length = own->made.length;
    if (data == NULL)
        return 0;
    if (own->made.length > room)
        return FAILED;
    memcpy(data, own->made.data, own->made.length);
    kst_buffer_release(context, &own->made);
    atomic_flag_clear(&own->busy);
    return 0;
}
