/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes temporary files, renames them, and removes abandoned ones. */
#include "system/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SLOTS = 512,           /* more than the number of workers */
    NAME = 64,             /* the length of a temporary file's name, without its directory */
    ATTEMPTS = 100,        /* of finding an unused name */
    ENTRIES_MAX = 1 << 14, /* the most entries of a directory that are examined, which takes some milliseconds */
    CLEANED = 64           /* the most directories that are remembered as cleaned */
};

/* The states of a slot. The thread that took a slot fills it; its path does not change while it is LISTED. */
enum slot_state { SLOT_FREE, SLOT_TAKEN, SLOT_LISTED, SLOT_REMOVED };

/*
 * Lists the temporary files that exist. The signal handler reads the list while other threads go on, so it is never
 * freed.
 */
static struct {
    atomic_int state;
    char path[PATH_MAX];
} slots[SLOTS];

/*
 * Whoever changes a slot's state from LISTED owns its path: this function, or the thread that has finished with the
 * file.
 */
void temporary_remove_all(void)
{
    for (size_t i = 0; i < SLOTS; i++) {
        int listed = SLOT_LISTED;
        if (atomic_compare_exchange_strong(&slots[i].state, &listed, SLOT_REMOVED))
            unlink(slots[i].path);
    }
}

/* Add a file to the list. If all slots are taken, a signal does not remove the file, but the next run does. */
static size_t list(const char *path)
{
    size_t length = strlen(path);

    for (size_t i = 0; i < SLOTS && length < PATH_MAX; i++) {
        int expected = SLOT_FREE;
        if (!atomic_compare_exchange_strong(&slots[i].state, &expected, SLOT_TAKEN))
            continue;
        memcpy(slots[i].path, path, length + 1);
        atomic_store(&slots[i].state, SLOT_LISTED);
        return i;
    }
    return SLOTS;
}

static void unlist(struct temporary *temporary)
{
    int listed = SLOT_LISTED;

    if (temporary->slot < SLOTS)
        atomic_compare_exchange_strong(&slots[temporary->slot].state, &listed, SLOT_FREE);
    temporary->slot = SLOTS;
}

/*
 * Return a hash (FNV-1a) of the host's name. Processes of another host cannot be examined, and their locks may not be
 * visible here.
 */
static uint32_t host_number(void)
{
    char name[HOST_NAME_MAX + 1] = "";
    uint32_t hash = 2166136261u;

    gethostname(name, sizeof name - 1);
    for (const char *c = name; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return hash;
}

static void make_name(char name[NAME], uint32_t host, long process, unsigned number)
{
    snprintf(name, NAME, ".kostka-%08x-%ld-%u.tmp", (unsigned)host, process, number);
}

/* Read the numbers in a name. The name is valid if formatting these numbers gives the same name. */
static bool read_name(const char *name, uint32_t *host, long *process)
{
    static const char prefix[] = ".kostka-";
    char made[NAME], *end;

    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    *host = (uint32_t)strtoul(name + sizeof prefix - 1, &end, 16);
    *process = *end == '-' ? strtol(end + 1, &end, 10) : 0;
    unsigned number = *end == '-' ? (unsigned)strtoul(end + 1, &end, 10) : 0;
    make_name(made, *host, *process, number);
    return strcmp(made, name) == 0;
}

/*
 * Return whether a process has ended but still exists, because nobody has waited for it; in a container whose first
 * process does not wait for others, nobody ever will.
 */
static bool has_ended(long process)
{
    char path[64], text[512];

    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "re");
    size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    text[length] = '\0';
    const char *name_end = strrchr(text, ')'); /* the state, one letter, follows the name */
    return name_end != NULL && (strncmp(name_end, ") Z", 3) == 0 || strncmp(name_end, ") X", 3) == 0);
}

/*
 * Return whether a file may be abandoned: a process of this host made it, and that process has ended or is this one,
 * for whose files the locks decide.
 */
static bool is_abandoned(const char *name)
{
    uint32_t host;
    long process;

    if (!read_name(name, &host, &process) || process <= 0 || host != host_number())
        return false;
    return process == getpid() || (kill((pid_t)process, 0) != 0 && errno == ESRCH) || has_ended(process);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Remove a file that nobody holds a lock on. The lock decides, because process numbers may belong to another container.
 * A process that has made a file, but not locked it yet, checks afterwards whether the file still has its name.
 */
static void remove_unlocked(int directory, const char *name)
{
    struct stat file, named;
    int descriptor = openat(directory, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (descriptor < 0)
        return;
    if (fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() &&
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        is_same_file(&file, &named))
        unlinkat(directory, name, 0);
    close(descriptor);
}

static void clean(int descriptor)
{
    DIR *directory = fdopendir(descriptor);
    const struct dirent *entry;

    if (directory == NULL) {
        close(descriptor);
        return;
    }
    for (int i = 0; i < ENTRIES_MAX && (entry = readdir(directory)) != NULL; i++)
        if (is_abandoned(entry->d_name))
            remove_unlocked(descriptor, entry->d_name);
    closedir(directory);
}

/* Return whether this process has not cleaned the directory yet, and mark it as cleaned. */
static bool is_new_directory(const struct stat *state)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct stat cleaned[CLEANED];
    static size_t count;
    bool found = false;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count && i < CLEANED && !found; i++)
        found = is_same_file(&cleaned[i], state);
    if (!found)
        cleaned[count++ % CLEANED] = *state;
    pthread_mutex_unlock(&lock);
    return !found;
}

static void clean_beside(const char *path, int directory_length)
{
    char directory[PATH_MAX];
    struct stat state;

    if (snprintf(directory, sizeof directory, "%.*s", directory_length, path) >= PATH_MAX)
        return;
    int descriptor = open(directory_length == 0 ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0 && fstat(descriptor, &state) == 0 && is_new_directory(&state))
        clean(descriptor);
    else if (descriptor >= 0)
        close(descriptor);
}

/*
 * Lock a new file. Another process may remove the file before it is locked: then it no longer has a name, or the lock
 * cannot be taken. File systems without locks are accepted.
 */
static bool lock(int descriptor)
{
    struct stat state;

    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(descriptor, &state) == 0 && state.st_nlink > 0;
}

bool temporary_open(struct temporary *temporary, const char *path)
{
    static atomic_uint counter;
    const char *slash = strrchr(path, '/');
    int directory = slash == NULL ? 0 : (int)(slash - path + 1);
    char name[NAME];

    *temporary = (struct temporary){.descriptor = -1, .slot = SLOTS};
    clean_beside(path, directory);
    temporary->path = malloc((size_t)directory + NAME);
    if (temporary->path == NULL)
        return false;
    memcpy(temporary->path, path, (size_t)directory);
    errno = EEXIST;
    for (int attempt = 0; attempt < ATTEMPTS && errno == EEXIST; attempt++) {
        /* The name does not include the output's own name, which could make it longer than the file system allows. */
        make_name(name, host_number(), getpid(), atomic_fetch_add(&counter, 1));
        memcpy(temporary->path + directory, name, NAME);
        temporary->descriptor = open(temporary->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (temporary->descriptor >= 0 && lock(temporary->descriptor)) {
            temporary->slot = list(temporary->path);
            return true;
        }
        if (temporary->descriptor >= 0) {
            close(temporary->descriptor);
            temporary->descriptor = -1;
            errno = EEXIST;
        }
    }
    int reason = errno;
    free(temporary->path);
    temporary->path = NULL;
    errno = reason;
    return false;
}

/* Open a file whose name is removed at once, for file systems that cannot make a file without a name. */
static int open_removed(const char *directory)
{
    char name[PATH_MAX];
    int length = snprintf(name, sizeof name, "%s/.kostka-XXXXXX", directory), descriptor;

    if (length < 0 || (size_t)length >= sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    descriptor = mkostemp(name, O_CLOEXEC);
    if (descriptor >= 0)
        unlink(name);
    return descriptor;
}

int temporary_open_unnamed(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path + 1));

    if (directory == NULL)
        return -1;
    int descriptor = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor < 0)
        descriptor = open_removed(directory);
    int reason = errno;
    free(directory);
    errno = reason;
    return descriptor;
}

/*
 * Make an empty file with the name of a temporary file, but the ending .part; if that exists, a number precedes the
 * ending. In a container the next process may have the same number, and must not replace what an earlier process has
 * kept. Returns the path, which the caller frees; null on failure.
 */
static char *reserve_part(const char *path)
{
    size_t stem = strlen(path) - (sizeof ".tmp" - 1);
    char *part = malloc(stem + NAME);
    int descriptor = -1;

    errno = EEXIST;
    for (int attempt = 0; part != NULL && descriptor < 0 && attempt < ATTEMPTS && errno == EEXIST; attempt++) {
        memcpy(part, path, stem);
        if (attempt == 0)
            snprintf(part + stem, NAME, ".part");
        else
            snprintf(part + stem, NAME, "-%d.part", attempt);
        descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    if (descriptor >= 0) {
        close(descriptor);
        return part;
    }
    free(part);
    return NULL;
}

bool temporary_keep(struct temporary *temporary)
{
    char *path = temporary->path == NULL ? NULL : reserve_part(temporary->path);

    if (path == NULL)
        return false;
    if (rename(temporary->path, path) != 0) {
        unlink(path);
        free(path);
        return false;
    }
    unlist(temporary);
    free(temporary->path);
    temporary->path = path;
    return true;
}

void temporary_leave(struct temporary *temporary)
{
    unlist(temporary);
    free(temporary->path);
    temporary->path = NULL;
}

/*
 * Some file systems report write errors only when a descriptor is closed. Closing a copy of the descriptor keeps the
 * lock.
 */
static bool flush_descriptor(int descriptor)
{
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return copy >= 0 && close(copy) == 0;
}

bool temporary_rename(struct temporary *temporary, const char *path)
{
    if (!flush_descriptor(temporary->descriptor) || rename(temporary->path, path) != 0)
        return false;
    unlist(temporary);
    free(temporary->path);
    temporary->path = NULL;
    return true;
}

void temporary_close(struct temporary *temporary)
{
    if (temporary->path != NULL) {
        unlink(temporary->path);
        unlist(temporary);
    }
    free(temporary->path);
    if (temporary->descriptor >= 0)
        close(temporary->descriptor);
    *temporary = (struct temporary){.descriptor = -1, .slot = SLOTS};
}
