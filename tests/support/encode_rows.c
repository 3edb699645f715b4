/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes the rows of a picture to kst_encode_rows(), and lets them fail where a test wants that. */
#include "support/encode_rows.h"

#include <stdatomic.h>
#include <string.h>

#include "support/test.h"

struct row_source {
    const kst_image *image;
    uint32_t most;
    atomic_uint count; /* rows passed so far */
    uint32_t next;     /* for rows in order: the next row */
    uint32_t again;    /* number of times that the rows began again */
};

static bool bring(void *user, uint32_t index, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    struct row_source *source = user;
    const kst_plane *plane = &source->image->plane[index];
    uint32_t channels = kst_format_channels(source->image->format);
    size_t pixel = (size_t)(channels > 0 ? channels : 1) * (plane->depth > 8 ? 2 : 1);
    if (atomic_fetch_add(&source->count, 1) >= source->most)
        return false;
    assert_true(x + count <= plane->width && y < plane->height);
    memcpy(samples, (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch + x * pixel, count * pixel);
    return true;
}

static bool bring_next(void *user, uint32_t index, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    struct row_source *source = user;
    assert_true(index == 0 && x == 0 && y == source->next && count == source->image->width);
    source->next++;
    return bring(user, index, x, y, count, samples);
}

static bool begin_again(void *user)
{
    struct row_source *source = user;
    source->next = 0;
    source->again++;
    return true;
}

static kst_status encode(kst_context *context, struct row_source *source, const kst_rows *rows,
    const kst_encode_options *options, kst_buffer *output, kst_report *report)
{
    const kst_image *image = source->image;
    kst_image described = *image;
    atomic_init(&source->count, 0);
    *output = (kst_buffer){.data = NULL};
    for (uint32_t p = 0; p < image->plane_count; p++) {
        described.plane[p].data = NULL;
        described.plane[p].pitch = 77; /* must be ignored */
    }
    return kst_encode_rows(context, &described, rows, options, output, report);
}

kst_status encode_from_rows(kst_context *context, const kst_image *image, uint32_t most,
    const kst_encode_options *options, kst_buffer *output, kst_report *report)
{
    struct row_source source = {.image = image, .most = most};
    const kst_rows rows = {.size = sizeof rows, .read = bring, .user = &source};
    return encode(context, &source, &rows, options, output, report);
}

kst_status encode_from_rows_in_order(kst_context *context, const kst_image *image, uint32_t most,
    const kst_encode_options *options, kst_buffer *output, kst_report *report, uint32_t *again)
{
    struct row_source source = {.image = image, .most = most};
    const kst_rows rows = {
        .size = sizeof rows, .read = bring_next, .user = &source, .in_order = true, .again = begin_again};
    kst_status status = encode(context, &source, &rows, options, output, report);
    if (again)
        *again = source.again;
    return status;
}
