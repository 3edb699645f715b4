/* SPDX-License-Identifier: BSD-2-Clause */
/* Gives Kostka, and libjpeg-turbo through TurboJPEG, one interface, so that both do the same work. */
#ifndef KOSTKA_BENCH_ENGINE_H
#define KOSTKA_BENCH_ENGINE_H

#include <kostka/kostka.h>

enum work { WORK_DECODE, WORK_PROGRESSIVE_DECODE, WORK_ENCODE, WORK_PROGRESSIVE_ENCODE, WORK_COUNT };

/* Holds RGB pixels without padding, and how to code them. */
struct picture {
    uint8_t *pixels;
    uint32_t width;
    uint32_t height;
    int quality;
    bool subsampled; /* 4:2:0, otherwise 4:4:4 */
};

struct stream {
    uint8_t *data; /* from malloc */
    size_t length;
};

struct engine;

enum engine_kind { ENGINE_NONE, ENGINE_TURBO, ENGINE_KOSTKA };

/*
 * Create an engine; null on failure. `threads` counts only for Kostka. ENGINE_NONE does no work: it is the baseline of
 * the measurements of memory.
 */
struct engine *engine_create(enum engine_kind kind, uint32_t threads);
void engine_destroy(struct engine *engine);

/* Decode a stream to pixels of its size. */
bool engine_decode(struct engine *engine, const struct stream *stream, const struct picture *into);

/* Encode a picture. The bytes belong to the engine until the next call. */
bool engine_encode(struct engine *engine, const struct picture *from, bool progressive, struct stream *scaled);

bool work_decodes(enum work work);
bool work_is_progressive(enum work work);
const char *work_name(enum work work);

double seconds_now(void);

#endif
