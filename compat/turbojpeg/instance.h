/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what this library remembers about a handle. Handles are the original's own, so that functions of version 2
 * can be passed on unchanged; what version 3 adds is in a list beside them.
 */
#ifndef KOSTKA_COMPAT_TURBOJPEG_INSTANCE_H
#define KOSTKA_COMPAT_TURBOJPEG_INSTANCE_H

#include <kostka/kostka.h>

#include "turbojpeg.h"

enum { TURBOJPEG_MESSAGE = 200 }; /* as long as the original's */

struct turbojpeg_instance {
    tjhandle handle;
    struct turbojpeg_instance *next;
    int kind;                 /* TJINIT_…; −1 if a function of version 2 made the handle */
    int value[TJPARAM_COUNT]; /* the parameters of version 3 */
    tjscalingfactor scale;    /* of decompression */
    tjregion region;          /* of decompression; all 0: the whole picture */
    unsigned char *profile;   /* the ICC profile to write, or null */
    size_t profile_length;
    unsigned char *found; /* the ICC profile of the last header, or null */
    size_t found_length;
    unsigned char *made; /* the buffer that was allocated for the last picture; it may have been freed since */
    bool failed;         /* the last call of a function of version 3 has failed, with `code` and `error` */
    int code;
    char error[TURBOJPEG_MESSAGE];
};

/* Make an instance for a new handle. Null if out of memory. */
struct turbojpeg_instance *turbojpeg_add(tjhandle handle, int kind);

/* Return the instance of a handle; null if there is none. */
struct turbojpeg_instance *turbojpeg_look(tjhandle handle);

/* Forget a handle that is destroyed. */
void turbojpeg_forget(tjhandle handle);

/*
 * Begin a function of version 3: return the instance of the handle, with its error cleared. If a function of version 2
 * made the handle, an instance is made. Null, with the thread's message set, if the handle is null or memory ran out.
 */
struct turbojpeg_instance *turbojpeg_begin(tjhandle handle);

/*
 * Free the buffer that was allocated for the last picture, before a function of the original receives it, if that
 * function may need up to `most` bytes: when the original allocates a larger buffer, it frees not this one but the last
 * buffer of its own, which the program may have freed. Given no buffer, it allocates a new one. A null instance is
 * allowed.
 */
void turbojpeg_withdraw(struct turbojpeg_instance *instance, unsigned char **jpeg, size_t *length, size_t most);

/* Record an error, "FUNCTION(): WHY", for a handle or, without one, for the thread. Returns −1. */
int turbojpeg_fail(struct turbojpeg_instance *instance, const char *function, const char *why);

/* Record the result of a function of the original, and its error. Returns the result. */
int turbojpeg_result(struct turbojpeg_instance *instance, int result);

/* Return the parameters as the flags that functions of version 2 take. */
int turbojpeg_flags(const struct turbojpeg_instance *instance);

#endif
