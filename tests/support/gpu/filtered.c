/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters images on devices and compares the results with the CPU's. */
#include "support/gpu/filtered.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/gpu/contexts.h"
#include "support/random.h"
#include "support/test.h"

enum { TEXT = 200 };

bool filtered_is_simulated(void)
{
    return getenv("KOSTKA_TEST_SIMULATED") != NULL;
}

kst_image filtered_describe(const struct filtered_case *c)
{
    kst_image image;
    kst_image_init(&image);
    image.format = c->format;
    image.colour = c->format == KST_FORMAT_GREY ? KST_COLOUR_GREY : KST_COLOUR_RGB;
    image.width = c->width;
    image.height = c->height;
    image.plane_count = 1;
    image.plane[0] = (kst_plane){.width = c->width, .height = c->height, .depth = (uint8_t)c->depth};
    image.plane[0].pitch = (ptrdiff_t)placed_row_bytes(&image);
    return image;
}

/* Noise on slopes and edges, so that all filters have something to do; some samples are above the greatest one. */
static void fill(const kst_image *image)
{
    uint32_t greatest = (1u << image->plane[0].depth) - 1, channels = kst_format_channels(image->format);
    uint32_t noise = 1 + next_random() % (greatest / 4 + 1), period = 3 + next_random() % 40;
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t i = 0; i < image->width * channels; i++) {
            uint32_t slope = ((i / channels + y) % period) * greatest / period, value = slope + next_random() % noise;
            uint8_t *row = (uint8_t *)image->plane[0].data + (ptrdiff_t)y * image->plane[0].pitch;
            value = i % 97 == 3 ? next_random() & 0xFFFF : value < greatest ? value : greatest;
            if (placed_sample_bytes(image) == 1)
                row[i] = (uint8_t)value;
            else
                ((uint16_t *)(void *)row)[i] = (uint16_t)value;
        }
}

kst_status filtered_run(
    kst_context *context, const char *chain, const kst_image *from, kst_image *to, kst_report *report)
{
    kst_filter *filter;
    assert_int_equal(kst_filter_open(context, chain, &filter, NULL), KST_OK);
    kst_status status = kst_filter_run(filter, from, to, report);
    kst_filter_close(&filter);
    return status;
}

bool filtered_prepare(struct filtered *p, const struct filtered_case *c)
{
    kst_image image = filtered_describe(c);
    kst_filter *filter;
    p->c = *c;
    assert_int_equal(kst_filter_open(cpu_context, c->chain, &filter, NULL), KST_OK);
    kst_status status = kst_filter_describe(filter, &image, &p->described, NULL);
    kst_filter_close(&filter);
    if (status)
        return false;
    placed_place(&p->from, cpu_context, &image, KST_MEMORY_HOST);
    fill(&p->from.image);
    placed_place(&p->wanted, cpu_context, &p->described, KST_MEMORY_HOST);
    assert_int_equal(filtered_run(cpu_context, c->chain, &p->from.image, &p->wanted.image, NULL), KST_OK);
    return true;
}

void filtered_forget(struct filtered *p)
{
    placed_drop(&p->from);
    placed_drop(&p->wanted);
}

void filtered_check(kst_context *context, const struct filtered *p, const struct placed *to, const char *how)
{
    char text[TEXT];
    snprintf(text, sizeof text, "%s of %ux%u, format %d, %u bits, %s", p->c.chain, p->c.width, p->c.height,
        (int)p->c.format, p->c.depth, how);
    expect_same_image(text, context, &p->wanted.image, &to->image);
    placed_check(text, to);
}

void filtered_check_on(
    kst_context *context, const struct filtered *p, kst_memory from_memory, kst_memory to_memory, const char *how)
{
    struct placed from, to;
    kst_report report;
    kst_report_init(&report);
    placed_place(&from, context, &p->from.image, from_memory);
    placed_place(&to, context, &p->described, to_memory);
    assert_int_equal(kst_image_copy(context, &p->from.image, &from.image), KST_OK);
    if (filtered_run(context, p->c.chain, &from.image, &to.image, &report))
        fail_msg("%s, %s: %s", p->c.chain, how, report.message);
    filtered_check(context, p, &to, how);
    placed_drop(&from);
    placed_drop(&to);
}
