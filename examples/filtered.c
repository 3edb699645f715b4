/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes and filters one JPEG frame after the other, for OpenGL. */
#include "filtered.h"

#include <stdio.h>
#include <stdlib.h>

/* Forget images of another size. */
static void forget(struct filtered *filtered)
{
    kst_image_release(filtered->context, &filtered->decoded);
    kst_image_init(&filtered->decoded);
    filtered->decoded.memory = filtered->memory;
}

/* Allocate the RGBA pixels of the filtered frame, with rows without padding, as OpenGL takes them. */
static bool make_room(struct filtered *filtered)
{
    kst_report report;
    kst_report_init(&report);
    free(filtered->shown.plane[0].data);
    if (kst_filter_describe(filtered->filter, &filtered->decoded, &filtered->shown, &report))
        return fprintf(stderr, "%s\n", report.message), false;
    if (filtered->shown.format != KST_FORMAT_RGBA || filtered->shown.plane[0].depth != 8)
        return fprintf(stderr, "the chain must keep four channels of 8 bits\n"), false;
    filtered->shown.plane[0].data = malloc((size_t)filtered->shown.plane[0].pitch * filtered->shown.height);
    return filtered->shown.plane[0].data != NULL;
}

/* Decode and filter a frame. Images keep their memory as long as frames keep their size. */
bool filtered_frame(struct filtered *filtered, const uint8_t *data, size_t length)
{
    kst_decode_options options;
    kst_report report;
    kst_decode_options_init(&options);
    kst_report_init(&report);
    options.format = KST_FORMAT_RGBA;
    if (kst_decode(filtered->context, data, length, &options, &filtered->decoded, &report)) {
        forget(filtered);
        if (kst_decode(filtered->context, data, length, &options, &filtered->decoded, &report) || !make_room(filtered))
            return false;
    } else if (!filtered->shown.plane[0].data && !make_room(filtered))
        return false;
    if (kst_filter_run(filtered->filter, &filtered->decoded, &filtered->shown, &report))
        return fprintf(stderr, "%s\n", report.message), false;
    return true;
}

bool filtered_begin(struct filtered *filtered, const char *chain)
{
    kst_context_options options;
    kst_device_info info = {.size = sizeof info};
    kst_report report;
    kst_context_options_init(&options);
    kst_report_init(&report);
    options.device = getenv("KOSTKA_DEVICE");
    if (kst_context_create(&options, &filtered->context) || kst_context_device(filtered->context, &info))
        return fprintf(stderr, "there is no such device\n"), false;
    filtered->memory = info.kind == KST_DEVICE_CUDA     ? KST_MEMORY_CUDA
                       : info.kind == KST_DEVICE_OPENCL ? KST_MEMORY_OPENCL
                                                        : KST_MEMORY_HOST;
    if (kst_filter_open(filtered->context, chain, &filtered->filter, &report))
        return fprintf(stderr, "%s\n", report.message), false;
    forget(filtered);
    return true;
}

void filtered_end(struct filtered *filtered)
{
    if (filtered->context)
        forget(filtered);
    free(filtered->shown.plane[0].data);
    kst_filter_close(&filtered->filter);
    kst_context_destroy(&filtered->context);
}
