/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps compiled programs on disk, in the folder kostka of $XDG_CACHE_HOME or else of ~/.cache; KOSTKA_CACHE=off turns
 * the cache off. Files appear by rename. A file that cannot be read, is incomplete or belongs to another user counts as
 * missing; failures to write are ignored.
 */
#ifndef KOSTKA_DEVICE_CACHE_H
#define KOSTKA_DEVICE_CACHE_H

#include "core/memory.h"

/* Holds a hash of all that a compiled program depends on. */
struct gpu_cache_key {
    uint64_t part[2];
};

void kst_gpu_cache_key_init(struct gpu_cache_key *key);
/* Add data that the program depends on to the hash; their length counts, too. */
void kst_gpu_cache_key_add(struct gpu_cache_key *key, const void *data, size_t length);

/* Return whether the cache is on. If it is off, the driver need not be asked for a program's bytes. */
bool kst_gpu_cache_is_on(void);

/*
 * Load the program of a key. Returns null if there is none; otherwise the caller releases the program with
 * kst_memory_release().
 */
uint8_t *kst_gpu_cache_load(struct memory *memory, const struct gpu_cache_key *key, size_t *length);
void kst_gpu_cache_store(const struct gpu_cache_key *key, const uint8_t *data, size_t length);

#endif
