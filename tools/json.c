/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain.h"

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

/* Jansson hands over whole characters, and only escapes what JSON must not hold. */
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
