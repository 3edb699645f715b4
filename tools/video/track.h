/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares tracks: streams other than the frames, mostly sound, whose packets are copied from container to container.
 */
#ifndef KOSTKA_TOOL_VIDEO_TRACK_H
#define KOSTKA_TOOL_VIDEO_TRACK_H

#include "tool.h"

struct video_ratio {
    uint32_t over, under; /* 0:0 means "not known" */
};

enum { TRACKS_MOST = 16 };

/* Describes a track. The reader owns it and sets `copied`; the writer may clear `copied`. */
struct video_track {
    char name[64];           /* for messages: "sound (pcm_s16le)" */
    struct video_ratio unit; /* the unit of packets' times, in seconds */
    /* The following four members describe sound as RIFF does. */
    uint8_t *wave; /* WAVEFORMATEX and what follows it in a file; null: RIFF cannot describe the sound */
    uint32_t wave_length;
    struct video_ratio wave_unit; /* seconds of a unit of sound in AVI */
    uint32_t wave_bytes;          /* bytes of a unit; 0: each packet is a unit */
    void *codec;                  /* libavformat's description (AVCodecParameters); null: there is none */
    void *metadata;               /* its metadata (AVDictionary); null: there are none */
    bool copied;                  /* packets of this stream are read and written */
};

/* Describes a packet of a track. */
struct video_packet {
    struct video_packet *next;
    uint32_t track;
    bool key;         /* decoding may begin here */
    int64_t time;     /* when the packet is due, in units of the track */
    int64_t duration; /* 0: not known */
    size_t length;
    uint8_t bytes[];
};

/* Make a packet with uninitialised bytes. Returns null, with the problem, if out of memory. free() releases it. */
struct video_packet *packet_make(uint32_t track, size_t length, struct problem *problem);

/* Describes a list of packets, which wait for the frame behind them. */
struct video_packets {
    struct video_packet *first, *last;
    size_t bytes;
};

void packets_append(struct video_packets *packets, struct video_packet *packet);

/* Remove the first packet from a list, and return it. Null: the list is empty. */
struct video_packet *packets_take(struct video_packets *packets);
void packets_release(struct video_packets *packets);

#endif
