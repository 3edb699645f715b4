/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nvJPEG2000's encoder; the declarations are the project's, after its header of version 0.11. From interleaved pixels
 * in device memory to JP2 files in pinned memory, one layer and code-blocks of 64 × 64, on some threads with a state
 * and a stream each. It knows no rate: the quantiser's step that gives the wanted length is looked for before anything
 * is timed.
 */
#include <stdlib.h>

#include "peers/crew.h"
#include "peers/cuda.h"
#include "peers/library.h"
#include "peers/peers.h"

enum {
    CHANNELS = 3,
    LEVELS = 5,
    MOST_RESOLUTIONS = 33,
    BLOCK = 64,
    STREAM_JP2 = 1,         /* nvjpeg2kBitstreamType_t */
    COLOUR_SRGB = 1,        /* nvjpeg2kColorSpace_t */
    FORMAT_INTERLEAVED = 1, /* nvjpeg2kImageFormat_t */
    TYPE_UINT8 = 0,         /* nvjpeg2kImageType_t */
    QUALITY_STEP = 1,       /* nvjpeg2kQualityType_t */
    TRIALS = 12,
    HIGHEST_STEP = 1 << 16
};

struct nvjpeg2k_component {
    uint32_t width, height;
    uint8_t precision, is_signed;
};

/* nvjpeg2kEncodeConfig_t */
struct nvjpeg2k_config {
    int stream_type, colour;
    uint16_t rsiz;
    uint32_t width, height, tiled, tile_width, tile_height, components;
    struct nvjpeg2k_component *component;
    uint32_t sop, eph;
    int progression;
    uint32_t layers, colour_transform, resolutions, block_width, block_height, modes, irreversible, precincts;
    uint32_t precinct_width[MOST_RESOLUTIONS], precinct_height[MOST_RESOLUTIONS];
};

struct nvjpeg2k_pixels {
    void **data;
    size_t *pitch;
    int type;
    uint32_t components;
};

typedef struct nvjpeg2k_encoder *nvjpeg2k_encoder;
typedef struct nvjpeg2k_encode_state *nvjpeg2k_encode_state;
typedef struct nvjpeg2k_encode_parameters *nvjpeg2k_encode_parameters;

#define NVJPEG2K_ENCODE_SYMBOLS(X)                                                                                     \
    X(create, "nvjpeg2kEncoderCreateSimple", (nvjpeg2k_encoder *))                                                     \
    X(destroy, "nvjpeg2kEncoderDestroy", (nvjpeg2k_encoder))                                                           \
    X(state_create, "nvjpeg2kEncodeStateCreate", (nvjpeg2k_encoder, nvjpeg2k_encode_state *))                          \
    X(state_destroy, "nvjpeg2kEncodeStateDestroy", (nvjpeg2k_encode_state))                                            \
    X(parameters_create, "nvjpeg2kEncodeParamsCreate", (nvjpeg2k_encode_parameters *))                                 \
    X(parameters_destroy, "nvjpeg2kEncodeParamsDestroy", (nvjpeg2k_encode_parameters))                                 \
    X(configure, "nvjpeg2kEncodeParamsSetEncodeConfig", (nvjpeg2k_encode_parameters, struct nvjpeg2k_config *))        \
    X(set_quality, "nvjpeg2kEncodeParamsSpecifyQuality", (nvjpeg2k_encode_parameters, int type, double value))         \
    X(set_format, "nvjpeg2kEncodeParamsSetInputFormat", (nvjpeg2k_encode_parameters, int format))                      \
    X(encode, "nvjpeg2kEncode",                                                                                        \
        (nvjpeg2k_encoder, nvjpeg2k_encode_state, nvjpeg2k_encode_parameters, const struct nvjpeg2k_pixels *,          \
            cuda_stream))                                                                                              \
    X(retrieve, "nvjpeg2kEncodeRetrieveBitstream",                                                                     \
        (nvjpeg2k_encoder, nvjpeg2k_encode_state, unsigned char *data, size_t *length, cuda_stream))

#define NVJPEG2K_ENCODE_MEMBER(member, symbol, parameters) int(*member) parameters;
#define NVJPEG2K_ENCODE_SYMBOL(member, symbol, parameters) symbol,

struct nvjpeg2k_encode_library {
    NVJPEG2K_ENCODE_SYMBOLS(NVJPEG2K_ENCODE_MEMBER)
};

struct worker {
    nvjpeg2k_encode_state state;
    cuda_stream queue;
    void *file; /* in pinned memory */
    size_t length;
};

struct nvjpeg2k_encode {
    struct nvjpeg2k_encode_library library;
    struct peer_cuda cuda;
    bool cuda_open;
    void *context;
    struct peer_task task;
    nvjpeg2k_encoder encoder;
    nvjpeg2k_encode_parameters parameters;
    struct nvjpeg2k_component component[CHANNELS];
    struct nvjpeg2k_config config;
    struct worker worker[CREW_MOST];
    uint32_t workers;
    cuda_pointer pixels;
    size_t capacity; /* of a worker's file */
};

static bool check(int status, const char *what, struct problem *problem)
{
    return status == 0 || problem_set(problem, "%s: error %d", what, status);
}

static void encoder_close(void *state)
{
    struct nvjpeg2k_encode *peer = state;

    for (uint32_t i = 0; i < CREW_MOST; i++) {
        struct worker *worker = &peer->worker[i];
        if (worker->state != NULL)
            peer->library.state_destroy(worker->state);
        if (worker->queue != NULL)
            peer->cuda.stream_destroy(worker->queue);
        if (worker->file != NULL)
            peer->cuda.free_host(worker->file);
    }
    if (peer->parameters != NULL)
        peer->library.parameters_destroy(peer->parameters);
    if (peer->encoder != NULL)
        peer->library.destroy(peer->encoder);
    if (peer->pixels != 0)
        peer->cuda.free(peer->pixels);
    if (peer->cuda_open)
        peer_cuda_close(&peer->cuda);
    free(peer);
}

static bool load(struct nvjpeg2k_encode *peer, struct problem *problem)
{
    static const char *const names[] = {"libnvjpeg2k.so.0", "libnvjpeg2k.so", NULL};
    static const char *const symbols[] = {NVJPEG2K_ENCODE_SYMBOLS(NVJPEG2K_ENCODE_SYMBOL)};

    peer->cuda_open = peer_cuda_open(&peer->cuda, problem);
    return peer->cuda_open && peer_library(names, symbols, sizeof symbols / sizeof symbols[0], &peer->library, problem);
}

static bool upload(struct nvjpeg2k_encode *peer, struct problem *problem)
{
    size_t length = (size_t)peer->task.width * peer->task.height * CHANNELS;
    int device;

    if (peer->cuda.allocate(&peer->pixels, length) != 0 || peer->cuda.up(peer->pixels, peer->task.pixels, length) != 0)
        return problem_set(problem, "no memory of the device's");
    if (peer->cuda.device(&device, 0) != 0 || peer->cuda.retain(&peer->context, device) != 0)
        return problem_set(problem, "cuDevicePrimaryCtxRetain failed");
    peer->cuda.release(device); /* the one that peer_cuda_open() keeps is enough */
    peer->capacity = length * 2 + (1 << 16);
    return true;
}

static bool configure(struct nvjpeg2k_encode *peer, struct problem *problem)
{
    const struct peer_task *task = &peer->task;
    const struct nvjpeg2k_encode_library *library = &peer->library;

    for (int i = 0; i < CHANNELS; i++)
        peer->component[i] = (struct nvjpeg2k_component){task->width, task->height, 8, 0};
    peer->config = (struct nvjpeg2k_config){.stream_type = STREAM_JP2,
        .colour = COLOUR_SRGB,
        .width = task->width,
        .height = task->height,
        .components = CHANNELS,
        .component = peer->component,
        .layers = 1,
        .colour_transform = 1,
        .resolutions = LEVELS + 1,
        .block_width = BLOCK,
        .block_height = BLOCK,
        .irreversible = !task->lossless};
    return check(library->create(&peer->encoder), "nvjpeg2kEncoderCreateSimple", problem) &&
           check(library->parameters_create(&peer->parameters), "nvjpeg2kEncodeParamsCreate", problem) &&
           check(library->configure(peer->parameters, &peer->config), "nvjpeg2kEncodeParamsSetEncodeConfig", problem) &&
           check(library->set_format(peer->parameters, FORMAT_INTERLEAVED), "nvjpeg2kEncodeParamsSetInputFormat",
               problem);
}

static bool make_workers(struct nvjpeg2k_encode *peer, struct problem *problem)
{
    peer->workers = peer->task.count < CREW_MOST ? peer->task.count : CREW_MOST;
    for (uint32_t i = 0; i < peer->workers; i++) {
        struct worker *worker = &peer->worker[i];
        if (peer->cuda.stream_create(&worker->queue, 1) != 0 ||
            peer->cuda.allocate_host(&worker->file, peer->capacity) != 0)
            return problem_set(problem, "no stream, or no pinned memory");
        if (!check(peer->library.state_create(peer->encoder, &worker->state), "nvjpeg2kEncodeStateCreate", problem))
            return false;
    }
    return true;
}

static bool encode(struct nvjpeg2k_encode *peer, struct worker *worker, struct problem *problem)
{
    void *data = (void *)(uintptr_t)peer->pixels; /* NOLINT(performance-no-int-to-ptr): the device's */
    size_t pitch = (size_t)peer->task.width * CHANNELS;
    struct nvjpeg2k_pixels pixels = {&data, &pitch, TYPE_UINT8, CHANNELS};

    worker->length = peer->capacity;
    return check(peer->library.encode(peer->encoder, worker->state, peer->parameters, &pixels, worker->queue),
               "nvjpeg2kEncode", problem) &&
           check(peer->library.retrieve(peer->encoder, worker->state, NULL, &worker->length, worker->queue),
               "nvjpeg2kEncodeRetrieveBitstream", problem) &&
           (worker->length <= peer->capacity || problem_set(problem, "a file longer than its pixels")) &&
           check(peer->library.retrieve(peer->encoder, worker->state, worker->file, &worker->length, worker->queue),
               "nvjpeg2kEncodeRetrieveBitstream", problem) &&
           (peer->cuda.stream_wait(worker->queue) == 0 || problem_set(problem, "cuStreamSynchronize failed"));
}

static bool try_step(struct nvjpeg2k_encode *peer, double step, struct problem *problem)
{
    return check(peer->library.set_quality(peer->parameters, QUALITY_STEP, step), "nvjpeg2kEncodeParamsSpecifyQuality",
               problem) &&
           encode(peer, &peer->worker[0], problem);
}

/* The smallest step, within a part in some thousand, whose file is not longer than what is wanted. */
static bool find_step(struct nvjpeg2k_encode *peer, struct problem *problem)
{
    double low = 0.0, high = 1.0 / 64;

    do {
        high *= 2;
        if (high > HIGHEST_STEP)
            return problem_set(problem, "no step makes it as short as wanted");
        if (!try_step(peer, high, problem))
            return false;
    } while (peer->worker[0].length > peer->task.length);
    for (int i = 0; i < TRIALS; i++) {
        double step = (low + high) / 2;
        if (!try_step(peer, step, problem))
            return false;
        if (peer->worker[0].length > peer->task.length)
            low = step;
        else
            high = step;
    }
    return check(
        peer->library.set_quality(peer->parameters, QUALITY_STEP, high), "nvjpeg2kEncodeParamsSpecifyQuality", problem);
}

static void *encoder_open(const struct peer_task *task, struct problem *problem)
{
    struct nvjpeg2k_encode *peer = calloc(1, sizeof *peer);

    if (peer == NULL)
        return problem_set(problem, "out of memory"), NULL;
    peer->task = *task;
    if (load(peer, problem) && upload(peer, problem) && configure(peer, problem) && make_workers(peer, problem) &&
        (task->lossless || find_step(peer, problem)))
        return peer;
    encoder_close(peer);
    return NULL;
}

static bool work(void *user, uint32_t index, struct problem *problem)
{
    struct nvjpeg2k_encode *peer = user;
    bool good = peer->cuda.current(peer->context) == 0 || problem_set(problem, "cuCtxSetCurrent failed");

    for (uint32_t i = index; i < peer->task.count && good; i += peer->workers)
        good = encode(peer, &peer->worker[index], problem);
    return good;
}

static bool encoder_run(void *state, struct problem *problem)
{
    struct nvjpeg2k_encode *peer = state;

    return crew_run(peer->workers, work, peer, problem);
}

static const uint8_t *encoder_result(void *state, size_t *length)
{
    struct nvjpeg2k_encode *peer = state;

    *length = peer->worker[0].length;
    return peer->worker[0].file;
}

const struct peer peer_nvjpeg2k_encode = {"nvJPEG2000", encoder_open, encoder_run, encoder_result, encoder_close};
