/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes host memory that a device copies from and to at full speed. The driver makes it at 2 to 2.7 GB a second. Huge
 * pages that this process touches and then registers with the driver take half of that time, and a quarter of it when
 * they are released (bench/start.c on an H200).
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/cuda/cuda.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* of Linux 5.14 */
#endif

enum {
    HUGE_PAGE = 1 << 21,
    REGISTERED_LEAST = HUGE_PAGE + HUGE_PAGE / 2 - HUGE_PAGE / 16 /* a frame of 1080p in 4:2:0, of 3.1 MB, takes two */
};

/* Return whether the system provides huge pages for memory that requests them. */
static bool has_huge_pages(void)
{
    char text[64];
    int descriptor = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor < 0 ? 0 : read(descriptor, text, sizeof text - 1);
    if (descriptor >= 0)
        close(descriptor);
    text[length > 0 ? length : 0] = 0;
    return strstr(text, "[madvise]") || strstr(text, "[always]");
}

/* Map memory that begins at a huge page; the length is a multiple of huge pages. Returns null if there is no memory. */
static uint8_t *map(size_t length)
{
    uint8_t *all = mmap(NULL, length + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    size_t before = (HUGE_PAGE - (uintptr_t)all % HUGE_PAGE) % HUGE_PAGE;
    if (before > 0)
        munmap(all, before);
    munmap(all + before + length, HUGE_PAGE - before);
    return all + before;
}

/*
 * Make the pages resident before they are registered with the driver, so that its other calls do not wait meanwhile. A
 * child of fork() does not get them: parent and child would share them until one of both writes, and the device might
 * then have the child's.
 */
static bool prepare(uint8_t *memory, size_t length)
{
    return madvise(memory, length, MADV_HUGEPAGE) == 0 && madvise(memory, length, MADV_DONTFORK) == 0 &&
           madvise(memory, length, MADV_POPULATE_WRITE) == 0;
}

/*
 * Make memory of huge pages. Returns null if the system or the driver does not support that; the driver's own memory
 * then serves.
 */
static uint8_t *take_registered(struct cuda *cuda, size_t length)
{
    size_t whole = (length + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    if (length < REGISTERED_LEAST || length > SIZE_MAX - 2 * HUGE_PAGE || !has_huge_pages())
        return NULL;
    uint8_t *memory = map(whole);
    if (!memory)
        return NULL;
    if (prepare(memory, whole) && kst_cuda_enter_quietly(cuda)) {
        int same = 0; /* the device uses the host's addresses */
        bool good = cuda->driver.device_attribute(&same, CU_REGISTERED_ADDRESSES, cuda->device) == 0 && same &&
                    cuda->driver.host_register(memory, whole, CU_REGISTER_PORTABLE_MAPPED) == 0;
        kst_cuda_leave_quietly(cuda);
        if (good)
            return memory;
    }
    munmap(memory, whole);
    return NULL;
}

bool kst_cuda_host_take(struct cuda *cuda, size_t length, struct gpu_buffer *buffer, struct gpu_error *error)
{
    void *host = take_registered(cuda, length);
    const bool registered = host != NULL;
    *buffer = (struct gpu_buffer){.place = GPU_PINNED}; /* without a length: a pool must not keep what failed */
    if (!registered) {
        if (!kst_cuda_enter(cuda, error))
            return false;
        const cu_result result = cuda->driver.host_allocate(&host, length, CU_HOST_ALLOC_PORTABLE);
        if (!kst_cuda_leave(cuda, error, "cuMemHostAlloc", result))
            return false;
    }
    *buffer = (struct gpu_buffer){
        .place = GPU_PINNED, .length = length, .host = host, .handle = (uintptr_t)host, .registered = registered};
    return true;
}

/*
 * Release host memory. Memory that the driver fails to unregister stays mapped, because the driver would write into
 * whatever is mapped there next.
 */
void kst_cuda_host_give(struct cuda *cuda, struct gpu_buffer *buffer)
{
    bool entered = kst_cuda_enter_quietly(cuda);
    if (entered && !buffer->registered)
        cuda->driver.host_release(buffer->host);
    else if (entered && cuda->driver.host_unregister(buffer->host) == 0)
        munmap(buffer->host, (buffer->length + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (entered)
        kst_cuda_leave_quietly(cuda);
}
