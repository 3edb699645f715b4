/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes gzip files (RFC 1952) from front to end. */
#ifndef KOSTKA_TOOL_VOLUME_GZIP_H
#define KOSTKA_TOOL_VOLUME_GZIP_H

#include "files/files.h"
#include "files/output.h"

/* Expands a file, member after member. It takes the same memory for any file. */
struct gzip_reader;

/* Return whether a source begins as gzip files do. */
bool gzip_is(const struct source *source);

/* Begin to read an open source, which must outlive the reader. Returns null after a failure. */
struct gzip_reader *gzip_open(const struct source *source, struct problem *problem);

/* Read exactly so many bytes, or leave them out. Failures name the offset in the file. */
bool gzip_read(struct gzip_reader *reader, void *to, size_t length, struct problem *problem);
bool gzip_skip(struct gzip_reader *reader, uint64_t length, struct problem *problem);

/* Check that nothing is left: no further bytes, and no others than those of members. */
bool gzip_finish(struct gzip_reader *reader, struct problem *problem);
void gzip_close(struct gzip_reader *reader); /* null is allowed */

/* Writes a file of one member. The same contents always make the same bytes. */
struct gzip_writer;
struct gzip_writer *gzip_begin(struct output *output, struct problem *problem);
bool gzip_write(struct gzip_writer *writer, const void *data, size_t length, struct problem *problem);
bool gzip_end(struct gzip_writer *writer, struct problem *problem); /* writes what is left */
void gzip_free(struct gzip_writer *writer);                         /* null is allowed */

#endif
