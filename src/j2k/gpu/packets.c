/* SPDX-License-Identifier: BSD-2-Clause */
/* Lays out the packets of pictures and describes them to the kernels that write packet headers. */
#include "j2k/gpu/packets.h"

#include <string.h>

#include "j2k/gpu/encode_job.h"

enum {
    BLOCKS_MOST = 65535,  /* most blocks of an item, so that 32 bits count its bytes */
    SIDE_MOST = 32768,    /* most blocks along a side, for which kernels have levels of tag trees */
    HEADER_AROUND = 64,   /* further bytes of a header: for levels of narrow trees, and for planes */
    HEADER_BLOCK = 8,     /* most bytes of a block: two nodes of four bits, passes and length of 31; some are stuffed */
    WORDS_MOST = 1 << 28, /* most words of the buffer of work, so that 32 bits count its bytes */
    LEVELS = 16
};

#define WORDS(type) ((uint32_t)(sizeof(type) / sizeof(uint32_t)))

_Static_assert(sizeof(struct j2k_work_packet) == 56 && sizeof(struct j2k_work_picture_packets) == 8 &&
                   sizeof(struct j2k_work_found_packets) == 8 && sizeof(struct j2k_work_placed_packet) == 16 &&
                   sizeof(struct j2k_work_placed_block) == 8 && sizeof(struct j2k_packets_work) == 36,
    "as in the kernels");

/* Return the most nodes that the tag trees of a packet can have. */
static uint64_t nodes_of(const struct j2k_packet_blocks *packet)
{
    uint64_t nodes = 0;
    for (uint32_t b = 0; b < J2K_PACKET_BANDS; b++)
        for (uint32_t width = packet->columns[b], height = packet->rows[b], k = 0; width > 0 && k < LEVELS; k++) {
            nodes += (uint64_t)width * height;
            if (width == 1 && height == 1)
                break;
            width = (width + 1) / 2;
            height = (height + 1) / 2;
        }
    return nodes;
}

static uint32_t header_words(const struct j2k_packet_blocks *packet)
{
    uint32_t blocks = 0;
    for (uint32_t b = 0; b < J2K_PACKET_BANDS; b++)
        blocks += (uint32_t)packet->columns[b] * packet->rows[b];
    return (HEADER_AROUND + HEADER_BLOCK * blocks) / (uint32_t)sizeof(uint32_t);
}

/*
 * Take the orders from `first` on, which must be for all blocks of an item, in their order. Returns false if they are
 * not.
 */
static bool take_item(struct j2k_gpu_packing *packing, const struct j2k_gpu_encode_job *job,
    const struct j2k_gpu_block_order *orders, uint32_t count, uint32_t first)
{
    const uint32_t index = orders[first].item;
    const struct j2k_gpu_encode_item *item = &job->items[index];
    const uint32_t blocks = item->picture.plan->block_count;
    if (!item->packet || item->measured || packing->item[index].blocks > 0 || blocks > BLOCKS_MOST ||
        count - first < blocks)
        return false;
    for (uint32_t b = 0; b < blocks; b++)
        if (orders[first + b].item != index || orders[first + b].block != b)
            return false;
    for (uint32_t p = 0; p < item->packets; p++)
        for (uint32_t b = 0; b < J2K_PACKET_BANDS; b++)
            if (item->packet[p].columns[b] > SIDE_MOST || item->packet[p].rows[b] > SIDE_MOST)
                return false;
    packing->item[index] = (struct j2k_gpu_packed_item){
        .from = item->packet, .packet = packing->packets, .packets = item->packets, .block = first, .blocks = blocks};
    packing->packets += item->packets;
    return true;
}

bool kst_j2k_gpu_packing_make(struct j2k_gpu_packing *packing, const struct j2k_gpu_encode_job *job,
    const struct j2k_gpu_block_order *orders, uint32_t count, struct gpu_error *error)
{
    uint64_t nodes = 0, headers = 0;
    *packing = (struct j2k_gpu_packing){.items = job->count};
    packing->item = kst_memory_zeroed(job->runtime->gpu->memory, job->count, sizeof *packing->item, &error->status);
    if (!packing->item)
        return false;
    for (uint32_t first = 0; first < count;) {
        const uint32_t index = orders[first].item;
        if (!take_item(packing, job, orders, count, first))
            return false;
        first += packing->item[index].blocks;
        for (uint32_t p = 0; p < job->items[index].packets; p++) {
            nodes += nodes_of(&job->items[index].packet[p]);
            headers += header_words(&job->items[index].packet[p]);
        }
    }
    packing->words = WORDS(struct j2k_packets_work) + packing->items * WORDS(struct j2k_work_picture_packets) +
                     packing->packets * WORDS(struct j2k_work_packet);
    packing->found = packing->items * (uint64_t)sizeof(struct j2k_work_found_packets);
    packing->placed = packing->items * (uint64_t)WORDS(struct j2k_work_found_packets);
    packing->place = packing->placed + packing->packets * (uint64_t)WORDS(struct j2k_work_placed_packet);
    packing->node = packing->place + count * (uint64_t)WORDS(struct j2k_work_placed_block);
    packing->header = packing->node + nodes;
    packing->work = packing->header + headers;
    return packing->work <= WORDS_MOST && packing->packets > 0;
}

void kst_j2k_gpu_packing_release(struct j2k_gpu_packing *packing, struct memory *memory)
{
    kst_memory_release(memory, packing->item);
    packing->item = NULL;
}

static struct j2k_work_packet describe(
    const struct j2k_plan *plan, const struct j2k_packet_blocks *from, uint32_t block)
{
    struct j2k_work_packet packet = {.node = 0};
    for (uint32_t b = 0; b < J2K_PACKET_BANDS; b++) {
        packet.columns[b] = from->columns[b];
        packet.rows[b] = from->rows[b];
        if (from->columns[b] == 0)
            continue;
        packet.block[b] = block + from->first_block[b];
        packet.planes[b] = plan->band[plan->block[from->first_block[b]].band].planes;
    }
    return packet;
}

void kst_j2k_gpu_packing_write(const struct j2k_gpu_packing *packing, const struct j2k_gpu_encode_job *job,
    struct j2k_gpu_result_form form, uint32_t *words, uint32_t at)
{
    const uint32_t picture = at + WORDS(struct j2k_packets_work);
    struct j2k_packets_work head = {.picture = picture,
        .packet = picture + packing->items * WORDS(struct j2k_work_picture_packets),
        .result = form.first,
        .stride = form.stride,
        .length = form.length,
        .placed = (uint32_t)packing->placed,
        .place = (uint32_t)packing->place,
        .node = (uint32_t)packing->node,
        .header = (uint32_t)packing->header};
    struct j2k_work_picture_packets *pictures = (struct j2k_work_picture_packets *)(void *)(words + head.picture);
    struct j2k_work_packet *packets = (struct j2k_work_packet *)(void *)(words + head.packet);
    uint32_t node = 0, header = 0;
    memcpy(words + at, &head, sizeof head);
    for (uint32_t i = 0; i < packing->items; i++) {
        const struct j2k_gpu_packed_item *item = &packing->item[i];
        const struct j2k_plan *plan = job->items[i].picture.plan;
        pictures[i] = (struct j2k_work_picture_packets){item->packet, item->packets};
        for (uint32_t p = 0; p < item->packets; p++) {
            struct j2k_work_packet packet = describe(plan, &item->from[p], item->block);
            packet.node = node;
            packet.header = header;
            node += (uint32_t)nodes_of(&item->from[p]);
            header += header_words(&item->from[p]);
            packets[item->packet + p] = packet;
        }
    }
}

void kst_j2k_gpu_packing_launch(const struct j2k_gpu_packing *packing, const struct j2k_gpu_encode_job *job,
    const struct gpu_buffer *list, const struct gpu_buffer *results, const struct gpu_buffer *work, uint32_t head)
{
    const struct gpu_argument write[] = {{.buffer = list}, {.buffer = results}, {.buffer = work}, {.value = head}};
    const struct gpu_argument place[] = {{.buffer = list}, {.buffer = work}, {.value = head}};
    kst_gpu_launch(job->queue, job->built, J2K_ENCODE_WRITE_PACKETS, packing->packets, write, 4);
    kst_gpu_launch(job->queue, job->built, J2K_ENCODE_PLACE_PACKETS, packing->items, place, 3);
}

void kst_j2k_gpu_packing_read(const struct j2k_gpu_packing *packing, const struct gpu_buffer *found, uint32_t *length)
{
    const struct j2k_work_found_packets *from = (const struct j2k_work_found_packets *)(const void *)found->host;
    for (uint32_t i = 0; i < packing->items; i++)
        length[i] = packing->item[i].blocks > 0 && !from[i].problem ? from[i].length : 0;
}
