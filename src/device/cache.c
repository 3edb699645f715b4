/* SPDX-License-Identifier: BSD-2-Clause */
/* Stores compiled programs on disk and finds them again. */
#include "device/cache.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context.h"

#define MOST_BYTES ((off_t)256 << 20)

/* Stands in front of a program in its file. */
struct header {
    char magic[8];
    struct gpu_cache_key key;
    uint64_t length;
    struct gpu_cache_key sum; /* check sum of the program */
};

static const char magic[8] = "kostka1";

/* The key is two FNV-1a hashes that begin differently. */
void kst_gpu_cache_key_init(struct gpu_cache_key *key)
{
    *key = (struct gpu_cache_key){{UINT64_C(0xCBF29CE484222325), UINT64_C(0x84222325CBF29CE4)}};
}

void kst_gpu_cache_key_add(struct gpu_cache_key *key, const void *data, size_t length)
{
    const uint8_t *bytes = data;
    const uint64_t prime = UINT64_C(0x100000001B3);
    for (size_t i = 0; i < length; i++) {
        key->part[0] = (key->part[0] ^ bytes[i]) * prime;
        key->part[1] = (key->part[1] ^ (uint8_t)(bytes[i] + 101)) * prime;
    }
    key->part[1] ^= length;
}

static struct gpu_cache_key sum_of(const uint8_t *data, size_t length)
{
    struct gpu_cache_key sum;
    kst_gpu_cache_key_init(&sum);
    kst_gpu_cache_key_add(&sum, data, length);
    return sum;
}

/* Find the folder of the cache; with `make` it is created if it does not exist. */
static bool find_folder(char path[PATH_MAX], bool make)
{
    const char *base = kst_environment("XDG_CACHE_HOME"), *home = kst_environment("HOME");
    const char *choice = kst_environment("KOSTKA_CACHE");
    if (choice && strcmp(choice, "off") == 0)
        return false;
    bool is_home = !(base && base[0] == '/');
    if (is_home && !(home && home[0] == '/'))
        return false;
    int length = snprintf(path, PATH_MAX, "%s%s", is_home ? home : base, is_home ? "/.cache" : "");
    if (length < 0 || length > PATH_MAX - 100)
        return false;
    if (make)
        mkdir(path, 0700);
    strcat(path, "/kostka");
    return !make || mkdir(path, 0700) == 0 || access(path, W_OK) == 0;
}

bool kst_gpu_cache_is_on(void)
{
    char path[PATH_MAX];
    return find_folder(path, false);
}

static bool find_file(char path[PATH_MAX], const struct gpu_cache_key *key, bool make)
{
    if (!find_folder(path, make))
        return false;
    size_t length = strlen(path);
    snprintf(path + length, PATH_MAX - length, "/%016" PRIx64 "%016" PRIx64 ".bin", key->part[0], key->part[1]);
    return true;
}

static bool read_all(int file, void *to, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t part = read(file, (uint8_t *)to + done, length - done);
        if (part <= 0)
            return false;
        done += (size_t)part;
    }
    return true;
}

static bool write_all(int file, const void *from, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t part = write(file, (const uint8_t *)from + done, length - done);
        if (part <= 0)
            return false;
        done += (size_t)part;
    }
    return true;
}

/*
 * Return whether this is a regular file of this user's, not too long, whose header says that it holds the program of
 * this key.
 */
static bool check_header(int file, const struct gpu_cache_key *key, struct header *header)
{
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
           status.st_size <= MOST_BYTES && read_all(file, header, sizeof *header) &&
           memcmp(header->magic, magic, sizeof magic) == 0 && memcmp(&header->key, key, sizeof *key) == 0 &&
           header->length == (uint64_t)status.st_size - sizeof *header && header->length > 0;
}

static uint8_t *read_program(struct memory *memory, int file, const struct gpu_cache_key *key, size_t *length)
{
    struct header header;
    if (!check_header(file, key, &header))
        return NULL;
    uint8_t *data = kst_memory_array(memory, (size_t)header.length, 1, NULL);
    if (!data)
        return NULL;
    *length = (size_t)header.length;
    if (read_all(file, data, *length)) {
        struct gpu_cache_key sum = sum_of(data, *length);
        if (memcmp(&sum, &header.sum, sizeof sum) == 0)
            return data;
    }
    kst_memory_release(memory, data);
    return NULL;
}

uint8_t *kst_gpu_cache_load(struct memory *memory, const struct gpu_cache_key *key, size_t *length)
{
    char path[PATH_MAX];
    if (!find_file(path, key, false))
        return NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return NULL;
    uint8_t *data = read_program(memory, file, key, length);
    close(file);
    return data;
}

static bool write_program(int file, const struct gpu_cache_key *key, const uint8_t *data, size_t length)
{
    struct header header = {.key = *key, .length = length, .sum = sum_of(data, length)};
    memcpy(header.magic, magic, sizeof magic);
    return write_all(file, &header, sizeof header) && write_all(file, data, length);
}

void kst_gpu_cache_store(const struct gpu_cache_key *key, const uint8_t *data, size_t length)
{
    char path[PATH_MAX], temporary[PATH_MAX];
    if (length == 0 || !find_file(path, key, true))
        return;
    int wanted = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int file = wanted > 0 && wanted < PATH_MAX ? mkostemp(temporary, O_CLOEXEC) : -1;
    if (file < 0)
        return;
    bool whole = write_program(file, key, data, length);
    whole = close(file) == 0 && whole;
    if (!whole || rename(temporary, path) != 0)
        unlink(temporary);
}
