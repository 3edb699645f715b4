/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes JPEG streams from the input, and checks that they decode and transcode to the same result on all tiers, thread
 * counts and devices, whole and in strips.
 */
#include <stdlib.h>

#include "compared.h"
#include "made.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    compared_start();
    return 0;
}

static void decode_all(struct made *made, const uint8_t *data, size_t length)
{
    kst_decode_options options;
    bool on_device = made_random(made, 10) == 0;
    kst_decode_options_init(&options);
    compared_decode(data, length, &options, on_device);
    options.format = (kst_format)made_random(made, KST_FORMAT_RAW + 1);
    options.reduce = made_random(made, 4);
    options.strict = made_random(made, 16) == 0;
    compared_decode(data, length, &options, on_device);
    options.region = (kst_region){
        made_random(made, 60), made_random(made, 60), 1 + made_random(made, 70), 1 + made_random(made, 70)};
    compared_decode(data, length, &options, on_device);
    kst_decode_options_init(&options);
    options.reduce = made_random(made, 4);
    options.format = made_random(made, 2) ? KST_FORMAT_RGB : KST_FORMAT_AUTO;
    compared_strips(data, length, &options, 1 + made_random(made, 40));
}

static void transcode_all(struct made *made, const uint8_t *data, size_t length)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    options.coding = (kst_coding)made_random(made, 3);
    options.transform = (kst_transform)made_random(made, 8);
    options.edge = (kst_edge)made_random(made, 3);
    options.strip = (kst_strip)made_random(made, 3);
    options.grey = made_random(made, 6) == 0;
    options.restart = (kst_restart){(kst_restart_unit)made_random(made, 3), 1 + made_random(made, 9)};
    if (made_random(made, 3) == 0)
        options.crop = (kst_region){
            made_random(made, 60), made_random(made, 60), 1 + made_random(made, 70), 1 + made_random(made, 70)};
    kst_status status = compared_transcode(data, length, &options);
    fuzz_check(!status || status == KST_ERROR_JPEG_QUANT_MISSING || status == KST_ERROR_LIMIT_PIXELS ||
                   status == KST_ERROR_LIMIT_SCANS || status == KST_ERROR_LIMIT_MEMORY,
        "what was transcoded can be decoded");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct made made;
    made_begin(&made, data, length < 4000 ? length : 4000);
    made_jpeg(&made);
    uint8_t *stream = made_copy(&made);
    decode_all(&made, stream, made.length);
    transcode_all(&made, stream, made.length);
    free(stream);
    made_end(&made);
    return 0;
}
