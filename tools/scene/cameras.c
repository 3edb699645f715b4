/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads lists of pictures with the cameras that took them. */
#include "scene/cameras.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/files.h"
#include "print/json_library.h"

enum { NUMBERS = 21, OF_MATRIX = 9, OF_SHIFT = 3, LENGTH_MAX = 1 << 24 };

/* Append a view. The numbers are the elements of K, R and t. */
static bool add(struct cameras *cameras, const char *list, const char *name, size_t length, const double *number,
    struct problem *problem)
{
    const char *slash = strrchr(list, '/');
    const int folder = name[0] != '/' && slash != NULL ? (int)(slash + 1 - list) : 0;
    struct camera_view *grown = realloc(cameras->view, (cameras->count + 1) * sizeof *grown);

    if (grown == NULL)
        return problem_set(problem, "%s", kst_status_text(KST_ERROR_MEMORY));
    cameras->view = grown;
    struct camera_view *view = &grown[cameras->count];
    view->name = strndup(name, length);
    if (asprintf(&view->path, "%.*s%.*s", folder, list, (int)length, name) < 0)
        view->path = NULL;
    memcpy(view->camera.k, number, sizeof view->camera.k);
    memcpy(view->camera.r, number + OF_MATRIX, sizeof view->camera.r);
    memcpy(view->camera.t, number + 2 * OF_MATRIX, sizeof view->camera.t);
    cameras->count++;
    return (view->name != NULL && view->path != NULL) || problem_set(problem, "%s", kst_status_text(KST_ERROR_MEMORY));
}

/* Read the next number of a text that ends with a zero byte. */
static bool next_number(const char **text, double *number)
{
    char *end;

    *number = strtod(*text, &end);
    if (end == *text)
        return false;
    *text = end;
    return true;
}

static bool read_text(struct cameras *cameras, const char *list, const char *text, struct problem *problem)
{
    double count = 0;

    if (!next_number(&text, &count) || !(count >= 1 && count <= CAMERAS_MOST) || count != (double)(int)count)
        return problem_set(problem, "the list begins with the number of cameras, 1 to %d", CAMERAS_MOST);
    for (int i = 0; i < (int)count; i++) {
        double number[NUMBERS];
        text += strspn(text, " \t\r\n");
        const char *name = text;
        const size_t length = strcspn(text, " \t\r\n");
        text += length;
        for (int k = 0; k < NUMBERS; k++)
            if (length == 0 || !next_number(&text, &number[k]))
                return problem_set(problem, "camera %d needs a name and 21 numbers: K, R and t", i + 1);
        if (!add(cameras, list, name, length, number, problem))
            return false;
    }
    return text[strspn(text, " \t\r\n")] == '\0' ||
           problem_set(problem, "there is more in the list than %d cameras", (int)count);
}

static bool read_numbers(const json_t *array, size_t count, double *number)
{
    if (!json_is_array(array) || json_array_size(array) != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_number(value))
            return false;
        number[i] = json_number_value(value);
    }
    return true;
}

static bool read_entries(struct cameras *cameras, const char *list, const json_t *array, struct problem *problem)
{
    if (!json_is_array(array) || json_array_size(array) == 0 || json_array_size(array) > CAMERAS_MOST)
        return problem_set(problem, "the list needs \"cameras\", an array of 1 to %d of them", CAMERAS_MOST);
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *entry = json_array_get(array, i);
        const char *name = json_string_value(json_object_get(entry, "file"));
        double number[NUMBERS];
        if (name == NULL || name[0] == '\0' || !read_numbers(json_object_get(entry, "k"), OF_MATRIX, number) ||
            !read_numbers(json_object_get(entry, "r"), OF_MATRIX, number + OF_MATRIX) ||
            !read_numbers(json_object_get(entry, "t"), OF_SHIFT, number + 2 * (ptrdiff_t)OF_MATRIX))
            return problem_set(problem,
                "camera %zu needs \"file\", a name, \"k\" and \"r\", arrays of 9 numbers, and \"t\", one of 3", i + 1);
        if (!add(cameras, list, name, strlen(name), number, problem))
            return false;
    }
    return true;
}

static bool read_json(
    struct cameras *cameras, const char *list, const char *text, size_t length, struct problem *problem)
{
    json_error_t error;

    if (!json_library_load(problem))
        return false;
    json_t *root = json_loadb(text, length, 0, &error);
    if (root == NULL)
        return problem_set(problem, "line %d, column %d: %s", error.line, error.column, error.text);
    bool good = read_entries(cameras, list, json_object_get(root, "cameras"), problem);
    json_decref(root);
    return good;
}

bool cameras_read(struct cameras *cameras, const char *path, struct problem *problem)
{
    struct source source;

    *cameras = (struct cameras){NULL, 0};
    if (!source_read(&source, path, LENGTH_MAX, problem))
        return false;
    char *text = strndup((const char *)source.data, source.length);
    bool good = text != NULL || problem_set(problem, "%s", kst_status_text(KST_ERROR_MEMORY));
    if (good && strlen(text) != source.length)
        good = problem_set(problem, "there is a zero byte at %zu of the list, which is a text", strlen(text));
    if (good && text[strspn(text, " \t\r\n")] == '{')
        good = read_json(cameras, path, text, source.length, problem);
    else if (good)
        good = read_text(cameras, path, text, problem);
    free(text);
    source_release(&source);
    return good;
}

void cameras_release(struct cameras *cameras)
{
    for (size_t i = 0; i < cameras->count; i++) {
        free(cameras->view[i].name);
        free(cameras->view[i].path);
    }
    free(cameras->view);
    *cameras = (struct cameras){NULL, 0};
}
