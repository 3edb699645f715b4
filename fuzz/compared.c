/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes one stream on several contexts, and aborts where two of them differ. */
#include "compared.h"

#include <stdlib.h>
#include <string.h>

static kst_context *device; /* null: there is none */

/* Drivers and their compilers never free some of their memory. LeakSanitizer calls this function by its name. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl\nleak:libLLVM\nleak:libclang\nleak:libOpenCL\nleak:libstdc++\nleak:dl_exception_create\nleak:_"
           "dlerror_run\n";
}

/* Encode and decode a picture, so that the kernels are compiled before the fuzzer counts seconds. */
static void warm_up(kst_codec codec)
{
    static uint8_t pixels[64 * 64 * 3];
    kst_encode_options options;
    kst_buffer coded = {.data = NULL};
    kst_image image;
    kst_encode_options_init(&options);
    options.codec = codec;
    fuzz_check(!kst_image_wrap(&image, KST_FORMAT_RGB, 64, 64, pixels, 0), "an image can be described");
    fuzz_check(!kst_encode(fuzz_plain(), &image, &options, &coded, NULL), "a picture can be encoded");
    kst_image_init(&image);
    kst_decode(device, coded.data, coded.length, NULL, &image, NULL);
    kst_image_release(device, &image);
    kst_buffer_release(fuzz_plain(), &coded);
}

void compared_start(void)
{
    kst_context_options options;
    kst_context_options_init(&options);
    options.device = "opencl";
    options.threads = 2;
    options.limits.pixels = 1 << 17;
    options.limits.memory = UINT64_C(256) << 20;
    options.limits.scans = 24;
    options.limits.markers = 400;
    if (kst_context_create(&options, &device)) {
        device = NULL;
        return;
    }
    warm_up(KST_CODEC_JPEG);
    warm_up(KST_CODEC_JPEG2000);
}

struct result {
    kst_context *context;
    kst_status status;
    kst_image image;
    kst_report report;
};

static void decode(
    struct result *result, kst_context *context, const uint8_t *data, size_t length, const kst_decode_options *options)
{
    result->context = context;
    kst_image_init(&result->image);
    kst_report_init(&result->report);
    result->status = kst_decode(context, data, length, options, &result->image, &result->report);
    fuzz_check(result->status == result->report.status, "the reported status is the one returned");
}

static bool is_whole(const kst_image *image)
{
    return image->plane[0].sample == KST_SAMPLE_INTEGER;
}

static void check_same(const struct result *a, const struct result *b)
{
    bool driver = a->status == KST_ERROR_DEVICE_FAILED || b->status == KST_ERROR_DEVICE_FAILED;
    if (driver || fuzz_ran_out(a->status, b->status))
        return;
    fuzz_check_same_report(&a->report, &b->report);
    if (!a->status && is_whole(&a->image))
        fuzz_check_same_image(&a->image, &b->image);
}

static void drop(struct result *result)
{
    kst_image_release(result->context, &result->image);
}

void compared_decode(const uint8_t *data, size_t length, const kst_decode_options *options, bool on_device)
{
    struct result plain, other;
    decode(&plain, fuzz_plain(), data, length, options);
    decode(&other, fuzz_fast(), data, length, options);
    check_same(&plain, &other);
    drop(&other);
    if (on_device && device) {
        decode(&other, device, data, length, options);
        check_same(&plain, &other);
        drop(&other);
    }
    drop(&plain);
}

/* Check that a part of the picture has the same samples as the whole has there. */
static void check_part(const kst_image *whole, const kst_image *part, const kst_region *region)
{
    const kst_plane *from = &whole->plane[0], *to = &part->plane[0];
    uint32_t depth = from->depth ? from->depth : 8;
    size_t pixel = (size_t)kst_format_channels(whole->format) * (depth > 16 ? 4 : depth > 8 ? 2 : 1);
    fuzz_check(part->width == region->width && part->height == region->height, "a part has the size that it should");
    for (uint32_t p = 0; p < whole->plane_count; p++)
        for (uint32_t y = 0; y < region->height; y++) {
            const uint8_t *a = (const uint8_t *)from[p].data + (ptrdiff_t)(region->y + y) * from[p].pitch;
            const uint8_t *b = (const uint8_t *)to[p].data + (ptrdiff_t)y * to[p].pitch;
            fuzz_check(memcmp(a + region->x * pixel, b, region->width * pixel) == 0, "a part has the whole's samples");
        }
}

static void decode_part(kst_decoder *decoder, const kst_image *whole, kst_decode_options options)
{
    kst_image part;
    kst_image_init(&part);
    kst_status status = kst_decoder_decode(decoder, &options, &part);
    if (!status)
        check_part(whole, &part, &options.region);
    else
        fuzz_check(status == KST_ERROR_LIMIT_MEMORY, "a part can be decoded where the whole can");
    kst_image_release(fuzz_fast(), &part);
}

void compared_strips(const uint8_t *data, size_t length, const kst_decode_options *options, uint32_t rows)
{
    struct result whole;
    kst_decoder *decoder;
    kst_decode_options strip = *options;
    decode(&whole, fuzz_plain(), data, length, options);
    if (!whole.status && kst_format_channels(whole.image.format) > 0 && whole.image.plane_count == 1) {
        const kst_image *image = &whole.image;
        fuzz_check(!kst_decoder_create(fuzz_fast(), &decoder), "a decoder can be made");
        fuzz_check(!kst_decoder_open(decoder, data, length), "a stream can be opened again");
        for (uint32_t y = 0; y < image->height; y += rows) {
            strip.region = (kst_region){0, y, image->width, image->height - y < rows ? image->height - y : rows};
            decode_part(decoder, image, strip);
        }
        uint32_t x = image->width / 3, y = image->height / 3;
        strip.region = (kst_region){x, y, (image->width - x + 1) / 2, (image->height - y + 1) / 2};
        decode_part(decoder, image, strip);
        kst_decoder_destroy(&decoder);
    }
    drop(&whole);
}

void compared_transcode_on_device(const uint8_t *data, size_t length, const kst_transcode_options *options,
    const kst_buffer *wanted, const kst_report *report)
{
    kst_buffer found = {.data = NULL};
    kst_report own;
    if (!device || options->jpeg2000.ht == KST_CHOICE_KEEP)
        return;
    kst_report_init(&own);
    kst_status status = kst_transcode(device, data, length, options, &found, &own);
    if (status != KST_ERROR_DEVICE_FAILED && !fuzz_ran_out(status, report->status)) {
        fuzz_check_same_report(report, &own);
        fuzz_check(status || (found.length == wanted->length && memcmp(found.data, wanted->data, found.length) == 0),
            "the device makes the same bytes");
    }
    kst_buffer_release(device, &found);
}

kst_status compared_transcode(const uint8_t *data, size_t length, const kst_transcode_options *options)
{
    kst_buffer plain = {.data = NULL}, fast = {.data = NULL};
    kst_report report, other;
    struct result decoded = {.status = KST_OK};
    kst_report_init(&report);
    kst_report_init(&other);
    kst_status a = kst_transcode(fuzz_plain(), data, length, options, &plain, &report);
    kst_status b = kst_transcode(fuzz_fast(), data, length, options, &fast, &other);
    if (!fuzz_ran_out(a, b)) {
        fuzz_check_same_report(&report, &other);
        fuzz_check(
            a || (plain.length == fast.length && memcmp(plain.data, fast.data, plain.length) == 0), "the same bytes");
    }
    compared_transcode_on_device(data, length, options, &plain, &report);
    if (!a) {
        decode(&decoded, fuzz_plain(), plain.data, plain.length, NULL);
        drop(&decoded);
    }
    kst_buffer_release(fuzz_plain(), &plain);
    kst_buffer_release(fuzz_fast(), &fast);
    return decoded.status;
}
