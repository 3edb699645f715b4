/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens contexts, and reports to the framework. */
#include "engine.h"

#include <dlfcn.h>
#include <stdio.h>

/* Forward the library's log messages: why a device cannot be opened, and what is wrong with a picture. */
static void write_log(void *user, kst_log_level level, const char *line)
{
    const Plugin *plugin = ((const Engine *)user)->plugin;
    const nvimgcodecFrameworkDesc_t *framework = plugin->framework;
    nvimgcodecDebugMessageSeverity_t severity =
        level == KST_LOG_ERROR ? NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_ERROR : NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_WARNING;
    nvimgcodecDebugMessageData_t data = {.struct_type = NVIMGCODEC_STRUCTURE_TYPE_DEBUG_MESSAGE_DATA,
        .struct_size = sizeof data,
        .message = line,
        .codec = plugin->id,
        .codec_id = plugin->id,
        .codec_version = NVIMGCODEC_VER};

    framework->log(framework->instance, severity, NVIMGCODEC_DEBUG_MESSAGE_CATEGORY_GENERAL, &data);
}

/* Return the device of the calling thread's CUDA context; the first device if it has no context. */
static int current_device(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int device = 0;

    if (driver == NULL)
        return 0;
    int (*get)(int *) = NULL;
    *(void **)&get = dlsym(driver, "cuCtxGetDevice"); /* POSIX guarantees that a function's address fits */
    if (get == NULL || get(&device) != 0)
        device = 0;
    dlclose(driver);
    return device;
}

/* Open the context of an engine. */
static kst_status open_context(Engine *engine, const nvimgcodecExecutionParams_t *parameters)
{
    kst_context_options options;
    char device[24] = "cpu";
    const char *threads = getenv("KOSTKA_THREADS");

    kst_context_options_init(&options);
    if (engine->plugin->cuda) {
        int id = parameters->device_id;
        snprintf(device, sizeof device, "cuda:%d", id >= 0 ? id : current_device());
    } else if (threads == NULL || *threads == '\0') {
        options.threads = 1;
    }
    options.device = device;
    options.log = (kst_log){.write = write_log, .user = engine, .level = KST_LOG_WARNING};
    return kst_context_create(&options, &engine->context);
}

nvimgcodecStatus_t engine_create(Plugin *plugin, const nvimgcodecExecutionParams_t *parameters, Engine **engine)
{
    if (plugin->cuda && parameters->device_id == NVIMGCODEC_DEVICE_CPU_ONLY)
        return NVIMGCODEC_STATUS_IMPLEMENTATION_UNSUPPORTED;
    Engine *made = calloc(1, sizeof *made);

    if (made == NULL)
        return NVIMGCODEC_STATUS_ALLOCATOR_FAILURE;
    made->plugin = plugin;
    kst_status status = open_context(made, parameters);
    if (status) {
        free(made); /* the library has logged why */
        return status == KST_ERROR_MEMORY ? NVIMGCODEC_STATUS_ALLOCATOR_FAILURE : NVIMGCODEC_STATUS_EXECUTION_FAILED;
    }
    *engine = made;
    return NVIMGCODEC_STATUS_SUCCESS;
}

void engine_destroy(Engine *engine)
{
    kst_context_destroy(&engine->context);
    free(engine);
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
 * Return whether pixels are missing or wrong, and not merely bytes out of place. Several warnings always count as
 * damage, because a report names only the first one: a harmless warning may hide one about damage, for example if a
 * stream without an end marker is also incomplete.
 */
static bool is_damage(kst_status warning, uint64_t warnings)
{
    switch (warning) {
    case KST_WARNING_JPEG_DATA_END:
    case KST_WARNING_JPEG_CODE:
    case KST_WARNING_JPEG_RESTART:
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
    default:
        return warnings > 1;
    }
}

nvimgcodecProcessingStatus_t engine_judge(const kst_report *report)
{
    if (report->status)
        return status_of_error(report->status);
    return is_damage(report->first_warning, report->warnings) ? NVIMGCODEC_PROCESSING_STATUS_IMAGE_CORRUPTED
                                                              : NVIMGCODEC_PROCESSING_STATUS_SUCCESS;
}
