/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats lines in a buffer. */
#include "print/lines.h"

#include <stdbool.h>

#include "print/plain.h"

enum { DIGITS = 20 /* of a 64-bit number */ };

void lines_flush(struct lines *lines)
{
    fwrite(lines->text, 1, lines->used, lines->to);
    lines->used = 0;
}

void lines_overflow(struct lines *lines, const char *text, size_t length)
{
    lines_flush(lines);
    if (length <= sizeof lines->text)
        lines_add(lines, text, length);
    else
        fwrite(text, 1, length, lines->to);
}

void lines_spaces(struct lines *lines, size_t count)
{
    static const char spaces[] = "                                ";

    for (size_t part; count > 0; count -= part) {
        part = count < sizeof spaces - 1 ? count : sizeof spaces - 1;
        lines_add(lines, spaces, part);
    }
}

void lines_number(struct lines *lines, uint64_t number, size_t width)
{
    char digits[DIGITS];
    size_t from = DIGITS;

    do {
        digits[--from] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    if (DIGITS - from < width)
        lines_spaces(lines, width - (DIGITS - from));
    lines_add(lines, digits + from, DIGITS - from);
}

/* Return whether the text is printable ASCII without these two characters. */
static bool is_simple(const char *text, size_t length, char first, char second)
{
    size_t at = 0;

    while (at < length && text[at] >= ' ' && text[at] < 0x7F && text[at] != first && text[at] != second)
        at++;
    return at == length;
}

void lines_plain(struct lines *lines, const char *text)
{
    size_t length = strlen(text);

    if (is_simple(text, length, '\0', '\0')) {
        lines_add(lines, text, length);
        return;
    }
    lines_flush(lines);
    plain_put(lines->to, text, length);
}

static bool is_utf8(const char *text, size_t length)
{
    for (size_t bytes; length > 0; text += bytes, length -= bytes)
        if (plain_character(text, length, &bytes) == PLAIN_INVALID)
            return false;
    return true;
}

static void put_hexadecimal(struct lines *lines, uint32_t number)
{
    char digits[6] = "\\u";

    for (uint32_t i = 0; i < 4; i++)
        digits[2 + i] = "0123456789ABCDEF"[number >> (12 - 4 * i) & 15];
    lines_add(lines, digits, sizeof digits);
}

/* Put an escape for an ASCII character that strings of JSON must not contain (RFC 8259, 7). */
static void put_escape(struct lines *lines, char character)
{
    static const char letters[] = "btn.fr"; /* for characters 8 to 13 */
    char escape[2] = {'\\', character};

    if (character >= '\b' && character <= '\r' && character != '\v')
        escape[1] = letters[character - '\b'];
    else if (character < ' ' || character == 0x7F) {
        put_hexadecimal(lines, (uint32_t)character);
        return;
    }
    lines_add(lines, escape, sizeof escape);
}

static void put_characters(struct lines *lines, const char *text, size_t length)
{
    for (size_t bytes; length > 0; text += bytes, length -= bytes) {
        uint32_t character = plain_character(text, length, &bytes);
        if (character < 0x80 && !is_simple(text, 1, '"', '\\'))
            put_escape(lines, *text);
        else if (plain_is_control(character))
            put_hexadecimal(lines, character);
        else
            lines_add(lines, text, bytes);
    }
}

void lines_json(struct lines *lines, const char *text, size_t length)
{
    bool simple = is_simple(text, length, '"', '\\');

    if (!simple && !is_utf8(text, length)) {
        lines_put(lines, "null");
        return;
    }
    lines_put(lines, "\"");
    if (simple)
        lines_add(lines, text, length);
    else
        put_characters(lines, text, length);
    lines_put(lines, "\"");
}
