/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares filters: entries of a table, with parameters and functions. */
#ifndef KOSTKA_FILTERS_FILTER_H
#define KOSTKA_FILTERS_FILTER_H

#include <kostka/kostka_filter.h>

#include "core/operation.h"

enum { FILTER_PARAMETERS_MAX = 16, FILTER_STEPS_MAX = 32, FILTER_REASON = 160 };

/*
 * Holds the value of a parameter: a number (in thousandths for KST_FILTER_DECIMAL), the index of a word, or the two
 * sides of a size.
 */
struct filter_value {
    int32_t number; /* the width of a size; 0: none */
    int32_t height;
    int64_t real;     /* KST_FILTER_REAL: thousand-millionths */
    const char *text; /* a path, without a zero byte behind it; valid only while the chain is opened */
    size_t length;
};

/* Holds the parts of an image's description that a filter may change. */
struct filter_shape {
    kst_format format; /* GREY, RGB, BGR, RGBA or BGRA */
    uint32_t width, height;
    uint32_t depth; /* 1–16 */
};

/* Holds pixels in host memory. */
struct filter_pixels {
    uint8_t *data; /* the first row */
    ptrdiff_t pitch;
    uint32_t width, height;
    uint32_t channels; /* samples of a pixel */
    uint32_t colours;  /* samples of a pixel that are not alpha; these come first */
    bool reversed;     /* the colours lie as B, G, R */
    uint32_t bytes;    /* bytes of a sample, 1 or 2 */
    uint32_t greatest; /* the greatest value of a sample */
};

/* Describes one application of a filter. */
struct filter_work {
    kst_context *context;
    const struct operation *operation;
    const struct filter_value *value; /* the value of each parameter */
    const void *data;                 /* the data that filter_data.open made */
    const struct filter_pixels *from, *to;
    const kst_image *source, *target; /* the same pixels as images */
};

struct filter_kind {
    const char *name;
    const char *summary;
    kst_filter_parameter parameter[FILTER_PARAMETERS_MAX]; /* the last parameter is followed by one without a name */
    /* Check whether the values fit together, and write the reason on failure. Null: any values do. */
    bool (*check)(const struct filter_value *value, char reason[FILTER_REASON]);
    /* Change the source's shape to the result's, and write the reason on failure. Null: the shape stays. */
    kst_status (*shape)(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON]);
    /* Write all samples of work->to. */
    kst_status (*run)(const struct filter_work *work);
};

/* Holds the functions for data that a filter keeps while its chain is open: the contents of a file, or tables. */
struct filter_data {
    /* Make the data when the chain is opened, and write the reason on failure. *data is closed after a failure, too. */
    kst_status (*open)(
        struct memory *memory, const struct filter_value *value, void **data, char reason[FILTER_REASON]);
    void (*close)(struct memory *memory, void *data);
};

/* Return the functions for a filter's data; null if it has none. */
const struct filter_data *kst_filter_data_of(const struct filter_kind *kind);

/* Return the array of all filters; *count receives their number. */
const struct filter_kind *const *kst_filter_kinds(uint32_t *count);

uint32_t kst_filter_parameter_count(const struct filter_kind *kind);

static inline uint8_t *kst_filter_row(const struct filter_pixels *pixels, uint32_t y)
{
    return pixels->data + (ptrdiff_t)y * pixels->pitch;
}

/* Return the index of the row or column nearest to one that may lie outside the image. */
static inline uint32_t kst_filter_nearest(int64_t index, uint32_t count)
{
    return index < 0 ? 0 : index >= (int64_t)count ? count - 1 : (uint32_t)index;
}

static inline size_t kst_filter_row_samples(const struct filter_pixels *pixels)
{
    return (size_t)pixels->width * pixels->channels;
}

#endif
