/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stands in for nvJPEG where there is no GPU: Kostka does the work of the calls that peers make, at once. It is an
 * error if a state is used for a second picture before the first was fetched, or by two threads.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#define EXPORT __attribute__((visibility("default")))

enum { FAILED = 6, HARDWARE = 3 };

struct image {
    unsigned char *channel[4];
    size_t pitch[4];
};

struct state {
    atomic_flag busy;
    kst_buffer made;
    int batch; /* pictures of nvjpegDecodeBatched() */
};

struct parameters {
    int quality, sampling, optimized;
};

static kst_context *context;

EXPORT int nvjpegCreateEx(int backend, void *device, void *pinned, unsigned flags, void **handle);
EXPORT int nvjpegDestroy(void *handle);
EXPORT int nvjpegJpegStateCreate(void *handle, void **state);
EXPORT int nvjpegJpegStateDestroy(void *state);
EXPORT int nvjpegDecode(
    void *handle, void *state, const unsigned char *data, size_t length, int format, struct image *image, void *stream);
EXPORT int nvjpegDecodeBatchedInitialize(void *handle, void *state, int count, int threads, int format);
EXPORT int nvjpegDecodeBatched(void *handle, void *state, const unsigned char *const *data, const size_t *length,
    struct image *images, void *stream);
EXPORT int nvjpegEncoderStateCreate(void *handle, void **state, void *stream);
EXPORT int nvjpegEncoderStateDestroy(void *state);
EXPORT int nvjpegEncoderParamsCreate(void *handle, void **parameters, void *stream);
EXPORT int nvjpegEncoderParamsDestroy(void *parameters);
EXPORT int nvjpegEncoderParamsSetQuality(void *parameters, int quality, void *stream);
EXPORT int nvjpegEncoderParamsSetSamplingFactors(void *parameters, int sampling, void *stream);
EXPORT int nvjpegEncoderParamsSetOptimizedHuffman(void *parameters, int optimized, void *stream);
EXPORT int nvjpegEncodeImage(void *handle, void *state, const void *parameters, const struct image *image, int format,
    int width, int height, void *stream);
EXPORT int nvjpegEncodeRetrieveBitstream(void *handle, void *state, unsigned char *data, size_t *length, void *stream);

/* With KOSTKA_NO_HARDWARE, behave as on a GPU without decoding engines. */
int nvjpegCreateEx(int backend, void *device, void *pinned, unsigned flags, void **handle)
{
    (void)device;
    (void)pinned;
    (void)flags;
    if (backend == HARDWARE && getenv("KOSTKA_NO_HARDWARE") != NULL)
        return FAILED;
    if (context == NULL && kst_context_create(NULL, &context))
        return FAILED;
    *handle = context;
    return 0;
}

int nvjpegDestroy(void *handle)
{
    return handle == context ? 0 : FAILED;
}

int nvjpegJpegStateCreate(void *handle, void **state)
{
    struct state *made = calloc(1, sizeof *made);
    *state = made;
    return handle == context && made != NULL ? 0 : FAILED;
}

int nvjpegJpegStateDestroy(void *state)
{
    free(state);
    return 0;
}

int nvjpegDecode(
    void *handle, void *state, const unsigned char *data, size_t length, int format, struct image *image, void *stream)
{
    struct state *own = state;
    kst_decode_options options;
    kst_image target;
    (void)handle;
    (void)format;
    (void)stream;
    if (atomic_flag_test_and_set(&own->busy))
        return FAILED;
    kst_decode_options_init(&options);
    kst_image_init(&target);
    options.format = KST_FORMAT_RGB;
    kst_status status = kst_decode(context, data, length, &options, &target, NULL);
    for (uint32_t y = 0; y < target.height && !status; y++)
        memcpy(image->channel[0] + y * image->pitch[0],
            (const unsigned char *)target.plane[0].data + (ptrdiff_t)y * target.plane[0].pitch,
            (size_t)target.width * 3);
    kst_image_release(context, &target);
    atomic_flag_clear(&own->busy);
    return status ? FAILED : 0;
}

int nvjpegDecodeBatchedInitialize(void *handle, void *state, int count, int threads, int format)
{
    (void)format;
    ((struct state *)state)->batch = count;
    return handle == context && threads > 0 ? 0 : FAILED;
}

int nvjpegDecodeBatched(void *handle, void *state, const unsigned char *const *data, const size_t *length,
    struct image *images, void *stream)
{
    const struct state *own = state;
    int status = 0;
    for (int i = 0; i < own->batch && status == 0; i++)
        status = nvjpegDecode(handle, state, data[i], length[i], 0, &images[i], stream);
    return status;
}

int nvjpegEncoderStateCreate(void *handle, void **state, void *stream)
{
    return stream != NULL ? nvjpegJpegStateCreate(handle, state) : FAILED;
}

int nvjpegEncoderStateDestroy(void *state)
{
    struct state *own = state;
    kst_buffer_release(context, &own->made);
    free(own);
    return 0;
}

int nvjpegEncoderParamsCreate(void *handle, void **parameters, void *stream)
{
    (void)stream;
    *parameters = calloc(1, sizeof(struct parameters));
    return handle == context && *parameters != NULL ? 0 : FAILED;
}

int nvjpegEncoderParamsDestroy(void *parameters)
{
    free(parameters);
    return 0;
}

int nvjpegEncoderParamsSetQuality(void *parameters, int quality, void *stream)
{
    (void)stream;
    ((struct parameters *)parameters)->quality = quality;
    return 0;
}

int nvjpegEncoderParamsSetSamplingFactors(void *parameters, int sampling, void *stream)
{
    (void)stream;
    ((struct parameters *)parameters)->sampling = sampling;
    return 0;
}

int nvjpegEncoderParamsSetOptimizedHuffman(void *parameters, int optimized, void *stream)
{
    (void)stream;
    ((struct parameters *)parameters)->optimized = optimized;
    return 0;
}

int nvjpegEncodeImage(void *handle, void *state, const void *parameters, const struct image *image, int format,
    int width, int height, void *stream)
{
    static const kst_subsampling samplings[] = {KST_SUBSAMPLING_444, KST_SUBSAMPLING_422, KST_SUBSAMPLING_420};
    const struct parameters *set = parameters;
    struct state *own = state;
    kst_encode_options options;
    kst_image from;
    (void)handle;
    (void)format;
    (void)stream;
    if (atomic_flag_test_and_set(&own->busy) || set->sampling > 2)
        return FAILED;
    kst_encode_options_init(&options);
    options.quality = set->quality;
    options.subsampling = samplings[set->sampling];
    options.coding = set->optimized ? KST_CODING_OPTIMIZED : KST_CODING_BASELINE;
    if (kst_image_wrap(
            &from, KST_FORMAT_RGB, (uint32_t)width, (uint32_t)height, image->channel[0], (ptrdiff_t)image->pitch[0]))
        return FAILED;
    return kst_encode(context, &from, &options, &own->made, NULL) ? FAILED : 0;
}

int nvjpegEncodeRetrieveBitstream(void *handle, void *state, unsigned char *data, size_t *length, void *stream)
{
    struct state *own = state;
    (void)handle;
    (void)stream;
    if (own->made.length > *length)
        return FAILED;
    *length = own->made.length;
    memcpy(data, own->made.data, own->made.length);
    kst_buffer_release(context, &own->made);
    atomic_flag_clear(&own->busy);
    return 0;
}
