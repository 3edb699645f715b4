/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libjansson when JSON is first written or read: most processes need none. */
#ifndef KOSTKA_TOOL_JSON_LIBRARY_H
#define KOSTKA_TOOL_JSON_LIBRARY_H

#include <jansson.h>

#include "system/library.h"

#define JSON_FUNCTIONS(X)                                                                                              \
    X(json_array)                                                                                                      \
    X(json_array_append_new)                                                                                           \
    X(json_array_get)                                                                                                  \
    X(json_array_size)                                                                                                 \
    X(json_delete)                                                                                                     \
    X(json_dump_callback)                                                                                              \
    X(json_dumps)                                                                                                      \
    X(json_false)                                                                                                      \
    X(json_integer)                                                                                                    \
    X(json_integer_value)                                                                                              \
    X(json_loadb)                                                                                                      \
    X(json_null)                                                                                                       \
    X(json_number_value)                                                                                               \
    X(json_object)                                                                                                     \
    X(json_object_get)                                                                                                 \
    X(json_object_iter)                                                                                                \
    X(json_object_iter_key)                                                                                            \
    X(json_object_iter_next)                                                                                           \
    X(json_object_iter_value)                                                                                          \
    X(json_object_set_new)                                                                                             \
    X(json_object_update)                                                                                              \
    X(json_real)                                                                                                       \
    X(json_string)                                                                                                     \
    X(json_string_value)                                                                                               \
    X(json_stringn)                                                                                                    \
    X(json_true)                                                                                                       \
    X(json_vpack_ex)

/* Load the library. This must be called before any function of jansson.h. */
bool json_library_load(struct problem *problem);

#endif
