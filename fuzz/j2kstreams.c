/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes codestreams from the input, and checks that they decode and transcode to the same result on all tiers, thread
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

static void decode_all(struct made *made, const uint8_t *data, size_t length, uint32_t tiles)
{
    kst_decode_options options;
    uint32_t component = made_random(made, 5);
    bool on_device = made_random(made, 20) == 0;
    kst_decode_options_init(&options);
    options.format = made_random(made, 3) ? KST_FORMAT_RAW : KST_FORMAT_AUTO;
    compared_decode(data, length, &options, on_device);
    options.reduce = made_random(made, 4);
    options.layers = made_random(made, 3);
    options.strict = made_random(made, 12) == 0;
    compared_decode(data, length, &options, on_device);
    options.region = (kst_region){
        made_random(made, 40), made_random(made, 40), 1 + made_random(made, 60), 1 + made_random(made, 60)};
    compared_decode(data, length, &options, on_device);
    kst_decode_options_init(&options);
    options.tile = made_random(made, tiles + 1);
    compared_decode(data, length, &options, on_device);
    kst_decode_options_init(&options);
    options.components = &component;
    options.component_count = 1;
    compared_decode(data, length, &options, on_device);
}

static void decode_strips(struct made *made, const uint8_t *data, size_t length)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.reduce = made_random(made, 3);
    compared_strips(data, length, &options, 1 + made_random(made, 40));
}

static void transcode(struct made *made, const uint8_t *data, size_t length)
{
    kst_transcode_options options;
    kst_transcode_options_init(&options);
    kst_transcode_jpeg2000 *j = &options.jpeg2000;
    j->progression = (int)made_random(made, 6) - 1;
    j->layers = made_random(made, 3);
    j->reduce = made_random(made, 3) == 0;
    j->packet_lengths = (kst_choice)made_random(made, 3);
    j->sop = (kst_choice)made_random(made, 3);
    j->eph = (kst_choice)made_random(made, 3);
    j->tile_part_lengths = (kst_choice)made_random(made, 3);
    j->division = made_random(made, 4) ? 0 : made_random(made, 8);
    j->headers = (kst_j2k_headers)made_random(made, 3);
    j->part_by_part = made_random(made, 4) == 0;
    j->ht = (kst_choice)made_random(made, 3);
    compared_transcode(data, length, &options);
}

static void list(const uint8_t *data, size_t length)
{
    kst_decoder *decoder;
    fuzz_check(!kst_decoder_create(fuzz_plain(), &decoder), "a decoder can be made");
    if (!kst_decoder_open(decoder, data, length)) {
        kst_element element = {.size = sizeof element};
        uint32_t count = 0;
        while (count < 5000 && kst_decoder_next_element(decoder, &element))
            count++;
        kst_breach breach = {.size = sizeof breach};
        for (size_t i = 0; kst_decoder_claim_breach(decoder, i, &breach); i++)
            fuzz_check(breach.offset < length, "a broken claim has a place");
    }
    kst_decoder_destroy(&decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct made made;
    made_begin(&made, data, length < 4000 ? length : 4000);
    uint32_t tiles = made_j2k(&made);
    uint8_t *stream = made_copy(&made);
    decode_all(&made, stream, made.length, tiles);
    decode_strips(&made, stream, made.length);
    transcode(&made, stream, made.length);
    list(stream, made.length);
    free(stream);
    made_end(&made);
    return 0;
}
