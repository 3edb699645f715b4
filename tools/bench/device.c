/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times the library. The times are those of whole calls, from streams in pinned memory to pixels in device memory, or
 * back; --memory chooses other memory for the pixels.
 */
#include <kostka/kostka_device.h>

#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

/*
 * The number of sets of slots for batches below SETS_BELOW pictures. Runs go through the sets in turn, so that caches
 * do not hold a small batch from run to run.
 */
enum { SETS = 4, SETS_BELOW = 4 };

struct load {
    const struct bench_settings *settings;
    struct bench_case *bench;
    kst_context *context;
    uint32_t batch, sets, slots; /* slots: pictures of all sets; each set is one batch, and there is at least one set */
    uint32_t checked;            /* how many slots have been checked */
    kst_image *image;            /* one for each slot, like the members below */
    kst_decode_item *decode;
    kst_encode_item *encode;
    kst_transcode_item *transcode;
    void **pinned; /* the streams, input or output */
    void **made;   /* the streams that transcoding makes */
};

static bool decode_run(void *user, size_t run, struct problem *problem)
{
    struct load *load = user;
    kst_decode_item *item = &load->decode[run % load->sets * load->batch];
    kst_status status;

    if (load->batch > 1)
        status = kst_decode_batch(load->context, item, load->batch);
    else
        status = kst_decode(load->context, item->data, item->length, item->options, item->image, &item->report);
    return !status || jpeg_report_problem(&item->report, status, problem);
}

static bool encode_run(void *user, size_t run, struct problem *problem)
{
    struct load *load = user;
    kst_encode_item *item = &load->encode[run % load->sets * load->batch];
    kst_status status;

    for (uint32_t i = 0; i < load->batch && item->output.owned; i++)
        kst_buffer_release(load->context, &item[i].output);
    if (load->batch > 1)
        status = kst_encode_batch(load->context, item, load->batch);
    else
        status = kst_encode(load->context, item->image, item->options, &item->output, &item->report);
    return !status || jpeg_report_problem(&item->report, status, problem);
}

static bool transcode_run(void *user, size_t run, struct problem *problem)
{
    struct load *load = user;
    kst_transcode_item *item = &load->transcode[run % load->sets * load->batch];
    kst_status status;

    for (uint32_t i = 0; i < load->batch && item->output.owned; i++)
        kst_buffer_release(load->context, &item[i].output);
    if (load->batch > 1)
        status = kst_transcode_batch(load->context, item, load->batch);
    else
        status = kst_transcode(load->context, item->data, item->length, item->options, &item->output, &item->report);
    return !status || jpeg_report_problem(&item->report, status, problem);
}

static bool pin(struct load *load, void **to, size_t length, struct problem *problem)
{
    kst_status status = kst_pinned_allocate(load->context, length, to);
    return !status || problem_set(problem, "%s", kst_status_text(status));
}

static bool make_decode_slot(struct load *load, uint32_t slot, struct problem *problem)
{
    const struct bench_settings *settings = load->settings;
    const struct bench_picture *one = bench_picture(load->bench, slot);
    const void *data = one->stream;

    load->image[slot].memory = settings->memory;
    if (settings->memory != KST_MEMORY_HOST) {
        if (!pin(load, &load->pinned[slot], one->length, problem))
            return false;
        data = memcpy(load->pinned[slot], one->stream, one->length);
    }
    load->decode[slot] = (kst_decode_item){.data = data,
        .length = one->length,
        .options = &settings->files.decode,
        .image = &load->image[slot],
        .report = {.size = sizeof(kst_report)}};
    return true;
}

/* Make an image of the same size and format, in memory of the kind that the settings name. */
static bool make_image(const struct load *load, const kst_image *like, kst_image *image, struct problem *problem)
{
    *image = *like;
    image->memory = load->settings->memory;
    image->owned = NULL;
    for (int i = 0; i < 4; i++)
        image->plane[i].data = NULL;
    kst_status status = kst_image_allocate(load->context, image);
    if (!status)
        status = kst_image_copy(load->context, like, image);
    return !status || problem_set(problem, "%s", kst_status_text(status));
}

static bool make_encode_slot(struct load *load, uint32_t slot, struct problem *problem)
{
    const struct bench_picture *one = bench_picture(load->bench, slot);
    kst_encode_item *item = &load->encode[slot];
    size_t room = one->wanted.length + 4096;

    *item = (kst_encode_item){.image = &one->picture.image,
        .options = &load->settings->encode.options,
        .report = {.size = sizeof(kst_report)}};
    if (load->settings->memory == KST_MEMORY_HOST)
        return true;
    if (!make_image(load, &one->picture.image, &load->image[slot], problem) ||
        !pin(load, &load->pinned[slot], room, problem))
        return false;
    item->image = &load->image[slot];
    item->output = (kst_buffer){.data = load->pinned[slot], .capacity = room};
    return true;
}

static bool make_transcode_slot(struct load *load, uint32_t slot, struct problem *problem)
{
    const struct bench_picture *one = bench_picture(load->bench, slot);
    kst_transcode_item *item = &load->transcode[slot];
    const size_t room = one->wanted.length + 4096;

    *item = (kst_transcode_item){
        .data = one->stream, .length = one->length, .options = &one->transcode, .report = {.size = sizeof(kst_report)}};
    if (load->settings->memory == KST_MEMORY_HOST)
        return true;
    if (!pin(load, &load->pinned[slot], one->length, problem) || !pin(load, &load->made[slot], room, problem))
        return false;
    item->data = memcpy(load->pinned[slot], one->stream, one->length);
    item->output = (kst_buffer){.data = load->made[slot], .capacity = room};
    return true;
}

static bool make_slot(struct load *load, uint32_t slot, struct problem *problem)
{
    return load->settings->transcoding ? make_transcode_slot(load, slot, problem)
           : load->settings->encoding  ? make_encode_slot(load, slot, problem)
                                       : make_decode_slot(load, slot, problem);
}

static bool make_load(struct load *load, struct problem *problem)
{
    bool good = true;

    load->transcode = calloc(load->slots, sizeof *load->transcode);
    load->made = calloc(load->slots, sizeof *load->made);
    load->image = calloc(load->slots, sizeof *load->image);
    load->decode = calloc(load->slots, sizeof *load->decode);
    load->encode = calloc(load->slots, sizeof *load->encode);
    load->pinned = calloc(load->slots, sizeof *load->pinned);
    if (load->image == NULL || load->decode == NULL || load->encode == NULL || load->pinned == NULL ||
        load->transcode == NULL || load->made == NULL)
        return problem_set(problem, "out of memory");
    for (uint32_t i = 0; i < load->slots; i++)
        kst_image_init(&load->image[i]);
    for (uint32_t i = 0; i < load->slots && good; i++)
        good = make_slot(load, i, problem);
    return good;
}

static void drop_load(struct load *load)
{
    bool made = load->image != NULL && load->encode != NULL && load->pinned != NULL && load->transcode != NULL &&
                load->made != NULL;

    for (uint32_t i = 0; i < load->slots && made; i++) {
        if (load->encode[i].output.owned)
            kst_buffer_release(load->context, &load->encode[i].output);
        if (load->transcode[i].output.owned)
            kst_buffer_release(load->context, &load->transcode[i].output);
        kst_image_release(load->context, &load->image[i]);
        kst_pinned_release(load->context, load->pinned[i]);
        kst_pinned_release(load->context, load->made[i]);
    }
    free(load->image);
    free(load->decode);
    free(load->encode);
    free(load->transcode);
    free(load->pinned);
    free(load->made);
}

/* Copy a slot's pixels to host memory, and check them. */
static bool check_decoded(const struct load *load, uint32_t slot, struct bench_result *result, struct problem *problem)
{
    kst_comparison comparison = {.size = sizeof comparison};
    struct load host = *load;
    struct bench_settings settings = *load->settings;
    const kst_image *wanted = &bench_picture(load->bench, slot)->picture.image;
    kst_image image = {.size = sizeof image};

    settings.memory = KST_MEMORY_HOST;
    host.settings = &settings;
    if (!make_image(&host, wanted, &image, problem))
        return false;
    kst_status status = kst_image_copy(load->context, &load->image[slot], &image);
    if (!status)
        status = kst_compare(&image, wanted, &comparison);
    kst_image_release(load->context, &image);
    if (!status)
        bench_result_check(result, comparison.identical, comparison.psnr);
    return !status || problem_set(problem, "%s", kst_status_text(status));
}

static void check_coded(const struct load *load, const kst_buffer *output, uint32_t slot, struct bench_result *result)
{
    const struct bench_picture *one = bench_picture(load->bench, slot);
    const kst_buffer *wanted = &one->wanted;

    result->length += (double)output->length / load->checked / result->calls;
    bench_result_check(
        result, output->length == wanted->length && memcmp(output->data, wanted->data, wanted->length) == 0, one->psnr);
}

/* Check the results in all slots that were used. Of calls at the same time, only the results of one run are checked. */
static bool take_result(struct load *load, struct bench_result *result, struct problem *problem)
{
    bool encoding = load->settings->encoding, transcoding = load->settings->transcoding, good = true;
    uint32_t sets = result->calls > 1 || result->times.count < load->sets ? 1 : load->sets;

    load->checked = sets * load->batch;
    result->threads = transcoding ? load->transcode[0].report.threads
                      : encoding  ? load->encode[0].report.threads
                                  : load->decode[0].report.threads;
    for (uint32_t i = 0; i < load->checked && good; i++)
        if (transcoding)
            check_coded(load, &load->transcode[i].output, i, result);
        else if (encoding)
            check_coded(load, &load->encode[i].output, i, result);
        else
            good = check_decoded(load, i, result, problem);
    return good;
}

/* Describe the load, with enough sets for all pictures to have a slot. */
static struct load describe_load(
    const struct bench_settings *settings, struct bench_case *bench, const struct bench_result *result)
{
    uint32_t sets = settings->memory == KST_MEMORY_HOST || result->batch >= SETS_BELOW ? 1 : SETS;
    uint32_t turns = (bench->count + result->batch - 1) / result->batch;

    sets = sets > turns ? sets : turns;
    return (struct load){.settings = settings,
        .bench = bench,
        .context = settings->files.context,
        .batch = result->batch,
        .sets = sets,
        .slots = result->batch * sets};
}

bool bench_device(const struct bench_settings *settings, struct bench_case *bench, struct bench_result *result,
    struct problem *problem)
{
    struct load load[BENCH_CALLS_MAX] = {0};
    void *users[BENCH_CALLS_MAX];
    uint32_t made = 0, calls = (uint32_t)settings->calls;
    bench_work work = settings->transcoding ? transcode_run : settings->encoding ? encode_run : decode_run;
    bool good = true;

    for (; made < calls && good; made++) {
        load[made] = describe_load(settings, bench, result);
        users[made] = &load[made];
        good = make_load(&load[made], problem);
    }
    result->calls = calls;
    if (good)
        good = calls > 1 ? bench_time_calls(settings, work, users, calls, &result->times, problem)
                         : bench_time(settings, work, &load[0], load[0].sets, &result->times, problem);
    result->length = settings->encoding || settings->transcoding ? 0 : bench_case_length(bench);
    for (uint32_t i = 0; i < calls && good; i++)
        good = take_result(&load[i], result, problem);
    for (uint32_t i = 0; i < made; i++)
        drop_load(&load[i]);
    return good;
}
