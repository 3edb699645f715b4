/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what a filter is: an entry of a table, with parameters and functions. */
#ifndef KOSTKA_FILTERS_FILTER_H
#define KOSTKA_FILTERS_FILTER_H

#include <kostka/kostka_filter.h>

#include "core/operation.h"

enum { FILTER_PARAMETERS_MAX = 16, FILTER_STEPS_MAX = 32, FILTER_REASON = 160 };

/*
 * Holds the value of a parameter: a number (thousandths of a decimal one), the index of a word, or two sides of a size.
 */
struct filter_value {
    int32_t number; /* the width of a size; 0: none */
    int32_t height;
    int64_t real;     /* thousand-millionths */
    const char *text; /* a path, without a zero byte behind it; only while the chain is opened */
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
    uint32_t colours;  /* those that are not alpha, which come first */
    bool reversed;     /* they lie as B, G, R */
    uint32_t bytes;    /* of a sample, 1 or 2 */
    uint32_t greatest; /* the greatest value of a sample */
};

/* Describes one application of a filter. */
struct filter_work {
    kst_context *context;
    const struct operation *operation;
    const struct filter_value *value; /* of each parameter */
    const void *data;                 /* what `open` has made of a file */
    const struct filter_pixels *from, *to;
    const kst_image *source, *target; /* the same as images */
};

struct filter_kind {
    const char *name;
    const char *summary;
    kst_filter_parameter parameter[FILTER_PARAMETERS_MAX]; /* the last one is followed by one without a name */
    /* Compare the values with each other. On failure write the reason. Null: any values go together. */
    bool (*check)(const struct filter_value *value, char reason[FILTER_REASON]);
    /* Change the source's shape to the result's. On failure write the reason. Null: nothing changes. */
    kst_status (*shape)(const struct filter_value *value, struct filter_shape *shape, char reason[FILTER_REASON]);
    /* Write all samples of work->to. */
    kst_status (*run)(const struct filter_work *work);
};

/* Says what is done with the file that a filter has as a parameter. */
struct filter_file {
    /* Read it when the chain is opened. *data is closed after a failure, too, whose reason is written. */
    kst_status (*open)(
        struct memory *memory, const struct filter_value *value, void **data, char reason[FILTER_REASON]);
    void (*close)(struct memory *memory, void *data);
};

/* Null: the filter has no file. */
const struct filter_file *kst_filter_file_of(const struct filter_kind *kind);

/* All filters; `count` of them. */
const struct filter_kind *const *kst_filter_kinds(uint32_t *count);

uint32_t kst_filter_parameter_count(const struct filter_kind *kind);

static inline uint8_t *kst_filter_row(const struct filter_pixels *pixels, uint32_t y)
{
    return pixels->data + (ptrdiff_t)y * pixels->pitch;
}

/* Return the index of the row or column nearest to one that may lie outside of the image. */
static inline uint32_t kst_filter_nearest(int64_t index, uint32_t count)
{
    return index < 0 ? 0 : index >= (int64_t)count ? count - 1 : (uint32_t)index;
}

static inline size_t kst_filter_row_samples(const struct filter_pixels *pixels)
{
    return (size_t)pixels->width * pixels->channels;
}

#endif
