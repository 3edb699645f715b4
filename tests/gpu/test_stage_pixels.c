/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks each kernel behind entropy decoding by itself: from coefficients to samples, from those to pixels, and turned.
 * On values by chance, for pictures of all kinds at once, against plain C that makes a sample after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "jpeg/cpu/dsp/dsp.h"
#include "jpeg/gpu/modules.h"
#include "support/gpu/pictures.h"
#include "support/gpu/scan_model.h"
#include "support/gpu/stage.h"
#include "support/random.h"
#include "support/test.h"

static void *random_bytes(size_t length)
{
    uint8_t *bytes = stage_poisoned(length);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)(next_random() >> 8);
    return bytes;
}

/* Stands for coefficients that are decoded elsewhere; the test fills the buffer by itself. */
static void copy_nothing(const void *source, uint32_t component, uint32_t x, uint32_t y, uint32_t count, int16_t *out)
{
    (void)source, (void)component, (void)x, (void)y, (void)count, (void)out;
}

static void choose_region(const struct jpeg_frame *frame, kst_decode_options *options)
{
    uint32_t width = ((frame->width - 1) >> options->reduce) + 1, height = ((frame->height - 1) >> options->reduce) + 1;
    kst_region *region = &options->region;
    if (next_random() % 2)
        return;
    region->x = next_random() % width & (next_random() % 2 ? ~15U : ~0U);
    region->y = next_random() % height;
    region->width = 1 + next_random() % (width - region->x);
    region->height = 1 + next_random() % (height - region->y);
}

static kst_colour random_colour(uint32_t components)
{
    static const kst_colour colours[] = {KST_COLOUR_YCBCR, KST_COLOUR_RGB, KST_COLOUR_YCCK, KST_COLOUR_CMYK};
    if (components < 3)
        return components == 1 ? KST_COLOUR_GREY : KST_COLOUR_UNKNOWN;
    return colours[next_random() % 2 + (components == 4 ? 2 : 0)];
}

/* Another format, size, colour, quantisation and orientation for a picture. */
static void choose_output(struct jpeg_gpu_item *item)
{
    struct jpeg_frame frame = item->plan->frame;
    kst_decode_options options;
    kst_image image;
    bool wild = next_random() % 4 == 0;
    frame.colour = random_colour(frame.component_count);
    for (uint32_t i = 0; i < frame.component_count; i++)
        for (uint32_t j = 0; j < 64; j++)
            frame.component[i].quant[j] = (uint16_t)(wild ? next_random() : 1 + next_random() % 20);
    do {
        kst_decode_options_init(&options);
        options.format = (kst_format)(next_random() % (KST_FORMAT_RAW + 1));
        options.reduce = next_random() % 4;
        options.alpha = (uint8_t)next_random();
        options.sample = options.format == KST_FORMAT_RAW ? KST_SAMPLE_INTEGER : (kst_sample)(next_random() % 3);
        for (uint32_t i = 0; i < 4 && next_random() % 2; i++) {
            options.mean[i] = (float)(next_random() % 4096) / 16;
            options.scale[i] = (float)(1 + next_random() % 4096) / 2048;
        }
        choose_region(&frame, &options);
    } while (kst_jpeg_output_describe(&frame, &options, &image));
    kst_jpeg_output_plan(&item->output, &frame, &options, &image);
    if (options.sample != KST_SAMPLE_INTEGER)
        assert_true(kst_normal_init(&item->normal, &options, 8, false));
    item->coefficients.copy = next_random() % 3 == 0 ? copy_nothing : NULL;
    item->orientation = options.format == KST_FORMAT_RAW ? 1 : (int)(next_random() % 9);
}

static void make_batch(struct model *model)
{
    model_make(model, simulated() ? 2 : 1 + next_random() % MODEL_PICTURES, simulated() ? 200 : 4000);
    for (uint32_t i = 0; i < model->count; i++)
        choose_output(&model->item[i]);
    model_make_work(model);
}

static const struct jpeg_work_picture *picture_of(const struct model *model, uint32_t index)
{
    return kst_jpeg_gpu_picture(model->work, index);
}

static uint32_t first_group(const struct model *model, enum jpeg_work_kind kind, uint32_t index)
{
    return (model->work + ((const struct jpeg_work *)(const void *)model->work)->groups[kind])[index];
}

/* A block of what is wanted of a component, in rows: from one that the device decoded, or one that was copied. */
static void load_block(const struct model *model, uint32_t index, uint32_t component, uint32_t x, uint32_t y,
    const int16_t *coefficients, const uint32_t *dc, int16_t block[64])
{
    const struct jpeg_gpu_item *item = &model->item[index];
    const struct jpeg_output *output = &item->output;
    const struct jpeg_scan *scan = item->plan->scan;
    const struct jpeg_work_picture *picture = picture_of(model, index);
    if (item->coefficients.copy) {
        uint32_t from = picture->component[component].block + y * picture->component[component].blocks_w + x;
        memcpy(block, coefficients + (size_t)from * 64, 128);
        return;
    }
    uint32_t h = output->frame.component[component].h, v = output->frame.component[component].v, in_mcu = 0;
    for (uint32_t i = 0; scan->component[i] != component; i++)
        in_mcu +=
            (uint32_t)output->frame.component[scan->component[i]].h * output->frame.component[scan->component[i]].v;
    uint32_t mcu = (output->first_row + y / v) * scan->geometry.mcus_w + output->first_mcu + x / h;
    uint32_t from = picture->block + mcu * scan->geometry.mcu_blocks + in_mcu + y % v * h + x % h;
    for (uint32_t i = 0; i < 64; i++)
        block[i] = dc[from] & DC_CODED ? coefficients[(size_t)from * 64 + i % 8 * 8 + i / 8] : 0;
    block[0] = (int16_t)dc[from];
}

static void transform(const struct model *model, uint32_t index, const struct jpeg_dsp *dsp,
    const int16_t *coefficients, const uint32_t *dc, uint8_t *planes)
{
    const struct jpeg_output *output = &model->item[index].output;
    for (uint32_t i = 0; i < output->frame.component_count; i++) {
        const struct jpeg_work_component *c = &picture_of(model, index)->component[i];
        const struct jpeg_scaled *scaled = &output->scaled[i];
        uint32_t rows = output->row_count * output->frame.component[i].v;
        uint32_t columns = output->mcu_count * output->frame.component[i].h;
        for (uint32_t y = 0; scaled->needed && y < rows; y++)
            for (uint32_t x = 0; x < columns; x++) {
                _Alignas(64) int16_t block[64];
                uint8_t *to = planes + ((size_t)c->plane + (size_t)y * scaled->block * c->pitch) * 16;
                load_block(model, index, i, x, y, coefficients, dc, block);
                dsp->idct[scaled->block](block, output->frame.component[i].quant, 63, to + (size_t)x * scaled->block,
                    (ptrdiff_t)c->pitch * 16);
            }
    }
}

/* Small values, as coefficients mostly are, or any. */
static int16_t *random_coefficients(size_t count)
{
    int16_t *coefficients = random_bytes(count * 2);
    for (size_t i = 0; i < count; i++)
        if (i / 64 % 3)
            coefficients[i] = (int16_t)(i / 64 % 3 == 1 ? coefficients[i] / 256 : coefficients[i] % 5);
    return coefficients;
}

/* Some blocks have coefficients, some do not; those are zeros, the one of DC, too. */
static uint32_t *random_dc(size_t count)
{
    uint32_t *dc = stage_poisoned(count * 4);
    for (size_t i = 0; i < count; i++)
        dc[i] = next_random() % 4 ? DC_CODED | (next_random() & (i % 2 ? 0xFFFF : 0xFF)) : 0;
    return dc;
}

static void test_transform(struct gpu_runtime *runtime, const struct model *model)
{
    size_t length = (size_t)model->size.planes * 16, blocks = (size_t)(model->size.blocks + model->size.copied);
    uint8_t *planes = stage_poisoned(length), *wanted = stage_poisoned(length);
    int16_t *coefficients = random_coefficients(blocks * 64);
    uint32_t *dc = random_dc((size_t)model->size.blocks);
    struct jpeg_dsp dsp;
    kst_jpeg_cpu_dsp_init(&dsp, CPU_C);
    for (uint32_t i = 0; i < model->count; i++)
        transform(model, i, &dsp, coefficients, dc, wanted);
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("coefficients", coefficients, blocks * 128), STAGE_IN("dc", dc, (size_t)model->size.blocks * 4),
        STAGE_OUT("planes", planes, wanted, length)};
    stage_run(runtime, &kst_jpeg_gpu_decoding, JPEG_TRANSFORM_BLOCKS, (uint32_t)model->size.groups[WORK_OF_BLOCKS],
        arguments, 4);
    free(planes);
    free(dc);
    free(wanted);
    free(coefficients);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* A component's sample; beyond the edges lies what lies at them. */
static uint32_t sample_at(const struct jpeg_work_component *c, const uint8_t *planes, uint32_t x, uint32_t y)
{
    return planes[((size_t)c->plane + (size_t)least(y, c->height - 1) * c->pitch) * 16 + least(x, c->width - 1)];
}

/* The sample that is the nearest to position n of twice as many is n / 2, and the next nearest this one. */
static uint32_t farther(uint32_t n)
{
    return n % 2 ? n / 2 + 1 : n > 1 ? n / 2 - 1 : 0;
}

/* A component at a pixel, as libjpeg-turbo upsamples it by default. */
static uint32_t upsampled(const struct jpeg_work_component *c, const uint8_t *planes, uint32_t x, uint32_t y)
{
    uint32_t last = c->width - 1, bottom = c->height - 1;
    uint32_t near_x = least(x / 2, last), far_x = near_x < x / 2 ? last : farther(x);
    uint32_t near_y = least(y / 2, bottom), far_y = near_y < y / 2 ? bottom : farther(y);
    uint32_t near = sample_at(c, planes, near_x, near_y);
    switch (c->upsampling) {
    case JPEG_UPSAMPLE_NONE:
        return sample_at(c, planes, x, y);
    case JPEG_REPLICATE:
        return sample_at(c, planes, x * c->h_in / c->h_out, y * c->v_in / c->v_out);
    case JPEG_UPSAMPLE_H2V1:
        return (3 * sample_at(c, planes, near_x, y) + sample_at(c, planes, far_x, y) + 1 + x % 2) / 4;
    case JPEG_UPSAMPLE_H1V2:
        return (3 * sample_at(c, planes, x, near_y) + sample_at(c, planes, x, far_y) + 1 + y % 2) / 4;
    default:
        return (9 * near + 3 * sample_at(c, planes, near_x, far_y) + 3 * sample_at(c, planes, far_x, near_y) +
                   sample_at(c, planes, far_x, far_y) + 8 - x % 2) /
               16;
    }
}

static uint8_t clamp(int32_t value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* T.871, in 16 bits of fraction. */
static void ycc_to_rgb(uint8_t p[4])
{
    int32_t y = p[0], cb = p[1] - 128, cr = p[2] - 128;
    p[0] = clamp(y + ((91881 * cr + 32768) >> 16));
    p[1] = clamp(y + ((-22554 * cb - 46802 * cr + 32768) >> 16));
    p[2] = clamp(y + ((116130 * cb + 32768) >> 16));
}

static void invert(uint8_t p[4])
{
    for (uint32_t i = 0; i < 3; i++)
        p[i] = (uint8_t)(255 - p[i]);
}

/* Inks are stored inverted. */
static void cmyk_to_rgb(uint8_t p[4])
{
    for (uint32_t i = 0; i < 3; i++)
        p[i] = (uint8_t)((2U * p[i] * p[3] + 255) / 510);
}

static void convert(const struct jpeg_gpu_item *item, uint8_t p[4])
{
    enum jpeg_conversion conversion = item->output.conversion;
    bool inks = conversion == JPEG_CONVERT_CMYK_RGB || conversion == JPEG_CONVERT_YCCK_RGB;
    if (conversion == JPEG_CONVERT_GREY)
        p[1] = p[2] = p[0];
    if (conversion == JPEG_CONVERT_RGB_GREY)
        p[0] = (uint8_t)((19595U * p[0] + 38470U * p[1] + 7471U * p[2] + 32768) >> 16);
    if (conversion == JPEG_CONVERT_YCC || conversion == JPEG_CONVERT_YCC_PLANAR)
        ycc_to_rgb(p);
    if (conversion == JPEG_CONVERT_YCCK || conversion == JPEG_CONVERT_YCCK_PLANAR ||
        conversion == JPEG_CONVERT_YCCK_RGB) {
        ycc_to_rgb(p);
        invert(p);
    }
    if (inks)
        cmyk_to_rgb(p);
    kst_format format = item->output.image.format;
    if (format == KST_FORMAT_BGR || format == KST_FORMAT_BGRA) {
        uint8_t red = p[0];
        p[0] = p[2];
        p[2] = red;
    }
    if (format == KST_FORMAT_RGBA || format == KST_FORMAT_BGRA)
        p[3] = item->output.alpha;
}

/* The layout of pixels: bytes from row to row, and from plane to plane; 0: interleaved. And the bytes of a sample. */
struct rows {
    uint8_t *first;
    uint32_t pitch, plane, channels, sample;
};

static uint8_t *channel_at(const struct rows *rows, uint32_t x, uint32_t y, uint32_t channel)
{
    if (rows->plane > 0)
        return rows->first + (size_t)channel * rows->plane + (size_t)y * rows->pitch + (size_t)x * rows->sample;
    return rows->first + (size_t)y * rows->pitch + ((size_t)x * rows->channels + channel) * rows->sample;
}

/* A value as it is, or as a number. */
static void put_value(
    const struct jpeg_gpu_item *item, const struct rows *rows, uint32_t x, uint32_t y, uint32_t channel, uint8_t value)
{
    uint32_t bits = rows->sample == 1 ? value : kst_normal_value(&item->normal, value, channel);
    memcpy(channel_at(rows, x, y, channel), &bits, rows->sample); /* the low bytes are the first ones */
}

/* Pixels to the right of the last whole four hold anything: what was found there is wanted. */
static void forgive_padding(const struct rows *wanted, const struct rows *found, uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = width; x % 4 != 0; x++)
            for (uint32_t c = 0; c < wanted->channels; c++)
                memcpy(channel_at(wanted, x, y, c), channel_at(found, x, y, c), wanted->sample);
}

static uint32_t sample_bytes(uint32_t sample)
{
    return sample == WORK_BYTES ? 1 : sample == WORK_HALVES ? 2 : 4;
}

static struct rows turned_rows(const struct jpeg_work_picture *picture, uint8_t *pixels)
{
    return (struct rows){pixels + (size_t)picture->turned * 4, picture->turned_pitch, picture->turned_plane,
        picture->channels, sample_bytes(picture->turned_sample)};
}

static struct rows stored_rows(const struct jpeg_work_picture *picture, uint8_t *pixels)
{
    return (struct rows){pixels + (size_t)picture->output * 4, picture->output_pitch, picture->output_plane,
        picture->channels, sample_bytes(picture->sample)};
}

static void convert_picture(const struct model *model, uint32_t index, const uint8_t *planes, const struct rows *rows)
{
    const struct jpeg_work_picture *picture = picture_of(model, index);
    for (uint32_t y = 0; y < picture->height; y++)
        for (uint32_t x = 0; x < picture->width; x++) {
            uint8_t p[4] = {0};
            for (uint32_t c = 0; c < picture->components; c++)
                p[c] = (uint8_t)upsampled(&picture->component[c], planes, picture->x + x, picture->y + y);
            convert(&model->item[index], p);
            for (uint32_t c = 0; c < picture->channels; c++)
                put_value(&model->item[index], rows, x, y, c, p[c]);
        }
}

static void compare(const uint8_t *wanted, const uint8_t *found, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (wanted[i] != found[i])
            fail_msg("byte %zu of %zu is %u, not %u", i, length, found[i], wanted[i]);
}

/* A kernel that makes pixels, of all pictures but some of the first. */
static void check_conversion(
    struct gpu_runtime *runtime, const struct model *model, enum jpeg_gpu_kernel kernel, enum jpeg_work_kind kind)
{
    size_t length = (size_t)model->size.pixels * 16;
    uint8_t *planes = random_bytes((size_t)model->size.planes * 16);
    uint8_t *pixels = stage_poisoned(length), *wanted = stage_poisoned(length), *found = stage_poisoned(length);
    uint32_t start = next_random() % model->count, skip = first_group(model, kind, start);
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("planes", planes, (size_t)model->size.planes * 16), STAGE_FOUND("pixels", pixels, found, length),
        {.value = skip}};
    stage_run(runtime, &kst_jpeg_gpu_decoding, kernel, (uint32_t)model->size.groups[kind] - skip, arguments, 4);
    for (uint32_t i = start; i < model->count; i++) {
        const struct jpeg_work_picture *picture = picture_of(model, i);
        const struct rows rows = stored_rows(picture, wanted), found_rows = stored_rows(picture, found);
        if (first_group(model, kind, i) == first_group(model, kind, i + 1))
            continue;
        convert_picture(model, i, planes, &rows);
        forgive_padding(&rows, &found_rows, picture->width, picture->height);
    }
    compare(wanted, found, length);
    free(planes);
    free(pixels);
    free(wanted);
    free(found);
}

static void test_convert(struct gpu_runtime *runtime, const struct model *model)
{
    check_conversion(runtime, model, JPEG_CONVERT_TILES, WORK_OF_TILES);
    check_conversion(runtime, model, JPEG_CONVERT_PIXELS, WORK_OF_PIXELS);
}

/* Return where a pixel of the turned picture is stored (Exif 2.32, 4.6.4 A). */
static void find_stored(
    const struct jpeg_work_picture *picture, uint32_t x, uint32_t y, uint32_t *across, uint32_t *down)
{
    uint32_t right = picture->width - 1, bottom = picture->height - 1;
    const uint32_t places[9][2] = {{0, 0}, {x, y}, {right - x, y}, {right - x, bottom - y}, {x, bottom - y}, {y, x},
        {y, bottom - x}, {right - y, bottom - x}, {right - y, x}};
    *across = places[picture->orientation][0];
    *down = places[picture->orientation][1];
}

static void turn_picture(const struct jpeg_gpu_item *item, const struct jpeg_work_picture *picture,
    const struct rows *from, const struct rows *to, uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < picture->channels; c++) {
                uint32_t across, down;
                find_stored(picture, x, y, &across, &down);
                put_value(item, to, x, y, c, *channel_at(from, across, down, c));
            }
}

static void test_turn(struct gpu_runtime *runtime, const struct model *model)
{
    size_t length = (size_t)model->size.pixels * 16;
    uint8_t *stored = random_bytes(length);
    uint8_t *pixels = stage_poisoned(length), *wanted = stage_poisoned(length), *found = stage_poisoned(length);
    uint32_t start = next_random() % model->count, skip = first_group(model, WORK_OF_TURNS, start);
    const struct stage_argument arguments[] = {STAGE_IN("work", model->work, (size_t)model->size.words * 4),
        STAGE_IN("stored", stored, length), STAGE_FOUND("pixels", pixels, found, length), {.value = skip}};
    stage_run(runtime, &kst_jpeg_gpu_decoding, JPEG_TURN_PIXELS, (uint32_t)model->size.groups[WORK_OF_TURNS] - skip,
        arguments, 4);
    for (uint32_t i = start; i < model->count; i++) {
        const struct jpeg_work_picture *picture = picture_of(model, i);
        bool swaps = picture->orientation >= 5;
        uint32_t width = swaps ? picture->height : picture->width, height = swaps ? picture->width : picture->height;
        const struct rows from = stored_rows(picture, stored);
        const struct rows to = turned_rows(picture, wanted), found_rows = turned_rows(picture, found);
        if (picture->orientation == 0)
            continue;
        turn_picture(&model->item[i], picture, &from, &to, width, height);
        forgive_padding(&to, &found_rows, width, height);
    }
    compare(wanted, found, length);
    free(stored);
    free(pixels);
    free(wanted);
    free(found);
}

static void each_batch(void (*test)(struct gpu_runtime *runtime, const struct model *model))
{
    for (uint32_t i = 0; i < (simulated() ? 3 : 150); i++) {
        struct model model;
        make_batch(&model);
        for (uint32_t g = 0; g < gpu_count; g++)
            test(runtimes[g], &model);
        model_release(&model);
        renew_runtimes();
    }
}

static void check_transform(void **state)
{
    (void)state;
    each_batch(test_transform);
}

static void check_convert(void **state)
{
    (void)state;
    each_batch(test_convert);
}

static void check_turn(void **state)
{
    (void)state;
    each_batch(test_turn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_transform), cmocka_unit_test(check_convert), cmocka_unit_test(check_turn)};
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}
