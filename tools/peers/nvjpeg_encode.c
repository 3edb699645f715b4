/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures nvJPEG's encoder, from pixels in device memory to streams in pinned memory. Its calls block the host, so it
 * is faster with several threads, each with several states and streams.
 */
#include <stdlib.h>

#include "peers/encoding.h"
#include "peers/nvjpeg.h"

enum { MOST_STATES = 16 };

struct nvjpeg_worker {
    nvjpeg_encoder encoder[MOST_STATES];
    cuda_stream stream[MOST_STATES];
    nvjpeg_parameters parameters;
};

struct nvjpeg_encoding {
    struct peer_encoding encoding;
    struct nvjpeg_library library;
    nvjpeg_handle handle;
    struct nvjpeg_worker worker[CREW_MOST];
};

static void drop_worker(struct nvjpeg_encoding *peer, struct nvjpeg_worker *worker)
{
    for (int i = 0; i < MOST_STATES; i++) {
        if (worker->encoder[i] != NULL)
            peer->library.encoder_destroy(worker->encoder[i]);
        if (worker->stream[i] != NULL)
            peer->encoding.cuda.stream_destroy(worker->stream[i]);
    }
    if (worker->parameters != NULL)
        peer->library.parameters_destroy(worker->parameters);
}

static void encoder_close(void *state)
{
    struct nvjpeg_encoding *peer = state;

    for (int i = 0; i < CREW_MOST; i++)
        drop_worker(peer, &peer->worker[i]);
    if (peer->handle != NULL)
        peer->library.destroy(peer->handle);
    peer_encoding_close(&peer->encoding);
    free(peer);
}

static bool set_parameters(struct nvjpeg_encoding *peer, nvjpeg_parameters *parameters, struct problem *problem)
{
    const struct nvjpeg_library *library = &peer->library;
    const struct peer_task *task = &peer->encoding.task;
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
    for (uint32_t i = 0; i < peer->encoding.task.crew.states; i++) {
        if (peer->encoding.cuda.stream_create(&worker->stream[i], 1) != 0)
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

    for (; peer->encoding.workers < peer->encoding.task.crew.threads && good; peer->encoding.workers++)
        good = make_worker(peer, &peer->worker[peer->encoding.workers], problem);
    return good;
}

static void *encoder_open(const struct peer_task *task, struct problem *problem)
{
    struct nvjpeg_encoding *peer = calloc(1, sizeof *peer);

    if (peer == NULL)
        return problem_set(problem, "out of memory"), NULL;
    if (peer_encoding_open(&peer->encoding, task, problem) && nvjpeg_load(&peer->library, problem) &&
        nvjpeg_check(
            peer->library.create(NVJPEG_BACKEND_DEFAULT, NULL, NULL, 0, &peer->handle), "nvjpegCreateEx", problem) &&
        peer_encoding_place(&peer->encoding, problem) && make_workers(peer, problem))
        return peer;
    encoder_close(peer);
    return NULL;
}

static bool start(void *user, uint32_t index, uint32_t state, uint32_t picture_index, struct problem *problem)
{
    struct nvjpeg_encoding *peer = user;
    struct nvjpeg_worker *worker = &peer->worker[index];
    const struct peer_picture *picture = &peer->encoding.task.picture[picture_index];
    uintptr_t at = (uintptr_t)peer->encoding.file[picture_index].pixels;
    struct nvjpeg_image image = {.pitch = {(size_t)picture->width * NVJPEG_CHANNELS}};

    image.channel[0] = (unsigned char *)at; /* NOLINT(performance-no-int-to-ptr): the device's */
    return nvjpeg_check(peer->library.encode(peer->handle, worker->encoder[state], worker->parameters, &image,
                            NVJPEG_RGB_INTERLEAVED, (int)picture->width, (int)picture->height, worker->stream[state]),
        "nvjpegEncodeImage", problem);
}

static bool fetch(void *user, uint32_t index, uint32_t state, uint32_t picture_index, struct problem *problem)
{
    struct nvjpeg_encoding *peer = user;
    struct nvjpeg_worker *worker = &peer->worker[index];
    struct peer_file *file = &peer->encoding.file[picture_index];

    file->length = file->capacity;
    return nvjpeg_check(
        peer->library.fetch(peer->handle, worker->encoder[state], file->data, &file->length, worker->stream[state]),
        "nvjpegEncodeRetrieveBitstream", problem);
}

static bool wait_for(void *user, uint32_t index, uint32_t state, uint32_t picture_index, struct problem *problem)
{
    struct nvjpeg_encoding *peer = user;

    (void)picture_index;
    return peer->encoding.cuda.stream_wait(peer->worker[index].stream[state]) == 0 ||
           problem_set(problem, "cuStreamSynchronize failed");
}

static bool work(void *user, uint32_t index, struct problem *problem)
{
    static const struct peer_encoding_steps steps = {start, fetch, wait_for};
    struct nvjpeg_encoding *peer = user;

    return peer_encoding_work(&peer->encoding, index, &steps, peer, problem);
}

static bool encoder_run(void *state, struct problem *problem)
{
    struct nvjpeg_encoding *peer = state;

    return crew_run(peer->encoding.workers, work, peer, problem);
}

static const uint8_t *encoder_result(void *state, uint32_t index, size_t *length)
{
    const struct nvjpeg_encoding *peer = state;

    return peer_encoding_result(&peer->encoding, index, length);
}

static const struct peer_crew crews[] = {
    {1, 1}, {1, 16}, {2, 1}, {2, 4}, {4, 1}, {4, 4}, {8, 1}, {8, 2}, {16, 1}, {0, 0}};

const struct peer peer_nvjpeg_encode = {
    "nvJPEG", encoder_open, encoder_run, encoder_result, encoder_close, crews, false};
