/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures nvJPEG's decoders, from streams in host memory to pixels in device memory, on several threads with a state
 * and a stream each: nvjpegDecode() for each of a thread's pictures, or, for backends that require it,
 * nvjpegDecodeBatched() for all of them.
 */
#include <stdlib.h>

#include "peers/crew.h"
#include "peers/nvjpeg.h"

/* Holds the state of one thread, which decodes `count` pictures from `first` on. */
struct nvjpeg_worker {
    nvjpeg_decoder decoder;
    cuda_stream stream;
    uint32_t first, count;
};

struct nvjpeg {
    struct nvjpeg_library library;
    struct peer_cuda cuda;
    bool cuda_open;
    void *context;
    struct peer_task task;
    bool batched;
    nvjpeg_handle handle;
    struct nvjpeg_worker worker[CREW_MOST];
    uint32_t workers;
    cuda_pointer pixels;        /* the pixels of all pictures */
    size_t *from;               /* the offset of each picture's pixels */
    struct nvjpeg_image *image; /* one for each picture, like the next two members */
    const unsigned char **stream;
    size_t *length;
    uint8_t *fetched; /* the pixels of one picture, in host memory */
};

static void decoder_close(void *state)
{
    struct nvjpeg *nvjpeg = state;

    for (uint32_t i = 0; i < CREW_MOST; i++) {
        if (nvjpeg->worker[i].decoder != NULL)
            nvjpeg->library.decoder_destroy(nvjpeg->worker[i].decoder);
        if (nvjpeg->worker[i].stream != NULL)
            nvjpeg->cuda.stream_destroy(nvjpeg->worker[i].stream);
    }
    if (nvjpeg->handle != NULL)
        nvjpeg->library.destroy(nvjpeg->handle);
    if (nvjpeg->pixels != 0)
        nvjpeg->cuda.free(nvjpeg->pixels);
    if (nvjpeg->cuda_open)
        peer_cuda_close(&nvjpeg->cuda);
    free(nvjpeg->from);
    free(nvjpeg->image);
    free(nvjpeg->stream);
    free(nvjpeg->length);
    free(nvjpeg->fetched);
    free(nvjpeg);
}

static void place_picture(struct nvjpeg *nvjpeg, uint32_t index)
{
    const struct peer_picture *picture = &nvjpeg->task.picture[index];
    uintptr_t at = (uintptr_t)(nvjpeg->pixels + nvjpeg->from[index]);

    nvjpeg->image[index].channel[0] = (unsigned char *)at; /* NOLINT(performance-no-int-to-ptr): the device's */
    nvjpeg->image[index].pitch[0] = (size_t)picture->width * NVJPEG_CHANNELS;
    nvjpeg->stream[index] = picture->stream;
    nvjpeg->length[index] = picture->length;
}

static bool make_pixels(struct nvjpeg *nvjpeg, struct problem *problem)
{
    uint32_t count = nvjpeg->task.count;
    size_t sum = 0, most = 0;

    nvjpeg->from = calloc(count, sizeof *nvjpeg->from);
    nvjpeg->image = calloc(count, sizeof *nvjpeg->image);
    nvjpeg->stream = calloc(count, sizeof *nvjpeg->stream);
    nvjpeg->length = calloc(count, sizeof *nvjpeg->length);
    for (uint32_t i = 0; i < count && nvjpeg->from != NULL; i++) {
        size_t length = peer_pixel_bytes(&nvjpeg->task.picture[i]);
        nvjpeg->from[i] = sum;
        sum += length;
        most = length > most ? length : most;
    }
    nvjpeg->fetched = malloc(most + 1);
    if (nvjpeg->from == NULL || nvjpeg->image == NULL || nvjpeg->stream == NULL || nvjpeg->length == NULL ||
        nvjpeg->fetched == NULL || nvjpeg->cuda.allocate(&nvjpeg->pixels, sum) != 0)
        return problem_set(problem, "out of memory");
    for (uint32_t i = 0; i < count; i++)
        place_picture(nvjpeg, i);
    return true;
}

static bool make_worker(struct nvjpeg *nvjpeg, struct nvjpeg_worker *worker, struct problem *problem)
{
    const struct nvjpeg_library *library = &nvjpeg->library;

    if (nvjpeg->cuda.stream_create(&worker->stream, 1) != 0)
        return problem_set(problem, "cuStreamCreate failed");
    return nvjpeg_check(library->decoder_create(nvjpeg->handle, &worker->decoder), "nvjpegJpegStateCreate", problem) &&
           (!nvjpeg->batched || nvjpeg_check(library->batch_start(nvjpeg->handle, worker->decoder, (int)worker->count,
                                                 (int)nvjpeg->task.threads, NVJPEG_RGB_INTERLEAVED),
                                    "nvjpegDecodeBatchedInitialize", problem));
}

/* Make the crew's workers. Their shares of pictures differ by one at most. */
static bool make_workers(struct nvjpeg *nvjpeg, struct problem *problem)
{
    uint32_t count = nvjpeg->task.count, threads = nvjpeg->task.crew.threads;
    bool good = true;
    int device;

    if (nvjpeg->cuda.device(&device, 0) != 0 || nvjpeg->cuda.retain(&nvjpeg->context, device) != 0)
        return problem_set(problem, "cuDevicePrimaryCtxRetain failed");
    nvjpeg->cuda.release(device); /* peer_cuda_open() keeps another reference */
    for (; nvjpeg->workers < threads && good; nvjpeg->workers++) {
        struct nvjpeg_worker *worker = &nvjpeg->worker[nvjpeg->workers];
        worker->first = nvjpeg->workers * count / threads;
        worker->count = (nvjpeg->workers + 1) * count / threads - worker->first;
        good = make_worker(nvjpeg, worker, problem);
    }
    return good;
}

static void *decoder_open(const struct peer_task *task, int backend, bool batched, struct problem *problem)
{
    struct nvjpeg *nvjpeg = calloc(1, sizeof *nvjpeg);

    if (nvjpeg == NULL)
        return problem_set(problem, "out of memory"), NULL;
    nvjpeg->task = *task;
    nvjpeg->batched = batched;
    nvjpeg->cuda_open = peer_cuda_open(&nvjpeg->cuda, problem);
    if (nvjpeg->cuda_open && nvjpeg_load(&nvjpeg->library, problem) &&
        nvjpeg_check(nvjpeg->library.create(backend, NULL, NULL, 0, &nvjpeg->handle), "nvjpegCreateEx", problem) &&
        make_pixels(nvjpeg, problem) && make_workers(nvjpeg, problem))
        return nvjpeg;
    decoder_close(nvjpeg);
    return NULL;
}

static void *open_default(const struct peer_task *task, struct problem *problem)
{
    return decoder_open(task, NVJPEG_BACKEND_DEFAULT, false, problem);
}

static void *open_gpu(const struct peer_task *task, struct problem *problem)
{
    return decoder_open(task, NVJPEG_BACKEND_GPU_HYBRID, true, problem);
}

static void *open_hardware(const struct peer_task *task, struct problem *problem)
{
    return decoder_open(task, NVJPEG_BACKEND_HARDWARE, true, problem);
}

/* Decode a thread's pictures, all in one call or one after the other. */
static bool decode(struct nvjpeg *nvjpeg, const struct nvjpeg_worker *worker, struct problem *problem)
{
    const struct nvjpeg_library *library = &nvjpeg->library;
    uint32_t first = worker->first;
    bool good = true;

    if (nvjpeg->batched)
        return nvjpeg_check(library->decode_batch(nvjpeg->handle, worker->decoder, nvjpeg->stream + first,
                                nvjpeg->length + first, nvjpeg->image + first, worker->stream),
            "nvjpegDecodeBatched", problem);
    for (uint32_t i = first; i < first + worker->count && good; i++)
        good = nvjpeg_check(library->decode(nvjpeg->handle, worker->decoder, nvjpeg->stream[i], nvjpeg->length[i],
                                NVJPEG_RGB_INTERLEAVED, &nvjpeg->image[i], worker->stream),
            "nvjpegDecode", problem);
    return good;
}

static bool work(void *user, uint32_t index, struct problem *problem)
{
    struct nvjpeg *nvjpeg = user;
    const struct nvjpeg_worker *worker = &nvjpeg->worker[index];

    if (nvjpeg->cuda.current(nvjpeg->context) != 0)
        return problem_set(problem, "cuCtxSetCurrent failed");
    return decode(nvjpeg, worker, problem) &&
           (nvjpeg->cuda.stream_wait(worker->stream) == 0 || problem_set(problem, "cuStreamSynchronize failed"));
}

static bool decoder_run(void *state, struct problem *problem)
{
    struct nvjpeg *nvjpeg = state;

    return crew_run(nvjpeg->workers, work, nvjpeg, problem);
}

static const uint8_t *decoder_result(void *state, uint32_t index, size_t *length)
{
    struct nvjpeg *nvjpeg = state;

    *length = peer_pixel_bytes(&nvjpeg->task.picture[index]);
    return nvjpeg->cuda.down(nvjpeg->fetched, nvjpeg->pixels + nvjpeg->from[index], *length) == 0 ? nvjpeg->fetched
                                                                                                  : NULL;
}

static const struct peer_crew crews[] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {16, 1}, {0, 0}};

const struct peer peer_nvjpeg_hardware = {
    "nvJPEG hardware", open_hardware, decoder_run, decoder_result, decoder_close, crews, false};
const struct peer peer_nvjpeg_gpu = {
    "nvJPEG gpu_hybrid", open_gpu, decoder_run, decoder_result, decoder_close, crews, true};
const struct peer peer_nvjpeg = {"nvJPEG", open_default, decoder_run, decoder_result, decoder_close, crews, false};
