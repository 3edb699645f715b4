/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures libjpeg-turbo through TurboJPEG's API, which has not changed since version 1.4; the declarations are the
 * project's own.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "peers/peers.h"
#include "system/library.h"

enum { TURBO_RGB = 0, TURBO_ACCURATE = 4096, TURBO_KEEP_BUFFER = 1024, MOST_THREADS = 256 };

typedef struct turbo_handle *turbo_handle;

#define TURBO_SYMBOLS(X)                                                                                               \
    X(decompressor, "tjInitDecompress", turbo_handle, (void))                                                          \
    X(compressor, "tjInitCompress", turbo_handle, (void))                                                              \
    X(decompress, "tjDecompress2", int,                                                                                \
        (turbo_handle, const unsigned char *data, unsigned long length, unsigned char *pixels, int width, int pitch,   \
            int height, int format, int flags))                                                                        \
    X(compress, "tjCompress2", int,                                                                                    \
        (turbo_handle, const unsigned char *pixels, int width, int pitch, int height, int format,                      \
            unsigned char **data, unsigned long *length, int sampling, int quality, int flags))                        \
    X(room, "tjBufSize", unsigned long, (int width, int height, int sampling))                                         \
    X(destroy, "tjDestroy", int, (turbo_handle))

#define TURBO_MEMBER(member, symbol, type, parameters) type(*member) parameters;
#define TURBO_SYMBOL(member, symbol, type, parameters) symbol,

struct turbo_library {
    TURBO_SYMBOLS(TURBO_MEMBER)
};

struct turbo {
    struct turbo_library library;
    struct peer_task task;
    uint32_t threads;
    turbo_handle handle[MOST_THREADS]; /* one for each thread */
    unsigned char **output;            /* one for each picture: pixels, or a stream */
    unsigned long *length;
    atomic_uint next;
    atomic_bool failed;
};

struct turbo_thread {
    struct turbo *turbo;
    uint32_t index;
    pthread_t thread;
};

static int sampling_of(kst_subsampling subsampling)
{
    static const int samplings[] = {[KST_SUBSAMPLING_420] = 2,
        [KST_SUBSAMPLING_422] = 1,
        [KST_SUBSAMPLING_444] = 0,
        [KST_SUBSAMPLING_440] = 4,
        [KST_SUBSAMPLING_411] = 5,
        [KST_SUBSAMPLING_410] = -1};
    return samplings[subsampling];
}

static void turbo_close(void *state)
{
    struct turbo *turbo = state;

    for (uint32_t i = 0; i < turbo->threads; i++)
        if (turbo->handle[i] != NULL)
            turbo->library.destroy(turbo->handle[i]);
    for (uint32_t i = 0; i < turbo->task.count && turbo->output != NULL; i++)
        free(turbo->output[i]);
    free(turbo->output);
    free(turbo->length);
    free(turbo);
}

/*
 * Return the size of a result's buffer. For streams that is the most bytes that they can need, because a handle whose
 * buffer had to grow must not be used with another one.
 */
static size_t room_of(const struct turbo *turbo, const struct peer_picture *picture)
{
    return turbo->task.encode
               ? turbo->library.room((int)picture->width, (int)picture->height, sampling_of(turbo->task.subsampling))
               : peer_pixel_bytes(picture);
}

static bool make(struct turbo *turbo)
{
    const struct peer_task *task = &turbo->task;
    turbo->output = calloc(task->count, sizeof *turbo->output);
    turbo->length = calloc(task->count, sizeof *turbo->length);
    if (turbo->output == NULL || turbo->length == NULL)
        return false;
    for (uint32_t i = 0; i < task->count; i++)
        if ((turbo->output[i] = malloc(room_of(turbo, &task->picture[i]))) == NULL)
            return false;
    for (uint32_t i = 0; i < turbo->threads; i++) {
        turbo->handle[i] = turbo->task.encode ? turbo->library.compressor() : turbo->library.decompressor();
        if (turbo->handle[i] == NULL)
            return false;
    }
    return true;
}

static void *turbo_open(const struct peer_task *task, uint32_t threads, struct problem *problem)
{
    static const char *const names[] = {"libturbojpeg.so.0", "libturbojpeg.so", NULL};
    static const char *const symbols[] = {TURBO_SYMBOLS(TURBO_SYMBOL)};
    struct turbo *turbo = calloc(1, sizeof *turbo);

    if (turbo == NULL)
        return problem_set(problem, "out of memory"), NULL;
    if (!library_load(names, symbols, sizeof symbols / sizeof symbols[0], &turbo->library, problem)) {
        free(turbo);
        return NULL;
    }
    turbo->task = *task;
    turbo->threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    if (!task->encode || (sampling_of(task->subsampling) >= 0 && !task->optimized)) {
        if (make(turbo))
            return turbo;
        problem_set(problem, "out of memory");
    } else {
        problem_set(problem, "cannot encode like this");
    }
    turbo_close(turbo);
    return NULL;
}

static void *turbo_open_one(const struct peer_task *task, struct problem *problem)
{
    if (task->count == 1)
        return turbo_open(task, 1, problem);
    return problem_set(problem, "several pictures take so many times as long as one"), NULL;
}

static void *turbo_open_all(const struct peer_task *task, struct problem *problem)
{
    if (task->count > 1 && task->threads > 1)
        return turbo_open(task, task->threads < task->count ? task->threads : task->count, problem);
    return problem_set(problem, "one picture is one thread's work"), NULL;
}

/* Work on one picture, with the accurate transform and smooth upsampling, which Kostka uses, too. */
static bool work_on(struct turbo *turbo, turbo_handle handle, uint32_t index)
{
    const struct peer_task *task = &turbo->task;
    const struct peer_picture *picture = &task->picture[index];

    turbo->length[index] = (unsigned long)room_of(turbo, picture);
    if (task->encode)
        return turbo->library.compress(handle, picture->pixels, (int)picture->width, 0, (int)picture->height, TURBO_RGB,
                   &turbo->output[index], &turbo->length[index], sampling_of(task->subsampling), task->quality,
                   TURBO_ACCURATE | TURBO_KEEP_BUFFER) == 0;
    return turbo->library.decompress(handle, picture->stream, (unsigned long)picture->length, turbo->output[index],
               (int)picture->width, 0, (int)picture->height, TURBO_RGB, 0) == 0;
}

static void *work(void *user)
{
    struct turbo_thread *thread = user;
    struct turbo *turbo = thread->turbo;

    for (uint32_t i; (i = atomic_fetch_add(&turbo->next, 1)) < turbo->task.count;)
        if (!work_on(turbo, turbo->handle[thread->index], i))
            atomic_store(&turbo->failed, true);
    return NULL;
}

static bool turbo_run(void *state, struct problem *problem)
{
    struct turbo *turbo = state;
    struct turbo_thread thread[MOST_THREADS] = {{.turbo = turbo}};
    uint32_t started = 1;

    atomic_store(&turbo->next, 0);
    for (uint32_t i = 0; i < turbo->threads; i++)
        thread[i] = (struct turbo_thread){.turbo = turbo, .index = i};
    while (started < turbo->threads && pthread_create(&thread[started].thread, NULL, work, &thread[started]) == 0)
        started++;
    work(&thread[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(thread[i].thread, NULL);
    return !atomic_load(&turbo->failed) || problem_set(problem, "failed");
}

static const uint8_t *turbo_result(void *state, uint32_t index, size_t *length)
{
    const struct turbo *turbo = state;

    *length = turbo->task.encode ? turbo->length[index] : peer_pixel_bytes(&turbo->task.picture[index]);
    return turbo->output[index];
}

const struct peer peer_turbo_one = {
    "libjpeg-turbo, 1 thread", turbo_open_one, turbo_run, turbo_result, turbo_close, NULL, false};
const struct peer peer_turbo_all = {
    "libjpeg-turbo, all threads", turbo_open_all, turbo_run, turbo_result, turbo_close, NULL, false};
