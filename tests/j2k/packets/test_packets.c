/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of packets against the loops of B.12, packet headers, and what filters leave out. */
#include <string.h>

#include "j2k/packets/progression.h"
#include "j2k/syntax/marker.h"
#include "support/j2k/codestream.h"
#include "support/random.h"
#include "support/test.h"

enum { PACKETS_MAX = 1 << 15 };

static uint32_t random_state = 7;

struct packet {
    uint32_t component, resolution, precinct, layer;
};

struct packets {
    struct packet packet[PACKETS_MAX];
    uint32_t count;
};

static struct packets found, expected;
static struct made made;

static bool note(void *argument, const struct j2k_grid *grid, uint32_t precinct, uint32_t layer)
{
    struct packets *packets = argument;
    assert_true(packets->count < PACKETS_MAX);
    packets->packet[packets->count++] = (struct packet){grid->component, grid->resolution, precinct, layer};
    return true;
}

/* The values that the conditions of B.12.1.3 need, with the names of T.800. */
struct place {
    const struct j2k_builder *b;
    const struct j2k_volume *v;
};

static const struct j2k_grid *grid_of(const struct place *place, uint32_t c, uint32_t r)
{
    uint32_t g = place->b->component_grid[c] + r;
    return g < place->b->component_grid[c + 1] ? &place->b->grid[g] : NULL;
}

static uint64_t ceil_to(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static void precinct_at(const struct place *place, uint32_t c, uint32_t r, uint32_t x, uint32_t y)
{
    const struct j2k_grid *grid = grid_of(place, c, r);
    if (!grid || !grid->columns)
        return;
    const struct j2k_component_size *size = &place->b->stream->component[c];
    struct j2k_rect tile = place->b->rect;
    uint64_t one = 1, sx = size->dx * (one << grid->shift), sy = size->dy * (one << grid->shift);
    uint64_t px = one << grid->width_bits, py = one << grid->height_bits;
    uint64_t trx0 = ceil_to(tile.x0, sx), try0 = ceil_to(tile.y0, sy);
    bool row = y % (sy * py) == 0 || (y == tile.y0 && (try0 << grid->shift) % (py << grid->shift) != 0);
    bool column = x % (sx * px) == 0 || (x == tile.x0 && (trx0 << grid->shift) % (px << grid->shift) != 0);
    if (!row || !column)
        return;
    uint64_t k = ceil_to(x, sx) / px - trx0 / px + grid->columns * (ceil_to(y, sy) / py - try0 / py);
    for (uint32_t l = 0; l < place->v->layers; l++)
        note(&expected, grid, (uint32_t)k, l);
}

static void all_precincts(const struct place *place, uint32_t c, uint32_t r, uint32_t layer)
{
    const struct j2k_grid *grid = grid_of(place, c, r);
    for (uint32_t k = 0; grid && k < grid->columns * grid->rows; k++)
        note(&expected, grid, k, layer);
}

#define EACH(name, first, end) for (uint32_t name = (first); name < (end); name++)

static void expect_order(const struct place *place)
{
    const struct j2k_volume *v = place->v;
    struct j2k_rect t = place->b->rect;
    expected.count = 0;
    switch (v->progression) {
    case J2K_LRCP:
        EACH(l, 0, v->layers) EACH(r, v->r0, v->r1) EACH(c, v->c0, v->c1) all_precincts(place, c, r, l);
        break;
    case J2K_RLCP:
        EACH(r, v->r0, v->r1) EACH(l, 0, v->layers) EACH(c, v->c0, v->c1) all_precincts(place, c, r, l);
        break;
    case J2K_RPCL:
        EACH(r, v->r0, v->r1)
        EACH(y, t.y0, t.y1) EACH(x, t.x0, t.x1) EACH(c, v->c0, v->c1) precinct_at(place, c, r, x, y);
        break;
    case J2K_PCRL:
        EACH(y, t.y0, t.y1)
        EACH(x, t.x0, t.x1) EACH(c, v->c0, v->c1) EACH(r, v->r0, v->r1) precinct_at(place, c, r, x, y);
        break;
    default:
        EACH(c, v->c0, v->c1)
        EACH(y, t.y0, t.y1) EACH(x, t.x0, t.x1) EACH(r, v->r0, v->r1) precinct_at(place, c, r, x, y);
        break;
    }
}

static uint32_t levels_of(uint32_t component)
{
    return (component * 2 + 2) % 5;
}

/* Two tiles of components with their own separations, levels and precincts. */
static void make_stream(void)
{
    struct made_size size = {
        .tile_x = random_below(&random_state, 9), .tile_y = random_below(&random_state, 9), .components = 3};
    size.image = (struct j2k_rect){
        size.tile_x + random_below(&random_state, 9), size.tile_y + random_below(&random_state, 9), 0, 0};
    size.image.x1 = size.image.x0 + 20 + random_below(&random_state, 30);
    size.image.y1 = size.image.y0 + 20 + random_below(&random_state, 30);
    size.tile_width = 30 + random_below(&random_state, 20);
    size.tile_height = 60;
    for (uint32_t i = 0; i < 3; i++) {
        size.dx[i] = (uint8_t)(1 + random_below(&random_state, 3));
        size.dy[i] = (uint8_t)(1 + random_below(&random_state, 3));
    }
    made_start(&made, &size);
    made_cod(&made, J2K_LRCP, 2, 1);
    made_qcd(&made, 5);
    for (uint8_t c = 0; c < 3; c++) {
        uint8_t coc[7 + 6] = {c, 1, (uint8_t)levels_of(c), 0, 0, 0, 1};
        for (uint32_t r = 0; r <= levels_of(c); r++)
            coc[7 + r] = (uint8_t)((1 + random_below(&random_state, 4)) | (1 + random_below(&random_state, 4)) << 4);
        made_segment(&made, J2K_COC, coc, 8 + levels_of(c));
    }
    static const uint8_t zeros[1];
    made_part(&made, 0, 0, 1, zeros, 0);
    made_end(&made);
}

static void start_builder(struct j2k_builder *builder, struct j2k_plan *plan, const struct j2k_stream *stream)
{
    uint32_t count = stream->component_count;
    *plan = (struct j2k_plan){.component_count = count};
    plan->component = kst_memory_zeroed(&made_memory, count, sizeof *plan->component, NULL);
    for (uint32_t c = 0; c < count; c++) {
        plan->component[c].dx = stream->component[c].dx;
        plan->component[c].dy = stream->component[c].dy;
    }
    builder->component_grid = kst_memory_array(&made_memory, count + 1, sizeof *builder->component_grid, NULL);
    builder->rect = kst_j2k_tile_rect(&stream->size, 0);
    assert_int_equal(kst_j2k_tile_parameters(builder), KST_OK);
    assert_int_equal(kst_j2k_layout(builder), KST_OK);
}

static void check_orders(struct j2k_builder *builder)
{
    for (uint32_t i = J2K_LRCP; i <= J2K_CPRL; i++) {
        uint8_t progression = (uint8_t)i;
        struct j2k_volume volume = {.progression = progression, .r1 = J2K_RESOLUTIONS, .layers = 2, .c1 = 3};
        if (random_below(&random_state, 2))
            volume = (struct j2k_volume){.progression = progression, .r0 = 1, .r1 = 3, .layers = 1, .c0 = 1, .c1 = 3};
        found.count = 0;
        assert_int_equal(kst_j2k_walk(builder, &volume, note, &found), KST_OK);
        expect_order(&(struct place){builder, &volume});
        assert_int_equal(found.count, expected.count);
        assert_memory_equal(found.packet, expected.packet, found.count * sizeof found.packet[0]);
    }
}

static void test_orders(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 60; i++) {
        struct j2k_stream stream;
        struct j2k_plan plan;
        kst_report report;
        struct j2k_filter filter = {.layers = 0};
        make_stream();
        kst_report_init(&report);
        assert_int_equal(made_parse(&made, NULL, &stream), KST_OK);
        struct j2k_builder builder = {.memory = &made_memory,
            .limits = &kst_default_limits,
            .stream = &stream,
            .filter = &filter,
            .report = &report,
            .plan = &plan};
        start_builder(&builder, &plan, &stream);
        check_orders(&builder);
        kst_memory_release(&made_memory, builder.grid);
        kst_memory_release(&made_memory, builder.component_grid);
        kst_memory_release(&made_memory, builder.precinct);
        kst_j2k_plan_release(&made_memory, &plan);
        kst_j2k_stream_release(&made_memory, &stream);
        assert_int_equal(made_memory.used, 0);
    }
}

/* One block of 8 × 8: what a header says of it comes out as it was written. */
static void start_one_block(uint8_t style, uint16_t layers)
{
    static const struct made_size size = {.image = {0, 0, 8, 8}, .tile_width = 8, .tile_height = 8, .components = 1};
    const uint8_t cod[] = {6, 0, (uint8_t)(layers >> 8), (uint8_t)layers, 0, 0, 4, 4, style, 1};
    made_start(&made, &size);
    made_segment(&made, J2K_COD, cod, sizeof cod);
    made_qcd(&made, 0); /* nine bit planes */
}

static kst_status build_block(struct j2k_stream *stream, struct j2k_plan *plan, kst_report *report, uint32_t layers)
{
    struct j2k_filter filter = {.layers = layers};
    kst_report_init(report);
    assert_int_equal(made_parse(&made, NULL, stream), KST_OK);
    const struct operation op = {.memory = &made_memory, .limits = &kst_default_limits, .report = report};
    return kst_j2k_plan_build(&op, stream, &filter, plan);
}

static void release(struct j2k_stream *stream, struct j2k_plan *plan)
{
    kst_j2k_plan_release(&made_memory, plan);
    kst_j2k_stream_release(&made_memory, stream);
    assert_int_equal(made_memory.used, 0);
}

/*
 * Two layers, with SOP and EPH: 1 (not empty) 1 (included) 001 (two planes missing) 1100 (3 passes) 0 (Lblock stays)
 * 0101 (3 + 1 bits: 5 bytes); then 1 1 0 (one pass) 0 010 (2 bytes).
 */
static void test_two_layers(void **state)
{
    (void)state;
    static const uint8_t body[] = {0xFF, J2K_SOP, 0, 4, 0, 0, 0xCE, 0x14, 0xFF, J2K_EPH, 1, 2, 3, 4, 5, 0xFF, J2K_SOP,
        0, 4, 0, 1, 0xC4, 0xFF, J2K_EPH, 6, 7};
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    start_one_block(0, 2);
    made_part(&made, 0, 0, 1, body, sizeof body);
    made_end(&made);
    for (uint32_t layers = 1; layers <= 2; layers++) {
        assert_int_equal(build_block(&stream, &plan, &report, layers), KST_OK);
        assert_int_equal(report.warnings, 0);
        assert_int_equal(plan.block_count, 1);
        assert_int_equal(plan.block[0].missing, 2);
        assert_int_equal(plan.block[0].planes, 7);
        assert_int_equal(plan.block[0].passes, layers == 1 ? 3 : 4);
        assert_int_equal(plan.segment_count, 1);
        assert_int_equal(plan.piece_count, layers);
        assert_int_equal(plan.segment[0].length, layers == 1 ? 5 : 7);
        assert_int_equal(plan.totals.left_bytes, layers == 1 ? 11 : 0);
        assert_memory_equal(plan.data + plan.piece[0].offset, "\1\2\3\4\5", 5);
        release(&stream, &plan);
    }
}

/* A wrong SOP number and an EPH that is missing are warnings; a header that runs out of the tile-part ends the tile. */
static void test_damage(void **state)
{
    (void)state;
    static const uint8_t body[] = {0xFF, J2K_SOP, 0, 4, 0, 9, 0xCE, 0x14, 1, 2, 3, 4, 5};
    static const uint8_t endless[] = {0xFF, 0x7F, 0xFF, 0x7F};
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    start_one_block(0, 1);
    made_part(&made, 0, 0, 1, body, sizeof body);
    made_end(&made);
    assert_int_equal(build_block(&stream, &plan, &report, 0), KST_OK);
    assert_int_equal(report.warnings, 2);
    assert_int_equal(report.first_warning, KST_WARNING_J2K_SOP);
    assert_int_equal(plan.block_count, 1);
    release(&stream, &plan);
    for (size_t length = 6; length < sizeof body; length++) {
        start_one_block(0, 1);
        made_part(&made, 0, 0, 1, body, length);
        made_end(&made);
        assert_int_equal(build_block(&stream, &plan, &report, 0), KST_OK);
        assert_true(report.warnings > 0 || length == 6);
        assert_int_equal(plan.block_count, 0);
        release(&stream, &plan);
    }
    start_one_block(0, 1);
    made_part(&made, 0, 0, 1, endless, sizeof endless);
    made_end(&made);
    assert_int_equal(build_block(&stream, &plan, &report, 0), KST_OK);
    assert_int_equal(report.first_warning, KST_WARNING_J2K_PACKET);
    release(&stream, &plan);
}

/*
 * The style of code-blocks decides which coder they have. Bit 7 alone means nothing; with bit 6, blocks of both coders
 * are mixed, and only those of T.800 have other styles than CAUSAL.
 */
static void test_coders(void **state)
{
    (void)state;
    for (uint32_t style = 0; style < 256; style++) {
        assert_int_equal(kst_j2k_block_coder(style)->kind, (style & J2K_STYLE_HT) != 0 ? J2K_HT : J2K_EBCOT);
        assert_int_equal(kst_j2k_has_style(style), style <= 0x40 || style == 0x48 || style >= 0xC0);
        assert_int_equal(kst_j2k_writes_style(style), style <= 0x40 || style == 0x48);
    }
}

/* Check where segments begin and which are raw (Tables D.8 and D.9). */
static void test_segments(void **state)
{
    (void)state;
    static const uint32_t lazy_starts[] = {0, 10, 12, 13, 15, 16}, lazy_rooms[] = {10, 2, 1, 2, 1, 2};
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(kst_j2k_segment_starts(J2K_STYLE_BYPASS, lazy_starts[i]));
        assert_int_equal(kst_j2k_segment_room(J2K_STYLE_BYPASS, lazy_starts[i]), lazy_rooms[i]);
        assert_int_equal(kst_j2k_block_coder_of(J2K_EBCOT)->is_raw(J2K_STYLE_BYPASS, lazy_starts[i]), i % 2 == 1);
    }
    for (uint32_t p = 0; p < 40; p++) {
        assert_int_equal(kst_j2k_segment_starts(0, p), p == 0);
        assert_true(kst_j2k_segment_room(0, p) > 164);
        assert_true(kst_j2k_segment_starts(J2K_STYLE_TERMALL | J2K_STYLE_BYPASS, p));
        assert_int_equal(kst_j2k_segment_room(J2K_STYLE_TERMALL, p), 1);
    }
    assert_false(kst_j2k_segment_starts(J2K_STYLE_BYPASS, 11));
    assert_int_equal(kst_j2k_segment_room(J2K_STYLE_BYPASS, 11), 1);
    assert_true(kst_j2k_block_coder_of(J2K_EBCOT)->is_raw(J2K_STYLE_BYPASS | J2K_STYLE_TERMALL, 11));
}

/* Packed headers, in the main header and in the tile-part's, with the bodies where they always are. */
static void test_packed(void **state)
{
    (void)state;
    static const uint8_t body[] = {1, 2, 3, 4, 5};
    static const uint8_t ppm_first[] = {0, 0, 0, 0}, ppm_second[] = {1, 4, 0xCE, 0x14, 0xFF, J2K_EPH};
    static const uint8_t ppt_first[] = {0, 0xCE}, ppt_second[] = {1, 0x14, 0xFF, J2K_EPH};
    static struct made header;
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_report report;
    for (uint32_t kind = 0; kind < 2; kind++) {
        header.length = 0;
        start_one_block(0, 1);
        if (kind == 0) {
            made_segment(&made, J2K_PPM, ppm_second, sizeof ppm_second);
            made_segment(&made, J2K_PPM, ppm_first, sizeof ppm_first);
        } else {
            made_segment(&header, J2K_PPT, ppt_second, sizeof ppt_second);
            made_segment(&header, J2K_PPT, ppt_first, sizeof ppt_first);
        }
        made_part_with(&made, 0, 0, 1, &header, body, sizeof body);
        made_end(&made);
        assert_int_equal(build_block(&stream, &plan, &report, 0), KST_OK);
        assert_int_equal(report.warnings, 0);
        assert_int_equal(plan.block_count, 1);
        assert_int_equal(plan.block[0].length, 5);
        assert_memory_equal(plan.data + plan.piece[0].offset, body, 5);
        release(&stream, &plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_two_layers),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_coders),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
