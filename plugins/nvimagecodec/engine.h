/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the state of a decoder or encoder: a context of Kostka, and the framework's log. */
#ifndef KOSTKA_NVIMAGECODEC_ENGINE_H
#define KOSTKA_NVIMAGECODEC_ENGINE_H

#include <kostka/kostka.h>
#include <nvimgcodec.h>

/* Describes a codec on a back end; descriptions have it as their `instance`. */
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
 * Make an engine, to which a handle of the framework points. If the plugin works on the CPU, its context has one
 * thread, since the framework's threads share a batch; otherwise it uses the device that the framework names.
 * KOSTKA_THREADS changes the number of threads. @param engine receives the engine; engine_destroy() releases it
 */
nvimgcodecStatus_t engine_create(Plugin *plugin, const nvimgcodecExecutionParams_t *parameters, Engine **engine);

void engine_destroy(Engine *engine);

/*
 * Return the framework's status for a report. A picture that lacks pixels counts as failed; the library has logged the
 * reason with its offset.
 */
nvimgcodecProcessingStatus_t engine_judge(const kst_report *report);

#endif
