/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nvJPEG's encoder, from pixels in device memory to streams in pinned memory. Its calls wait on the host, so that it is
 * the faster with several threads, each with some states and streams.
 */
#include <stdlib.h>

#include "peers/crew.h"
#include "peers/nvjpeg.h"

enum { MOST_STATES = 16, HEADERS = 4096 /* bytes in front of any picture's */ };

struct nvjpeg_worker {
    nvjpeg_encoder encoder[MOST_STATES];
    cuda_stream stream[MOST_STATES];
    nvjpeg_parameters parameters;
};

struct nvjpeg_made {
    struct nvjpeg_image image;
    cuda_pointer pixels;
    uint8_t *output; /* in pinned memory */
    size_t room, length;
};

struct nvjpeg_encoding {
    struct nvjpeg_library library;
    struct peer_cuda cuda;
    bool cuda_open;
    void *context;
    struct peer_task task;
    nvjpeg_handle handle;
    struct nvjpeg_worker worker[CREW_MOST];
    uint32_t workers;
    struct nvjpeg_made *made; /* one a picture */
};

static void drop_worker(struct nvjpeg_encoding *peer, struct nvjpeg_worker *worker)
{
    for (int i = 0; i < MOST_STATES; i++) {
        if (worker->encoder[i] != NULL)
            peer->library.encoder_destroy(worker->encoder[i]);
        if (worker->stream[i] != NULL)
            peer->cuda.stream_destroy(worker->stream[i]);
    }
    if (worker->parameters != NULL)
        peer->library.parameters_destroy(worker->parameters);
}

static void encoder_close(void *state)
{
    struct nvjpeg_encoding *peer = state;

    for (int i = 0; i < CREW_MOST; i++)
        drop_worker(peer, &peer->worker[i]);
    for (uint32_t i = 0; i < peer->task.count && peer->made != NULL; i++) {
        if (peer->made[i].pixels != 0)
            peer->cuda.free(peer->made[i].pixels);
        if (peer->made[i].output != NULL)
            peer->cuda.free_host(peer->made[i].output);
    }
    if (peer->handle != NULL)
        peer->library.destroy(peer->handle);
    if (peer->cuda_open)
        peer_cuda_close(&peer->cuda);
    free(peer->made);
    free(peer);
}

static bool place_picture(struct nvjpeg_encoding *peer, uint32_t index, struct problem *problem)
{
    const struct peer_picture *picture = &peer->task.picture[index];
    struct nvjpeg_made *made = &peer->made[index];
    size_t length = peer_pixel_bytes(picture);

    made->room = length / 2 + HEADERS;
    if (peer->cuda.allocate(&made->pixels, length) != 0 ||
        peer->cuda.allocate_host((void **)&made->output, made->room) != 0)
        return problem_set(problem, "out of memory");
    uintptr_t at = (uintptr_t)made->pixels;
    made->image.channel[0] = (unsigned char *)at; /* NOLINT(performance-no-int-to-ptr): the device's */
    made->image.pitch[0] = (size_t)picture->width * NVJPEG_CHANNELS;
    return peer->cuda.up(made->pixels, picture->pixels, length) == 0 || problem_set(problem, "cuMemcpyHtoD failed");
}

static bool make_pictures(struct nvjpeg_encoding *peer, struct problem *problem)
{
    bool good = true;
    int device;

    peer->made = calloc(peer->task.count, sizeof *peer->made);
    if (peer->made == NULL)
        return problem_set(problem, "out of memory");
    if (peer->cuda.device(&device, 0) != 0 || peer->cuda.retain(&peer->context, device) != 0)
        return problem_set(problem, "cuDevicePrimaryCtxRetain failed");
    peer->cuda.release(device); /* the one that peer_cuda_open() keeps is enough */
    for (uint32_t i = 0; i < peer->task.count && good; i++)
        good = place_picture(peer, i, problem);
    return good;
}

static bool set_parameters(struct nvjpeg_encoding *peer, nvjpeg_parameters *parameters, struct problem *problem)
{
    const struct nvjpeg_library *library = &peer->library;
    const struct peer_task *task = &peer->task;
    static const int samplings[] = {[KST_SUBSAMPLING_420] = 2,
        [KST_SUBSAMPLING_422] = 1,
        [KST_SUBSAMPLING_444] = 0,
        [KST_SUBSAMPLING_440] = 3,
        [KST_SUBSAMPLING_411] = 4,
        [KST_SUBSAMPLING_410] = 5};

    return nvjpeg_check(
               library->parameters_create(peer->handle, parameters, NULL), "nvjpegEncoderParamsCreate", problem) &&
           nvjpeg_check(
               library->set_quality(*parameters, task->quality, NULL), "nvjpegEncoderParamsSetQuality", problem) &&
           nvjpeg_check(library->set_sampling(*parameters, samplings[task->subsampling], NULL),
               "nvjpegEncoderParamsSetSamplingFactors", problem) &&
           nvjpeg_check(library->set_optimized(*parameters, task->optimized, NULL),
               "nvjpegEncoderParamsSetOptimizedHuffman", problem);
}

static bool make_worker(struct nvjpeg_encoding *peer, struct nvjpeg_worker *worker, struct problem *problem)
{
    for (uint32_t i = 0; i < peer->task.crew.states; i++) {
        if (peer->cuda.stream_create(&worker->stream[i], 1) != 0)
            return problem_set(problem, "cuStreamCreate failed");
        if (!nvjpeg_check(peer->library.encoder_create(peer->handle, &worker->encoder[i], worker->stream[i]),
                "nvjpegEncoderStateCreate", problem))
            return false;
    }
    return set_parameters(peer, &worker->parameters, problem);
}

static bool make_workers(struct nvjpeg_encoding *peer, struct problem *problem)
{
    bool good = true;

    for (; peer->workers < peer->task.crew.threads && good; peer->workers++)
        good = make_worker(peer, &peer->worker[peer->workers], problem);
    return good;
}

static void *encoder_open(const struct peer_task *task, struct problem *problem)
{
    struct nvjpeg_encoding *peer = calloc(1, sizeof *peer);

    if (peer == NULL)
        return problem_set(problem, "out of memory"), NULL;
    peer->task = *task;
    peer->cuda_open = peer_cuda_open(&peer->cuda, problem);
    if (peer->cuda_open && nvjpeg_load(&peer->library, problem) &&
        nvjpeg_check(
            peer->library.create(NVJPEG_BACKEND_DEFAULT, NULL, NULL, 0, &peer->handle), "nvjpegCreateEx", problem) &&
        make_pictures(peer, problem) && make_workers(peer, problem))
        return peer;
    encoder_close(peer);
    return NULL;
}

static bool start(
    struct nvjpeg_encoding *peer, struct nvjpeg_worker *worker, uint32_t state, uint32_t index, struct problem *problem)
{
    const struct peer_picture *picture = &peer->task.picture[index];

    return nvjpeg_check(
        peer->library.encode(peer->handle, worker->encoder[state], worker->parameters, &peer->made[index].image,
            NVJPEG_RGB_INTERLEAVED, (int)picture->width, (int)picture->height, worker->stream[state]),
        "nvjpegEncodeImage", problem);
}

static bool fetch(
    struct nvjpeg_encoding *peer, struct nvjpeg_worker *worker, uint32_t state, uint32_t index, struct problem *problem)
{
    struct nvjpeg_made *made = &peer->made[index];

    made->length = made->room;
    return nvjpeg_check(
        peer->library.fetch(peer->handle, worker->encoder[state], made->output, &made->length, worker->stream[state]),
        "nvjpegEncodeRetrieveBitstream", problem);
}

/* Every so many pictures, as many at a time as there are states: all are started before the first is waited for. */
static bool work(void *user, uint32_t index, struct problem *problem)
{
    struct nvjpeg_encoding *peer = user;
    struct nvjpeg_worker *worker = &peer->worker[index];
    uint32_t count = peer->task.count, states = peer->task.crew.states, step = peer->workers * states;
    bool good = peer->cuda.current(peer->context) == 0 || problem_set(problem, "cuCtxSetCurrent failed");

    for (uint32_t first = index * states; first < count && good; first += step) {
        uint32_t some = count - first < states ? count - first : states;
        for (uint32_t i = 0; i < some && good; i++)
            good = start(peer, worker, i, first + i, problem);
        for (uint32_t i = 0; i < some && good; i++)
            good = fetch(peer, worker, i, first + i, problem);
        for (uint32_t i = 0; i < some; i++)
            peer->cuda.stream_wait(worker->stream[i]);
    }
    return good;
}

static bool encoder_run(void *state, struct problem *problem)
{
    struct nvjpeg_encoding *peer = state;

    return crew_run(peer->workers, work, peer, problem);
}

static const uint8_t *encoder_result(void *state, uint32_t index, size_t *length)
{
    const struct nvjpeg_encoding *peer = state;

    *length = peer->made[index].length;
    return peer->made[index].output;
}

static const struct peer_crew crews[] = {{1, 1}, {1, 16}, {2, 4}, {4, 1}, {4, 4}, {8, 1}, {8, 2}, {16, 1}, {0, 0}};

const struct peer peer_nvjpeg_encode = {
    "nvJPEG", encoder_open, encoder_run, encoder_result, encoder_close, crews, false};
