/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the contexts that the fuzz targets share, and compares and checks for them. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const kst_limits usual = {
    .pixels = UINT64_C(1) << 17,
    .memory = UINT64_C(64) << 20,
    .metadata = UINT64_C(1) << 20,
    .scans = 24,
    .markers = 400,
};

static kst_context *make_context(uint32_t threads, const char *cpu, const kst_limits *limits)
{
    kst_context_options options;
    kst_context_options_init(&options);
    options.device = "cpu";
    options.cpu = cpu;
    options.threads = threads;
    options.limits = *limits;
    kst_context *context;
    fuzz_check(!kst_context_create(&options, &context), "a context can be made");
    return context;
}

kst_context *fuzz_plain(void)
{
    static kst_context *context;
    if (!context)
        context = make_context(1, "c", &usual);
    return context;
}

kst_context *fuzz_fast(void)
{
    static kst_context *context;
    if (!context)
        context = make_context(3, NULL, &usual);
    return context;
}

kst_context *fuzz_wide(void)
{
    static kst_context *context;
    if (!context)
        context = make_context(9, NULL, &usual);
    return context;
}

kst_context *fuzz_limited(uint32_t kind)
{
    static kst_context *contexts[FUZZ_LIMITS];
    kst_limits limits[FUZZ_LIMITS] = {usual, usual, usual, usual, usual, usual};
    if (contexts[kind])
        return contexts[kind];
    limits[0].components = limits[0].tiles = 2;
    limits[1].precincts = 30;
    limits[2].blocks = 20;
    limits[3].tile_parts = limits[3].layers = 2;
    limits[4].work = 1;
    limits[5].memory = 1 << 18;
    limits[5].boxes = limits[5].markers = 6;
    contexts[kind] = make_context(1, "c", &limits[kind]);
    return contexts[kind];
}

uint32_t fuzz_take(struct fuzz_input *input, uint32_t bound)
{
    if (input->length == 0)
        return 0;
    return input->data[--input->length] % bound;
}

void fuzz_check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: this does not hold: %s\n", what);
    abort();
}

void fuzz_check_same_image(const kst_image *a, const kst_image *b)
{
    kst_comparison comparison = {.size = sizeof comparison};
    fuzz_check(a->format == b->format && a->colour == b->colour, "the same format");
    fuzz_check(!kst_compare(a, b, &comparison), "the images can be compared");
    fuzz_check(comparison.identical, "the same pixels");
}

void fuzz_check_same_report(const kst_report *a, const kst_report *b)
{
    fuzz_check(a->status == b->status, "the same status");
    fuzz_check(a->offset == b->offset, "the same offset");
    fuzz_check(a->warnings == b->warnings, "the same number of warnings");
    fuzz_check(a->first_warning == b->first_warning, "the same first warning");
    fuzz_check(a->first_warning_offset == b->first_warning_offset, "the same offset of the first warning");
    fuzz_check(strcmp(a->message, b->message) == 0, "the same message");
}

bool fuzz_ran_out(kst_status a, kst_status b)
{
    return a == KST_ERROR_LIMIT_MEMORY || b == KST_ERROR_LIMIT_MEMORY;
}
