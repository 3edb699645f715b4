/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes JPEG streams (T.81). Sequential scans hold codes of their tables, block after block, as an encoder would write
 * them for random values; those of progressive pictures and some others hold random bits.
 */
#include <string.h>

#include "made.h"

enum { COMPONENTS = 4, TABLES = 4 };

struct table {
    uint8_t bits[17];
    uint8_t value[256];
    uint16_t code[256];
    uint8_t length[256];
    uint32_t count;
};

struct frame {
    uint32_t process, width, height, components, restart;
    uint8_t id[COMPONENTS], h[COMPONENTS], v[COMPONENTS];
    struct table dc[TABLES], ac[TABLES];
};

/* Choose the number of codes of each length, no more than fit; the code of all ones stays unused. */
static void choose_lengths(struct made *made, struct table *table)
{
    uint32_t room = 1, taste = made_choose(made, 5);
    memset(table, 0, sizeof *table);
    for (uint32_t length = 1; length <= 16; length++) {
        room = 2 * room > 512 ? 512 : 2 * room;
        uint32_t most = room > 1 ? room - 1 : 0, wanted = 0;
        if (taste == 0)
            wanted = length < 3 ? 1 : 2;
        else if (taste == 1)
            wanted = length == 16 ? most : 0;
        else if (taste == 2)
            wanted = 1;
        else if (made_choose(made, 3))
            wanted = made_choose(made, 5);
        wanted = wanted < most ? wanted : most;
        wanted = wanted < 255 - table->count ? wanted : 255 - table->count;
        table->bits[length] = (uint8_t)wanted;
        table->count += wanted;
        room -= wanted;
    }
    if (table->count == 0)
        table->bits[2] = (uint8_t)(table->count = 1);
}

static void assign_codes(struct table *table)
{
    uint32_t code = 0, index = 0;
    for (uint32_t length = 1; length <= 16; length++, code <<= 1)
        for (uint32_t i = 0; i < table->bits[length]; i++, index++, code++) {
            table->code[index] = (uint16_t)code;
            table->length[index] = (uint8_t)length;
        }
}

static void put_table(struct made *made, struct table *table, uint32_t table_class, uint32_t index)
{
    choose_lengths(made, table);
    assign_codes(table);
    for (uint32_t i = 0; i < table->count; i++) {
        uint32_t run = made_rarely(made, 3) ? made_choose(made, 16) : 0;
        uint32_t size = made_rarely(made, 8) ? made_choose(made, 16) : made_choose(made, 5);
        table->value[i] = (uint8_t)(table_class ? run << 4 | size : size);
    }
    size_t at = made_open(made, 0xC4);
    made_put8(made, table_class << 4 | index);
    made_put_all(made, table->bits + 1, 16);
    made_put_all(made, table->value, table->count);
    made_close(made, at);
}

static void put_tables(struct made *made, struct frame *frame)
{
    uint32_t count = frame->process == 0 ? 2 : 1 + made_choose(made, TABLES);
    for (uint32_t i = 0; i < count; i++) {
        if (!made_rarely(made, 20))
            put_table(made, &frame->dc[i], 0, i);
        if (!made_rarely(made, 20))
            put_table(made, &frame->ac[i], 1, i);
    }
}

static void put_quantisers(struct made *made, const struct frame *frame)
{
    uint32_t count = made_rarely(made, 6) ? 1 + made_choose(made, 4) : 2;
    for (uint32_t i = 0; i < count; i++) {
        bool wide = frame->process > 0 && made_rarely(made, 4), large = made_rarely(made, 5);
        size_t at = made_open(made, 0xDB);
        made_put8(made, (uint32_t)wide << 4 | i);
        for (uint32_t k = 0; k < 64; k++) {
            uint32_t value = made_random(made, large ? 65535 : 40) + 1;
            if (wide)
                made_put16(made, value);
            else
                made_put8(made, value % 255 + 1);
        }
        made_close(made, at);
    }
}

static void put_frame(struct made *made, struct frame *frame)
{
    static const uint8_t factors[] = {0x11, 0x22, 0x21, 0x12, 0x11, 0x41, 0x14, 0x31, 0x13, 0x32, 0x44, 0x42};
    bool same = made_rarely(made, 16);
    size_t at = made_open(made, 0xC0 + frame->process);
    made_put8(made, made_rarely(made, 8) ? 12 : 8);
    made_put16(made, frame->height);
    made_put16(made, frame->width);
    made_put8(made, frame->components);
    for (uint32_t i = 0; i < frame->components; i++) {
        uint32_t odd = made_rarely(made, 3), factor = i == 0 || odd ? factors[made_choose(made, 12)] : 0x11;
        frame->id[i] = (uint8_t)(same ? 7 : made_rarely(made, 6) ? "RGBA"[i] : (char)(i + 1));
        frame->h[i] = (uint8_t)(factor >> 4);
        frame->v[i] = (uint8_t)(factor & 15);
        made_put8(made, frame->id[i]);
        made_put8(made, factor);
        made_put8(made, made_rarely(made, 30) ? 3 : made_choose(made, 2));
    }
    made_close(made, at);
}

static void put_restart(struct made *made, struct frame *frame)
{
    frame->restart = made_choose(made, 12);
    size_t at = made_open(made, 0xDD);
    made_put16(made, frame->restart);
    made_close(made, at);
}

/* Holds the components of a scan, by their index in the frame, and their tables. */
struct scan {
    uint32_t count, component[COMPONENTS], dc[COMPONENTS], ac[COMPONENTS];
    uint32_t ss, se, ah, al;
};

static void choose_band(struct made *made, const struct frame *frame, uint32_t turn, struct scan *scan)
{
    scan->se = 63;
    if (frame->process == 2) {
        bool dc = turn == 0 || made_rarely(made, 4);
        scan->ss = dc ? 0 : 1 + made_choose(made, 62);
        scan->se = dc ? 0 : scan->ss + made_choose(made, 64 - scan->ss);
        scan->al = made_choose(made, 4);
        scan->ah = made_rarely(made, 2) ? 0 : scan->al + 1;
        scan->count = dc ? scan->count : 1;
    } else if (made_rarely(made, 12)) {
        scan->se = made_choose(made, 64);
        scan->ah = made_choose(made, 14);
    }
}

static void choose_scan(struct made *made, const struct frame *frame, uint32_t turn, struct scan *scan)
{
    *scan = (struct scan){
        .count = turn == 0 && !made_rarely(made, 3) ? frame->components : 1 + made_choose(made, frame->components)};
    choose_band(made, frame, turn, scan);
    uint32_t first = made_choose(made, frame->components - scan->count + 1);
    uint32_t tables = frame->process == 0 ? 2 : TABLES;
    for (uint32_t i = 0; i < scan->count; i++) {
        scan->component[i] = first + i;
        scan->dc[i] = made_rarely(made, 3) ? made_choose(made, tables) : 0;
        scan->ac[i] = made_rarely(made, 3) ? made_choose(made, tables) : 0;
    }
}

static void put_scan_header(struct made *made, const struct frame *frame, const struct scan *scan)
{
    size_t at = made_open(made, 0xDA);
    made_put8(made, scan->count);
    for (uint32_t i = 0; i < scan->count; i++) {
        made_put8(made, frame->id[scan->component[i]]);
        made_put8(made, scan->dc[i] << 4 | scan->ac[i]);
    }
    made_put8(made, scan->ss);
    made_put8(made, scan->se);
    made_put8(made, scan->ah << 4 | scan->al);
    made_close(made, at);
}

/* Write a symbol of a table and the bits that follow it. Returns the symbol. */
static uint32_t put_symbol(struct made *made, const struct table *table)
{
    uint32_t index = table->count > 0 ? made_random(made, table->count) : 0, value = table->value[index];
    made_put_bits(made, table->code[index], table->length[index]);
    made_put_bits(made, made_random(made, 1 << 16), value & 15);
    return value;
}

static void put_block(struct made *made, const struct table *dc, const struct table *ac)
{
    put_symbol(made, dc);
    for (uint32_t k = 1; k < 64; k++) {
        uint32_t symbol = put_symbol(made, ac);
        if (symbol == 0)
            break;
        k += symbol >> 4;
    }
}

static void put_mcu(struct made *made, const struct frame *frame, const struct scan *scan)
{
    for (uint32_t i = 0; i < scan->count; i++) {
        uint32_t c = scan->component[i], blocks = scan->count > 1 ? (uint32_t)frame->h[c] * frame->v[c] : 1;
        for (uint32_t b = 0; b < blocks; b++)
            put_block(made, &frame->dc[scan->dc[i]], &frame->ac[scan->ac[i]]);
    }
}

/* Count the MCUs of a scan, rounded up. */
static uint32_t count_mcus(const struct frame *frame, const struct scan *scan)
{
    uint32_t h = 1, v = 1, height = frame->height ? frame->height : 50, c = scan->component[0];
    for (uint32_t i = 0; i < frame->components; i++) {
        h = frame->h[i] > h ? frame->h[i] : h;
        v = frame->v[i] > v ? frame->v[i] : v;
    }
    if (scan->count > 1)
        return ((frame->width + 8 * h - 1) / (8 * h)) * ((height + 8 * v - 1) / (8 * v));
    return ((frame->width * frame->h[c] / h + 8) / 8) * ((height * frame->v[c] / v + 8) / 8);
}

static void put_random(struct made *made, uint32_t length)
{
    uint32_t kind = made_choose(made, 4);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t byte = made_random(made, 256);
        if (kind == 1)
            byte &= made_random(made, 256);
        else if (kind == 2)
            byte |= made_random(made, 256);
        else if (kind == 3)
            byte = 0;
        made_put8(made, byte);
        if (byte != 0xFF)
            continue;
        for (uint32_t fill = made_random(made, 30) == 0 ? made_random(made, 40) : 0; fill > 0; fill--)
            made_put8(made, 0xFF);
        made_put8(made, 0);
    }
}

/* Write the data of a scan. Now and then a restart marker is missing, wrong or superfluous. */
static void put_data(struct made *made, const struct frame *frame, const struct scan *scan)
{
    bool coded = frame->process != 2 && !made_rarely(made, 5);
    uint32_t mcus = count_mcus(frame, scan), interval = frame->restart ? frame->restart : mcus, number = 0;
    uint32_t least = made_rarely(made, 6) ? made_choose(made, 20) : 0;
    if (made_rarely(made, 16))
        return;
    for (uint32_t done = 0; done < mcus; done += interval) {
        if (done > 0 && !(least && made_random(made, least + 2) == 0)) {
            made_put16(made, 0xFFD0 | (number & 7));
            number += least && made_random(made, least + 4) == 0 ? made_random(made, 5) : 1;
        }
        if (coded)
            for (uint32_t i = 0; i < interval && done + i < mcus && made->length < 40000; i++)
                put_mcu(made, frame, scan);
        else
            put_random(made, made_random(made, 40 + interval * 6 % 3000));
        made_end_bits(made, 1);
        if (made->length > 40000)
            break;
    }
}

static void put_lines(struct made *made, uint32_t lines)
{
    size_t at = made_open(made, 0xDC);
    made_put16(made, lines);
    made_close(made, at);
}

static void put_adobe(struct made *made)
{
    size_t at = made_open(made, 0xEE);
    made_put_all(made, "Adobe\0d\0\0\0\0", 11);
    made_put8(made, made_choose(made, 3));
    made_close(made, at);
}

static void put_scans(struct made *made, struct frame *frame)
{
    uint32_t count = frame->process == 2    ? 1 + made_choose(made, 10)
                     : made_rarely(made, 2) ? 1 + made_choose(made, 4)
                                            : 1;
    for (uint32_t i = 0; i < count; i++) {
        struct scan scan;
        if (i > 0 && made_rarely(made, 6))
            put_tables(made, frame);
        if (i > 0 && made_rarely(made, 8))
            put_restart(made, frame);
        choose_scan(made, frame, i, &scan);
        put_scan_header(made, frame, &scan);
        put_data(made, frame, &scan);
        if (i == 0 && frame->height == 0)
            put_lines(made, 1 + made_choose(made, 130));
    }
}

void made_jpeg(struct made *made)
{
    struct frame frame = {.process = made_choose(made, 3),
        .width = 1 + made_choose(made, 140),
        .height = made_rarely(made, 16) ? 0 : 1 + made_choose(made, 140),
        .components = made_rarely(made, 5)   ? 4
                      : made_rarely(made, 3) ? 1 + made_choose(made, 2)
                                             : 3};
    made->stuffed = true;
    made_put16(made, 0xFFD8);
    if (made_rarely(made, 4))
        put_adobe(made);
    put_quantisers(made, &frame);
    put_frame(made, &frame);
    if (made_rarely(made, 3))
        put_restart(made, &frame);
    put_tables(made, &frame);
    put_scans(made, &frame);
    if (!made_rarely(made, 6))
        made_put16(made, 0xFFD9);
    made_damage(made);
}
