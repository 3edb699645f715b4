/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that transcoding without keeping coefficients in memory gives the same bytes and warnings as with them, for
 * all kinds of sources and results; and that failures while something is kept elsewhere are sound.
 */
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/report.h"
#include "jpeg/run/transcode.h"
#include "support/context.h"
#include "support/corpus.h"
#include "support/failing_allocator.h"
#include "support/jpeg/recipe.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { ROOM = 4 << 20, KEPT_ROOM = 1 << 28 };

/* The cases, from whose numbers codings and transforms are drawn: all, or one in five under a sanitizer. */
enum { APART = SANITIZED ? 5 : 1 };

static uint32_t random_state;

/* A file in memory, and one for what is kept. */
struct files {
    uint8_t *data, *kept;
    uint64_t length, kept_length;
    uint64_t kept_most;  /* a longer one fails */
    uint32_t fetches;    /* so far */
    uint32_t fetch_most; /* more fail */
    bool garbles;        /* what is fetched */
};

static bool write_data(void *user, uint64_t offset, const void *data, size_t length)
{
    struct files *files = user;
    assert_int_equal(offset, files->length);
    assert_in_range(offset + length, 1, ROOM);
    memcpy(files->data + offset, data, length);
    files->length += length;
    return true;
}

static bool keep(void *user, uint64_t offset, const void *data, size_t length)
{
    struct files *files = user;
    assert_in_range(offset + length, 1, KEPT_ROOM);
    if (offset + length > files->kept_most)
        return false;
    memcpy(files->kept + offset, data, length);
    if (files->kept_length < offset + length)
        files->kept_length = offset + length;
    return true;
}

static bool fetch(void *user, uint64_t offset, void *data, size_t length)
{
    struct files *files = user;
    assert_in_range(offset + length, 1, files->kept_length);
    memcpy(data, files->kept + offset, length);
    if (files->garbles)
        ((uint8_t *)data)[random_below(&random_state, (uint32_t)length)] ^=
            (uint8_t)(1 + random_below(&random_state, 255));
    return files->fetches++ < files->fetch_most;
}

/* Memory for kept bytes is allocated once, because a sanitizer takes long to allocate so much. */
static uint8_t *kept_room(void)
{
    static uint8_t *room;
    if (!room)
        room = malloc(KEPT_ROOM);
    return room;
}

/* Only one at a time may be used to keep bytes. */
static struct files files_open(void)
{
    struct files files = {.data = malloc(ROOM), .kept = kept_room(), .kept_most = KEPT_ROOM, .fetch_most = UINT32_MAX};
    assert_true(files.data && files.kept);
    return files;
}

static void files_close(struct files *files)
{
    free(files->data);
}

/* How coefficients are kept. */
enum place { WHOLE, PACKED, ELSEWHERE, PLACES };

static kst_status transcode_at(kst_context *on, const struct contents *jpeg, const kst_transcode_options *options,
    enum place place, struct files *files, kst_report *report)
{
    struct memory memory;
    struct progress progress;
    struct sink sink;
    kst_writer writer = {.size = sizeof writer, .write = write_data, .user = files, .in_order = true};
    if (place == ELSEWHERE) {
        writer.keep = keep;
        writer.fetch = fetch;
    }
    files->length = files->kept_length = files->fetches = 0;
    kst_report_init(report);
    kst_memory_init_beside(&memory, &on->memory, on->limits.memory);
    struct jpeg_transcoding t = {
        .context = on, .op = kst_context_operation(on, &memory, report, &progress), .options = options};
    kst_sink_init_writer(&sink, &memory, &writer);
    kst_status status = kst_progress_begin(&progress, options->progress) ? KST_OK : KST_ERROR_CANCELLED;
    if (!status)
        status = kst_jpeg_run_transcoding_open(&t, jpeg->data, jpeg->length);
    if (!status)
        status = kst_jpeg_run_transcoding_plan(&t);
    t.encoding.stored_most = place == WHOLE ? UINT64_MAX : 0;
    if (!status)
        status = kst_jpeg_run_transcoding_write(&t, &sink);
    kst_sink_flush(&sink);
    kst_sink_release(&sink);
    kst_jpeg_run_transcoding_close(&t);
    assert_int_equal(kst_memory_left(&memory), on->limits.memory);
    return status;
}

static void check_same_report(const kst_report *a, const kst_report *b)
{
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->warnings, b->warnings);
    assert_int_equal(a->first_warning, b->first_warning);
    assert_int_equal(a->first_warning_offset, b->first_warning_offset);
    assert_string_equal(a->message, b->message);
}

/* Compare all places for coefficients. */
static void check(kst_context *on, const struct contents *jpeg, const kst_transcode_options *options)
{
    struct files whole = files_open();
    kst_report expected;
    kst_status status = transcode_at(on, jpeg, options, WHOLE, &whole, &expected);
    for (enum place place = PACKED; place < PLACES; place++) {
        struct files files = files_open();
        kst_report report;
        assert_int_equal(transcode_at(on, jpeg, options, place, &files, &report), status);
        check_same_report(&report, &expected);
        if (!status) {
            assert_int_equal(files.length, whole.length);
            assert_memory_equal(files.data, whole.data, whole.length);
        }
        files_close(&files);
    }
    files_close(&whole);
}

static const kst_scan separate[] = {{1, {2}, 0, 63, 0, 0}, {2, {0, 1}, 0, 63, 0, 0}};
static const kst_scan scans[] = {{1, {0}, 0, 0, 0, 2}, {2, {1, 2}, 0, 0, 0, 0}, {1, {0}, 1, 63, 0, 1},
    {1, {0}, 0, 0, 2, 1}, {1, {1}, 1, 63, 0, 0}, {1, {2}, 1, 30, 0, 2}, {1, {2}, 31, 63, 0, 0}, {1, {2}, 1, 30, 2, 1},
    {1, {0}, 0, 0, 1, 0}, {1, {0}, 1, 63, 1, 0}, {1, {2}, 1, 30, 1, 0}};

/* Choose what is made of a picture. */
static kst_transcode_options choose_options(const struct recipe *recipe, int n)
{
    static const kst_restart restarts[] = {
        {KST_RESTART_NONE, 0}, {KST_RESTART_MCUS, 3}, {KST_RESTART_ROWS, 1}, {KST_RESTART_KEEP, 0}};
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.coding = (kst_coding)(n % 3);
    options.restart = restarts[n / 3 % 4];
    options.transform = (kst_transform)(n % 8);
    options.edge = n / 8 % 2 ? KST_EDGE_TRIM : KST_EDGE_KEEP;
    options.grey = recipe->format != KST_FORMAT_CMYK && n / 5 % 4 == 1;
    if (n / 7 % 3 == 1)
        options.crop = (kst_region){.x = random_below(&random_state, recipe->width / 4 + 1),
            .y = random_below(&random_state, recipe->height / 4 + 1),
            .width = recipe->width / 4 + 1,
            .height = recipe->height / 4 + 1};
    if (options.transform >= KST_TRANSFORM_TRANSPOSE)
        options.crop = (kst_region){.x = 0};
    if (recipe->format == KST_FORMAT_RGB && !options.grey && n / 11 % 3 == 1) {
        bool progressive = options.coding == KST_CODING_PROGRESSIVE;
        options.script = progressive ? scans : separate;
        options.script_length = progressive ? sizeof scans / sizeof *scans : 2;
    }
    return options;
}

/* Every fourth picture is large enough for several strips and chunks of tokens. */
static struct recipe choose_recipe(int n)
{
    static const kst_format formats[] = {KST_FORMAT_GREY, KST_FORMAT_RGB, KST_FORMAT_RGB, KST_FORMAT_CMYK};
    const uint32_t side = n % 4 == 0 ? 700 : 90;
    return (struct recipe){.width = 1 + random_below(&random_state, side),
        .height = 1 + random_below(&random_state, side),
        .format = formats[random_below(&random_state, 4)],
        .subsampling = (kst_subsampling)random_below(&random_state, 6),
        .coding = (kst_coding)random_below(&random_state, 3),
        .restart = {
            random_below(&random_state, 2) ? KST_RESTART_MCUS : KST_RESTART_NONE, 1 + random_below(&random_state, 5)}};
}

static void test_same_bytes(void **state)
{
    const int count = fewer_cases() ? 24 : 120;
    (void)state;
    random_state = 1;
    for (uint32_t threads = THREADS_WATCHED ? 3 : 1; threads <= 3; threads++) {
        kst_context *on = cpu_context_create(threads);
        for (int n = 0; n < count; n++) {
            const struct recipe recipe = choose_recipe(n);
            struct contents jpeg = recipe_make(context, &recipe, &random_state);
            const kst_transcode_options options = choose_options(&recipe, n);
            check(on, &jpeg, &options);
            contents_free(&jpeg);
        }
        kst_context_destroy(&on);
    }
}

/* Grey whose only component has factors of 2, and components that do not fit one MCU. */
static void check_factors(kst_context *on, kst_format format, const uint8_t factors[4])
{
    static uint8_t pixels[170 * 150 * 3];
    kst_image image;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i / 40 + random_below(&random_state, 30));
    assert_int_equal(kst_image_wrap(&image, format, 170, 150, pixels, 0), KST_OK);
    for (int n = 0; n < 48; n += APART) {
        const kst_scan each[] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
        kst_encode_options encode;
        kst_buffer coded = {.data = NULL};
        kst_transcode_options options;
        kst_encode_options_init(&encode);
        memcpy(encode.h, factors, sizeof encode.h);
        memcpy(encode.v, factors, sizeof encode.v);
        encode.script = each;
        encode.script_length = format == KST_FORMAT_GREY ? 1 : 3;
        assert_int_equal(kst_encode(context, &image, &encode, &coded, NULL), KST_OK);
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)(n % 3);
        options.transform = (kst_transform)(n / 3 % 8);
        options.grey = n >= 24;
        check(on, &(struct contents){coded.data, coded.length}, &options);
        kst_buffer_release(context, &coded);
    }
}

static void test_factors(void **state)
{
    (void)state;
    random_state = 2;
    check_factors(context, KST_FORMAT_GREY, (const uint8_t[]){2, 2, 0, 0});
    check_factors(context, KST_FORMAT_GREY, (const uint8_t[]){3, 3, 0, 0});
    check_factors(context, KST_FORMAT_RGB, (const uint8_t[]){2, 2, 2, 0});
}

/* Damage anywhere, and files that end early: the same pixels, warnings and errors. */
static void test_damage(void **state)
{
    const int count = fewer_cases() ? 20 : 120;
    (void)state;
    random_state = 3;
    for (int n = 0; n < count; n++) {
        const struct recipe recipe = choose_recipe(n);
        struct contents jpeg = recipe_make(context, &recipe, &random_state);
        kst_transcode_options options = choose_options(&recipe, n);
        options.strict = n % 9 == 0;
        for (uint32_t i = random_below(&random_state, 4); i-- > 0;)
            jpeg.data[jpeg.length / 3 + random_below(&random_state, (uint32_t)(jpeg.length / 3 * 2))] =
                (uint8_t)random_below(&random_state, 256);
        if (n % 3 == 0)
            jpeg.length -= random_below(&random_state, (uint32_t)jpeg.length / 2);
        check(context, &jpeg, &options);
        contents_free(&jpeg);
    }
}

static void check_corpus_file(const char *name, const uint8_t *data, size_t length)
{
    struct contents jpeg = {malloc(length), length};
    assert_non_null(jpeg.data);
    print_message("%s\n", name);
    memcpy(jpeg.data, data, length);
    for (int n = fewer_cases() ? (int)(length / 3 % 2) : 0; n < 2; n += fewer_cases() ? 2 : 1) {
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)((length + (size_t)n) % 3);
        options.transform = n == 0 ? KST_TRANSFORM_NONE : (kst_transform)(1 + length % 7);
        check(context, &jpeg, &options);
    }
    contents_free(&jpeg);
}

static void test_corpus(void **state)
{
    (void)state;
    assert_true(for_each_corpus_file("jpeg/damaged", check_corpus_file) > 0);
}

static struct contents make_colour(kst_coding coding)
{
    const struct recipe recipe = {.width = 400, .height = 500, .format = KST_FORMAT_RGB, .coding = coding};
    random_state = 4;
    return recipe_make(context, &recipe, &random_state);
}

/* A writer that cannot keep or fetch ends the work wherever that is, and one that can leaves little in memory. */
static void test_failing_keeper(void **state)
{
    static const kst_transform transforms[] = {KST_TRANSFORM_NONE, KST_TRANSFORM_FLIP_V, KST_TRANSFORM_ROTATE_90};
    (void)state;
    struct contents jpeg = make_colour(KST_CODING_BASELINE);
    for (int n = 0; n < 9; n++) {
        struct files files = files_open();
        kst_report report;
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)(n % 3);
        options.transform = transforms[n / 3];
        const bool by_rows = n < 2; /* in order, sequential */
        assert_int_equal(transcode_at(context, &jpeg, &options, ELSEWHERE, &files, &report), KST_OK);
        assert_int_equal(files.kept_length > 0, !by_rows);
        assert_int_equal(files.fetches > 0, !by_rows);
        const uint64_t kept = files.kept_length;
        const uint32_t fetches = files.fetches;
        for (uint32_t part = 0; part < 8 && !by_rows; part += APART) {
            files.kept_most = kept * part / 8;
            assert_int_equal(transcode_at(context, &jpeg, &options, ELSEWHERE, &files, &report), KST_ERROR_WRITE);
            assert_int_equal(report.status, KST_ERROR_WRITE);
            files.kept_most = KEPT_ROOM;
            files.fetch_most = (uint32_t)((uint64_t)fetches * part / 8);
            assert_int_equal(transcode_at(context, &jpeg, &options, ELSEWHERE, &files, &report), KST_ERROR_WRITE);
            files.fetch_most = UINT32_MAX;
        }
        files_close(&files);
    }
    contents_free(&jpeg);
}

/* If other bytes come back than were kept, nothing is read or written out of bounds. */
static void test_garbled(void **state)
{
    (void)state;
    struct contents jpeg = make_colour(KST_CODING_BASELINE);
    uint32_t noticed = 0;
    for (int n = 0; n < 24; n += APART) {
        struct files files = files_open();
        kst_report report;
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)(n % 3);
        options.transform = n % 2 ? KST_TRANSFORM_ROTATE_90 : KST_TRANSFORM_FLIP_V;
        files.garbles = true;
        kst_status status = transcode_at(context, &jpeg, &options, ELSEWHERE, &files, &report);
        assert_true(!status || status == KST_ERROR_WRITE || status == KST_ERROR_JPEG_COEFFICIENT);
        noticed += status ? 1 : 0;
        files_close(&files);
    }
    assert_true(noticed > 0);
    contents_free(&jpeg);
}

struct change {
    struct contents *jpeg;
    double at;
    bool done;
};

static bool change_data(void *user, double done)
{
    struct change *change = user;
    if (done >= change->at && !change->done) {
        change->done = true;
        for (size_t i = change->jpeg->length / 4; i < change->jpeg->length / 4 * 3; i += 50)
            change->jpeg->data[i] ^= 0x15;
    }
    return true;
}

/* Data that change between the pass for the tables and that for the code are an error. */
static void test_changed_data(void **state)
{
    (void)state;
    kst_context *on = cpu_context_create(1);
    for (int n = 0; n < 2; n++) {
        struct contents jpeg = make_colour(n ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE);
        struct change change = {.jpeg = &jpeg, .at = 0.5};
        const kst_progress progress = {.size = sizeof progress, .told = change_data, .user = &change};
        struct files files = files_open();
        kst_report report;
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = KST_CODING_OPTIMIZED;
        options.progress = &progress;
        assert_int_equal(transcode_at(on, &jpeg, &options, PACKED, &files, &report), KST_ERROR_ROWS);
        assert_true(change.done);
        files_close(&files);
        contents_free(&jpeg);
    }
    kst_context_destroy(&on);
}

static bool go_on_until(void *user, double done)
{
    return done < *(double *)user;
}

static void test_cancelling(void **state)
{
    (void)state;
    struct contents jpeg = make_colour(KST_CODING_PROGRESSIVE);
    for (int n = 0; n < 24; n += APART) {
        double end = n / 24.0;
        const kst_progress progress = {.size = sizeof progress, .told = go_on_until, .user = &end};
        struct files files = files_open();
        kst_report report;
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)(n % 3);
        options.transform = n % 2 ? KST_TRANSFORM_ROTATE_270 : KST_TRANSFORM_NONE;
        options.progress = &progress;
        assert_int_equal(transcode_at(context, &jpeg, &options, ELSEWHERE, &files, &report), KST_ERROR_CANCELLED);
        files_close(&files);
    }
    contents_free(&jpeg);
}

struct failing_large {
    struct contents jpeg;
    kst_transcode_options options;
    enum place place;
};

static kst_status transcode_large(kst_context *on, const void *argument)
{
    const struct failing_large *work = argument;
    struct files files = files_open();
    kst_report report;
    kst_status status = transcode_at(on, &work->jpeg, &work->options, work->place, &files, &report);
    files_close(&files);
    return status;
}

static void test_failing_memory(void **state)
{
    static const kst_transform transforms[] = {KST_TRANSFORM_NONE, KST_TRANSFORM_FLIP_V, KST_TRANSFORM_TRANSPOSE};
    (void)state;
    for (int n = 0; n < 18; n += APART) {
        const struct recipe recipe = {.width = 100,
            .height = 60,
            .format = KST_FORMAT_RGB,
            .coding = n % 2 ? KST_CODING_PROGRESSIVE : KST_CODING_BASELINE};
        random_state = 5;
        struct failing_large work = {.place = n < 9 ? PACKED : ELSEWHERE};
        kst_transcode_options_init(&work.options);
        work.jpeg = recipe_make(context, &recipe, &random_state);
        work.options.coding = (kst_coding)(n % 3);
        work.options.transform = transforms[n / 3 % 3];
        assert_true(failing_check(transcode_large, &work, 2) > 0);
        contents_free(&work.jpeg);
    }
}

/* With a limit on memory, pictures are transcoded that have no room there as coefficients. */
static void test_limit(void **state)
{
    (void)state;
    const struct recipe recipe = {.width = 1500, .height = 1100, .format = KST_FORMAT_RGB};
    const kst_limits limits = {.memory = 4 << 20};
    random_state = 6;
    struct contents jpeg = recipe_make(context, &recipe, &random_state);
    kst_context *little = context_create("cpu", 2, &limits);
    for (int n = 0; n < 12; n += APART) {
        struct files files = files_open(), whole = files_open();
        kst_report report;
        kst_transcode_options options;
        kst_transcode_options_init(&options);
        options.coding = (kst_coding)(n % 3);
        options.transform = (kst_transform[]){
            KST_TRANSFORM_NONE, KST_TRANSFORM_FLIP_H, KST_TRANSFORM_ROTATE_180, KST_TRANSFORM_TRANSVERSE}[n / 3];
        assert_int_equal(transcode_at(little, &jpeg, &options, ELSEWHERE, &files, &report), KST_OK);
        assert_int_equal(transcode_at(context, &jpeg, &options, WHOLE, &whole, &report), KST_OK);
        assert_int_equal(files.length, whole.length);
        assert_memory_equal(files.data, whole.data, whole.length);
        files_close(&files);
        files_close(&whole);
    }
    kst_context_destroy(&little);
    contents_free(&jpeg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_failing_keeper),
        cmocka_unit_test(test_garbled),
        cmocka_unit_test(test_changed_data),
        cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_limit),
    };
    return run_with_context(0, tests, NULL, NULL);
}
