/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes AVI files with the indices of OpenDML. The file is a sequence of RIFF lists of about 1 GiB, each of which ends
 * with an index for each of its streams; the first list also has the older index of all streams. The lengths of the
 * current list, and of the streams, are updated with each frame, so that an unfinished file can be played as far as it
 * goes. Stream 0 has the frames; the sound of the tracks follows in the order of the tracks.
 */
#include "video/avi_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "video/avi.h"

enum {
    INDICES = 1024,        /* the most RIFF lists: each stream's header has a table of this size */
    LIST_CHUNKS = 1 << 16, /* the most frames and packets of a list, which bounds the memory for their index */
    LIST_BYTES = 1 << 30,  /* a list ends before it becomes longer */
    STREAM_MOST = 1 << 15, /* room for a stream's header with that table, but without a sound format */
    WAVE_MOST = 1 << 16,   /* room for a sound format */
    STREAMS = 1 + TRACKS_MOST,
    STREAM_LENGTH = 32, /* offset of dwLength in the chunk strh; dwSuggestedBufferSize follows */
    CHUNK_HEAD = 8,     /* bytes of a chunk's name and length */
    INDEX_HEAD = 24,    /* bytes in front of the entries of the table or of an index */
    KEY_FRAME = 0x10,   /* a flag of the older index */
    HAS_INDEX = 0x10,
    INTERLEAVED = 0x100,
    TRUSTED = 0x800 /* flags of avih: HAS_INDEX, INTERLEAVED, and that the types of chunks can be trusted */
};

struct entry {
    uint32_t offset; /* offset of the chunk's header in the RIFF list */
    uint32_t length;
    uint32_t stream;
};

struct stream {
    char name[5];                    /* name of its chunks */
    const struct video_track *track; /* the track with the sound; null: the stream has the frames */
    uint64_t units;                  /* number of frames, or of units of sound, so far */
    uint64_t bytes;
    uint32_t largest;         /* bytes of the largest chunk */
    uint32_t strh, table;     /* offsets of the contents of the chunks strh and indx */
    uint32_t indices, listed; /* indices in the table, and units before the current list */
};

struct avi_out {
    uint64_t riff, movi; /* offsets of the current RIFF list, and of the movi list in it */
    uint32_t lists;      /* number of complete RIFF lists */
    uint32_t avih, dmlh; /* offsets of the contents of these chunks, which state numbers of frames */
    struct stream stream[STREAMS];
    uint32_t streams;
    uint32_t count; /* number of entries */
    struct entry entry[LIST_CHUNKS];
};

/* Holds the bytes of headers or of an index while they are put together. */
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

/* Begin a chunk or, with a kind, a list. Returns the offset of its length. */
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
    put(to, (uint64_t)info->rate.under * 1000000 / info->rate.over, 4); /* microseconds per frame */
    put_zeros(to, 8);
    put(to, HAS_INDEX | INTERLEAVED | TRUSTED, 4);
    put_zeros(to, 8);
    put(to, avi->streams, 4);
    put_zeros(to, 4);
    put(to, info->shape.width, 4);
    put(to, info->shape.height, 4);
    put_zeros(to, 16);
    close_chunk(to, chunk);
}

static void put_stream_header(struct bytes *to, const struct video_writer *writer, struct stream *stream)
{
    const struct video_info *info = &writer->info;
    uint32_t chunk = open_chunk(to, "strh", NULL);

    stream->strh = to->length;
    put_name(to, "vids");
    put_name(to, codec_name(writer));
    put_zeros(to, 12);
    put(to, info->rate.under, 4);
    put(to, info->rate.over, 4);
    put_zeros(to, 12); /* start, length, size of the largest chunk */
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

/* Put the header and the format of a sound stream. Its units have a constant length, or each packet is a unit. */
static void put_sound(struct bytes *to, struct stream *stream)
{
    const struct video_track *track = stream->track;
    uint32_t header = open_chunk(to, "strh", NULL);

    stream->strh = to->length;
    put_name(to, "auds");
    put_zeros(to, 16);
    put(to, track->wave_unit.over, 4);
    put(to, track->wave_unit.under, 4);
    put_zeros(to, 12); /* start, length, size of the largest chunk */
    put(to, UINT32_MAX, 4);
    put(to, track->wave_bytes, 4);
    put_zeros(to, 8);
    close_chunk(to, header);
    uint32_t format = open_chunk(to, "strf", NULL);
    memcpy(to->data + to->length, track->wave, track->wave_length);
    to->length += track->wave_length;
    close_chunk(to, format);
    put_zeros(to, track->wave_length & 1);
}

/* Put the table of indices, which has no entries yet. */
static void put_table(struct bytes *to, struct stream *stream)
{
    uint32_t chunk = open_chunk(to, "indx", NULL);

    stream->table = to->length;
    put(to, 4, 2); /* 32-bit numbers in an entry; the next two zeros say that the entries are indices */
    put_zeros(to, 6);
    put_name(to, stream->name);
    put_zeros(to, 12 + 16 * INDICES);
    close_chunk(to, chunk);
}

/* Put the aspect ratio of the picture, if that of pixels is known. */
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
    put(to, 1, 4); /* one field per frame, the whole frame */
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
    for (struct stream *stream = avi->stream; stream < avi->stream + avi->streams; stream++) {
        uint32_t list = open_chunk(to, "LIST", "strl");
        if (stream->track != NULL) {
            put_sound(to, stream);
        } else {
            put_stream_header(to, writer, stream);
            put_format(to, writer);
        }
        put_table(to, stream);
        if (stream->track == NULL)
            put_aspect(to, &writer->info);
        close_chunk(to, list);
    }
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

/* Write these bytes to the file at once, because parts of them are changed there later. */
static bool write_bytes(struct video_writer *writer, const struct bytes *from, struct problem *problem)
{
    return output_write(&writer->output, from->data, from->length, problem) &&
           output_end_at(&writer->output, writer->output.written, problem);
}

/* Make the streams: one for the frames, and one for each track that RIFF can describe. */
static void choose_streams(struct video_writer *writer)
{
    struct avi_out *avi = writer->state;

    avi->stream[avi->streams++] = (struct stream){.name = "00dc"};
    for (uint32_t i = 0; i < writer->tracks; i++) {
        struct video_track *track = &writer->track[i];
        track->copied = track->wave != NULL && track->wave_length <= WAVE_MOST;
        if (!track->copied)
            continue;
        struct stream *stream = &avi->stream[avi->streams];
        *stream = (struct stream){.track = track};
        snprintf(stream->name, sizeof stream->name, "%02uwb", (unsigned)avi->streams++ % 100);
    }
}

bool avi_begin(struct video_writer *writer, struct problem *problem)
{
    const struct video_info *info = &writer->info;

    if (info->shape.width > UINT16_MAX || info->shape.height > UINT16_MAX)
        return problem_set(problem, "AVI has frames of up to 65,535 pixels in width and height");
    struct avi_out *avi = writer->state = calloc(1, sizeof *avi);
    if (avi == NULL)
        return problem_set(problem, "out of memory");
    choose_streams(writer);
    if (!tracks_keep_time(writer, problem))
        return false;
    struct bytes headers = {malloc((size_t)avi->streams * (STREAM_MOST + WAVE_MOST)), 0};
    if (headers.data == NULL)
        return problem_set(problem, "out of memory");
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

/* Write the gathered bytes, then update the lengths of the current lists, and of the streams. */
static bool update(struct video_writer *writer, struct problem *problem)
{
    struct avi_out *avi = writer->state;
    uint64_t end = writer->output.written, frames = avi->stream[0].units;
    bool good = output_end_at(&writer->output, end, problem) &&
                patch(writer, avi->riff + 4, end - avi->riff - 8, 4, problem) &&
                patch(writer, avi->movi + 4, end - avi->movi - 8, 4, problem) &&
                (avi->lists > 0 || patch(writer, avi->avih + AVIH_FRAMES, frames, 4, problem)) &&
                patch(writer, avi->dmlh, frames, 4, problem);

    for (uint32_t i = 0; good && i < avi->streams; i++)
        good = patch(writer, avi->stream[i].strh + STREAM_LENGTH, avi->stream[i].units, 4, problem);
    return good;
}

/*
 * Make a stream's OpenDML index, whose offsets count from the RIFF list to a chunk's first byte of data. Returns the
 * number of its entries.
 */
static uint32_t put_index(struct bytes *to, const struct avi_out *avi, uint32_t stream)
{
    const char name[5] = {'i', 'x', avi->stream[stream].name[0], avi->stream[stream].name[1], '\0'};
    uint32_t chunk = open_chunk(to, name, NULL), count = 0;

    put(to, 2, 2);
    put(to, 0x100, 2); /* an index of chunks */
    put_zeros(to, 4);
    put_name(to, avi->stream[stream].name);
    put(to, avi->riff, 8);
    put(to, 0, 4);
    for (uint32_t i = 0; i < avi->count; i++) {
        if (avi->entry[i].stream != stream)
            continue;
        put(to, avi->entry[i].offset + 8, 4);
        put(to, avi->entry[i].length, 4);
        count++;
    }
    struct bytes entries = {to->data + chunk + 8, 0};
    put(&entries, count, 4);
    close_chunk(to, chunk);
    return count;
}

/* Make the older index, whose offsets count from the word movi to the chunk's header. */
static void put_old_index(struct bytes *to, const struct avi_out *avi)
{
    uint32_t chunk = open_chunk(to, "idx1", NULL);

    for (uint32_t i = 0; i < avi->count; i++) {
        put_name(to, avi->stream[avi->entry[i].stream].name);
        put(to, KEY_FRAME, 4);
        put(to, avi->entry[i].offset - (avi->movi + 8 - avi->riff), 4);
        put(to, avi->entry[i].length, 4);
    }
    close_chunk(to, chunk);
}

/*
 * Write a stream's index of the current list, and add it to the stream's table, with the number of the stream's units
 * in the list.
 */
static bool write_index(struct video_writer *writer, uint32_t number, struct bytes *index, struct problem *problem)
{
    struct avi_out *avi = writer->state;
    struct stream *stream = &avi->stream[number];
    uint64_t at = writer->output.written, entry = stream->table + INDEX_HEAD + 16 * (uint64_t)stream->indices;
    uint64_t units = stream->units - stream->listed;

    index->length = 0;
    if (put_index(index, avi, number) == 0)
        return true;
    stream->indices++;
    stream->listed = (uint32_t)stream->units;
    return write_bytes(writer, index, problem) && patch(writer, entry, at, 8, problem) &&
           patch(writer, entry + 8, index->length, 4, problem) && patch(writer, entry + 12, units, 4, problem) &&
           patch(writer, stream->table + 4, stream->indices, 4, problem);
}

/* End the current RIFF list with its indices. */
static bool end_list(struct video_writer *writer, struct problem *problem)
{
    struct avi_out *avi = writer->state;
    struct bytes index = {malloc(INDEX_HEAD + 8 + 16 * (size_t)avi->count + 8), 0};
    bool good = index.data != NULL || problem_set(problem, "out of memory");

    for (uint32_t i = 0; good && i < avi->streams; i++)
        good = write_index(writer, i, &index, problem);
    good = good && update(writer, problem);
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

    return avi->count == LIST_CHUNKS || (avi->count > 0 && bytes + length > LIST_BYTES);
}

/* Count a chunk with `units` units of a stream, and make its header. If the list is full, another one begins first. */
static bool begin_chunk(struct video_writer *writer, uint32_t number, uint8_t header[CHUNK_HEAD], size_t length,
    uint64_t units, struct problem *problem)
{
    struct avi_out *avi = writer->state;
    struct stream *stream = &avi->stream[number];
    struct bytes head = {header, 0};

    if (length > LIST_BYTES)
        return problem_set(problem, "a frame of %zu bytes is too large for AVI", length);
    if (is_full(writer, length) && !(end_list(writer, problem) && begin_list(writer, problem)))
        return false;
    avi->entry[avi->count++] = (struct entry){(uint32_t)(writer->output.written - avi->riff), (uint32_t)length, number};
    stream->largest = stream->largest > length ? stream->largest : (uint32_t)length;
    stream->units += units;
    stream->bytes += length;
    put_name(&head, stream->name);
    put(&head, length, 4);
    return true;
}

/* Write the padding byte of a chunk of odd length. */
static bool end_chunk(struct video_writer *writer, size_t length, struct problem *problem)
{
    const uint8_t padding = 0;
    return (length & 1) == 0 || output_write(&writer->output, &padding, 1, problem);
}

/*
 * Write a frame. The chunk's header is put into the room in front of the frame, so that one call writes both without a
 * copy.
 */
bool avi_add(struct video_writer *writer, struct video_frame *frame, struct problem *problem)
{
    uint8_t *chunk = frame->bytes - CHUNK_HEAD;

    return begin_chunk(writer, 0, chunk, frame->length, 1, problem) &&
           output_write_now(&writer->output, chunk, CHUNK_HEAD + frame->length, problem) &&
           end_chunk(writer, frame->length, problem) && update(writer, problem);
}

/*
 * Set the start of a sound stream to the time of its first packet. AVI cannot express that sound begins before the
 * frames.
 */
static bool set_start(struct video_writer *writer, const struct stream *stream, int64_t time, struct problem *problem)
{
    const struct video_ratio unit = stream->track->unit, wave = stream->track->wave_unit;
    double seconds = (double)time * unit.over / unit.under - (double)writer->info.start / 1e6;
    double start = seconds * wave.under / wave.over;

    return !(start >= 1 && start <= UINT32_MAX) ||
           patch(writer, stream->strh + STREAM_LENGTH - 4, (uint64_t)(start + 0.5), 4, problem);
}

/* The units of constant length are counted from all bytes so far, because a packet may end inside a unit. */
bool avi_add_packet(struct video_writer *writer, const struct video_packet *packet, struct problem *problem)
{
    const struct avi_out *avi = writer->state;
    const struct video_track *track = &writer->track[packet->track];
    uint32_t number = 1;

    while (avi->stream[number].track != track)
        number++;
    const struct stream *stream = &avi->stream[number];
    uint64_t units = 1;
    if (track->wave_bytes > 0)
        units = (stream->bytes + packet->length) / track->wave_bytes - stream->units;
    uint8_t header[CHUNK_HEAD];
    return (stream->bytes > 0 || set_start(writer, stream, packet->time, problem)) &&
           begin_chunk(writer, number, header, packet->length, units, problem) &&
           output_write(&writer->output, header, sizeof header, problem) &&
           output_write(&writer->output, packet->bytes, packet->length, problem) &&
           end_chunk(writer, packet->length, problem);
}

bool avi_end(struct video_writer *writer, struct problem *problem)
{
    const struct avi_out *avi = writer->state;
    bool good = end_list(writer, problem) && patch(writer, avi->avih + 28, avi->stream[0].largest, 4, problem);

    for (uint32_t i = 0; good && i < avi->streams; i++)
        good = patch(writer, avi->stream[i].strh + STREAM_LENGTH + 4, avi->stream[i].largest, 4, problem);
    return good;
}

void avi_drop(struct video_writer *writer)
{
    free(writer->state);
    writer->state = NULL;
}
