/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures nvJPEG2000's decoder. NVIDIA offers the library separately; the declarations are the project's own, written
 * after the header of version 0.11. nvjpeg2kDecodeImage() decodes from streams in host memory to interleaved pixels in
 * device memory, on several threads with several states and streams each, which is the fastest way for many pictures.
 */
#include <stdlib.h>

#include "peers/crew.h"
#include "peers/cuda.h"
#include "peers/peers.h"
#include "system/library.h"

enum {
    CHANNELS = 3,
    MOST_STATES = 4,
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

/* Holds the state of one picture in flight. */
struct lane {
    nvjpeg2k_state state;
    nvjpeg2k_stream stream;
    cuda_stream queue;
};

/* Holds the state of one thread, which takes every `workers`th picture. */
struct worker {
    struct lane lane[MOST_STATES];
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
    cuda_pointer *pixels; /* the pixels of each picture */
    uint8_t *fetched;     /* the pixels of one picture, in host memory */
};

/* The texts are in the order of nvjpeg2kStatus_t, without success. */
static bool check(int status, const char *what, struct problem *problem)
{
    return status == 0 || problem_set(problem, "%s: error %d", what, status);
}

static void drop_lane(struct nvjpeg2k *peer, struct lane *lane)
{
    if (lane->stream != NULL)
        peer->library.stream_destroy(lane->stream);
    if (lane->state != NULL)
        peer->library.state_destroy(lane->state);
    if (lane->queue != NULL)
        peer->cuda.stream_destroy(lane->queue);
}

static void nvjpeg2k_close(void *state)
{
    struct nvjpeg2k *peer = state;

    for (uint32_t i = 0; i < CREW_MOST * MOST_STATES; i++)
        drop_lane(peer, &peer->worker[i / MOST_STATES].lane[i % MOST_STATES]);
    if (peer->parameters != NULL)
        peer->library.parameters_destroy(peer->parameters);
    if (peer->handle != NULL)
        peer->library.destroy(peer->handle);
    for (uint32_t i = 0; i < peer->task.count && peer->pixels != NULL; i++)
        if (peer->pixels[i] != 0)
            peer->cuda.free(peer->pixels[i]);
    if (peer->cuda_open)
        peer_cuda_close(&peer->cuda);
    free(peer->pixels);
    free(peer->fetched);
    free(peer);
}

static bool load(struct nvjpeg2k *peer, struct problem *problem)
{
    static const char *const names[] = {"libnvjpeg2k.so.0", "libnvjpeg2k.so", NULL};
    static const char *const symbols[] = {NVJPEG2K_SYMBOLS(NVJPEG2K_SYMBOL)};

    peer->cuda_open = peer_cuda_open(&peer->cuda, problem);
    return peer->cuda_open && library_load(names, symbols, sizeof symbols / sizeof symbols[0], &peer->library, problem);
}

static bool make_lane(struct nvjpeg2k *peer, struct lane *lane, struct problem *problem)
{
    return (peer->cuda.stream_create(&lane->queue, 1) == 0 || problem_set(problem, "cuStreamCreate failed")) &&
           check(peer->library.state_create(peer->handle, &lane->state), "nvjpeg2kDecodeStateCreate", problem) &&
           check(peer->library.stream_create(&lane->stream), "nvjpeg2kStreamCreate", problem);
}

static bool make_pixels(struct nvjpeg2k *peer, struct problem *problem)
{
    size_t most = 0;
    bool good = true;

    peer->pixels = calloc(peer->task.count, sizeof *peer->pixels);
    for (uint32_t i = 0; i < peer->task.count && peer->pixels != NULL && good; i++) {
        size_t length = peer_pixel_bytes(&peer->task.picture[i]);
        most = length > most ? length : most;
        good = peer->cuda.allocate(&peer->pixels[i], length) == 0;
    }
    peer->fetched = malloc(most + 1);
    return (good && peer->pixels != NULL && peer->fetched != NULL) || problem_set(problem, "out of memory");
}

static bool make(struct nvjpeg2k *peer, struct problem *problem)
{
    const struct peer_crew *crew = &peer->task.crew;
    const struct nvjpeg2k_library *library = &peer->library;
    bool good = true;
    int device;

    if (!make_pixels(peer, problem))
        return false;
    if (peer->cuda.device(&device, 0) != 0 || peer->cuda.retain(&peer->context, device) != 0)
        return problem_set(problem, "cuDevicePrimaryCtxRetain failed");
    peer->cuda.release(device); /* peer_cuda_open() keeps another reference */
    if (!check(library->create(&peer->handle), "nvjpeg2kCreateSimple", problem) ||
        !check(library->parameters_create(&peer->parameters), "nvjpeg2kDecodeParamsCreate", problem) ||
        !check(
            library->set_format(peer->parameters, FORMAT_INTERLEAVED), "nvjpeg2kDecodeParamsSetOutputFormat", problem))
        return false;
    for (; peer->workers < crew->threads && good; peer->workers++)
        for (uint32_t i = 0; i < crew->states && good; i++)
            good = make_lane(peer, &peer->worker[peer->workers].lane[i], problem);
    return good;
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

static bool wait(struct nvjpeg2k *peer, const struct lane *lane, struct problem *problem)
{
    return peer->cuda.stream_wait(lane->queue) == 0 || problem_set(problem, "cuStreamSynchronize failed");
}

static bool decode(struct nvjpeg2k *peer, struct lane *lane, uint32_t index, struct problem *problem)
{
    const struct peer_picture *picture = &peer->task.picture[index];
    void *data = (void *)(uintptr_t)peer->pixels[index]; /* NOLINT(performance-no-int-to-ptr): the device's */
    size_t pitch = (size_t)picture->width * CHANNELS;
    struct nvjpeg2k_image image = {&data, &pitch, TYPE_UINT8, CHANNELS};

    return check(peer->library.parse(peer->handle, picture->stream, picture->length, 0, 0, lane->stream),
               "nvjpeg2kStreamParse", problem) &&
           check(peer->library.decode(peer->handle, lane->state, lane->stream, peer->parameters, &image, lane->queue),
               "nvjpeg2kDecodeImage", problem);
}

/* Decode a thread's pictures. A lane takes its next picture when it has finished the one before. */
static bool work(void *user, uint32_t index, struct problem *problem)
{
    struct nvjpeg2k *peer = user;
    struct worker *worker = &peer->worker[index];
    uint32_t states = peer->task.crew.states, turn = 0;
    bool good = peer->cuda.current(peer->context) == 0 || problem_set(problem, "cuCtxSetCurrent failed");

    for (uint32_t i = index; i < peer->task.count && good; i += peer->workers, turn++) {
        struct lane *lane = &worker->lane[turn % states];
        good = (turn < states || wait(peer, lane, problem)) && decode(peer, lane, i, problem);
    }
    for (uint32_t i = 0; i < states; i++)
        good = wait(peer, &worker->lane[i], problem) && good;
    return good;
}

static bool nvjpeg2k_run(void *state, struct problem *problem)
{
    struct nvjpeg2k *peer = state;

    return crew_run(peer->workers, work, peer, problem);
}

static const uint8_t *nvjpeg2k_result(void *state, uint32_t index, size_t *length)
{
    struct nvjpeg2k *peer = state;

    *length = peer_pixel_bytes(&peer->task.picture[index]);
    return peer->cuda.down(peer->fetched, peer->pixels[index], *length) == 0 ? peer->fetched : NULL;
}

static const struct peer_crew crews[] = {
    {1, 1}, {4, 1}, {4, 2}, {4, 4}, {8, 1}, {8, 2}, {8, 4}, {16, 1}, {16, 2}, {32, 1}, {0, 0}};

const struct peer peer_nvjpeg2k = {
    "nvJPEG2000", nvjpeg2k_open, nvjpeg2k_run, nvjpeg2k_result, nvjpeg2k_close, crews, false};
