/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes JSON from texts that may not be UTF-8, and prints it; lists of objects are printed object by object. */
#include "print/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/plain.h"

json_t *json_text(const char *text)
{
    static const char replacement[] = "\xEF\xBF\xBD";
    json_t *made = json_string(text);
    size_t used = 0;

    if (made != NULL)
        return made;
    char *plain = malloc(strlen(text) * 3 + 1);
    if (plain == NULL)
        return NULL;
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x80) {
            plain[used++] = *text;
        } else {
            memcpy(plain + used, replacement, 3);
            used += 3;
        }
    }
    plain[used] = '\0';
    made = json_string(plain);
    free(plain);
    return made;
}

int finish_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    complain("standard output", "cannot write: %s", strerror(errno));
    return EXIT_FAILED;
}

/* Receive text from Jansson, which passes whole characters and escapes only what JSON must not hold. */
static int put_plain(const char *text, size_t length, void *to)
{
    plain_put_json(to, text, length);
    return ferror((FILE *)to) ? -1 : 0;
}

int json_print(json_t *value, int code)
{
    int failed =
        value == NULL || json_dump_callback(value, put_plain, stdout, JSON_INDENT(2)) != 0 || putchar('\n') == EOF;

    json_decref(value);
    return finish_output(failed ? EXIT_FAILED : code);
}

/*
 * Print lines, all but the first indented by two more columns. Line feeds in strings are escaped, so each one ends a
 * line.
 */
static void put_lines(const char *text, size_t length)
{
    for (const char *end; (end = memchr(text, '\n', length)) != NULL; text = end + 1) {
        plain_put_json(stdout, text, (size_t)(end - text) + 1);
        fputs("  ", stdout);
        length -= (size_t)(end - text) + 1;
    }
    plain_put_json(stdout, text, length);
}

void json_list_open(struct json_list *list, json_t *object)
{
    char *text = object != NULL ? json_dumps(object, JSON_INDENT(2)) : NULL;
    size_t length = text != NULL ? strlen(text) : 0;

    fputs(list->begun ? ",\n  " : "[\n  ", stdout);
    list->begun = true;
    put_lines(text != NULL ? text : "{", length > 2 ? length - 2 : 1);
    free(text);
    json_decref(object);
}

void json_list_close(void)
{
    fputs("\n  }", stdout);
}

void json_list_add(struct json_list *list, json_t *object)
{
    json_list_open(list, object);
    json_list_close();
}

int json_list_end(struct json_list *list, int code)
{
    puts(list->begun ? "\n]" : "[]");
    return finish_output(code);
}
