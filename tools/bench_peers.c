/* SPDX-License-Identifier: BSD-2-Clause */
/* Timing other libraries on the same work. */
#include <kostka/kostka_device.h>

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "peers/peers.h"

struct peer_run {
    const struct peer *peer;
    void *state;
};

static bool run_peer(void *user, size_t run, struct problem *problem)
{
    struct peer_run *peer = user;

    (void)run;
    return peer->peer->run(peer->state, problem);
}

/* Against what the CPU decodes, or against the picture that was encoded. */
static void compare_pixels(const kst_image *wanted, void *pixels, struct bench_result *result)
{
    kst_comparison comparison = {.size = sizeof comparison};
    kst_image image;

    if (kst_image_wrap(&image, KST_FORMAT_RGB, wanted->width, wanted->height, pixels, 0) != KST_OK ||
        kst_compare(&image, wanted, &comparison) != KST_OK)
        return;
    result->identical = comparison.identical;
    result->psnr = comparison.psnr;
}

static void compare_stream(const struct bench_settings *settings, const struct bench_case *bench, const uint8_t *data,
    size_t length, struct bench_result *result)
{
    kst_comparison comparison = {.size = sizeof comparison};
    struct picture picture;
    struct problem ignored;

    result->length = length;
    result->identical = length == bench->wanted.length && memcmp(data, bench->wanted.data, length) == 0;
    if (bench_decode_on_cpu(settings, data, length, &picture, &ignored) &&
        kst_compare(&picture.image, &bench->picture.image, &comparison) == KST_OK)
        result->psnr = comparison.psnr;
    picture_release(&picture);
}

static void take_result(const struct bench_settings *settings, const struct bench_case *bench,
    const struct peer_run *run, struct bench_result *result)
{
    size_t length = 0;
    const uint8_t *data = run->peer->result(run->state, &length);

    result->identical = -1;
    result->psnr = -1;
    if (data == NULL)
        return;
    if (settings->encoding) {
        compare_stream(settings, bench, data, length, result);
        return;
    }
    uint8_t *pixels = malloc(length);
    if (pixels != NULL)
        compare_pixels(&bench->picture.image, memcpy(pixels, data, length), result);
    free(pixels);
}

static bool measure_peer(const struct bench_settings *settings, const struct bench_case *bench, const struct peer *peer,
    const struct peer_task *task, struct problem *problem)
{
    struct peer_run run = {.peer = peer, .state = peer->open(task, problem)};
    struct bench_result result = {.engine = peer->name, .batch = task->count, .calls = 1, .length = task->length};

    if (run.state == NULL)
        return false;
    bool good = bench_time(settings, run_peer, &run, &result.times, problem);
    if (good) {
        take_result(settings, bench, &run, &result);
        bench_tell(settings, bench, &result);
    }
    peer->close(run.state);
    free(result.times.run);
    return good;
}

/* RGB pixels without padding; null: out of memory. */
static uint8_t *plain_pixels(const kst_image *image)
{
    size_t row = (size_t)image->width * 3;
    uint8_t *pixels = malloc(row * image->height);

    for (uint32_t y = 0; y < image->height && pixels != NULL; y++)
        memcpy(pixels + y * row, (const uint8_t *)image->plane[0].data + (ptrdiff_t)y * image->plane[0].pitch, row);
    return pixels;
}

/* A stream a picture, in pinned memory of its own each, as Kostka gets them. */
static void **copy_streams(const struct bench_settings *settings, const struct bench_case *bench, uint32_t count)
{
    void **stream = calloc(count, sizeof *stream);

    for (uint32_t i = 0; i < count && stream != NULL; i++)
        if (kst_pinned_allocate(settings->files.context, bench->length, &stream[i]) == KST_OK)
            memcpy(stream[i], bench->stream, bench->length);
    return stream;
}

static void drop_streams(const struct bench_settings *settings, void **stream, uint32_t count)
{
    for (uint32_t i = 0; i < count && stream != NULL; i++)
        kst_pinned_release(settings->files.context, stream[i]);
    free(stream);
}

/* Whether it is a JPEG 2000 codestream, or a JP2 file. */
static bool is_j2k(const uint8_t *data, size_t length)
{
    static const uint8_t codestream[] = {0xFF, 0x4F, 0xFF, 0x51}, file[] = {0, 0, 0, 12, 'j', 'P', ' ', ' '};

    return (length > sizeof codestream && memcmp(data, codestream, sizeof codestream) == 0) ||
           (length > sizeof file && memcmp(data, file, sizeof file) == 0);
}

static void measure_all(
    const struct bench_settings *settings, const struct bench_case *bench, const struct peer_task *task)
{
    const struct peer *const *peer = peers_all;
    if (task->encode && settings->encode.options.codec == KST_CODEC_JPEG2000)
        peer = peers_j2k_encode;
    else if (!task->encode && is_j2k(bench->stream, bench->length))
        peer = peers_j2k_decode;
    for (; *peer != NULL; peer++) {
        struct problem problem = {"out of memory"};
        if (!measure_peer(settings, bench, *peer, task, &problem))
            bench_tell_missing(settings, bench, (*peer)->name, problem.text);
    }
}

void bench_peers(const struct bench_settings *settings, const struct bench_case *bench, uint32_t batch)
{
    const kst_image *image = &bench->picture.image;
    const kst_encode_options *options = &settings->encode.options;
    struct peer_task task = {.encode = settings->encoding,
        .width = image->width,
        .height = image->height,
        .count = batch,
        .length = settings->encoding ? bench->wanted.length : bench->length,
        .quality = options->quality,
        .subsampling = options->subsampling,
        .optimized = options->coding == KST_CODING_OPTIMIZED,
        .lossless = settings->j2k.options.target == KST_J2K_LOSSLESS,
        .threads = settings->threads};
    bool whole = settings->files.decode.reduce == 0 && settings->files.decode.region.width == 0;

    if (image->format != KST_FORMAT_RGB || !whole || options->coding == KST_CODING_PROGRESSIVE) {
        bench_tell_missing(settings, bench, "peers", "measured with whole sequential RGB pictures only");
        return;
    }
    uint8_t *pixels = settings->encoding ? plain_pixels(image) : NULL;
    void **stream = settings->encoding ? NULL : copy_streams(settings, bench, batch);
    task.pixels = pixels;
    task.stream = (const uint8_t *const *)stream;
    if (pixels != NULL || (stream != NULL && stream[batch - 1] != NULL))
        measure_all(settings, bench, &task);
    drop_streams(settings, stream, batch);
    free(pixels);
}
