/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes MKV, MOV, MP4 and MXF through libavformat. Frames have a constant rate; packets of other streams keep their
 * times, counted from the first frame.
 */
#include "video/avformat_write.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "video/avformat_tracks.h"

enum {
    BUFFER = 1 << 20,
    MXF_RATE = 48000,
    SILENCE_MOST = 600, /* MXF: seconds by which sound may be ahead of the frames; it waits in memory for them */
    EARLY_MOST = 1 << 20,
    LAG = 10 /* MXF: seconds by which sound may lag behind the frames before it is replaced by silence */
};

/* Seconds by which the times of packets may be off, because containers round them; Matroska rounds to milliseconds. */
static const double rounding = 0.02;

struct av_out {
    struct video_writer *writer;
    AVFormatContext *context;
    AVIOContext *io;
    AVPacket *packet;
    uint64_t position;          /* offset of the next write in a file */
    int stream[TRACKS_MOST];    /* index of the stream of each copied track */
    int64_t bytes[TRACKS_MOST]; /* bytes of each track's sound so far */
    int64_t early[TRACKS_MOST]; /* bytes of each track to leave out next, because silence has taken their place */
    bool placed[TRACKS_MOST];   /* the track's bytes so far end where its next packet was due */
    bool mxf;                   /* MXF: sound is cut into pieces of the duration of a frame, and has no times */
    struct problem *problem;    /* problem of the current call */
    bool failed;                /* writing bytes has failed, and the problem says why */
};

#if LIBAVFORMAT_VERSION_MAJOR >= 61
static int write_bytes(void *user, const uint8_t *from, int length)
#else
static int write_bytes(void *user, uint8_t *from, int length)
#endif
{
    struct av_out *av = user;
    struct output *output = &av->writer->output;
    bool good = output_in_order(output) ? output_write(output, from, (size_t)length, av->problem)
                                        : output_write_at(output, av->position, from, (size_t)length, av->problem);

    av->failed |= !good;
    av->position += (uint64_t)length;
    return good ? length : AVERROR(EIO);
}

static int64_t seek(void *user, int64_t offset, int whence)
{
    struct av_out *av = user;

    if ((whence & ~AVSEEK_FORCE) != SEEK_SET || offset < 0)
        return AVERROR(EINVAL);
    av->position = (uint64_t)offset;
    return offset;
}

/* Set the problem for an error of libavformat. A problem of writing the output takes precedence. */
static bool fail(const struct av_out *av, int error, const char *what, struct problem *problem)
{
    return !av->failed && avformat_fail(error, what, problem);
}

static bool make_context(struct av_out *av, const char *muxer, struct problem *problem)
{
    bool in_order = output_in_order(&av->writer->output);
    uint8_t *buffer = libav.av_malloc_(BUFFER);

    av->packet = libav.av_packet_alloc_();
    av->io = buffer == NULL
                 ? NULL
                 : libav.avio_alloc_context_(buffer, BUFFER, 1, av, NULL, write_bytes, in_order ? NULL : seek);
    if (av->io == NULL)
        libav.av_freep_(&buffer);
    libav.avformat_alloc_output_context2_(&av->context, NULL, muxer, NULL);
    if (av->context == NULL)
        return problem_set(problem, "libavformat does not write %s, or there is no memory", muxer);
    if (av->io == NULL || av->packet == NULL)
        return problem_set(problem, "out of memory");
    av->mxf = strcmp(muxer, "mxf") == 0;
    av->context->pb = av->io;
    av->context->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT; /* so that equal calls write equal files */
    return true;
}

/* Copy the other container's metadata, except those that belong to its format or to the frames. */
static bool copy_metadata(struct av_out *av)
{
    static const char *const own[] = {"major_brand", "minor_version", "compatible_brands", "encoder", "timecode"};
    AVDictionary **to = &av->context->metadata;
    bool good = libav.av_dict_copy_(to, av->writer->metadata, 0) >= 0;

    for (size_t i = 0; good && i < sizeof own / sizeof *own; i++)
        good = libav.av_dict_set_(to, own[i], NULL, 0) >= 0;
    return good;
}

static bool make_frames(struct av_out *av)
{
    const struct video_info *info = &av->writer->info;
    AVStream *stream = libav.avformat_new_stream_(av->context, NULL);

    if (stream == NULL)
        return false;
    stream->time_base = (AVRational){(int)info->rate.under, (int)info->rate.over};
    stream->avg_frame_rate = (AVRational){(int)info->rate.over, (int)info->rate.under};
    avformat_set_frames(info, stream->codecpar);
    stream->sample_aspect_ratio = stream->codecpar->sample_aspect_ratio;
    return info->timecode[0] == '\0' || libav.av_dict_set_(&stream->metadata, "timecode", info->timecode, 0) >= 0;
}

/* Return whether the container can hold a stream. For MXF the library does not know that. */
static bool takes(const struct av_out *av, const AVCodecParameters *codec)
{
    if (!av->mxf)
        return libav.avformat_query_codec_(av->context->oformat, codec->codec_id, FF_COMPLIANCE_NORMAL) == 1;
    return (codec->codec_id == AV_CODEC_ID_PCM_S16LE || codec->codec_id == AV_CODEC_ID_PCM_S24LE) &&
           codec->sample_rate == MXF_RATE;
}

/*
 * Make a stream for each track that the container can hold. This is tried in a separate context; other tracks are not
 * copied.
 */
static bool make_tracks(struct av_out *av)
{
    struct video_writer *writer = av->writer;

    for (uint32_t i = 0; i < writer->tracks; i++) {
        struct video_track *track = &writer->track[i];
        AVFormatContext *trial = libav.avformat_alloc_context_();
        AVStream *stream = trial == NULL ? NULL : libav.avformat_new_stream_(trial, NULL);
        track->copied = stream != NULL && avformat_set_track(track, stream) && takes(av, stream->codecpar);
        libav.avformat_free_context_(trial);
        if (!track->copied)
            continue;
        stream = libav.avformat_new_stream_(av->context, NULL);
        if (stream == NULL || !avformat_set_track(track, stream))
            return false;
        av->stream[i] = stream->index;
    }
    return true;
}

/* Write the headers. MOV and MP4 get the tag of the matrix even if the primaries and the transfer are unknown. */
static int write_header(struct av_out *av, const char *muxer)
{
    const struct video_info *info = &av->writer->info;
    const bool known = info->matrix == MATRIX_RGB ? info->shape.rgb : info->matrix != MATRIX_UNKNOWN;
    AVDictionary *options = NULL;
    int error = 0;

    if ((strcmp(muxer, "mov") == 0 || strcmp(muxer, "mp4") == 0) && known)
        error = libav.av_dict_set_(&options, "movflags", "write_colr", 0);
    if (error >= 0)
        error = libav.avformat_write_header_(av->context, &options);
    libav.av_dict_free_(&options);
    return error;
}

bool avformat_begin(struct video_writer *writer, const char *muxer, struct problem *problem)
{
    if (!avformat_library_load(problem))
        return false;
    struct av_out *av = calloc(1, sizeof *av);
    if (av == NULL)
        return problem_set(problem, "out of memory");
    writer->state = av;
    av->writer = writer;
    av->problem = problem;
    if (!make_context(av, muxer, problem))
        return false;
    if (writer->info.rate.over > INT_MAX || writer->info.rate.under > INT_MAX)
        return problem_set(problem, "%u/%u frames a second are too fine for libavformat; --fps sets another rate",
            (unsigned)writer->info.rate.over, (unsigned)writer->info.rate.under);
    if (!copy_metadata(av) || !make_frames(av) || !make_tracks(av))
        return problem_set(problem, "out of memory");
    if (!tracks_keep_time(writer, problem))
        return false;
    int error = write_header(av, muxer);
    return error >= 0 || fail(av, error, "the headers cannot be written", problem);
}

/* Write the packet. Into a pipe it is flushed at once. */
static bool send(struct av_out *av, AVRational unit, struct problem *problem)
{
    AVPacket *packet = av->packet;

    libav.av_packet_rescale_ts_(packet, unit, av->context->streams[packet->stream_index]->time_base);
    av->problem = problem;
    int error =
        av->mxf ? libav.av_interleaved_write_frame_(av->context, packet) : libav.av_write_frame_(av->context, packet);
    libav.av_packet_unref_(packet);
    if (output_in_order(&av->writer->output))
        libav.avio_flush_(av->io);
    return error >= 0 ? !av->failed : fail(av, error, "a frame or packet cannot be written", problem);
}

static bool fill(AVPacket *packet, const uint8_t *bytes, size_t length, struct problem *problem)
{
    if (length > INT_MAX - AV_INPUT_BUFFER_PADDING_SIZE)
        return problem_set(problem, "a frame of %zu bytes is too large for libavformat", length);
    packet->data = (uint8_t *)(uintptr_t)bytes; /* the library does not change the bytes */
    packet->size = (int)length;
    return true;
}

/* Write bytes of a track as one packet. */
static bool send_packet(struct av_out *av, const struct video_packet *from, const uint8_t *bytes, size_t length,
    int64_t time, struct problem *problem)
{
    const struct video_ratio unit = av->writer->track[from->track].unit;
    AVPacket *packet = av->packet;

    if (!fill(packet, bytes, length, problem))
        return false;
    packet->stream_index = av->stream[from->track];
    packet->pts = packet->dts = time;
    packet->duration = from->duration;
    packet->flags = from->key ? AV_PKT_FLAG_KEY : 0;
    return send(av, (AVRational){(int)unit.over, (int)unit.under}, problem);
}

/* Return the number of bytes of a track's sound that last `seconds`. */
static int64_t sound_bytes(const struct av_out *av, uint32_t track, double seconds)
{
    const AVCodecParameters *codec = av->context->streams[av->stream[track]]->codecpar;
    int sample = libav.av_get_bits_per_sample_(codec->codec_id) / 8 * codec->ch_layout.nb_channels;

    return (int64_t)(seconds * codec->sample_rate + (seconds < 0 ? -0.5 : 0.5)) * sample;
}

/* Write silence. For linear PCM that is zeros. */
static bool send_silence(struct av_out *av, uint32_t track, int64_t bytes, struct problem *problem)
{
    enum { PIECE = 1 << 16 };
    static const uint8_t zeros[PIECE];
    const struct video_packet packet = {.track = track, .key = true};
    bool good = true;

    av->bytes[track] += bytes > 0 ? bytes : 0;
    for (int64_t left = bytes; good && left > 0; left -= PIECE)
        good = send_packet(av, &packet, zeros, left < PIECE ? (size_t)left : PIECE, 0, problem);
    return good;
}

/*
 * Place the next packet of a sound at its time: fill a gap in front of it with silence, or leave out as much of it as
 * lies before the end of the sound so far.
 */
static bool place_sound(struct av_out *av, uint32_t track, int64_t time, struct problem *problem)
{
    const struct video_writer *writer = av->writer;
    const struct video_track *of = &writer->track[track];
    const double seconds = (double)time * of->unit.over / of->unit.under;
    const double ahead = seconds - (double)writer->count * writer->info.rate.under / writer->info.rate.over;

    if (ahead > SILENCE_MOST)
        return problem_set(problem, "%s is due %.0f s behind the frames in front of it, and MXF takes at most %d s",
            of->name, ahead, (int)SILENCE_MOST);
    if (seconds < -EARLY_MOST)
        return problem_set(problem, "%s is due %.0f s before the first frame", of->name, -seconds);
    int64_t missing = sound_bytes(av, track, seconds) - av->bytes[track];
    av->early[track] = missing < 0 ? -missing : 0;
    av->placed[track] = true;
    return send_silence(av, track, missing, problem);
}

/* Return whether there is a gap in front of a packet that is larger than the rounding of times. */
static bool has_gap(const struct av_out *av, uint32_t track, int64_t time)
{
    const struct video_ratio unit = av->writer->track[track].unit;
    const double seconds = (double)time * unit.over / unit.under;

    return seconds > 0 &&
           (seconds > INT_MAX || sound_bytes(av, track, seconds) - av->bytes[track] > sound_bytes(av, track, rounding));
}

/* Add sound to MXF, in which all sound begins with the first frame. */
static bool add_sound(struct av_out *av, const struct video_packet *from, int64_t time, struct problem *problem)
{
    int64_t *early = &av->early[from->track];

    if ((!av->placed[from->track] || has_gap(av, from->track, time)) && !place_sound(av, from->track, time, problem))
        return false;
    size_t skipped = (uint64_t)*early < from->length ? (size_t)*early : from->length;
    *early -= (int64_t)skipped;
    if (skipped == from->length)
        return true;
    av->bytes[from->track] += (int64_t)(from->length - skipped);
    return send_packet(av, from, from->bytes + skipped, from->length - skipped, 0, problem);
}

/*
 * Replace sound that does not arrive by silence, because the library keeps all frames in memory until sound for them
 * arrives.
 */
static bool follow_frames(struct av_out *av, struct problem *problem)
{
    const struct video_writer *writer = av->writer;
    const double seconds = (double)writer->count * writer->info.rate.under / writer->info.rate.over - LAG;
    bool good = true;

    for (uint32_t i = 0; good && seconds > 0 && i < writer->tracks; i++) {
        if (!writer->track[i].copied || av->bytes[i] >= sound_bytes(av, i, seconds))
            continue;
        good = send_silence(av, i, sound_bytes(av, i, seconds) - av->bytes[i], problem);
        av->placed[i] = false;
    }
    return good;
}

bool avformat_add(struct video_writer *writer, struct video_frame *frame, struct problem *problem)
{
    struct av_out *av = writer->state;
    const AVRational unit = {(int)writer->info.rate.under, (int)writer->info.rate.over};
    AVPacket *packet = av->packet;

    if (av->mxf && !follow_frames(av, problem))
        return false;
    if (!fill(packet, frame->bytes, frame->length, problem))
        return false;
    packet->stream_index = 0;
    packet->pts = packet->dts = (int64_t)writer->count - 1;
    packet->duration = 1;
    packet->flags = AV_PKT_FLAG_KEY;
    return send(av, unit, problem);
}

bool avformat_add_packet(struct video_writer *writer, const struct video_packet *from, struct problem *problem)
{
    struct av_out *av = writer->state;
    const struct video_ratio unit = writer->track[from->track].unit;
    const AVRational rational = {(int)unit.over, (int)unit.under}, microsecond = {1, 1000000};
    int64_t start = libav.av_rescale_q_(writer->info.start, microsecond, rational), time;

    if (__builtin_sub_overflow(from->time, start, &time))
        return problem_set(problem, "%s has a packet at an impossible time", writer->track[from->track].name);
    return av->mxf ? add_sound(av, from, time, problem)
                   : send_packet(av, from, from->bytes, from->length, time, problem);
}

/* End the sound of MXF with the last frame: if the sound is shorter, the library leaves out frames. */
static bool end_sound(struct av_out *av, struct problem *problem)
{
    struct video_writer *writer = av->writer;
    double seconds = (double)writer->count * writer->info.rate.under / writer->info.rate.over;
    bool good = true;

    for (uint32_t i = 0; good && av->mxf && i < writer->tracks; i++) {
        if (!writer->track[i].copied)
            continue;
        int64_t beyond = av->bytes[i] - sound_bytes(av, i, seconds);
        double cut = (double)beyond / (double)sound_bytes(av, i, 1);
        writer->cut = cut > writer->cut ? cut : writer->cut;
        good = send_silence(av, i, -beyond, problem);
    }
    return good;
}

bool avformat_end(struct video_writer *writer, struct problem *problem)
{
    struct av_out *av = writer->state;

    if (!end_sound(av, problem))
        return false;
    av->problem = problem;
    int error = libav.av_write_trailer_(av->context);
    libav.avio_flush_(av->io);
    return error >= 0 ? !av->failed : fail(av, error, "the end cannot be written", problem);
}

void avformat_drop(struct video_writer *writer)
{
    struct av_out *av = writer->state;

    if (av == NULL)
        return;
    av->failed = true; /* so that nothing more is written */
    libav.avformat_free_context_(av->context);
    libav.av_packet_free_(&av->packet);
    if (av->io != NULL)
        libav.av_freep_(&av->io->buffer);
    libav.avio_context_free_(&av->io);
    free(av);
    writer->state = NULL;
}
