/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON on standard output. */
#ifndef KOSTKA_TOOL_JSON_H
#define KOSTKA_TOOL_JSON_H

#include <stdbool.h>

#include <jansson.h>

#include "tool.h"

/* A string; bytes that are not UTF-8 become U+FFFD, so that every file name can be shown. */
json_t *json_text(const char *text);

/* Print and release. Gives EXIT_FAILED where standard output cannot be written, else `code`. */
int json_print(json_t *value, int code);

/* A string to standard output, in quotes and as json_text() makes it. */
void json_put_text(const char *text);

/*
 * An array of objects on standard output, each of which is written when it is there and released. Of a long one nothing
 * is kept in memory.
 */
struct json_list {
    bool begun;
};

void json_list_add(struct json_list *list, json_t *object);

/* The same, but for its end: another member may follow, and then json_list_close(). */
void json_list_open(struct json_list *list, json_t *object);
void json_list_close(void);

/* The end of the array. Gives what json_print() gives. */
int json_list_end(struct json_list *list, int code);

/* Flush standard output; EXIT_FAILED, said on standard error, where that fails, else `code`. */
int finish_output(int code);

#endif
