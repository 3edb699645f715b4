/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes batches in the way that T.81 describes, bit by bit. */
#include "support/gpu/encode_model.h"

#include <stdlib.h>
#include <string.h>

#include "jpeg/cpu/samples.h"
#include "support/gpu/pictures.h"
#include "support/gpu/stage.h"
#include "support/random.h"
#include "support/test.h"

/* Fill in noise, black and white, or slopes. */
static void paint(uint8_t *pixels, size_t length)
{
    uint32_t kind = next_random() % 3, slope = next_random();
    for (size_t i = 0; i < length; i++)
        pixels[i] = (uint8_t)(kind == 0   ? next_random() >> 8
                              : kind == 1 ? (next_random() & 16) * 255 / 16
                                          : i * slope >> 4);
}

static void make_image(struct model_encoding *picture, kst_format format, uint32_t side, kst_image *image)
{
    uint32_t width = 1 + next_random() % side, height = 1 + next_random() % side;
    uint32_t channels = kst_format_channels(format), planes = channels ? 1 : 3, samples = channels ? channels : 1;
    size_t pitch = (size_t)width * samples + next_random() % 7, length = pitch * height * planes;
    kst_image_init(image);
    image->format = format;
    image->width = width;
    image->height = height;
    image->plane_count = planes;
    picture->memory = stage_poisoned(length);
    paint(picture->memory, length);
    for (uint32_t i = 0; i < planes; i++)
        image->plane[i] = (kst_plane){
            .data = picture->memory + pitch * height * i, .pitch = (ptrdiff_t)pitch, .width = width, .height = height};
}

static void choose_options(kst_format format, kst_encode_options *options)
{
    kst_encode_options_init(options);
    options->quality = (int)(next_random() % 2 ? 1 + next_random() % 100 : 100);
    options->wide_quantisers = next_random() % 2;
    options->subsampling = (kst_subsampling)(next_random() % (format == KST_FORMAT_CMYK ? 4 : 6));
    options->coding = KST_CODING_BASELINE;
    options->restart.unit = (kst_restart_unit)(next_random() % 3);
    options->restart.interval = 1 + next_random() % (options->restart.unit == KST_RESTART_ROWS ? 2 : 90);
    if (format == KST_FORMAT_CMYK)
        options->colour = next_random() % 2 ? KST_COLOUR_CMYK : KST_COLOUR_YCCK;
    else if (format != KST_FORMAT_GREY && next_random() % 4 == 0)
        options->colour = next_random() % 2 ? KST_COLOUR_RGB : KST_COLOUR_GREY;
}

/* Make tables with a code for every possible symbol, whose lengths are random. */
static void random_tables(struct jpeg_gpu_encode_tables *tables)
{
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t frequency[257] = {0};
        uint32_t shift = next_random() % 20;
        for (uint32_t j = 0; j < (i < 2 ? 12U : 256U); j++)
            frequency[j] = 1 + (next_random() >> shift);
        frequency[256] = 1;
        kst_jpeg_huffman_optimal(frequency, &tables->table[i < 2 ? JPEG_DC : JPEG_AC][i % 2]);
    }
}

/* Make the tables of a picture, or copy those of an earlier picture with which it shares tables in the work. */
static void make_tables(struct encode_model *model, uint32_t index)
{
    uint32_t codes = encode_model_picture(model, index)->codes;
    for (uint32_t i = 0; i < index; i++)
        if (encode_model_picture(model, i)->codes == codes) {
            model->picture[index].tables = model->picture[i].tables;
            return;
        }
    random_tables(&model->picture[index].tables);
}

/* Holds the coefficients of each component, in blocks row by row, as the CPU's plain C makes them. */
struct planes {
    int16_t *block[JPEG_COMPONENTS];
};

static void transform(const struct encoding *e, struct planes *planes)
{
    struct jpeg_sampler sampler;
    struct jpeg_sample_rows rows;
    struct jpeg_dsp dsp;
    kst_jpeg_cpu_dsp_init(&dsp, CPU_C);
    assert_int_equal(kst_jpeg_cpu_sampler_init(&sampler, &e->image, &jpeg_encoding_of(e)->frame, &dsp), KST_OK);
    assert_int_equal(kst_jpeg_cpu_sample_rows_create(&memory, &sampler, &rows), KST_OK);
    for (uint32_t row = 0; row < kst_jpeg_cpu_sampler_rows(&sampler); row++) {
        kst_jpeg_cpu_sample_rows_fill(&sampler, row, &rows);
        for (uint32_t c = 0; c < jpeg_encoding_of(e)->frame.component_count; c++) {
            const struct jpeg_component *component = &jpeg_encoding_of(e)->frame.component[c];
            struct jpeg_quantizer quantizer;
            kst_jpeg_cpu_quantizer_init(&quantizer, component->quant);
            for (uint32_t y = 0; y < sampler.v[c] && row * sampler.v[c] + y < component->blocks_h; y++)
                for (uint32_t x = 0; x < component->blocks_w; x++) {
                    _Alignas(64) int16_t block[64], sorted[64];
                    size_t place = (size_t)(row * sampler.v[c] + y) * component->blocks_w + x;
                    dsp.fdct(rows.row[c] + (size_t)y * 8 * rows.pitch[c] + (size_t)x * 8, (ptrdiff_t)rows.pitch[c],
                        &quantizer, block);
                    dsp.zigzag(block, sorted);
                    memcpy(planes->block[c] + place * 64, sorted, sizeof sorted);
                }
        }
    }
    kst_jpeg_cpu_sample_rows_release(&memory, &rows);
}

/*
 * Put the blocks into the order of coding (A.2), with differences of DC (F.1.1.5.1). Blocks that pad an MCU repeat the
 * DC before them.
 */
static void put_in_order(const struct jpeg_encode_picture *shape, const struct encoding *e, const struct planes *planes,
    struct model_coded *block)
{
    const struct jpeg_frame *frame = &jpeg_encoding_of(e)->frame;
    int16_t before[JPEG_COMPONENTS] = {0};
    for (uint32_t mcu = 0; mcu < shape->mcus; mcu++) {
        if (mcu % shape->interval == 0)
            memset(before, 0, sizeof before);
        for (uint32_t c = 0; c < frame->component_count; c++) {
            const struct jpeg_component *component = &frame->component[c];
            uint32_t h = frame->component_count == 1 ? 1 : component->h,
                     v = frame->component_count == 1 ? 1 : component->v;
            for (uint32_t i = 0; i < h * v; i++, block++) {
                uint32_t x = mcu % shape->mcus_w * h + i % h, y = mcu / shape->mcus_w * v + i / h;
                *block = (struct model_coded){.component = c};
                if (x >= component->blocks_w || y >= component->blocks_h)
                    continue;
                memcpy(block->coefficient, planes->block[c] + ((size_t)y * component->blocks_w + x) * 64, 128);
                block->coefficient[0] = (int16_t)(block->coefficient[0] - before[c]);
                before[c] = (int16_t)(before[c] + block->coefficient[0]);
            }
        }
    }
}

static void code(const struct encode_model *model, uint32_t index)
{
    struct model_encoding *picture = &((struct encode_model *)(uintptr_t)model)->picture[index];
    const struct jpeg_encode_picture *shape = encode_model_picture(model, index);
    struct planes planes = {{NULL}};
    for (uint32_t c = 0; c < jpeg_encoding_of(&picture->e)->frame.component_count; c++) {
        const struct jpeg_component *component = &jpeg_encoding_of(&picture->e)->frame.component[c];
        planes.block[c] = stage_poisoned((size_t)component->blocks_w * component->blocks_h * 128);
    }
    picture->block = stage_poisoned((size_t)shape->mcus * shape->mcu_blocks * sizeof *picture->block);
    transform(&picture->e, &planes);
    put_in_order(shape, &picture->e, &planes, picture->block);
    for (uint32_t c = 0; c < JPEG_COMPONENTS; c++)
        free(planes.block[c]);
}

void encode_model_make(struct encode_model *model, uint32_t count, uint32_t side)
{
    static const kst_format formats[] = {
        KST_FORMAT_RGB, KST_FORMAT_BGRA, KST_FORMAT_GREY, KST_FORMAT_CMYK, KST_FORMAT_PLANAR, KST_FORMAT_RGB};
    memset(model, 0, sizeof *model);
    model->count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct model_encoding *picture = &model->picture[i];
        kst_format format = formats[next_random() % 6];
        kst_encode_options options;
        kst_image image;
        make_image(picture, format, side, &image);
        choose_options(format, &options);
        kst_status status = kst_encoding_begin(&picture->e, cpu, &image, NULL, &options, &picture->output);
        if (status)
            fail_msg("%s", picture->e.report.message);
        model->item[i] = jpeg_encoder_of(&picture->e)->item;
        assert_true(kst_jpeg_gpu_encodes(&model->item[i]));
    }
    model->size = kst_jpeg_gpu_encode_size(model->item, count);
    model->work = stage_poisoned(model->size.words * 4ULL);
    model->size.words = kst_jpeg_gpu_encode_work(model->item, count, NULL, model->work);
    model->head = (struct jpeg_encode_work *)(void *)model->work;
    model->head->gathered = next_random() % 2;
    for (uint32_t i = 0; i < count; i++) {
        make_tables(model, i);
        for (uint32_t d = 0; d < 2; d++)
            kst_jpeg_gpu_encode_codes(model->work, encode_model_picture(model, i), d,
                &model->picture[i].tables.table[JPEG_DC][d], &model->picture[i].tables.table[JPEG_AC][d]);
        code(model, i);
    }
}

void encode_model_release(struct encode_model *model)
{
    for (uint32_t i = 0; i < model->count; i++) {
        kst_encoding_end(&model->picture[i].e, KST_ERROR_CANCELLED);
        free(model->picture[i].memory);
        free(model->picture[i].block);
    }
    free(model->work);
}

const struct jpeg_encode_picture *encode_model_picture(const struct encode_model *model, uint32_t picture)
{
    return kst_jpeg_gpu_encode_picture(model->work, picture);
}

struct model_tile encode_model_tile(const struct encode_model *model, uint32_t picture, uint32_t number)
{
    const struct jpeg_encode_work *head = (const struct jpeg_encode_work *)(const void *)model->work;
    const struct jpeg_encode_picture *p = encode_model_picture(model, picture);
    struct model_tile tile = {.number = number, .interval = number / p->interval_tiles};
    uint32_t start = tile.interval * p->interval, end = start + p->interval < p->mcus ? start + p->interval : p->mcus;
    tile.mcu = start + number % p->interval_tiles * p->tile_mcus;
    tile.mcus = end - tile.mcu < p->tile_mcus ? end - tile.mcu : p->tile_mcus;
    tile.ends = tile.mcu + tile.mcus == end;
    tile.last = end == p->mcus && tile.ends;
    assert_int_equal(tile.last, number + 1 == p->tiles);
    tile.list = (model->work + head->tiles)[picture] + number;
    tile.room = (size_t)p->tile_mcus * p->mcu_blocks * ENCODE_BLOCK_WORDS;
    tile.word = p->bits + number * tile.room;
    return tile;
}

void encode_model_put(struct model_bits *bits, uint32_t value, uint32_t count)
{
    for (uint32_t i = count; i-- > 0; bits->length++) {
        uint32_t *word = &bits->word[bits->length / 32];
        if (bits->length % 32 == 0)
            *word = 0;
        *word |= (value >> i & 1) << (31 - bits->length % 32);
    }
}

static uint32_t size_of(int32_t value)
{
    uint32_t size = 0;
    for (uint32_t magnitude = (uint32_t)abs(value); magnitude > 0; magnitude >>= 1)
        size++;
    return size;
}

/* Return the low bits of a value, or of a negative value less 1. */
static uint32_t extra_of(int32_t value, uint32_t size)
{
    return (uint32_t)(value < 0 ? value - 1 : value) & ((1U << size) - 1);
}

void encode_model_symbols(const struct model_coded *block, encode_model_symbol symbol, void *arg)
{
    uint32_t size = size_of(block->coefficient[0]), run = 0;
    symbol(arg, JPEG_DC, size, extra_of(block->coefficient[0], size));
    for (uint32_t k = 1; k < 64; k++) {
        int32_t value = block->coefficient[k];
        if (value == 0) {
            run++;
            continue;
        }
        for (; run > 15; run -= 16)
            symbol(arg, JPEG_AC, 0xF0, 0);
        size = size_of(value);
        symbol(arg, JPEG_AC, run << 4 | size, extra_of(value, size));
        run = 0;
    }
    if (run > 0)
        symbol(arg, JPEG_AC, 0, 0);
}
