/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes JPEG files that hold several pictures, and reads their indices. */
#include "support/jpeg/album.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { MPF_HEADER = 4, ENTRIES_AT = 50, ENTRY = 16, PACKET = 8000 };

static void put(uint8_t *at, uint32_t value, size_t bytes, bool big_endian)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * (big_endian ? bytes - 1 - i : i));
}

static uint32_t get(const uint8_t *at, size_t bytes, bool big_endian)
{
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << 8 * (big_endian ? bytes - 1 - i : i);
    return value;
}

static void put_tag(uint8_t *at, const uint32_t field[4], bool big_endian)
{
    put(at, field[0], 2, big_endian);
    put(at + 2, field[1], 2, big_endian);
    put(at + 4, field[2], 4, big_endian);
    put(at + 8, field[3], 4, big_endian);
}

static size_t indexed_parts(const struct album *album)
{
    size_t count = 1;
    for (size_t i = 0; i < album->count; i++)
        count += album->part[i].indexed;
    return count;
}

static size_t mpf_length(const struct album *album)
{
    return album->mpf ? 4 + MPF_HEADER + ENTRIES_AT + ENTRY * indexed_parts(album) : 0;
}

/* Write the MPF segment at `at`. `first` is the length of the first picture with all its segments. */
static void write_mpf(const struct album *album, size_t first, size_t at, uint8_t *file)
{
    const bool big = album->big_endian;
    const uint32_t count = (uint32_t)indexed_parts(album);
    uint8_t *tiff = file + at + 4 + MPF_HEADER, *entry = tiff + ENTRIES_AT;
    memcpy(file + at, "\xFF\xE2", 2);
    put(file + at + 2, (uint32_t)mpf_length(album) - 2, 2, true);
    memcpy(file + at + 4, "MPF", 4);
    memcpy(tiff, big ? "MM" : "II", 2);
    put(tiff + 2, 42, 2, big);
    put(tiff + 4, 8, 4, big);
    put(tiff + 8, 3, 2, big);
    put_tag(tiff + 10, (const uint32_t[]){0xB000, 7, 4, 0}, big);
    memcpy(tiff + 18, "0100", 4);
    put_tag(tiff + 22, (const uint32_t[]){0xB001, 4, 1, count}, big);
    put_tag(tiff + 34, (const uint32_t[]){0xB002, 7, ENTRY * count, ENTRIES_AT}, big);
    put(tiff + 46, 0, 4, big);
    memset(entry, 0, ENTRY * count);
    put(entry, 0x20030000, 4, big);
    put(entry + 4, (uint32_t)first, 4, big);
    size_t from = first;
    for (size_t i = 0; i < album->count; i++) {
        const struct album_part *part = &album->part[i];
        from += part->gap;
        if (part->indexed) {
            entry += ENTRY;
            put(entry, part->attribute, 4, big);
            put(entry + 4, (uint32_t)part->bytes.length, 4, big);
            put(entry + 8, (uint32_t)(from - (at + 4 + MPF_HEADER)), 4, big);
        }
        from += part->bytes.length;
    }
}

static void add_item(char *packet, bool elements, const char *mime, const char *semantic, size_t length, size_t padding)
{
    size_t used = strlen(packet);
    if (elements)
        snprintf(packet + used, PACKET - used,
            "<rdf:li rdf:parseType=\"Resource\"><Con:Item rdf:parseType=\"Resource\"><It:Mime>%s</It:Mime>"
            "<It:Semantic>%s</It:Semantic><It:Length> %zu "
            "</It:Length><It:Padding>%zu</It:Padding></Con:Item></rdf:li>\n",
            mime, semantic, length, padding);
    else
        snprintf(packet + used, PACKET - used,
            "<rdf:li rdf:parseType='Resource'>\n<Con:Item It:Mime='%s' It:Semantic=\"%s\" It:Padding = \"%zu\"\n"
            "It:Length=\"%zu\"/></rdf:li>\n",
            mime, semantic, padding, length);
}

static void make_packet(const struct album *album, size_t first, char packet[PACKET])
{
    size_t gap = album->count > 0 ? album->part[0].gap : 0;
    snprintf(packet, PACKET,
        "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'><!-- <Con:Item "
        "It:Length='7'/> --><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
        "xmlns:Con=\"http://ns.google.com/photos/1.0/container/\" "
        "xmlns:It = 'http://ns.google.com/photos/1.0/container/item/' "
        "xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/' hdrgm:Version='1.0'>"
        "<dc:title>x &gt; y</dc:title><Con:Directory><rdf:Seq>\n");
    add_item(packet, album->elements, "image/jpeg", "Primary", album->first_length ? first : 0, gap);
    for (size_t i = 0; i < album->count; i++) {
        const struct album_part *part = &album->part[i];
        size_t padding = i + 1 < album->count ? album->part[i + 1].gap : 0;
        if (part->semantic)
            add_item(packet, album->elements, part->mime, part->semantic, part->bytes.length, padding);
    }
    size_t used = strlen(packet);
    snprintf(packet + used, PACKET - used,
        "</rdf:Seq></Con:Directory></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>");
}

static size_t total_length(const struct album *album, size_t first)
{
    for (size_t i = 0; i < album->count; i++)
        first += album->part[i].gap + album->part[i].bytes.length;
    return first;
}

struct contents album_make(const struct album *album)
{
    static const char identifier[] = "http://ns.adobe.com/xap/1.0/";
    const uint8_t *source = album->first.data;
    const size_t header = 4 + (size_t)get(source + 4, 2, true), rest = album->first.length - header;
    char packet[PACKET] = "";
    size_t xmp = 0, first = album->first.length + mpf_length(album), before = 0;
    while (album->xmp && first != before) { /* until the lengths agree with the digits that they take themselves */
        first -= xmp;
        before = first + xmp;
        make_packet(album, before, packet);
        xmp = 4 + sizeof identifier + strlen(packet);
        first += xmp;
    }
    struct contents file = {.length = total_length(album, first)};
    file.data = calloc(file.length, 1);
    assert_non_null(file.data);
    size_t at = header;
    memcpy(file.data, source, header);
    if (album->xmp) {
        memcpy(file.data + at, "\xFF\xE1", 2);
        put(file.data + at + 2, (uint32_t)xmp - 2, 2, true);
        memcpy(file.data + at + 4, identifier, sizeof identifier);
        memcpy(file.data + at + 4 + sizeof identifier, packet, strlen(packet));
        at += xmp;
    }
    if (album->mpf)
        write_mpf(album, first, at, file.data);
    at += mpf_length(album);
    memcpy(file.data + at, source + header, rest);
    at += rest;
    for (size_t i = 0; i < album->count; i++) {
        at += album->part[i].gap;
        memcpy(file.data + at, album->part[i].bytes.data, album->part[i].bytes.length);
        at += album->part[i].bytes.length;
    }
    return file;
}

/* Return the contents of the first segment that begins with an identifier. */
static const uint8_t *find_segment(
    const uint8_t *data, size_t length, const char *identifier, size_t identifier_length, size_t *contents)
{
    for (size_t at = 2; at + 4 <= length && data[at] == 0xFF && data[at + 1] != 0xDA;) {
        size_t size = (size_t)get(data + at + 2, 2, true);
        if (size >= 2 + identifier_length && at + 2 + size <= length &&
            memcmp(data + at + 4, identifier, identifier_length) == 0) {
            *contents = size - 2;
            return data + at + 4;
        }
        at += 2 + size;
    }
    return NULL;
}

size_t album_index(const uint8_t *data, size_t length, struct album_entry *entry, size_t room)
{
    size_t contents, count = 0;
    const uint8_t *tiff = find_segment(data, length, "MPF", 4, &contents);
    if (!tiff)
        return 0;
    tiff += MPF_HEADER;
    bool big = tiff[0] == 'M';
    const uint8_t *ifd = tiff + get(tiff + 4, 4, big);
    for (uint32_t i = 0; i < get(ifd, 2, big); i++) {
        const uint8_t *tag = ifd + 2 + i * 12;
        if (get(tag, 2, big) != 0xB002)
            continue;
        const uint8_t *at = tiff + get(tag + 8, 4, big);
        for (; count < get(tag + 4, 4, big) / ENTRY && count < room; count++, at += ENTRY) {
            uint32_t offset = get(at + 8, 4, big);
            entry[count] = (struct album_entry){
                get(at, 4, big), offset == 0 ? 0 : (size_t)(tiff - data) + offset, get(at + 4, 4, big)};
        }
    }
    return count;
}

size_t album_lengths(const uint8_t *data, size_t length, size_t *lengths, size_t room)
{
    size_t contents, count = 0;
    const uint8_t *xmp = find_segment(data, length, "http://ns.adobe.com/xap", 23, &contents);
    char *text = xmp ? calloc(contents + 1, 1) : NULL;
    if (!text)
        return 0;
    memcpy(text, xmp + 29, contents - 29);
    const char *from = strstr(text, "Directory>");
    for (const char *at = from; at && (at = strstr(at, "It:Length")) && count < room; at += 10) {
        const char *number = at + 9 + strcspn(at + 9, "0123456789<");
        if (at[-1] != '/')
            lengths[count++] = strtoul(number, NULL, 10);
    }
    free(text);
    return count;
}

size_t album_picture_length(const uint8_t *data, size_t length)
{
    size_t at = 2;
    if (length < 4 || data[0] != 0xFF || data[1] != 0xD8)
        return 0;
    while (at + 2 <= length) {
        if (data[at] == 0xFF && data[at + 1] == 0xD9)
            return at + 2;
        bool segment = data[at] == 0xFF && data[at + 1] != 0 && !(data[at + 1] >= 0xD0 && data[at + 1] <= 0xD7);
        if (segment && at + 4 > length)
            return 0;
        at += segment ? 2 + (size_t)get(data + at + 2, 2, true) : 1; /* otherwise skip a byte of entropy-coded data */
    }
    return 0;
}
