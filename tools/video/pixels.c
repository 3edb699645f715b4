/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes frames of pixels. A file takes one write at a time, which on a RAM disk is slower than what a GPU decodes:
 * most of it are new pages. There, several threads copy a frame into the file's pages instead.
 */
#include <sys/vfs.h>

#include "files/output.h"
#include "video/parts.h"
#include "video/video.h"

enum { RAM_DISK = 0x01021994 /* TMPFS_MAGIC */ };

/* Return whether threads write the output. They are started with the first frame. */
static bool has_parts(struct video_writer *writer)
{
    struct statfs system;

    if (writer->parts != NULL || writer->helpers == 0)
        return writer->parts != NULL;
    if (!output_in_order(&writer->output) && fstatfs(writer->output.descriptor, &system) == 0 &&
        system.f_type == RAM_DISK)
        writer->parts = parts_start(writer->helpers);
    writer->helpers = 0;
    return writer->parts != NULL;
}

bool pixels_write(struct video_writer *writer, const uint8_t *from, size_t length, struct problem *problem)
{
    struct output *output = &writer->output;
    uint64_t offset;

    if (length < PARTS_LEAST || !has_parts(writer))
        return output_write(output, from, length, problem);
    if (!output_extend(output, length, &offset, problem))
        return false;
    if (parts_write(writer->parts, output->descriptor, offset, from, length))
        return true;
    parts_end(writer->parts); /* an old kernel, or a full disk, of which this call tells */
    writer->parts = NULL;
    return output_write_at(output, offset, from, length, problem);
}
