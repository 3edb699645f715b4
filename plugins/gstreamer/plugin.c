/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers the elements. They rank above their peers if there is a GPU, and below them if there is none. */
#include "elements.h"

GST_DEBUG_CATEGORY(kostka_debug);

static gboolean has_gpu(void)
{
    kst_device_info info = {.size = sizeof info};

    for (uint32_t i = 1; !kst_device_get(i, &info); i++) /* OpenCL's drivers are not loaded if CUDA has a device */
        if (info.gpu)
            return TRUE;
    return FALSE;
}

gboolean kostka_register_elements(GstPlugin *plugin)
{
    guint rank = has_gpu() ? GST_RANK_PRIMARY + 1 : GST_RANK_SECONDARY;

    GST_DEBUG_CATEGORY_INIT(kostka_debug, "kostka", 0, "JPEG and JPEG 2000 by Kostka");
    return gst_element_register(plugin, "kostkajpegdec", rank, KOSTKA_TYPE_JPEG_DEC) &&
           gst_element_register(plugin, "kostkajpegenc", rank, KOSTKA_TYPE_JPEG_ENC) &&
           gst_element_register(plugin, "kostkaj2kdec", rank, KOSTKA_TYPE_J2K_DEC) &&
           gst_element_register(plugin, "kostkaj2kenc", rank, KOSTKA_TYPE_J2K_ENC);
}

#define PACKAGE "kostka"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, kostka, "JPEG and JPEG 2000 on GPUs and processors",
    kostka_register_elements, KST_VERSION_STRING, "BSD", "Kostka", "Unknown package origin")
