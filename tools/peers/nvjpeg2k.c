/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nvJPEG2000, which NVIDIA offers by itself; the declarations are the project's, after its header of version 0.11.
 * Decoding with nvjpeg2kDecodeImage() from streams in host memory to interleaved pixels in device memory, on some
 * threads with a state and a stream each, which is how it is the fastest with many pictures.
 */
#include <stdlib.h>

#include "peers/crew.h"
#include "peers/cuda.h"
#include "peers/library.h"
#include "peers/peers.h"

enum {
    CHANNELS = 3,
    FORMAT_INTERLEAVED = 1, /* nvjpeg2kImageFormat_t */
    TYPE_UINT8 = 0          /* nvjpeg2kImageType_t */
};

struct nvjpeg2k_image {
    void **data;
    size_t *pitch;
    int type;
    unsigned components;
};

typedef struct nvjpeg2k_handle *nvjpeg2k_handle;
typedef struct nvjpeg2k_state *nvjpeg2k_state;
typedef struct nvjpeg2k_stream *nvjpeg2k_stream;
typedef struct nvjpeg2k_parameters *nvjpeg2k_parameters;

#define NVJPEG2K_SYMBOLS(X)                                                                                            \
    X(create, "nvjpeg2kCreateSimple", (nvjpeg2k_handle * handle))                                                      \
    X(destroy, "nvjpeg2kDestroy", (nvjpeg2k_handle))                                                                   \
    X(state_create, "nvjpeg2kDecodeStateCreate", (nvjpeg2k_handle, nvjpeg2k_state *))                                  \
    X(state_destroy, "nvjpeg2kDecodeStateDestroy", (nvjpeg2k_state))                                                   \
    X(stream_create, "nvjpeg2kStreamCreate", (nvjpeg2k_stream *))                                                      \
    X(stream_destroy, "nvjpeg2kStreamDestroy", (nvjpeg2k_stream))                                                      \
    X(parse, "nvjpeg2kStreamParse",                                                                                    \
        (nvjpeg2k_handle, const unsigned char *data, size_t length, int metadata, int save, nvjpeg2k_stream))          \
    X(parameters_create, "nvjpeg2kDecodeParamsCreate", (nvjpeg2k_parameters *))                                        \
    X(parameters_destroy, "nvjpeg2kDecodeParamsDestroy", (nvjpeg2k_parameters))                                        \
    X(set_format, "nvjpeg2kDecodeParamsSetOutputFormat", (nvjpeg2k_parameters, int format))                            \
    X(decode, "nvjpeg2kDecodeImage",                                                                                   \
        (nvjpeg2k_handle, nvjpeg2k_state, nvjpeg2k_stream, nvjpeg2k_parameters, struct nvjpeg2k_image *, cuda_stream))

#define NVJPEG2K_MEMBER(member, symbol, parameters) int(*member) parameters;
#define NVJPEG2K_SYMBOL(member, symbol, parameters) symbol,

struct nvjpeg2k_library {
    NVJPEG2K_SYMBOLS(NVJPEG2K_MEMBER)
};

/* One thread's; it takes every `workers`th picture. */
struct worker {
    nvjpeg2k_state state;
    nvjpeg2k_stream stream;
    cuda_stream queue;
};

struct nvjpeg2k {
    struct nvjpeg2k_library library;
    struct peer_cuda cuda;
    bool cuda_open;
    void *context;
    struct peer_task task;
    nvjpeg2k_handle handle;
    nvjpeg2k_parameters parameters;
    struct worker worker[CREW_MOST];
    uint32_t workers;
    cuda_pointer pixels; /* of all pictures */
    uint8_t *fetched;    /* the first */
};

/* nvjpeg2kStatus_t, but for success. */
static bool check(int status, const char *what, struct problem *problem)
{
    return status == 0 || problem_set(problem, "%s: error %d", what, status);
}

static size_t picture_length(const struct peer_task *task)
{
    return (size_t)task->width * task->height * CHANNELS;
}

static void nvjpeg2k_close(void *state)
{
    struct nvjpeg2k *peer = state;

    for (uint32_t i = 0; i < CREW_MOST; i++) {
        struct worker *worker = &peer->worker[i];
        if (worker->stream != NULL)
            peer->library.stream_destroy(worker->stream);
        if (worker->state != NULL)
            peer->library.state_destroy(worker->state);
        if (worker->queue != NULL)
            peer->cuda.stream_destroy(worker->queue);
    }
    if (peer->parameters != NULL)
        peer->library.parameters_destroy(peer->parameters);
    if (peer->handle != NULL)
        peer->library.destroy(peer->handle);
    if (peer->pixels != 0)
        peer->cuda.free(peer->pixels);
    if (peer->cuda_open)
        peer_cuda_close(&peer->cuda);
    free(peer->fetched);
    free(peer);
}

static bool load(struct nvjpeg2k *peer, struct problem *problem)
{
    static const char *const names[] = {"libnvjpeg2k.so.0", "libnvjpeg2k.so", NULL};
    static const char *const symbols[] = {NVJPEG2K_SYMBOLS(NVJPEG2K_SYMBOL)};

    peer->cuda_open = peer_cuda_open(&peer->cuda, problem);
    return peer->cuda_open && peer_library(names, symbols, sizeof symbols / sizeof symbols[0], &peer->library, problem);
}

static bool make_worker(struct nvjpeg2k *peer, uint32_t index, struct problem *problem)
{
    struct worker *worker = &peer->worker[index];

    return (peer->cuda.stream_create(&worker->queue, 1) == 0 || problem_set(problem, "cuStreamCreate failed")) &&
           check(peer->library.state_create(peer->handle, &worker->state), "nvjpeg2kDecodeStateCreate", problem) &&
           check(peer->library.stream_create(&worker->stream), "nvjpeg2kStreamCreate", problem);
}

static bool make(struct nvjpeg2k *peer, struct problem *problem)
{
    const struct peer_task *task = &peer->task;
    const struct nvjpeg2k_library *library = &peer->library;
    int device;

    peer->fetched = malloc(picture_length(task));
    if (peer->fetched == NULL || peer->cuda.allocate(&peer->pixels, picture_length(task) * task->count) != 0)
        return problem_set(problem, "out of memory");
    if (peer->cuda.device(&device, 0) != 0 || peer->cuda.retain(&peer->context, device) != 0)
        return problem_set(problem, "cuDevicePrimaryCtxRetain failed");
    peer->cuda.release(device); /* the one that peer_cuda_open() keeps is enough */
    if (!check(library->create(&peer->handle), "nvjpeg2kCreateSimple", problem) ||
        !check(library->parameters_create(&peer->parameters), "nvjpeg2kDecodeParamsCreate", problem) ||
        !check(
            library->set_format(peer->parameters, FORMAT_INTERLEAVED), "nvjpeg2kDecodeParamsSetOutputFormat", problem))
        return false;
    peer->workers = task->count < CREW_MOST ? task->count : CREW_MOST;
    for (uint32_t i = 0; i < peer->workers; i++)
        if (!make_worker(peer, i, problem))
            return false;
    return true;
}

static void *nvjpeg2k_open(const struct peer_task *task, struct problem *problem)
{
    struct nvjpeg2k *peer = calloc(1, sizeof *peer);

    if (peer == NULL)
        return problem_set(problem, "out of memory"), NULL;
    peer->task = *task;
    if (load(peer, problem) && make(peer, problem))
        return peer;
    nvjpeg2k_close(peer);
    return NULL;
}

static bool decode(struct nvjpeg2k *peer, struct worker *worker, uint32_t index, struct problem *problem)
{
    const struct peer_task *task = &peer->task;
    void *data = (void *)(uintptr_t)(peer->pixels + index * picture_length(task));
    size_t pitch = (size_t)task->width * CHANNELS;
    struct nvjpeg2k_image image = {&data, &pitch, TYPE_UINT8, CHANNELS};

    return check(peer->library.parse(peer->handle, task->stream[index], task->length, 0, 0, worker->stream),
               "nvjpeg2kStreamParse", problem) &&
           check(peer->library.decode(
                     peer->handle, worker->state, worker->stream, peer->parameters, &image, worker->queue),
               "nvjpeg2kDecodeImage", problem) &&
           (peer->cuda.stream_wait(worker->queue) == 0 || problem_set(problem, "cuStreamSynchronize failed"));
}

static bool work(void *user, uint32_t index, struct problem *problem)
{
    struct nvjpeg2k *peer = user;
    bool good = peer->cuda.current(peer->context) == 0 || problem_set(problem, "cuCtxSetCurrent failed");

    for (uint32_t i = index; i < peer->task.count && good; i += peer->workers)
        good = decode(peer, &peer->worker[index], i, problem);
    return good;
}

static bool nvjpeg2k_run(void *state, struct problem *problem)
{
    struct nvjpeg2k *peer = state;

    return crew_run(peer->workers, work, peer, problem);
}

static const uint8_t *nvjpeg2k_result(void *state, size_t *length)
{
    struct nvjpeg2k *peer = state;

    *length = picture_length(&peer->task);
    return peer->cuda.down(peer->fetched, peer->pixels, *length) == 0 ? peer->fetched : NULL;
}

const struct peer peer_nvjpeg2k = {"nvJPEG2000", nvjpeg2k_open, nvjpeg2k_run, nvjpeg2k_result, nvjpeg2k_close};
