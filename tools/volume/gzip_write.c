/* SPDX-License-Identifier: BSD-2-Clause */
/* Compresses to a gzip file of one member, a piece at a time; the streams of the pieces are joined to one. */
#include "volume/gzip.h"

#include <stdlib.h>
#include <string.h>

#include "files/deflate/join.h"
#include "files/deflate/library.h"

enum { PIECE = 1 << 20, LEVEL = 6, TRAILER = 8 };

struct gzip_writer {
    struct output *output;
    struct libdeflate_compressor *compressor;
    uint8_t *packed;
    size_t room; /* of `packed` */
    size_t held; /* bytes in `piece` */
    uint32_t checksum;
    uint32_t length; /* of all bytes, modulo 2^32 */
    uint8_t piece[PIECE];
};

struct gzip_writer *gzip_begin(struct output *output, struct problem *problem)
{
    /* Deflate, without a name, a time and flags, from an unknown system. */
    static const uint8_t header[] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255};
    if (!deflate_library_load(problem))
        return NULL;
    struct gzip_writer *writer = calloc(1, sizeof *writer);
    bool good = writer != NULL && (writer->compressor = libdeflate_alloc_compressor(LEVEL)) != NULL;
    if (good) {
        writer->output = output;
        writer->room = libdeflate_deflate_compress_bound(writer->compressor, PIECE) + DEFLATE_JOIN_BYTES;
        good = (writer->packed = malloc(writer->room)) != NULL;
    }
    good = good ? output_write(output, header, sizeof header, problem) : problem_set(problem, "out of memory");
    if (good)
        return writer;
    gzip_free(writer);
    return NULL;
}

static bool put_piece(struct gzip_writer *writer, bool is_last, struct problem *problem)
{
    size_t length = libdeflate_deflate_compress(
        writer->compressor, writer->piece, writer->held, writer->packed, writer->room - DEFLATE_JOIN_BYTES);
    if (length == 0 || (!is_last && !deflate_open_end(writer->packed, &length)))
        return problem_set(problem, "libdeflate cannot compress a piece of the file");
    writer->checksum = libdeflate_crc32(writer->checksum, writer->piece, writer->held);
    writer->length += (uint32_t)writer->held;
    writer->held = 0;
    return output_write(writer->output, writer->packed, length, problem);
}

bool gzip_write(struct gzip_writer *writer, const void *data, size_t length, struct problem *problem)
{
    const uint8_t *from = data;
    while (length > 0) {
        if (writer->held == PIECE && !put_piece(writer, false, problem))
            return false;
        const size_t room = PIECE - writer->held, some = length < room ? length : room;
        memcpy(writer->piece + writer->held, from, some);
        writer->held += some;
        from += some;
        length -= some;
    }
    return true;
}

bool gzip_end(struct gzip_writer *writer, struct problem *problem)
{
    uint8_t trailer[TRAILER];
    if (!put_piece(writer, true, problem))
        return false;
    for (int i = 0; i < 4; i++) {
        trailer[i] = (uint8_t)(writer->checksum >> 8 * i);
        trailer[4 + i] = (uint8_t)(writer->length >> 8 * i);
    }
    return output_write(writer->output, trailer, sizeof trailer, problem);
}

void gzip_free(struct gzip_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->compressor != NULL)
        libdeflate_free_compressor(writer->compressor);
    free(writer->packed);
    free(writer);
}
