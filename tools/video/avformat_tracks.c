/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translates between AVCodecParameters and this program's descriptions: tracks, including sound as RIFF describes it
 * (WAVEFORMATEX), and properties of frames. Both sides use the numbers for colours of Rec. ITU-T H.273.
 */
#include "video/avformat_tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/bytes.h"

enum {
    WAVE = 18,       /* bytes of WAVEFORMATEX, which further bytes may follow */
    WAVE_PLAIN = 16, /* without the number of further bytes, as PCM may have it */
    WAVE_EXTENSIBLE = 0xFFFE,
    WAVE_SUBFORMAT = 24, /* offset of the format in WAVEFORMATEXTENSIBLE */
    MP3_EXTRA = 12,      /* bytes of MPEGLAYER3WAVEFORMAT behind WAVEFORMATEX */
    MP3_FRAME = 1152,
    MP3_LOW_FRAME = 576,
    MP3_LOW_RATE = 32000,
    AC3_FRAME = 1536 /* samples in a packet */
};

static void put(uint8_t **to, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        *(*to)++ = (uint8_t)(value >> 8 * i);
}

/* Return how many samples a packet of a compressed sound has, if AVI can hold that sound; otherwise 0. */
static uint32_t packet_samples(const AVCodecParameters *codec)
{
    if (codec->codec_id == AV_CODEC_ID_MP3)
        return codec->sample_rate < MP3_LOW_RATE ? MP3_LOW_FRAME : MP3_FRAME;
    return codec->codec_id == AV_CODEC_ID_AC3 ? AC3_FRAME : 0;
}

/* Describe sound as RIFF does, if RIFF has a number for its format and its units all have the same duration. */
static bool describe_wave(const AVCodecParameters *codec, struct video_track *track, struct problem *problem)
{
    const struct AVCodecTag *tags[] = {libav.avformat_get_riff_audio_tags_(), NULL};
    uint32_t tag = libav.av_codec_get_tag_(tags, codec->codec_id), samples = packet_samples(codec);
    uint32_t bits = (uint32_t)libav.av_get_bits_per_sample_(codec->codec_id);
    uint32_t channels = (uint32_t)codec->ch_layout.nb_channels, rate = (uint32_t)codec->sample_rate;
    uint32_t extra = codec->codec_id == AV_CODEC_ID_MP3 ? MP3_EXTRA : 0;

    if (tag == 0 || tag > UINT16_MAX || rate == 0 || channels == 0 || channels > UINT8_MAX || rate > INT32_MAX ||
        (samples == 0 && (bits == 0 || bits % 8 != 0)))
        return true;
    track->wave = calloc(1, WAVE + MP3_EXTRA);
    if (track->wave == NULL)
        return problem_set(problem, "out of memory");
    track->wave_length = WAVE + extra;
    track->wave_unit = (struct video_ratio){samples == 0 ? 1 : samples, rate};
    track->wave_bytes = samples == 0 ? channels * bits / 8 : 0;
    uint8_t *to = track->wave;
    uint64_t second = samples == 0 ? (uint64_t)track->wave_bytes * rate : (uint64_t)codec->bit_rate / 8;
    put(&to, tag, 2);
    put(&to, channels, 2);
    put(&to, rate, 4);
    put(&to, second > UINT32_MAX ? 0 : (uint32_t)second, 4);
    put(&to, samples == 0 ? track->wave_bytes : samples, 2);
    put(&to, samples == 0 ? bits : 0, 2);
    put(&to, extra, 2);
    if (extra > 0) {
        put(&to, 1, 2); /* MP3 */
        put(&to, 2, 4); /* no padded frames */
        put(&to, samples, 2);
        put(&to, 1, 2); /* frame a packet */
    }
    return true;
}

static const char *kind_text(enum AVMediaType type)
{
    return type == AVMEDIA_TYPE_AUDIO      ? "sound"
           : type == AVMEDIA_TYPE_SUBTITLE ? "a stream of subtitles"
                                           : "a stream of data";
}

bool avformat_describe_track(const AVStream *stream, struct video_track *track, struct problem *problem)
{
    AVCodecParameters *codec = stream->codecpar;

    *track = (struct video_track){.codec = codec, .metadata = stream->metadata, .copied = true};
    track->unit = (struct video_ratio){(uint32_t)stream->time_base.num, (uint32_t)stream->time_base.den};
    snprintf(track->name, sizeof track->name, "%s (%s)", kind_text(codec->codec_type),
        libav.avcodec_get_name_(codec->codec_id));
    return codec->codec_type != AVMEDIA_TYPE_AUDIO || describe_wave(codec, track, problem);
}

/* Find the codec for a format of RIFF. PCM has a codec for each depth. */
static enum AVCodecID find_codec(uint32_t tag, uint32_t bits)
{
    const struct AVCodecTag *tags[] = {libav.avformat_get_riff_audio_tags_(), NULL};

    if (tag == 1)
        return bits == 8    ? AV_CODEC_ID_PCM_U8
               : bits == 16 ? AV_CODEC_ID_PCM_S16LE
               : bits == 24 ? AV_CODEC_ID_PCM_S24LE
               : bits == 32 ? AV_CODEC_ID_PCM_S32LE
                            : AV_CODEC_ID_NONE;
    if (tag == 3)
        return bits == 32 ? AV_CODEC_ID_PCM_F32LE : bits == 64 ? AV_CODEC_ID_PCM_F64LE : AV_CODEC_ID_NONE;
    return libav.av_codec_get_id_(tags, tag);
}

static bool set_extra(AVCodecParameters *codec, const uint8_t *bytes, uint32_t length)
{
    if (length == 0)
        return true;
    codec->extradata = libav.av_malloc_((size_t)length + AV_INPUT_BUFFER_PADDING_SIZE);
    if (codec->extradata == NULL)
        return false;
    memcpy(codec->extradata, bytes, length);
    memset(codec->extradata + length, 0, AV_INPUT_BUFFER_PADDING_SIZE);
    codec->extradata_size = (int)length;
    return true;
}

/* Set the parameters for sound that RIFF describes. */
static bool set_wave(const struct video_track *track, AVCodecParameters *codec)
{
    const uint8_t *wave = track->wave;

    if (track->wave_length < WAVE_PLAIN)
        return false;
    uint32_t tag = little_endian(wave, 2), channels = little_endian(wave + 2, 2), rate = little_endian(wave + 4, 4);
    bool extensible = tag == WAVE_EXTENSIBLE && track->wave_length >= WAVE_SUBFORMAT + 2;
    if (extensible)
        tag = little_endian(wave + WAVE_SUBFORMAT, 2);
    codec->codec_type = AVMEDIA_TYPE_AUDIO;
    codec->codec_id = find_codec(tag, little_endian(wave + 14, 2));
    if (codec->codec_id == AV_CODEC_ID_NONE || channels == 0 || channels > UINT8_MAX || rate == 0 || rate > INT32_MAX)
        return false;
    codec->sample_rate = (int)rate;
    codec->block_align = (int)little_endian(wave + 12, 2);
    codec->bits_per_coded_sample = (int)little_endian(wave + 14, 2);
    codec->bit_rate = (int64_t)little_endian(wave + 8, 4) * 8;
    codec->frame_size = track->wave_bytes == 0 ? (int)packet_samples(codec) : 0;
    libav.av_channel_layout_default_(&codec->ch_layout, (int)channels);
    bool has_extra = !extensible && track->wave_length > WAVE && codec->codec_id != AV_CODEC_ID_MP3;
    return !has_extra || set_extra(codec, wave + WAVE, track->wave_length - WAVE);
}

bool avformat_set_track(const struct video_track *track, AVStream *stream)
{
    if (track->unit.over > INT32_MAX || track->unit.under > INT32_MAX)
        return false;
    stream->time_base = (AVRational){(int)track->unit.over, (int)track->unit.under};
    if (track->codec == NULL)
        return track->wave != NULL && set_wave(track, stream->codecpar);
    if (libav.avcodec_parameters_copy_(stream->codecpar, track->codec) < 0 ||
        libav.av_dict_copy_(&stream->metadata, track->metadata, 0) < 0)
        return false;
    stream->codecpar->codec_tag = 0; /* the tag was that of the other container */
    return true;
}

void avformat_describe_frames(const AVStream *stream, struct video_info *info)
{
    const AVCodecParameters *codec = stream->codecpar;
    const AVRational aspect =
        stream->sample_aspect_ratio.num > 0 ? stream->sample_aspect_ratio : codec->sample_aspect_ratio;
    const char *siting = codec->chroma_location == AVCHROMA_LOC_LEFT     ? "mpeg2"
                         : codec->chroma_location == AVCHROMA_LOC_CENTER ? "jpeg"
                                                                         : "";

    if (aspect.num > 0 && aspect.den > 0)
        info->aspect = ratio_reduce((struct video_ratio){(uint32_t)aspect.num, (uint32_t)aspect.den});
    info->range = codec->color_range == AVCOL_RANGE_JPEG   ? RANGE_FULL
                  : codec->color_range == AVCOL_RANGE_MPEG ? RANGE_LIMITED
                                                           : RANGE_UNKNOWN;
    info->interlace = codec->field_order == AV_FIELD_TT || codec->field_order == AV_FIELD_BT   ? 't'
                      : codec->field_order == AV_FIELD_BB || codec->field_order == AV_FIELD_TB ? 'b'
                                                                                               : 'p';
    strcpy(info->siting, siting);
    info->primaries = (uint8_t)codec->color_primaries;
    info->transfer = (uint8_t)codec->color_trc;
    info->matrix = (uint8_t)codec->color_space;
}

/* Return FFmpeg's pixel format for a shape. Containers derive their descriptions from it. */
static enum AVPixelFormat pixel_format(const struct video_shape *shape)
{
    static const char *const samplings[5][3] = {
        [1] = {[1] = "444", [2] = "440"}, [2] = {[1] = "422", [2] = "420"}, [4] = {[1] = "411"}};
    const char *sampling = shape->h <= 4 && shape->v <= 2 ? samplings[shape->h][shape->v] : NULL;
    char name[32], depth[16] = "";

    if (shape->depth > 8)
        snprintf(depth, sizeof depth, "%ule", (unsigned)shape->depth);
    if (shape->rgb)
        snprintf(name, sizeof name, "%s", shape->depth > 8 ? "rgb48le" : "rgb24");
    else if (shape->planes == 1)
        snprintf(name, sizeof name, "gray%s", depth);
    else
        snprintf(name, sizeof name, "yuv%sp%s", sampling == NULL ? "?" : sampling, depth);
    return libav.av_get_pix_fmt_(name);
}

void avformat_set_frames(const struct video_info *info, AVCodecParameters *codec)
{
    codec->codec_type = AVMEDIA_TYPE_VIDEO;
    codec->codec_id = info->payload == PAYLOAD_JPEG ? AV_CODEC_ID_MJPEG : AV_CODEC_ID_JPEG2000;
    codec->width = (int)info->shape.width;
    codec->height = (int)info->shape.height;
    codec->format = pixel_format(&info->shape);
    codec->bits_per_raw_sample = (int)info->shape.depth;
    if (info->aspect.over <= INT32_MAX && info->aspect.under <= INT32_MAX && info->aspect.under > 0)
        codec->sample_aspect_ratio = (AVRational){(int)info->aspect.over, (int)info->aspect.under};
    codec->color_range = info->range == RANGE_FULL      ? AVCOL_RANGE_JPEG
                         : info->range == RANGE_LIMITED ? AVCOL_RANGE_MPEG
                                                        : AVCOL_RANGE_UNSPECIFIED;
    codec->field_order = info->interlace == 't'   ? AV_FIELD_TT
                         : info->interlace == 'b' ? AV_FIELD_BB
                         : info->interlace == 'p' ? AV_FIELD_PROGRESSIVE
                                                  : AV_FIELD_UNKNOWN;
    codec->chroma_location = strcmp(info->siting, "mpeg2") == 0  ? AVCHROMA_LOC_LEFT
                             : strcmp(info->siting, "jpeg") == 0 ? AVCHROMA_LOC_CENTER
                                                                 : AVCHROMA_LOC_UNSPECIFIED;
    codec->color_primaries = info->primaries == 0 ? AVCOL_PRI_UNSPECIFIED : (enum AVColorPrimaries)info->primaries;
    codec->color_trc = info->transfer == 0 ? AVCOL_TRC_UNSPECIFIED : (enum AVColorTransferCharacteristic)info->transfer;
    const bool known = info->matrix != MATRIX_RGB || info->shape.rgb;
    codec->color_space = known ? (enum AVColorSpace)info->matrix : AVCOL_SPC_UNSPECIFIED;
}
