/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses headers and packets of any bytes as JPEG 2000, and checks that every plan is valid, with and without a filter.
 */
#include "core/report.h"
#include "fuzz.h"
#include "j2k/packets/build.h"
#include "j2k/syntax/geometry.h"
#include "j2k_plan_check.h"

static const kst_limits usual = {.pixels = UINT64_C(1) << 22,
    .memory = UINT64_C(256) << 20,
    .metadata = 1 << 20,
    .markers = 400,
    .components = 300,
    .tiles = 500,
    .precincts = 1 << 15,
    .boxes = 100,
    .tile_parts = 1 << 20,
    .layers = 65535,
    .blocks = 1 << 24,
    .work = 1 << 16};

/* Read limits, one of which is lower than usual. */
static kst_limits read_limits(struct fuzz_input *input)
{
    kst_limits limits = usual;
    uint32_t *const low[] = {&limits.markers, &limits.components, &limits.tiles, &limits.precincts, &limits.boxes,
        &limits.tile_parts, &limits.layers, &limits.blocks, &limits.work};
    uint32_t which = fuzz_take(input, 32);
    if (which < sizeof low / sizeof low[0])
        *low[which] = 1 + fuzz_take(input, 64);
    return limits;
}

static void build(
    struct memory *memory, const kst_limits *limits, struct j2k_stream *stream, const struct j2k_filter *filter)
{
    struct j2k_plan plan;
    kst_report report;
    kst_report_init(&report);
    const struct operation op = {.memory = memory, .limits = limits, .report = &report};
    kst_status status = kst_j2k_plan_build(&op, stream, filter, &plan);
    fuzz_check(report.status == status, "the reported status is the one returned");
    if (status)
        return;
    const char *problem = j2k_plan_problem(&plan);
    fuzz_check(!problem, problem ? problem : "");
    fuzz_check(plan.block_count <= limits->blocks, "no more blocks than the limit");
    kst_j2k_plan_release(memory, &plan);
}

static void check_file(const struct j2k_stream *stream)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < stream->file.box_count; i++) {
        const struct j2k_box *box = &stream->file.box[i];
        fuzz_check(box->offset <= stream->length && box->length <= stream->length - box->offset, "a box in bounds");
    }
    for (uint32_t i = 0; i < stream->file.mapping_count; i++)
        sum += kst_j2k_mapping(stream->data, &stream->file, i).component;
    for (uint32_t i = 0; i < stream->file.definition_count; i++)
        sum += kst_j2k_definition(stream->data, &stream->file, i).channel;
    const struct j2k_palette *palette = &stream->file.palette;
    if (palette->entries)
        sum += (uint64_t)kst_j2k_palette_value(stream->data, palette, palette->entries - 1U, palette->columns - 1U);
    fuzz_check(sum != UINT64_MAX, "what boxes hold can be read");
}

/*
 * Build plans of a part with few layers, of that part with some components, and of everything, which reads the headers
 * that TLM has postponed.
 */
static void build_some(
    struct memory *memory, const kst_limits *limits, struct j2k_stream *stream, struct fuzz_input *input)
{
    struct j2k_filter filter = {.layers = 0};
    bool components[300];
    filter.reduce = (uint8_t)fuzz_take(input, 4);
    filter.layers = fuzz_take(input, 4);
    struct j2k_rect image = kst_j2k_reduced_image(stream, filter.reduce);
    filter.region = image;
    filter.region.x0 += fuzz_take(input, 256);
    filter.region.y0 += fuzz_take(input, 256);
    filter.region.x1 = filter.region.x0 + 1 + fuzz_take(input, 128);
    filter.region.y1 = filter.region.y0 + 1 + fuzz_take(input, 128);
    build(memory, limits, stream, &filter);
    uint32_t bits = fuzz_take(input, 256);
    for (uint32_t i = 0; i < stream->component_count; i++)
        components[i] = bits >> (i & 7) & 1;
    filter.components = components;
    build(memory, limits, stream, &filter);
    filter = (struct j2k_filter){.layers = 0};
    build(memory, limits, stream, &filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    struct fuzz_input input = {data, length};
    struct j2k_stream stream;
    struct memory memory;
    kst_report report;
    const kst_limits limits = read_limits(&input);
    kst_memory_init(&memory, &(kst_allocator){NULL, NULL, NULL}, limits.memory);
    kst_report_init(&report);
    const struct operation op = {.memory = &memory, .limits = &limits, .report = &report};
    kst_status status = kst_j2k_parse(&op, data, length, &stream);
    fuzz_check(report.status == status, "the reported status is the one returned");
    if (!status) {
        check_file(&stream);
        build_some(&memory, &limits, &stream, &input);
        kst_j2k_stream_release(&memory, &stream);
    }
    fuzz_check(memory.used == 0, "all memory is given back");
    return 0;
}
