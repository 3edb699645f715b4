/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps files, and mends mappings whose pages have been lost. */
#include "system/mapping.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAPPINGS = 512 /* two for each worker of a batch */ };

/*
 * Lists the mappings. Since a signal handler reads the list, it is never moved. An entry whose start is null is free.
 */
static struct mapping {
    uint8_t *_Atomic start;
    atomic_size_t length;
    atomic_bool broken;
    pthread_t thread;
} list[MAPPINGS];

/* Held while a mapping is entered or removed, or searched for by a thread that has not made it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Find the mapping that contains an address; *page becomes the start of the address's page. Returns null if there is
 * none.
 */
static struct mapping *find(const void *address, uint8_t **page)
{
    const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);

    for (struct mapping *m = list; m < list + MAPPINGS; m++) {
        uint8_t *start = atomic_load(&m->start);
        const uintptr_t offset = (uintptr_t)address - (uintptr_t)start;
        if (start == NULL || offset >= atomic_load(&m->length))
            continue;
        *page = start + offset / size * size;
        return m;
    }
    return NULL;
}

static void enter(struct mapping *mapping, uint8_t *data, size_t length)
{
    mapping->thread = pthread_self();
    atomic_store(&mapping->broken, false);
    atomic_store(&mapping->length, length);
    atomic_store(&mapping->start, data);
}

uint8_t *mapping_make(int descriptor, size_t length)
{
    struct mapping *mapping = list;
    uint8_t *data = NULL;

    pthread_mutex_lock(&lock);
    while (mapping < list + MAPPINGS && atomic_load(&mapping->start) != NULL)
        mapping++;
    if (mapping < list + MAPPINGS) {
        void *made = mmap(NULL, length, PROT_READ, MAP_PRIVATE, descriptor, 0);
        data = made == MAP_FAILED ? NULL : made;
    }
    if (data != NULL)
        enter(mapping, data, length);
    pthread_mutex_unlock(&lock);
    return data;
}

void mapping_drop(uint8_t *data)
{
    uint8_t *first;

    pthread_mutex_lock(&lock);
    struct mapping *mapping = find(data, &first);
    if (mapping != NULL) {
        atomic_store(&mapping->start, NULL);
        munmap(first, atomic_load(&mapping->length));
    }
    pthread_mutex_unlock(&lock);
}

void mapping_rest(const void *data, size_t length)
{
    uint8_t *page;

    pthread_mutex_lock(&lock);
    if (find(data, &page) != NULL)
        madvise(page, length + ((uintptr_t)data - (uintptr_t)page), MADV_DONTNEED);
    pthread_mutex_unlock(&lock);
}

bool mapping_is_whole(void)
{
    bool whole = true;

    pthread_mutex_lock(&lock);
    for (const struct mapping *m = list; m < list + MAPPINGS; m++)
        if (atomic_load(&m->start) != NULL && pthread_equal(m->thread, pthread_self()))
            whole = whole && !atomic_load(&m->broken);
    pthread_mutex_unlock(&lock);
    return whole;
}

bool mapping_mend(const void *address)
{
    const int before = errno;
    uint8_t *page;
    struct mapping *mapping = find(address, &page);

    if (mapping == NULL)
        return false;
    const size_t length = atomic_load(&mapping->length) - (size_t)(page - atomic_load(&mapping->start));
    atomic_store(&mapping->broken, true);
    bool good = mmap(page, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    errno = before;
    return good;
}
