/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes small JPEG files of noise, and transcodes them. */
#include "support/jpeg/recipe.h"

#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/test.h"

struct contents recipe_make(kst_context *context, const struct recipe *recipe, uint32_t *random)
{
    static const uint8_t tiff[] = {
        'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0};
    const kst_metadata metadata[] = {
        {.kind = KST_METADATA_EXIF, .data = tiff, .length = sizeof tiff},
        {.kind = KST_METADATA_COMMENT, .data = (const uint8_t *)"comment", .length = 7},
    };
    uint32_t channels = kst_format_channels(recipe->format);
    size_t count = (size_t)recipe->width * recipe->height * channels;
    uint8_t *pixels = malloc(count);
    assert_non_null(pixels);
    for (size_t i = 0; i < count; i++)
        pixels[i] = (uint8_t)(i / channels % recipe->width * (1 + i % channels) + i / recipe->width / 5 +
                              random_below(random, 30));
    kst_image image;
    kst_encode_options options;
    kst_buffer output = {.data = NULL};
    kst_encode_options_init(&options);
    options.subsampling = recipe->subsampling;
    options.coding = recipe->coding;
    options.restart = recipe->restart;
    options.metadata = metadata;
    options.metadata_count = recipe->exif ? 2 : 0;
    assert_int_equal(kst_image_wrap(&image, recipe->format, recipe->width, recipe->height, pixels, 0), KST_OK);
    assert_int_equal(kst_encode(context, &image, &options, &output, NULL), KST_OK);
    struct contents jpeg = {.data = malloc(output.length), .length = output.length};
    assert_non_null(jpeg.data);
    memcpy(jpeg.data, output.data, output.length);
    kst_buffer_release(context, &output);
    free(pixels);
    return jpeg;
}

kst_buffer recipe_transcode(kst_context *context, const struct contents *jpeg, const kst_transcode_options *options)
{
    kst_buffer output = {.data = NULL};
    kst_report report;
    kst_report_init(&report);
    kst_status status = kst_transcode(context, jpeg->data, jpeg->length, options, &output, &report);
    if (status)
        print_error("%s\n", report.message);
    assert_int_equal(status, KST_OK);
    assert_int_equal(report.warnings, 0);
    assert_true(output.owned);
    return output;
}
