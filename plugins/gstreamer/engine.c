/* SPDX-License-Identifier: BSD-2-Clause */
/* Manages the context of an element, and posts errors. */
#include "engine.h"

void engine_install_properties(GObjectClass *objects, const char *threads)
{
    GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

    g_object_class_install_property(objects, PROPERTY_DEVICE,
        g_param_spec_string("device", "Device",
            "The device to work on: auto, cpu, cuda, cuda:1, opencl:0 (unset: KOSTKA_DEVICE, or auto)", NULL, flags));
    g_object_class_install_property(objects, PROPERTY_THREADS,
        g_param_spec_uint(threads, "Threads",
            "The number of threads that share each frame (0: KOSTKA_THREADS, or one for each processor)", 0, 1024, 0,
            flags));
}

gboolean engine_set(KostkaEngine *engine, GObject *object, guint id, const GValue *value)
{
    gboolean known = TRUE;

    GST_OBJECT_LOCK(object);
    switch (id) {
    case PROPERTY_DEVICE:
        g_free(engine->device);
        engine->device = g_value_dup_string(value);
        break;
    case PROPERTY_THREADS:
        engine->threads = g_value_get_uint(value);
        break;
    default:
        known = FALSE;
    }
    GST_OBJECT_UNLOCK(object);
    return known;
}

gboolean engine_get(KostkaEngine *engine, GObject *object, guint id, GValue *value)
{
    gboolean known = TRUE;

    GST_OBJECT_LOCK(object);
    switch (id) {
    case PROPERTY_DEVICE:
        g_value_set_string(value, engine->device);
        break;
    case PROPERTY_THREADS:
        g_value_set_uint(value, engine->threads);
        break;
    default:
        known = FALSE;
    }
    GST_OBJECT_UNLOCK(object);
    return known;
}

/* Forward the library's log messages, which say why a device cannot be opened. */
static void write_log(void *element, kst_log_level level, const char *line)
{
    GstDebugLevel debug = level == KST_LOG_ERROR     ? GST_LEVEL_ERROR
                          : level == KST_LOG_WARNING ? GST_LEVEL_WARNING
                                                     : GST_LEVEL_INFO;

    GST_CAT_LEVEL_LOG(kostka_debug, debug, element, "%s", line);
}

void engine_describe(GstElementClass *elements, const char *name, const char *kind, const char *description,
    GstCaps *sink, GstCaps *source)
{
    gst_element_class_add_pad_template(elements, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, sink));
    gst_element_class_add_pad_template(elements, gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, source));
    gst_element_class_set_static_metadata(elements, name, kind, description, "The authors of Kostka");
    gst_caps_unref(sink);
    gst_caps_unref(source);
}

static void post_start(GstElement *element, const char *device, kst_status status)
{
    const char *name = kst_status_name(status);

    switch (status) {
    case KST_ERROR_DEVICE_NAME:
        GST_ELEMENT_ERROR(element, RESOURCE, SETTINGS, ("There is no kind of device '%s'.", device),
            ("%s: set the property device to auto, cpu, cuda:N or opencl:N", name));
        break;
    case KST_ERROR_DEVICE_MISSING:
    case KST_ERROR_DEVICE_FAILED:
        GST_ELEMENT_ERROR(element, RESOURCE, NOT_FOUND, ("The device '%s' cannot be opened.", device),
            ("%s: 'kostka devices' lists those that can; device=auto takes the best one, device=cpu none", name));
        break;
    case KST_ERROR_MEMORY:
        GST_ELEMENT_ERROR(element, RESOURCE, NO_SPACE_LEFT, ("There is not enough memory."), ("%s", name));
        break;
    default:
        GST_ELEMENT_ERROR(element, LIBRARY, INIT, ("Kostka cannot start."), ("%s", name));
    }
}

gboolean engine_start(KostkaEngine *engine, GstElement *element)
{
    kst_context_options options;

    kst_context_options_init(&options);
    GST_OBJECT_LOCK(element);
    gchar *device = g_strdup(engine->device);
    options.threads = engine->threads;
    GST_OBJECT_UNLOCK(element);
    options.device = device;
    options.log = (kst_log){.write = write_log, .user = element, .level = KST_LOG_WARNING};
    kst_status status = kst_context_create(&options, &engine->context);
    const char *environment = g_getenv("KOSTKA_DEVICE");
    if (status)
        post_start(element, device != NULL ? device : environment != NULL ? environment : "auto", status);
    g_free(device);
    return !status;
}

void engine_stop(KostkaEngine *engine)
{
    kst_context_destroy(&engine->context);
}

gboolean engine_is_damage(kst_status status)
{
    return status >= KST_ERROR_SIGNATURE || status == KST_ERROR_IMAGE_SIZE || status == KST_ERROR_IMAGE_DEPTH;
}

const char *engine_message(const kst_report *report, kst_status status)
{
    return report != NULL && report->message[0] != '\0' ? report->message : kst_status_name(status);
}

void engine_post(GstElement *element, const kst_report *report, kst_status status)
{
    const char *message = engine_message(report, status);

    if (status >= KST_ERROR_LIMIT_PIXELS && status <= KST_ERROR_LIMIT_WORK)
        GST_ELEMENT_ERROR(element, STREAM, WRONG_TYPE, ("A frame exceeds the limits of Kostka."),
            ("%s: such a frame can be decoded with 'kostka decode' and its options for limits", message));
    else if (status >= KST_ERROR_DEVICE_NAME && status < KST_ERROR_LIMIT_PIXELS)
        GST_ELEMENT_ERROR(
            element, RESOURCE, FAILED, ("The device has failed."), ("%s: device=cpu works without it", message));
    else if (status == KST_ERROR_MEMORY)
        GST_ELEMENT_ERROR(element, RESOURCE, NO_SPACE_LEFT, ("There is not enough memory."), ("%s", message));
    else
        GST_ELEMENT_ERROR(element, STREAM, FAILED, ("Kostka cannot process a frame."), ("%s", message));
}
