/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes codestreams marker by marker, parses them, and builds their plans. */
#include "support/j2k/codestream.h"

#include <string.h>

#include "../../../fuzz/j2k_plan_check.h"
#include "j2k/syntax/marker.h"
#include "support/test.h"

struct memory made_memory;
static kst_report report;

void made_bytes(struct made *made, const void *data, size_t length)
{
    assert_true(length <= sizeof made->data - made->length);
    if (length > 0)
        memcpy(made->data + made->length, data, length);
    made->length += length;
}

void made_zeros(struct made *made, size_t length)
{
    assert_true(length <= sizeof made->data - made->length);
    memset(made->data + made->length, 0, length);
    made->length += length;
}

void made_number(struct made *made, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = bytes; i-- > 0;) {
        uint8_t byte = (uint8_t)(value >> 8 * i);
        made_bytes(made, &byte, 1);
    }
}

void made_segment(struct made *made, uint8_t marker, const void *data, size_t length)
{
    made_number(made, 0xFF00U | marker, 2);
    made_number(made, length + 2, 2);
    made_bytes(made, data, length);
}

void made_start(struct made *made, const struct made_size *size)
{
    made->length = 0;
    made_number(made, 0xFF00U | J2K_SOC, 2);
    made_number(made, 0xFF00U | J2K_SIZ, 2);
    made_number(made, 38 + 3 * size->components, 2);
    made_number(made, 0, 2);
    const uint32_t numbers[] = {size->image.x1, size->image.y1, size->image.x0, size->image.y0, size->tile_width,
        size->tile_height, size->tile_x, size->tile_y};
    for (uint32_t i = 0; i < 8; i++)
        made_number(made, numbers[i], 4);
    made_number(made, size->components, 2);
    for (uint32_t i = 0; i < size->components; i++) {
        made_number(made, 7, 1);
        made_number(made, size->dx[i % 4] ? size->dx[i % 4] : 1, 1);
        made_number(made, size->dy[i % 4] ? size->dy[i % 4] : 1, 1);
    }
}

void made_cod(struct made *made, uint8_t progression, uint16_t layers, uint8_t levels)
{
    const uint8_t data[] = {0, progression, (uint8_t)(layers >> 8), (uint8_t)layers, 0, levels, 4, 4, 0, 1};
    made_segment(made, J2K_COD, data, sizeof data);
}

void made_qcd(struct made *made, uint8_t levels)
{
    uint8_t data[1 + J2K_SUBBANDS] = {2 << 5};
    memset(data + 1, 8 << 3, J2K_SUBBANDS);
    made_segment(made, J2K_QCD, data, 2 + 3U * levels);
}

void made_put_bits(struct made_bits *to, const char *text)
{
    for (; *text; text++) {
        if (*text == ' ')
            continue;
        if (to->left == 0) {
            to->left = to->length > 0 && to->byte[to->length - 1] == 0xFF ? 7 : 8;
            to->byte[to->length++] = 0;
        }
        to->left--;
        to->byte[to->length - 1] |= (uint8_t)((*text - '0') << to->left);
    }
}

void made_part_with(struct made *made, uint32_t tile, uint8_t index, uint8_t count, const struct made *header,
    const void *body, size_t length)
{
    made_number(made, 0xFF00U | J2K_SOT, 2);
    made_number(made, 10, 2);
    made_number(made, tile, 2);
    made_number(made, 14 + header->length + length, 4);
    made_number(made, index, 1);
    made_number(made, count, 1);
    made_bytes(made, header->data, header->length);
    made_number(made, 0xFF00U | J2K_SOD, 2);
    made_bytes(made, body, length);
}

void made_part(struct made *made, uint32_t tile, uint8_t index, uint8_t count, const void *body, size_t length)
{
    static const struct made none;
    made_part_with(made, tile, index, count, &none, body, length);
}

void made_end(struct made *made)
{
    made_number(made, 0xFF00U | J2K_EOC, 2);
}

kst_status made_parse(const struct made *made, const kst_limits *limits, struct j2k_stream *stream)
{
    if (!made_memory.limit)
        kst_memory_init(&made_memory, &(kst_allocator){NULL, NULL, NULL}, UINT64_C(1) << 30);
    kst_report_init(&report);
    const struct operation op = {
        .memory = &made_memory, .limits = limits ? limits : &kst_default_limits, .report = &report};
    kst_status status = kst_j2k_parse(&op, made->data, made->length, stream);
    assert_int_equal(status, report.status);
    return status;
}

const kst_report *made_report(void)
{
    return &report;
}

kst_status made_try(const struct made *made)
{
    struct j2k_stream stream;
    kst_status status = made_parse(made, NULL, &stream);
    if (!status)
        kst_j2k_stream_release(&made_memory, &stream);
    assert_int_equal(made_memory.used, 0);
    return status;
}

kst_status made_build(const struct made *made, const struct j2k_filter *filter, struct j2k_packet_totals *totals)
{
    struct j2k_stream stream;
    struct j2k_plan plan;
    kst_status status = made_parse(made, NULL, &stream);
    if (status)
        return status;
    const struct operation op = {.memory = &made_memory, .limits = &kst_default_limits, .report = &report};
    status = kst_j2k_plan_build(&op, &stream, filter, &plan);
    if (!status) {
        assert_null(j2k_plan_problem(&plan));
        if (totals)
            *totals = plan.totals;
        kst_j2k_plan_release(&made_memory, &plan);
    }
    kst_j2k_stream_release(&made_memory, &stream);
    assert_int_equal(made_memory.used, 0);
    return status;
}
