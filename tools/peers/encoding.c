/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the pictures that one of NVIDIA's encoders encodes, and encodes several of them at a time. */
#include "peers/encoding.h"

#include <stdlib.h>

bool peer_encoding_open(struct peer_encoding *encoding, const struct peer_task *task, struct problem *problem)
{
    encoding->task = *task;
    encoding->cuda_open = peer_cuda_open(&encoding->cuda, problem);
    return encoding->cuda_open;
}

/*
 * HEADERS bytes suffice for the headers of any file. With one quantiser step for all pictures, chosen so that their
 * files together are as long as Kostka's, some files become several times as long as Kostka's (LONGER). The first file
 * is used for every picture while that step is searched for, beginning with a step that makes files longer than their
 * pixels (LONGEST).
 */
enum { HEADERS = 1 << 16, LONGER = 8, LONGEST = 3 };

static bool place_picture(struct peer_encoding *encoding, uint32_t index, struct problem *problem)
{
    const struct peer_picture *picture = &encoding->task.picture[index];
    struct peer_file *file = &encoding->file[index];
    size_t length = peer_pixel_bytes(picture), room = LONGER * picture->length;

    file->capacity = (index == 0 ? LONGEST * length : room > length ? length : room) + HEADERS;
    return (encoding->cuda.allocate(&file->pixels, length) == 0 &&
               encoding->cuda.allocate_host(&file->data, file->capacity) == 0 &&
               encoding->cuda.up(file->pixels, picture->pixels, length) == 0) ||
           problem_set(problem, "no memory of the device's, or no pinned memory");
}

bool peer_encoding_place(struct peer_encoding *encoding, struct problem *problem)
{
    bool good = true;
    int device;

    encoding->file = calloc(encoding->task.count, sizeof *encoding->file);
    if (encoding->file == NULL)
        return problem_set(problem, "out of memory");
    if (encoding->cuda.device(&device, 0) != 0 || encoding->cuda.retain(&encoding->context, device) != 0)
        return problem_set(problem, "cuDevicePrimaryCtxRetain failed");
    encoding->cuda.release(device); /* peer_cuda_open() keeps another reference */
    for (uint32_t i = 0; i < encoding->task.count && good; i++)
        good = place_picture(encoding, i, problem);
    return good;
}

void peer_encoding_close(struct peer_encoding *encoding)
{
    for (uint32_t i = 0; i < encoding->task.count && encoding->file != NULL; i++) {
        if (encoding->file[i].pixels != 0)
            encoding->cuda.free(encoding->file[i].pixels);
        if (encoding->file[i].data != NULL)
            encoding->cuda.free_host(encoding->file[i].data);
    }
    free(encoding->file);
    if (encoding->cuda_open)
        peer_cuda_close(&encoding->cuda);
}

bool peer_encoding_work(struct peer_encoding *encoding, uint32_t worker, const struct peer_encoding_steps *steps,
    void *user, struct problem *problem)
{
    uint32_t count = encoding->task.count, states = encoding->task.crew.states, step = encoding->workers * states;
    bool good = encoding->cuda.current(encoding->context) == 0 || problem_set(problem, "cuCtxSetCurrent failed");

    for (uint32_t first = worker * states; first < count && good; first += step) {
        uint32_t some = count - first < states ? count - first : states;
        for (uint32_t i = 0; i < some && good; i++)
            good = steps->start(user, worker, i, first + i, problem);
        for (uint32_t i = 0; i < some && good; i++)
            good = steps->fetch(user, worker, i, first + i, problem);
        for (uint32_t i = 0; i < some && steps->wait != NULL; i++)
            good = steps->wait(user, worker, i, first + i, problem) && good;
    }
    return good;
}

const uint8_t *peer_encoding_result(const struct peer_encoding *encoding, uint32_t index, size_t *length)
{
    *length = encoding->file[index].length;
    return encoding->file[index].data;
}
