/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the headers of PBM, PGM, PPM and PAM files. */
#include "files/pnm/pnm.h"

#include <string.h>

static bool is_space(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static void skip_line(const struct source *source, size_t *at)
{
    while (*at < source->length && source->data[*at] != '\n' && source->data[*at] != '\r')
        ++*at;
}

bool pnm_number(const struct source *source, size_t *at, uint32_t *number)
{
    uint64_t value = 0;
    size_t digits = 0;

    while (*at < source->length && (is_space(source->data[*at]) || source->data[*at] == '#')) {
        if (source->data[*at] == '#')
            skip_line(source, at);
        else
            ++*at;
    }
    for (; *at < source->length && source->data[*at] >= '0' && source->data[*at] <= '9'; ++*at, digits++) {
        value = value * 10 + (source->data[*at] - '0');
        if (value > UINT32_MAX)
            return false;
    }
    *number = (uint32_t)value;
    return digits > 0;
}

/* Return whether a line of a PAM header starts with this word, and find where its value begins. */
static bool line_starts(const struct source *source, size_t *at, const char *word)
{
    size_t length = strlen(word);

    if (source->length - *at <= length || memcmp(source->data + *at, word, length) != 0 ||
        !is_space(source->data[*at + length]))
        return false;
    *at += length;
    return true;
}

static bool read_tuple_type(const struct source *source, size_t *at, char type[32])
{
    size_t length = 0;

    while (*at < source->length && source->data[*at] == ' ')
        ++*at;
    for (; *at < source->length && !is_space(source->data[*at]); ++*at)
        if (length < 31)
            type[length++] = (char)source->data[*at];
    type[length] = '\0';
    return length > 0;
}

static bool read_pam_header(
    const struct source *source, size_t *at, struct pnm_header *header, char type[32], struct problem *problem)
{
    static const char *const names[] = {"WIDTH", "HEIGHT", "DEPTH", "MAXVAL"};
    uint32_t *const values[] = {&header->width, &header->height, &header->channels, &header->max};

    while (*at < source->length) {
        bool known = false;
        if (is_space(source->data[*at])) {
            ++*at;
            continue;
        }
        if (line_starts(source, at, "ENDHDR")) {
            ++*at;
            return true;
        }
        for (size_t i = 0; i < 4 && !known; i++) {
            if (!line_starts(source, at, names[i]))
                continue;
            known = true;
            if (!pnm_number(source, at, values[i]))
                return problem_set(problem, "the PAM header's %s is no number", names[i]);
        }
        if (!known && line_starts(source, at, "TUPLTYPE"))
            known = read_tuple_type(source, at, type);
        if (!known && source->data[*at] != '#')
            return problem_set(problem, "the PAM header has a line that is not understood (at byte %zu)", *at);
        skip_line(source, at);
    }
    return problem_set(problem, "the PAM header has no ENDHDR");
}

static bool set_pam_format(struct pnm_header *header, const char *type, struct problem *problem)
{
    static const kst_format by_channels[] = {
        KST_FORMAT_AUTO, KST_FORMAT_GREY, KST_FORMAT_RGBA, KST_FORMAT_RGB, KST_FORMAT_RGBA};

    if (header->channels < 1 || header->channels > 4)
        return problem_set(problem, "PAM with %u channels; 1 to 4 are read", (unsigned)header->channels);
    header->format = by_channels[header->channels];
    if (header->channels == 4 && strncmp(type, "CMYK", 4) == 0)
        header->format = KST_FORMAT_CMYK;
    return true;
}

bool pnm_header_read(const struct source *source, struct pnm_header *header, struct problem *problem)
{
    size_t at = 2;
    char type[32] = "";

    *header = (struct pnm_header){.kind = (char)source->data[1], .channels = 1, .max = 1, .format = KST_FORMAT_GREY};
    if (header->kind == '7') {
        if (!read_pam_header(source, &at, header, type, problem) || !set_pam_format(header, type, problem))
            return false;
    } else {
        bool bits = header->kind == '1' || header->kind == '4';
        if (!pnm_number(source, &at, &header->width) || !pnm_number(source, &at, &header->height) ||
            (!bits && !pnm_number(source, &at, &header->max)))
            return problem_set(problem, "the P%c header ends before its numbers do (at byte %zu)", header->kind, at);
        if (header->kind == '3' || header->kind == '6') {
            header->channels = 3;
            header->format = KST_FORMAT_RGB;
        }
        at += at < source->length;
    }
    if (header->max < 1 || header->max > 65535)
        return problem_set(problem, "a maximum of %u; 1 to 65535 are read", (unsigned)header->max);
    header->data = at;
    return true;
}
