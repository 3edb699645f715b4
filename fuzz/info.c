/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens any bytes, and checks that everything reported about headers and metadata lies in bounds. */
#include "fuzz.h"

#include <string.h>

static void check_jpeg(const kst_info *info)
{
    fuzz_check(info->width <= 65535 && info->height <= 65535, "size");
    fuzz_check(info->component_count <= 4, "number of components");
    for (uint32_t i = 0; i < info->component_count; i++) {
        const kst_component_info *component = &info->component[i];
        fuzz_check(component->h >= 1 && component->h <= 4 && component->v >= 1 && component->v <= 4, "factors");
        fuzz_check(component->width >= 1 && component->height >= 1, "component's size");
    }
}

static void check_jpeg2000(const kst_info *info)
{
    fuzz_check(info->component_count <= 16384 && info->levels <= 32 && info->layers >= 1, "coding");
    fuzz_check(info->tiles >= 1 && info->tiles <= 65535 && info->tile_width >= 1 && info->tile_height >= 1, "tiles");
    for (uint32_t i = 0; i < info->component_count && i < 4; i++) {
        const kst_component_info *component = &info->component[i];
        fuzz_check(component->h >= 1 && component->v >= 1 && component->depth <= 38, "separations");
    }
}

static void check_info(const kst_info *info)
{
    fuzz_check(info != NULL, "an open stream has info");
    fuzz_check(info->width >= 1 && info->height >= 1 && info->component_count >= 1, "size");
    fuzz_check(info->orientation >= 1 && info->orientation <= 8, "orientation");
    fuzz_check(info->quality >= 0 && info->quality <= 100, "quality");
    for (uint32_t i = 0; i < info->component_count && i < 4; i++) {
        fuzz_check(info->component[i].width <= info->width, "component's width");
        fuzz_check(info->component[i].height <= info->height, "component's height");
    }
    if (info->codec == KST_CODEC_JPEG2000)
        check_jpeg2000(info);
    else
        check_jpeg(info);
}

static void check_metadata(kst_decoder *decoder, size_t length)
{
    unsigned sum = 0;
    const kst_metadata *metadata;
    for (size_t i = 0; (metadata = kst_decoder_metadata(decoder, i)) != NULL; i++) {
        fuzz_check(metadata->offset <= length, "metadata lie in the stream");
        for (size_t k = 0; k < metadata->length; k++)
            sum += metadata->data[k];
    }
    fuzz_check(sum < UINT32_MAX, "metadata can be read");
}

/*
 * Check that each element lies in the stream, behind the one before it; elements inside a box follow the box's header.
 */
static void check_elements(kst_decoder *decoder, size_t length)
{
    kst_element element = {.size = sizeof element};
    uint64_t last = 0;
    while (kst_decoder_next_element(decoder, &element)) {
        fuzz_check(element.offset >= last && element.offset < length, "elements come in their order");
        fuzz_check(element.length >= 2 && element.length <= length - element.offset, "an element lies in the stream");
        fuzz_check(strlen(element.name) >= 3 && strlen(element.text) < sizeof element.text, "texts end");
        last = element.offset + 1;
    }
}

/* Check that what contradicts a claim lies in the stream, and that the claims are at an end. */
static void check_claims(kst_decoder *decoder, size_t length)
{
    kst_breach breach = {.size = sizeof breach};
    size_t count = 0;
    for (; kst_decoder_claim_breach(decoder, count, &breach); count++)
        fuzz_check(breach.offset < length && strlen(breach.text) > 0 && strlen(breach.text) < sizeof breach.text,
            "a broken claim has a place and a text");
    fuzz_check(count <= 100, "broken claims are at most a hundred");
}

/* Check that the parts of a file with several pictures follow each other, without gaps, to the end of the data. */
static void check_others(kst_decoder *decoder, size_t length)
{
    kst_other other = {.size = sizeof other};
    uint64_t end = 0;
    for (size_t i = 0; kst_decoder_other(decoder, i, &other); i++) {
        fuzz_check(other.length > 0 && (i == 0 || other.offset == end), "parts follow one another");
        fuzz_check(other.picture == (other.width > 0), "a picture has a size");
        end = other.offset + other.length;
        fuzz_check(end <= length, "a part lies in the data");
    }
    fuzz_check(end == 0 || end == length, "parts reach to the end");
}

static void check_describe(kst_decoder *decoder, struct fuzz_input *input)
{
    kst_decode_options options;
    kst_decode_options_init(&options);
    options.format = (kst_format)fuzz_take(input, KST_FORMAT_RAW + 1);
    options.reduce = fuzz_take(input, 5);
    options.region.x = fuzz_take(input, 256);
    options.region.width = fuzz_take(input, 256);
    options.region.height = fuzz_take(input, 256);
    kst_image image;
    kst_image_init(&image);
    if (!kst_decoder_describe(decoder, &options, &image))
        fuzz_check(
            image.plane_count >= 1 && (image.plane_count <= 4) == !image.more && !image.plane[0].data, "a description");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct fuzz_input input = {data, length};
    kst_decoder *decoder;
    fuzz_check(!kst_decoder_create(fuzz_plain(), &decoder), "a decoder can be made");
    kst_status status = kst_decoder_open(decoder, data, length);
    fuzz_check(kst_decoder_report(decoder)->status == status, "the reported status is the one returned");
    if (!status) {
        check_info(kst_decoder_info(decoder));
        check_metadata(decoder, length);
        check_elements(decoder, length);
        check_claims(decoder, length);
        check_others(decoder, length);
        check_describe(decoder, &input);
    } else {
        fuzz_check(!kst_decoder_info(decoder), "a failed open leaves no stream");
    }
    kst_decoder_destroy(&decoder);
    return 0;
}
