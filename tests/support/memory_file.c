/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the bytes that a writer writes in memory, and fails where a test wants that. */
#include "support/memory_file.h"

#include <string.h>

#include "support/test.h"

static bool take(void *user, uint64_t offset, const void *data, size_t length)
{
    struct memory_file *file = user;
    assert_false(file->failed);
    assert_true(length > 0 && offset <= file->end && offset + length <= file->room);
    assert_true(!file->in_order || offset == file->end);
    file->calls++;
    file->patches += offset < file->end;
    file->failed = file->most > 0 && offset + length > file->most;
    if (file->failed)
        return false;
    memcpy(file->data + offset, data, length);
    file->end = offset + length > file->end ? offset + length : file->end;
    return true;
}

kst_writer memory_file_writer(struct memory_file *file)
{
    return (kst_writer){.size = sizeof(kst_writer), .write = take, .user = file, .in_order = file->in_order};
}
