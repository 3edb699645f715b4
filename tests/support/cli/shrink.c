/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is preloaded into a program whose input becomes shorter while it is read: when the file SHRINK is mapped, all but its
 * first page is cut off.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LEFT = 4096 };

/* Replaces mmap() of the C library. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): theirs are reserved */
__attribute__((visibility("default"))) void *mmap(
    void *address, size_t length, int protection, int flags, int descriptor, off_t offset)
{
    const char *path = getenv("SHRINK");
    struct stat named, mapped;
    void *data = (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);

    if (path && data != MAP_FAILED && descriptor >= 0 && stat(path, &named) == 0 && fstat(descriptor, &mapped) == 0 &&
        named.st_ino == mapped.st_ino && named.st_dev == mapped.st_dev && truncate(path, LEFT) != 0)
        abort();
    return data;
}
