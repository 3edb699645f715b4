/* SPDX-License-Identifier: BSD-2-Clause */
/* Times other libraries on the same work. */
#include <kostka/kostka_device.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "peers/peers.h"
#include "print/statistics.h"

/*
 * Describes a peer that is driven in one way. If the pictures do not all fit in a batch, batches take turns, and each
 * turn has a state of its own.
 */
struct peer_run {
    const struct peer *peer;
    const struct peer_task *task; /* one for each turn */
    uint32_t turns;
    void **state;
};

static void close_run(struct peer_run *run)
{
    for (uint32_t i = 0; i < run->turns && run->state != NULL; i++)
        if (run->state[i] != NULL)
            run->peer->close(run->state[i]);
    free(run->state);
}

static bool open_run(struct peer_run *run, struct peer_crew crew, struct problem *problem)
{
    bool good = true;

    run->state = calloc(run->turns, sizeof *run->state);
    if (run->state == NULL)
        return problem_set(problem, "out of memory");
    for (uint32_t i = 0; i < run->turns && good; i++) {
        struct peer_task task = run->task[i];
        task.crew = crew;
        run->state[i] = run->peer->open(&task, problem);
        good = run->state[i] != NULL;
    }
    return good;
}

static bool run_peer(void *user, size_t run, struct problem *problem)
{
    struct peer_run *peer = user;

    return peer->peer->run(peer->state[run % peer->turns], problem);
}

/* Compare pixels with those that the CPU decodes, or with the picture that was encoded. */
static bool compare_pixels(const kst_image *wanted, void *pixels, struct bench_result *result)
{
    kst_comparison comparison = {.size = sizeof comparison};
    kst_image image;

    if (kst_image_wrap(&image, KST_FORMAT_RGB, wanted->width, wanted->height, pixels, 0) ||
        kst_compare(&image, wanted, &comparison))
        return false;
    bench_result_check(result, comparison.identical, comparison.psnr);
    return true;
}

static bool compare_stream(const struct bench_settings *settings, const struct bench_picture *one, const uint8_t *data,
    size_t length, struct bench_result *result)
{
    struct problem ignored;
    double psnr;
    bool identical = length == one->wanted.length && memcmp(data, one->wanted.data, length) == 0;

    if (!bench_psnr(settings, one, data, length, &psnr, &ignored))
        return false;
    bench_result_check(result, identical, psnr);
    return true;
}

/* Check one picture of a turn. */
static bool take_one(const struct bench_settings *settings, const struct bench_picture *one, const struct peer_run *run,
    uint32_t turn, uint32_t index, struct bench_result *result)
{
    size_t length = 0;
    const uint8_t *data = run->peer->result(run->state[turn], index, &length);

    if (data == NULL)
        return false;
    if (settings->encoding) {
        result->length += (double)length / run->task[turn].count / run->turns;
        return compare_stream(settings, one, data, length, result);
    }
    uint8_t *pixels = malloc(length);
    bool good = pixels != NULL && compare_pixels(&one->picture.image, memcpy(pixels, data, length), result);
    free(pixels);
    return good;
}

/* Check all pictures. If one result cannot be read, the result as a whole counts as not known. */
static void take_result(const struct bench_settings *settings, const struct bench_case *bench,
    const struct peer_run *run, struct bench_result *result)
{
    uint32_t batch = run->task[0].count;
    bool good = result->times.count >= run->turns;

    result->identical = -1;
    result->psnr = -1;
    result->length = settings->encoding ? 0 : bench_case_length(bench);
    for (uint32_t i = 0; i < batch * run->turns && good; i++)
        good = take_one(settings, bench_picture(bench, i), run, i / batch, i % batch, result);
    if (!good)
        result->identical = -1;
}

/* Return whether a crew has at most as many pictures in flight as the batch has. */
static bool crew_suits(const struct peer_run *run, const struct peer_crew *crew)
{
    return crew->threads * crew->states <= run->task[0].count;
}

/* Return whether there are several ways to drive the peer with this many pictures. */
static bool has_choice(const struct peer_run *run)
{
    int ways = 0;

    for (const struct peer_crew *crew = run->peer->crews; crew != NULL && crew->threads > 0; crew++)
        ways += crew_suits(run, crew);
    return ways > 1;
}

/*
 * Try a crew: run each turn once without the clock, and once with it. A crew whose median is below 1.5 times the best
 * so far is timed more often.
 */
static bool try_crew(const struct bench_settings *settings, const struct peer_run *run, struct peer_crew crew,
    double least, double *median, struct problem *problem)
{
    enum { MORE = 3 };
    struct peer_run trial = *run;
    struct bench_settings brief = *settings;
    struct bench_times times = {0};

    brief.seconds = 0;
    brief.repeat = run->turns;
    bool good = open_run(&trial, crew, problem) && bench_time(&brief, run_peer, &trial, trial.turns, &times, problem);
    *median = good ? statistics_median(times.run, times.count) : INFINITY;
    if (good && *median < 1.5 * least) {
        free(times.run);
        brief.repeat = (uint64_t)MORE * run->turns;
        good = bench_time(&brief, run_peer, &trial, trial.turns, &times, problem);
        *median = good ? statistics_median(times.run, times.count) : INFINITY;
    }
    close_run(&trial);
    free(times.run);
    return good;
}

/*
 * Choose the fastest way to drive the peer with this many pictures, by a few runs of each way. The first way must work;
 * others that fail are reported and skipped.
 */
static bool choose_crew(
    const struct bench_settings *settings, const struct peer_run *run, struct peer_crew *best, struct problem *problem)
{
    double least = INFINITY, median;

    *best = (struct peer_crew){1, 1};
    if (!has_choice(run))
        return true;
    for (const struct peer_crew *crew = run->peer->crews; crew->threads > 0; crew++) {
        if (!crew_suits(run, crew))
            continue;
        if (!try_crew(settings, run, *crew, least, &median, problem)) {
            if (crew == run->peer->crews)
                return false;
            complain(run->peer->name, "by %u threads with %u states: %s", (unsigned)crew->threads,
                (unsigned)crew->states, problem->text);
            median = INFINITY;
        }
        if (median < least) {
            least = median;
            *best = *crew;
        }
    }
    return true;
}

static bool measure_peer(const struct bench_settings *settings, const struct bench_case *bench, struct peer_run *run,
    struct problem *problem)
{
    struct peer_crew crew;
    struct bench_result result = {.engine = run->peer->name, .batch = run->task[0].count, .calls = 1};

    if (!choose_crew(settings, run, &crew, problem))
        return false;
    if (has_choice(run)) {
        result.callers = crew.threads;
        result.states = crew.states;
    }
    bool good = open_run(run, crew, problem) && bench_time(settings, run_peer, run, run->turns, &result.times, problem);
    if (good) {
        take_result(settings, bench, run, &result);
        bench_tell(settings, bench, &result);
    }
    close_run(run);
    free(result.times.run);
    return good;
}

/* Return a copy of RGB pixels without padding; null if out of memory. */
static uint8_t *plain_pixels(const kst_image *image)
{
    size_t row = (size_t)image->width * 3;
    uint8_t *pixels = malloc(row * image->height);

    for (uint32_t y = 0; y < image->height && pixels != NULL; y++)
        memcpy(pixels + y * row, (const uint8_t *)image->plane[0].data + (ptrdiff_t)y * image->plane[0].pitch, row);
    return pixels;
}

/*
 * Holds what peers work on: a stream in pinned memory for each slot of a batch, like the library's own streams; and the
 * pixels of each picture once.
 */
struct peer_work {
    struct peer_picture *picture;
    void **pinned;
    uint8_t **pixels;
    uint32_t places;
};

static bool make_place(
    const struct bench_settings *settings, const struct bench_case *bench, struct peer_work *work, uint32_t place)
{
    const struct bench_picture *one = bench_picture(bench, place);
    const kst_image *image = &one->picture.image;
    struct peer_picture *picture = &work->picture[place];
    uint32_t index = place % bench->count;

    *picture = (struct peer_picture){.width = image->width, .height = image->height};
    if (settings->encoding) {
        if (work->pixels[index] == NULL)
            work->pixels[index] = plain_pixels(image);
        picture->pixels = work->pixels[index];
        picture->length = one->wanted.length;
        return picture->pixels != NULL;
    }
    if (kst_pinned_allocate(settings->files.context, one->length, &work->pinned[place]))
        return false;
    picture->stream = memcpy(work->pinned[place], one->stream, one->length);
    picture->length = one->length;
    return true;
}

static bool make_work(const struct bench_settings *settings, const struct bench_case *bench, struct peer_work *work)
{
    bool good;

    work->picture = calloc(work->places, sizeof *work->picture);
    work->pinned = calloc(work->places, sizeof *work->pinned);
    work->pixels = calloc(bench->count, sizeof *work->pixels);
    good = work->picture != NULL && work->pinned != NULL && work->pixels != NULL;
    for (uint32_t i = 0; i < work->places && good; i++)
        good = make_place(settings, bench, work, i);
    return good;
}

static void drop_work(const struct bench_settings *settings, const struct bench_case *bench, struct peer_work *work)
{
    for (uint32_t i = 0; i < work->places && work->pinned != NULL; i++)
        kst_pinned_release(settings->files.context, work->pinned[i]);
    for (uint32_t i = 0; i < bench->count && work->pixels != NULL; i++)
        free(work->pixels[i]);
    free(work->picture);
    free(work->pinned);
    free(work->pixels);
}

/* Return whether the bytes are a JPEG 2000 codestream or a JP2 file. */
static bool is_j2k(const uint8_t *data, size_t length)
{
    static const uint8_t codestream[] = {0xFF, 0x4F, 0xFF, 0x51}, file[] = {0, 0, 0, 12, 'j', 'P', ' ', ' '};

    return (length > sizeof codestream && memcmp(data, codestream, sizeof codestream) == 0) ||
           (length > sizeof file && memcmp(data, file, sizeof file) == 0);
}

static const struct peer *const *peers_of(const struct bench_settings *settings, const struct bench_case *bench)
{
    bool j2k = settings->encoding ? settings->encode.options.codec == KST_CODEC_JPEG2000
                                  : is_j2k(bench->each[0].stream, bench->each[0].length);

    if (settings->encoding)
        return j2k ? peers_j2k_encode : peers_encode;
    return j2k ? peers_j2k_decode : peers_decode;
}

static void measure_all(
    const struct bench_settings *settings, const struct bench_case *bench, const struct peer_task *task, uint32_t turns)
{
    bool done = false;

    for (const struct peer *const *peer = peers_of(settings, bench); *peer != NULL; peer++) {
        struct problem problem = {.text = "out of memory"};
        struct peer_run run = {.peer = *peer, .task = task, .turns = turns};
        if ((*peer)->is_second && done)
            continue;
        done = measure_peer(settings, bench, &run, &problem);
        if (!done)
            bench_tell_missing(settings, bench, (*peer)->name, problem.text);
    }
}

/* Return whether peers can do the work that the settings describe. */
static bool suits(const struct bench_settings *settings, const struct bench_case *bench)
{
    const kst_decode_options *decode = &settings->files.decode;
    bool whole = decode->reduce == 0 && decode->eighths == 0 && decode->region.width == 0;

    for (uint32_t i = 0; i < bench->count; i++)
        whole = whole && bench->each[i].picture.image.format == KST_FORMAT_RGB;
    whole = whole && decode->dct == KST_DCT_ACCURATE && decode->upsampling == KST_UPSAMPLING_FANCY &&
            settings->encode.options.dct == KST_DCT_ACCURATE;
    return whole && settings->encode.options.coding != KST_CODING_PROGRESSIVE;
}

void bench_peers(const struct bench_settings *settings, const struct bench_case *bench, uint32_t batch)
{
    const kst_encode_options *options = &settings->encode.options;
    const kst_j2k_options *j2k = &settings->j2k.options;
    uint32_t turns = (bench->count + batch - 1) / batch;
    struct peer_work work = {.places = batch * turns};
    struct peer_task *task = calloc(turns, sizeof *task);

    if (!suits(settings, bench))
        bench_tell_missing(settings, bench, "peers", "measured with whole sequential RGB pictures only");
    else if (task != NULL && make_work(settings, bench, &work)) {
        for (uint32_t i = 0; i < turns; i++)
            task[i] = (struct peer_task){.encode = settings->encoding,
                .picture = work.picture + (size_t)i * batch,
                .count = batch,
                .quality = options->quality,
                .subsampling = options->subsampling,
                .optimized = options->coding == KST_CODING_OPTIMIZED,
                .lossless = j2k->target == KST_J2K_LOSSLESS,
                .ht = (j2k->style & KST_J2K_HT) != 0,
                .block_width = j2k->block_width,
                .block_height = j2k->block_height,
                .levels = j2k->levels,
                .threads = settings->threads};
        measure_all(settings, bench, task, turns);
    }
    drop_work(settings, bench, &work);
    free(task);
}
