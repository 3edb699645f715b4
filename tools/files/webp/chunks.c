/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the chunks of WebP files: finds the first frame of an animation, and keeps metadata. */
#include <string.h>

#include "files/bytes.h"
#include "files/webp/file.h"

enum { RIFF_HEADER = 12, CHUNK_HEADER = 8, FRAME_HEADER = 16, MARKER_XMP = 0xE1 };

/* Describes a part of the file that consists of chunks, one after the other. */
struct chunks {
    const uint8_t *data;
    size_t length, at;
};

struct chunk {
    const uint8_t *name; /* four letters */
    const uint8_t *data; /* the chunk's contents, as far as the file has them */
    size_t length;
    bool cut; /* the file ends inside this chunk */
};

/*
 * Advance to the next chunk. Returns false if no further chunk header follows. A chunk of odd length is followed by a
 * byte of padding (RFC 9649, 2.3).
 */
static bool next(struct chunks *chunks, struct chunk *chunk)
{
    if (chunks->length - chunks->at < CHUNK_HEADER)
        return false;
    const uint8_t *header = chunks->data + chunks->at;
    size_t left = chunks->length - chunks->at - CHUNK_HEADER, length = little_endian(header + 4, 4);
    *chunk = (struct chunk){header, header + CHUNK_HEADER, length < left ? length : left, length > left};
    size_t padded = chunk->length + (chunk->length < left && chunk->length % 2 != 0);
    chunks->at += CHUNK_HEADER + padded;
    return true;
}

/* Return all chunks of the file. Bytes beyond the length in the RIFF header are not part of it (2.4). */
static struct chunks chunks_of(const struct source *source)
{
    uint64_t stated = CHUNK_HEADER + (uint64_t)little_endian(source->data + 4, 4);
    size_t length = stated < source->length ? (size_t)stated : source->length;

    return (struct chunks){source->data, length > RIFF_HEADER ? length : RIFF_HEADER, RIFF_HEADER};
}

static bool is_named(const struct chunk *chunk, const char *name)
{
    return memcmp(chunk->name, name, 4) == 0;
}

static size_t offset_of(const struct source *source, const struct chunk *chunk)
{
    return (size_t)(chunk->name - source->data);
}

/* Report a chunk that reaches beyond the file, or beyond the length that the file's header states. */
static bool explain_cut(const struct source *source, const struct chunk *chunk, struct problem *problem)
{
    uint32_t stated = little_endian(source->data + 4, 4);

    if (CHUNK_HEADER + (uint64_t)stated < source->length)
        return problem_set(problem,
            "WebP: the chunk %.4s at byte %zu reaches beyond the %u bytes that the RIFF header states",
            (const char *)chunk->name, offset_of(source, chunk), (unsigned)stated);
    return problem_set(problem, "WebP: the file ends too early, in the chunk %.4s at byte %zu",
        (const char *)chunk->name, offset_of(source, chunk));
}

static bool is_picture(const struct chunk *chunk)
{
    return is_named(chunk, "VP8 ") || is_named(chunk, "VP8L");
}

/* Return what is wrong with a chunk that holds no picture; null if nothing is wrong. */
static const char *fault_of(const struct chunk *chunk, bool first)
{
    enum { EXTENDED_LENGTH = 10 /* of VP8X */, CANVAS = 4 };

    if (!is_named(chunk, "VP8X"))
        return first && !is_picture(chunk) ? "is none that a WebP file begins with" : NULL;
    if (little_endian(chunk->name + 4, 4) != EXTENDED_LENGTH)
        return "has not 10 bytes";
    if (chunk->cut)
        return NULL;
    uint64_t width = 1 + (uint64_t)little_endian(chunk->data + CANVAS, 3);
    return width * (1 + (uint64_t)little_endian(chunk->data + CANVAS + 3, 3)) > UINT32_MAX
               ? "states a canvas of more than 4294967295 pixels"
               : NULL;
}

static bool explain_chunk(
    const struct source *source, const struct chunk *chunk, const char *fault, struct problem *problem)
{
    return problem_set(
        problem, "WebP: the chunk %.4s at byte %zu %s", (const char *)chunk->name, offset_of(source, chunk), fault);
}

/*
 * If libwebp has asked for more bytes, a complete picture is not the cause: a later chunk that is cut off is reported
 * instead.
 */
bool webp_explain(const struct source *source, const struct webp_frame *frame, bool ended, struct problem *problem)
{
    struct chunks chunks = chunks_of(source);
    struct chunk chunk, picture = {0};
    bool whole = frame->data == source->data;

    if (!whole) {
        chunks.at = (size_t)(frame->data - source->data);
        chunks.length = chunks.at + frame->length;
    }
    for (bool first = whole; next(&chunks, &chunk); first = false) {
        const char *fault = fault_of(&chunk, first);
        if (fault != NULL)
            return explain_chunk(source, &chunk, fault, problem);
        if (chunk.cut)
            return explain_cut(source, &chunk, problem);
        if (is_picture(&chunk) && !ended)
            return explain_chunk(source, &chunk, "is damaged", problem);
        if (is_picture(&chunk) && picture.name == NULL)
            picture = chunk;
    }
    if (ended && CHUNK_HEADER + (uint64_t)little_endian(source->data + 4, 4) > source->length)
        return problem_set(problem, "WebP: the file ends too early, at byte %zu", source->length);
    if (picture.name != NULL)
        return explain_chunk(source, &picture, "ends too early", problem);
    return problem_set(problem, "WebP: there is no picture before byte %zu, where its chunks end", chunks.length);
}

bool webp_first_frame(const struct source *source, struct webp_frame *frame, struct problem *problem)
{
    struct chunks chunks = chunks_of(source);
    struct chunk chunk;

    frame->data = NULL;
    while (next(&chunks, &chunk)) {
        if (!is_named(&chunk, "ANMF"))
            continue;
        frame->animated = frame->data != NULL;
        if (frame->animated)
            return true;
        if (chunk.length < FRAME_HEADER)
            return problem_set(problem, "WebP: the file ends in the header of its first frame, at byte %zu",
                offset_of(source, &chunk));
        frame->x = 2 * little_endian(chunk.data, 3);
        frame->y = 2 * little_endian(chunk.data + 3, 3);
        frame->width = 1 + little_endian(chunk.data + 6, 3);
        frame->height = 1 + little_endian(chunk.data + 9, 3);
        frame->data = chunk.data + FRAME_HEADER;
        frame->length = chunk.length - FRAME_HEADER;
        if (frame->width > frame->canvas_width || frame->x > frame->canvas_width - frame->width ||
            frame->height > frame->canvas_height || frame->y > frame->canvas_height - frame->height)
            return problem_set(problem,
                "WebP: the first frame, %u x %u at %u, %u, reaches beyond the %u x %u of all, at byte %zu",
                (unsigned)frame->width, (unsigned)frame->height, (unsigned)frame->x, (unsigned)frame->y,
                (unsigned)frame->canvas_width, (unsigned)frame->canvas_height, offset_of(source, &chunk));
    }
    return frame->data != NULL || problem_set(problem, "WebP: an animation without a frame");
}

/* Keep Exif. Some programs put the prefix of JPEG's APP1 segment in front of it, which is dropped. */
static bool keep_exif(struct picture *picture, const struct chunk *chunk)
{
    static const char prefix[6] = "Exif\0";
    size_t skipped =
        chunk->length > sizeof prefix && memcmp(chunk->data, prefix, sizeof prefix) == 0 ? sizeof prefix : 0;

    return picture->exif.data != NULL || blob_set(&picture->exif, chunk->data + skipped, chunk->length - skipped);
}

/*
 * Keep a chunk of metadata with the picture. A file may have several chunks of one kind, although RFC 9649 allows one;
 * only the first of them is kept. Returns false if memory is exhausted.
 */
static bool keep(struct picture *picture, const struct chunk *chunk)
{
    if (is_named(chunk, "ICCP"))
        return picture->icc.data != NULL || blob_set(&picture->icc, chunk->data, chunk->length);
    if (is_named(chunk, "EXIF"))
        return keep_exif(picture, chunk);
    if (is_named(chunk, "XMP ") && picture_kept(picture, KST_METADATA_XMP) == NULL)
        return picture_keep(picture, KST_METADATA_XMP, MARKER_XMP, chunk->data, chunk->length);
    return true;
}

bool webp_keep_metadata(const struct source *source, struct picture *picture, struct problem *problem)
{
    struct chunks chunks = chunks_of(source);
    struct chunk chunk;

    while (next(&chunks, &chunk)) {
        if (chunk.cut)
            complain(source->name,
                "warning: WebP: the file ends in a chunk %.4s of metadata or later frames, at byte %zu, which is "
                "dropped",
                (const char *)chunk.name, offset_of(source, &chunk));
        else if (chunk.length > 0 && !keep(picture, &chunk))
            return problem_set(problem, "out of memory");
    }
    return true;
}
