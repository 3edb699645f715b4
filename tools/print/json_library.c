/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the functions of jansson.h, which call the library that was loaded. Unlike with other libraries these are
 * functions instead of macros, because inline functions of that header call them by their names.
 */
#include "print/json_library.h"

#include <stdarg.h>

static struct json_library {
    JSON_FUNCTIONS(LIBRARY_POINTER)
} library;

bool json_library_load(struct problem *problem)
{
    static const char *const files[] = {KOSTKA_JSON_LIBRARY, NULL};
    static const char *const names[] = {JSON_FUNCTIONS(LIBRARY_NAME)};
    struct problem failure = {.text = ""};

    _Static_assert(sizeof library == sizeof names, "a pointer for each name");
    return library_load(files, names, sizeof names / sizeof *names, &library, &failure) ||
           problem_set(problem, "JSON cannot be read or written: %s", failure.text);
}

json_t *json_array(void)
{
    return library.json_array_();
}

int json_array_append_new(json_t *array, json_t *value)
{
    return library.json_array_append_new_(array, value);
}

json_t *json_array_get(const json_t *array, size_t index)
{
    return library.json_array_get_(array, index);
}

size_t json_array_size(const json_t *array)
{
    return library.json_array_size_(array);
}

void json_delete(json_t *json)
{
    library.json_delete_(json);
}

int json_dump_callback(const json_t *json, json_dump_callback_t callback, void *data, size_t flags)
{
    return library.json_dump_callback_(json, callback, data, flags);
}

char *json_dumps(const json_t *json, size_t flags)
{
    return library.json_dumps_(json, flags);
}

json_t *json_false(void)
{
    return library.json_false_();
}

json_t *json_integer(json_int_t value)
{
    return library.json_integer_(value);
}

json_int_t json_integer_value(const json_t *integer)
{
    return library.json_integer_value_(integer);
}

json_t *json_loadb(const char *buffer, size_t buflen, size_t flags, json_error_t *error)
{
    return library.json_loadb_(buffer, buflen, flags, error);
}

json_t *json_null(void)
{
    return library.json_null_();
}

double json_number_value(const json_t *json)
{
    return library.json_number_value_(json);
}

json_t *json_object(void)
{
    return library.json_object_();
}

json_t *json_object_get(const json_t *object, const char *key)
{
    return library.json_object_get_(object, key);
}

void *json_object_iter(json_t *object)
{
    return library.json_object_iter_(object);
}

const char *json_object_iter_key(void *iter)
{
    return library.json_object_iter_key_(iter);
}

void *json_object_iter_next(json_t *object, void *iter)
{
    return library.json_object_iter_next_(object, iter);
}

json_t *json_object_iter_value(void *iter)
{
    return library.json_object_iter_value_(iter);
}

int json_object_set_new(json_t *object, const char *key, json_t *value)
{
    return library.json_object_set_new_(object, key, value);
}

int json_object_update(json_t *object, json_t *other)
{
    return library.json_object_update_(object, other);
}

json_t *json_pack(const char *fmt, ...)
{
    va_list arguments;
    va_start(arguments, fmt);
    json_t *made = library.json_vpack_ex_(NULL, 0, fmt, arguments);
    va_end(arguments);
    return made;
}

json_t *json_real(double value)
{
    return library.json_real_(value);
}

json_t *json_string(const char *value)
{
    return library.json_string_(value);
}

const char *json_string_value(const json_t *string)
{
    return library.json_string_value_(string);
}

json_t *json_stringn(const char *value, size_t length)
{
    return library.json_stringn_(value, length);
}

json_t *json_true(void)
{
    return library.json_true_();
}
