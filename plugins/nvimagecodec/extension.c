/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers Kostka's decoders and encoders with nvImageCodec: JPEG and JPEG 2000, on a GPU and on the CPU. */
#include "coders.h"

enum { PLUGINS = 4 };

struct nvimgcodecExtension {
    const nvimgcodecFrameworkDesc_t *framework;
    Plugin plugin[PLUGINS];
    nvimgcodecDecoderDesc_t decoder[PLUGINS];
    nvimgcodecEncoderDesc_t encoder[PLUGINS];
    int decoders, encoders; /* how many decoders and encoders are registered */
};

static nvimgcodecStatus_t destroy(nvimgcodecExtension_t extension)
{
    const nvimgcodecFrameworkDesc_t *framework = extension->framework;

    while (extension->encoders > 0)
        framework->unregisterEncoder(framework->instance, &extension->encoder[--extension->encoders]);
    while (extension->decoders > 0)
        framework->unregisterDecoder(framework->instance, &extension->decoder[--extension->decoders]);
    free(extension);
    return NVIMGCODEC_STATUS_SUCCESS;
}

/* Return a plugin's priority. On the CPU a plugin comes after NVIDIA's decoders on a GPU, but before all others. */
static float priority_of(const Plugin *plugin)
{
    return plugin->cuda ? NVIMGCODEC_PRIORITY_HIGHEST
                        : (float)(NVIMGCODEC_PRIORITY_HIGH + NVIMGCODEC_PRIORITY_NORMAL) / 2;
}

static nvimgcodecStatus_t register_all(nvimgcodecExtension_t extension)
{
    const nvimgcodecFrameworkDesc_t *framework = extension->framework;
    nvimgcodecStatus_t status = NVIMGCODEC_STATUS_SUCCESS;

    for (int i = 0; i < PLUGINS && status == NVIMGCODEC_STATUS_SUCCESS; i++) {
        extension->decoder[i] = decoder_describe(&extension->plugin[i]);
        status =
            framework->registerDecoder(framework->instance, &extension->decoder[i], priority_of(&extension->plugin[i]));
        extension->decoders += status == NVIMGCODEC_STATUS_SUCCESS;
    }
    for (int i = 0; i < PLUGINS && status == NVIMGCODEC_STATUS_SUCCESS; i++) {
        extension->encoder[i] = encoder_describe(&extension->plugin[i]);
        status =
            framework->registerEncoder(framework->instance, &extension->encoder[i], priority_of(&extension->plugin[i]));
        extension->encoders += status == NVIMGCODEC_STATUS_SUCCESS;
    }
    return status;
}

static nvimgcodecStatus_t create(
    void *instance, nvimgcodecExtension_t *extension, const nvimgcodecFrameworkDesc_t *framework)
{
    nvimgcodecExtension_t made = calloc(1, sizeof *made);

    (void)instance;
    if (made == NULL)
        return NVIMGCODEC_STATUS_ALLOCATOR_FAILURE;
    made->framework = framework;
    made->plugin[0] = (Plugin){framework, "kostka_cuda_jpeg", KST_CODEC_JPEG, true};
    made->plugin[1] = (Plugin){framework, "kostka_cuda_jpeg2k", KST_CODEC_JPEG2000, true};
    made->plugin[2] = (Plugin){framework, "kostka_jpeg", KST_CODEC_JPEG, false};
    made->plugin[3] = (Plugin){framework, "kostka_jpeg2k", KST_CODEC_JPEG2000, false};
    nvimgcodecStatus_t status = register_all(made);
    if (status != NVIMGCODEC_STATUS_SUCCESS) {
        destroy(made);
        return status;
    }
    *extension = made;
    return status;
}

NVIMGCODECAPI nvimgcodecStatus_t nvimgcodecExtensionModuleEntry(nvimgcodecExtensionDesc_t *description)
{
    if (description == NULL || description->struct_type != NVIMGCODEC_STRUCTURE_TYPE_EXTENSION_DESC)
        return NVIMGCODEC_STATUS_INVALID_PARAMETER;
    *description = (nvimgcodecExtensionDesc_t){.struct_type = NVIMGCODEC_STRUCTURE_TYPE_EXTENSION_DESC,
        .struct_size = sizeof *description,
        .id = "kostka_ext",
        .version = KST_VERSION_MAJOR * 1000 + KST_VERSION_MINOR * 100 + KST_VERSION_PATCH,
        .ext_api_version = NVIMGCODEC_VER,
        .create = create,
        .destroy = destroy};
    return NVIMGCODEC_STATUS_SUCCESS;
}
