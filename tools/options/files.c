/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads text files that options name: scan scripts and quantisation tables in the form of cjpeg and jpegtran. */
#include <stdlib.h>

#include "options/options.h"

enum { SCANS_MAX = 1000, SCRIPT_BYTES_MAX = 1 << 20 };

/* Describes a reader of numbers and punctuation; "#" begins a comment up to the end of the line. */
struct text {
    const struct source *source;
    size_t at;
};

static int peek(struct text *text)
{
    const struct source *source = text->source;

    while (text->at < source->length) {
        uint8_t byte = source->data[text->at];
        if (byte == '#')
            while (text->at < source->length && source->data[text->at] != '\n')
                text->at++;
        else if (byte == ' ' || (byte >= '\t' && byte <= '\r'))
            text->at++;
        else
            return byte;
    }
    return -1;
}

static size_t line_number(const struct text *text)
{
    size_t line = 1;

    for (size_t i = 0; i < text->at; i++)
        line += text->source->data[i] == '\n';
    return line;
}

static bool take(struct text *text, int character)
{
    if (peek(text) != character)
        return false;
    text->at++;
    return true;
}

static bool take_number(struct text *text, uint32_t high, uint32_t *number)
{
    int character = peek(text);

    if (character < '0' || character > '9')
        return false;
    *number = 0;
    while (
        text->at < text->source->length && text->source->data[text->at] >= '0' && text->source->data[text->at] <= '9') {
        *number = *number * 10 + (uint32_t)(text->source->data[text->at++] - '0');
        if (*number > high)
            return false;
    }
    return true;
}

static bool take_byte(struct text *text, uint8_t *byte)
{
    uint32_t number;

    if (!take_number(text, 255, &number))
        return false;
    *byte = (uint8_t)number;
    return true;
}

/*
 * Read a scan such as "0,1,2: 0-63, 0, 0;" or, for all coefficients at full precision, "0;". The library checks what
 * the numbers mean.
 */
static bool take_scan(struct text *text, kst_scan *scan)
{
    *scan = (kst_scan){.se = 63};
    do {
        if (scan->component_count == 4 || !take_byte(text, &scan->component[scan->component_count]))
            return false;
        scan->component_count++;
        take(text, ',');
    } while (peek(text) >= '0' && peek(text) <= '9');
    if (take(text, ':')) {
        if (!take_byte(text, &scan->ss))
            return false;
        take(text, '-');
        if (!take_byte(text, &scan->se))
            return false;
        take(text, ',');
        if (!take_byte(text, &scan->ah))
            return false;
        take(text, ',');
        if (!take_byte(text, &scan->al))
            return false;
    }
    return take(text, ';') || peek(text) < 0;
}

static bool parse_script(const struct source *source, kst_scan **script, size_t *length, struct problem *problem)
{
    struct text text = {source, 0};

    *length = 0;
    *script = malloc(SCANS_MAX * sizeof **script);
    if (*script == NULL)
        return problem_set(problem, "out of memory");
    while (peek(&text) >= 0) {
        if (*length == SCANS_MAX)
            return problem_set(problem, "more than %d scans", SCANS_MAX);
        if (!take_scan(&text, *script + *length))
            return problem_set(
                problem, "line %zu: a scan is written as COMPONENTS: FROM-TO, HIGH, LOW;", line_number(&text));
        ++*length;
    }
    return *length > 0 || problem_set(problem, "it names no scan");
}

static bool script_read(const char *path, kst_scan **script, size_t *length, struct problem *problem)
{
    struct source source;

    *script = NULL;
    if (!source_read(&source, path, OPTION_BYTES_MAX, problem))
        return false;
    bool good = source.length <= SCRIPT_BYTES_MAX ? parse_script(&source, script, length, problem)
                                                  : problem_set(problem, "too large for a scan script");
    source_release(&source);
    if (!good) {
        free(*script);
        *script = NULL;
    }
    return good;
}

bool value_script(const char *verb, const char *path, kst_scan **script, size_t *length)
{
    struct problem problem;

    free(*script);
    if (script_read(path, script, length, &problem))
        return true;
    complain_usage(verb, "--scans %s: %s", path, problem.text);
    return false;
}

static bool parse_tables(const struct source *source, uint16_t tables[4][64], size_t *count, struct problem *problem)
{
    struct text text = {source, 0};

    for (*count = 0; peek(&text) >= 0; ++*count) {
        if (*count == 4)
            return problem_set(problem, "more than four tables");
        for (size_t i = 0; i < 64; i++) {
            uint32_t number;
            if (!take_number(&text, 65535, &number) || number == 0)
                return problem_set(problem, "line %zu: a table is 64 numbers from 1 to 65535", line_number(&text));
            tables[*count][i] = (uint16_t)number;
        }
    }
    return *count > 0 || problem_set(problem, "it holds no table");
}

bool tables_read(const char *path, uint16_t tables[4][64], size_t *count, struct problem *problem)
{
    struct source source;

    if (!source_read(&source, path, OPTION_BYTES_MAX, problem))
        return false;
    bool good = parse_tables(&source, tables, count, problem);
    source_release(&source);
    return good;
}
