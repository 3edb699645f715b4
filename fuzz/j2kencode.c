/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes any pixels with any options of JPEG 2000, and checks that every context gives the same bytes or the same
 * error, also if a function provides the rows. The result must decode without a warning, and if coding was lossless, to
 * the same pixels. Lower limits must give the same result or their own error.
 */
#include "fuzz.h"

#include <string.h>

enum { WIDTH = 72, HEIGHT = 200, PLANES = 4, CHANGES = 3, LAYERS = 8, OWN = 3 }; /* high: of several strips */

struct picture {
    kst_image image;
    _Alignas(4) uint8_t pixels[WIDTH * HEIGHT * PLANES * 4];
};

/* Holds what the options point to. */
struct choices {
    kst_j2k_options options;
    kst_j2k_change change[CHANGES];
    double layer_value[LAYERS];
    kst_j2k_component own[OWN];
};

static uint32_t bytes_of(uint32_t depth)
{
    return depth > 16 ? 4 : depth > 8 ? 2 : 1;
}

/* Fill in samples that fit the depth, so that they can be decoded exactly. */
static void fill_samples(uint8_t *to, size_t count, uint32_t depth, bool is_signed, const struct fuzz_input *input)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t value = input->length > 0 ? input->data[i % input->length] * 0x1010101u * (uint32_t)(i % 7 + 1) : 0;
        value &= (uint32_t)((UINT64_C(1) << depth) - 1);
        if (is_signed && value >> (depth - 1))
            value |= ~(uint32_t)((UINT64_C(1) << depth) - 1);
        uint16_t half = (uint16_t)value;
        if (depth > 16)
            memcpy(to + 4 * i, &value, 4);
        else if (depth > 8)
            memcpy(to + 2 * i, &half, 2);
        else
            to[i] = (uint8_t)value;
    }
}

/* Fill in raw components, each with its own depth, sign and size. */
static void fill_planes(struct picture *picture, struct fuzz_input *input)
{
    kst_image *image = &picture->image;
    image->format = KST_FORMAT_RAW;
    image->plane_count = 1 + fuzz_take(input, PLANES);
    for (uint32_t i = 0; i < image->plane_count; i++) {
        uint32_t depth = 1 + fuzz_take(input, 31), sizes = fuzz_take(input, 18), bytes = bytes_of(depth);
        uint32_t dx = 1 + sizes % 3, dy = 1 + sizes / 3 % 3;
        kst_plane *plane = &image->plane[i];
        *plane = (kst_plane){.data = picture->pixels + (size_t)WIDTH * HEIGHT * 4 * i,
            .width = (image->width + dx - 1) / dx,
            .height = (image->height + dy - 1) / dy,
            .depth = (uint8_t)depth,
            .is_signed = sizes >= 9};
        plane->pitch = (ptrdiff_t)plane->width * (ptrdiff_t)bytes;
        fill_samples(plane->data, (size_t)plane->width * plane->height, depth, plane->is_signed, input);
    }
}

static void fill_picture(struct picture *picture, struct fuzz_input *input)
{
    kst_image *image = &picture->image;
    kst_image_init(image);
    uint32_t format = fuzz_take(input, KST_FORMAT_CMYK + 4);
    image->width = 1 + fuzz_take(input, WIDTH);
    image->height = 1 + fuzz_take(input, HEIGHT);
    if (format >= KST_FORMAT_CMYK) {
        fill_planes(picture, input);
        return;
    }
    image->format = (kst_format)(KST_FORMAT_GREY + format);
    image->plane_count = 1;
    uint32_t depth = 1 + fuzz_take(input, 16);
    uint32_t row = image->width * kst_format_channels(image->format);
    image->plane[0] = (kst_plane){.data = picture->pixels,
        .pitch = (ptrdiff_t)(row * bytes_of(depth)),
        .width = image->width,
        .height = image->height,
        .depth = (uint8_t)depth};
    fill_samples(picture->pixels, (size_t)row * image->height, depth, false, input);
}

static void read_sizes(struct fuzz_input *input, kst_j2k_options *options)
{
    options->image_x = fuzz_take(input, 70);
    options->image_y = fuzz_take(input, 70);
    options->tile_x = fuzz_take(input, 70);
    options->tile_y = fuzz_take(input, 70);
    options->tile_width = fuzz_take(input, 2) ? 8 + fuzz_take(input, 120) : 0;
    options->tile_height = fuzz_take(input, 2) ? 8 + fuzz_take(input, 120) : 0;
    options->block_width = 1u << fuzz_take(input, 12);
    options->block_height = 1u << fuzz_take(input, 12);
    options->precinct_count = fuzz_take(input, 4);
    for (uint32_t i = 0; i < options->precinct_count; i++) {
        options->precinct_width[i] = 1u << fuzz_take(input, 17);
        options->precinct_height[i] = 1u << fuzz_take(input, 17);
    }
}

static void read_changes(struct fuzz_input *input, struct choices *choices)
{
    choices->options.change = choices->change;
    choices->options.change_count = fuzz_take(input, CHANGES + 1);
    for (size_t i = 0; i < choices->options.change_count; i++)
        choices->change[i] = (kst_j2k_change){.progression = (kst_progression)fuzz_take(input, 5),
            .resolution0 = fuzz_take(input, 4),
            .resolution1 = fuzz_take(input, 8),
            .component0 = fuzz_take(input, 3),
            .component1 = fuzz_take(input, 4),
            .layers = fuzz_take(input, 5)};
}

static void read_layer_values(struct fuzz_input *input, struct choices *choices)
{
    for (uint32_t i = 0; i < choices->options.layers; i++)
        choices->layer_value[i] = choices->options.value * (1 + fuzz_take(input, 32)) / 16;
    choices->options.layer_value = choices->layer_value;
}

static void read_components(struct fuzz_input *input, struct choices *choices)
{
    choices->options.component = choices->own;
    choices->options.component_count = fuzz_take(input, OWN + 1);
    for (size_t i = 0; i < choices->options.component_count; i++)
        choices->own[i] = (kst_j2k_component){.component = fuzz_take(input, PLANES),
            .fields = fuzz_take(input, 130),
            .levels = fuzz_take(input, 9),
            .block_width = 1u << fuzz_take(input, 9),
            .block_height = 1u << fuzz_take(input, 9),
            .style = fuzz_take(input, 64),
            .reversible = fuzz_take(input, 2),
            .step = (1 + fuzz_take(input, 64)) / 8.0,
            .guard_bits = fuzz_take(input, 9),
            .tile = fuzz_take(input, 5)};
}

/*
 * Read a profile. For half of the choices its options are set; otherwise it is only claimed, and options that violate
 * it must be refused.
 */
static void read_profile(struct fuzz_input *input, kst_j2k_options *options)
{
    static const uint32_t profiles[] = {KST_J2K_PROFILE_0, KST_J2K_PROFILE_1, KST_J2K_PROFILE_CINEMA_2K,
        KST_J2K_PROFILE_CINEMA_4K, KST_J2K_PROFILE_BROADCAST + 1, KST_J2K_PROFILE_BROADCAST_TILED + 7,
        KST_J2K_PROFILE_BROADCAST_REVERSIBLE + 6, KST_J2K_PROFILE_IMF_2K, KST_J2K_PROFILE_IMF_4K + 5 + 16 * 3,
        KST_J2K_PROFILE_IMF_8K_REVERSIBLE + 11 + 16 * 9};
    uint32_t which = fuzz_take(input, 2 * (sizeof profiles / sizeof profiles[0]));
    uint32_t profile = profiles[which / 2];
    if (which % 2)
        options->profile = profile;
    else
        fuzz_check(!kst_j2k_options_profile(options, profile), "a profile is known");
    options->frame_rate = fuzz_take(input, 64);
}

static void read_options(struct fuzz_input *input, struct choices *choices)
{
    kst_j2k_options options;
    kst_j2k_options_init(&options);
    options.target = (kst_j2k_target)fuzz_take(input, KST_J2K_QUALITY + 1);
    options.value = (1 + fuzz_take(input, 256)) / (options.target == KST_J2K_PSNR ? 4.0 : 16.0);
    options.layers = 1 + fuzz_take(input, 8);
    options.levels = fuzz_take(input, 12);
    options.style = fuzz_take(input, 64);
    options.progression = (kst_progression)fuzz_take(input, 5);
    options.guard_bits = 1 + fuzz_take(input, 7);
    options.division = fuzz_take(input, 8);
    uint32_t flags = fuzz_take(input, 256);
    options.reversible = flags & 1;
    options.keep_components = flags & 2;
    options.codestream = flags & 4;
    options.derived_steps = flags & 8;
    options.sop = flags & 16;
    options.eph = flags & 32;
    options.packet_lengths = flags & 64;
    options.tile_part_lengths = flags & 128;
    if (fuzz_take(input, 4) == 3)
        options.interest = (kst_region){
            fuzz_take(input, 40), fuzz_take(input, 40), 1 + fuzz_take(input, 40), 1 + fuzz_take(input, 40)};
    options.headers = (kst_j2k_headers)fuzz_take(input, 3);
    read_sizes(input, &options);
    if (fuzz_take(input, 4) == 3) {
        options.style = KST_J2K_HT | (options.style & KST_J2K_CAUSAL);
        options.passes = 1 + fuzz_take(input, 3);
    }
    if (fuzz_take(input, 8) == 7)
        options.weights = KST_J2K_WEIGHTS_VISION;
    choices->options = options;
    uint32_t more = fuzz_take(input, 16);
    if (more & 1)
        read_changes(input, choices);
    if (more & 2)
        read_layer_values(input, choices);
    if ((more & 12) == 8)
        read_components(input, choices);
    if ((more & 12) == 12)
        read_profile(input, &choices->options);
}

static void check_pixels(const kst_image *wanted, const kst_image *found)
{
    kst_comparison comparison = {.size = sizeof comparison};
    fuzz_check(!kst_compare(wanted, found, &comparison), "the images can be compared");
    fuzz_check(comparison.identical, "the same pixels");
}

/* Check what was decoded. A bare codestream does not say what four components are. */
static void check_decoded(const struct picture *picture, const kst_buffer *coded, const kst_j2k_options *j2k)
{
    bool raw = picture->image.format == KST_FORMAT_RAW;
    bool nameless = !raw && j2k->codestream && kst_format_channels(picture->image.format) == 4;
    kst_decode_options options;
    kst_image image;
    kst_report report;
    kst_decode_options_init(&options);
    kst_image_init(&image);
    kst_report_init(&report);
    options.format = nameless ? KST_FORMAT_RAW : picture->image.format;
    fuzz_check(!kst_decode(fuzz_fast(), coded->data, coded->length, &options, &image, &report), report.message);
    fuzz_check(report.warnings == 0, report.message);
    if (j2k->target == KST_J2K_LOSSLESS && !nameless)
        check_pixels(&picture->image, &image);
    kst_image_release(fuzz_fast(), &image);
}

/* Describes a picture whose rows come from a function, which fails at one of them. */
struct rows {
    const kst_image *image;
    uint32_t missing;
};

static bool read_row(void *user, uint32_t index, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    const struct rows *rows = user;
    const kst_plane *plane = kst_image_plane(rows->image, index);
    size_t channels = kst_format_channels(rows->image->format);
    size_t bytes = bytes_of(plane->depth) * (channels ? channels : 1);
    fuzz_check(index < rows->image->plane_count && y < plane->height && count > 0, "a row of the picture");
    fuzz_check(x < plane->width && count <= plane->width - x, "pixels of the row");
    if (y == rows->missing)
        return false;
    memcpy(samples, (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch + x * bytes, count * bytes);
    return true;
}

/* Holds the result in one context, which must release it. */
struct outcome {
    kst_status status;
    kst_buffer coded;
};

static struct outcome encode(kst_context *context, const kst_image *image, const kst_encode_options *options)
{
    struct outcome outcome = {KST_OK, {0}};
    outcome.status = kst_encode(context, image, options, &outcome.coded, NULL);
    fuzz_check(!outcome.status || !outcome.coded.data, "a failure leaves no buffer");
    return outcome;
}

static struct outcome encode_rows(
    kst_context *context, const kst_image *image, const kst_encode_options *options, uint32_t missing)
{
    struct outcome outcome = {KST_OK, {0}};
    struct rows source = {image, missing};
    const kst_rows rows = {.size = sizeof rows, .read = read_row, .user = &source};
    kst_image shape = *image;
    for (uint32_t i = 0; i < shape.plane_count; i++)
        shape.plane[i].data = NULL;
    outcome.status = kst_encode_rows(context, &shape, &rows, options, &outcome.coded, NULL);
    fuzz_check(!outcome.status || !outcome.coded.data, "a failure leaves no buffer");
    return outcome;
}

static void check_same(const struct outcome *a, const struct outcome *b)
{
    if (fuzz_ran_out(a->status, b->status))
        return;
    fuzz_check(a->status == b->status, "the same status");
    fuzz_check(
        a->status || (a->coded.length == b->coded.length && memcmp(a->coded.data, b->coded.data, a->coded.length) == 0),
        "the same bytes");
}

/* Encode in another way, and check that it gives the same bytes. */
static void check_otherwise(
    const struct outcome *plain, const kst_image *image, const kst_encode_options *options, struct fuzz_input *input)
{
    uint32_t way = fuzz_take(input, 8), which = fuzz_take(input, FUZZ_LIMITS), row = fuzz_take(input, HEIGHT);
    kst_context *context = way < 3 ? fuzz_plain() : way < 6 ? fuzz_wide() : fuzz_limited(which);
    bool missing = way % 3 == 2 && row < image->height;
    struct outcome other = way % 3 == 0 ? encode(context, image, options)
                                        : encode_rows(context, image, options, missing ? row : UINT32_MAX);
    if (way >= 6 && other.status != plain->status)
        fuzz_check(other.status >= KST_ERROR_LIMIT_PIXELS && other.status <= KST_ERROR_LIMIT_WORK, "a limit");
    else if (!missing || other.status != KST_ERROR_ROWS)
        check_same(plain, &other);
    kst_buffer_release(context, &other.coded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static struct picture picture;
    struct fuzz_input input = {data, length};
    static struct choices choices;
    read_options(&input, &choices);
    kst_encode_options options;
    kst_encode_options_init(&options);
    options.codec = KST_CODEC_JPEG2000;
    options.jpeg2000 = &choices.options;
    fill_picture(&picture, &input);
    struct outcome plain = encode(fuzz_plain(), &picture.image, &options);
    struct outcome fast = encode(fuzz_fast(), &picture.image, &options);
    check_same(&plain, &fast);
    check_otherwise(&plain, &picture.image, &options, &input);
    if (!plain.status)
        check_decoded(&picture, &plain.coded, &choices.options);
    kst_buffer_release(fuzz_plain(), &plain.coded);
    kst_buffer_release(fuzz_fast(), &fast.coded);
    return 0;
}
