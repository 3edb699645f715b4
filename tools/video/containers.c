/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the containers that libavformat reads and writes. They are recognised even if its headers were missing when
 * this program was built; the error then says so.
 */
#include <string.h>

#include "video/video.h"
#ifdef KOSTKA_AVFORMAT_LIBRARY
#include "video/avformat_read.h"
#include "video/avformat_write.h"
#else
static bool lacks(struct problem *problem)
{
    return problem_set(problem,
        "MKV, MOV, MP4 and MXF are read and written with libavformat, which was missing when this program was built");
}

static bool avformat_open(struct video_reader *reader, const char *demuxer, struct problem *problem)
{
    (void)reader, (void)demuxer;
    return lacks(problem);
}

static bool avformat_begin(struct video_writer *writer, const char *muxer, struct problem *problem)
{
    (void)writer, (void)muxer;
    return lacks(problem);
}

#define avformat_next NULL
#define avformat_close NULL
#define avformat_add NULL
#define avformat_add_packet NULL
#define avformat_end NULL
#define avformat_drop NULL
#endif

static bool mkv_detect(const uint8_t *head, size_t length)
{
    static const uint8_t ebml[] = {0x1A, 0x45, 0xDF, 0xA3};

    return length >= sizeof ebml && memcmp(head, ebml, sizeof ebml) == 0;
}

/* Detect the first box or atom. The first boxes of JPEG 2000 files have other names. */
static bool mov_detect(const uint8_t *head, size_t length)
{
    static const char names[][5] = {"ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"};

    for (size_t i = 0; length >= 8 && i < sizeof names / sizeof *names; i++)
        if (memcmp(head + 4, names[i], 4) == 0)
            return true;
    return false;
}

/* Detect the key of a partition pack (SMPTE 377) at the start of the file. A run-in in front of it is not supported. */
static bool mxf_detect(const uint8_t *head, size_t length)
{
    static const uint8_t key[] = {6, 0x0E, 0x2B, 0x34, 2, 5, 1, 1, 0x0D, 1, 2, 1, 1, 2};

    return length >= sizeof key && memcmp(head, key, sizeof key) == 0;
}

static bool mkv_open(struct video_reader *reader, const struct video_wishes *wishes, struct problem *problem)
{
    (void)wishes;
    return avformat_open(reader, "matroska", problem);
}

static bool mov_open(struct video_reader *reader, const struct video_wishes *wishes, struct problem *problem)
{
    (void)wishes;
    return avformat_open(reader, "mov", problem);
}

static bool mxf_open(struct video_reader *reader, const struct video_wishes *wishes, struct problem *problem)
{
    (void)wishes;
    return avformat_open(reader, "mxf", problem);
}

static bool mkv_begin(struct video_writer *writer, struct problem *problem)
{
    return avformat_begin(writer, "matroska", problem);
}

static bool mov_begin(struct video_writer *writer, struct problem *problem)
{
    return avformat_begin(writer, "mov", problem);
}

static bool mp4_begin(struct video_writer *writer, struct problem *problem)
{
    return avformat_begin(writer, "mp4", problem);
}

static bool mxf_begin(struct video_writer *writer, struct problem *problem)
{
    return avformat_begin(writer, "mxf", problem);
}

#define CONTAINER                                                                                                      \
    .has_timecode = true, .next = avformat_next, .close = avformat_close, .add = avformat_add,                         \
    .add_packet = avformat_add_packet, .end = avformat_end, .drop = avformat_drop

const struct video_format video_mkv = {.name = "mkv",
    .extensions = {"mkv"},
    .payloads = 1 << PAYLOAD_JPEG | 1 << PAYLOAD_JPEG2000,
    .detect = mkv_detect,
    .open = mkv_open,
    .begin = mkv_begin,
    CONTAINER};

const struct video_format video_mov = {.name = "mov",
    .extensions = {"mov", "qt"},
    .payloads = 1 << PAYLOAD_JPEG | 1 << PAYLOAD_JPEG2000,
    .whole = true,
    .detect = mov_detect,
    .open = mov_open,
    .begin = mov_begin,
    CONTAINER};

/* MP4 is read as MOV: libavformat does not distinguish the two. */
const struct video_format video_mp4 = {.name = "mp4",
    .extensions = {"mp4", "m4v"},
    .payloads = 1 << PAYLOAD_JPEG | 1 << PAYLOAD_JPEG2000,
    .whole = true,
    .open = mov_open,
    .begin = mp4_begin,
    CONTAINER};

const struct video_format video_mxf = {.name = "mxf",
    .extensions = {"mxf"},
    .payloads = 1 << PAYLOAD_JPEG2000,
    .whole = true,
    .detect = mxf_detect,
    .open = mxf_open,
    .begin = mxf_begin,
    CONTAINER};
