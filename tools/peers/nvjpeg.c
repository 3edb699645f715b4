/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nvJPEG, part of the CUDA toolkit; the declarations are the project's, after its header of version 13, and are the
 * same since version 11. Decoding: one picture with nvjpegDecode(), several, or with a backend that wants it so, with
 * nvjpegDecodeBatched(), streams in host memory, pixels in device memory. Encoding: a state and a stream for each
 * picture on the way, from device memory to pinned memory.
 */
#include <stdlib.h>

#include "peers/cuda.h"
#include "peers/library.h"
#include "peers/peers.h"

enum {
    BACKEND_DEFAULT = 0, /* nvjpegBackend_t */
    BACKEND_GPU_HYBRID = 2,
    BACKEND_HARDWARE = 3,
    RGB_INTERLEAVED = 5, /* nvjpegOutputFormat_t, nvjpegInputFormat_t */
    CHANNELS = 3,
    MOST_STATES = 16
};

struct nvjpeg_image {
    unsigned char *channel[4];
    size_t pitch[4];
};

typedef struct nvjpeg_handle *nvjpeg_handle;
typedef struct nvjpeg_decoder *nvjpeg_decoder;
typedef struct nvjpeg_encoder *nvjpeg_encoder;
typedef struct nvjpeg_parameters *nvjpeg_parameters;

#define NVJPEG_SYMBOLS(X)                                                                                              \
    X(create, "nvjpegCreateEx",                                                                                        \
        (int backend, void *device_allocator, void *pinned_allocator, unsigned flags, nvjpeg_handle *handle))          \
    X(destroy, "nvjpegDestroy", (nvjpeg_handle))                                                                       \
    X(decoder_create, "nvjpegJpegStateCreate", (nvjpeg_handle, nvjpeg_decoder *))                                      \
    X(decoder_destroy, "nvjpegJpegStateDestroy", (nvjpeg_decoder))                                                     \
    X(decode, "nvjpegDecode",                                                                                          \
        (nvjpeg_handle, nvjpeg_decoder, const unsigned char *data, size_t length, int format,                          \
            struct nvjpeg_image *image, cuda_stream))                                                                  \
    X(batch_start, "nvjpegDecodeBatchedInitialize",                                                                    \
        (nvjpeg_handle, nvjpeg_decoder, int count, int threads, int format))                                           \
    X(decode_batch, "nvjpegDecodeBatched",                                                                             \
        (nvjpeg_handle, nvjpeg_decoder, const unsigned char *const *data, const size_t *length,                        \
            struct nvjpeg_image *images, cuda_stream))                                                                 \
    X(encoder_create, "nvjpegEncoderStateCreate", (nvjpeg_handle, nvjpeg_encoder *, cuda_stream))                      \
    X(encoder_destroy, "nvjpegEncoderStateDestroy", (nvjpeg_encoder))                                                  \
    X(parameters_create, "nvjpegEncoderParamsCreate", (nvjpeg_handle, nvjpeg_parameters *, cuda_stream))               \
    X(parameters_destroy, "nvjpegEncoderParamsDestroy", (nvjpeg_parameters))                                           \
    X(set_quality, "nvjpegEncoderParamsSetQuality", (nvjpeg_parameters, int quality, cuda_stream))                     \
    X(set_sampling, "nvjpegEncoderParamsSetSamplingFactors", (nvjpeg_parameters, int sampling, cuda_stream))           \
    X(set_optimized, "nvjpegEncoderParamsSetOptimizedHuffman", (nvjpeg_parameters, int optimized, cuda_stream))        \
    X(encode, "nvjpegEncodeImage",                                                                                     \
        (nvjpeg_handle, nvjpeg_encoder, nvjpeg_parameters, const struct nvjpeg_image *, int format, int width,         \
            int height, cuda_stream))                                                                                  \
    X(fetch, "nvjpegEncodeRetrieveBitstream",                                                                          \
        (nvjpeg_handle, nvjpeg_encoder, unsigned char *data, size_t *length, cuda_stream))

#define NVJPEG_MEMBER(member, symbol, parameters) int(*member) parameters;
#define NVJPEG_SYMBOL(member, symbol, parameters) symbol,

struct nvjpeg_library {
    NVJPEG_SYMBOLS(NVJPEG_MEMBER)
};

struct nvjpeg {
    struct nvjpeg_library library;
    struct peer_cuda cuda;
    bool cuda_open;
    struct peer_task task;
    bool batched;
    nvjpeg_handle handle;
    nvjpeg_decoder decoder;
    nvjpeg_encoder encoder[MOST_STATES];
    cuda_stream stream[MOST_STATES];
    nvjpeg_parameters parameters;
    cuda_pointer pixels;        /* of all pictures, or of the one to encode */
    struct nvjpeg_image *image; /* one a picture */
    size_t *length;             /* of each stream */
    uint8_t *output;            /* pinned: a stream a picture, `room` bytes each */
    size_t room;
    uint8_t *fetched; /* the first picture */
};

/* nvjpegStatus_t, but for success. */
static bool check(int status, const char *what, struct problem *problem)
{
    static const char *const names[] = {"", "not initialised", "invalid parameter", "bad stream", "not supported",
        "no memory", "execution failed", "wrong architecture", "internal error", "not implemented",
        "incomplete stream"};

    if (status == 0)
        return true;
    if (status > 0 && (size_t)status < sizeof names / sizeof names[0])
        return problem_set(problem, "%s: %s", what, names[status]);
    return problem_set(problem, "%s: error %d", what, status);
}

static size_t picture_length(const struct peer_task *task)
{
    return (size_t)task->width * task->height * CHANNELS;
}

static void drop_encoder(struct nvjpeg *nvjpeg)
{
    for (int i = 0; i < MOST_STATES; i++) {
        if (nvjpeg->encoder[i] != NULL)
            nvjpeg->library.encoder_destroy(nvjpeg->encoder[i]);
        if (nvjpeg->stream[i] != NULL)
            nvjpeg->cuda.stream_destroy(nvjpeg->stream[i]);
    }
    if (nvjpeg->parameters != NULL)
        nvjpeg->library.parameters_destroy(nvjpeg->parameters);
    if (nvjpeg->output != NULL)
        nvjpeg->cuda.free_host(nvjpeg->output);
}

static void nvjpeg_close(void *state)
{
    struct nvjpeg *nvjpeg = state;

    drop_encoder(nvjpeg);
    if (nvjpeg->decoder != NULL)
        nvjpeg->library.decoder_destroy(nvjpeg->decoder);
    if (nvjpeg->handle != NULL)
        nvjpeg->library.destroy(nvjpeg->handle);
    if (nvjpeg->pixels != 0)
        nvjpeg->cuda.free(nvjpeg->pixels);
    if (nvjpeg->cuda_open)
        peer_cuda_close(&nvjpeg->cuda);
    free(nvjpeg->image);
    free(nvjpeg->length);
    free(nvjpeg->fetched);
    free(nvjpeg);
}

static bool load(struct nvjpeg *nvjpeg, struct problem *problem)
{
    static const char *const names[] = {"libnvjpeg.so.13", "libnvjpeg.so.12", "libnvjpeg.so.11", "libnvjpeg.so",
        "/usr/local/cuda/lib64/libnvjpeg.so", "/usr/local/cuda/targets/x86_64-linux/lib/libnvjpeg.so", NULL};
    static const char *const symbols[] = {NVJPEG_SYMBOLS(NVJPEG_SYMBOL)};

    nvjpeg->cuda_open = peer_cuda_open(&nvjpeg->cuda, problem);
    return nvjpeg->cuda_open &&
           peer_library(names, symbols, sizeof symbols / sizeof symbols[0], &nvjpeg->library, problem);
}

static bool make_pixels(struct nvjpeg *nvjpeg, struct problem *problem)
{
    const struct peer_task *task = &nvjpeg->task;
    uint32_t count = task->encode ? 1 : task->count;
    size_t length = picture_length(task);

    nvjpeg->image = calloc(count, sizeof *nvjpeg->image);
    nvjpeg->length = calloc(task->count, sizeof *nvjpeg->length);
    nvjpeg->fetched = malloc(length);
    if (nvjpeg->image == NULL || nvjpeg->length == NULL || nvjpeg->fetched == NULL ||
        nvjpeg->cuda.allocate(&nvjpeg->pixels, length * count) != 0)
        return problem_set(problem, "out of memory");
    for (uint32_t i = 0; i < count; i++) {
        nvjpeg->image[i].channel[0] = (unsigned char *)(uintptr_t)(nvjpeg->pixels + i * length);
        nvjpeg->image[i].pitch[0] = (size_t)task->width * CHANNELS;
        nvjpeg->length[i] = task->length;
    }
    return !task->encode || nvjpeg->cuda.up(nvjpeg->pixels, task->pixels, length) == 0 ||
           problem_set(problem, "cuMemcpyHtoD failed");
}

static bool make_decoder(struct nvjpeg *nvjpeg, struct problem *problem)
{
    const struct nvjpeg_library *library = &nvjpeg->library;

    return check(library->decoder_create(nvjpeg->handle, &nvjpeg->decoder), "nvjpegJpegStateCreate", problem) &&
           (!nvjpeg->batched || check(library->batch_start(nvjpeg->handle, nvjpeg->decoder, (int)nvjpeg->task.count,
                                          (int)nvjpeg->task.threads, RGB_INTERLEAVED),
                                    "nvjpegDecodeBatchedInitialize", problem));
}

static bool make_states(struct nvjpeg *nvjpeg, struct problem *problem)
{
    const struct nvjpeg_library *library = &nvjpeg->library;

    for (uint32_t i = 0; i < nvjpeg->task.count && i < MOST_STATES; i++) {
        if (nvjpeg->cuda.stream_create(&nvjpeg->stream[i], 1) != 0)
            return problem_set(problem, "cuStreamCreate failed");
        if (!check(library->encoder_create(nvjpeg->handle, &nvjpeg->encoder[i], nvjpeg->stream[i]),
                "nvjpegEncoderStateCreate", problem))
            return false;
    }
    return true;
}

static bool make_encoder(struct nvjpeg *nvjpeg, struct problem *problem)
{
    const struct nvjpeg_library *library = &nvjpeg->library;
    const struct peer_task *task = &nvjpeg->task;
    nvjpeg_parameters *parameters = &nvjpeg->parameters;
    static const int samplings[] = {[KST_SUBSAMPLING_420] = 2,
        [KST_SUBSAMPLING_422] = 1,
        [KST_SUBSAMPLING_444] = 0,
        [KST_SUBSAMPLING_440] = 3,
        [KST_SUBSAMPLING_411] = 4,
        [KST_SUBSAMPLING_410] = 5};

    nvjpeg->room = picture_length(task) / 2 + 4096;
    if (nvjpeg->cuda.allocate_host((void **)&nvjpeg->output, nvjpeg->room * task->count) != 0)
        return problem_set(problem, "out of memory");
    return make_states(nvjpeg, problem) &&
           check(library->parameters_create(nvjpeg->handle, parameters, NULL), "nvjpegEncoderParamsCreate", problem) &&
           check(library->set_quality(*parameters, task->quality, NULL), "nvjpegEncoderParamsSetQuality", problem) &&
           check(library->set_sampling(*parameters, samplings[task->subsampling], NULL),
               "nvjpegEncoderParamsSetSamplingFactors", problem) &&
           check(library->set_optimized(*parameters, task->optimized, NULL), "nvjpegEncoderParamsSetOptimizedHuffman",
               problem);
}

static void *nvjpeg_open(const struct peer_task *task, int backend, bool batched, struct problem *problem)
{
    struct nvjpeg *nvjpeg = calloc(1, sizeof *nvjpeg);

    if (nvjpeg == NULL)
        return problem_set(problem, "out of memory"), NULL;
    nvjpeg->task = *task;
    nvjpeg->batched = batched || task->count > 1;
    if (load(nvjpeg, problem) &&
        check(nvjpeg->library.create(backend, NULL, NULL, 0, &nvjpeg->handle), "nvjpegCreateEx", problem) &&
        make_pixels(nvjpeg, problem) && (task->encode ? make_encoder(nvjpeg, problem) : make_decoder(nvjpeg, problem)))
        return nvjpeg;
    nvjpeg_close(nvjpeg);
    return NULL;
}

static void *open_default(const struct peer_task *task, struct problem *problem)
{
    return nvjpeg_open(task, BACKEND_DEFAULT, false, problem);
}

static void *open_gpu(const struct peer_task *task, struct problem *problem)
{
    if (task->encode)
        return problem_set(problem, "there is one encoder, measured as nvJPEG"), NULL;
    return nvjpeg_open(task, BACKEND_GPU_HYBRID, true, problem);
}

static void *open_hardware(const struct peer_task *task, struct problem *problem)
{
    if (task->encode)
        return problem_set(problem, "there is one encoder, measured as nvJPEG"), NULL;
    return nvjpeg_open(task, BACKEND_HARDWARE, true, problem);
}

static bool run_decoder(struct nvjpeg *nvjpeg, struct problem *problem)
{
    const struct peer_task *task = &nvjpeg->task;
    bool good = nvjpeg->batched ? check(nvjpeg->library.decode_batch(nvjpeg->handle, nvjpeg->decoder, task->stream,
                                            nvjpeg->length, nvjpeg->image, NULL),
                                      "nvjpegDecodeBatched", problem)
                                : check(nvjpeg->library.decode(nvjpeg->handle, nvjpeg->decoder, task->stream[0],
                                            task->length, RGB_INTERLEAVED, nvjpeg->image, NULL),
                                      "nvjpegDecode", problem);
    return good && (nvjpeg->cuda.stream_wait(NULL) == 0 || problem_set(problem, "cuStreamSynchronize failed"));
}

/* Pictures from `first` on, a state each, started all before the first is waited for. */
static bool encode_some(struct nvjpeg *nvjpeg, uint32_t first, uint32_t count, struct problem *problem)
{
    const struct nvjpeg_library *library = &nvjpeg->library;
    bool good = true;

    for (uint32_t i = 0; i < count && good; i++)
        good = check(library->encode(nvjpeg->handle, nvjpeg->encoder[i], nvjpeg->parameters, nvjpeg->image,
                         RGB_INTERLEAVED, (int)nvjpeg->task.width, (int)nvjpeg->task.height, nvjpeg->stream[i]),
            "nvjpegEncodeImage", problem);
    for (uint32_t i = 0; i < count && good; i++) {
        size_t length = nvjpeg->room;
        good = check(library->fetch(nvjpeg->handle, nvjpeg->encoder[i], nvjpeg->output + (first + i) * nvjpeg->room,
                         &length, nvjpeg->stream[i]),
            "nvjpegEncodeRetrieveBitstream", problem);
        nvjpeg->length[first + i] = length;
    }
    for (uint32_t i = 0; i < count; i++)
        nvjpeg->cuda.stream_wait(nvjpeg->stream[i]);
    return good;
}

static bool nvjpeg_run(void *state, struct problem *problem)
{
    struct nvjpeg *nvjpeg = state;
    bool good = true;

    if (!nvjpeg->task.encode)
        return run_decoder(nvjpeg, problem);
    for (uint32_t i = 0; i < nvjpeg->task.count && good; i += MOST_STATES) {
        uint32_t rest = nvjpeg->task.count - i;
        good = encode_some(nvjpeg, i, rest < MOST_STATES ? rest : MOST_STATES, problem);
    }
    return good;
}

static const uint8_t *nvjpeg_result(void *state, size_t *length)
{
    struct nvjpeg *nvjpeg = state;

    if (nvjpeg->task.encode) {
        *length = nvjpeg->length[0];
        return nvjpeg->output;
    }
    *length = picture_length(&nvjpeg->task);
    return nvjpeg->cuda.down(nvjpeg->fetched, nvjpeg->pixels, *length) == 0 ? nvjpeg->fetched : NULL;
}

const struct peer peer_nvjpeg = {"nvJPEG", open_default, nvjpeg_run, nvjpeg_result, nvjpeg_close};
const struct peer peer_nvjpeg_gpu = {"nvJPEG gpu_hybrid", open_gpu, nvjpeg_run, nvjpeg_result, nvjpeg_close};
const struct peer peer_nvjpeg_hardware = {"nvJPEG hardware", open_hardware, nvjpeg_run, nvjpeg_result, nvjpeg_close};
