/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints JSON on standard output. */
#ifndef KOSTKA_TOOL_JSON_H
#define KOSTKA_TOOL_JSON_H

#include <stdbool.h>

#include "print/json_library.h"

/* Make a string; bytes that are not UTF-8 become U+FFFD, so that every file name can be shown. */
json_t *json_text(const char *text);

/* Print a value and release it. Returns EXIT_FAILED if standard output cannot be written, otherwise `code`. */
int json_print(json_t *value, int code);

/*
 * Prints an array of objects on standard output. Each object is printed and released as soon as it is added, so a long
 * array needs no memory.
 */
struct json_list {
    bool begun;
};

void json_list_add(struct json_list *list, json_t *object);

/* Add an object without closing it. Further members may be printed then; json_list_close() must follow. */
void json_list_open(struct json_list *list, json_t *object);
void json_list_close(void);

/* End the array. Returns what json_print() returns. */
int json_list_end(struct json_list *list, int code);

/* Flush standard output. If that fails, prints a message and returns EXIT_FAILED, otherwise `code`. */
int finish_output(int code);

#endif
