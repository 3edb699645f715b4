/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs programs with input and output in memory, and reads files. */
#include "support/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool peer_exists(const char *program)
{
    char command[200];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0;
}

static bool read_all(int fd, struct contents *contents)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || info.st_size < 0)
        return false;
    contents->length = (size_t)info.st_size;
    contents->data = malloc(contents->length ? contents->length : 1);
    return contents->data && pread(fd, contents->data, contents->length, 0) == (ssize_t)contents->length;
}

static int run(const char *const argv[], int in, int out)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&child, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

int peer_run(const char *const argv[], const void *input, size_t length, struct contents *output)
{
    int in = memfd_create("input", MFD_CLOEXEC), out = memfd_create("output", MFD_CLOEXEC);
    int status = -1;
    *output = (struct contents){NULL, 0};
    if (in >= 0 && out >= 0 && write(in, input, length) == (ssize_t)length && lseek(in, 0, SEEK_SET) == 0)
        status = run(argv, in, out);
    if (status >= 0 && !read_all(out, output))
        status = -1;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return status;
}

const char *corpus_folder(const char *name, char *path, size_t length)
{
    const char *corpus = getenv("KOSTKA_CORPUS");
    snprintf(path, length, "%s/%s", corpus ? corpus : "../shared/corpus", name);
    return path;
}

bool corpus_exists(const char *name)
{
    char path[1000];
    return access(corpus_folder(name, path, sizeof path), R_OK | X_OK) == 0;
}

bool contents_read(const char *path, struct contents *contents)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *contents = (struct contents){NULL, 0};
    if (fd < 0)
        return false;
    bool done = read_all(fd, contents);
    close(fd);
    return done;
}

void contents_free(struct contents *contents)
{
    free(contents->data);
    *contents = (struct contents){NULL, 0};
}
