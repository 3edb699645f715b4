/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what the workers of a batch share, for the source files that run workers. */
#ifndef KOSTKA_TOOL_BATCH_CREW_H
#define KOSTKA_TOOL_BATCH_CREW_H

#include <stdatomic.h>

#include "batch/ahead.h"
#include "batch/batch.h"
#include "batch/manifest.h"
#include "files/relay.h"
#include "progress/summary.h"

enum { WORKERS_MAX = 256 };

/* Holds what the workers share. */
struct crew {
    const struct batch *batch;
    struct relay *relay; /* null: the workers decode and encode in the context */
    kst_context *context;
    struct inputs inputs;
    struct ahead ahead; /* inputs that were read while the devices were opened */
    size_t workers;
    uint32_t threads;   /* threads of each worker */
    const char *path;   /* the output; null with --out-dir */
    atomic_size_t next; /* position in the order by rank of the next input to process, and where its rank ends */
    size_t end;
    atomic_size_t done; /* inputs that succeeded or failed */
    atomic_size_t failures;
    struct summary summary;
    struct resumed *resumed; /* groups and archives that an earlier call has completed; null: none */
    struct manifest manifest;
    atomic_bool unrecorded; /* the manifest could not be written */
    bool leaves_driver;     /* at its end the process does not ask CUDA's driver to shut down */
};

/*
 * Return whether no further input is to begin: a signal asked for that, too many inputs have failed, or the manifest
 * cannot be written.
 */
bool crew_stops(struct crew *crew);

/*
 * Do the verb's work on a source, and release the source. `stem`, if not null, is the output's name without its
 * extension.
 */
bool crew_work(
    struct crew *crew, struct source *source, struct input *input, const char *stem, struct problem *problem);

/* Append to the manifest if there is one. The first failure to do so is printed, and ends the batch. */
bool crew_record(struct crew *crew, const struct manifest_entry *entry, size_t count, struct problem *problem);

/* Defined in tar/batch.c: return whether inputs or outputs are archives; and do the work on all inputs in that case. */
bool crew_has_groups(const struct crew *crew);
void crew_work_off_groups(struct crew *crew);

#endif
