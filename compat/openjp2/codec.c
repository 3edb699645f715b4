/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and destroys codecs, and sets how they work. */
#include "codec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <opj_config.h>

#include "device.h"
#include "encoder.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

enum { DEFAULT_WORK = 1 << 16, THREADS_MAX = 1024 };

const char *opj_version(void)
{
    return TEXT(OPJ_VERSION_MAJOR) "." TEXT(OPJ_VERSION_MINOR) "." TEXT(OPJ_VERSION_BUILD);
}

OPJ_BOOL opj_has_thread_support(void)
{
    return OPJ_TRUE;
}

int opj_get_num_cpus(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (int)count;
}

static opj_codec_t *create(OPJ_CODEC_FORMAT format, bool decodes)
{
    if (format != OPJ_CODEC_J2K && format != OPJ_CODEC_JP2)
        return NULL;
    struct openjp2_codec *codec = calloc(1, sizeof *codec);
    if (!codec)
        return NULL;
    codec->decodes = decodes;
    codec->is_jp2 = format == OPJ_CODEC_JP2;
    if (!decodes && !(codec->encoder = openjp2_encoder_create())) {
        free(codec);
        return NULL;
    }
    return (opj_codec_t *)(void *)codec;
}

opj_codec_t *opj_create_decompress(OPJ_CODEC_FORMAT format)
{
    return create(format, true);
}

opj_codec_t *opj_create_compress(OPJ_CODEC_FORMAT format)
{
    return create(format, false);
}

/*
 * In a child process the threads and the device of its parent's context do not exist, so that it cannot be destroyed
 * there: the child forgets it.
 */
static void leave_parents(struct openjp2_codec *codec)
{
    if (!codec->context || codec->process == getpid())
        return;
    codec->decoder = NULL;
    codec->context = NULL;
}

void opj_destroy_codec(opj_codec_t *handle)
{
    struct openjp2_codec *codec = (struct openjp2_codec *)(void *)handle;
    if (!codec)
        return;
    leave_parents(codec);
    kst_decoder_destroy(&codec->decoder);
    openjp2_encoder_destroy(codec);
    kst_context_destroy(&codec->context);
    openjp2_file_release(&codec->file);
    openjp2_headers_release(&codec->headers);
    openjp2_source_release(&codec->source);
    free(codec->selected);
    free(codec);
}

static struct openjp2_codec *codec_of(opj_codec_t *handle, bool decodes)
{
    struct openjp2_codec *codec = (struct openjp2_codec *)(void *)handle;
    if (!codec)
        return NULL;
    if (codec->decodes == decodes)
        return codec;
    openjp2_fail(codec, "the codec was made to %s", codec->decodes ? "decode" : "encode");
    return NULL;
}

struct openjp2_codec *openjp2_decoder_of(opj_codec_t *handle)
{
    return codec_of(handle, true);
}

struct openjp2_codec *openjp2_encoder_of(opj_codec_t *handle)
{
    return codec_of(handle, false);
}

OPJ_BOOL opj_codec_set_threads(opj_codec_t *handle, int threads)
{
    struct openjp2_codec *codec = (struct openjp2_codec *)(void *)handle;
    if (!codec || threads < 0)
        return OPJ_FALSE;
    if (codec->context)
        return openjp2_fail(codec, "threads must be set before the header is read or the first tile is encoded");
    codec->threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    codec->asked = true;
    return OPJ_TRUE;
}

/*
 * Return the number of threads: the caller's, or that of OpenJPEG's or Kostka's environment variable. A caller's 0
 * means none beside its own, and overrides OpenJPEG's variable, as with OpenJPEG. It does not override Kostka's:
 * programs whose users cannot or need not say a number, such as GStreamer's, pass 0 for every picture.
 */
static uint32_t threads_of(const struct openjp2_codec *codec)
{
    const char *theirs = codec->asked ? NULL : getenv("OPJ_NUM_THREADS");
    if (codec->threads > 0)
        return (uint32_t)codec->threads;
    if (theirs && strcmp(theirs, "ALL_CPUS") == 0)
        return (uint32_t)opj_get_num_cpus();
    long count = theirs ? strtol(theirs, NULL, 10) : 0;
    if (count > 0)
        return count < THREADS_MAX ? (uint32_t)count : THREADS_MAX;
    return compat_is_set("KOSTKA_THREADS") ? 0 : 1;
}

bool openjp2_context(struct openjp2_codec *codec, uint32_t work)
{
    kst_context_options options;
    if (work < DEFAULT_WORK)
        work = DEFAULT_WORK;
    leave_parents(codec);
    if (codec->context && codec->work >= work)
        return true;
    kst_decoder_destroy(&codec->decoder);
    kst_context_destroy(&codec->context);
    kst_context_options_init(&options);
    options.threads = threads_of(codec);
    options.limits.pixels = UINT64_MAX; /* OpenJPEG has none; the limit on work refuses what is out of proportion */
    options.limits.work = work;
    options.device = compat_device();
    kst_status status = kst_context_create(&options, &codec->context);
    codec->work = work;
    codec->process = getpid();
    if (status && !options.device)
        return openjp2_fail(codec, "KOSTKA_DEVICE='%s': %s", getenv("KOSTKA_DEVICE"), kst_status_text(status));
    return !status || openjp2_fail(codec, "%s", kst_status_text(status));
}
