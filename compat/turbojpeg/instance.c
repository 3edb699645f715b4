/* SPDX-License-Identifier: BSD-2-Clause */
/* Manages instances, and the errors of version 3. */
#include "instance.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "original.h"
#include "own.h"

enum { LISTS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct turbojpeg_instance *lists[LISTS];

/* Hold the lock during a fork, because another thread might hold it otherwise. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

static struct turbojpeg_instance **list_of(tjhandle handle)
{
    return &lists[(uintptr_t)handle / 64 % LISTS];
}

static void set_defaults(struct turbojpeg_instance *instance)
{
    static const int unknown[] = {
        TJPARAM_QUALITY, TJPARAM_SUBSAMP, TJPARAM_JPEGWIDTH, TJPARAM_JPEGHEIGHT, TJPARAM_COLORSPACE};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        instance->value[unknown[i]] = -1;
    instance->value[TJPARAM_PRECISION] = 8;
    instance->value[TJPARAM_LOSSLESSPSV] = 1;
    instance->value[TJPARAM_XDENSITY] = instance->value[TJPARAM_YDENSITY] = 1;
    instance->value[TJPARAM_SAVEMARKERS] = 2;
    instance->scale = (tjscalingfactor){1, 1};
}

struct turbojpeg_instance *turbojpeg_add(tjhandle handle, int kind)
{
    struct turbojpeg_instance *instance = calloc(1, sizeof *instance), **list = list_of(handle);
    if (!instance)
        return NULL;
    instance->handle = handle;
    instance->kind = kind;
    set_defaults(instance);
    pthread_mutex_lock(&lock);
    instance->next = *list;
    *list = instance;
    pthread_mutex_unlock(&lock);
    return instance;
}

struct turbojpeg_instance *turbojpeg_look(tjhandle handle)
{
    pthread_mutex_lock(&lock);
    struct turbojpeg_instance *instance = *list_of(handle);
    while (instance && instance->handle != handle)
        instance = instance->next;
    pthread_mutex_unlock(&lock);
    return instance;
}

static struct turbojpeg_instance *take_out(tjhandle handle)
{
    struct turbojpeg_instance **link = list_of(handle), *instance;
    pthread_mutex_lock(&lock);
    while (*link && (*link)->handle != handle)
        link = &(*link)->next;
    instance = *link;
    if (instance)
        *link = instance->next;
    pthread_mutex_unlock(&lock);
    return instance;
}

void turbojpeg_forget(tjhandle handle)
{
    struct turbojpeg_instance *instance = take_out(handle);
    if (!instance)
        return;
    free(instance->profile);
    free(instance->found);
    free(instance);
}

struct turbojpeg_instance *turbojpeg_begin(tjhandle handle)
{
    struct turbojpeg_instance *instance = handle ? turbojpeg_look(handle) : NULL;
    if (handle && !instance)
        instance = turbojpeg_add(handle, -1);
    if (instance)
        instance->failed = false;
    else
        snprintf(tjGetErrorStr(), TURBOJPEG_MESSAGE, handle ? "Memory allocation failure" : "Invalid handle");
    return instance;
}

void turbojpeg_withdraw(struct turbojpeg_instance *instance, unsigned char **jpeg, size_t *length, size_t most)
{
    if (!instance || !*jpeg || *jpeg != instance->made || *length >= most)
        return;
    free(*jpeg);
    *jpeg = instance->made = NULL;
    *length = 0;
}

int turbojpeg_fail(struct turbojpeg_instance *instance, const char *function, const char *why)
{
    /* Overwrite the thread's message in the original's own memory, to which tjGetErrorStr() returns a pointer. */
    snprintf(tjGetErrorStr(), TURBOJPEG_MESSAGE, "%s(): %s", function, why);
    if (instance) {
        instance->failed = true;
        instance->code = TJERR_FATAL;
        snprintf(instance->error, sizeof instance->error, "%s(): %s", function, why);
    }
    return -1;
}

int turbojpeg_result(struct turbojpeg_instance *instance, int result)
{
    instance->failed = result != 0;
    if (instance->failed) {
        instance->code = tjGetErrorCode(instance->handle);
        snprintf(instance->error, sizeof instance->error, "%s", tjGetErrorStr2(instance->handle));
    }
    return result;
}

int turbojpeg_flags(const struct turbojpeg_instance *instance)
{
    static const struct {
        int parameter, flag;
    } flags[] = {{TJPARAM_BOTTOMUP, TJFLAG_BOTTOMUP}, {TJPARAM_NOREALLOC, TJFLAG_NOREALLOC},
        {TJPARAM_FASTUPSAMPLE, TJFLAG_FASTUPSAMPLE}, {TJPARAM_FASTDCT, TJFLAG_FASTDCT},
        {TJPARAM_STOPONWARNING, TJFLAG_STOPONWARNING}, {TJPARAM_PROGRESSIVE, TJFLAG_PROGRESSIVE}};
    int all = instance->value[TJPARAM_FASTDCT] ? 0 : TJFLAG_ACCURATEDCT;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        all |= instance->value[flags[i].parameter] ? flags[i].flag : 0;
    return all;
}

tjhandle OWN(tj3InitVersion)(int kind, int version)
{
    (void)version; /* later versions add only further functions, which a program would not find */
    tjhandle handle = NULL;
    if (kind < 0 || kind >= TJINIT_COUNT) {
        turbojpeg_fail(NULL, "tj3Init", "Invalid argument");
        return NULL;
    }
    handle = kind == TJINIT_COMPRESS     ? tjInitCompress()
             : kind == TJINIT_DECOMPRESS ? tjInitDecompress()
                                         : tjInitTransform();
    if (handle && !turbojpeg_add(handle, kind)) {
        turbojpeg_original.tjDestroy(handle);
        turbojpeg_fail(NULL, "tj3Init", "Memory allocation failure");
        return NULL;
    }
    return handle;
}

tjhandle OWN(tj3Init)(int kind)
{
    return tj3InitVersion(kind, 0);
}

int tjDestroy(tjhandle handle)
{
    if (handle)
        turbojpeg_forget(handle);
    return turbojpeg_original.tjDestroy(handle);
}

void tj3Destroy(tjhandle handle)
{
    if (handle)
        tjDestroy(handle);
}

char *OWN(tj3GetErrorStr)(tjhandle handle)
{
    struct turbojpeg_instance *instance = handle ? turbojpeg_look(handle) : NULL;
    return instance && instance->failed ? instance->error : tjGetErrorStr2(handle);
}

int OWN(tj3GetErrorCode)(tjhandle handle)
{
    struct turbojpeg_instance *instance = handle ? turbojpeg_look(handle) : NULL;
    return instance && instance->failed ? instance->code : tjGetErrorCode(handle);
}
