/* SPDX-License-Identifier: BSD-2-Clause */
#include "brought.h"

#include <stdatomic.h>
#include <string.h>

#include "support.h"

struct brought {
    const kst_image *image;
    uint32_t most;
    atomic_uint count; /* so far */
    uint32_t next;     /* in order: the row to be asked for, */
    uint32_t again;    /* and how often that was the first one again */
};

static bool bring(void *user, uint32_t index, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    struct brought *brought = user;
    const kst_plane *plane = &brought->image->plane[index];
    uint32_t channels = kst_format_channels(brought->image->format);
    size_t pixel = (size_t)(channels > 0 ? channels : 1) * (plane->depth > 8 ? 2 : 1);
    if (atomic_fetch_add(&brought->count, 1) >= brought->most)
        return false;
    assert_true(x + count <= plane->width && y < plane->height);
    memcpy(samples, (const uint8_t *)plane->data + (ptrdiff_t)y * plane->pitch + x * pixel, count * pixel);
    return true;
}

static bool bring_next(void *user, uint32_t index, uint32_t x, uint32_t y, uint32_t count, void *samples)
{
    struct brought *brought = user;
    assert_true(index == 0 && x == 0 && y == brought->next && count == brought->image->width);
    brought->next++;
    return bring(user, index, x, y, count, samples);
}

static bool begin_again(void *user)
{
    struct brought *brought = user;
    brought->next = 0;
    brought->again++;
    return true;
}

static kst_status encode(kst_context *context, struct brought *brought, const kst_rows *rows,
    const kst_encode_options *options, kst_buffer *output, kst_report *report)
{
    const kst_image *image = brought->image;
    kst_image described = *image;
    atomic_init(&brought->count, 0);
    *output = (kst_buffer){.data = NULL};
    for (uint32_t p = 0; p < image->plane_count; p++) {
        described.plane[p].data = NULL;
        described.plane[p].pitch = 77; /* is ignored, too */
    }
    return kst_encode_rows(context, &described, rows, options, output, report);
}

kst_status brought_encode(kst_context *context, const kst_image *image, uint32_t most,
    const kst_encode_options *options, kst_buffer *output, kst_report *report)
{
    struct brought brought = {.image = image, .most = most};
    const kst_rows rows = {.size = sizeof rows, .read = bring, .user = &brought};
    return encode(context, &brought, &rows, options, output, report);
}

kst_status brought_encode_in_order(kst_context *context, const kst_image *image, uint32_t most,
    const kst_encode_options *options, kst_buffer *output, kst_report *report, uint32_t *again)
{
    struct brought brought = {.image = image, .most = most};
    const kst_rows rows = {
        .size = sizeof rows, .read = bring_next, .user = &brought, .in_order = true, .again = begin_again};
    kst_status status = encode(context, &brought, &rows, options, output, report);
    if (again)
        *again = brought.again;
    return status;
}
