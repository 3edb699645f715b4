/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads conformance streams, transcodes and decodes them, and compares planes. */
#include "support/j2k/source.h"

#include <stdlib.h>

#include "support/j2k/corpus.h"
#include "support/test.h"

kst_info source_info(kst_context *context, const void *data, size_t length)
{
    kst_decoder *decoder;
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, data, length), KST_OK);
    kst_info info = *kst_decoder_info(decoder);
    kst_decoder_destroy(&decoder);
    return info;
}

void source_load(kst_context *context, struct source *source, const char *name)
{
    source->name = name;
    source->data = j2k_corpus_read("streams", name, &source->length);
    assert_non_null(source->data);
    source->info = source_info(context, source->data, source->length);
    source->decoded = false;
}

void source_unload(kst_context *context, struct source *source)
{
    if (source->decoded)
        kst_image_release(context, &source->whole);
    free(source->data);
}

kst_status source_transcode(
    kst_context *context, struct source *source, const kst_transcode_options *options, kst_buffer *output)
{
    kst_report report;
    *output = (kst_buffer){0};
    kst_report_init(&report);
    kst_status status = kst_transcode(context, source->data, source->length, options, output, &report);
    assert_int_equal(status, report.status);
    if (!status)
        assert_int_equal(report.warnings, 0);
    return status;
}

void source_decode(
    kst_context *context, const void *data, size_t length, uint32_t reduce, uint32_t layers, kst_image *image)
{
    kst_decode_options options;
    kst_report report;
    kst_decode_options_init(&options);
    kst_image_init(image);
    kst_report_init(&report);
    options.format = KST_FORMAT_RAW;
    options.reduce = reduce;
    options.layers = layers;
    assert_int_equal(kst_decode(context, data, length, &options, image, &report), KST_OK);
    assert_int_equal(report.warnings, 0);
}

void expect_same_planes(const kst_image *a, const kst_image *b)
{
    assert_int_equal(a->plane_count, b->plane_count);
    for (uint32_t p = 0; p < a->plane_count; p++) {
        const kst_plane *x = &a->plane[p], *y = &b->plane[p];
        assert_int_equal(x->width, y->width);
        assert_int_equal(x->height, y->height);
        assert_int_equal(x->depth, y->depth);
        for (uint32_t row = 0; row < x->height; row++)
            assert_memory_equal((const uint8_t *)x->data + (ptrdiff_t)row * x->pitch,
                (const uint8_t *)y->data + (ptrdiff_t)row * y->pitch, x->width * (x->depth > 8 ? 2U : 1U));
    }
}
