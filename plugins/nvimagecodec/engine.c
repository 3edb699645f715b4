/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens contexts, and reports to the framework. */
#include "engine.h"

#include <dlfcn.h>
#include <stdio.h>

/* Pass one line on to the framework's log. */
static void log_line(const Engine *engine, nvimgcodecDebugMessageSeverity_t severity, const char *line)
{
    const nvimgcodecFrameworkDesc_t *framework = engine->plugin->framework;
    nvimgcodecDebugMessageData_t data = {.struct_type = NVIMGCODEC_STRUCTURE_TYPE_DEBUG_MESSAGE_DATA,
        .struct_size = sizeof data,
        .message = line,
        .codec = engine->plugin->id,
        .codec_id = engine->plugin->id,
        .codec_version = NVIMGCODEC_VER};

    framework->log(framework->instance, severity, NVIMGCODEC_DEBUG_MESSAGE_CATEGORY_GENERAL, &data);
}

/* Pass on what the library logs, which says why a device cannot be opened. */
static void write_log(void *engine, kst_log_level level, const char *line)
{
    log_line(engine,
        level == KST_LOG_ERROR ? NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_ERROR : NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_WARNING,
        line);
}

/* Return the device of the calling thread's CUDA context, the first one if it has none. */
static int current_device(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int device = 0;

    if (driver == NULL)
        return 0;
    int (*get)(int *) = NULL;
    *(void **)&get = dlsym(driver, "cuCtxGetDevice"); /* POSIX says that a function's address fits */
    if (get == NULL || get(&device) != 0)
        device = 0;
    dlclose(driver);
    return device;
}

nvimgcodecStatus_t engine_open(Engine *engine, const Plugin *plugin, const nvimgcodecExecutionParams_t *parameters)
{
    kst_context_options options;
    char device[24] = "cpu";
    const char *threads = getenv("KOSTKA_THREADS");

    engine->plugin = plugin;
    kst_context_options_init(&options);
    if (plugin->cuda) {
        int id = parameters->device_id;
        snprintf(device, sizeof device, "cuda:%d", id >= 0 ? id : current_device());
    } else if (threads == NULL || *threads == '\0') {
        options.threads = 1;
    }
    options.device = device;
    options.log = (kst_log){.write = write_log, .user = engine, .level = KST_LOG_WARNING};
    kst_status status = kst_context_create(&options, &engine->context);
    if (!status)
        return NVIMGCODEC_STATUS_SUCCESS;
    log_line(engine, NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_ERROR, kst_status_text(status));
    return status == KST_ERROR_MEMORY ? NVIMGCODEC_STATUS_ALLOCATOR_FAILURE : NVIMGCODEC_STATUS_EXECUTION_FAILED;
}

void engine_close(Engine *engine)
{
    kst_context_destroy(&engine->context);
}

static nvimgcodecProcessingStatus_t status_of_error(kst_status status)
{
    switch (status) {
    case KST_ERROR_JPEG_COMPONENTS:
    case KST_ERROR_JPEG_PRECISION:
    case KST_ERROR_JPEG_ARITHMETIC:
    case KST_ERROR_JPEG_LOSSLESS:
    case KST_ERROR_JPEG_HIERARCHICAL:
    case KST_ERROR_J2K_HT:
    case KST_ERROR_J2K_EXTENSION:
        return NVIMGCODEC_PROCESSING_STATUS_CODESTREAM_UNSUPPORTED;
    case KST_ERROR_IMAGE_FORMAT:
    case KST_ERROR_JPEG_COLOUR:
    case KST_ERROR_J2K_COLOUR:
        return NVIMGCODEC_PROCESSING_STATUS_SAMPLE_FORMAT_UNSUPPORTED;
    case KST_ERROR_IMAGE_DEPTH:
    case KST_ERROR_IMAGE_SAMPLE:
        return NVIMGCODEC_PROCESSING_STATUS_SAMPLE_TYPE_UNSUPPORTED;
    case KST_ERROR_IMAGE_SIZE:
        return NVIMGCODEC_PROCESSING_STATUS_SAMPLING_UNSUPPORTED;
    case KST_ERROR_REGION:
        return NVIMGCODEC_PROCESSING_STATUS_ROI_UNSUPPORTED;
    default:
        break;
    }
    if (status >= KST_ERROR_LIMIT_PIXELS && status <= KST_ERROR_LIMIT_WORK)
        return NVIMGCODEC_PROCESSING_STATUS_RESOLUTION_UNSUPPORTED;
    return status >= KST_ERROR_SIGNATURE ? NVIMGCODEC_PROCESSING_STATUS_IMAGE_CORRUPTED
                                         : NVIMGCODEC_PROCESSING_STATUS_FAIL;
}

/*
 * Return whether pixels are missing or wrong, not merely bytes out of place. A stream without an end marker may be
 * whole; if it is not, the decoder warns again where its data end.
 */
static bool is_damage(kst_status warning, uint64_t warnings)
{
    switch (warning) {
    case KST_WARNING_JPEG_DATA_END:
    case KST_WARNING_JPEG_TRUNCATED:
    case KST_WARNING_J2K_TRUNCATED:
    case KST_WARNING_J2K_TILE_PART:
    case KST_WARNING_J2K_TILE_HEADER:
    case KST_WARNING_J2K_TILE_MISSING:
    case KST_WARNING_J2K_PACKET:
    case KST_WARNING_J2K_PACKET_END:
    case KST_WARNING_J2K_BLOCK:
    case KST_WARNING_J2K_DATA:
        return true;
    case KST_WARNING_JPEG_NO_EOI:
    case KST_WARNING_J2K_NO_EOC:
        return warnings > 1;
    default:
        return false;
    }
}

nvimgcodecProcessingStatus_t engine_judge(const kst_report *report)
{
    if (report->status)
        return status_of_error(report->status);
    return is_damage(report->first_warning, report->warnings) ? NVIMGCODEC_PROCESSING_STATUS_IMAGE_CORRUPTED
                                                              : NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
}
