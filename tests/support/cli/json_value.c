/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that standard input is one JSON text, and prints the value to which the keys and indices in the arguments
 * lead.
 */
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *root = json_loadf(stdin, 0, &error);
    const json_t *value = root;

    if (root == NULL) {
        fprintf(stderr, "json_value: line %d: %s\n", error.line, error.text);
        return 1;
    }
    for (int i = 1; i < argc; i++)
        value =
            json_is_array(value) ? json_array_get(value, strtoul(argv[i], NULL, 10)) : json_object_get(value, argv[i]);
    if (value == NULL) {
        fputs("json_value: no such value\n", stderr);
        json_decref(root);
        return 1;
    }
    if (json_is_string(value))
        puts(json_string_value(value));
    else if (argc > 1 && json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_COMPACT) == 0)
        putchar('\n');
    json_decref(root);
    return 0;
}
