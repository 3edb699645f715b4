/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compiled programs kept on disk, in the folder kostka of $XDG_CACHE_HOME, or else of ~/.cache; KOSTKA_CACHE=off does
 * without. Files appear by rename. What cannot be read, is not whole or belongs to someone else counts as not there;
 * what cannot be written is not.
 */
#ifndef KOSTKA_DEVICE_CACHE_H
#define KOSTKA_DEVICE_CACHE_H

#include "core/memory.h"

/* What a program depends on. */
struct gpu_cache_key {
    uint64_t part[2];
};

void kst_gpu_cache_key_init(struct gpu_cache_key *key);
/* One thing after the other; each counts with its length. */
void kst_gpu_cache_key_add(struct gpu_cache_key *key, const void *data, size_t length);

/* Null where there is none; released with kst_memory_release(). */
uint8_t *kst_gpu_cache_load(struct memory *memory, const struct gpu_cache_key *key, size_t *length);
void kst_gpu_cache_store(const struct gpu_cache_key *key, const uint8_t *data, size_t length);

#endif
