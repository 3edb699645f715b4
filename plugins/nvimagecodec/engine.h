/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what a decoder or encoder works with: a context of Kostka, and the framework's log. */
#ifndef KOSTKA_NVIMAGECODEC_ENGINE_H
#define KOSTKA_NVIMAGECODEC_ENGINE_H

#include <kostka/kostka.h>
#include <nvimgcodec.h>

/* Describes a codec on a back end: the `instance` of its descriptions. */
typedef struct Plugin {
    const nvimgcodecFrameworkDesc_t *framework;
    const char *id;
    kst_codec codec;
    bool cuda;
} Plugin;

typedef struct Engine {
    const Plugin *plugin;
    kst_context *context;
} Engine;

/*
 * Make an engine, which is what a handle of the framework's points to. Its context has one thread if the plugin works
 * on the CPU, since the framework's threads share a batch; otherwise it works on the device that the framework names.
 * KOSTKA_THREADS changes the number of threads. @param engine receives it; engine_destroy() ends it
 */
nvimgcodecStatus_t engine_create(Plugin *plugin, const nvimgcodecExecutionParams_t *parameters, Engine **engine);

void engine_destroy(Engine *engine);

/*
 * Return the framework's status for what a report says. A picture that lacks pixels has failed; the library has logged
 * why, with the offset.
 */
nvimgcodecProcessingStatus_t engine_judge(const kst_report *report);

#endif
