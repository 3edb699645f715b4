/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes packets and lists of them, and checks when frames and packets are due. */
#include "video/track.h"

#include <stdlib.h>

#include "video/video.h"

struct video_packet *packet_make(uint32_t track, size_t length, struct problem *problem)
{
    struct video_packet *packet = length < SIZE_MAX / 2 ? calloc(1, sizeof *packet + length) : NULL;

    if (packet == NULL) {
        problem_set(problem, "out of memory");
        return NULL;
    }
    packet->track = track;
    packet->length = length;
    return packet;
}

void packets_append(struct video_packets *packets, struct video_packet *packet)
{
    packet->next = NULL;
    if (packets->last == NULL)
        packets->first = packet;
    else
        packets->last->next = packet;
    packets->last = packet;
    packets->bytes += sizeof *packet + packet->length;
}

struct video_packet *packets_take(struct video_packets *packets)
{
    struct video_packet *packet = packets->first;

    if (packet == NULL)
        return NULL;
    packets->first = packet->next;
    if (packets->first == NULL)
        packets->last = NULL;
    packets->bytes -= sizeof *packet + packet->length;
    return packet;
}

void packets_release(struct video_packets *packets)
{
    struct video_packet *packet;

    while ((packet = packets_take(packets)) != NULL)
        free(packet);
}

bool tracks_keep_time(const struct video_writer *writer, struct problem *problem)
{
    for (uint32_t i = 0; i < writer->tracks; i++)
        if (writer->retimed && writer->track[i].copied)
            return problem_set(problem,
                "--fps changes when frames are due, and not %s beside them: leave it out, or write the frames alone to "
                ".mjpeg or .y4m first",
                writer->track[i].name);
    return true;
}
