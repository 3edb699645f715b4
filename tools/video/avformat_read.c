/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads MKV, MOV, MP4 and MXF through libavformat, which only parses the containers and decodes nothing. Only the
 * container's own demuxer is used, and no other file is opened: references to other files are refused.
 */
#include "video/avformat_read.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "video/avformat_tracks.h"
#include "video/jpeg_frame.h"

enum { BUFFER = 1 << 18, BOX = 8 };

struct av_in {
    struct video_reader *reader;
    AVFormatContext *context;
    AVIOContext *io;
    AVPacket *packet;
    uint64_t begin;    /* offset of the container in a file: standard input need not be at the file's start */
    uint64_t position; /* offset of the next read in the container */
    int frames;        /* index of the stream with the frames */
    struct video_track track[TRACKS_MOST];
    int stream[TRACKS_MOST]; /* index of each track's stream */
    int64_t first;           /* time of the first frame */
    uint64_t count;          /* frames read so far */
};

static int read_bytes(void *user, uint8_t *to, int length)
{
    struct av_in *av = user;
    struct video_input *input = &av->reader->input;
    size_t got = input->regular ? input_read_at(input, av->begin + av->position, to, (size_t)length)
                                : input_read_some(input, to, (size_t)length);

    av->position += got;
    return got > 0 ? (int)got : AVERROR_EOF;
}

static int64_t seek(void *user, int64_t offset, int whence)
{
    struct av_in *av = user;
    int64_t size = (int64_t)(av->reader->input.size - av->begin);

    if (whence == AVSEEK_SIZE)
        return size;
    whence &= ~AVSEEK_FORCE;
    offset += whence == SEEK_END ? size : whence == SEEK_CUR ? (int64_t)av->position : 0;
    if (offset < 0)
        return AVERROR(EINVAL);
    av->position = (uint64_t)offset;
    return offset;
}

/* Refuse to open other files, which this one may refer to. */
static int refuse(AVFormatContext *context, AVIOContext **io, const char *url, int flags, AVDictionary **options)
{
    (void)context, (void)io, (void)url, (void)flags, (void)options;
    return AVERROR(EPERM);
}

static bool open_container(struct av_in *av, const char *demuxer, struct problem *problem)
{
    const struct video_input *input = &av->reader->input;
    uint8_t *buffer = libav.av_malloc_(BUFFER);

    av->context = libav.avformat_alloc_context_();
    av->packet = libav.av_packet_alloc_();
    av->io = buffer == NULL
                 ? NULL
                 : libav.avio_alloc_context_(buffer, BUFFER, 0, av, read_bytes, NULL, input->regular ? seek : NULL);
    if (av->io == NULL)
        libav.av_freep_(&buffer);
    if (av->io == NULL || av->context == NULL || av->packet == NULL)
        return problem_set(problem, "out of memory");
    libav.av_max_alloc_(av->reader->frame_limit < INT_MAX ? (size_t)av->reader->frame_limit : INT_MAX);
    av->context->pb = av->io;
    av->context->io_open = refuse;
    av->context->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN;
    int error = libav.avformat_open_input_(&av->context, "", libav.av_find_input_format_(demuxer), NULL);
    return error >= 0 || (input_good(input, problem) && avformat_fail(error, "the headers cannot be read", problem));
}

static bool is_frames(const AVStream *stream)
{
    return stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
           (stream->disposition & AV_DISPOSITION_ATTACHED_PIC) == 0;
}

/* Find the first video stream, whose codec must be one that is supported here. */
static bool find_frames(struct av_in *av, struct problem *problem)
{
    const AVFormatContext *context = av->context;
    unsigned found = 0;

    while (found < context->nb_streams && !is_frames(context->streams[found]))
        found++;
    if (found == context->nb_streams)
        return problem_set(problem, "no stream with video");
    enum AVCodecID codec = context->streams[found]->codecpar->codec_id;
    av->frames = (int)found;
    av->reader->info.payload = codec == AV_CODEC_ID_JPEG2000 ? PAYLOAD_JPEG2000 : PAYLOAD_JPEG;
    return codec == AV_CODEC_ID_JPEG2000 || codec == AV_CODEC_ID_MJPEG ||
           problem_set(problem,
               "frames are coded as %s; MJPEG and JPEG 2000 are read, other codecs by way of Y4M: "
               "ffmpeg -i FILE -f yuv4mpegpipe - | kostka video - OUT",
               libav.avcodec_get_name_(codec));
}

/*
 * Keep the time code of the container, or of one of its streams. MXF must have one, so a time code of zero says
 * nothing.
 */
static void find_timecode(struct av_in *av)
{
    const AVFormatContext *context = av->context;
    const AVDictionaryEntry *found = libav.av_dict_get_(context->metadata, "timecode", NULL, 0);

    for (unsigned i = 0; found == NULL && i < context->nb_streams; i++)
        found = libav.av_dict_get_(context->streams[i]->metadata, "timecode", NULL, 0);
    if (found != NULL && strspn(found->value, "0:;.") < strlen(found->value))
        snprintf(av->reader->info.timecode, sizeof av->reader->info.timecode, "%s", found->value);
}

/* Return whether a stream holds only a time code, which has been kept. */
static bool is_timecode(const AVStream *stream)
{
    return stream->codecpar->codec_type == AVMEDIA_TYPE_DATA &&
           libav.av_dict_get_(stream->metadata, "timecode", NULL, 0) != NULL;
}

static bool find_tracks(struct av_in *av, struct problem *problem)
{
    struct video_reader *reader = av->reader;
    bool good = true;

    for (unsigned i = 0; good && i < av->context->nb_streams; i++) {
        AVStream *stream = av->context->streams[i];
        enum AVMediaType type = stream->codecpar->codec_type;
        bool taken = (type == AVMEDIA_TYPE_AUDIO || type == AVMEDIA_TYPE_SUBTITLE) && reader->tracks < TRACKS_MOST;
        if (taken) {
            av->stream[reader->tracks] = (int)i;
            good = avformat_describe_track(stream, &av->track[reader->tracks++], problem);
        } else if ((int)i != av->frames) {
            reader->left_out += !is_timecode(stream);
            stream->discard = AVDISCARD_ALL;
        }
    }
    return good;
}

/* Copy what the stream of frames states. The size of the frames comes from the frames themselves. */
static void describe(struct av_in *av)
{
    AVStream *stream = av->context->streams[av->frames];
    struct video_info *info = &av->reader->info;
    AVRational rate = libav.av_guess_frame_rate_(av->context, stream, NULL);
    bool mxf = strcmp(av->context->iformat->name, "mxf") == 0;

    if (rate.num == 0 && mxf) /* whose times count frames */
        rate = (AVRational){stream->time_base.den, stream->time_base.num};
    avformat_describe_frames(stream, info);
    if (rate.num > 0 && rate.den > 0)
        info->rate = ratio_reduce((struct video_ratio){(uint32_t)rate.num, (uint32_t)rate.den});
    info->frames = stream->nb_frames > 0 ? (uint64_t)stream->nb_frames : 0;
    av->reader->metadata = av->context->metadata;
    find_timecode(av);
}

bool avformat_open(struct video_reader *reader, const char *demuxer, struct problem *problem)
{
    if (!avformat_library_load(problem))
        return false;
    struct av_in *av = calloc(1, sizeof *av);
    if (av == NULL)
        return problem_set(problem, "out of memory");
    av->reader = reader;
    av->begin = reader->input.position - (reader->input.to - reader->input.from);
    reader->state = av;
    reader->track = av->track;
    if (!open_container(av, demuxer, problem) || !find_frames(av, problem) || !find_tracks(av, problem))
        return false;
    describe(av);
    return true;
}

void avformat_close(struct video_reader *reader)
{
    struct av_in *av = reader->state;

    if (av == NULL)
        return;
    av->reader = reader;
    libav.avformat_close_input_(&av->context);
    libav.av_packet_free_(&av->packet);
    if (av->io != NULL)
        libav.av_freep_(&av->io->buffer);
    libav.avio_context_free_(&av->io);
    for (uint32_t i = 0; i < TRACKS_MOST; i++)
        free(av->track[i].wave);
    free(av);
    reader->state = NULL;
}

/* Return when a packet is due; AV_NOPTS_VALUE if the container does not state it. */
static int64_t time_of(const AVPacket *packet)
{
    return packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
}

/*
 * Note from the first frame when it is due and, if the headers do not state it, the rate; count frames that are due at
 * times other than the rate implies.
 */
static void follow_time(struct av_in *av)
{
    const AVStream *stream = av->context->streams[av->frames];
    struct video_info *info = &av->reader->info;
    const AVRational unit = stream->time_base;
    int64_t time = time_of(av->packet), duration = av->packet->duration;

    if (av->count == 0) {
        av->first = time;
        info->start = time == AV_NOPTS_VALUE ? 0 : libav.av_rescale_q_(time, unit, (AVRational){1, 1000000});
        if (info->rate.over == 0 && duration > 0 && duration <= INT32_MAX / unit.num)
            info->rate = ratio_reduce((struct video_ratio){(uint32_t)unit.den, (uint32_t)(unit.num * duration)});
    }
    double due = (double)av->count++, rate = (double)info->rate.over / (info->rate.under == 0 ? 1 : info->rate.under);
    double off = ((double)time - (double)av->first) * unit.num / unit.den * rate - due;
    av->reader->uneven +=
        info->rate.over > 0 && time != AV_NOPTS_VALUE && av->first != AV_NOPTS_VALUE && (off > 0.75 || off < -0.75);
}

/* Take the frame of a packet. Codestreams in MOV may be in a box of JP2, which carries no information. */
static enum video_step take_frame(struct av_in *av, struct video_frame *frame, struct problem *problem)
{
    const AVPacket *packet = av->packet;
    const uint8_t *bytes = packet->data;
    size_t length = packet->size > 0 ? (size_t)packet->size : 0;
    bool jpeg = av->reader->info.payload == PAYLOAD_JPEG;

    if ((packet->flags & AV_PKT_FLAG_CORRUPT) != 0) {
        av->reader->missing = 1;
        return STEP_END;
    }
    follow_time(av);
    if (!jpeg && length > BOX && memcmp(bytes + 4, "jp2c", 4) == 0) {
        bytes += BOX;
        length -= BOX;
    }
    frame->length = 0;
    frame->offset = packet->pos > 0 ? (uint64_t)packet->pos : 0;
    return frame_append(frame, bytes, length, problem) && (!jpeg || jpeg_frame_complete(frame, problem)) ? STEP_FRAME
                                                                                                         : STEP_FAILED;
}

/* Take the packet of another stream if that stream is copied. */
static enum video_step take_packet(struct av_in *av, bool *taken, struct problem *problem)
{
    const AVPacket *from = av->packet;
    uint32_t index = 0;

    while (index < av->reader->tracks && av->stream[index] != from->stream_index)
        index++;
    *taken = index < av->reader->tracks && av->track[index].copied && from->size > 0;
    if (!*taken)
        return STEP_FRAME;
    struct video_packet *packet = packet_make(index, (size_t)from->size, problem);
    if (packet == NULL)
        return STEP_FAILED;
    memcpy(packet->bytes, from->data, packet->length);
    packet->key = (from->flags & AV_PKT_FLAG_KEY) != 0;
    packet->time = time_of(from) == AV_NOPTS_VALUE ? 0 : time_of(from);
    packet->duration = from->duration;
    av->reader->packet = packet;
    return STEP_PACKET;
}

enum video_step avformat_next(struct video_reader *reader, struct video_frame *frame, struct problem *problem)
{
    struct av_in *av = reader->state;
    enum video_step step = STEP_FRAME;
    bool taken = false;

    av->reader = reader; /* the reader may have moved since the file was opened */
    while (!taken) {
        int error = libav.av_read_frame_(av->context, av->packet);
        if (error == AVERROR_EOF)
            return input_good(&reader->input, problem) ? STEP_END : STEP_FAILED;
        if (error < 0) {
            avformat_fail(error, "the file cannot be read on", problem);
            return STEP_FAILED;
        }
        taken = av->packet->stream_index == av->frames;
        step = taken ? take_frame(av, frame, problem) : take_packet(av, &taken, problem);
        libav.av_packet_unref_(av->packet);
        if (step == STEP_FAILED)
            return STEP_FAILED;
    }
    return step;
}
