/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels that write packets: headers, places and bytes must be those of the plain C writer, for bands of all
 * shapes and lengths whose headers are full of 0xFF; and a block that the host must see to is told of.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/sink.h"
#include "j2k/gpu/encode_job.h"
#include "j2k/kernels/encode_work.h"
#include "j2k/write/header_writer.h"
#include "j2k/write/packet_single.h"
#include "support/gpu/pictures.h"
#include "support/gpu/stage.h"
#include "support/random.h"
#include "support/test.h"

enum {
    PACKETS = 7,
    FIRST = 3, /* packets of the first of two pictures */
    HEAD = sizeof(struct j2k_list_work) / 4,
    SPEAKS = HEAD + 4, /* words of the list until it speaks of packets */
    RESULT_FIRST = 5,
    STRIDE = 3,
    LONGEST = 2000,
    LENGTH_BITS = 16, /* of the lengths in headers full of ones */
    ONES_RUNS = 20    /* headers of which are compared for a device */
};

static uint32_t random_state = 11;

static uint32_t below(uint32_t n)
{
    return random_below(&random_state, n);
}

/* Holds packets, as the kernels and as the plain C writer see them. */
struct packets {
    struct j2k_work_packet packet[PACKETS];
    uint32_t blocks, nodes, header_words, packet_count;
    struct j2k_block_code *code;
    uint8_t *passes;
    uint32_t *length;
};

static struct j2k_tag_shape shape_of(const struct j2k_work_packet *packet, uint32_t band)
{
    struct j2k_tag_shape shape = {.levels = 0};
    if (packet->columns[band] > 0)
        kst_j2k_tag_shape(&shape, packet->columns[band], packet->rows[band]);
    return shape;
}

/* Choose the bands of a packet: some have none, one or many blocks, in a row or a column or both. */
static void choose_bands(struct packets *p, struct j2k_work_packet *packet)
{
    static const uint32_t sides[][2] = {{0, 0}, {1, 1}, {1, 37}, {300, 1}, {17, 16}, {30, 17}, {2, 3}, {33, 9}};
    uint32_t blocks = 0;
    packet->node = p->nodes;
    packet->header = p->header_words;
    for (uint32_t b = 0; b < J2K_PACKET_BANDS; b++) {
        const uint32_t *side = sides[below(simulated() ? 3 : sizeof sides / sizeof *sides)];
        packet->columns[b] = side[0];
        packet->rows[b] = side[1];
        packet->block[b] = p->blocks;
        packet->planes[b] = 1 + below(b == 0 ? 38 : 9);
        p->blocks += side[0] * side[1];
        blocks += side[0] * side[1];
        p->nodes += shape_of(packet, b).nodes;
    }
    p->header_words += 16 + 2 * blocks;
}

/* Choose the lengths of a band's blocks. `kind`: none is included, all, or some; or all bits of lengths are 1. */
static void choose_lengths(struct packets *p, const struct j2k_work_packet *packet, uint32_t band, uint32_t kind)
{
    for (uint32_t i = 0; i < packet->columns[band] * packet->rows[band]; i++) {
        const uint32_t block = packet->block[band] + i;
        p->passes[block] = kind > 0 && (kind != 2 || below(5) == 0);
        p->length[block] = kind == 3 ? (1U << (8 + below(3))) - 1 : 1 + below(below(4) ? 100 : LONGEST);
        p->code[block] = (struct j2k_block_code){
            .passes = p->passes[block], .missing = (uint8_t)(packet->planes[band] - 1), .first_pass = block};
    }
}

/*
 * Choose lengths of a band's blocks of which all bits are 1, so that headers have long runs of ones at all places.
 * `bits`: of each length; 0: any number.
 */
static void choose_ones(struct packets *p, const struct j2k_work_packet *packet, uint32_t band, uint32_t bits)
{
    for (uint32_t i = 0; i < packet->columns[band] * packet->rows[band]; i++) {
        const uint32_t block = packet->block[band] + i;
        p->passes[block] = bits > 0 || below(20) > 0;
        p->length[block] = (1U << (bits > 0 ? bits : 1 + below(LENGTH_BITS))) - 1;
        p->code[block] = (struct j2k_block_code){
            .passes = p->passes[block], .missing = (uint8_t)(packet->planes[band] - 1), .first_pass = block};
    }
}

static struct packets make_packets(bool ones)
{
    struct packets p = {.packet_count = PACKETS};
    for (uint32_t i = 0; i < PACKETS; i++)
        choose_bands(&p, &p.packet[i]);
    p.code = calloc(p.blocks + 1, sizeof *p.code);
    p.passes = calloc(p.blocks + 1, 1);
    p.length = calloc(p.blocks + 1, sizeof *p.length);
    assert_true(p.code && p.passes && p.length);
    for (uint32_t i = 0; i < PACKETS; i++) {
        const uint32_t kind = below(ones ? 1 + LENGTH_BITS : 5);
        for (uint32_t b = 0; b < J2K_PACKET_BANDS; b++)
            if (ones)
                choose_ones(&p, &p.packet[i], b, kind);
            else
                choose_lengths(&p, &p.packet[i], b, kind);
    }
    return p;
}

static void release_packets(struct packets *p)
{
    free(p->code);
    free(p->passes);
    free(p->length);
}

/* Write a packet's header with plain C. Returns the bytes of its blocks. */
static uint64_t write_header(const struct packets *p, const struct j2k_work_packet *packet, struct sink *sink)
{
    const struct j2k_coded coded = {.block = p->code, .pass_length = p->length, .layer_passes = p->passes};
    struct j2k_header_writer bits;
    struct j2k_single_band band[J2K_PACKET_BANDS];
    uint8_t *value[J2K_PACKET_BANDS], *state[J2K_PACKET_BANDS];
    uint64_t body = 0;
    bool any = false;
    j2k_writer_start(&bits, sink);
    for (uint32_t b = 0; b < J2K_PACKET_BANDS; b++) {
        const struct j2k_tag_shape shape = shape_of(packet, b);
        value[b] = stage_poisoned(shape.nodes);
        state[b] = stage_poisoned(shape.nodes);
        band[b] = (struct j2k_single_band){
            .shape = shape, .first_block = packet->block[b], .room = 1, .value = value[b], .state = state[b]};
        for (uint32_t i = 0; i < packet->columns[b] * packet->rows[b]; i++)
            value[b][i] = p->passes[packet->block[b] + i] ? p->code[packet->block[b] + i].missing : UINT8_MAX;
        if (shape.levels > 0)
            kst_j2k_tag_least(&shape, packet->rows[b], value[b]);
        any = kst_j2k_single_mark(&coded, &band[b]) > 0 || any;
    }
    j2k_writer_bit(&bits, any);
    for (uint32_t b = 0; b < J2K_PACKET_BANDS; b++) {
        body += any ? kst_j2k_single_put(&coded, &band[b], &bits) : 0;
        free(value[b]);
        free(state[b]);
    }
    j2k_writer_end(&bits);
    return body;
}

/* Holds the buffers of the kernels. */
struct buffers {
    uint32_t *list, *results, *work, *data;
    size_t list_bytes, result_bytes, work_bytes, data_bytes;
    struct j2k_packets_work head;
};

/* Describe the packets as two pictures, and where the bytes of each block are. */
static void make_list(const struct packets *p, struct buffers *b)
{
    const struct j2k_work_picture_packets pictures[] = {{0, FIRST}, {FIRST, PACKETS - FIRST}};
    const uint32_t block = b->head.packet + (uint32_t)sizeof p->packet / 4;
    const struct j2k_list_work list = {.block = block};
    b->list_bytes = 4 * (size_t)block + p->blocks * sizeof(struct j2k_work_coded_block);
    b->list = stage_poisoned(b->list_bytes);
    b->data_bytes = p->blocks * (size_t)(LONGEST + 8) + 8;
    b->data = stage_poisoned(b->data_bytes);
    memcpy(b->list, &list, sizeof list);
    memcpy(b->list + SPEAKS, &b->head, sizeof b->head);
    memcpy(b->list + b->head.picture, pictures, sizeof pictures);
    memcpy(b->list + b->head.packet, p->packet, sizeof p->packet);
    for (uint32_t i = 0; i < p->blocks; i++)
        ((struct j2k_work_coded_block *)(void *)(b->list + block))[i] =
            (struct j2k_work_coded_block){.data = i * (LONGEST + 8)};
    for (size_t i = 0; i < b->data_bytes; i++)
        ((uint8_t *)b->data)[i] = (uint8_t)below(256);
}

static struct buffers make_buffers(const struct packets *p)
{
    struct buffers b = {.head = {.picture = SPEAKS + (uint32_t)sizeof(struct j2k_packets_work) / 4,
                            .result = RESULT_FIRST,
                            .stride = STRIDE,
                            .length = 2,
                            .placed = 4}};
    b.head.packet = b.head.picture + 4;
    b.head.place = b.head.placed + PACKETS * (uint32_t)sizeof(struct j2k_work_placed_packet) / 4;
    b.head.node = b.head.place + 2 * p->blocks;
    b.head.header = b.head.node + p->nodes;
    make_list(p, &b);
    b.work_bytes = 4 * (size_t)(b.head.header + p->header_words);
    b.work = stage_poisoned(b.work_bytes);
    b.result_bytes = 4 * (RESULT_FIRST + (size_t)STRIDE * p->blocks);
    b.results = stage_poisoned(b.result_bytes);
    for (uint32_t i = 0; i < p->blocks; i++) {
        b.results[RESULT_FIRST + STRIDE * i] = p->passes[i]; /* planes */
        b.results[RESULT_FIRST + STRIDE * i + 2] = p->passes[i] ? p->length[i] : 0;
    }
    return b;
}

static void release_buffers(struct buffers *b)
{
    free(b->list);
    free(b->results);
    free(b->work);
    free(b->data);
}

static void run_write(struct gpu_runtime *runtime, struct buffers *b)
{
    const struct stage_argument write[] = {STAGE_IN("list", b->list, b->list_bytes),
        STAGE_IN("results", b->results, b->result_bytes), STAGE_FOUND("work", b->work, b->work, b->work_bytes),
        {"head", .value = SPEAKS}};
    const struct stage_argument place[] = {STAGE_IN("list", b->list, b->list_bytes),
        STAGE_FOUND("work", b->work, b->work, b->work_bytes), {"head", .value = SPEAKS}};
    stage_run(runtime, &kst_j2k_gpu_encoding, J2K_ENCODE_WRITE_PACKETS, PACKETS, write, 4);
    stage_run(runtime, &kst_j2k_gpu_encoding, J2K_ENCODE_PLACE_PACKETS, 2, place, 3);
}

/* Compare a header, and what lies behind it in its room. */
static void compare_header(
    const struct packets *p, const struct buffers *b, uint32_t index, const struct sink *wanted, uint64_t body)
{
    const struct j2k_work_placed_packet *placed =
        (const struct j2k_work_placed_packet *)(const void *)(b->work + b->head.placed) + index;
    const uint8_t *header = (const uint8_t *)(b->work + b->head.header + p->packet[index].header);
    const uint32_t end = index + 1 < PACKETS ? p->packet[index + 1].header : p->header_words;
    assert_int_equal(placed->header, wanted->length);
    assert_int_equal(placed->body, body);
    assert_int_equal(placed->problem, 0);
    assert_memory_equal(header, wanted->data, wanted->length);
    for (size_t i = wanted->length; i < 4 * (size_t)(end - p->packet[index].header); i++)
        assert_int_equal(header[i], STAGE_POISON);
}

/* Append the bytes of a packet's blocks. */
static void put_body(const struct packets *p, const struct buffers *b, uint32_t index, struct sink *sink)
{
    for (uint32_t band = 0; band < J2K_PACKET_BANDS; band++)
        for (uint32_t i = 0; i < p->packet[index].columns[band] * p->packet[index].rows[band]; i++) {
            const uint32_t block = p->packet[index].block[band] + i;
            if (p->passes[block])
                kst_sink_bytes(
                    sink, (const uint8_t *)b->data + (size_t)block * (LONGEST + 8) + J2K_DATA_HEAD, p->length[block]);
        }
}

/* Assemble the packets of a picture, whose blocks follow each other. */
static void assemble(struct gpu_runtime *runtime, const struct packets *p, const struct buffers *b, uint32_t picture,
    const struct sink *wanted)
{
    const uint32_t packet = picture ? FIRST : 0, end = picture ? PACKETS : FIRST;
    const uint32_t block = p->packet[packet].block[0],
                   blocks = (picture ? p->blocks : p->packet[FIRST].block[0]) - block;
    const size_t length = (wanted->length + 3) / 4 * 4 + 8;
    const struct j2k_work_found_packets *found = (const struct j2k_work_found_packets *)(const void *)b->work + picture;
    uint8_t *before = stage_poisoned(length), *after = stage_poisoned(length);
    memcpy(after, wanted->data, wanted->length);
    assert_int_equal(found->length, wanted->length);
    assert_int_equal(found->problem, 0);
    const struct stage_argument arguments[] = {STAGE_IN("list", b->list, b->list_bytes),
        STAGE_IN("results", b->results, b->result_bytes), STAGE_IN("data", b->data, b->data_bytes),
        STAGE_IN("work", b->work, b->work_bytes), STAGE_OUT("stream", before, after, length), {"head", .value = SPEAKS},
        {"packet", .value = packet}, {"packets", .value = end - packet}, {"block", .value = block}};
    stage_run(runtime, &kst_j2k_gpu_encoding, J2K_ENCODE_ASSEMBLE_PACKETS, end - packet + blocks, arguments, 9);
    free(before);
    free(after);
}

static void check(struct gpu_runtime *runtime)
{
    struct packets p = make_packets(false);
    struct buffers b = make_buffers(&p);
    struct sink stream[2];
    run_write(runtime, &b);
    for (uint32_t picture = 0; picture < 2; picture++) {
        kst_sink_init(&stream[picture], runtime->gpu->memory);
        for (uint32_t i = picture ? FIRST : 0; i < (picture ? PACKETS : FIRST); i++) {
            struct sink header;
            kst_sink_init(&header, runtime->gpu->memory);
            const uint64_t body = write_header(&p, &p.packet[i], &header);
            compare_header(&p, &b, i, &header, body);
            kst_sink_bytes(&stream[picture], header.data, header.length);
            put_body(&p, &b, i, &stream[picture]);
            kst_sink_release(&header);
        }
        assert_int_equal(stream[picture].status, KST_OK);
        assemble(runtime, &p, &b, picture, &stream[picture]);
        kst_sink_release(&stream[picture]);
    }
    release_buffers(&b);
    release_packets(&p);
}

/* Return the bits of a header without those that are stuffed, a byte for each. */
static uint8_t *bits_of_header(const struct sink *header, size_t *count)
{
    uint8_t *bits = malloc(8 * header->length + 1);
    assert_non_null(bits);
    *count = 0;
    for (size_t i = 0; i < header->length; i++)
        for (uint32_t k = i > 0 && header->data[i - 1] == 0xFF ? 7 : 8; k-- > 0;)
            bits[(*count)++] = header->data[i] >> k & 1;
    return bits;
}

/* Check bytes against bits that are put into bytes one after the other. `bits` end with a byte. */
static void check_stuffing(const uint8_t *bits, size_t count, const uint8_t *bytes, size_t length)
{
    size_t at = 0;
    for (size_t i = 0; i < length; i++) {
        uint32_t byte = 0;
        for (uint32_t k = i > 0 && bytes[i - 1] == 0xFF ? 7 : 8; k > 0; k--)
            byte = 2 * byte + bits[at++];
        assert_int_equal(bytes[i], byte);
    }
    assert_int_equal(at, count);
    assert_int_not_equal(bytes[length - 1], 0xFF);
}

/* Headers full of ones are right, whatever place of a byte and of 256 words runs begin at, and where they end. */
static void test_ones(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++) {
        uint32_t ends = 0;
        for (uint32_t k = 0; k < (simulated() ? 1 : ONES_RUNS); k++) {
            struct packets p = make_packets(true);
            struct buffers b = make_buffers(&p);
            run_write(runtimes[i], &b);
            for (uint32_t packet = 0; packet < PACKETS; packet++) {
                struct sink header;
                size_t count;
                kst_sink_init(&header, runtimes[i]->gpu->memory);
                compare_header(&p, &b, packet, &header, write_header(&p, &p.packet[packet], &header));
                uint8_t *bits = bits_of_header(&header, &count);
                check_stuffing(
                    bits, count, (uint8_t *)(b.work + b.head.header + p.packet[packet].header), header.length);
                ends += header.length > 1 && header.data[header.length - 2] == 0xFF;
                free(bits);
                kst_sink_release(&header);
            }
            release_buffers(&b);
            release_packets(&p);
        }
        assert_true(simulated() || ends > 0);
    }
}

static void test_packets(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < gpu_count; i++)
        for (uint32_t k = 0; k < (simulated() ? 1 : 12); k++)
            check(runtimes[i]);
}

/* A block without room, or with more planes than its band, is a problem of its picture alone. */
static void test_problems(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * gpu_count; i++) {
        struct packets p = make_packets(false);
        while (p.blocks == p.packet[FIRST].block[0]) {
            release_packets(&p);
            p = make_packets(false);
        }
        struct buffers b = make_buffers(&p);
        const uint32_t last = p.blocks - 1;
        if (i % 2)
            b.results[RESULT_FIRST + STRIDE * last] = 63;
        else
            b.results[RESULT_FIRST + STRIDE * last + 2] = J2K_NO_ROOM;
        run_write(runtimes[i / 2], &b);
        const struct j2k_work_found_packets *found = (const struct j2k_work_found_packets *)(const void *)b.work;
        assert_int_equal(found[0].problem, 0);
        assert_int_equal(found[1].problem, 1);
        release_buffers(&b);
        release_packets(&p);
    }
}

/* A picture that loses its packets, because the host sees to it, is still described as when the list was laid out. */
static void test_lost_packets(void **state)
{
    (void)state;
    enum { BANDS = 2, HEAD_AT = 3 };
    struct j2k_band band[BANDS] = {{.planes = 9}, {.planes = 7}};
    struct j2k_block block[] = {{.band = 0}, {.band = 1}, {.band = 1}};
    const struct j2k_plan plan = {.band = band, .band_count = BANDS, .block = block, .block_count = 3};
    const struct j2k_packet_blocks packet[] = {
        {.columns = {1}, .rows = {1}}, {.first_block = {0, 1}, .columns = {0, 2}, .rows = {0, 1}}};
    const struct j2k_gpu_block_order order[] = {{.block = 0}, {.block = 1}, {.block = 2}};
    struct j2k_gpu_encode_item item = {.picture.plan = &plan, .packet = packet, .packets = 2};
    struct j2k_gpu_encode_job job = {.runtime = runtimes[0], .count = 1, .items = &item};
    const struct j2k_gpu_result_form form = {0, 2, 1};
    struct gpu_error error = {.status = KST_OK};
    struct j2k_gpu_packing packing;
    assert_true(kst_j2k_gpu_packing_make(&packing, &job, order, 3, &error));
    uint32_t *words = malloc((HEAD_AT + packing.words) * sizeof *words);
    assert_non_null(words);
    item.packet = NULL;
    kst_j2k_gpu_packing_write(&packing, &job, form, words, HEAD_AT);
    const struct j2k_packets_work *head = (const struct j2k_packets_work *)(const void *)(words + HEAD_AT);
    const struct j2k_work_packet *second = (const struct j2k_work_packet *)(const void *)(words + head->packet) + 1;
    assert_int_equal(second->columns[0], 0);
    assert_int_equal(second->columns[1], 2);
    assert_int_equal(second->block[1], 1);
    assert_int_equal(second->planes[1], 7);
    free(words);
    kst_j2k_gpu_packing_release(&packing, runtimes[0]->gpu->memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packets), cmocka_unit_test(test_ones),
        cmocka_unit_test(test_problems), cmocka_unit_test(test_lost_packets)};
    return cmocka_run_group_tests(tests, open_pictures, close_pictures);
}
