/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the chain of filters that the user asks for. */
#include "files/filter.h"

#include <kostka/kostka_filter.h>
#include <stdlib.h>
#include <string.h>

#include "files/relay.h"
#include "files/results/segments.h"

bool filters_count(const char *chain, size_t *length)
{
    static const char word[] = "histogram";
    size_t all = strlen(chain), own = sizeof word - 1;

    *length = all;
    if (all < own || strcmp(chain + all - own, word) != 0 || (all > own && chain[all - own - 1] != ','))
        return false;
    *length = all > own ? all - own - 1 : 0;
    return true;
}

bool filters_find_lines(const char *chain)
{
    static const char word[] = "lines";
    const char *comma = strrchr(chain, ','), *last = comma != NULL ? comma + 1 : chain;
    size_t own = sizeof word - 1;

    return strncmp(last, word, own) == 0 && (last[own] == '\0' || last[own] == '=');
}

static bool check(const char *verb, const char *chain)
{
    kst_context_options options;
    kst_context *context;
    kst_filter *filter = NULL;
    kst_report report;

    kst_context_options_init(&options);
    kst_report_init(&report);
    options.device = "cpu";
    options.threads = 1;
    kst_status status = kst_context_create(&options, &context);
    if (!status)
        status = kst_filter_open(context, chain, &filter, &report);
    if (status)
        complain_usage(verb, "filters '%s': %s", chain, report.message[0] ? report.message : kst_status_text(status));
    kst_filter_close(&filter);
    kst_context_destroy(&context);
    return !status;
}

bool filters_check(const char *verb, const char *chain, bool may_count)
{
    size_t length;
    bool counts = filters_count(chain, &length);

    if (counts && !may_count) {
        complain_usage(verb, "histogram makes JSON or CSV, as 'kostka filter' and 'kostka convert' write it");
        return false;
    }
    if (counts && length == 0)
        return true;
    char *pictures = strndup(chain, length);
    bool good = pictures != NULL && check(verb, pictures);
    free(pictures);
    return good;
}

static bool explain(kst_status status, const kst_report *report, struct problem *problem)
{
    const char *text = report->message[0] ? report->message : kst_status_text(status);

    switch (status) {
    case KST_ERROR_LIMIT_PIXELS:
        return problem_set_kind(problem, PROBLEM_LIMIT, "filters: %s; raise the limit with --max-pixels", text);
    case KST_ERROR_LIMIT_MEMORY:
        return problem_set_kind(problem, PROBLEM_LIMIT, "filters: %s; raise the limit with --max-memory", text);
    default:
        return problem_set(problem, "filters: %s", text);
    }
}

/*
 * Update the picture's metadata after filtering: a colour profile does not apply to grey, and the quantisation tables
 * of the source belong to the unfiltered picture.
 */
static void settle(struct picture *picture, const kst_image *from, const kst_image *to, const char *name)
{
    bool greyed = to->format == KST_FORMAT_GREY && from->format != KST_FORMAT_GREY;

    if (greyed && picture->icc.data != NULL) {
        complain(name, "note: its ICC profile is dropped, for the picture has become grey");
        blob_release(&picture->icc);
    }
    picture->coded.known = false;
}

/*
 * Return whether the result may stay in device memory, because the library encodes or counts it there; all other code
 * needs pixels in host memory, including the search of alpha for transparency.
 */
static bool stays(const kst_image *from, const kst_image *to, const struct file_settings *settings)
{
    bool plain = (to->format == KST_FORMAT_GREY || to->format == KST_FORMAT_RGB) && to->plane[0].depth == 8;
    bool taken = settings->counts || (settings->target == &file_jpeg && plain && !settings->deep);

    return from->memory != KST_MEMORY_HOST && taken && settings->relay == NULL;
}

/* Apply an open chain, on the device if the picture is in its memory. */
static kst_status apply(const kst_filter *filter, const kst_image *from, const struct file_settings *settings,
    kst_image *to, kst_report *report)
{
    kst_image described;
    kst_status status = kst_filter_describe(filter, from, &described, report);

    if (status)
        return status;
    if (stays(from, &described, settings))
        to->memory = from->memory;
    return kst_filter_run(filter, from, to, report);
}

static const char *place_of(const kst_report *report)
{
    switch (report->stage_device[KST_STAGE_PIXELS]) {
    case KST_DEVICE_CUDA:
        return " by CUDA";
    case KST_DEVICE_OPENCL:
        return " by OpenCL";
    default:
        return "";
    }
}

static void tell(const char *name, const struct file_settings *settings, const kst_image *from, const kst_image *to,
    const char *place)
{
    if (settings->verbose)
        complain(name, "filtered: %ux%u became %ux%u%s", (unsigned)from->width, (unsigned)from->height,
            (unsigned)to->width, (unsigned)to->height, place);
}

bool filters_expect(struct picture *picture, const kst_image *from, const char *name,
    const struct file_settings *settings, kst_image *to, struct problem *problem)
{
    kst_report report;

    kst_report_init(&report);
    kst_status status = kst_filter_describe(relay_filter(settings->relay), from, to, &report);
    if (status)
        return explain(status, &report, problem);
    tell(name, settings, from, to, " by the device");
    settle(picture, from, to, name);
    picture->filtered = true;
    return true;
}

bool picture_filter(
    struct picture *picture, const char *name, const struct file_settings *settings, struct problem *problem)
{
    kst_filter *filter = NULL;
    kst_report report;
    kst_image to;

    if (settings->filters == NULL || picture->filtered)
        return true;
    kst_image_init(&to);
    kst_report_init(&report);
    kst_status status = kst_filter_open(settings->context, settings->filters, &filter, &report);
    if (!status && file_holds_results(settings->target) && !settings->counts) {
        status = segments_find(picture, settings->context, filter, &report);
        kst_filter_close(&filter);
        return !status || explain(status, &report, problem);
    }
    if (!status)
        status = apply(filter, &picture->image, settings, &to, &report);
    kst_filter_close(&filter);
    if (status)
        return explain(status, &report, problem);
    tell(name, settings, &picture->image, &to, place_of(&report));
    settle(picture, &picture->image, &to, name);
    picture_release_pixels(picture);
    picture->image = to;
    picture->context = settings->context;
    return true;
}
