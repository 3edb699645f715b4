/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the functions of libavformat, and of libavcodec and libavutil behind it, that are used. The library is
 * loaded when the first file of its containers is read or written. It must have the major version whose headers this
 * program was built with, because structures change between versions. None of its decoders, encoders and protocols is
 * used: bytes are read and written through this program's own files.
 */
#ifndef KOSTKA_TOOL_VIDEO_AVFORMAT_LIBRARY_H
#define KOSTKA_TOOL_VIDEO_AVFORMAT_LIBRARY_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/pixdesc.h>

#include "system/library.h"

#define AVFORMAT_FUNCTIONS(X)                                                                                          \
    X(av_channel_layout_default)                                                                                       \
    X(av_codec_get_id)                                                                                                 \
    X(av_codec_get_tag)                                                                                                \
    X(av_dict_copy)                                                                                                    \
    X(av_dict_free)                                                                                                    \
    X(av_dict_get)                                                                                                     \
    X(av_dict_set)                                                                                                     \
    X(av_find_input_format)                                                                                            \
    X(av_freep)                                                                                                        \
    X(av_get_bits_per_sample)                                                                                          \
    X(av_get_pix_fmt)                                                                                                  \
    X(av_guess_frame_rate)                                                                                             \
    X(av_interleaved_write_frame)                                                                                      \
    X(av_log_set_callback)                                                                                             \
    X(av_malloc)                                                                                                       \
    X(av_max_alloc)                                                                                                    \
    X(av_packet_alloc)                                                                                                 \
    X(av_packet_free)                                                                                                  \
    X(av_packet_rescale_ts)                                                                                            \
    X(av_packet_unref)                                                                                                 \
    X(av_read_frame)                                                                                                   \
    X(av_rescale_q)                                                                                                    \
    X(av_strerror)                                                                                                     \
    X(av_write_frame)                                                                                                  \
    X(av_write_trailer)                                                                                                \
    X(avcodec_get_name)                                                                                                \
    X(avcodec_parameters_copy)                                                                                         \
    X(avformat_alloc_context)                                                                                          \
    X(avformat_alloc_output_context2)                                                                                  \
    X(avformat_close_input)                                                                                            \
    X(avformat_free_context)                                                                                           \
    X(avformat_get_riff_audio_tags)                                                                                    \
    X(avformat_new_stream)                                                                                             \
    X(avformat_open_input)                                                                                             \
    X(avformat_query_codec)                                                                                            \
    X(avformat_write_header)                                                                                           \
    X(avio_alloc_context)                                                                                              \
    X(avio_context_free)                                                                                               \
    X(avio_flush)

struct avformat_library {
    AVFORMAT_FUNCTIONS(LIBRARY_POINTER)
};
extern struct avformat_library libav;

/* Load the library. This must succeed before any of its functions is called. Thread-safe. */
bool avformat_library_load(struct problem *problem);

/* Set the problem for an error of the library, with what the library logged last in this thread. Returns false. */
bool avformat_fail(int error, const char *what, struct problem *problem);

#endif
