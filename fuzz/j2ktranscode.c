/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transcodes any bytes that are JPEG 2000, and checks that the result is the same on every context and an OpenCL
 * device, has correct headers, decodes to the same pixels, and does not change when it is transcoded again.
 */
#include "compared.h"

#include <string.h>

/* Choose components, in ascending order. */
static void choose_components(kst_transcode_jpeg2000 *j, uint32_t chosen[4], uint32_t bits)
{
    for (uint32_t i = 0; i < 4; i++)
        if (bits & 1U << i)
            chosen[j->component_count++] = i;
    j->components = j->component_count > 0 ? chosen : NULL;
}

static kst_transcode_options read_options(struct fuzz_input *input, uint32_t chosen[4])
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    kst_transcode_jpeg2000 *j = &options.jpeg2000;
    uint32_t flags = fuzz_take(input, 256), choices = fuzz_take(input, 81);
    if (flags & 1)
        j->progression = (int)fuzz_take(input, 5);
    if (flags & 2)
        j->reduce = fuzz_take(input, 4);
    if (flags & 4)
        j->layers = fuzz_take(input, 6);
    if (flags & 8)
        j->division = fuzz_take(input, 8);
    j->part_by_part = flags & 16;
    j->container = (kst_container)((flags >> 5) % 3);
    options.strict = flags == 255;
    j->packet_lengths = (kst_choice)(choices % 3);
    j->tile_part_lengths = (kst_choice)(choices / 3 % 3);
    j->sop = (kst_choice)(choices / 9 % 3);
    j->eph = (kst_choice)(choices / 27);
    if ((flags & 6) == 0 && flags & 64)
        j->rate = (1 + fuzz_take(input, 256)) / 32.0;
    if (flags & 128)
        options.strip = (kst_strip)fuzz_take(input, 3);
    j->headers = (kst_j2k_headers)fuzz_take(input, 3);
    if (fuzz_take(input, 4) == 3)
        choose_components(j, chosen, fuzz_take(input, 16));
    j->ht = (kst_choice)fuzz_take(input, 3);
    if (j->ht == KST_CHOICE_YES)
        j->rate = 0;
    return options;
}

static kst_status decode(const void *data, size_t length, const kst_transcode_jpeg2000 *changed, kst_image *image)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    kst_image_init(image);
    options.format = KST_FORMAT_RAW;
    options.reduce = changed ? changed->reduce : 0;
    options.layers = changed ? changed->layers : 0;
    options.components = changed ? changed->components : NULL;
    options.component_count = changed ? changed->component_count : 0;
    return kst_decode(fuzz_fast(), data, length, &options, image, NULL);
}

/*
 * Return whether a status is that of a limit. Some limits depend on the stream's length, and the output may be shorter
 * than the input.
 */
static bool is_limit(kst_status status)
{
    return status >= KST_ERROR_LIMIT_PIXELS && status <= KST_ERROR_LIMIT_WORK;
}

static void check_headers(const kst_buffer *output)
{
    kst_decoder *decoder;
    fuzz_check(!kst_decoder_create(fuzz_plain(), &decoder), "a decoder can be made");
    kst_status status = kst_decoder_open(decoder, output->data, output->length);
    fuzz_check(!status || is_limit(status), "the output can be opened");
    kst_decoder_destroy(&decoder);
}

/* Add the components that a component transform combines with a wanted one. */
static void add_transformed(kst_transcode_jpeg2000 *j, uint32_t chosen[8], uint32_t kept)
{
    uint32_t count = 0;
    if (!j->components || j->component_count == kept || j->components[0] > 2)
        return;
    for (uint32_t i = 0; i < 3; i++)
        chosen[count++] = i;
    for (uint32_t i = 0; i < j->component_count; i++)
        if (j->components[i] > 2)
            chosen[count++] = j->components[i];
    j->components = chosen;
    j->component_count = count;
}

/* Compare planes only, because colours may change with the boxes. */
static void check_planes(const kst_image *before, const kst_image *after)
{
    kst_comparison comparison = {.size = sizeof comparison};
    fuzz_check(!kst_compare(before, after, &comparison), "the images can be compared");
    fuzz_check(comparison.identical, "the same pixels");
}

static void check_pixels(const uint8_t *data, size_t length, const kst_buffer *output, const kst_transcode_jpeg2000 *j)
{
    kst_image before, after;
    kst_status status = decode(output->data, output->length, NULL, &after);
    if (!status) {
        kst_transcode_jpeg2000 changed = *j;
        uint32_t chosen[8];
        add_transformed(&changed, chosen, after.plane_count);
        if (!decode(data, length, &changed, &before))
            check_planes(&before, &after);
        kst_image_release(fuzz_fast(), &before);
    } else if (!is_limit(status)) {
        fuzz_check(decode(data, length, j, &before), "the output can be decoded");
    }
    kst_image_release(fuzz_fast(), &after);
}

/* Transcode the output again. It has no damage, even if the input had. */
static void check_again(const kst_buffer *output, const kst_transcode_jpeg2000 *j)
{
    kst_transcode_options options;
    kst_buffer again = {0};
    kst_report report;
    kst_report_init(&report);
    kst_transcode_options_init(&options);
    options.jpeg2000.division = j->division;
    options.jpeg2000.part_by_part = j->part_by_part;
    options.jpeg2000.headers = j->headers;
    kst_status status = kst_transcode(fuzz_fast(), output->data, output->length, &options, &again, &report);
    if (!status) {
        if (report.warnings > 0 && report.first_warning != KST_WARNING_J2K_BOX)
            fuzz_check(false, report.message); /* boxes are copied unchanged; all else must be right */
        fuzz_check(again.length == output->length && memcmp(again.data, output->data, again.length) == 0,
            "nothing is left to change");
    } else {
        fuzz_check(is_limit(status), "the output can be transcoded");
    }
    kst_buffer_release(fuzz_fast(), &again);
}

static bool is_jpeg2000(const uint8_t *data, size_t length)
{
    return length >= 12 && (memcmp(data, "\xFF\x4F\xFF\x51", 4) == 0 || memcmp(data + 4, "jP  ", 4) == 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    compared_start();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct fuzz_input input = {data, length};
    uint32_t chosen[4];
    kst_transcode_options options = read_options(&input, chosen);
    kst_buffer plain = {0};
    kst_buffer fast = {0};
    kst_report plain_report;
    kst_report fast_report;
    if (!is_jpeg2000(data, length))
        return 0;
    kst_report_init(&plain_report);
    kst_report_init(&fast_report);
    kst_status a = kst_transcode(fuzz_plain(), data, length, &options, &plain, &plain_report);
    kst_status b = kst_transcode(fuzz_fast(), data, length, &options, &fast, &fast_report);
    fuzz_check(a == b && a == plain_report.status, "the reported status is the one returned");
    fuzz_check_same_report(&plain_report, &fast_report);
    if (!a) {
        fuzz_check(plain.length == fast.length && memcmp(plain.data, fast.data, plain.length) == 0, "the same bytes");
        check_headers(&plain);
        check_again(&plain, &options.jpeg2000);
        if (options.jpeg2000.rate <= 0)
            check_pixels(data, length, &plain, &options.jpeg2000);
    }
    compared_transcode_on_device(data, length, &options, &plain, &plain_report);
    kst_buffer_release(fuzz_plain(), &plain);
    kst_buffer_release(fuzz_fast(), &fast);
    return 0;
}
