/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resizes images of standard input. Each has a line "FORMAT WIDTH HEIGHT NEW_WIDTH NEW_HEIGHT FIT FILTER ORDER MIRROR
 * LEFT TOP RIGHT BOTTOM" of numbers, and then its bytes. Standard output gets a line "STATUS WIDTH HEIGHT", and then
 * bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include <kostka/kostka.h>

struct request {
    unsigned format, width, height, fit, filter, order, mirror;
    kst_resize_options options;
};

static bool read_request(struct request *r)
{
    char line[256];
    kst_resize_options *o = &r->options;
    kst_resize_options_init(o);
    if (!fgets(line, sizeof line, stdin))
        return false;
    /* NOLINTNEXTLINE(cert-err34-c): the test itself writes these numbers */
    if (sscanf(line, "%u %u %u %u %u %u %u %u %u %lf %lf %lf %lf", &r->format, &r->width, &r->height, &o->width,
            &o->height, &r->fit, &r->filter, &r->order, &r->mirror, &o->box.left, &o->box.top, &o->box.right,
            &o->box.bottom) != 13)
        exit(2);
    o->fit = (kst_resize_fit)r->fit;
    o->filter = (kst_resize_filter)r->filter;
    o->order = (kst_resize_order)r->order;
    o->mirror = r->mirror;
    return true;
}

static void answer(kst_status status, const kst_image *image)
{
    size_t row = (size_t)image->width * kst_format_channels(image->format);
    printf("%d %u %u\n", (int)status, (unsigned)image->width, (unsigned)image->height);
    for (uint32_t y = 0; y < image->height && !status; y++)
        fwrite((const uint8_t *)image->plane[0].data + y * image->plane[0].pitch, 1, row, stdout);
    fflush(stdout);
}

int main(void)
{
    kst_context *context = NULL;
    struct request request;
    if (kst_context_create(NULL, &context))
        return 1;
    while (read_request(&request)) {
        kst_format format = (kst_format)request.format;
        size_t length = (size_t)request.width * request.height * kst_format_channels(format);
        void *pixels = malloc(length);
        kst_image from, to;
        kst_image_init(&to);
        if (!pixels || fread(pixels, 1, length, stdin) != length ||
            kst_image_wrap(&from, format, request.width, request.height, pixels, 0))
            return 1;
        answer(kst_resize(context, &from, &request.options, &to), &to);
        kst_image_release(context, &to);
        free(pixels);
    }
    kst_context_destroy(&context);
    return 0;
}
