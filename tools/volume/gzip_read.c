/* SPDX-License-Identifier: BSD-2-Clause */
/* Expands gzip files, a piece of the file at a time, and no further than what is asked for. */
#include "volume/gzip.h"

#include <stdlib.h>

#include "volume/zlib_library.h"

enum {
    PIECE = 1 << 16,
    LARGEST = 1 << 30,  /* bytes that are asked of zlib at once */
    WINDOW_OF_GZIP = 31 /* of deflate's largest size, 15, with the wrapping of gzip, 16 */
};

struct gzip_reader {
    const struct source *source;
    z_stream stream;
    uint64_t next; /* offset of the file's next piece */
    bool ended;    /* between members */
    uint8_t piece[PIECE];
};

bool gzip_is(const struct source *source)
{
    return source->length >= 2 && source->data[0] == 0x1F && source->data[1] == 0x8B;
}

struct gzip_reader *gzip_open(const struct source *source, struct problem *problem)
{
    if (!zlib_library_load(problem))
        return NULL;
    struct gzip_reader *reader = calloc(1, sizeof *reader);
    if (reader != NULL && inflateInit2(&reader->stream, WINDOW_OF_GZIP) == Z_OK) {
        reader->source = source;
        return reader;
    }
    free(reader);
    problem_set(problem, "out of memory");
    return NULL;
}

/* Return the offset of the byte that zlib takes next. */
static unsigned long long offset_of(const struct gzip_reader *reader)
{
    return reader->next - reader->stream.avail_in;
}

/* Read the next piece of the file, unless bytes are left or the file has ended. */
static bool refill(struct gzip_reader *reader, struct problem *problem)
{
    const uint64_t left = source_size(reader->source) - reader->next;
    const size_t length = left < PIECE ? (size_t)left : PIECE;
    if (reader->stream.avail_in > 0 || length == 0)
        return true;
    if (!source_at(reader->source, reader->next, length, reader->piece, problem))
        return false;
    reader->next += length;
    reader->stream.next_in = reader->piece;
    reader->stream.avail_in = (uInt)length;
    return true;
}

/* Expand more of a member, or begin the next one. The file has not ended. */
static bool expand(struct gzip_reader *reader, struct problem *problem)
{
    z_stream *stream = &reader->stream;
    if (reader->ended && inflateReset(stream) != Z_OK)
        return problem_set(problem, "out of memory");
    reader->ended = false;
    const int result = inflate(stream, Z_NO_FLUSH);
    reader->ended = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR)
        return true;
    if (result == Z_MEM_ERROR)
        return problem_set(problem, "out of memory");
    return problem_set(problem, "gzip: at byte %llu: %s", offset_of(reader),
        stream->msg != NULL ? stream->msg : "the data are damaged");
}

bool gzip_read(struct gzip_reader *reader, void *to, size_t length, struct problem *problem)
{
    z_stream *stream = &reader->stream;
    stream->next_out = to;
    stream->avail_out = 0;
    for (size_t left = length; left > 0 || stream->avail_out > 0;) {
        if (stream->avail_out == 0) {
            stream->avail_out = left < LARGEST ? (uInt)left : LARGEST;
            left -= stream->avail_out;
        }
        if (!refill(reader, problem))
            return false;
        if (stream->avail_in == 0)
            return problem_set(problem, "gzip: the file ends at byte %llu, before the last sample", offset_of(reader));
        if (!expand(reader, problem))
            return false;
    }
    return true;
}

bool gzip_skip(struct gzip_reader *reader, uint64_t length, struct problem *problem)
{
    uint8_t none[1 << 12];
    for (size_t some; length > 0; length -= some) {
        some = length < sizeof none ? (size_t)length : sizeof none;
        if (!gzip_read(reader, none, some, problem))
            return false;
    }
    return true;
}

bool gzip_finish(struct gzip_reader *reader, struct problem *problem)
{
    z_stream *stream = &reader->stream;
    uint8_t more;
    stream->next_out = &more;
    stream->avail_out = 1;
    for (;;) {
        if (!refill(reader, problem))
            return false;
        if (stream->avail_in == 0)
            return reader->ended ||
                   problem_set(problem, "gzip: the file ends at byte %llu, before its checksum", offset_of(reader));
        if (!expand(reader, problem))
            return false;
        if (stream->avail_out == 0)
            return problem_set(
                problem, "gzip: it expands to more than its header says, at byte %llu", offset_of(reader));
    }
}

void gzip_close(struct gzip_reader *reader)
{
    if (reader != NULL)
        inflateEnd(&reader->stream);
    free(reader);
}
