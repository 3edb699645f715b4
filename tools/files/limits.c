/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the limits to pictures of formats other than JPEG and JPEG 2000, which the library does not read itself. */
#include "files/files.h"

bool picture_permitted(const struct file_settings *settings, uint64_t width, uint64_t height, uint64_t pixel_bytes,
    struct problem *problem)
{
    if (settings->max_pixels != 0 && height != 0 && width > settings->max_pixels / height)
        return problem_set_kind(problem, PROBLEM_LIMIT,
            "%llu x %llu pixels are more than the limit of %llu; raise it with --max-pixels", (unsigned long long)width,
            (unsigned long long)height, (unsigned long long)settings->max_pixels);
    if (settings->max_memory != 0 && height != 0 && pixel_bytes != 0 &&
        width > settings->max_memory / pixel_bytes / height)
        return problem_set_kind(problem, PROBLEM_LIMIT,
            "%llu x %llu pixels of %llu bytes are more than the memory limit of %llu bytes; raise it with "
            "--max-memory",
            (unsigned long long)width, (unsigned long long)height, (unsigned long long)pixel_bytes,
            (unsigned long long)settings->max_memory);
    return true;
}

bool memory_permitted(const struct file_settings *settings, uint64_t bytes, struct problem *problem)
{
    return settings->max_memory == 0 || bytes <= settings->max_memory ||
           problem_set_kind(problem, PROBLEM_LIMIT,
               "%llu bytes are more than the memory limit of %llu; raise it with --max-memory",
               (unsigned long long)bytes, (unsigned long long)settings->max_memory);
}
