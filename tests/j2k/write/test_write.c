/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever is written is read again without a warning, code-block for code-block, and as long as it was measured. */
#include <string.h>

#include "j2k/packets/builder.h"
#include "j2k/syntax/bytes.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/parser.h"
#include "j2k/write/write.h"
#include "support/j2k/codestream.h"
#include "support/random.h"
#include "support/test.h"

enum { COMPONENTS = 3, LAYERS_MAX = 5, BYTES = 1 << 16, TILES_MAX = 64 };

static uint32_t random_state = 11;

/* An image of made-up blocks. */
struct picture {
    struct j2k_coded coded;
    struct j2k_component_size component[COMPONENTS];
    struct j2k_parameters tile[TILES_MAX];
    uint32_t *pass_length;
    uint8_t *layer_passes;
    kst_report report;
};

static uint8_t noise[BYTES];

static void set_size(struct picture *picture)
{
    struct j2k_size *size = &picture->coded.headers.size;
    size->tile_x = random_below(&random_state, 9);
    size->tile_y = random_below(&random_state, 9);
    size->image = (struct j2k_rect){
        size->tile_x + random_below(&random_state, 9), size->tile_y + random_below(&random_state, 9), 0, 0};
    size->image.x1 = size->image.x0 + 20 + random_below(&random_state, 100);
    size->image.y1 = size->image.y0 + 20 + random_below(&random_state, 60);
    size->tile_width = 30 + random_below(&random_state, 80);
    size->tile_height = 30 + random_below(&random_state, 60);
    size->columns = j2k_ceil_divide(size->image.x1 - size->tile_x, size->tile_width);
    size->rows = j2k_ceil_divide(size->image.y1 - size->tile_y, size->tile_height);
    for (uint32_t c = 0; c < COMPONENTS; c++)
        picture->component[c] = (struct j2k_component_size){.depth = (uint8_t)(1 + random_below(&random_state, 16)),
            .is_signed = random_below(&random_state, 2),
            .dx = (uint8_t)(1 + random_below(&random_state, 3)),
            .dy = (uint8_t)(1 + random_below(&random_state, 2))};
    picture->coded.headers.component = picture->component;
    picture->coded.headers.component_count = COMPONENTS;
}

static void set_coding(struct j2k_coding *coding, struct j2k_quantisation *quantisation)
{
    static const uint8_t styles[] = {0, J2K_STYLE_BYPASS, J2K_STYLE_TERMALL, J2K_STYLE_BYPASS | J2K_STYLE_TERMALL};
    *coding = (struct j2k_coding){.levels = (uint8_t)random_below(&random_state, 5),
        .block_width = (uint8_t)(2 + random_below(&random_state, 4)),
        .block_height = (uint8_t)(2 + random_below(&random_state, 4)),
        .style = styles[random_below(&random_state, 4)],
        .reversible = random_below(&random_state, 2)};
    memset(coding->precinct, 0xFF, sizeof coding->precinct);
    for (uint32_t r = 0; r <= coding->levels && random_below(&random_state, 3); r++)
        coding->precinct[r] =
            (uint8_t)((1 + random_below(&random_state, 6)) | (1 + random_below(&random_state, 6)) << 4);
    *quantisation = (struct j2k_quantisation){
        .style = (uint8_t)random_below(&random_state, 3), .guard = (uint8_t)random_below(&random_state, 8)};
    quantisation->count = (uint8_t)(quantisation->style == 1 ? 1 : 3 * coding->levels + 1);
    for (uint32_t i = 0; i < quantisation->count; i++)
        quantisation->step[i] = (uint16_t)(random_below(&random_state, 32) << 11 |
                                           (quantisation->style ? random_below(&random_state, 2048) : 0));
}

/* Two volumes that take the lower and the higher resolutions, or the first layer and then all. */
static void set_volumes(struct j2k_parameters *parameters)
{
    uint32_t kind = random_below(&random_state, 4), capacity = 0;
    if (kind > 1)
        return;
    void *grown = parameters->volume;
    assert_int_equal(
        kst_j2k_grow(&made_memory, NULL, &grown, parameters->volume_count, &capacity, sizeof *parameters->volume),
        KST_OK);
    parameters->volume = grown;
    struct j2k_volume whole = {.progression = (uint8_t)random_below(&random_state, 5),
        .r1 = J2K_RESOLUTIONS,
        .layers = parameters->layers,
        .c1 = COMPONENTS};
    parameters->volume[0] = whole;
    parameters->volume[1] = whole;
    parameters->volume[1].progression = (uint8_t)random_below(&random_state, 5);
    if (kind == 0)
        parameters->volume[0].r1 = 1 + (uint8_t)random_below(&random_state, 3);
    else
        parameters->volume[0].layers = 1;
    parameters->volume_count = 2;
}

static void set_parameters(struct j2k_parameters *parameters)
{
    assert_int_equal(kst_j2k_parameters_allocate(&made_memory, COMPONENTS, parameters), KST_OK);
    parameters->progression = (uint8_t)random_below(&random_state, 5);
    parameters->layers = (uint16_t)(1 + random_below(&random_state, LAYERS_MAX));
    parameters->sop = random_below(&random_state, 2);
    parameters->eph = random_below(&random_state, 2);
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        if (c > 0 && random_below(&random_state, 2)) {
            parameters->coding[c] = parameters->coding[0];
            parameters->quantisation[c] = parameters->quantisation[0];
        } else {
            set_coding(&parameters->coding[c], &parameters->quantisation[c]);
        }
        parameters->roi_shift[c] = (uint8_t)(random_below(&random_state, 3) ? 0 : random_below(&random_state, 38));
    }
    set_volumes(parameters);
}

/* Lengths that ascend; how many passes each layer has. */
static void fill_block(struct picture *picture, uint32_t index, uint32_t layers)
{
    struct j2k_coded *coded = &picture->coded;
    struct j2k_block_code *block = &coded->block[index];
    uint32_t planes = coded->plan.band[coded->plan.block[index].band].planes, length = 0;
    uint8_t *passes = picture->layer_passes + (size_t)index * coded->layers;
    memset(passes, 0, coded->layers);
    block->first_pass = index * J2K_PASSES_MAX;
    if (planes == 0 || random_below(&random_state, 5) == 0)
        return;
    block->missing = (uint8_t)random_below(&random_state, planes);
    block->passes = (uint8_t)(1 + random_below(&random_state, 3 * (planes - block->missing) - 2));
    if (block->passes > J2K_PACKET_PASSES)
        block->passes = J2K_PACKET_PASSES;
    for (uint32_t p = 0; p < block->passes; p++) {
        length +=
            random_below(&random_state, 3) ? random_below(&random_state, 12) : random_below(&random_state, 2) * 150;
        picture->pass_length[block->first_pass + p] = length;
    }
    assert_true(length < BYTES);
    block->data = noise + random_below(&random_state, BYTES - length);
    uint32_t so_far = 0;
    for (uint32_t l = 0; l < layers; l++) {
        so_far += random_below(&random_state, 3) == 0 ? 0 : random_below(&random_state, block->passes - so_far + 1);
        passes[l] = (uint8_t)so_far;
    }
}

static void make_picture(struct picture *picture)
{
    struct j2k_coded *coded = &picture->coded;
    if (!made_memory.limit)
        kst_memory_init(&made_memory, &(kst_allocator){NULL, NULL, NULL}, UINT64_C(1) << 30);
    memset(picture, 0, sizeof *picture);
    kst_report_init(&picture->report);
    set_size(picture);
    set_parameters(&coded->headers.main);
    uint32_t tiles = coded->headers.size.columns * coded->headers.size.rows;
    assert_true(tiles <= TILES_MAX);
    if (random_below(&random_state, 3) == 0) {
        for (uint32_t t = 0; t < tiles; t++)
            if (random_below(&random_state, 2))
                set_parameters(&picture->tile[t]);
            else
                picture->tile[t] = coded->headers.main;
        coded->tile = picture->tile;
    }
    const struct operation op = {.memory = &made_memory, .limits = &kst_default_limits, .report = &picture->report};
    assert_int_equal(kst_j2k_coded_layout(&op, coded), KST_OK);
    picture->pass_length =
        kst_memory_array(&made_memory, coded->plan.block_count, J2K_PASSES_MAX * sizeof *picture->pass_length, NULL);
    picture->layer_passes = kst_memory_array(&made_memory, coded->plan.block_count, coded->layers, NULL);
    coded->pass_length = picture->pass_length;
    coded->layer_passes = picture->layer_passes;
    for (uint32_t p = 0; p < coded->precinct_count; p++)
        for (uint32_t b = 0; b < 3; b++)
            for (uint32_t i = 0; i < (uint32_t)coded->precinct[p].columns[b] * coded->precinct[p].rows[b]; i++)
                fill_block(picture, coded->precinct[p].first_block[b] + i,
                    kst_j2k_coded_parameters(coded, coded->precinct[p].tile)->layers);
}

static void release_picture(struct picture *picture)
{
    for (uint32_t t = 0; t < TILES_MAX; t++)
        if (picture->tile[t].coding != picture->coded.headers.main.coding)
            kst_j2k_parameters_release(&made_memory, &picture->tile[t]);
    kst_j2k_parameters_release(&made_memory, &picture->coded.headers.main);
    kst_j2k_coded_release(&made_memory, &picture->coded);
    kst_memory_release(&made_memory, picture->pass_length);
    kst_memory_release(&made_memory, picture->layer_passes);
    assert_int_equal(made_memory.used, 0);
}

/* Passes of a block up to a layer of its tile, and their bytes. */
static uint32_t passes_of(const struct picture *picture, uint32_t block, uint32_t layers)
{
    return layers ? picture->layer_passes[(size_t)block * picture->coded.layers + layers - 1] : 0;
}

static uint32_t tile_of(const struct j2k_plan *plan, uint32_t block)
{
    uint32_t component = plan->band[plan->block[block].band].tile_component;
    return component / plan->component_count;
}

static void check_bytes(const struct picture *picture, uint32_t index, const struct j2k_plan *plan, uint32_t read)
{
    const struct j2k_block_code *block = &picture->coded.block[index];
    const struct j2k_block *found = &plan->block[read];
    const uint8_t *expected = block->data;
    uint32_t passes = 0;
    for (uint32_t s = found->first_segment; s < found->first_segment + found->segment_count; s++) {
        const struct j2k_segment *segment = &plan->segment[s];
        for (uint32_t i = segment->first_piece; i < segment->first_piece + segment->piece_count; i++) {
            assert_memory_equal(expected, plan->data + plan->piece[i].offset, plan->piece[i].length);
            expected += plan->piece[i].length;
        }
        passes += segment->passes;
        assert_int_equal(expected - block->data, picture->pass_length[block->first_pass + passes - 1]);
    }
    assert_int_equal(passes, found->passes);
}

static void check_blocks(const struct picture *picture, const struct j2k_plan *plan)
{
    const struct j2k_coded *coded = &picture->coded;
    uint32_t read = 0;
    for (uint32_t i = 0; i < coded->plan.block_count; i++) {
        uint32_t layers = kst_j2k_coded_parameters(coded, tile_of(&coded->plan, i))->layers;
        uint32_t passes = passes_of(picture, i, layers);
        if (passes == 0)
            continue;
        assert_true(read < plan->block_count);
        const struct j2k_block *found = &plan->block[read], *wanted = &coded->plan.block[i];
        assert_int_equal(found->x, wanted->x);
        assert_int_equal(found->y, wanted->y);
        assert_int_equal(found->width, wanted->width);
        assert_int_equal(found->height, wanted->height);
        assert_int_equal(found->band, wanted->band);
        assert_int_equal(found->missing, coded->block[i].missing);
        assert_int_equal(found->passes, passes);
        check_bytes(picture, i, plan, read);
        read++;
    }
    assert_int_equal(read, plan->block_count);
}

static void check_headers(const struct picture *picture, const struct j2k_stream *stream)
{
    const struct j2k_stream *headers = &picture->coded.headers;
    assert_memory_equal(&stream->size, &headers->size, sizeof stream->size);
    assert_int_equal(stream->component_count, COMPONENTS);
    for (uint32_t c = 0; c < COMPONENTS; c++) {
        assert_int_equal(stream->component[c].depth, picture->component[c].depth);
        assert_int_equal(stream->component[c].is_signed, picture->component[c].is_signed);
        assert_int_equal(stream->component[c].dx, picture->component[c].dx);
        assert_int_equal(stream->component[c].dy, picture->component[c].dy);
    }
    assert_int_equal(stream->main.layers, headers->main.layers);
    assert_int_equal(stream->main.progression, headers->main.progression);
    assert_int_equal(stream->main.sop, headers->main.sop);
    assert_int_equal(stream->main.eph, headers->main.eph);
    assert_memory_equal(
        stream->main.quantisation, headers->main.quantisation, COMPONENTS * sizeof *stream->main.quantisation);
    assert_memory_equal(stream->main.coding, headers->main.coding, COMPONENTS * sizeof *stream->main.coding);
    assert_memory_equal(stream->main.roi_shift, headers->main.roi_shift, COMPONENTS);
}

static void check_stream(const struct picture *picture, const struct sink *sink)
{
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    const struct j2k_filter everything = {.layers = 0};
    kst_report_init(&report);
    const struct operation op = {.memory = &made_memory, .limits = &kst_default_limits, .report = &report};
    assert_int_equal(kst_j2k_parse(&op, sink->data, sink->length, &stream), KST_OK);
    check_headers(picture, &stream);
    assert_int_equal(kst_j2k_plan_build(&op, &stream, &everything, &plan), KST_OK);
    assert_int_equal(report.warnings, 0);
    check_blocks(picture, &plan);
    kst_j2k_plan_release(&made_memory, &plan);
    kst_j2k_stream_release(&made_memory, &stream);
}

/* Each layer is measured twice without commitment, then with it; the sum and the overhead are the stream's length. */
static void check_measure(struct picture *picture, const struct j2k_writing *writing, size_t length)
{
    const struct j2k_coded *coded = &picture->coded;
    struct j2k_packets *packets;
    uint64_t sum = 0, overhead = 0;
    const struct operation op = {.memory = &made_memory, .report = &picture->report};
    assert_int_equal(kst_j2k_packets_create(&op, coded, &packets), KST_OK);
    for (uint32_t l = 0; l < coded->layers; l++)
        for (uint32_t p = 0; p < coded->precinct_count; p++) {
            uint64_t first = kst_j2k_packet_measure(packets, p, l, writing->packet_lengths, false);
            assert_int_equal(first, kst_j2k_packet_measure(packets, p, l, writing->packet_lengths, false));
            assert_int_equal(first, kst_j2k_packet_measure(packets, p, l, writing->packet_lengths, true));
            sum += first;
        }
    kst_j2k_packets_release(&made_memory, packets);
    assert_int_equal(kst_j2k_overhead(&op, coded, writing, &overhead), KST_OK);
    if (writing->packet_lengths)
        assert_true(length <= sum + overhead);
    else
        assert_int_equal(length, sum + overhead);
}

/* The marker segments from `at` up to the marker `last`: those of kind `wanted` one after the other, less their index.
 */
static size_t gather(const struct sink *sink, size_t at, uint8_t last, uint8_t wanted, uint32_t skip, uint8_t *to)
{
    size_t length = 0;
    uint32_t index = 0;
    while (sink->data[at + 1] != last) {
        uint32_t segment = j2k_get16(sink->data + at + 2);
        if (sink->data[at + 1] == wanted) {
            assert_int_equal(sink->data[at + 4], index++);
            memcpy(to + length, sink->data + at + 4 + skip, segment - 2 - skip);
            length += segment - 2 - skip;
        }
        at += 2 + segment;
    }
    return length;
}

/* TLM says what Psot says; the sum of what PLT says is the tile-part's body. */
static void check_lengths(const struct j2k_writing *writing, const struct sink *sink)
{
    static uint8_t parts[BYTES], packets[BYTES];
    size_t part_bytes = gather(sink, 2, J2K_SOT, J2K_TLM, 2, parts), at = 2, entry = 0;
    while (sink->data[at + 1] != J2K_SOT)
        at += 2 + j2k_get16(sink->data + at + 2);
    while (sink->data[at + 1] == J2K_SOT) {
        size_t length = j2k_get32(sink->data + at + 6), body = at + 12;
        if (writing->tile_part_lengths) {
            assert_int_equal(j2k_get16(parts + entry), j2k_get16(sink->data + at + 4));
            assert_int_equal(j2k_get32(parts + entry + 2), length);
            entry += 6;
        }
        size_t packet_bytes = gather(sink, at + 12, J2K_SOD, J2K_PLT, 1, packets);
        uint64_t sum = 0, value = 0;
        for (size_t i = 0; i < packet_bytes; i++) {
            value = value << 7 | (packets[i] & 0x7F);
            sum += packets[i] & 0x80 ? 0 : value;
            value = packets[i] & 0x80 ? value : 0;
        }
        while (sink->data[body + 1] != J2K_SOD)
            body += 2 + j2k_get16(sink->data + body + 2);
        assert_int_equal(value, 0);
        assert_int_equal(sum, writing->packet_lengths ? at + length - body - 2 : 0);
        at += length;
    }
    assert_int_equal(entry, part_bytes);
    assert_int_equal(at, sink->length - 2);
}

static void check_writing(struct picture *picture, const struct j2k_writing *writing)
{
    struct sink sink;
    kst_sink_init(&sink, &made_memory);
    const struct operation op = {.memory = &made_memory, .report = &picture->report};
    assert_int_equal(kst_j2k_write(&op, &picture->coded, writing, &sink), KST_OK);
    check_stream(picture, &sink);
    check_lengths(writing, &sink);
    check_measure(picture, writing, sink.length);
    kst_sink_release(&sink);
}

static void test_pictures(void **state)
{
    (void)state;
    static const struct j2k_comment comments[] = {{(const uint8_t *)"words", 5, true}, {noise, 300, false}};
    static const uint16_t registration[2 * COMPONENTS] = {1, 2, 3, 4, 5, 65535};
    static struct picture picture;
    for (uint32_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)random_below(&random_state, 256);
    for (uint32_t i = 0; i < 150; i++) {
        struct j2k_writing writing = {.part_by_part = random_below(&random_state, 2),
            .packet_lengths = random_below(&random_state, 2),
            .tile_part_lengths = random_below(&random_state, 2),
            .comment = comments,
            .comment_count = random_below(&random_state, 3),
            .registration = random_below(&random_state, 2) ? registration : NULL};
        make_picture(&picture);
        check_writing(&picture, &writing);
        writing.division = KST_J2K_DIVIDE_RESOLUTION;
        if (picture.coded.headers.main.progression == J2K_RLCP || picture.coded.headers.main.progression == J2K_RPCL)
            check_writing(&picture, &writing);
        release_picture(&picture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
