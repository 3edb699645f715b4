/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads libavformat, and keeps what it logs for the texts of errors instead of printing it. */
#include "video/avformat_library.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct avformat_library libav;

static const char *const names[] = {AVFORMAT_FUNCTIONS(LIBRARY_NAME)};
_Static_assert(sizeof libav == sizeof names, "a pointer for each name");

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct problem failure;         /* why loading the library failed */
static _Thread_local char logged[256]; /* the last error in this thread; empty: none since the last one was reported */

static void keep_log(void *object, int level, const char *format, va_list arguments)
{
    (void)object;
    if (level > AV_LOG_ERROR)
        return;
    vsnprintf(logged, sizeof logged, format, arguments);
    logged[strcspn(logged, "\n")] = '\0';
}

static void load(void)
{
    static const char *const files[] = {KOSTKA_AVFORMAT_LIBRARY, NULL};

    if (library_load(files, names, sizeof names / sizeof *names, &libav, &failure))
        libav.av_log_set_callback_(keep_log);
}

bool avformat_library_load(struct problem *problem)
{
    pthread_once(&once, load);
    return failure.text[0] == '\0' ||
           problem_set(problem, "MKV, MOV, MP4 and MXF are read and written with libavformat: %s", failure.text);
}

bool avformat_fail(int error, const char *what, struct problem *problem)
{
    char text[128] = "";

    libav.av_strerror_(error, text, sizeof text);
    problem_set(problem, "%s: %s%s%s (libavformat)", what, logged, logged[0] == '\0' ? "" : ": ", text);
    logged[0] = '\0';
    return false;
}
