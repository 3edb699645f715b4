/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures nvJPEG2000's encoder; the declarations are the project's own, written after the header of version 0.11. It
 * encodes from interleaved pixels in device memory to JP2 files in pinned memory, in one layer, on several threads with
 * several states and streams each, with the block coder of T.800 or of T.814. It cannot encode to a rate: before
 * anything is timed, the quantiser step is found with which all pictures together have the wanted length.
 */
#include <stdlib.h>

#include "peers/encoding.h"
#include "system/library.h"

enum {
    CHANNELS = 3,
    MOST_RESOLUTIONS = 33,
    MOST_STATES = 4,
    STREAM_JP2 = 1,         /* nvjpeg2kBitstreamType_t */
    COLOUR_SRGB = 1,        /* nvjpeg2kColorSpace_t */
    FORMAT_INTERLEAVED = 1, /* nvjpeg2kImageFormat_t */
    TYPE_UINT8 = 0,         /* nvjpeg2kImageType_t */
    QUALITY_STEP = 1,       /* nvjpeg2kQualityType_t */
    RSIZ_HT = 0x4000,       /* NVJPEG2K_RSIZ_HT */
    MODE_HT = 0x40,         /* NVJPEG2K_MODE_HT */
    HIGHEST_STEP = 1 << 16
};

/* Steps that differ by less than this part of their size count as the same. */
#define SAME_STEP (1.0 / 1024)

struct nvjpeg2k_component {
    uint32_t width, height;
    uint8_t precision, is_signed;
};

/* Has the layout of nvjpeg2kEncodeConfig_t. */
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

/* Holds the state of one picture in flight. */
struct lane {
    nvjpeg2k_encode_state state;
    cuda_stream queue;
};

struct worker {
    struct lane lane[MOST_STATES];
    nvjpeg2k_encode_parameters parameters;
    struct nvjpeg2k_component component[CHANNELS];
    struct nvjpeg2k_config config;
    double step; /* the quantiser step; 0: lossless, or the library's own */
};

struct nvjpeg2k_encode {
    struct peer_encoding encoding;
    struct nvjpeg2k_encode_library library;
    nvjpeg2k_encoder encoder;
    struct worker worker[CREW_MOST];
};

static bool check(int status, const char *what, struct problem *problem)
{
    return status == 0 || problem_set(problem, "%s: error %d", what, status);
}

static void drop_worker(struct nvjpeg2k_encode *peer, struct worker *worker)
{
    for (int i = 0; i < MOST_STATES; i++) {
        if (worker->lane[i].state != NULL)
            peer->library.state_destroy(worker->lane[i].state);
        if (worker->lane[i].queue != NULL)
            peer->encoding.cuda.stream_destroy(worker->lane[i].queue);
    }
    if (worker->parameters != NULL)
        peer->library.parameters_destroy(worker->parameters);
}

static void encoder_close(void *state)
{
    struct nvjpeg2k_encode *peer = state;

    for (uint32_t i = 0; i < CREW_MOST; i++)
        drop_worker(peer, &peer->worker[i]);
    if (peer->encoder != NULL)
        peer->library.destroy(peer->encoder);
    peer_encoding_close(&peer->encoding);
    free(peer);
}

static bool load(struct nvjpeg2k_encode *peer, struct problem *problem)
{
    static const char *const names[] = {"libnvjpeg2k.so.0", "libnvjpeg2k.so", NULL};
    static const char *const symbols[] = {NVJPEG2K_ENCODE_SYMBOLS(NVJPEG2K_ENCODE_SYMBOL)};

    return library_load(names, symbols, sizeof symbols / sizeof symbols[0], &peer->library, problem);
}

static bool make_parameters(struct nvjpeg2k_encode *peer, struct worker *worker, struct problem *problem)
{
    const struct peer_task *task = &peer->encoding.task;
    const struct nvjpeg2k_encode_library *library = &peer->library;

    worker->config = (struct nvjpeg2k_config){.stream_type = STREAM_JP2,
        .colour = COLOUR_SRGB,
        .rsiz = task->ht ? RSIZ_HT : 0,
        .components = CHANNELS,
        .component = worker->component,
        .layers = 1,
        .colour_transform = 1,
        .resolutions = task->levels + 1,
        .block_width = task->block_width,
        .block_height = task->block_height,
        .modes = task->ht ? MODE_HT : 0,
        .irreversible = !task->lossless};
    return check(library->parameters_create(&worker->parameters), "nvjpeg2kEncodeParamsCreate", problem) &&
           check(library->set_format(worker->parameters, FORMAT_INTERLEAVED), "nvjpeg2kEncodeParamsSetInputFormat",
               problem);
}

static bool make_worker(struct nvjpeg2k_encode *peer, struct worker *worker, struct problem *problem)
{
    for (uint32_t i = 0; i < peer->encoding.task.crew.states; i++) {
        if (peer->encoding.cuda.stream_create(&worker->lane[i].queue, 1) != 0)
            return problem_set(problem, "cuStreamCreate failed");
        if (!check(peer->library.state_create(peer->encoder, &worker->lane[i].state), "nvjpeg2kEncodeStateCreate",
                problem))
            return false;
    }
    return make_parameters(peer, worker, problem);
}

static bool make_workers(struct nvjpeg2k_encode *peer, struct problem *problem)
{
    bool good = check(peer->library.create(&peer->encoder), "nvjpeg2kEncoderCreateSimple", problem);

    for (; peer->encoding.workers < peer->encoding.task.crew.threads && good; peer->encoding.workers++)
        good = make_worker(peer, &peer->worker[peer->encoding.workers], problem);
    return good;
}

/* Sets the worker's parameters to the picture's size and the step. The library accepts a step only after a size. */
static bool configure(
    struct nvjpeg2k_encode *peer, struct worker *worker, const struct peer_picture *picture, struct problem *problem)
{
    struct nvjpeg2k_config *config = &worker->config;

    if (config->width == picture->width && config->height == picture->height)
        return true;
    config->width = picture->width;
    config->height = picture->height;
    for (int i = 0; i < CHANNELS; i++)
        worker->component[i] = (struct nvjpeg2k_component){picture->width, picture->height, 8, 0};
    return check(peer->library.configure(worker->parameters, config), "nvjpeg2kEncodeParamsSetEncodeConfig", problem) &&
           (worker->step == 0 || check(peer->library.set_quality(worker->parameters, QUALITY_STEP, worker->step),
                                     "nvjpeg2kEncodeParamsSpecifyQuality", problem));
}

/* Set the step. The worker's parameters are set again with the next picture. */
static void set_step(struct worker *worker, double step)
{
    worker->step = step;
    worker->config.width = 0;
}

static bool start(struct nvjpeg2k_encode *peer, struct worker *worker, const struct lane *lane, uint32_t index,
    struct problem *problem)
{
    const struct peer_picture *picture = &peer->encoding.task.picture[index];
    void *data =
        (void *)(uintptr_t)peer->encoding.file[index].pixels; /* NOLINT(performance-no-int-to-ptr): the device's */
    size_t pitch = (size_t)picture->width * CHANNELS;
    struct nvjpeg2k_pixels pixels = {&data, &pitch, TYPE_UINT8, CHANNELS};

    return configure(peer, worker, picture, problem) &&
           check(peer->library.encode(peer->encoder, lane->state, worker->parameters, &pixels, lane->queue),
               "nvjpeg2kEncode", problem);
}

/* Download the file that a lane has encoded. */
static bool fetch(struct nvjpeg2k_encode *peer, const struct lane *lane, uint32_t index, struct problem *problem)
{
    struct peer_file *made = &peer->encoding.file[index];

    return check(peer->library.retrieve(peer->encoder, lane->state, NULL, &made->length, lane->queue),
               "nvjpeg2kEncodeRetrieveBitstream", problem) &&
           (made->length <= made->capacity || problem_set(problem, "a file far longer than ours")) &&
           check(peer->library.retrieve(peer->encoder, lane->state, made->data, &made->length, lane->queue),
               "nvjpeg2kEncodeRetrieveBitstream", problem) &&
           (peer->encoding.cuda.stream_wait(lane->queue) == 0 || problem_set(problem, "cuStreamSynchronize failed"));
}

/* Return the number of different pictures, which batches repeat. */
static uint32_t distinct(const struct peer_task *task)
{
    uint32_t count = 1;

    while (count < task->count && task->picture[count].pixels != task->picture[0].pixels)
        count++;
    return count;
}

/*
 * Find out whether all different pictures together are longer than wanted with a step. Each is encoded to the first
 * file.
 */
static bool try_step(struct nvjpeg2k_encode *peer, double step, bool *is_long, struct problem *problem)
{
    struct worker *worker = &peer->worker[0];
    size_t made = 0, wanted = 0;
    bool good = true;

    set_step(worker, step);
    for (uint32_t i = 0; i < distinct(&peer->encoding.task) && good; i++) {
        good = start(peer, worker, &worker->lane[0], i, problem) && fetch(peer, &worker->lane[0], 0, problem);
        made += peer->encoding.file[0].length;
        wanted += peer->encoding.task.picture[i].length;
    }
    *is_long = made > wanted;
    return good;
}

/*
 * Find an interval that contains the step with which the files together have the wanted length. `before` is the step
 * that was found last: when the same pictures are encoded with another crew, it is still right.
 */
static bool bracket_step(
    struct nvjpeg2k_encode *peer, double before, double *low, double *high, struct problem *problem)
{
    bool is_long = true, good = true;

    *low = before * (1.0 - SAME_STEP);
    *high = before;
    if (before > 0.0) {
        good = try_step(peer, *high, &is_long, problem);
        if (good && !is_long) {
            good = try_step(peer, *low, &is_long, problem);
            if (!good || is_long)
                return good;
        }
    }
    *high = 1.0 / 64;
    for (is_long = true; is_long && good;) {
        *low = *high;
        *high *= 2;
        if (*high > HIGHEST_STEP)
            return problem_set(problem, "no step makes it as short as wanted");
        good = try_step(peer, *high, &is_long, problem);
    }
    return good;
}

/* Find the smallest step with which the files are not longer than wanted, to within SAME_STEP of the step. */
static bool find_step(struct nvjpeg2k_encode *peer, struct problem *problem)
{
    static double found; /* shared, because peers are opened one after the other */
    double low, high;
    bool good = bracket_step(peer, found, &low, &high, problem);

    for (bool is_long; good && high - low > SAME_STEP * high;) {
        double step = (low + high) / 2;
        good = try_step(peer, step, &is_long, problem);
        if (is_long)
            low = step;
        else
            high = step;
    }
    found = high;
    for (uint32_t i = 0; i < peer->encoding.workers; i++)
        set_step(&peer->worker[i], high);
    return good;
}

static void *encoder_open(const struct peer_task *task, struct problem *problem)
{
    struct nvjpeg2k_encode *peer = calloc(1, sizeof *peer);

    if (peer == NULL)
        return problem_set(problem, "out of memory"), NULL;
    if (peer_encoding_open(&peer->encoding, task, problem) && load(peer, problem) &&
        peer_encoding_place(&peer->encoding, problem) && make_workers(peer, problem) &&
        (task->lossless || find_step(peer, problem)))
        return peer;
    encoder_close(peer);
    return NULL;
}

static bool start_step(void *user, uint32_t index, uint32_t state, uint32_t picture, struct problem *problem)
{
    struct nvjpeg2k_encode *peer = user;
    struct worker *worker = &peer->worker[index];

    return start(peer, worker, &worker->lane[state], picture, problem);
}

static bool fetch_step(void *user, uint32_t index, uint32_t state, uint32_t picture, struct problem *problem)
{
    struct nvjpeg2k_encode *peer = user;

    return fetch(peer, &peer->worker[index].lane[state], picture, problem);
}

static bool work(void *user, uint32_t index, struct problem *problem)
{
    static const struct peer_encoding_steps steps = {start_step, fetch_step, NULL};
    struct nvjpeg2k_encode *peer = user;

    return peer_encoding_work(&peer->encoding, index, &steps, peer, problem);
}

static bool encoder_run(void *state, struct problem *problem)
{
    struct nvjpeg2k_encode *peer = state;

    return crew_run(peer->encoding.workers, work, peer, problem);
}

static const uint8_t *encoder_result(void *state, uint32_t index, size_t *length)
{
    const struct nvjpeg2k_encode *peer = state;

    return peer_encoding_result(&peer->encoding, index, length);
}

static const struct peer_crew crews[] = {
    {1, 1}, {4, 1}, {4, 2}, {4, 4}, {8, 1}, {8, 2}, {8, 4}, {16, 1}, {16, 2}, {32, 1}, {0, 0}};

const struct peer peer_nvjpeg2k_encode = {
    "nvJPEG2000", encoder_open, encoder_run, encoder_result, encoder_close, crews, false};
