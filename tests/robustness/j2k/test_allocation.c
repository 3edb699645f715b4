/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that runs out anywhere in encoding, decoding or transcoding JPEG 2000: the right status, nothing leaked, no
 * half output.
 */
#include <stdlib.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/sanitizers.h"
#include "support/test.h"

enum { WIDTH = 72, HEIGHT = 56, COMMENT = 5, ROOM = 1 << 18 };

static uint8_t pixels[HEIGHT * WIDTH * 4];

static void fill(void)
{
    uint32_t random = 1;
    for (uint32_t i = 0; i < sizeof pixels; i++) {
        random = random * 1664525 + 1013904223;
        pixels[i] = (uint8_t)(i / 5 + (random >> 27));
    }
}

/* One call and what it must give. */
struct job {
    kst_encode_options encode;
    kst_j2k_options j2k;
    kst_format format;
    kst_transcode_options transcode;
    const kst_buffer *source; /* null: encode */
    bool into;                /* the caller's buffer */
    kst_buffer expected;
};

static kst_status call(kst_context *context, const struct job *job, kst_buffer *output, kst_report *report)
{
    kst_image image;
    if (job->source)
        return kst_transcode(context, job->source->data, job->source->length, &job->transcode, output, report);
    assert_int_equal(kst_image_wrap(&image, job->format, WIDTH, HEIGHT, pixels, 0), KST_OK);
    return kst_encode(context, &image, &job->encode, output, report);
}

static kst_status once(kst_context *context, const void *argument)
{
    static uint8_t room[ROOM];
    const struct job *job = argument;
    kst_buffer output = {.data = job->into ? room : NULL, .capacity = job->into ? ROOM : 0};
    kst_report report;
    kst_report_init(&report);
    kst_status status = call(context, job, &output, &report);
    assert_int_equal(report.status, status);
    assert_int_equal(output.owned, !status && !job->into);
    if (status) {
        assert_true(strlen(report.message) > 0);
        assert_ptr_equal(output.data, job->into ? room : NULL);
        return status;
    }
    assert_int_equal(output.length, job->expected.length);
    assert_memory_equal(output.data, job->expected.data, output.length);
    kst_buffer_release(context, &output);
    return KST_OK;
}

/* One thread and three; with fewer cases one of these by turns. */
static uint32_t first_threads(void)
{
    static uint32_t turn;
    return THREADS_WATCHED || (fewer_cases() && spread_below(turn++, 2)) ? 3 : 1;
}

static uint32_t threads_apart(void)
{
    return fewer_cases() ? 3 : 2;
}

static void check(struct job *job)
{
    struct failing plain = {.ever_after = false};
    kst_context *context = failing_context(&plain, 1);
    kst_report report;
    kst_report_init(&report);
    job->encode.jpeg2000 = &job->j2k;
    if (call(context, job, &job->expected, &report))
        fail_msg("%s", report.message);
    for (uint32_t threads = first_threads(); threads <= 3; threads += threads_apart())
        assert_true(failing_check(once, job, threads) >= 100);
    kst_buffer_release(context, &job->expected);
    kst_context_destroy(&context);
}

static struct job encoding(void)
{
    struct job job = {.format = KST_FORMAT_RGB};
    kst_encode_options_init(&job.encode);
    kst_j2k_options_init(&job.j2k);
    job.encode.codec = KST_CODEC_JPEG2000;
    job.j2k.levels = 3;
    return job;
}

static void lossless(void **state)
{
    const kst_metadata metadata[] = {{.kind = KST_METADATA_ICC, .data = pixels, .length = 5000},
        {.kind = KST_METADATA_EXIF, .data = pixels, .length = 50},
        {.kind = KST_METADATA_COMMENT, .data = pixels, .length = COMMENT}};
    struct job job = encoding();
    (void)state;
    job.format = KST_FORMAT_RGBA;
    job.encode.metadata = metadata;
    job.encode.metadata_count = sizeof metadata / sizeof *metadata;
    job.encode.density_unit = KST_DENSITY_INCH;
    job.encode.density_x = job.encode.density_y = 300;
    check(&job);
    job.into = true;
    job.j2k.codestream = true;
    job.j2k.style = KST_J2K_BYPASS | KST_J2K_TERMALL | KST_J2K_CAUSAL | KST_J2K_SYMBOLS;
    check(&job);
}

static struct job layered(void)
{
    struct job job = encoding();
    job.j2k.target = KST_J2K_RATE;
    job.j2k.value = 3;
    job.j2k.layers = 4;
    job.j2k.tile_width = job.j2k.tile_height = 40;
    job.j2k.packet_lengths = job.j2k.tile_part_lengths = job.j2k.sop = job.j2k.eph = true;
    job.j2k.division = KST_J2K_DIVIDE_RESOLUTION;
    job.j2k.progression = KST_PROGRESSION_RLCP;
    return job;
}

static void lossy(void **state)
{
    const kst_j2k_change changes[] = {{KST_PROGRESSION_RPCL, 0, 2, 0, 3, 1}, {KST_PROGRESSION_LRCP, 0, 4, 0, 3, 2}};
    struct job job = layered();
    (void)state;
    check(&job);
    job = encoding();
    job.j2k.target = KST_J2K_PSNR;
    job.j2k.value = 40;
    job.j2k.layers = 2;
    job.j2k.change = changes;
    job.j2k.change_count = 2;
    job.j2k.precinct_count = 1;
    job.j2k.precinct_width[0] = job.j2k.precinct_height[0] = 32;
    job.j2k.block_width = job.j2k.block_height = 16;
    check(&job);
    job = encoding();
    job.j2k.target = KST_J2K_STEP;
    job.j2k.value = 2;
    job.j2k.interest = (kst_region){10, 10, 30, 20};
    check(&job);
}

/* Not damaged, of its own tiles' headers; more of transcoding is in what it is to do. */
static void transcoding(void **state)
{
    struct failing plain = {.ever_after = false};
    kst_context *context = failing_context(&plain, 1);
    struct job made = layered(), job = {.source = &made.expected};
    (void)state;
    made.encode.jpeg2000 = &made.j2k;
    assert_int_equal(call(context, &made, &made.expected, NULL), KST_OK);
    kst_transcode_options_init(&job.transcode);
    check(&job);
    job.transcode.jpeg2000.progression = KST_PROGRESSION_CPRL;
    job.transcode.jpeg2000.reduce = 1;
    job.transcode.jpeg2000.layers = 2;
    job.transcode.jpeg2000.division = KST_J2K_DIVIDE_COMPONENT;
    job.transcode.jpeg2000.part_by_part = true;
    job.transcode.jpeg2000.container = KST_CONTAINER_CODESTREAM;
    check(&job);
    kst_transcode_options_init(&job.transcode);
    job.transcode.jpeg2000.rate = 3.5;
    job.transcode.jpeg2000.layers = 3;
    job.into = true;
    check(&job);
    kst_buffer_release(context, &made.expected);
    kst_context_destroy(&context);
}

/* A codestream that gets boxes. */
static void wrapping(void **state)
{
    struct failing plain = {.ever_after = false};
    kst_context *context = failing_context(&plain, 1);
    struct job made = encoding(), job = {.source = &made.expected};
    (void)state;
    made.j2k.codestream = true;
    made.encode.jpeg2000 = &made.j2k;
    assert_int_equal(call(context, &made, &made.expected, NULL), KST_OK);
    kst_transcode_options_init(&job.transcode);
    job.transcode.jpeg2000.container = KST_CONTAINER_JP2;
    check(&job);
    kst_buffer_release(context, &made.expected);
    kst_context_destroy(&context);
}

/* The parts of a stream that are read. */
struct reading {
    kst_buffer coded;
    kst_decode_options options;
    bool described; /* only opened, and its elements listed */
};

static kst_status describe(kst_context *context, const struct reading *reading)
{
    kst_decoder *decoder = NULL;
    kst_element element = {.size = sizeof element};
    kst_status status = kst_decoder_create(context, &decoder);
    if (!status)
        status = kst_decoder_open(decoder, reading->coded.data, reading->coded.length);
    uint32_t elements = 0;
    while (!status && kst_decoder_next_element(decoder, &element))
        elements++;
    if (!status)
        status = kst_decoder_report(decoder)->status;
    kst_breach breach = {.size = sizeof breach};
    assert_false(!status && kst_decoder_claim_breach(decoder, 0, &breach));
    if (!status)
        status = kst_decoder_report(decoder)->status;
    assert_true(status || elements > 10);
    kst_decoder_destroy(&decoder);
    return status;
}

static kst_status read_once(kst_context *context, const void *argument)
{
    const struct reading *reading = argument;
    kst_image image;
    kst_report report;
    if (reading->described)
        return describe(context, reading);
    kst_image_init(&image);
    kst_report_init(&report);
    kst_status status =
        kst_decode(context, reading->coded.data, reading->coded.length, &reading->options, &image, &report);
    assert_int_equal(report.status, status);
    assert_int_equal(image.plane[0].data != NULL, !status);
    assert_true(!status || strlen(report.message) > 0);
    kst_image_release(context, &image);
    return status;
}

static void read_all(struct reading *reading)
{
    kst_decode_options_init(&reading->options);
    reading->described = true;
    assert_true(failing_check(read_once, reading, 1) >= 4);
    reading->described = false;
    for (uint32_t i = 0; i < 4; i++) {
        kst_decode_options_init(&reading->options);
        if (i == 1)
            reading->options.region = (kst_region){20, 10, 40, 30};
        reading->options.reduce = i == 2;
        reading->options.format = i == 3 ? KST_FORMAT_RAW : KST_FORMAT_AUTO;
        for (uint32_t threads = first_threads(); threads <= 3; threads += threads_apart())
            assert_true(failing_check(read_once, reading, threads) >= 20);
    }
}

/*
 * Decode a stream with tiles and layers and packet headers of each tile, one tile with boxes, and the same as HTJ2K,
 * whose CAP claims what the stream has.
 */
static void decoding(void **state)
{
    struct failing plain = {.ever_after = false};
    kst_context *context = failing_context(&plain, 1);
    struct job made[] = {layered(), encoding(), encoding()};
    (void)state;
    made[2].j2k.style = KST_J2K_HT;
    for (uint32_t i = 0; i < 3; i++) {
        struct reading reading = {.described = false};
        made[i].encode.jpeg2000 = &made[i].j2k;
        assert_int_equal(call(context, &made[i], &reading.coded, NULL), KST_OK);
        read_all(&reading);
        kst_buffer_release(context, &reading.coded);
    }
    kst_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lossless),
        cmocka_unit_test(lossy),
        cmocka_unit_test(transcoding),
        cmocka_unit_test(wrapping),
        cmocka_unit_test(decoding),
    };
    fill();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
