/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes any bytes to a function that takes rows, in order and not, with one to three threads, and checks that the
 * rows are those of the whole picture, that each comes once, and that the reports agree. The function fails at some
 * row, and memory may be short.
 */
#include <kostka/kostka_writer.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { THREADS = 3 };

/* Holds what was observed of the rows so far. Several threads change the atomic members. */
struct taken {
    const kst_image *whole; /* null: the picture cannot be decoded as a whole */
    atomic_uchar *times;    /* for each row the number of times that it was passed */
    uint32_t height, next, fail_at;
    bool in_order;
    atomic_bool inside, failed;
};

/* Make a context for larger pictures than other targets have, so that they have several bands of 256 KB. */
static kst_context *context_of(uint32_t threads, bool short_of_memory)
{
    static kst_context *contexts[THREADS][2];
    kst_context **context = &contexts[threads - 1][short_of_memory];
    kst_context_options options;
    if (*context)
        return *context;
    kst_context_options_init(&options);
    options.device = "cpu";
    options.threads = threads;
    options.limits.pixels = UINT64_C(1) << 18;
    options.limits.memory = short_of_memory ? UINT64_C(1) << 20 : UINT64_C(64) << 20;
    options.limits.scans = 24;
    options.limits.markers = 400;
    fuzz_check(!kst_context_create(&options, context), "a context can be made");
    return *context;
}

static void check_row(const kst_plane *from, const kst_plane *to, uint32_t y, uint32_t first, size_t bytes)
{
    const uint8_t *a = (const uint8_t *)from->data + (ptrdiff_t)y * from->pitch;
    const uint8_t *b = (const uint8_t *)to->data + (ptrdiff_t)(y - first) * to->pitch;
    fuzz_check(memcmp(a, b, bytes) == 0, "a row is that row of the whole");
}

static void check_rows(const kst_image *whole, uint32_t first, const kst_image *rows)
{
    const kst_plane *plane = &rows->plane[0];
    fuzz_check(rows->format == whole->format && rows->width == whole->width && rows->plane_count == whole->plane_count,
        "rows are of the picture's format");
    if (rows->height == whole->height) {
        fuzz_check_same_image(whole, rows);
        return;
    }
    fuzz_check(kst_format_channels(rows->format) > 0, "only interleaved pixels come in bands");
    fuzz_check(plane->height == rows->height && plane->depth == whole->plane[0].depth, "rows describe their plane");
    size_t sample = plane->depth > 16 ? 4 : plane->depth > 8 ? 2 : 1;
    size_t bytes = (size_t)rows->width * kst_format_channels(rows->format) * sample;
    for (uint32_t y = first; y < first + rows->height; y++)
        check_row(&whole->plane[0], plane, y, first, bytes);
}

static bool take(void *user, uint32_t y, const kst_image *rows)
{
    struct taken *taken = user;
    if (taken->in_order) {
        fuzz_check(!atomic_exchange(&taken->inside, true), "rows in order come in one call at a time");
        fuzz_check(!atomic_load(&taken->failed), "no rows follow those that were not taken");
        fuzz_check(y == taken->next, "rows come in order");
        taken->next = y + rows->height;
    }
    fuzz_check(rows->height > 0 && y < taken->height && rows->height <= taken->height - y, "rows are of the picture");
    for (uint32_t i = 0; i < rows->height; i++)
        fuzz_check(atomic_fetch_add(&taken->times[y + i], 1) == 0, "each row comes once");
    if (taken->whole)
        check_rows(taken->whole, y, rows);
    bool good = taken->fail_at < y || taken->fail_at - y >= rows->height;
    if (!good)
        atomic_store(&taken->failed, true);
    atomic_store(&taken->inside, false);
    return good;
}

static void check_all_came(const struct taken *taken)
{
    for (uint32_t y = 0; y < taken->height; y++)
        fuzz_check(atomic_load(&taken->times[y]) == 1, "every row came");
}

/* Check the end of a decoding. `status` and `whole` are the results of decoding to memory. */
static void check_end(
    const struct taken *taken, kst_status of_rows, const kst_report *report, kst_status status, const kst_report *whole)
{
    fuzz_check(of_rows == report->status, "the reported status is the one returned");
    if (atomic_load(&taken->failed)) {
        fuzz_check(of_rows == KST_ERROR_WRITE || (status && of_rows == status), "rows that are not taken are an error");
        return;
    }
    if (fuzz_ran_out(of_rows, status))
        return;
    fuzz_check_same_report(whole, report);
    if (!of_rows)
        check_all_came(taken);
}

static void decode_rows(kst_decoder *decoder, const kst_decode_options *options, struct taken *taken, kst_status status,
    const kst_report *whole)
{
    const kst_row_writer writer = {.size = sizeof writer, .write = take, .user = taken, .in_order = taken->in_order};
    kst_image described;
    if (kst_decoder_describe(decoder, options, &described))
        return;
    taken->height = described.height;
    taken->times = calloc(described.height, sizeof *taken->times);
    fuzz_check(taken->times != NULL, "there is memory for the counts");
    kst_status of_rows = kst_decoder_decode_rows(decoder, options, &writer);
    check_end(taken, of_rows, kst_decoder_report(decoder), status, whole);
    free(taken->times);
}

static kst_decode_options read_options(struct fuzz_input *input)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.format = (kst_format)fuzz_take(input, KST_FORMAT_RAW + 1);
    uint32_t flags = fuzz_take(input, 64);
    options.reduce = flags & 1 ? fuzz_take(input, 4) : 0;
    options.strict = (flags & 6) == 6;
    options.orient = flags & 8;
    if ((flags & 48) == 48) {
        options.region.x = fuzz_take(input, 40);
        options.region.y = fuzz_take(input, 256);
        options.region.width = 1 + fuzz_take(input, 200);
        options.region.height = 1 + 3 * fuzz_take(input, 200);
    }
    return options;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct fuzz_input input = {data, length};
    struct taken taken = {.fail_at = UINT32_MAX};
    kst_decode_options options = read_options(&input);
    uint32_t kind = fuzz_take(&input, 4 * THREADS);
    taken.in_order = kind % 2 == 1;
    if (kind % 4 >= 2)
        taken.fail_at = 3 * fuzz_take(&input, 256);
    kst_context *context = context_of(1 + kind / 4, fuzz_take(&input, 8) == 7);
    kst_image whole;
    kst_report report;
    kst_decoder *decoder;
    kst_image_init(&whole);
    kst_report_init(&report);
    kst_status status = kst_decode(context_of(1, false), data, length, &options, &whole, &report);
    taken.whole = status ? NULL : &whole;
    fuzz_check(!kst_decoder_create(context, &decoder), "a decoder can be made");
    if (!kst_decoder_open(decoder, data, length))
        decode_rows(decoder, &options, &taken, status, &report);
    kst_decoder_destroy(&decoder);
    kst_image_release(context_of(1, false), &whole);
    return 0;
}
