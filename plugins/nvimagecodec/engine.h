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
 * Open a context: of one thread if the plugin works on the CPU, since the framework's threads share a batch, otherwise
 * on the device that the framework names. KOSTKA_THREADS changes the number of threads.
 */
nvimgcodecStatus_t engine_open(Engine *engine, const Plugin *plugin, const nvimgcodecExecutionParams_t *parameters);

void engine_close(Engine *engine);

/*
 * Return the framework's status for what a report says. A picture that lacks pixels has failed; the library has logged
 * why, with the offset.
 */
nvimgcodecProcessingStatus_t engine_judge(const kst_report *report);

#endif
