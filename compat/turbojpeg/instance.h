/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what this library remembers of a handle. Handles are the original's own, so that functions of version 2 may
 * be passed on as they are; what version 3 adds lies in a table beside them.
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
    unsigned char *found; /* the one that the last header had, or null */
    size_t found_length;
    unsigned char *made; /* the buffer that was allocated for the last picture; it may have been freed since */
    bool failed;         /* the last call of a function of version 3 failed, with `code` and `error` */
    int code;
    char error[TURBOJPEG_MESSAGE];
};

/* Make an instance for a new handle. Null: there is no memory. */
struct turbojpeg_instance *turbojpeg_add(tjhandle handle, int kind);

/* Return the instance of a handle; null if there is none. */
struct turbojpeg_instance *turbojpeg_look(tjhandle handle);

/* Forget what is known of a handle that ends. */
void turbojpeg_forget(tjhandle handle);

/*
 * Begin a function of version 3: return the instance of the handle, without an error, which is made if version 2 made
 * the handle. Null: the handle is null, or there is no memory, and the thread's message says so.
 */
struct turbojpeg_instance *turbojpeg_begin(tjhandle handle);

/*
 * Free the buffer that was allocated for the last picture if a function of the original's, which is about to receive
 * it, may need up to `most` bytes: while it makes a larger one, it would free the last one of its own instead, which
 * the program may have freed. It makes a new one then. A null instance is allowed.
 */
void turbojpeg_withdraw(struct turbojpeg_instance *instance, unsigned char **jpeg, size_t *length, size_t most);

/* Record an error, "FUNCTION(): WHY", of a handle or, without one, of the thread. Returns −1. */
int turbojpeg_fail(struct turbojpeg_instance *instance, const char *function, const char *why);

/* Record what a function of the original returned, and its error. Returns the same. */
int turbojpeg_result(struct turbojpeg_instance *instance, int result);

/* Return the parameters as the flags that functions of version 2 take. */
int turbojpeg_flags(const struct turbojpeg_instance *instance);

#endif
