/* SPDX-License-Identifier: BSD-2-Clause */
/* Escapes characters that could control a terminal. */
#include "print/plain.h"

#include <string.h>

enum { ESCAPE = 8 /* room for the longest escape and its terminating zero */ };

/*
 * Return the first character of UTF-8 text, and the number of its bytes, which is 0 if it is not well-formed (RFC
 * 3629).
 */
static uint32_t read_character(const uint8_t *text, size_t length, size_t *bytes)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t first = text[0];
    size_t count = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    uint32_t character = count == 1 ? first : first & (0x7Fu >> count);

    *bytes = 0;
    if ((first >= 0x80 && first < 0xC0) || first > 0xF4 || count > length)
        return 0;
    for (size_t i = 1; i < count; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        character = character << 6 | (text[i] & 0x3F);
    }
    if (character < least[count] || character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
        return 0;
    *bytes = count;
    return character;
}

/*
 * Return whether a character is a line or paragraph separator, or changes the writing direction (mark, embedding,
 * override or isolate).
 */
static bool turns_text(uint32_t c)
{
    return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

static bool is_late_control(uint32_t c)
{
    return c >= 0x7F && c < 0xA0;
}

bool plain_is_control(uint32_t character)
{
    return character < 0x20 || is_late_control(character) || turns_text(character);
}

uint32_t plain_character(const char *text, size_t length, size_t *bytes)
{
    uint32_t character = read_character((const uint8_t *)text, length, bytes);

    if (*bytes > 0)
        return character;
    *bytes = 1;
    return PLAIN_INVALID;
}

/* Write \xHH or \uHHHH. This is done by hand, because a file may consist of such characters. */
static void write_escape(char made[ESCAPE], char letter, uint32_t number, uint32_t digits)
{
    char *to = made;

    *to++ = '\\';
    *to++ = letter;
    while (digits-- > 0)
        *to++ = "0123456789ABCDEF"[number >> 4 * digits & 15];
    *to = '\0';
}

/*
 * Write an escape for the character at the beginning of text. Returns the number of bytes that it replaces; 0 if the
 * character needs no escape.
 */
static size_t escape(const uint8_t *text, size_t length, char made[ESCAPE])
{
    static const char letters[] = "tn..r";
    size_t bytes;
    uint32_t character = read_character(text, length, &bytes);

    if (bytes == 0) {
        /* Bytes below 0xA0 are C1 controls to an 8-bit terminal, and invalid to a UTF-8 terminal. */
        bool control = text[0] < 0xA0;
        write_escape(made, 'x', text[0], 2);
        return control ? 1 : 0;
    }
    if (character == '\t' || character == '\n' || character == '\r')
        write_escape(made, letters[character - '\t'], 0, 0);
    else if (character < 0x20 || is_late_control(character))
        write_escape(made, 'x', character, 2);
    else if (turns_text(character))
        write_escape(made, 'u', character, 4);
    else
        return 0;
    return bytes;
}

/* Return the number of printable ASCII characters at the start; most text consists of them. */
static size_t printable_run(const uint8_t *text, size_t length)
{
    size_t run = 0;

    while (run < length && text[run] >= 0x20 && text[run] < 0x7F)
        run++;
    return run;
}

/* Return how many bytes at the start may stay as they are. The bytes of a character stay together. */
static size_t plain_run(const uint8_t *text, size_t length, char made[ESCAPE], size_t *escaped)
{
    size_t run = printable_run(text, length);

    *escaped = 0;
    while (run < length && (*escaped = escape(text + run, length - run, made)) == 0) {
        size_t bytes;
        read_character(text + run, length - run, &bytes);
        run += bytes > 0 ? bytes : 1;
        run += printable_run(text + run, length - run);
    }
    return run;
}

void plain_put(FILE *to, const char *text, size_t length)
{
    char made[ESCAPE];
    size_t escaped;

    for (size_t run; length > 0; text += run + escaped, length -= run + escaped) {
        run = plain_run((const uint8_t *)text, length, made, &escaped);
        fwrite(text, 1, run, to);
        if (escaped > 0)
            fputs(made, to);
    }
}

void plain_puts(FILE *to, const char *text)
{
    plain_put(to, text, strlen(text));
}

/* Return how many bytes at the start may stay in JSON; *character is the character behind them, *bytes its length. */
static size_t json_run(const uint8_t *text, size_t length, uint32_t *character, size_t *bytes)
{
    size_t run = 0;

    *character = 0;
    for (*bytes = 0; run<length; run += *bytes> 0 ? *bytes : 1) {
        *character = read_character(text + run, length - run, bytes);
        if (is_late_control(*character) || turns_text(*character))
            return run;
    }
    *bytes = 0;
    return run;
}

void plain_put_json(FILE *to, const char *text, size_t length)
{
    uint32_t character;
    size_t bytes;

    for (size_t run; length > 0; text += run + bytes, length -= run + bytes) {
        run = json_run((const uint8_t *)text, length, &character, &bytes);
        fwrite(text, 1, run, to);
        if (bytes > 0)
            fprintf(to, "\\u%04X", (unsigned)character);
    }
}
