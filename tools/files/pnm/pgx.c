/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes PGX, the format of JPEG 2000's conformance tests (T.803 C.2): a header line, then one component in
 * either byte order.
 */
#include "files/pnm/pgx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_LENGTH = 80, ORDER_AT = 3 };

bool pgx_write_header(struct output *output, const kst_plane *plane, bool little, struct problem *problem)
{
    char header[64];
    int length =
        snprintf(header, sizeof header, "PG %s %c%u %u %u\n", little ? "LM" : "ML", plane->is_signed ? '-' : '+',
            plane->depth == 0 ? 8u : (unsigned)plane->depth, (unsigned)plane->width, (unsigned)plane->height);

    return output_write(output, header, (size_t)length, problem);
}

static bool pgx_write(
    struct output *output, struct picture *picture, const struct file_settings *settings, struct problem *problem)
{
    const kst_plane *plane = &picture->image.plane[0];
    bool little = settings->order == ORDER_LITTLE;

    if (kst_format_channels(picture->image.format) > 1)
        return problem_set(problem, "PGX holds one plane; --format planar or raw makes as many files");
    bool good = pgx_write_header(output, plane, little, problem),
         swap = samples_swap(little ? ORDER_LITTLE : ORDER_BIG);
    if (good && picture_sample_bytes(plane) == 1)
        return rows_write(output, plane->data, plane->pitch, plane->width, plane->height, problem);
    for (uint32_t y = 0; y < plane->height && good; y++)
        good =
            samples_write(output, picture_row(picture, 0, y), plane->width, picture_sample_bytes(plane), swap, problem);
    return good;
}

static bool take_number(const char **text, unsigned *number)
{
    char *end;

    while (**text == ' ' || **text == '\t')
        ++*text;
    if (!isdigit((unsigned char)**text))
        return false;
    unsigned long value = strtoul(*text, &end, 10);
    *number = value < UINT32_MAX ? (unsigned)value : UINT32_MAX;
    *text = end;
    return true;
}

/* Read a header such as "PG ML +8 128 128". A space may follow the sign, and the sign may be missing. */
bool pgx_header_read(const struct source *source, struct pgx_header *header)
{
    char line[LINE_MAX_LENGTH + 1] = "";
    size_t most = source->length < LINE_MAX_LENGTH ? source->length : LINE_MAX_LENGTH;
    const uint8_t *end = memchr(source->data, '\n', most);
    const char *text = line + ORDER_AT + 2;

    if (end == NULL)
        return false;
    memcpy(line, source->data, (size_t)(end - source->data));
    header->data = (size_t)(end - source->data) + 1;
    header->little = line[ORDER_AT] == 'L';
    while (*text == ' ' || *text == '\t')
        text++;
    header->is_signed = *text == '-';
    text += *text == '-' || *text == '+';
    return take_number(&text, &header->depth) && take_number(&text, &header->width) &&
           take_number(&text, &header->height) && (*text == '\0' || *text == '\r');
}

static bool pgx_read(
    const struct source *source, const struct file_settings *settings, struct picture *picture, struct problem *problem)
{
    struct pgx_header header;

    if (!pgx_header_read(source, &header))
        return problem_set(problem, "PGX: the line in front of the samples is damaged");
    if (header.depth < 1 || header.depth > 31)
        return problem_set(problem, "PGX: samples of %u bits; 1 to 31 are read", header.depth);
    const struct plane_shape shape = {header.width, header.height, 1, header.depth, header.is_signed};
    if (!picture_allocate_planes(picture, &shape, settings->max_pixels, problem))
        return false;
    const kst_plane *plane = &picture->image.plane[0];
    size_t bytes = picture_sample_bytes(plane), row = bytes * plane->width;
    bool swap = samples_swap(header.little ? ORDER_LITTLE : ORDER_BIG);
    if (source->length - header.data < row * plane->height)
        return problem_set(problem, "PGX: the file ends too early");
    for (uint32_t y = 0; y < plane->height; y++)
        samples_put(source->data + header.data + row * y, plane->width, bytes, swap, picture_row(picture, 0, y), 1);
    return true;
}

static bool pgx_detect(const uint8_t *data, size_t length)
{
    return length >= 5 && data[0] == 'P' && data[1] == 'G' && isspace(data[2]) &&
           (memcmp(data + 3, "ML", 2) == 0 || memcmp(data + 3, "LM", 2) == 0);
}

const struct file_format file_pgx = {"pgx", {"pgx"}, KST_FORMAT_RAW, pgx_detect, pgx_read, pgx_write, NULL, NULL};
