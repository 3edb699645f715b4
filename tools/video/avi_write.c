/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes AVI files with the indices of OpenDML. The file is a row of lists RIFF of about 1 GiB, each with the index of
 * its frames at the end; the first one has the older index, too. The lengths of the list that is being written, and the
 * number of frames, are updated with each frame, so that the frames of a file that was not finished play.
 */
#include "video/avi_write.h"

#include <stdlib.h>
#include <string.h>

#include "video/avi.h"

enum {
    INDICES = 1024,        /* the most lists RIFF, of which the header has a table */
    LIST_FRAMES = 1 << 16, /* the most frames in one, which bounds the memory for their index */
    LIST_BYTES = 1 << 30,  /* a list that is longer ends */
    HEADER_MOST = 1 << 15, /* room for the headers with that table */
    INDEX_HEAD = 24,       /* bytes in front of the entries of the table or of an index */
    KEY_FRAME = 0x10,      /* a flag of the older index */
    HAS_INDEX = 0x10,
    INTERLEAVED = 0x100,
    TRUSTED = 0x800 /* flags of avih: these and that chunks have right names */
};

struct entry {
    uint32_t offset; /* of the chunk's header, from the list RIFF on */
    uint32_t length;
};

struct avi_out {
    uint64_t riff, movi; /* offsets of the list RIFF that is being written, and of the list movi in it */
    uint32_t lists;      /* lists RIFF that are complete */
    uint32_t largest;    /* bytes of the largest frame */
    uint32_t avih, strh; /* offsets of these chunks' contents, of the table and of the count of all frames */
    uint32_t table, dmlh;
    uint32_t count; /* entries */
    struct entry entry[LIST_FRAMES];
};

/* Bytes of headers or of an index, while they are put together. */
struct bytes {
    uint8_t *data;
    uint32_t length;
};

static void put(struct bytes *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to->data[to->length++] = (uint8_t)(value >> 8 * i);
}

static void put_name(struct bytes *to, const char name[5])
{
    put(to, four(name), 4);
}

/* Begin a chunk or, with a kind, a list. Returns where its length stands. */
static uint32_t open_chunk(struct bytes *to, const char *name, const char *kind)
{
    uint32_t at = to->length + 4;

    put_name(to, name);
    put(to, 0, 4);
    if (kind != NULL)
        put_name(to, kind);
    return at;
}

static void close_chunk(struct bytes *to, uint32_t at)
{
    struct bytes length = {to->data + at, 0};
    put(&length, to->length - at - 4, 4);
}

static const char *codec_name(const struct video_writer *writer)
{
    return writer->info.payload == PAYLOAD_JPEG ? "MJPG" : "MJ2C";
}

static void put_zeros(struct bytes *to, uint32_t count)
{
    memset(to->data + to->length, 0, count);
    to->length += count;
}

static void put_main_header(struct bytes *to, const struct video_writer *writer)
{
    const struct video_info *info = &writer->info;
    struct avi_out *avi = writer->state;
    uint32_t chunk = open_chunk(to, "avih", NULL);

    avi->avih = to->length;
    put(to, (uint64_t)info->rate.under * 1000000 / info->rate.over, 4); /* microseconds a frame */
    put_zeros(to, 8);
    put(to, HAS_INDEX | INTERLEAVED | TRUSTED, 4);
    put_zeros(to, 8);
    put(to, 1, 4); /* stream */
    put_zeros(to, 4);
    put(to, info->shape.width, 4);
    put(to, info->shape.height, 4);
    put_zeros(to, 16);
    close_chunk(to, chunk);
}

static void put_stream_header(struct bytes *to, const struct video_writer *writer)
{
    const struct video_info *info = &writer->info;
    struct avi_out *avi = writer->state;
    uint32_t chunk = open_chunk(to, "strh", NULL);

    avi->strh = to->length;
    put_name(to, "vids");
    put_name(to, codec_name(writer));
    put_zeros(to, 12);
    put(to, info->rate.under, 4);
    put(to, info->rate.over, 4);
    put_zeros(to, 12); /* start, length, the largest chunk */
    put(to, UINT32_MAX, 4);
    put_zeros(to, 8);
    put(to, info->shape.width, 2);
    put(to, info->shape.height, 2);
    close_chunk(to, chunk);
}

static void put_format(struct bytes *to, const struct video_writer *writer)
{
    const struct video_shape *shape = &writer->info.shape;
    uint32_t chunk = open_chunk(to, "strf", NULL);

    put(to, 40, 4);
    put(to, shape->width, 4);
    put(to, shape->height, 4);
    put(to, 1, 2);
    put(to, 24, 2);
    put_name(to, codec_name(writer));
    put(to, (uint64_t)shape->width * shape->height * 3, 4);
    put_zeros(to, 16);
    close_chunk(to, chunk);
}

/* The table of indices, which has no entries yet. */
static void put_table(struct bytes *to, struct avi_out *avi)
{
    uint32_t chunk = open_chunk(to, "indx", NULL);

    avi->table = to->length;
    put(to, 4, 2); /* numbers in an entry, of 32 bits; the next two zeros say that these are indices */
    put_zeros(to, 6);
    put_name(to, "00dc");
    put_zeros(to, 12 + 16 * INDICES);
    close_chunk(to, chunk);
}

/* The proportions of the picture, where those of pixels are known. */
static void put_aspect(struct bytes *to, const struct video_info *info)
{
    const struct video_shape *shape = &info->shape;
    struct video_ratio across = ratio_reduce((struct video_ratio){shape->width, info->aspect.under});
    struct video_ratio down = ratio_reduce((struct video_ratio){shape->height, info->aspect.over});
    uint64_t x = (uint64_t)across.over * down.under, y = (uint64_t)across.under * down.over;

    if (info->aspect.over == 0 || x > UINT32_MAX || y > UINT32_MAX)
        return;
    struct video_ratio picture = ratio_reduce((struct video_ratio){(uint32_t)x, (uint32_t)y});
    if (picture.over > UINT16_MAX || picture.under > UINT16_MAX)
        return;
    uint32_t chunk = open_chunk(to, "vprp", NULL);
    put_zeros(to, 8);
    put(to, (info->rate.over + info->rate.under / 2) / info->rate.under, 4);
    put(to, shape->width, 4);
    put(to, shape->height, 4);
    put(to, picture.under, 2);
    put(to, picture.over, 2);
    put(to, shape->width, 4);
    put(to, shape->height, 4);
    put(to, 1, 4); /* field a frame, which is all of it */
    for (int i = 0; i < 2; i++) {
        put(to, shape->height, 4);
        put(to, shape->width, 4);
    }
    put_zeros(to, 16);
    close_chunk(to, chunk);
}

static void put_headers(struct bytes *to, const struct video_writer *writer)
{
    struct avi_out *avi = writer->state;

    open_chunk(to, "RIFF", "AVI ");
    uint32_t headers = open_chunk(to, "LIST", "hdrl");
    put_main_header(to, writer);
    uint32_t stream = open_chunk(to, "LIST", "strl");
    put_stream_header(to, writer);
    put_format(to, writer);
    put_table(to, avi);
    put_aspect(to, &writer->info);
    close_chunk(to, stream);
    uint32_t extended = open_chunk(to, "LIST", "odml");
    uint32_t count = open_chunk(to, "dmlh", NULL);
    avi->dmlh = to->length;
    put_zeros(to, 248);
    close_chunk(to, count);
    close_chunk(to, extended);
    close_chunk(to, headers);
    avi->movi = to->length;
    open_chunk(to, "LIST", "movi");
}

/* Write what has been put together, so that it is in the file before a part of it changes. */
static bool write_bytes(struct video_writer *writer, const struct bytes *from, struct problem *problem)
{
    return output_write(&writer->output, from->data, from->length, problem) &&
           output_end_at(&writer->output, writer->output.written, problem);
}

bool avi_begin(struct video_writer *writer, struct problem *problem)
{
    const struct video_info *info = &writer->info;
    struct bytes headers = {malloc(HEADER_MOST), 0};

    if (info->shape.width > UINT16_MAX || info->shape.height > UINT16_MAX) {
        free(headers.data);
        return problem_set(problem, "AVI has frames of up to 65,535 pixels in width and height");
    }
    writer->state = calloc(1, sizeof(struct avi_out));
    if (headers.data == NULL || writer->state == NULL) {
        free(headers.data);
        return problem_set(problem, "out of memory");
    }
    put_headers(&headers, writer);
    bool good = write_bytes(writer, &headers, problem);
    free(headers.data);
    return good;
}

static bool patch(struct video_writer *writer, uint64_t at, uint64_t value, unsigned bytes, struct problem *problem)
{
    uint8_t number[8];
    struct bytes to = {number, 0};

    put(&to, value, bytes);
    return output_write_at(&writer->output, at, number, bytes, problem);
}

/* Write what has been gathered, then update the lengths of the lists that are being written, and the frames' numbers.
 */
static bool update(struct video_writer *writer, struct problem *problem)
{
    struct avi_out *avi = writer->state;
    uint64_t end = writer->output.written;

    return output_end_at(&writer->output, end, problem) &&
           patch(writer, avi->riff + 4, end - avi->riff - 8, 4, problem) &&
           patch(writer, avi->movi + 4, end - avi->movi - 8, 4, problem) &&
           (avi->lists > 0 || patch(writer, avi->avih + AVIH_FRAMES, writer->count, 4, problem)) &&
           patch(writer, avi->strh + 32, writer->count, 4, problem) &&
           patch(writer, avi->dmlh, writer->count, 4, problem);
}

/* Put the index of OpenDML together, whose offsets count from the list RIFF to the frame's first byte. */
static void put_index(struct bytes *to, const struct avi_out *avi)
{
    uint32_t chunk = open_chunk(to, "ix00", NULL);

    put(to, 2, 2);
    put(to, 0x100, 2); /* an index of chunks */
    put(to, avi->count, 4);
    put_name(to, "00dc");
    put(to, avi->riff, 8);
    put(to, 0, 4);
    for (uint32_t i = 0; i < avi->count; i++) {
        put(to, avi->entry[i].offset + 8, 4);
        put(to, avi->entry[i].length, 4);
    }
    close_chunk(to, chunk);
}

/* Put the older index together, whose offsets count from the word movi to the chunk's header. */
static void put_old_index(struct bytes *to, const struct avi_out *avi)
{
    uint32_t chunk = open_chunk(to, "idx1", NULL);

    for (uint32_t i = 0; i < avi->count; i++) {
        put_name(to, "00dc");
        put(to, KEY_FRAME, 4);
        put(to, avi->entry[i].offset - (avi->movi + 8 - avi->riff), 4);
        put(to, avi->entry[i].length, 4);
    }
    close_chunk(to, chunk);
}

/* Add the index that has just been written to the table. */
static bool note_index(struct video_writer *writer, uint64_t at, uint32_t length, struct problem *problem)
{
    struct avi_out *avi = writer->state;
    uint64_t entry = avi->table + INDEX_HEAD + 16 * (uint64_t)avi->lists;

    return patch(writer, entry, at, 8, problem) && patch(writer, entry + 8, length, 4, problem) &&
           patch(writer, entry + 12, avi->count, 4, problem) &&
           patch(writer, avi->table + 4, avi->lists + 1, 4, problem);
}

/* End the list RIFF with its indices. */
static bool end_list(struct video_writer *writer, struct problem *problem)
{
    struct avi_out *avi = writer->state;
    struct bytes index = {malloc(INDEX_HEAD + 8 + 16 * (size_t)avi->count + 8), 0};
    uint64_t at = writer->output.written;

    if (index.data == NULL)
        return problem_set(problem, "out of memory");
    put_index(&index, avi);
    bool good = write_bytes(writer, &index, problem) && update(writer, problem) &&
                note_index(writer, at, index.length, problem);
    if (good && avi->lists == 0) {
        index.length = 0;
        put_old_index(&index, avi);
        good = write_bytes(writer, &index, problem) &&
               patch(writer, avi->riff + 4, writer->output.written - avi->riff - 8, 4, problem);
    }
    free(index.data);
    avi->lists++;
    avi->count = 0;
    return good;
}

static bool begin_list(struct video_writer *writer, struct problem *problem)
{
    struct avi_out *avi = writer->state;
    uint8_t data[32];
    struct bytes head = {data, 0};

    if (avi->lists == INDICES)
        return problem_set(problem, "the file is full: its table has room for %d lists of frames", (int)INDICES);
    avi->riff = writer->output.written;
    open_chunk(&head, "RIFF", "AVIX");
    avi->movi = avi->riff + head.length;
    open_chunk(&head, "LIST", "movi");
    return write_bytes(writer, &head, problem);
}

static bool is_full(const struct video_writer *writer, size_t length)
{
    const struct avi_out *avi = writer->state;
    uint64_t bytes = writer->output.written - avi->riff;

    return avi->count == LIST_FRAMES || (avi->count > 0 && bytes + length > LIST_BYTES);
}

bool avi_add(struct video_writer *writer, struct video_frame *frame, struct problem *problem)
{
    struct avi_out *avi = writer->state;
    uint8_t data[8];
    struct bytes head = {data, 0};
    const uint8_t padding = 0;

    if (frame->length > LIST_BYTES)
        return problem_set(problem, "a frame of %zu bytes is too large for AVI", frame->length);
    if (is_full(writer, frame->length) && !(end_list(writer, problem) && begin_list(writer, problem)))
        return false;
    avi->entry[avi->count++] = (struct entry){(uint32_t)(writer->output.written - avi->riff), (uint32_t)frame->length};
    avi->largest = avi->largest > frame->length ? avi->largest : (uint32_t)frame->length;
    put_name(&head, "00dc");
    put(&head, frame->length, 4);
    bool good = output_write(&writer->output, data, sizeof data, problem) &&
                output_write(&writer->output, frame->bytes, frame->length, problem) &&
                ((frame->length & 1) == 0 || output_write(&writer->output, &padding, 1, problem));
    return good && update(writer, problem);
}

bool avi_end(struct video_writer *writer, struct problem *problem)
{
    const struct avi_out *avi = writer->state;

    return end_list(writer, problem) && patch(writer, avi->avih + 28, avi->largest, 4, problem) &&
           patch(writer, avi->strh + 36, avi->largest, 4, problem);
}

void avi_drop(struct video_writer *writer)
{
    free(writer->state);
    writer->state = NULL;
}
