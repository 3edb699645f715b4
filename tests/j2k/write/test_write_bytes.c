/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks written files byte by byte, PLT and TLM against the tile-parts, and what is refused. */
#include <string.h>

#include "j2k/syntax/bytes.h"
#include "j2k/syntax/geometry.h"
#include "j2k/syntax/marker.h"
#include "j2k/syntax/parser.h"
#include "j2k/write/file_writer.h"
#include "support/j2k/codestream.h"
#include "support/test.h"

enum { COMPONENTS_MAX = 300, LAYERS = 2 };

static struct j2k_coded coded;
static struct j2k_component_size component[COMPONENTS_MAX];
static uint32_t pass_length[4096];
static uint8_t layer_passes[8192], data[64];
static kst_report report;

/* Components of 8 bits, no levels, two layers; what tests change comes before lay_out(). */
static void start(uint32_t components, struct j2k_rect image, uint32_t tile)
{
    if (!made_memory.limit)
        kst_memory_init(&made_memory, &(kst_allocator){NULL, NULL, NULL}, UINT64_C(1) << 30);
    kst_report_init(&report);
    memset(&coded, 0, sizeof coded);
    struct j2k_stream *headers = &coded.headers;
    headers->size = (struct j2k_size){.image = image, .tile_width = tile, .tile_height = tile};
    headers->size.columns = j2k_ceil_divide(image.x1, tile);
    headers->size.rows = j2k_ceil_divide(image.y1, tile);
    headers->component = component;
    headers->component_count = components;
    assert_int_equal(kst_j2k_parameters_allocate(&made_memory, components, &headers->main), KST_OK);
    headers->main.layers = LAYERS;
    for (uint32_t c = 0; c < components; c++) {
        component[c] = (struct j2k_component_size){.depth = 8, .dx = 1, .dy = 1};
        struct j2k_coding *coding = &headers->main.coding[c];
        *coding = (struct j2k_coding){.block_width = 6, .block_height = 6, .reversible = true};
        memset(coding->precinct, 0xFF, sizeof coding->precinct);
        headers->main.quantisation[c] =
            (struct j2k_quantisation){.guard = 2, .count = 1, .step = {8 << 11}}; /* nine bit planes */
    }
    for (uint32_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i + 1);
}

static void set_block(uint32_t index, uint32_t missing, uint32_t first, uint32_t second)
{
    coded.block[index] =
        (struct j2k_block_code){.data = data, .first_pass = 0, .passes = (uint8_t)second, .missing = (uint8_t)missing};
    layer_passes[LAYERS * index] = (uint8_t)first;
    layer_passes[LAYERS * index + 1] = (uint8_t)second;
}

static void lay_out(void)
{
    const struct operation op = {.memory = &made_memory, .limits = &kst_default_limits, .report = &report};
    assert_int_equal(kst_j2k_coded_layout(&op, &coded), KST_OK);
    memset(layer_passes, 0, sizeof layer_passes);
    coded.pass_length = pass_length;
    coded.layer_passes = layer_passes;
}

static void finish(void)
{
    kst_j2k_coded_release(&made_memory, &coded);
    kst_j2k_parameters_release(&made_memory, &coded.headers.main);
    assert_int_equal(made_memory.used, 0);
}

static void expect_bytes(const struct j2k_writing *writing, const uint8_t *bytes, size_t length)
{
    struct sink sink;
    kst_sink_init(&sink, &made_memory);
    const struct operation op = {.memory = &made_memory, .report = &report};
    assert_int_equal(kst_j2k_write(&op, &coded, writing, &sink), KST_OK);
    assert_int_equal(sink.length, length);
    assert_memory_equal(sink.data, bytes, length);
    kst_sink_release(&sink);
}

/*
 * Component 0 is one block of 8 × 8 in two layers. Its first header: 1 (not empty) 1 (included) 001 (two planes
 * missing) 1100 (3 passes) 0 (Lblock stays) 0101 (3 + 1 bits: 5 bytes); its second: 1 1 0 (one pass) 0 010 (2 bytes).
 * There is nothing of component 1.
 */
static void test_every_marker(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0xFF, J2K_SOC,
        /* */ 0xFF, J2K_SIZ, 0, 44, 0, 0, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 2, 7, 1, 1, 0x8B, 1, 1,
        /* */ 0xFF, J2K_COD, 0, 12, 6, 2, 0, 2, 0, 0, 4, 4, 0, 1,
        /* */ 0xFF, J2K_COC, 0, 10, 1, 1, 0, 3, 4, 4, 1, 0x54,
        /* */ 0xFF, J2K_QCD, 0, 4, 0x40, 0x40,
        /* */ 0xFF, J2K_QCC, 0, 6, 1, 0x22, 0x48, 7,
        /* */ 0xFF, J2K_RGN, 0, 5, 1, 0, 7,
        /* */ 0xFF, J2K_POC, 0, 16, 0, 0, 0, 1, 33, 2, 1, 0, 0, 0, 2, 33, 2, 4,
        /* */ 0xFF, J2K_CRG, 0, 10, 0, 1, 0, 2, 0, 3, 0xFF, 0xFF,
        /* */ 0xFF, J2K_COM, 0, 6, 0, 1, 'h', 'i', 0xFF, J2K_COM, 0, 5, 0, 0, 9,
        /* */ 0xFF, J2K_TLM, 0, 16, 0, 0x60, 0, 0, 0, 0, 0, 45, 0, 0, 0, 0, 0, 41,
        /* layer 0 */ 0xFF, J2K_SOT, 0, 10, 0, 0, 0, 0, 0, 45, 0, 2, 0xFF, J2K_PLT, 0, 5, 0, 15, 9, 0xFF, J2K_SOD,
        /* */ 0xFF, J2K_SOP, 0, 4, 0, 0, 0xCE, 0x14, 0xFF, J2K_EPH, 1, 2, 3, 4, 5,
        /* */ 0xFF, J2K_SOP, 0, 4, 0, 1, 0x00, 0xFF, J2K_EPH,
        /* layer 1 */ 0xFF, J2K_SOT, 0, 10, 0, 0, 0, 0, 0, 41, 1, 2, 0xFF, J2K_PLT, 0, 5, 0, 11, 9, 0xFF, J2K_SOD,
        /* */ 0xFF, J2K_SOP, 0, 4, 0, 2, 0xC4, 0xFF, J2K_EPH, 6, 7,
        /* */ 0xFF, J2K_SOP, 0, 4, 0, 3, 0x00, 0xFF, J2K_EPH,
        /* */ 0xFF, J2K_EOC};
    static const struct j2k_comment comments[] = {{(const uint8_t *)"hi", 2, true}, {(const uint8_t *)"\11", 1, false}};
    static const uint16_t registration[] = {1, 2, 3, 0xFFFF};
    static const struct j2k_writing writing = {.division = KST_J2K_DIVIDE_LAYER,
        .packet_lengths = true,
        .tile_part_lengths = true,
        .comment = comments,
        .comment_count = 2,
        .registration = registration};
    struct j2k_volume volumes[] = {{J2K_RLCP, 0, 33, 1, 0, 2}, {J2K_CPRL, 0, 33, 2, 0, 2}};
    start(2, (struct j2k_rect){0, 0, 8, 8}, 8);
    struct j2k_parameters *main = &coded.headers.main;
    main->progression = J2K_RPCL;
    main->sop = main->eph = true;
    component[1] = (struct j2k_component_size){.depth = 12, .is_signed = true, .dx = 1, .dy = 1};
    main->coding[1].block_width = 5;
    main->coding[1].style = J2K_STYLE_TERMALL;
    main->coding[1].precinct[0] = 0x54;
    main->quantisation[1] = (struct j2k_quantisation){.style = 2, .guard = 1, .count = 1, .step = {0x4807}};
    main->roi_shift[1] = 7;
    main->volume = volumes;
    main->volume_count = 2;
    lay_out();
    static const uint32_t lengths[] = {2, 5, 5, 7};
    memcpy(pass_length, lengths, sizeof lengths);
    set_block(0, 2, 3, 4);
    expect_bytes(&writing, expected, sizeof expected);
    main->volume = NULL;
    main->volume_count = 0;
    finish();
}

/* Bytes of the only tile-part behind SOD. */
static void expect_packets(const uint8_t *bytes, size_t length)
{
    static const struct j2k_writing plain = {.division = 0};
    struct sink sink;
    kst_sink_init(&sink, &made_memory);
    const struct operation op = {.memory = &made_memory, .report = &report};
    assert_int_equal(kst_j2k_write(&op, &coded, &plain, &sink), KST_OK);
    assert_true(sink.length > length + 2);
    assert_memory_equal(sink.data + sink.length - 2 - length, bytes, length);
    assert_int_equal(sink.data[sink.length - 2 - length - 1], J2K_SOD);
    kst_sink_release(&sink);
}

/*
 * 164 passes of 0 bytes: 1 1 (included) 1 (no plane missing) 1111 11111 1111111 (164 passes) 0 (Lblock) 0000000000 (3 +
 * 7 bits), so that a byte of ones is followed by one of seven bits; then nothing.
 */
static void test_stuffing(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0xFF, 0x7F, 0xF0, 0x00, 0x00};
    start(1, (struct j2k_rect){0, 0, 8, 8}, 8);
    coded.headers.main.quantisation[0].step[0] = 31 << 11;
    coded.headers.main.quantisation[0].guard = 7;
    coded.headers.main.roi_shift[0] = 37;
    lay_out();
    memset(pass_length, 0, sizeof pass_length);
    set_block(0, 0, 164, 164);
    expect_packets(expected, sizeof expected);
    finish();
}

/* Lengths that need Lblock to grow, of segments that each end a pass: 1 1 1 10 (2 passes) 11 0 (Lblock 5) 11111 00001.
 */
static void test_lengths(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0xF6, 0xF8, 0x40};
    static uint8_t bytes[3 + 32 + 1];
    start(1, (struct j2k_rect){0, 0, 8, 8}, 8);
    coded.headers.main.coding[0].style = J2K_STYLE_TERMALL;
    lay_out();
    pass_length[0] = 31;
    pass_length[1] = 32;
    set_block(0, 0, 2, 2);
    memcpy(bytes, expected, 3);
    memcpy(bytes + 3, data, 32);
    expect_packets(bytes, sizeof bytes); /* the second layer is an empty packet */
    finish();
}

static void expect_write(kst_status expected, const struct j2k_writing *writing)
{
    struct sink sink;
    kst_report_init(&report);
    kst_sink_init(&sink, &made_memory);
    const struct operation op = {.memory = &made_memory, .report = &report};
    assert_int_equal(kst_j2k_write(&op, &coded, writing, &sink), expected);
    assert_int_equal(report.status, expected);
    kst_sink_release(&sink);
}

/* Check what cannot be written, and the most that can. */
static void test_refused(void **state)
{
    (void)state;
    static uint8_t long_text[J2K_COMMENT_MAX + 1];
    struct j2k_comment comment = {long_text, J2K_COMMENT_MAX, true};
    struct j2k_writing writing = {.comment = &comment, .comment_count = 1};
    start(1, (struct j2k_rect){0, 0, 8, 8}, 8);
    lay_out();
    expect_write(KST_OK, &writing);
    comment.length++;
    expect_write(KST_ERROR_OPTIONS, &writing);
    writing.comment_count = 0;
    pass_length[0] = 5;
    pass_length[1] = 4;
    set_block(0, 8, 1, 1);
    expect_write(KST_OK, &writing);
    set_block(0, 8, 1, 2); /* one plane has one pass */
    expect_write(KST_ERROR_ARGUMENT, &writing);
    set_block(0, 9, 1, 1); /* none is left */
    expect_write(KST_ERROR_ARGUMENT, &writing);
    set_block(0, 7, 2, 2); /* lengths descend */
    expect_write(KST_ERROR_ARGUMENT, &writing);
    pass_length[1] = 5;
    expect_write(KST_OK, &writing);
    layer_passes[1] = 1; /* passes descend */
    expect_write(KST_ERROR_ARGUMENT, &writing);
    layer_passes[1] = 3; /* more than there are */
    expect_write(KST_ERROR_ARGUMENT, &writing);
    struct j2k_volume volume = {J2K_LRCP, 0, 33, 1, 0, 1};
    layer_passes[1] = 2;
    coded.headers.main.volume = &volume;
    coded.headers.main.volume_count = 1; /* the second layer is left out */
    expect_write(KST_ERROR_J2K_PROGRESSION, &writing);
    volume.layers = 2;
    expect_write(KST_OK, &writing);
    coded.headers.main.volume_count = 0;
    coded.headers.main.volume = NULL;
    finish();
    start(128, (struct j2k_rect){0, 0, 8, 8}, 8);
    lay_out();
    writing.division = KST_J2K_DIVIDE_COMPONENT; /* 256 tile-parts in the order of layers */
    expect_write(KST_ERROR_OPTIONS, &writing);
    coded.headers.main.progression = J2K_CPRL;
    expect_write(KST_OK, &writing);
    finish();
}

static kst_status try_lay_out(void)
{
    kst_report_init(&report);
    const struct operation op = {.memory = &made_memory, .limits = &kst_default_limits, .report = &report};
    kst_status status = kst_j2k_coded_layout(&op, &coded);
    kst_j2k_coded_release(&made_memory, &coded);
    assert_int_equal(report.status, status);
    return status;
}

#define EXPECT_CHANGED(field, value, expected)                                                                         \
    do {                                                                                                               \
        start(1, (struct j2k_rect){0, 0, 8, 8}, 8);                                                                    \
        coded.headers.field = (value);                                                                                 \
        assert_int_equal(try_lay_out(), expected);                                                                     \
        finish();                                                                                                      \
    } while (0)

static void test_headers_refused(void **state)
{
    (void)state;
    EXPECT_CHANGED(size.image.x1, 0, KST_ERROR_J2K_DIMENSIONS);
    EXPECT_CHANGED(size.tile_x, 1, KST_ERROR_J2K_DIMENSIONS);
    EXPECT_CHANGED(size.tile_width, 0, KST_ERROR_J2K_DIMENSIONS);
    EXPECT_CHANGED(size.columns, 65536, KST_ERROR_J2K_TILES);
    EXPECT_CHANGED(component_count, 0, KST_ERROR_J2K_COMPONENTS);
    EXPECT_CHANGED(component[0].depth, 39, KST_ERROR_J2K_DEPTH);
    EXPECT_CHANGED(component[0].depth, 38, KST_OK);
    EXPECT_CHANGED(component[0].dy, 0, KST_ERROR_J2K_SAMPLING);
    EXPECT_CHANGED(component[0].dx, 255, KST_OK);
    EXPECT_CHANGED(main.progression, 5, KST_ERROR_J2K_CODING);
    EXPECT_CHANGED(main.layers, 0, KST_ERROR_J2K_CODING);
    EXPECT_CHANGED(main.layers, 65535, KST_OK);
    EXPECT_CHANGED(main.coding[0].levels, 33, KST_ERROR_J2K_CODING);
    EXPECT_CHANGED(main.coding[0].levels, 1, KST_ERROR_J2K_QUANTISATION);
    EXPECT_CHANGED(main.coding[0].block_width, 1, KST_ERROR_J2K_CODING);
    EXPECT_CHANGED(main.coding[0].block_height, 7, KST_ERROR_J2K_CODING);
    EXPECT_CHANGED(main.coding[0].style, 64, KST_OK);
    EXPECT_CHANGED(main.coding[0].style, 72, KST_OK);
    EXPECT_CHANGED(main.coding[0].style, 65, KST_ERROR_J2K_CODING);
    EXPECT_CHANGED(main.coding[0].style, 192, KST_ERROR_J2K_HT);
    EXPECT_CHANGED(main.coding[0].style, 128, KST_ERROR_J2K_CODING);
    EXPECT_CHANGED(main.quantisation[0].style, 3, KST_ERROR_J2K_QUANTISATION);
    EXPECT_CHANGED(main.quantisation[0].guard, 8, KST_ERROR_J2K_QUANTISATION);
    EXPECT_CHANGED(main.quantisation[0].count, 0, KST_ERROR_J2K_QUANTISATION);
    EXPECT_CHANGED(main.roi_shift[0], 38, KST_ERROR_J2K_ROI);
    EXPECT_CHANGED(main.roi_shift[0], 37, KST_OK);
    EXPECT_CHANGED(main.transform, true, KST_ERROR_J2K_TRANSFORM);
}

static void test_file(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0, 0, 0, 12, 'j', 'P', ' ', ' ', 0x0D, 0x0A, 0x87, 0x0A,
        /* */ 0, 0, 0, 20, 'f', 't', 'y', 'p', 'j', 'p', '2', ' ', 0, 0, 0, 0, 'j', 'p', '2', ' ',
        /* */ 0, 0, 0, 160, 'j', 'p', '2', 'h',
        /* */ 0, 0, 0, 22, 'i', 'h', 'd', 'r', 0, 0, 0, 8, 0, 0, 0, 9, 0, 2, 255, 7, 1, 0,
        /* */ 0, 0, 0, 10, 'b', 'p', 'c', 'c', 7, 0x8B,
        /* */ 0, 0, 0, 15, 'c', 'o', 'l', 'r', 1, 0, 0, 0, 0, 0, 16,
        /* */ 0, 0, 0, 19, 'p', 'c', 'l', 'r', 0, 2, 2, 7, 0x8B, 1, 0xFF, 0xFE, 200, 7, 0xFF,
        /* */ 0, 0, 0, 20, 'c', 'm', 'a', 'p', 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0,
        /* */ 0, 0, 0, 22, 'c', 'd', 'e', 'f', 0, 2, 0, 0, 0, 0, 0, 1, 0, 2, 0, 1, 0, 0};
    static const uint8_t after[] = {0, 0, 0, 44, 'r', 'e', 's', ' ',
        /* */ 0, 0, 0, 18, 'r', 'e', 's', 'c', 0, 72, 0, 1, 0, 96, 0, 2, 3, 0xFF,
        /* */ 0, 0, 0, 18, 'r', 'e', 's', 'd', 0xFF, 0xFF, 0, 1, 0, 1, 0, 1, 0, 0,
        /* */ 0, 0, 0, 11, 'x', 'm', 'l', ' ', '<', 'a', '>'};
    static const uint8_t depths[] = {7, 0x8B};
    static const int64_t values[] = {1, -2, 200, 2047};
    static const struct j2k_channel_mapping mapping[] = {{0, 1, 0}, {0, 1, 1}, {1, 0, 0}};
    static const struct j2k_channel_definition definition[] = {{0, 0, 1}, {2, 1, 0}};
    static const struct j2k_raw_box boxes[] = {
        {J2K_BOX('x', 'm', 'l', ' '), (const uint8_t *)"<a>", 3, false}, {J2K_BOX('u', 'u', 'i', 'd'), data, 20, true}};
    struct j2k_file_writing file = {.colour = J2K_COLOUR_ENUMERATED,
        .colour_space = J2K_COLOUR_SPACE_SRGB,
        .unknown_colour = true,
        .palette = {2, 2, depths, values},
        .mapping = mapping,
        .mapping_count = 3,
        .definition = definition,
        .definition_count = 2,
        .capture = {true, {72, 96}, {1, 2}, {3, -1}},
        .display = {true, {65535, 1}, {1, 1}, {0, 0}},
        .box = boxes,
        .box_count = 2};
    static const struct j2k_writing plain = {.division = 0};
    struct sink sink;
    struct j2k_stream stream;
    start(2, (struct j2k_rect){0, 0, 9, 8}, 9);
    component[1] = (struct j2k_component_size){.depth = 12, .is_signed = true, .dx = 1, .dy = 1};
    lay_out();
    kst_sink_init(&sink, &made_memory);
    const struct operation op = {.memory = &made_memory, .limits = &kst_default_limits, .report = &report};
    assert_int_equal(kst_j2k_write_file(&op, &coded, &plain, &file, &sink), KST_OK);
    assert_memory_equal(sink.data, expected, sizeof expected);
    assert_memory_equal(sink.data + sizeof expected, after, sizeof after);
    assert_int_equal(kst_j2k_parse(&op, sink.data, sink.length, &stream), KST_OK);
    assert_int_equal(report.warnings, 0);
    assert_int_equal(stream.start, sizeof expected + sizeof after + 8);
    assert_int_equal(stream.end, sink.length - 28);
    assert_memory_equal(sink.data + sink.length - 20, data, 20);
    assert_int_equal(kst_j2k_palette_value(sink.data, &stream.file.palette, 0, 1), -2);
    assert_int_equal(kst_j2k_mapping(sink.data, &stream.file, 2).component, 1);
    assert_int_equal(stream.file.capture.exponent[1], -1);
    kst_j2k_stream_release(&made_memory, &stream);
    kst_sink_release(&sink);
    finish();
}

static void test_file_refused(void **state)
{
    (void)state;
    static const uint8_t depths[] = {7, 38};
    static const int64_t values[2048];
    static const struct j2k_channel_mapping mapping = {0, 1, 1};
    static const struct j2k_channel_definition definition = {1, 0, 1};
    const struct j2k_file_writing grey = {.colour = J2K_COLOUR_ENUMERATED, .colour_space = J2K_COLOUR_SPACE_GREY};
    struct j2k_file_writing files[9];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        files[i] = grey;
    files[0].colour = J2K_COLOUR_NONE;
    files[1].colour = J2K_COLOUR_ICC;
    files[2].palette.entries = 2; /* without a mapping */
    files[3].mapping_count = 1;   /* without a palette */
    files[4].definition = &definition;
    files[4].definition_count = 1;
    files[5].capture.present = true;
    for (size_t i = 6; i < 9; i++) {
        files[i].palette.entries = 1024;
        files[i].palette.columns = 2;
        files[i].palette.depth = depths;
        files[i].palette.value = values;
        files[i].mapping = &mapping;
        files[i].mapping_count = 1;
    }
    files[7].palette.entries = 1025;
    files[8].palette.columns = 1; /* the mapping names the second */
    start(1, (struct j2k_rect){0, 0, 8, 8}, 8);
    lay_out();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        static const struct j2k_writing plain = {.division = 0};
        struct sink sink;
        kst_report_init(&report);
        kst_sink_init(&sink, &made_memory);
        const struct operation op = {.memory = &made_memory, .report = &report};
        assert_int_equal(kst_j2k_write_file(&op, &coded, &plain, &files[i], &sink), KST_ERROR_OPTIONS);
        assert_int_equal(report.status, KST_ERROR_OPTIONS);
        kst_sink_release(&sink);
    }
    finish();
}

/* A sink of the caller's that is too small by a byte, and one that is not. */
static void test_room(void **state)
{
    (void)state;
    static const struct j2k_writing writing = {.tile_part_lengths = true, .packet_lengths = true};
    static uint8_t room[512];
    struct sink sink;
    start(1, (struct j2k_rect){0, 0, 8, 8}, 8);
    lay_out();
    kst_sink_init_fixed(&sink, room, sizeof room);
    const struct operation op = {.memory = &made_memory, .report = &report};
    assert_int_equal(kst_j2k_write(&op, &coded, &writing, &sink), KST_OK);
    size_t length = sink.length;
    for (size_t i = 0; i < length; i++) {
        kst_report_init(&report);
        kst_sink_init_fixed(&sink, room, i);
        assert_int_equal(kst_j2k_write(&op, &coded, &writing, &sink), KST_ERROR_BUFFER_FULL);
    }
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_marker),
        cmocka_unit_test(test_stuffing),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_headers_refused),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_file_refused),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
