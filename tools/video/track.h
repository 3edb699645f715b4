/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares streams beside that of the frames, above all sound, whose packets are copied from container to container. */
#ifndef KOSTKA_TOOL_VIDEO_TRACK_H
#define KOSTKA_TOOL_VIDEO_TRACK_H

#include "tool.h"

struct video_ratio {
    uint32_t over, under; /* 0:0 stands for "not known" */
};

enum { TRACKS_MOST = 16 };

/* Describes a stream beside the frames. It belongs to the reader, which sets `copied`; the writer may clear it. */
struct video_track {
    char name[64];           /* for messages: "sound (pcm_s16le)" */
    struct video_ratio unit; /* the seconds that a unit of packets' times lasts */
    /* How RIFF describes sound. */
    uint8_t *wave; /* WAVEFORMATEX and what follows it, as in a file; null: RIFF has no description */
    uint32_t wave_length;
    struct video_ratio wave_unit; /* the seconds of one unit of sound in AVI */
    uint32_t wave_bytes;          /* the bytes of that unit; 0: each packet is one unit */
    void *codec;                  /* libavformat's description (AVCodecParameters); null: there is none */
    void *metadata;               /* its metadata (AVDictionary); null: there are none */
    bool copied;                  /* packets of this stream are read and written */
};

/* Describes a piece of such a stream. */
struct video_packet {
    struct video_packet *next;
    uint32_t track;
    bool key;         /* decoding may begin here */
    int64_t time;     /* when it is due, in units of the track */
    int64_t duration; /* 0: not known */
    size_t length;
    uint8_t bytes[];
};

/* Make a packet whose bytes are not set. Null, with the problem, if there is no memory. It is freed with free(). */
struct video_packet *packet_make(uint32_t track, size_t length, struct problem *problem);

/* Describes a row of packets, which wait for the frame that they stand in front of. */
struct video_packets {
    struct video_packet *first, *last;
    size_t bytes;
};

void packets_append(struct video_packets *packets, struct video_packet *packet);

/* Take the first packet out of a row. Null: there is none. */
struct video_packet *packets_take(struct video_packets *packets);
void packets_release(struct video_packets *packets);

#endif
