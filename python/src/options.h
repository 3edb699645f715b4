/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads keyword arguments by tables: each option has a reader, and every error about a value names its option. */
#ifndef KOSTKA_PYTHON_OPTIONS_H
#define KOSTKA_PYTHON_OPTIONS_H

#include "kostka_python.h"

/* Says which codecs an option applies to, or-ed together. */
enum { FOR_JPEG = 1, FOR_JPEG2000 = 2, FOR_ALL = 3 };

struct option {
    const char *name; /* null: the last */
    /* Reads `value` to `to`, which is `offset` bytes into the settings. Returns false with an exception. */
    bool (*read)(const struct option *option, PyObject *value, void *to);
    size_t offset;
    const void *detail; /* what the reader needs: names, a range … */
    int codecs;
};

enum { OPTIONS_MAX = 64 };

/*
 * A set of options of a table, with a bit for each index: those that were passed with a value other than None, which
 * stands for the default.
 */
typedef uint64_t option_set;

/*
 * Read the arguments of `function`: options, and one argument called `first`, by position or by name. *value borrows
 * the latter. Returns false with an exception.
 */
bool kst_py_arguments(const char *function, const char *first, PyObject *args, PyObject *keywords, PyObject **value,
    const struct option *table, void *settings, option_set *given);

/* Read a dictionary of options; exceptions call it `what`. */
bool kst_py_options(
    const char *what, PyObject *dictionary, const struct option *table, void *settings, option_set *given);

bool kst_py_option_given(const struct option *table, option_set given, const char *name);

/* Check that the passed options apply to a codec, FOR_JPEG or FOR_JPEG2000. Returns false with a ValueError if not. */
bool kst_py_options_fit(const struct option *table, option_set given, int codec);

/* ── Readers; behind each: what it takes from `detail`, if anything, and the type that it writes ── */

struct range {
    long long low, high;
};

bool kst_py_read_word(const struct option *option, PyObject *value, void *to);     /* struct name[]: int */
bool kst_py_read_words(const struct option *option, PyObject *value, void *to);    /* struct name[], or-ed: uint32_t */
bool kst_py_read_flag(const struct option *option, PyObject *value, void *to);     /* bool */
bool kst_py_read_choice(const struct option *option, PyObject *value, void *to);   /* kst_choice */
bool kst_py_read_int(const struct option *option, PyObject *value, void *to);      /* int */
bool kst_py_read_count(const struct option *option, PyObject *value, void *to);    /* struct range: uint32_t */
bool kst_py_read_byte(const struct option *option, PyObject *value, void *to);     /* uint8_t */
bool kst_py_read_positive(const struct option *option, PyObject *value, void *to); /* double */
bool kst_py_read_size(const struct option *option, PyObject *value, void *to);     /* a number or two: uint32_t[2] */
bool kst_py_read_points(const struct option *option, PyObject *value, void *to);   /* kst_code_points */
bool kst_py_read_region(const struct option *option, PyObject *value, void *to);   /* kst_region */
bool kst_py_read_object(const struct option *option, PyObject *value, void *to);   /* PyObject *, borrowed */
bool kst_py_read_skipped(
    const struct option *option, PyObject *value, void *to); /* nothing, because it was read earlier */
bool kst_py_read_text(
    const struct option *option, PyObject *value, void *to); /* const char *, valid as long as the value */

/* Holds a list of numbers in ascending order; the caller frees `number` with PyMem_Free(). */
struct numbers {
    uint32_t *number;
    uint32_t count;
};
bool kst_py_read_numbers(const struct option *option, PyObject *value, void *to); /* struct numbers */

/*
 * Combine the options coding, progressive and optimize; `coding` holds what the first one says. Returns false with a
 * ValueError if they contradict each other.
 */
bool kst_py_coding(const struct option *table, option_set given, bool progressive, bool optimize, kst_coding *coding);

/* Read a whole number within a range. Returns false with an exception that names `what`. */
bool kst_py_integer(PyObject *value, const char *what, long long low, long long high, long long *number);

/* Read a positive, finite number. Returns false with an exception that names `what`. */
bool kst_py_positive(PyObject *value, const char *what, double *number);

#endif
