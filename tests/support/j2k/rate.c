/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes pictures with the shared context and with one thread, and measures the PSNR of streams. */
#include "support/j2k/rate.h"

#include "support/j2k/coded.h"
#include "support/sanitizers.h"
#include "support/shared_context.h"

static void expect_same_alone(const kst_image *image, const kst_j2k_options *j2k, const kst_buffer *coded)
{
    kst_context *alone = cpu_context_create(1);
    kst_buffer plain = j2k_coded(alone, image, j2k);
    assert_int_equal(coded->length, plain.length);
    assert_memory_equal(coded->data, plain.data, plain.length);
    kst_buffer_release(alone, &plain);
    kst_context_destroy(&alone);
}

kst_buffer rate_encode(const kst_image *image, const kst_j2k_options *j2k)
{
    kst_buffer coded = j2k_coded(context, image, j2k);
    if (!THREADS_WATCHED) /* ThreadSanitizer finds nothing in one thread */
        expect_same_alone(image, j2k, &coded);
    return coded;
}

double rate_psnr(const kst_image *image, const kst_buffer *coded, uint32_t layers)
{
    kst_decode_options options;
    kst_image decoded;
    kst_comparison comparison = {.size = sizeof comparison};
    kst_decode_options_init(&options);
    kst_image_init(&decoded);
    options.format = image->format;
    options.layers = layers;
    assert_int_equal(kst_decode(context, coded->data, coded->length, &options, &decoded, NULL), KST_OK);
    assert_int_equal(kst_compare(image, &decoded, &comparison), KST_OK);
    kst_image_release(context, &decoded);
    return comparison.psnr;
}
