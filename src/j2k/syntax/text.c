/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats numbers and words without the C library, because listing elements does it a million times. */
#include "j2k/syntax/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { DIGITS = 20 /* most digits of a 64-bit number */ };

static void put(struct j2k_text *line, const char *bytes, size_t length)
{
    size_t left = line->room - line->length - 1;
    if (length > left)
        length = left;
    memcpy(line->text + line->length, bytes, length);
    line->length += length;
}

static void put_number(struct j2k_text *line, uint64_t number)
{
    char digits[DIGITS];
    size_t from = DIGITS;
    do {
        digits[--from] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put(line, digits + from, DIGITS - from);
}

static void put_hexadecimal(struct j2k_text *line, uint32_t number, size_t least)
{
    char digits[DIGITS];
    size_t from = DIGITS;
    do {
        digits[--from] = "0123456789ABCDEF"[number & 15];
        number >>= 4;
    } while (number > 0 || DIGITS - from < least);
    put(line, digits + from, DIGITS - from);
}

static void put_signed(struct j2k_text *line, int number)
{
    if (number < 0)
        put(line, "-", 1);
    put_number(line, number < 0 ? 0U - (uint32_t)number : (uint32_t)number);
}

static void put_words(struct j2k_text *line, const char *words)
{
    put(line, words, strlen(words));
}

/* Format the argument of a conversion, which is given without its %. Returns the conversion's length. */
static size_t put_converted(struct j2k_text *line, const char *conversion, va_list *arguments)
{
    size_t at = 0, least = 0;
    if (conversion[0] == 'z' || conversion[0] == 'l') { /* zu, llu */
        bool size = conversion[0] == 'z';
        put_number(line, size ? va_arg(*arguments, size_t) : va_arg(*arguments, unsigned long long));
        return size ? 2 : 3;
    }
    while (conversion[at] >= '0' && conversion[at] <= '9') /* 0 and the least number of digits, at most 8 */
        least = (size_t)(conversion[at++] - '0');
    if (conversion[at] == 'u')
        put_number(line, va_arg(*arguments, unsigned));
    else if (conversion[at] == 'X')
        put_hexadecimal(line, va_arg(*arguments, unsigned), least);
    else if (conversion[at] == 's')
        put_words(line, va_arg(*arguments, const char *));
    else if (conversion[at] == 'd')
        put_signed(line, va_arg(*arguments, int));
    else
        put(line, &(char){(char)va_arg(*arguments, int)}, 1);
    return at + 1;
}

void kst_j2k_text_add(struct j2k_text *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    while (*format != '\0') {
        size_t plain = 0;
        while (format[plain] != '%' && format[plain] != '\0')
            plain++;
        put(line, format, plain);
        format += plain;
        if (*format == '%')
            format += 1 + put_converted(line, format + 1, &arguments);
    }
    va_end(arguments);
    line->text[line->length] = '\0';
}
