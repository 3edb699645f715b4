/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads AVI files chunk by chunk in the order of the file. Neither an index nor correct lengths of lists are needed, so
 * files that a program did not finish because it was killed can be read, and pipes, too. OpenDML continues a file in
 * further lists RIFF AVIX.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "video/avi.h"
#include "video/avi_write.h"
#include "video/jpeg_frame.h"

enum { CHUNK = 8, LIST = 12, STREAMS = 100, SCALE = 20, RATE = 24, START = 28, SAMPLE = 44, WAVE_MOST = 1 << 16 };

/* Holds what has been read of the headers, and of sound. */
struct avi_in {
    uint32_t streams; /* number of strl lists so far */
    uint32_t video;   /* index of the stream with the frames; STREAMS: none yet */
    bool is_video;    /* the last stream header is that of a video */
    bool is_sound;
    bool shaped; /* the format of the video is known */
    struct video_track track[TRACKS_MOST];
    struct {
        uint32_t stream;         /* index of the track's stream */
        uint64_t start;          /* units before its first packet */
        uint64_t packets, bytes; /* number read so far */
    } place[TRACKS_MOST];
    struct video_frame bytes; /* buffer for the bytes of a packet */
};

struct chunk {
    uint8_t name[4];
    uint32_t length;
    uint64_t offset; /* offset of its header */
};

static bool is(const uint8_t name[4], const char *text)
{
    return memcmp(name, text, 4) == 0;
}

static bool avi_detect(const uint8_t *head, size_t length)
{
    return length >= LIST && is(head, "RIFF") && is(head + 8, "AVI ");
}

/* Read a chunk's header. Returns STEP_END if the file ends, also inside the header. */
static enum video_step chunk_begin(struct video_reader *reader, struct chunk *chunk, struct problem *problem)
{
    size_t had;
    const uint8_t *head = input_peek(&reader->input, CHUNK, &had);

    if (had < CHUNK)
        return input_good(&reader->input, problem) ? STEP_END : STEP_FAILED;
    memcpy(chunk->name, head, 4);
    chunk->length = little_endian(head + 4, 4);
    chunk->offset = reader->input.offset;
    input_use(&reader->input, CHUNK);
    for (int i = 0; i < 4; i++)
        if (chunk->name[i] < ' ' || chunk->name[i] > '~') {
            problem_set(problem, "byte %llu: no RIFF chunk begins here", (unsigned long long)chunk->offset);
            return STEP_FAILED;
        }
    return STEP_FRAME;
}

/* Skip the rest of a chunk, and the padding byte of a chunk of odd length. */
static void chunk_skip(struct video_reader *reader, const struct chunk *chunk, uint32_t used)
{
    input_skip(&reader->input, (uint64_t)(chunk->length - used) + (chunk->length & 1));
}

/* Return whether the chunks inside a list of this kind are read. */
static bool enters(const uint8_t kind[4])
{
    static const char *const lists[] = {"AVI ", "AVIX", "hdrl", "strl", "movi", "rec "};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (is(kind, lists[i]))
            return true;
    return false;
}

static void enter(struct video_reader *reader, const struct chunk *chunk, bool *movie)
{
    struct avi_in *avi = reader->state;
    size_t had;
    const uint8_t *kind = input_peek(&reader->input, 4, &had);

    if (had < 4 || chunk->length < 4 || !enters(kind)) {
        chunk_skip(reader, chunk, 0);
        return;
    }
    avi->streams += is(kind, "strl");
    *movie |= is(kind, "movi");
    input_use(&reader->input, 4);
}

/*
 * Read the first `most` bytes of a chunk, and skip the others. Returns false, with the problem, if it has fewer than
 * `least`.
 */
static bool read_header(struct video_reader *reader, const struct chunk *chunk, uint8_t *bytes, uint32_t least,
    uint32_t most, struct problem *problem)
{
    uint32_t length = chunk->length < most ? chunk->length : most;

    memset(bytes, 0, most);
    if (length < least || input_read(&reader->input, bytes, length) < length)
        return input_good(&reader->input, problem) &&
               problem_set(problem, "byte %llu: the chunk '%.4s' has %u bytes, of %u at least",
                   (unsigned long long)chunk->offset, (const char *)chunk->name, (unsigned)chunk->length,
                   (unsigned)least);
    chunk_skip(reader, chunk, length);
    return true;
}

/* Add a track for a sound stream, according to its header. A stream whose units have no duration is left out. */
static void add_track(struct video_reader *reader, const uint8_t *header)
{
    struct avi_in *avi = reader->state;
    const struct video_ratio unit = {little_endian(header + SCALE, 4), little_endian(header + RATE, 4)};

    avi->is_sound = is(header, "auds") && avi->streams > 0 && avi->streams <= STREAMS && reader->tracks < TRACKS_MOST &&
                    unit.over != 0 && unit.under != 0;
    reader->left_out += !avi->is_sound;
    if (!avi->is_sound)
        return;
    struct video_track *track = &avi->track[reader->tracks];
    *track = (struct video_track){.name = "sound",
        .unit = unit,
        .wave_unit = unit,
        .wave_bytes = little_endian(header + SAMPLE, 4),
        .copied = true};
    avi->place[reader->tracks].stream = avi->streams - 1;
    avi->place[reader->tracks++].start = little_endian(header + START, 4);
}

/* Read a stream header (AVISTREAMHEADER). The first video stream is the one whose frames are read. */
static bool read_stream(struct video_reader *reader, const struct chunk *chunk, struct problem *problem)
{
    struct avi_in *avi = reader->state;
    uint8_t header[56];

    if (!read_header(reader, chunk, header, 48, sizeof header, problem))
        return false;
    avi->is_sound = false;
    avi->is_video = is(header, "vids") && avi->video == STREAMS && avi->streams > 0 && avi->streams <= STREAMS;
    if (!avi->is_video) {
        add_track(reader, header);
        return true;
    }
    avi->video = avi->streams - 1;
    reader->info.rate = (struct video_ratio){little_endian(header + RATE, 4), little_endian(header + SCALE, 4)};
    if (reader->info.rate.over == 0 || reader->info.rate.under == 0)
        reader->info.rate = (struct video_ratio){0, 0};
    return true;
}

/* Find the codec by its name in the video format. */
static bool find_codec(struct video_info *info, const uint8_t name[4], uint64_t offset, struct problem *problem)
{
    static const struct {
        char name[5];
        enum video_payload payload;
    } codecs[] = {{"MJPG", PAYLOAD_JPEG}, {"mjpg", PAYLOAD_JPEG}, {"JPEG", PAYLOAD_JPEG}, {"jpeg", PAYLOAD_JPEG},
        {"AVRn", PAYLOAD_JPEG}, {"dmb1", PAYLOAD_JPEG}, {"MJ2C", PAYLOAD_JPEG2000}, {"mjp2", PAYLOAD_JPEG2000},
        {"LJ2C", PAYLOAD_JPEG2000}, {"LJ2K", PAYLOAD_JPEG2000}};
    char shown[5] = "";

    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (is(name, codecs[i].name)) {
            info->payload = codecs[i].payload;
            return true;
        }
    for (int i = 0; i < 4; i++)
        shown[i] = name[i] >= ' ' && name[i] <= '~' ? (char)name[i] : '?';
    return problem_set(
        problem, "byte %llu: frames are coded as '%s'; MJPG and MJ2C are read", (unsigned long long)offset, shown);
}

/* Keep the sound format (WAVEFORMATEX) unchanged. */
static bool read_wave(struct video_reader *reader, const struct chunk *chunk, struct problem *problem)
{
    struct avi_in *avi = reader->state;
    struct video_track *track = &avi->track[reader->tracks - 1];

    if (chunk->length < 14 || chunk->length > WAVE_MOST || track->wave != NULL)
        return problem_set(problem, "byte %llu: a format of sound of %u bytes", (unsigned long long)chunk->offset,
            (unsigned)chunk->length);
    track->wave = malloc(chunk->length);
    if (track->wave == NULL)
        return problem_set(problem, "out of memory");
    track->wave_length = chunk->length;
    if (!read_header(reader, chunk, track->wave, chunk->length, chunk->length, problem))
        return false;
    snprintf(track->name, sizeof track->name, "sound (format %u of RIFF)", (unsigned)little_endian(track->wave, 2));
    return true;
}

/* Read the video format (BITMAPINFOHEADER). The size of the frames comes from the frames themselves. */
static bool read_format(struct video_reader *reader, const struct chunk *chunk, struct problem *problem)
{
    struct avi_in *avi = reader->state;
    uint8_t header[40];

    if (avi->is_sound)
        return read_wave(reader, chunk, problem);
    if (!avi->is_video) {
        chunk_skip(reader, chunk, 0);
        return true;
    }
    avi->shaped = true;
    return read_header(reader, chunk, header, sizeof header, sizeof header, problem) &&
           find_codec(&reader->info, header + 16, chunk->offset, problem);
}

/* Read the number of frames: first that of the first RIFF list (avih), then that of all lists (dmlh). */
static bool read_count(struct video_reader *reader, const struct chunk *chunk, uint32_t at, struct problem *problem)
{
    uint8_t header[56];

    if (!read_header(reader, chunk, header, at + 4, sizeof header, problem))
        return false;
    reader->info.frames = little_endian(header + at, 4);
    return true;
}

/*
 * Read the aspect ratio of a video (OpenDML, vprp). It is that of the picture; with the frame's size it gives that of a
 * pixel.
 */
static bool read_aspect(struct video_reader *reader, const struct chunk *chunk, struct problem *problem)
{
    uint8_t header[36];

    if (!read_header(reader, chunk, header, sizeof header, sizeof header, problem))
        return false;
    uint64_t across = little_endian(header + 22, 2), down = little_endian(header + 20, 2); /* y first */
    uint64_t over = across * little_endian(header + 28, 4), under = down * little_endian(header + 24, 4);
    if (over != 0 && under != 0 && over <= UINT32_MAX && under <= UINT32_MAX)
        reader->info.aspect = ratio_reduce((struct video_ratio){(uint32_t)over, (uint32_t)under});
    return true;
}

static bool read_chunk(struct video_reader *reader, const struct chunk *chunk, bool *movie, struct problem *problem)
{
    if (is(chunk->name, "RIFF") || is(chunk->name, "LIST"))
        enter(reader, chunk, movie);
    else if (is(chunk->name, "strh"))
        return read_stream(reader, chunk, problem);
    else if (is(chunk->name, "strf"))
        return read_format(reader, chunk, problem);
    else if (is(chunk->name, "avih"))
        return read_count(reader, chunk, AVIH_FRAMES, problem);
    else if (is(chunk->name, "dmlh"))
        return read_count(reader, chunk, 0, problem);
    else if (is(chunk->name, "vprp") && ((struct avi_in *)reader->state)->is_video && chunk->length >= 36)
        return read_aspect(reader, chunk, problem);
    else
        chunk_skip(reader, chunk, 0);
    return true;
}

static bool read_headers(struct video_reader *reader, struct problem *problem)
{
    struct avi_in *avi = reader->state;
    struct chunk chunk;
    bool movie = false;

    while (!movie) {
        enum video_step step = chunk_begin(reader, &chunk, problem);
        if (step == STEP_END)
            return problem_set(
                problem, "byte %llu: the file ends in front of its frames", (unsigned long long)reader->input.offset);
        if (step == STEP_FAILED || !read_chunk(reader, &chunk, &movie, problem))
            return false;
    }
    if (avi->video != STREAMS && avi->shaped)
        return true;
    return problem_set(problem, "byte %llu: no stream with video", (unsigned long long)reader->input.offset);
}

static bool avi_open(struct video_reader *reader, const struct video_wishes *wishes, struct problem *problem)
{
    struct avi_in *avi = calloc(1, sizeof *avi);

    (void)wishes;
    if (avi == NULL)
        return problem_set(problem, "out of memory");
    avi->video = STREAMS;
    reader->state = avi;
    reader->track = avi->track;
    return read_headers(reader, problem);
}

static void avi_close(struct video_reader *reader)
{
    struct avi_in *avi = reader->state;

    for (uint32_t i = 0; avi != NULL && i < TRACKS_MOST; i++)
        free(avi->track[i].wave);
    if (avi != NULL)
        frame_release(&avi->bytes);
    free(avi);
    reader->state = NULL;
}

/* Return whether a chunk's name begins with the stream's index, in two digits. */
static bool is_of(const struct chunk *chunk, uint32_t stream)
{
    return chunk->name[0] == '0' + stream / 10 && chunk->name[1] == '0' + stream % 10;
}

/* Return whether a chunk holds a frame of the stream: the index is followed by db or dc. */
static bool is_frame(const struct avi_in *avi, const struct chunk *chunk)
{
    const uint8_t *name = chunk->name;

    return is_of(chunk, avi->video) && name[2] == 'd' && (name[3] == 'c' || name[3] == 'b');
}

/* Return the index of the copied track that a chunk has a packet of; the number of tracks if there is none. */
static uint32_t find_track(const struct video_reader *reader, const struct chunk *chunk)
{
    const struct avi_in *avi = reader->state;

    for (uint32_t i = 0; i < reader->tracks; i++)
        if (avi->track[i].copied && is_of(chunk, avi->place[i].stream) && chunk->name[2] == 'w' &&
            chunk->name[3] == 'b')
            return i;
    return reader->tracks;
}

/* Return the number of units before a track's next packet. A unit of constant length may be divided among packets. */
static uint64_t units_before(const struct avi_in *avi, uint32_t index)
{
    uint32_t bytes = avi->track[index].wave_bytes;

    return avi->place[index].start + (bytes == 0 ? avi->place[index].packets : avi->place[index].bytes / bytes);
}

/* Read the packet in a chunk. If the file cuts it off, it counts as missing, and this returns STEP_END. */
static enum video_step read_packet(
    struct video_reader *reader, const struct chunk *chunk, uint32_t index, struct problem *problem)
{
    struct avi_in *avi = reader->state;

    avi->bytes.length = 0;
    avi->bytes.offset = chunk->offset;
    enum video_step step = frame_append_input(reader, &avi->bytes, chunk->length, problem);
    if (step == STEP_END)
        reader->missing = chunk->length - avi->bytes.length;
    if (step != STEP_FRAME)
        return step;
    if ((chunk->length & 1) != 0)
        input_skip(&reader->input, 1);
    struct video_packet *packet = packet_make(index, avi->bytes.length, problem);
    if (packet == NULL)
        return STEP_FAILED;
    if (packet->length > 0)
        memcpy(packet->bytes, avi->bytes.bytes, packet->length);
    packet->key = true;
    uint64_t before = units_before(avi, index);
    avi->place[index].packets++;
    avi->place[index].bytes += packet->length;
    packet->time = (int64_t)before;
    packet->duration = (int64_t)(units_before(avi, index) - before);
    reader->packet = packet;
    return STEP_PACKET;
}

/* Read the frame in a chunk. If the file cuts it off, it counts as missing, and this returns STEP_END. */
static enum video_step read_frame(
    struct video_reader *reader, const struct chunk *chunk, struct video_frame *frame, struct problem *problem)
{
    frame->length = 0;
    frame->offset = chunk->offset;
    enum video_step step = frame_append_input(reader, frame, chunk->length, problem);
    if (step == STEP_END)
        reader->missing = chunk->length - frame->length;
    if (step != STEP_FRAME)
        return step;
    if ((chunk->length & 1) != 0)
        input_skip(&reader->input, 1);
    if (reader->info.payload == PAYLOAD_JPEG && !jpeg_frame_complete(frame, problem))
        return STEP_FAILED;
    return STEP_FRAME;
}

static enum video_step avi_next(struct video_reader *reader, struct video_frame *frame, struct problem *problem)
{
    struct chunk chunk;
    bool movie = true;

    for (;;) {
        enum video_step step = chunk_begin(reader, &chunk, problem);
        if (step != STEP_FRAME)
            return step;
        if (is_frame(reader->state, &chunk))
            return read_frame(reader, &chunk, frame, problem);
        uint32_t track = find_track(reader, &chunk);
        if (track < reader->tracks)
            return read_packet(reader, &chunk, track, problem);
        if (is(chunk.name, "RIFF") || is(chunk.name, "LIST"))
            enter(reader, &chunk, &movie);
        else
            chunk_skip(reader, &chunk, 0);
    }
}

const struct video_format video_avi = {.name = "avi",
    .extensions = {"avi"},
    .torn = true,
    .payloads = 1 << PAYLOAD_JPEG | 1 << PAYLOAD_JPEG2000,
    .whole = true,
    .detect = avi_detect,
    .open = avi_open,
    .next = avi_next,
    .close = avi_close,
    .begin = avi_begin,
    .add = avi_add,
    .add_packet = avi_add_packet,
    .end = avi_end,
    .drop = avi_drop};
