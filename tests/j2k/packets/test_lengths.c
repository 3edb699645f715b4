/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet lengths let a decoder skip: what is decoded stays the same, whatever PLT, TLM and the order of packets are,
 * and also where PLT and TLM are wrong, which is a warning.
 */
#include <stdlib.h>
#include <string.h>

#include <kostka/kostka.h>

#include "core/context.h"
#include "core/report.h"
#include "j2k/packets/build.h"
#include "support/context.h"
#include "support/j2k/coded.h"
#include "support/random.h"
#include "support/shared_context.h"
#include "support/test.h"

enum { SIDE = 200, MUTATIONS = 150 };

static uint32_t random_state = 9;

struct variant {
    kst_progression progression;
    uint32_t tile, division;
    bool sop, eph;
};

static const struct variant variants[] = {{KST_PROGRESSION_LRCP, 0, 0, false, false},
    {KST_PROGRESSION_RLCP, 90, KST_J2K_DIVIDE_RESOLUTION, true, false}, {KST_PROGRESSION_RPCL, 0, 0, false, true},
    {KST_PROGRESSION_PCRL, 128, KST_J2K_DIVIDE_COMPONENT, true, true}, {KST_PROGRESSION_CPRL, 0, 0, false, false}};

static kst_buffer encode(const struct variant *variant)
{
    kst_j2k_options j2k;
    kst_j2k_options_init(&j2k);
    j2k.progression = variant->progression;
    j2k.tile_width = j2k.tile_height = variant->tile;
    j2k.division = variant->division;
    j2k.sop = variant->sop;
    j2k.eph = variant->eph;
    j2k.layers = 3;
    j2k.levels = 3;
    j2k.block_width = j2k.block_height = 16;
    j2k.precinct_count = 1;
    j2k.precinct_width[0] = j2k.precinct_height[0] = 32;
    j2k.packet_lengths = j2k.tile_part_lengths = j2k.codestream = true;
    return j2k_coded_mixed(context, SIDE, &random_state, &j2k);
}

static kst_image decode(const kst_buffer *coded, const kst_decode_options *options, kst_report *report)
{
    kst_image image;
    kst_image_init(&image);
    kst_report_init(report);
    assert_int_equal(kst_decode(context, coded->data, coded->length, options, &image, report), KST_OK);
    return image;
}

static bool same_pixels(const kst_image *a, const kst_image *b)
{
    kst_comparison comparison = {.size = sizeof comparison};
    assert_int_equal(kst_compare(a, b, &comparison), KST_OK);
    return comparison.identical;
}

static void choose(kst_decode_options *options)
{
    kst_decode_options_init(options);
    options->reduce = random_below(&random_state, 3);
    options->layers = random_below(&random_state, 4);
    uint32_t side = SIDE >> options->reduce;
    options->region.x = random_below(&random_state, side);
    options->region.y = random_below(&random_state, side);
    options->region.width =
        1 + random_below(&random_state, side - options->region.x < 40 ? side - options->region.x : 40);
    options->region.height =
        1 + random_below(&random_state, side - options->region.y < 40 ? side - options->region.y : 40);
}

/* The stream without lengths. */
static kst_buffer strip(const kst_buffer *coded)
{
    kst_transcode_options options;
    kst_buffer buffer = {0};
    kst_transcode_options_init(&options);
    options.jpeg2000.packet_lengths = options.jpeg2000.tile_part_lengths = KST_CHOICE_NO;
    assert_int_equal(kst_transcode(context, coded->data, coded->length, &options, &buffer, NULL), KST_OK);
    return buffer;
}

/* Bytes of packets that a plan of the region did not look at. */
static uint64_t skipped(const kst_buffer *coded)
{
    struct memory memory;
    struct j2k_stream stream;
    struct j2k_plan plan;
    struct j2k_filter filter = {.region = {150, 150, 170, 170}};
    kst_report report;
    kst_report_init(&report);
    kst_memory_init(&memory, &(kst_allocator){NULL, NULL, NULL}, kst_default_limits.memory);
    const struct operation op = {.memory = &memory, .limits = &kst_default_limits, .report = &report};
    assert_int_equal(kst_j2k_parse(&op, coded->data, coded->length, &stream), KST_OK);
    assert_int_equal(kst_j2k_plan_build(&op, &stream, &filter, &plan), KST_OK);
    assert_int_equal(report.warnings, 0);
    uint64_t bytes = plan.totals.skipped_bytes;
    kst_j2k_plan_release(&memory, &plan);
    kst_j2k_stream_release(&memory, &stream);
    assert_int_equal(memory.used, 0);
    return bytes;
}

static void test_skipping(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        kst_buffer with = encode(&variants[i]), without = strip(&with);
        for (uint32_t k = 0; k < 12; k++) {
            kst_decode_options options;
            kst_report report;
            choose(&options);
            kst_image a = decode(&with, &options, &report);
            assert_int_equal(report.warnings, 0);
            kst_image b = decode(&without, &options, &report);
            assert_int_equal(report.warnings, 0);
            assert_true(same_pixels(&a, &b));
            kst_image_release(context, &a);
            kst_image_release(context, &b);
        }
        assert_true(skipped(&with) > 1000);
        assert_int_equal(skipped(&without), 0);
        kst_buffer_release(context, &with);
        kst_buffer_release(context, &without);
    }
}

/* Find the marker segments of a kind. */
static uint32_t find(const kst_buffer *coded, uint32_t code, size_t at[64])
{
    uint32_t count = 0;
    kst_decoder *decoder;
    kst_element element = {.size = sizeof element};
    assert_int_equal(kst_decoder_create(context, &decoder), KST_OK);
    assert_int_equal(kst_decoder_open(decoder, coded->data, coded->length), KST_OK);
    while (count < 64 && kst_decoder_next_element(decoder, &element))
        if (element.code == code)
            at[count++] = (size_t)element.offset;
    kst_decoder_destroy(&decoder);
    return count;
}

/* Changes of lengths: one byte; two that cancel each other out; two that change places. */
static void mutate(kst_buffer *coded, size_t segment)
{
    uint32_t length = (uint32_t)coded->data[segment + 2] << 8 | coded->data[segment + 3];
    uint8_t *contents = coded->data + segment + 4;
    if (length < 6)
        return;
    uint8_t *a = contents + random_below(&random_state, length - 2),
            *b = contents + 1 + random_below(&random_state, length - 3);
    uint8_t held = *a;
    switch (random_below(&random_state, 4)) {
    case 0:
        *a = (uint8_t)random_below(&random_state, 256);
        break;
    case 1:
        ++*a;
        --*b;
        break;
    case 2:
        *a = *b;
        *b = held;
        break;
    default:
        for (uint32_t i = 1; i + 3 < length; i++)
            contents[i] = (uint8_t)(contents[i] ^ (random_below(&random_state, 20) == 0 ? 1 : 0));
    }
}

static void test_wrong(void **state)
{
    (void)state;
    uint64_t warned = 0;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        kst_buffer good = encode(&variants[i]), bad = {.length = good.length};
        size_t at[64];
        bad.data = malloc(good.length);
        assert_non_null(bad.data);
        for (uint32_t k = 0; k < MUTATIONS; k++) {
            kst_decode_options options;
            kst_report report;
            bool plt = k % 8 != 0;
            uint32_t count = find(&good, plt ? 0xFF58 : 0xFF55, at);
            assert_true(count > 0);
            memcpy(bad.data, good.data, good.length);
            mutate(&bad, at[plt ? random_below(&random_state, count) : 0]);
            choose(&options);
            kst_image wanted = decode(&good, &options, &report), found = decode(&bad, &options, &report);
            if (!same_pixels(&wanted, &found))
                print_message("variant %u, mutation %u\n", (unsigned)i, (unsigned)k);
            assert_true(same_pixels(&wanted, &found));
            assert_true(report.warnings == 0 || report.first_warning == KST_WARNING_J2K_LENGTHS);
            assert_true(plt || report.warnings <= 1);
            warned += report.warnings;
            kst_image_release(context, &wanted);
            kst_image_release(context, &found);
        }
        free(bad.data);
        kst_buffer_release(context, &good);
    }
    print_message("%u warnings\n", (unsigned)warned);
    assert_true(warned > 100);
}

enum { PARTS = 256, LENGTHS = 1600 };

/* A tile-part and the lengths of its packets, as its PLT says them. */
struct part {
    const uint8_t *sot, *body;
    size_t body_length;
    uint32_t length[LENGTHS], count;
};

static uint32_t number(const uint8_t *at, uint32_t bytes)
{
    uint32_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | *at++;
    return value;
}

static void read_part(struct part *part, const uint8_t *sot)
{
    const uint8_t *at = sot + 12;
    uint32_t value = 0;
    part->sot = sot;
    part->count = 0;
    for (; at[1] != 0x93; at += 2 + number(at + 2, 2)) {
        assert_int_equal(at[1], 0x58);
        for (const uint8_t *byte = at + 5; byte < at + 2 + number(at + 2, 2); byte++) {
            value = value << 7 | (*byte & 0x7F);
            if (*byte & 0x80)
                continue;
            assert_true(part->count < LENGTHS);
            part->length[part->count++] = value;
            value = 0;
        }
    }
    part->body = at + 2;
    part->body_length = (size_t)(sot + number(sot + 6, 4) - part->body);
}

/* One packet fewer between two others, and one more behind: what follows is taken for what came before it. */
static void falsify(struct part *part)
{
    uint32_t at = random_below(&random_state, part->count / 2),
             to = at + 1 + random_below(&random_state, part->count - at - 2);
    if (part->length[to + 1] < 4)
        return;
    part->length[at] += part->length[at + 1];
    memmove(part->length + at + 1, part->length + at + 2, (to - at) * sizeof part->length[0]);
    uint32_t split = 1 + random_below(&random_state, part->length[to] > 2 ? part->length[to] - 1 : 1);
    memmove(part->length + to + 1, part->length + to, (part->count - to - 1) * sizeof part->length[0]);
    if (part->length[to] > split) {
        part->length[to + 1] = part->length[to] - split;
        part->length[to] = split;
    }
}

static uint8_t *put_lengths(uint8_t *to, const struct part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        for (int digit = 4; digit >= 0; digit--)
            if (digit == 0 || part->length[i] >> (7 * digit))
                *to++ = (uint8_t)((part->length[i] >> (7 * digit) & 0x7F) | (digit > 0 ? 0x80 : 0));
    return to;
}

static void put_number(uint8_t *to, uint32_t value, uint32_t bytes)
{
    while (bytes-- > 0)
        *to++ = (uint8_t)(value >> (8 * bytes));
}

/* The stream with lengths in PLM (of one segment) or PLT, and without TLM. Perhaps with false ones. */
static kst_buffer rebuild(const kst_buffer *from, bool plm, bool falsified)
{
    static struct part parts[PARTS];
    uint32_t count = 0;
    kst_buffer made = {.data = malloc(2 * from->length)};
    const uint8_t *at = from->data + 2;
    uint8_t *to = made.data + 2;
    assert_non_null(made.data);
    memcpy(made.data, from->data, 2);
    for (; at[1] != 0x90; at += 2 + number(at + 2, 2)) {
        if (at[1] == 0x55)
            continue;
        memcpy(to, at, 2 + number(at + 2, 2));
        to += 2 + number(at + 2, 2);
    }
    for (; at[1] == 0x90; at += number(at + 6, 4)) {
        assert_true(count < PARTS);
        read_part(&parts[count], at);
        if (falsified && parts[count].count > 6)
            falsify(&parts[count]);
        count++;
    }
    uint8_t *segment = to;
    memcpy(to, "\xFF\x57\0\0\0", 5);
    to += plm ? 5 : 0;
    for (uint32_t i = 0; plm && i < count; i++) {
        uint8_t *end = put_lengths(to + 1, &parts[i]);
        assert_true(end - to - 1 < 256);
        *to = (uint8_t)(end - to - 1);
        to = end;
    }
    if (plm)
        put_number(segment + 2, (uint32_t)(to - segment - 2), 2);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *sot = to;
        memcpy(to, parts[i].sot, 12);
        to += 12;
        if (!plm) {
            memcpy(to, "\xFF\x58\0\0\0", 5);
            uint8_t *end = put_lengths(to + 5, &parts[i]);
            put_number(to + 2, (uint32_t)(end - to - 2), 2);
            to = end;
        }
        memcpy(to, "\xFF\x93", 2);
        memcpy(to + 2, parts[i].body, parts[i].body_length);
        to += 2 + parts[i].body_length;
        put_number(sot + 6, (uint32_t)(to - sot), 4);
    }
    memcpy(to, "\xFF\xD9", 2);
    made.length = (size_t)(to + 2 - made.data);
    return made;
}

static const struct variant small_parts[] = {
    {KST_PROGRESSION_RLCP, 80, KST_J2K_DIVIDE_RESOLUTION, false, false}, {KST_PROGRESSION_PCRL, 50, 0, true, true}};

/* PLM does what PLT does. */
static void test_main_header(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        kst_buffer with = encode(&small_parts[i]), plm = rebuild(&with, true, false),
                   plt = rebuild(&with, false, false);
        assert_true(i > 0 || skipped(&plm) > 0);
        assert_int_equal(skipped(&plm), skipped(&plt));
        for (uint32_t k = 0; k < 12; k++) {
            kst_decode_options options;
            kst_report report;
            choose(&options);
            kst_image a = decode(&with, &options, &report), b = decode(&plm, &options, &report);
            assert_int_equal(report.warnings, 0);
            assert_true(same_pixels(&a, &b));
            kst_image_release(context, &a);
            kst_image_release(context, &b);
        }
        free(plm.data);
        free(plt.data);
        kst_buffer_release(context, &with);
    }
}

/* With SOP no false lengths change a pixel, however consistent they are. */
static void test_false(void **state)
{
    uint64_t warned = 0;
    (void)state;
    const struct variant numbered[] = {variants[1], variants[3], small_parts[1]};
    for (size_t i = 0; i < 3; i++) {
        kst_buffer with = encode(&numbered[i]);
        for (uint32_t k = 0; k < 60; k++) {
            kst_decode_options options;
            kst_report report;
            kst_buffer bad = rebuild(&with, i == 2 && k % 2, true);
            choose(&options);
            kst_image wanted = decode(&with, &options, &report), found = decode(&bad, &options, &report);
            assert_true(same_pixels(&wanted, &found));
            assert_true(report.warnings == 0 || report.first_warning == KST_WARNING_J2K_LENGTHS);
            warned += report.warnings;
            kst_image_release(context, &wanted);
            kst_image_release(context, &found);
            free(bad.data);
        }
        kst_buffer_release(context, &with);
    }
    assert_true(warned > 50);
}

/* Without SOP that takes a strict decoder, which reads all packet headers. */
static void test_strict(void **state)
{
    uint32_t decoded = 0;
    (void)state;
    const struct variant plain[] = {variants[0], variants[2], variants[4]};
    for (size_t i = 0; i < 3; i++) {
        kst_buffer with = encode(&plain[i]);
        for (uint32_t k = 0; k < 40; k++) {
            kst_decode_options options;
            kst_report report;
            kst_image found;
            kst_buffer bad = rebuild(&with, false, true);
            choose(&options);
            kst_image wanted = decode(&with, &options, &report);
            options.strict = true;
            kst_image_init(&found);
            kst_status status = kst_decode(context, bad.data, bad.length, &options, &found, NULL);
            assert_true(!status || status == KST_WARNING_J2K_LENGTHS);
            if (!status) {
                assert_true(same_pixels(&wanted, &found));
                decoded++;
            }
            kst_image_release(context, &wanted);
            kst_image_release(context, &found);
            free(bad.data);
        }
        kst_buffer_release(context, &with);
    }
    assert_true(decoded > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_skipping), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_main_header), cmocka_unit_test(test_false), cmocka_unit_test(test_strict)};
    return run_with_context(1, tests, NULL, NULL);
}
